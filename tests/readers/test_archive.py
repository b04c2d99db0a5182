"""Archives: a folder's files or one file of records, and what hostile ones try."""

import io
import json
import zipfile

import pytest
from factories import skipped, zipped

from outgroup.errors import CorpusError
from outgroup.readers.corpus import read_corpus
from outgroup.readers.documents import LIMITS


def read(tmp_path, members, **options):
    (tmp_path / "a.zip").write_bytes(members if isinstance(members, bytes) else zipped(members))
    return read_corpus(tmp_path / "a.zip", **options)


def test_files_are_read_as_those_of_a_folder(tmp_path):
    members = {
        "b/milk.txt": "Milk",
        "a/tea.html": "<title>Tea</title><p>Green",
        "a/m.eml": "Subject: Mail\n\nBread",
        "a/box.mbox": "From x\nSubject: One\n\nButter\n\nFrom y\nSubject: Two\n\nJam\n",
        "__MACOSX/a/._tea.html": "junk",
        ".hidden/x.txt": "junk",
        "a/~$tea.docx": "junk",
        "song.mp3": "la",
        "inner.zip": zipped({"c.txt": "Cocoa"}),
        "table.csv": "text\nTea\n",
    }
    corpus = read(tmp_path, members)
    folder = tmp_path / "folder"
    with zipfile.ZipFile(tmp_path / "a.zip") as files:
        files.extractall(folder)
    assert corpus.ids == ["a/box.mbox#1", "a/box.mbox#2", "a/m.eml", "a/tea.html", "b/milk.txt"]
    assert corpus.labels == ["a", "a", "a", "a", "b"]
    assert list(skipped(corpus)) == ["inner.zip", "song.mp3", "table.csv"]
    for part in ("__MACOSX", "__MACOSX/a"):
        assert (folder / part).is_dir()
    (folder / "__MACOSX/a/._tea.html").unlink()
    assert read_corpus(folder) == corpus


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("data/a.csv", "text;n\nTea;1\nMilk;2\n"),
        ("a.jsonl", '{"text": "Tea", "n": 1}\n{"text": "Milk", "n": 2}\n'),
        ("a.json", json.dumps([{"text": "Tea", "n": 1}, {"text": "Milk", "n": 2}])),
    ],
)
def test_the_only_file_of_records_is_read(tmp_path, name, content):
    corpus = read(tmp_path, {name: content})
    assert (corpus.texts, corpus.columns) == (["Tea", "Milk"], {"n": ["1", "2"]})
    with pytest.raises(CorpusError, match=rf"a\.zip: {name}: no field 'body'"):
        read(tmp_path, {name: content}, text="body")


def test_names_are_never_paths(tmp_path):
    corpus = read(tmp_path, {"../../etc/passwd.txt": "Tea", "/root.txt": "Milk", "C:\\x.txt": "Cocoa"})
    assert sorted(corpus.texts) == ["Cocoa", "Milk", "Tea"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zip"]


def test_links_and_locked_files_are_named(tmp_path):
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as made:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = 0o120777 << 16
        made.writestr(link, "/etc/passwd")
        made.writestr("a.txt", "Tea")
        made.writestr("b.txt", "Milk")
    locked = bytearray(raw.getvalue())
    for mark, flags in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        at = locked.rfind(mark)
        locked[at + flags] |= 1
    corpus = read(tmp_path, bytes(locked))
    assert corpus.texts == ["Tea"]
    assert skipped(corpus) == {"link.txt": "a link, not followed", "b.txt": "locked by a password"}


def test_bombs_are_refused_before_they_are_unpacked(tmp_path, monkeypatch):
    monkeypatch.setitem(vars(LIMITS), "unpacked", 1_000_000)
    with pytest.raises(CorpusError, match="more than 200 times"):
        read(tmp_path, {"a.txt": bytes(60_000_000)})
    monkeypatch.setitem(vars(LIMITS), "unpacked", 1_000_000_000)
    corpus = read(tmp_path, {"a.txt": " " * 60_000_000, "b.txt": "Tea"})
    assert skipped(corpus) == {"a.txt": "larger than 50 MB, too large for one document"}
    monkeypatch.setitem(vars(LIMITS), "office_directory", 1000)
    with pytest.raises(CorpusError, match="too many files"):
        read(tmp_path, {f"{i}.txt": "Tea" for i in range(100)})


def test_damage_is_named(tmp_path):
    whole = zipped({"a.txt": "Tea " * 50, "b.txt": "Milk"}, zipfile.ZIP_STORED)
    for raw in (whole[:-10], b"PK\x03\x04", b""):
        with pytest.raises(CorpusError, match="it is damaged, or has another format"):
            read(tmp_path, raw)
    corpus = read(tmp_path, whole.replace(b"Tea Tea", b"Tee Tee", 1))
    assert corpus.texts == ["Milk"]
    assert "damaged or truncated" in skipped(corpus)["a.txt"]
