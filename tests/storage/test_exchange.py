"""Renames in one step, with the system's help and without."""

import errno
import os

import pytest

from outgroup.storage import atomic as renames
from outgroup.storage.atomic import exchange, move


@pytest.fixture
def two(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    return tmp_path / "one", tmp_path / "other"


@pytest.fixture(params=["system", "plain", "refused"])
def system(request, monkeypatch):
    """What renames with a flag: this system, none, or one that knows it and a file system that does not."""
    if request.param == "plain":
        monkeypatch.setattr(renames, "_renameat2", lambda: None)
    if request.param == "refused":
        monkeypatch.setattr(renames, "_renameat2", lambda: lambda *_: -1)
        monkeypatch.setattr(renames.ctypes, "get_errno", lambda: errno.EINVAL)
    return request.param


def test_two_paths_change_places_or_nothing_happens(two, system):
    one, other = two
    done = exchange(one, other)
    if system != "system":
        assert not done
    assert (one / "file").read_text() == ("other" if done else "one")
    assert (other / "file").read_text() == ("one" if done else "other")


@pytest.mark.parametrize("kind", ["folder", "empty", "file", "link"])
def test_what_stands_there_is_never_replaced(two, system, kind):
    one, other = two
    if kind != "folder":
        (other / "file").unlink()
    if kind in ("file", "link"):
        other.rmdir()
        other.write_text("mine") if kind == "file" else other.symlink_to("nowhere")
    with pytest.raises(FileExistsError, match="File exists") as caught:
        move(one, other)
    assert caught.value.errno == errno.EEXIST
    assert str(other) in (caught.value.filename, caught.value.filename2)
    assert (one / "file").read_text() == "one"
    assert os.path.lexists(other)
