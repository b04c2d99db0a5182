"""docs/reading.md says the limits that the code has, and every format that it reads."""

from pathlib import Path

import pytest

from outgroup.readers import fields, folder, source
from outgroup.readers.documents import LIMITS
from outgroup.text.tokenizer import TOKENIZER

PAGE = Path(__file__).parents[2] / "docs" / "reading.md"


@pytest.fixture(scope="module")
def page():
    if not PAGE.is_file():
        pytest.skip("the pages are not beside these tests")
    return PAGE.read_text(encoding="utf-8")


def test_the_limits_are_those_of_the_code(page):
    said = [
        f"| one document | {LIMITS.document:,} ",
        f"| {LIMITS.words:,} |",
        f"| {LIMITS.texts:,} characters, {LIMITS.documents:,} documents;",
        f"at most {LIMITS.unpacked_times} times its size, and {LIMITS.unpacked // 10**6} MB in addition",
        f"PDF pages, {LIMITS.row} bytes each",
        f"a tag or comment of {LIMITS.office_token // 10**6} MB",
        f"{LIMITS.sheet_columns:,} columns; {LIMITS.sheet_rows:,} rows",
        f"headers of {LIMITS.mail_header:,} characters, of a part {LIMITS.mail_parameters} parameters",
        f"| {LIMITS.seconds} s of the processor",
        f"| {TOKENIZER.marks}; the others",
        f"at most {LIMITS.office_times} times its size, or {LIMITS.office_unpacked // 10**6} MB",
        f"at most {LIMITS.office_part // 10**6} MB",
        f"at most {LIMITS.sheet_bytes // 10**9} GB; {LIMITS.sheet_columns:,} columns",
        f"{LIMITS.office_directory // 10**6} MB, some",
        f"| {LIMITS.mail_parts:,} parts, ",
        f"| {LIMITS.columns}, of at most {LIMITS.cell:,} characters a value |",
    ]
    assert [each for each in said if each not in page] == []
    assert LIMITS.skips == 1_000_000


def test_every_format_is_on_the_page(page):
    kinds = (folder.RECORD_KINDS - {folder.LINES}) | folder.KINDS | set(source.PACKINGS)
    assert [kind for kind in sorted(kinds) if kind and f"`{kind}`" not in page] == []
    assert fields.Fields().text == "text"
