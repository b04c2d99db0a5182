"""docs/reading.md says the limits that the code has, and every format that it reads."""

from pathlib import Path

import pytest

from outgroup.readers import corpus, documents, fields, folder, mail, office, sheets, source

PAGE = Path(__file__).parents[2] / "docs" / "reading.md"


@pytest.fixture(scope="module")
def page():
    if not PAGE.is_file():
        pytest.skip("the pages are not beside these tests")
    return PAGE.read_text(encoding="utf-8")


def test_the_limits_are_those_of_the_code(page):
    said = [
        f"| one document | {documents.LONGEST_DOCUMENT:,} ",
        f"| {corpus.MOST_WORDS:,} |",
        f"| {documents.LARGEST_TEXTS:,} characters, {documents.MOST_DOCUMENTS:,} documents;",
        f"at most {source.UNPACKED_TIMES} times its size, or {source.UNPACKED_ALWAYS // 10**6} MB",
        f"at most {office.UNPACKED_TIMES} times its size, or {office._UNPACKED_ALWAYS // 10**6} MB",
        f"at most {office._LARGEST // 10**6} MB",
        f"at most {sheets.LARGEST_SHEET // 10**9} GB; {sheets.MOST_CELLS:,} columns",
        f"{office._LARGEST_DIRECTORY // 10**6} MB, some",
        f"| {mail._MOST_PARTS:,} parts |",
        f"| {documents.MOST_COLUMNS}, of at most {documents.LONGEST_CELL:,} characters a value |",
    ]
    assert [each for each in said if each not in page] == []
    assert corpus._MOST_SKIPS == 1_000_000


def test_every_format_is_on_the_page(page):
    kinds = (folder.RECORD_KINDS - {folder.LINES}) | folder.KINDS | set(source.PACKINGS)
    assert [kind for kind in sorted(kinds) if kind and f"`{kind}`" not in page] == []
    assert fields.Fields().text == "text"
