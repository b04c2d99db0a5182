"""References: RIS, PubMed, Web of Science and BibTeX, by their content and not by the suffix."""

from dataclasses import replace

import pytest
from factories import write

from outgroup.errors import CorpusError
from outgroup.readers import references
from outgroup.readers.corpus import read_corpus
from outgroup.readers.documents import LIMITS

RIS = (
    "Provider: a library\n\nTY  - JOUR\nAU  - Ann\nAU  - Bea\nTI  - Tea\nAB  - Boil\n  water.\nDO  - 10.1/a\nER  - \n\n"
)


RIS += "TY  - BOOK\r\nTI  - Milk\r\nAB  - Pour it.\r\nER  -\r\n"


PUBMED = (
    "\nPMID- 10.1/a\nTI  - Tea\nAB  - Boil\n      water.\nAU  - Ann\nAU  - Bea\n\nPMID- 2\nTI  - Milk\nAB  - Pour it.\n"
)


WEB = "FN A library\nVR 1.0\nPT J\nAU Ann\nAU Bea\nTI Tea\nAB Boil\n   water.\nDI 10.1/a\nER\n\n"


WEB += "PT J\nTI Milk\nAB Pour it.\nER\nEF\n"


BIBTEX = (
    '% by hand\n@string{j = "Tea"}\n@comment{a {b}}\n'
    '@Article{10.1/a, title={{T}ea}, abstract = {Boil\n  water.}, author = "An" # "n; Bea", year = 2020}\n'
    "@book(2, title = {Milk}, abstract={Pour it.})\n"
)


ENDNOTE = "%0 Book\n%A Ann\n%A Bea\n%T Tea\n%X Boil\nwater.\n%R 10.1/a\n\n%0 Book\n%T Milk\n%X Pour it.\n"


@pytest.mark.parametrize("raw", [RIS, PUBMED, WEB, BIBTEX, ENDNOTE, "\ufeff" + RIS])
@pytest.mark.parametrize("name", ["a.txt", "a.ris", "a.bib", "a.enw"])
def test_every_form_gives_abstract_title_id_and_tags(tmp_path, raw, name):
    corpus = read_corpus(write(tmp_path / name, raw))
    assert corpus.texts == ["Tea\n\nBoil water.", "Milk\n\nPour it."]
    assert (corpus.titles, corpus.ids) == (["Tea", "Milk"], ["10.1/a", "2"])
    assert corpus.columns["author" if "@" in raw else "A" if raw == ENDNOTE else "AU"] == ["Ann; Bea", ""]


def test_comments_between_entries_are_no_entries(tmp_path):
    raw = (
        "@misc{a, title={Tea}} @misc{b, title={Milk}}, @misc(c, title={Rum})\n% @article{old,\n%  title = {Beer}\n"
        "see me@home (x) or %@misc{d, title={Gin}}\n  @misc{e,\n title={Jam},\n}\n"
    )
    corpus = read_corpus(write(tmp_path / "a.bib", raw))
    assert (corpus.ids, corpus.texts) == (["a", "b", "c", "e"], ["Tea", "Milk", "Rum", "Jam"])


def test_an_empty_tag_is_no_text(tmp_path):
    corpus = read_corpus(write(tmp_path / "a.enw", ENDNOTE.replace("%R", "%K \n%Z\n%R")))
    assert corpus.texts == ["Tea\n\nBoil water.", "Milk\n\nPour it."]


def test_fields_do_not_replace_the_type_and_key_of_an_entry(tmp_path):
    corpus = read_corpus(write(tmp_path / "a.bib", "@misc{a, key={Ann}, type={Report}, title={Tea}}\n"))
    assert (corpus.ids, corpus.columns["type"]) == (["a"], ["misc"])


@pytest.mark.parametrize(
    ("raw", "wrong"),
    [
        ("@misc{a, title={B}\n", "line 1: the braces"),
        ("@misc{a, title={B} tea}\n", "'a' has no field"),
        ("TY  - JOUR\nTI  - A\nER  - \nTI  - B\n", "line 4"),
        ("only words\n", "no reference"),
    ],
)
def test_broken_references_are_errors(tmp_path, raw, wrong):
    with pytest.raises(CorpusError, match=wrong):
        read_corpus(write(tmp_path / "a.ris", raw))


@pytest.mark.parametrize("raw", ["TY  - JOUR\nAB  - " + "tea\n" * 99, "@misc{a, abstract={Tea}}\n" * 9])
def test_references_without_end_are_too_long(tmp_path, monkeypatch, raw):
    monkeypatch.setattr(references, "LIMITS", replace(LIMITS, document=200))
    with pytest.raises(CorpusError, match="line "):
        read_corpus(write(tmp_path / "a.ris", raw))
