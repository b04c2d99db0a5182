"""Addresses: what is asked of a path, in words without credentials."""

import pickle
import sys
from pathlib import Path

import pytest

from outgroup.errors import CorpusError, InputError, MissingExtraError
from outgroup.places import place_of
from outgroup.readers.corpus import read_corpus

fsspec = pytest.importorskip("fsspec", reason="needs the extra distributed")


@pytest.fixture
def memory():
    """A file system in memory, empty; what is put there lies at memory://."""
    files = fsspec.filesystem("memory")
    files.store.clear()
    files.pseudo_dirs[:] = [""]
    yield files.pipe
    files.store.clear()


SECRET = [
    ("ftp://me:pa55@host/news/a.jsonl", "ftp://***@host/news/a.jsonl"),
    ("ftp://me:pa/5@5@host/a.jsonl", "ftp://***@host/a.jsonl"),
    ("ftp://t0ken@host:21/a.jsonl", "ftp://***@host:21/a.jsonl"),
    ("https://host/a.jsonl?key=pa55&b=1", "https://host/a.jsonl?***"),
    ("s3://bucket/what?pa55", "s3://bucket/what?***"),
    ("http://[::1]:8000/a.jsonl", "http://[::1]:8000/a.jsonl"),
    ("hf://datasets/me/x@main/a.jsonl", "hf://datasets/me/x@main/a.jsonl"),
    ("http://host:80/me@home.txt", "http://host:80/me@home.txt"),
]


@pytest.mark.parametrize(("url", "shown"), SECRET)
def test_the_text_of_an_address_has_no_credentials(url, shown):
    address = place_of(url)
    assert str(address) == shown
    assert repr(address) == f"Address({shown!r})"
    assert pickle.loads(pickle.dumps(address)).url == url  # workers need all of it


def test_paths_are_paths_and_file_addresses_too(tmp_path):
    assert place_of("news/a.jsonl") == Path("news/a.jsonl") == place_of(Path("news/a.jsonl"))
    assert place_of(f"file://{tmp_path}/a%20b") == tmp_path / "a b"
    with pytest.raises(InputError, match="nested addresses"):
        place_of("zip://a.jsonl::ftp://me:pa55@host/a.zip")
    with pytest.raises(InputError, match="nested addresses"):
        place_of("simplecache::ftp://me:pa55@host/a.jsonl")
    assert place_of("a::b.jsonl") == Path("a::b.jsonl")


def test_a_folder_is_listed_as_one_of_this_machine_is(memory, tmp_path):
    names = ["b.txt", "a/c.txt", "a-b.txt", ".hidden.txt", "a/.git/d.txt", "a/e/f?g@h.txt", "a/~$h.docx"]
    for name in names:
        memory(f"/news/{name}", b"tea and milk")
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"tea and milk")
    memory("/newspapers/g.txt", b"not below it")
    here, there = read_corpus(tmp_path), read_corpus("memory://news")
    assert there.ids == here.ids == ["a/c.txt", "a/e/f?g@h.txt", "a-b.txt", "b.txt"]
    assert (there.texts, there.titles, there.labels) == (here.texts, here.titles, here.labels)


def test_what_is_missing_is_told(memory, monkeypatch):
    with pytest.raises(CorpusError, match="such file or folder"):
        read_corpus("memory://gone.jsonl")
    with pytest.raises(CorpusError, match="Protocol not known"):
        read_corpus("unknown://x")
    for url, package in (("s3://bucket/x.jsonl", "s3fs"), ("hf://datasets/me/x/a.parquet", "huggingface_hub")):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(MissingExtraError, match=f"{url[:5]}.* requires a package .*{package}"):
            read_corpus(url)
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingExtraError, match=r"memory:// needs fsspec: pip install '\.\[distributed\]'"):
        read_corpus("memory://gone.jsonl")


class Telling(fsspec.AbstractFileSystem):
    """A file system that says all that it knows when it fails, as some do."""

    protocol = "telling"
    cachable = False

    @staticmethod
    def _get_kwargs_from_urls(url):
        return {"url": url}

    def __init__(self, url="", **more):
        super().__init__(**more)
        self.url = url

    def info(self, path, **more):
        if "missing" in path:
            raise FileNotFoundError(self.url) from PermissionError(f"401 for {self.url}")
        raise ValueError(f"403 of {self.url} (https://other/?key=pa55): no pa55, 'to%20ken' or 'to ken' of pa55@host")


@pytest.fixture
def telling():
    fsspec.register_implementation("telling", Telling, clobber=True)


@pytest.mark.parametrize(
    "url",
    [
        "telling://me:pa55@host/a.jsonl",
        "telling://pa55:@host/a.jsonl",
        "telling://host/a.jsonl?key=pa55&x=to%20ken",
        "telling://me:pa55@host/missing.jsonl",
        "telling://me:pa55 pa55@host/missing.jsonl",
    ],
)
def test_errors_have_no_credentials(telling, url):
    with pytest.raises(CorpusError, match=r"40[13] (of|for) telling://") as caught:
        read_corpus(url)
    error = caught.value
    while error is not None:
        assert "pa55" not in str(error)
        assert "?" not in url or "ken" not in str(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def test_two_colons_in_a_name_are_no_second_address(memory):
    """The file system in memory has no such names: the file is missing, and the other one is not read in its place."""
    memory("/d/a", b"first")
    with pytest.raises(OSError, match="a::b"):
        place_of("memory://d/a::b.txt").read_bytes()
