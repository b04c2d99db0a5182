"""Results are put in their place as a whole, or not at all."""

# ruff: noqa: PT012  # what is filled, and what comes meanwhile, is the block's body

import os
from contextlib import contextmanager
from pathlib import Path

import pytest

from outgroup.errors import OutputError
from outgroup.storage import folders
from outgroup.storage.atomic import new_file, new_folder, restore
from outgroup.storage.folders import Kind, working

from .killed import KIND, fill

POSIX = pytest.mark.skipif(os.name != "posix", reason="needs locks that end with their holder, as POSIX has them")


@pytest.fixture
def target(tmp_path):
    return tmp_path / "result"


def write(target, value="new", **options):
    with new_folder(target, KIND, **options) as folder:
        fill(folder, value)


def left(target):
    """What lies beside a target."""
    return sorted(set(os.listdir(target.parent)) - {target.name})


def test_a_folder_is_there_when_it_is_done_and_hidden_until_then(target):
    with new_folder(target, KIND) as folder:
        assert not target.exists()
        assert len(left(target)) == 1
        assert left(target)[0].startswith(".outgroup-")
        fill(folder, "new")
    assert (target / "deep" / "deeper").read_text() == "new"
    assert left(target) == []


def test_a_folder_is_replaced_as_a_whole(target):
    write(target, "old")
    (target / "text").unlink()
    write(target, "new", replace=True)
    assert (target / "text").read_text() == "new"
    assert left(target) == []
    with pytest.raises(OutputError, match="exists; say please"), new_folder(target, KIND):
        pytest.fail("began")


@pytest.mark.parametrize("place", [".", "deep"])
def test_what_a_user_puts_there_meanwhile_stops_it_and_stays(target, place):
    write(target, "old")
    with pytest.raises(OutputError, match="mine"), new_folder(target, KIND, replace=True) as folder:
        fill(folder, "new")
        (target / place / "mine").write_text("mine")
    assert (target / place / "mine").read_text() == "mine"
    assert (target / "text").read_text() == "old"
    assert left(target) == []


def test_what_comes_between_the_last_look_and_the_rename_is_put_back(target, monkeypatch):
    write(target, "old")
    check = Kind.check

    def late(kind, path, *, replace):
        check(kind, path, replace=replace)
        if path == target:
            (target / "mine").write_text("mine")

    with pytest.raises(OutputError, match="mine"), new_folder(target, KIND, replace=True) as folder:
        fill(folder, "new")
        monkeypatch.setattr(Kind, "check", late)
    assert (target / "mine").read_text() == "mine"
    assert (target / "text").read_text() == "old"
    assert left(target) == []


def test_an_error_of_another_file_is_not_one_of_writing(target):
    with pytest.raises(FileNotFoundError), new_folder(target, KIND):
        (Path("/nowhere") / "else").read_text()
    missing = r"cannot write .*No such file.*; nothing was written"
    with pytest.raises(OutputError, match=missing), new_folder(target, KIND) as folder:
        (folder / "not" / "there").write_text("x")
    with pytest.raises(OutputError, match=r"cannot write .*; nothing was written"), new_folder(target, KIND):
        raise OSError(28, "No space left on device")
    assert left(target) == []
    assert not target.exists()


@contextmanager
def dead(target, former=None, filling=None):
    """A work folder that nobody holds."""
    with working(target, KIND.remove) as folder:
        pass
    folder.mkdir()
    (folder / folders.LOCK).touch()
    for name, value in ((folders.FORMER, former), (folders.FILLING, filling)):
        if value is not None:
            fill(folder / name, value)
    yield folder


@POSIX
def test_a_killed_run_that_left_no_result_has_it_put_back(target):
    with dead(target, former="old", filling="half"):
        restore(target, KIND)
    assert (target / "text").read_text() == "old"
    assert left(target) == []
    with dead(target, former="older"):
        restore(target, KIND)
        assert len(left(target)) == 1  # there is a result: reading it clears nothing
    with pytest.raises(OutputError, match="exists"):
        write(target)
    assert left(target) == []


@POSIX
def test_the_only_result_stays_while_it_cannot_be_put_back(target, monkeypatch):
    def fails(*_):
        raise PermissionError("rename")

    with dead(target, former="old", filling="half") as folder:
        monkeypatch.setattr(Path, "rename", fails)
        restore(target, KIND)
        with pytest.raises(OutputError, match="could not be put back"):
            write(target)
        assert (folder / folders.FORMER / "text").read_text() == "old"
        monkeypatch.undo()
        restore(target, KIND)
    assert (target / "text").read_text() == "old"
    assert left(target) == []


def test_a_second_run_is_refused_without_locks_until_the_lock_file_is_deleted(target, monkeypatch):
    def fails(_):
        raise OSError("locks are not supported")

    monkeypatch.setattr(folders, "take_lock", fails)
    with working(target) as folder:
        (folder / folders.FILLING).mkdir()
        fill(folder / folders.FILLING, "half")
        with pytest.raises(OutputError, match=r"another run is writing .* delete .*lock"):
            write(target)
        assert (folder / folders.FILLING / "text").read_text() == "half"
    folder.mkdir()
    (folder / folders.LOCK).touch()  # as a killed run leaves it
    with pytest.raises(OutputError, match="another run is writing"):
        write(target)
    (folder / folders.LOCK).unlink()
    write(target)
    assert left(target) == []


@POSIX
def test_what_a_running_one_has_is_not_cleared(target):
    with working(target, KIND.remove) as folder:
        fill(folder / folders.FORMER, "old")
        restore(target, KIND)
        assert not target.exists()
        assert sorted(os.listdir(folder)) == ["former", "lock"]
    assert (target / "text").read_text() == "old"
    assert left(target) == []


@POSIX
def test_an_earlier_result_with_a_file_of_the_user_is_never_removed(target):
    write(target, "new")
    with dead(target, former="old") as folder:
        (folder / folders.FORMER / "mine").touch()
    for _ in range(2):
        with pytest.raises(OutputError, match="former is an earlier result that contains other files"):
            write(target, "newest", replace=True)
    assert (folder / folders.FORMER / "mine").exists()
    assert (target / "text").read_text() == "new"


def test_only_a_file_of_ours_is_replaced(target):
    target.write_text("old")
    with pytest.raises(OutputError, match="exists; give replace=True"), new_file(target):
        pytest.fail("began")
    with pytest.raises(OutputError, match="made by outgroup"), new_file(target, replace=True, ours=lambda _: False):
        pytest.fail("began")
    with new_file(target, replace=True, ours=lambda path: path == target) as file:
        file.write("new")
    assert target.read_text() == "new"
    target.unlink()
    target.mkdir()
    with pytest.raises(OutputError, match="exists"), new_file(target, replace=True):
        pytest.fail("began")


@pytest.mark.parametrize("replace", [True, False])
def test_a_file_that_came_meanwhile_stays(target, replace):
    with pytest.raises(OutputError), new_file(target, replace=replace, ours=lambda _: False) as file:
        file.write("late")
        target.write_text("first")
    assert target.read_text() == "first"
    assert left(target) == []


@POSIX
def test_a_file_that_stands_is_never_put_back_over(target):
    target.write_text("new")
    with dead(target) as folder:
        (folder / folders.FORMER).write_text("old")
        with pytest.raises(OutputError, match="move or delete it"), new_file(target, replace=True):
            pytest.fail("began")
    assert target.read_text() == "new"


@pytest.mark.parametrize("make", [lambda path: (path / "mine").mkdir(parents=True), Path.touch, Path.symlink_to])
def test_what_came_meanwhile_is_never_replaced(target, make):
    with pytest.raises(OutputError, match="exists"), new_folder(target, KIND) as folder:
        fill(folder, "new")
        make(target, "nowhere") if make is Path.symlink_to else make(target)
    assert os.path.lexists(target)
    assert not (target / "text").exists()
