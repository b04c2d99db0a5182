"""Input that would take memory or time without end, or that names cannot hold: a named skip, and the rest is read."""

import itertools
import os
import sys

import pytest
from factories import skipped, word

from outgroup.errors import CorpusError
from outgroup.readers.corpus import excess, read_corpus
from outgroup.readers.documents import LIMITS

GROWS = "\ufdfa"  # one sign, of which the compatible form has eighteen


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d/fine.txt").write_text("Tea")
    return tmp_path / "d"


def test_a_text_that_grows_is_skipped_before_it_does(folder, monkeypatch):
    monkeypatch.setitem(vars(LIMITS), "document", 1_000_000)
    (folder / "bomb.txt").write_text(GROWS * 60_000, encoding="utf-8")
    corpus = read_corpus(folder)
    assert corpus.texts == ["Tea"]
    assert "Unicode decomposition" in skipped(corpus)["bomb.txt"]
    assert excess(GROWS * 10_000 + "é" * 500_000) == ""


def test_a_text_of_too_many_words_is_skipped(folder, monkeypatch):
    monkeypatch.setitem(vars(LIMITS), "words", 50_000)
    words = itertools.product("abcdefghijklmnopqrst", repeat=4)
    (folder / "bomb.txt").write_text(" ".join(map("".join, words)) * 6)
    (folder / "book.txt").write_text("the same few words again " * 200_000)
    corpus = read_corpus(folder)
    assert corpus.ids == ["book.txt", "fine.txt"]
    assert "different words" in skipped(corpus)["bomb.txt"]


def test_a_message_of_a_chat_that_never_ends_is_skipped(tmp_path, monkeypatch):
    monkeypatch.setitem(vars(LIMITS), "document", 1_000)
    head = "1/3/24, 9:05 - Ann: "
    (tmp_path / "a.txt").write_text(f"{head}tea\n" + head + "x\n" * 500_000 + f"{head}milk\nor\n" + head + "y\n" * 999)
    corpus = read_corpus(tmp_path / "a.txt")
    assert [text.split() for text in corpus.texts] == [["tea"], ["milk", "or"]]
    assert skipped(corpus) == dict.fromkeys(("line 2", "line 500004"), LIMITS.too_long)


def test_empty_paragraphs_take_no_memory(folder):
    (folder / "bomb.docx").write_bytes(word("<w:p/>" * 3_000_000 + "<w:t>Tea</w:t>"))
    (folder / "many.docx").write_bytes(word("<w:p/>" * 200_000 + "<w:t>Tea</w:t>"))
    corpus = read_corpus(folder)
    assert corpus.texts == ["Tea", "Tea"]
    assert "more than 150 times" in skipped(corpus)["bomb.docx"]


@pytest.mark.skipif(sys.platform != "linux", reason="needs a tree deeper than a path may be long")
def test_a_tree_deeper_than_paths_may_be_is_named_and_the_rest_read(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for _ in range(20):
        os.mkdir("x" * 250)
        os.chdir("x" * 250)
    with open("deep.txt", "w") as file:
        file.write("never seen")
    monkeypatch.chdir(folder)
    corpus = read_corpus(folder)
    assert corpus.texts == ["Tea"]
    assert [reason for reason in skipped(corpus).values() if "File name too long" in reason]


def test_a_text_in_a_dictionary_of_parquet_may_not_stand_in_too_many_rows(tmp_path):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 20_000, pa.int32()), pa.array(["tea " * 100_000]))
    place = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"text": texts}), place, dictionary_pagesize_limit=1 << 30, compression="zstd")
    assert place.stat().st_size < 10_000  # and 8 GB unpacked
    with pytest.raises(CorpusError, match="more than 200 times"):
        read_corpus(place)
