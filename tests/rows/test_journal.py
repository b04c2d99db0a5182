"""Passes that are written down answer a fit that is begun again, and nothing else does."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup import MaxMarginClustering
from outgroup.errors import OutputError
from outgroup.rows import as_rows
from outgroup.rows.base import HighestColumn, Members
from outgroup.rows.disk import DiskRows, JournalRows
from outgroup.rows.shards import ShardWriter
from outgroup.rows.wrappers import sample


class Counted:
    """Rows that count the passes over them, and lie nowhere."""

    def __init__(self, X):
        self.rows, self.passes = as_rows(X), 0
        self.shape, self.dtype = X.shape, X.dtype
        for name in ("take", "correlate", "squares"):
            setattr(self, name, getattr(self.rows, name))

    def fold(self, *given, **options):
        self.passes += 1
        return self.rows.fold(*given, **options)

    def map(self, *given, **options):
        self.passes += 1
        return self.rows.map(*given, **options)

    def local(self):
        return None


@pytest.fixture(name="X")
def _matrix():
    rng = np.random.default_rng(0)
    return np.abs(rng.normal(size=(60, 5)) + 3 * np.repeat(np.eye(5)[:3], 20, axis=0))


def fitted(rows):
    return MaxMarginClustering(3, random_state=0, n_init=1).fit(rows)


def test_a_fit_begun_again_makes_no_pass_twice(X, tmp_path):
    once, again = Counted(X), Counted(X)
    first = fitted(JournalRows(once, tmp_path / "fit"))
    heard = []
    second = fitted(JournalRows(again, tmp_path / "fit", lambda *said: heard.append(said)))
    assert once.passes > 5
    assert again.passes == 0
    assert heard == [(i + 1, True) for i in range(once.passes)]
    for name in ("coef_", "intercept_", "labels_"):
        assert np.array_equal(getattr(first, name), getattr(second, name))
    assert first.trace_ == second.trace_


def test_a_fit_goes_on_behind_the_last_whole_pass(X, tmp_path):
    whole = Counted(X)
    wanted = fitted(JournalRows(whole, tmp_path / "fit"))
    written = sorted((tmp_path / "fit").iterdir())
    written[4].write_bytes(written[4].read_bytes()[:50])
    again = Counted(X)
    found = fitted(JournalRows(again, tmp_path / "fit"))
    assert again.passes == whole.passes - 4
    assert np.array_equal(found.coef_, wanted.coef_)


@pytest.mark.parametrize("change", ["directions", "rule", "state", "rows", "verb"])
def test_another_question_is_asked_of_the_rows(X, tmp_path, change):
    labels, W = np.zeros(60, dtype=np.int32), np.eye(5)[:2]
    JournalRows(as_rows(X), tmp_path).fold(W, Members(2), labels)
    rows = Counted(X)
    journal = JournalRows(rows, tmp_path)
    if change == "directions":
        journal.fold(2 * W, Members(2), labels)
    elif change == "rule":
        journal.fold(W, Members(3), labels)
    elif change == "state":
        journal.fold(W, Members(2), labels + 1)
    elif change == "rows":
        journal.fold(W, Members(2), labels, on=np.arange(3))
    else:
        journal.map(W, HighestColumn())
    assert rows.passes == 1


def test_a_full_disk_is_told(X, tmp_path, monkeypatch):
    rows = JournalRows(as_rows(X), tmp_path)
    monkeypatch.setattr(np, "savez", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OutputError, match="No space left"):
        rows.map(np.eye(5), HighestColumn())


def test_a_sample_of_shards_is_what_they_have(tmp_path):
    X = sp.random(50, 8, 0.4, format="csr", dtype=np.float32, random_state=0)
    writer = ShardWriter(tmp_path / "rows", 8, entries=30)
    for first in range(0, 50, 10):
        writer.append(X[first : first + 10])
    disk, index = DiskRows(writer.close()), np.array([3, 20, 20, 49])
    for rows in (disk, as_rows(X)):
        found = JournalRows(rows, tmp_path / "fit").sample(index)
        assert sp.issparse(found)
        assert np.array_equal(found.toarray(), X[index].toarray())
    number, drawn = sample(JournalRows(disk, tmp_path / "fit"), np.random.default_rng(0), 20)
    assert np.array_equal(drawn.toarray(), X[number].toarray())
