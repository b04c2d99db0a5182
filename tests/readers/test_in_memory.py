"""Documents that a program already holds: the same corpus from every library's table."""

import math

import numpy as np
import pytest

from outgroup.errors import InputError, OutgroupWarning
from outgroup.readers.in_memory import texts_of

DATA = {
    "id": ["a", "b", "c"],
    "title": ["Tea", None, "Tents"],
    "body": ["Boil water.", "Milk", ""],
    "stars": [5, 4, 3],
    "date": ["2024-05-01", "2024-05-02", None],
}
RECORDS = [dict(zip(DATA, values, strict=True)) for values in zip(*DATA.values(), strict=True)]


def frames():
    yield "records", RECORDS
    yield "generator", (row for row in RECORDS)
    for library, make in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")):
        yield library, (library, make)


@pytest.mark.parametrize(("kind", "made"), list(frames()))
def test_every_table_is_the_same_corpus(kind, made):
    if isinstance(made, tuple):
        library = pytest.importorskip(made[0])
        made = getattr(library, made[1])(DATA)
    corpus = texts_of(made, text="body")
    assert corpus.ids == ["a", "b", "c"]
    assert corpus.texts == ["Tea\n\nBoil water.", "Milk", "Tents"]
    assert corpus.titles == ["Tea", "", "Tents"]
    assert corpus.columns == {"stars": ["5", "4", "3"], "date": ["2024-05-01", "2024-05-02", ""]}
    assert (corpus.rows, corpus.skipped) == ([0, 1, 2], [])


@pytest.mark.filterwarnings("ignore:HTML was found")
@pytest.mark.parametrize("library", ["list", "numpy", "pandas", "polars", "pyarrow", "chunked"])
def test_plain_texts_are_taken_as_they_are(library):
    texts = ["<b>tea</b>", "milk &amp; bread", ""]
    if library == "list":
        given = texts
    elif library == "pyarrow":
        given = pytest.importorskip("pyarrow").array(texts)
    elif library == "chunked":
        given = pytest.importorskip("pyarrow").chunked_array([texts])
    elif library == "numpy":
        given = np.array(texts)
    else:
        given = pytest.importorskip(library).Series(texts)
    corpus = texts_of(given)
    assert (corpus.texts, corpus.ids) == (texts, ["0", "1", "2"])
    assert all(type(text) is str for text in corpus.texts)


@pytest.mark.parametrize("none", [None, math.nan, pytest.param("pandas.NA")])
def test_missing_texts_are_named_or_skipped(none):
    if none == "pandas.NA":
        none = pytest.importorskip("pandas").NA
    for given in (["tea", none, "milk", none], [{"text": text} for text in ("tea", none, "milk", none)]):
        with pytest.raises(InputError, match=r"2 of 4 rows without a text \(no text\): 1, 3;.*missing='skip'"):
            texts_of(given)
        corpus = texts_of(given, missing="skip")
        assert corpus.texts == ["tea", "", "milk", ""]
        assert [(skip.row, skip.reason) for skip in corpus.skipped] == [(1, "no text"), (3, "no text")]
        assert corpus.ids == ["0", "1", "2", "3"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "documents is a NoneType; give a list of texts"),
        ("tea", "a single text"),
        ({"text": ["tea"]}, "documents is a dict"),
        (3, "documents is a int"),
        ([], "documents is empty"),
        ([["tea"]], "type list in row 0"),
        (["tea", 3], "type int in row 1"),
        (np.array([["tea"]]), "2 dimensions"),
        ([{"body": "tea"}], "no field 'text' for the text; the fields are 'body'"),
        ([{"text": [1, 2]}], "contains a list, not a string"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_what_is_no_collection_is_named(given, said):
    with pytest.raises(InputError, match=said):
        texts_of(given)


def test_non_answers_of_a_list_stay_with_a_warning():
    given = ["Boil water.", "don't know", "", "n/a"]
    for documents in (given, [{"text": text} for text in given]):
        with pytest.warns(OutgroupWarning, match="2 of 4"):
            assert texts_of(documents).texts == given
