"""What in a folder is Outgroup's, at any depth, and what of it is deleted."""

import os
from pathlib import Path

import pytest

from outgroup.errors import OutputError
from outgroup.storage.folders import check_parent

from .killed import KIND, fill

POSIX = pytest.mark.skipif(os.name != "posix", reason="needs links and pipes as POSIX has them")


@pytest.fixture
def made(tmp_path):
    """A whole folder of the kind."""
    return fill(tmp_path / "made", "ours")


def message(path):
    with pytest.raises(OutputError) as caught:
        KIND.check(path, replace=True)
    return str(caught.value)


@pytest.mark.parametrize("mark", ['{"format": "huge"}', "[]", "tiny", "[" * 100_000, None])
def test_a_folder_with_another_mark_is_somebody_elses(made, mark):
    (made / "mark.json").unlink() if mark is None else (made / "mark.json").write_text(mark)
    assert "made by outgroup" in message(made)


@POSIX
def test_a_mark_that_is_a_link_or_a_pipe_is_none(made):
    (made / "mark.json").rename(made.parent / "mark.json")
    (made / "mark.json").symlink_to(made.parent / "mark.json")
    assert "made by outgroup" in message(made)
    (made / "mark.json").unlink()
    os.mkfifo(made / "mark.json")
    assert "made by outgroup" in message(made)


def strangers(made):
    """Ways to put something of a user's into the folder, and what is to be named."""
    return {
        "mine": lambda: (made / "mine").write_text("x"),
        str(Path("deep", "mine")): lambda: (made / "deep" / "mine").write_text("x"),
        "deeper": lambda: (made / "deeper").write_text("x"),
        "inner": lambda: (made / "inner").mkdir(),
        "text": lambda: ((made / "text").unlink(), (made / "text").mkdir()),
    }


@pytest.mark.parametrize("name", list(strangers(Path())))
def test_a_stranger_at_any_depth_stops_it_and_stays(made, name):
    strangers(made)[name]()
    assert f"also contains {name!r}, which outgroup did not write" in message(made)
    assert [str(path.relative_to(made)) for path in KIND.strange(made)] == [name]
    KIND.remove(made)
    assert (made / name).exists()
    assert not (made / "mark.json").exists()
    assert not (made / "deep" / "deeper").exists()


@POSIX
@pytest.mark.parametrize("name", ["text", "deep"])
def test_links_are_not_followed(made, name):
    outside = made.parent / "outside"
    outside.mkdir()
    for inner in ("deeper", "text"):
        (outside / inner).write_text("mine")
    if name == "text":
        (made / "text").unlink()
        (made / "text").symlink_to(outside / "text")
    else:
        (made / "deep" / "deeper").unlink()
        (made / "deep").rmdir()
        (made / "deep").symlink_to(outside)
    assert f"also contains {name!r}" in message(made)
    KIND.remove(made)
    assert (made / name).is_symlink()
    assert sorted(os.listdir(outside)) == ["deeper", "text"]


def test_a_place_without_a_folder_around_it_is_named(tmp_path, monkeypatch):
    with pytest.raises(OutputError, match="does not exist: create it first"):
        check_parent(tmp_path / "none" / "it")
    with pytest.raises(OSError, match="name too long"):
        check_parent(tmp_path / ("a" * 300))
    monkeypatch.setattr(os, "access", lambda path, mode: (path, mode) != (tmp_path, os.W_OK))
    with pytest.raises(OutputError, match=r"cannot write to .*: permission denied.*; choose another path"):
        check_parent(tmp_path / "it")
