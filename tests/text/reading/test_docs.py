"""docs/reading.md says the limits that the code has, and every format that it reads."""

from pathlib import Path

import pytest

from outgroup.text.reading import books, documents, fields, files, gather, mail, records, size, source, word, xml_parts

PAGE = Path(__file__).parents[3] / "docs" / "reading.md"


@pytest.fixture(scope="module")
def page():
    if not PAGE.is_file():
        pytest.skip("the pages are not beside these tests")
    return PAGE.read_text(encoding="utf-8")


def test_the_limits_are_those_of_the_code(page):
    said = [
        f"| one document | {documents.LONGEST_DOCUMENT:,} ",
        f"| {size.MOST_WORDS:,} |",
        f"| {documents.LARGEST_TEXTS:,} characters, {documents.MOST_DOCUMENTS:,} documents;",
        f"at most {source.UNPACKED_TIMES} times its size, or {source.UNPACKED_ALWAYS // 10**6} MB",
        f"at most {xml_parts.UNPACKED_TIMES} times its size, or {xml_parts._UNPACKED_ALWAYS // 10**6} MB",
        f"at most {word._LARGEST // 10**6} MB",
        f"at most {books.LARGEST_SHEET // 10**9} GB; {books.MOST_CELLS:,} columns",
        f"{xml_parts._LARGEST_DIRECTORY // 10**6} MB, some",
        f"| {mail._MOST_PARTS:,} parts |",
        f"| {documents.MOST_COLUMNS}, of at most {documents.LONGEST_CELL:,} characters a value |",
    ]
    assert [each for each in said if each not in page] == []
    assert gather._USELESS == 1_000_000


def test_every_format_is_on_the_page(page):
    kinds = (records.KINDS - {records.LINES}) | files.KINDS | set(source.PACKINGS)
    assert [kind for kind in sorted(kinds) if kind and f"`{kind}`" not in page] == []
    assert fields.Fields().text == "text"
