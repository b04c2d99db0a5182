"""How large a collection is, before it is read: counted as it is read, and no error."""

import csv
import gzip
import json
from io import StringIO

import pytest
from factories import write, zipped

from outgroup.readers.fields import Fields
from outgroup.readers.inputs import Extent, extent

RECORDS = [{"id": f"d{i}", "text": "tea " * (i % 7), "by": "me"} for i in range(300)]
LINES = "".join(json.dumps(each) + "\n" for each in RECORDS).encode()
SIZE = sum(len("".join(each.values())) if each["text"] else len("me") for each in RECORDS)


def table():
    file = StringIO()
    csv.DictWriter(file, list(RECORDS[0])).writerows([dict(zip(RECORDS[0], RECORDS[0], strict=True)), *RECORDS])
    return file.getvalue().encode()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", LINES),
        ("a.json", json.dumps(RECORDS).encode()),
        ("a.csv", table()),
        ("a.jsonl.gz", gzip.compress(LINES)),
        ("a.zip", zipped({"a.csv": table()})),
    ],
)
def test_records_are_counted_up_to_a_bound(tmp_path, name, content):
    path = write(tmp_path / name, content)
    found = extent(path, Fields(), 10**6)
    assert found.documents == len(RECORDS)
    assert found.size == pytest.approx(SIZE, rel=0.05)
    assert extent(path, Fields(), SIZE // 2).size == pytest.approx(SIZE / 2, rel=0.05)


def test_files_that_are_documents_are_not_opened(tmp_path):
    write(tmp_path / "news/a.pdf", b"no PDF")
    write(tmp_path / "news/b.txt", b"tea")
    assert extent(tmp_path / "news", Fields(), 1) == Extent(2, 9)


@pytest.mark.parametrize(
    "write",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"PK no archive"),
        lambda path: None,
        lambda path: path.write_bytes(gzip.compress(LINES)[:10]),
    ],
)
@pytest.mark.parametrize("name", ["a.zip", "a.parquet", "a.jsonl.gz"])
def test_what_cannot_be_looked_at_is_no_error(tmp_path, write, name):
    """Reading it says why."""
    write(tmp_path / name)
    assert extent(tmp_path / name, Fields(), 10**6).documents == 0
