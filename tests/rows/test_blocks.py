"""Spans cover every row once; results are put together in order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outgroup.rows import blocks
from outgroup.rows.blocks import add_up, even_spans, group_sizes, heavy_spans, join


def covered(spans):
    return [i for span in spans for i in range(span.start, span.stop)]


@given(start=st.integers(0, 50), length=st.integers(0, 50), count=st.integers(-1, 60))
def test_even_spans_cover_a_range(start, length, count):
    spans = even_spans(start, start + length, count)
    assert covered(spans) == list(range(start, start + length))
    assert len(spans) == max(1, min(count, length))
    assert max(map(len, map(covered, [[s] for s in spans]))) <= -(-length // len(spans))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(0, 9), st.data())
def test_heavy_spans_cover_rows_and_share_their_entries(lengths, count, data):
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    start = data.draw(st.integers(0, len(lengths)))
    stop = data.draw(st.integers(start, len(lengths)))
    spans = heavy_spans(indptr, start, stop, count)
    assert covered(spans) == list(range(start, stop))
    assert 1 <= len(spans) <= max(1, count)
    share = (indptr[stop] - indptr[start]) / max(1, count)
    assert all(indptr[s.stop] - indptr[s.start] <= share + 2 * max(lengths) for s in spans)


def test_sums_keep_their_order_and_nesting():
    assert add_up([(1, (2.5, 3)), (10, (20.0, 30))]) == (11, (22.5, 33))
    assert add_up(iter([1e16, 1.0, -1e16])) == 0.0  # from left to right
    assert add_up([np.ones(2), np.ones(2)]).tolist() == [2, 2]
    with pytest.raises(ValueError, match="zip"):
        add_up([(1, 2), (1, 2, 3)])


def test_joining_keeps_columns_apart():
    first, second = join([(np.array([1]), np.array(["a"])), (np.array([2]), np.array(["b"]))])
    assert first.tolist() == [1, 2]
    assert second.tolist() == ["a", "b"]


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
def test_sizes_of_groups_whatever_rows_are_counted_at_a_time(monkeypatch, dtype):
    monkeypatch.setattr(blocks, "_AT_ONCE", 3)
    labels = np.array([2, 0, -1, 2, 3, 3, 127], dtype=dtype)
    assert group_sizes(labels).tolist() == [1, 0, 2, 2, *[0] * 123, 1]
    assert group_sizes(labels[:4], 5).tolist() == [1, 0, 2, 0, 0]
    assert group_sizes(labels[:4], 5, labels[:4] == 2).tolist() == [0, 0, 2, 0, 0]
    assert group_sizes(labels[:0], 2).tolist() == [0, 0]
