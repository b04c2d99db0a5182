"""A file in ranges of bytes: the documents, numbers and errors of the whole, wherever it is cut."""

import json

import pytest

from outgroup.errors import CorpusError
from outgroup.text.reading.blocks import read_blocks
from outgroup.text.reading.fields import Fields
from outgroup.text.reading.ranges import cut, read_range, require_any

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
    with pytest.raises(CorpusError, match=rf"docs.jsonl, line {len(LINES) + 1}: wrong JSON"):
        read_range(parts[-1], Fields())
    assert str(parts[-1]) == f"{file} (from line {parts[-1].before + 1})"


def test_a_field_may_be_in_another_range(tmp_path):
    path = tmp_path / "docs.jsonl"
    path.write_text("".join(json.dumps({"text": "tea", "a": 1} if i < 5 else {"text": "tea"}) + "\n" for i in range(9)))
    fields = Fields(id="a")
    known = [read_range(part, fields)[1] for part in cut(path, 40)]
    assert known[0] is None
    assert known[-1] == ["text"]
    require_any(known, fields, str(path))
    with pytest.raises(CorpusError, match=r"docs.jsonl: no field 'a' for the id; the fields are 'text'"):
        require_any(known[-1:], fields, str(path))


def test_fields_of_different_ranges_count_together():
    fields = Fields(id="a", title="b")
    require_any([["text", "a"], ["text", "b"]], fields, "docs")
    with pytest.raises(CorpusError, match="no field 'b' for the title"):
        require_any([["text", "a"], ["text"]], fields, "docs")


def test_a_file_that_became_shorter_is_told(file):
    parts = cut(file, 100)
    file.write_bytes(file.read_bytes()[: parts[-1].start + 3])
    with pytest.raises(CorpusError, match=r"docs.jsonl: cannot be read: it has become shorter"):
        read_range(parts[-1], Fields())


def test_what_cannot_be_cut(tmp_path):
    for name in ("docs.csv", "docs.jsonl.gz", "docs.json", "docs"):
        (tmp_path / name).write_text("{}\n")
        assert cut(tmp_path / name, 10) is None
    wide = tmp_path / "docs.jsonl"
    wide.write_text('{"text": "tea"}\n' * 9, encoding="utf-16")
    assert cut(wide, 10) is None
    with pytest.raises(CorpusError, match=r"missing.jsonl: cannot be read: No such file"):
        cut(tmp_path / "missing.jsonl", 10)
    wide.write_text("")
    assert cut(wide, 10) == []
