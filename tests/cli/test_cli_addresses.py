"""Documents at an address on the command line: no credentials in files or words, and the result lies here."""

import pytest
from commands import loaded, printed, records

from ..collection.test_large import texts

local = pytest.importorskip("fsspec.implementations.local", reason="needs the extra distributed")


class Asking(local.LocalFileSystem):
    """Files of this machine behind a user, a password and a token, such as FTP and signed addresses have."""

    protocol = "asking"

    @classmethod
    def _strip_protocol(cls, path):
        return "/" + str(path).partition("@host/")[2].partition("?")[0] if "@host/" in str(path) else str(path)

    @staticmethod
    def _get_kwargs_from_urls(url):
        assert ("pa55w0rd" in url, "t0ken" in url) == (True, True)
        return {}


@pytest.fixture
def address(tmp_path):
    import fsspec

    fsspec.register_implementation("asking", Asking, clobber=True)
    records("docs.jsonl", texts())
    records("junk.jsonl", ["bread rails prize winner"] * 9)
    return f"asking://me:pa55w0rd@host{tmp_path}/docs.jsonl?key=t0ken"


@pytest.mark.parametrize("more", [(), ("--memory", "310M")])
def test_no_credentials_come_out(address, tmp_path, monkeypatch, more):
    monkeypatch.setattr("outgroup.cli.memory._at_once", lambda settings: None if more else 0)
    said = printed("cluster", address, "-k", 2, "--universum", address.replace("docs.", "junk."), *more)
    record = loaded(tmp_path / "docs-clusters" / "run.json")
    assert ("files" in record) == bool(more)
    assert record["source"].startswith("asking://***@host/")
    said += printed("assign", "docs-clusters", address)
    said += printed("cluster", address.replace("docs.jsonl", "gone.jsonl"), *more, code=2)
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    for secret in ("pa55w0rd", "t0ken"):
        assert secret not in said
        assert not any(secret.encode() in each for each in written)


@pytest.mark.parametrize("name", ["--embeddings", "--steer"])
def test_only_documents_are_read_at_an_address(address, name):
    said = printed("cluster", address, "-k", 2, name, "s3://me:5ecret@bucket/v.npy", code=2)
    assert "a local path." in " ".join(said.replace("│", " ").split())
    assert "5ecret" not in said


def test_off_topic_examples_at_an_address_are_asked_for_where_they_are_given_alone(address, tmp_path, monkeypatch):
    junk = address.replace("docs.", "junk.")
    printed("cluster", address, "-k", 2, "--universum", junk, "--quick")
    told = loaded(tmp_path / "docs-clusters" / "run.json")["next"]
    assert "--steer steering.toml --out" in told
    monkeypatch.setattr(Asking, "info", None)  # nobody asks
    said = printed("cluster", "docs.jsonl", "--from", "docs-clusters", "--out", "later", code=2)
    assert "off-topic examples asking://***@host/" in said
    assert "give --universum" in said
