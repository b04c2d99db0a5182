"""A file in ranges of bytes: the documents, numbers and errors of the whole, wherever it is cut."""

import pytest

from outgroup.errors import CorpusError
from outgroup.readers.corpus import read_blocks
from outgroup.readers.fields import Fields
from outgroup.readers.ranges import cut, read_range

LINES = ['{"text": "tea"}', "", '{"text": "crème brûlée", "id": "a"}', '{"text": " "}', '{"title": "x"}', "  "] * 3


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return path


@pytest.mark.parametrize("size", [1, 20, 100, 10_000])
@pytest.mark.parametrize("mark", ["utf-8", "utf-8-sig"])
def test_ranges_are_the_whole(file, size, mark):
    file.write_text("\n".join(LINES), encoding=mark)
    (whole,) = read_blocks(file, Fields())
    parts = cut(file, size)
    assert [each.start for each in parts] == [0, *(each.stop for each in parts[:-1])]
    assert parts[-1].stop == file.stat().st_size
    found = [read_range(part, Fields())[0] for part in parts]
    assert [each for block in found for each in block.documents] == whole.documents
    assert [(each.where, each.reason) for block in found for each in block.skipped] == [
        (each.where, each.reason) for each in whole.skipped
    ]
    assert sum(block.n_items for block in found) == whole.n_items
    assert (len(parts) > 1) == (size < 300)


def test_a_wrong_line_has_its_number_in_the_file(file):
    with file.open("a") as stream:
        stream.write('\n{"text": "te')
    parts = cut(file, 50)
    with pytest.raises(CorpusError, match=rf"docs.jsonl, line {len(LINES) + 1}: invalid JSON"):
        read_range(parts[-1], Fields())
    assert str(parts[-1]) == f"{file} (from line {parts[-1].before + 1})"


def test_a_file_that_became_shorter_is_told(file):
    parts = cut(file, 100)
    file.write_bytes(file.read_bytes()[: parts[-1].start + 3])
    with pytest.raises(CorpusError, match="was truncated after"):
        read_range(parts[-1], Fields())


def test_what_cannot_be_cut(tmp_path):
    for name in ("docs.csv", "docs.jsonl.gz", "docs.json", "docs"):
        (tmp_path / name).write_text("{}\n")
        assert cut(tmp_path / name, 10) is None
    wide = tmp_path / "docs.jsonl"
    wide.write_text('{"text": "tea"}\n' * 9, encoding="utf-16")
    assert cut(wide, 10) is None
    with pytest.raises(CorpusError, match="such file"):
        cut(tmp_path / "missing.jsonl", 10)
    wide.write_text("")
    assert cut(wide, 10) == []


@pytest.fixture
def grouped(tmp_path):
    """A file of Parquet with four row groups of three rows and one of two, the 5th row without a text."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra io")
    import pyarrow

    said = [None if i == 4 else f"tea {i}" for i in range(14)]
    path = tmp_path / "docs.parquet"
    parquet.write_table(pyarrow.table({"text": said, "name": [f"d{i}" for i in range(14)]}), path, row_group_size=3)
    return path


@pytest.mark.parametrize(("size", "n"), [(1, 5), (10_000, 1)])
def test_row_groups_are_the_whole(grouped, size, n):
    (whole,) = read_blocks(grouped, Fields(id="name"))
    parts = cut(grouped, size)
    assert len(parts) == n
    found = [read_range(part, Fields(id="name"))[0] for part in parts]
    assert [each for block in found for each in block.documents] == whole.documents
    assert [each.where for block in found for each in block.skipped] == [each.where for each in whole.skipped]
    assert whole.skipped[0].where == "d4"
    assert str(parts[-1]) == f"{grouped} (from row {1 if n == 1 else 13})"
