"""Hidden files that a stranger planted under our names: what they lead to stays as it is."""

import os

import pytest

from outgroup.errors import OutputError
from outgroup.storage.atomic import new_file, new_folder, restore
from outgroup.storage.folders import locked, stage, work_folder

from .killed import KIND, fill

MOVE = "is a link, contains one, .*: move it away"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs links as POSIX has them")


@pytest.fixture
def mine(tmp_path):
    """Another result of the user, with a file of their own."""
    folder = fill(tmp_path / "mine", "mine")
    (folder / "lock").write_text("")
    return folder


@pytest.fixture
def target(tmp_path):
    (tmp_path / "stranger").mkdir()
    return tmp_path / "stranger" / "result"


def content(folder):
    return {each.relative_to(folder): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def write_folder(target):
    with new_folder(target, KIND, replace=True) as folder:
        (folder / "mark.json").write_text('{"format": "tiny"}')


def write_text(target):
    with new_file(target, replace=True) as file:
        file.write("new")


@pytest.mark.parametrize("write", [write_folder, write_text])
@pytest.mark.parametrize("name", ["", "lock", "filling", "former", ".parts-x", "former/deep", "filling/deep"])
@pytest.mark.parametrize("leads", ["folder", "file", "nowhere"])
def test_links_in_a_work_folder_stop_the_run(target, mine, write, name, leads):
    work = work_folder(target)
    link = work / name
    link.parent.mkdir(parents=True, exist_ok=True)
    if name:
        (work / "lock").touch()
        (work / name).unlink(missing_ok=True)
    link.symlink_to({"folder": mine, "file": mine / "text", "nowhere": mine / "new"}[leads])
    before = content(mine)
    with pytest.raises(OutputError, match=MOVE):
        write(target)
    assert not os.path.lexists(target)
    assert content(mine) == before
    assert link.is_symlink()


def test_a_linked_former_result_is_not_put_back(target, mine):
    work = work_folder(target)
    work.mkdir()
    (work / "lock").touch()
    (work / "former").symlink_to(mine)
    restore(target, KIND)
    assert not os.path.lexists(target)
    assert mine.is_dir()


@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize("name", ["", "lock", "stage.json", "stage.json.new", "blocks", "rows/terms", "run"])
@pytest.mark.parametrize("leads", ["folder", "file", "nowhere"])
def test_links_in_a_stage_stop_the_run(target, mine, name, resume, leads):
    folder = target.with_name(".result.outgroup-stage")
    if name:
        with pytest.raises(KeyboardInterrupt), stage(target, {}, resume=False):
            raise KeyboardInterrupt
    link = folder / name
    link.parent.mkdir(exist_ok=True)
    if name:
        link.unlink(missing_ok=True)
    link.symlink_to({"folder": mine, "file": mine / "text", "nowhere": mine / "new"}[leads])
    before = content(mine)
    with pytest.raises(OutputError, match=MOVE), stage(target, {}, resume=resume):
        raise AssertionError("it began")
    assert content(mine) == before
    assert link.is_symlink()


@pytest.mark.parametrize("leads", ["text", "new"])
def test_a_linked_lock_is_not_taken(target, mine, leads):
    with locked(target), pytest.raises(OutputError, match="another run is writing"), locked(target):
        raise AssertionError("it began")
    work = work_folder(target.with_name(f"{target.name}.lock"))
    work.mkdir()
    (work / "lock").symlink_to(mine / leads)
    before = content(mine)
    with pytest.raises(OutputError, match=MOVE), locked(target):
        raise AssertionError("it began")
    assert content(mine) == before
    assert os.listdir(target.parent) == [work.name]
