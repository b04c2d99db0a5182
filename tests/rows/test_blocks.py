"""Spans cover every row once; results are put together in order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from outgroup.rows.blocks import heavy_spans


def covered(spans):
    return [i for span in spans for i in range(span.start, span.stop)]


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
