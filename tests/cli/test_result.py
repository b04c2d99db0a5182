"""What a result tells beside its groups: the columns that say what changed, and what documents are counted by."""

from types import SimpleNamespace

import numpy as np
import pytest

from outgroup.cli.result import _filters
from outgroup.session.changes import Moved

CORPUS = SimpleNamespace(ids=["a", "b", "c", "d"], labels=["x", "y", "x", "y"], columns={})
SHOWN = SimpleNamespace(
    rows=np.array([True, True, False, True]), ids=["a", "b", "d"], labels=np.array([0, -1, -1]), away=None
)


def changed(moved=(), new=()):
    return SimpleNamespace(changes=SimpleNamespace(moved=list(moved), new=list(new)))


def by(column, values):
    return SimpleNamespace(column=column, values=values, named=lambda rows: [values[row] for row in rows])


def test_a_column_says_of_each_document_that_is_shown_what_changed():
    step = changed([Moved("a", 3, 1), Moved("c", 0, 1), Moved("d", -1, 0)], ["b"])
    assert _filters(CORPUS, SHOWN, None, step) == {"change": ["moved from 3", "new", "moved from none"]}


@pytest.mark.parametrize("step", [None, SimpleNamespace(changes=None), changed(new=["c"])])
def test_where_nothing_changed_that_is_shown_there_is_no_column(step):
    assert _filters(CORPUS, SHOWN, None, step) == {}


def test_a_column_says_who_set_a_document_aside_where_a_person_did():
    shown = SimpleNamespace(**vars(SHOWN) | {"away": np.array([False, False, True])})
    assert _filters(CORPUS, shown, None, None) == {"off-topic": ["", "by the threshold", "labelled off-topic"]}


def test_what_documents_are_counted_by_is_a_column_unless_it_is_their_label():
    assert _filters(CORPUS, SHOWN, by("year", ["1", "2", "3", "4"]), None) == {"year": ["1", "2", "4"]}
    assert _filters(CORPUS, SHOWN, by("label", CORPUS.labels), None) == {}
