"""The folder that a long run works in: gone when it ends well, gone on with after a kill, and nobody else's."""

import json
import os
import stat

import pytest

from outgroup.errors import InputError, OutputError
from outgroup.storage import folders as module
from outgroup.storage.folders import stage

ABOUT = {"documents": "a.jsonl", "k": 3}
POSIX = pytest.mark.skipif(os.name != "posix", reason="needs locks as POSIX has them")


@pytest.fixture
def target(tmp_path):
    return tmp_path / "result"


def run(target, about=ABOUT, *, resume=False, end=AssertionError):
    """A run that writes a file and a folder, and ends with an error."""
    with stage(target, about, resume=resume) as folder:
        (folder / "part").write_text("half")
        (folder / "parts").mkdir(exist_ok=True)
        (folder / "parts" / "one").write_text("half")
        raise end


def interrupted(target):
    """Stop a run with Ctrl-C and return its work folder."""
    with pytest.raises(KeyboardInterrupt) as caught:
        run(target, end=KeyboardInterrupt)
    folder = target.with_name(".result.outgroup-stage")
    assert caught.value.__notes__ == [f"run again with --resume to continue, or remove {folder}"]
    return folder


def test_a_run_that_ends_well_leaves_nothing(target):
    with stage(target, ABOUT, resume=False) as folder:
        assert folder.parent == target.parent
        assert sorted(os.listdir(folder)) == ["lock", "stage.json"]
        assert json.loads((folder / "stage.json").read_bytes()) == {"format": "outgroup-stage", "about": ABOUT}
        (folder / "part").write_text("whole")
    assert os.listdir(target.parent) == []


def test_what_was_done_is_gone_on_with_or_begun_anew(target):
    folder = interrupted(target)
    with stage(target, dict(reversed(ABOUT.items())), resume=True) as again:
        assert again == folder
        assert (again / "part").read_text() == (again / "parts" / "one").read_text() == "half"
    interrupted(target)
    with stage(target, {"k": 4}, resume=False) as anew:
        assert sorted(os.listdir(anew)) == ["lock", "stage.json"]
        assert json.loads((anew / "stage.json").read_bytes())["about"] == {"k": 4}
    with stage(target, ABOUT, resume=True) as first:  # nothing to go on with
        assert sorted(os.listdir(first)) == ["lock", "stage.json"]


@pytest.mark.parametrize("about", [{"documents": "a.jsonl", "k": 4}, {"documents": "a.jsonl"}, {**ABOUT, "l": 1}])
def test_a_run_of_something_else_does_not_go_on_and_changes_nothing(target, about):
    folder = interrupted(target)
    name = "l" if "l" in about else "k"
    said = f"{name} was {ABOUT.get(name)!r} in the interrupted run, but is {about.get(name)!r} now"
    with pytest.raises(InputError, match=said):
        run(target, about, resume=True)
    assert (folder / "part").read_text() == "half"


@pytest.mark.parametrize("mark", [None, "{", "[]", "{}", '{"format": "other", "about": {}}', '{"about": {}}'])
@pytest.mark.parametrize("resume", [False, True])
def test_what_is_not_ours_stops_it_and_stays(target, mark, resume):
    folder = target.with_name(".result.outgroup-stage")
    folder.mkdir()
    name = "mine" if mark is None else "stage.json"
    (folder / name).write_text(mark or "mine")
    with pytest.raises(OutputError, match=f"contains '{name}', which outgroup did not write: move it away"):
        run(target, resume=resume)
    assert (folder / name).read_text() == (mark or "mine")


@POSIX
def test_two_runs_are_not_in_it_at_once(target):
    with stage(target, ABOUT, resume=False) as folder:
        assert stat.S_IMODE((folder / "lock").stat().st_mode) == 0o600
        (folder / "part").write_text("half")
        with pytest.raises(OutputError, match=f"another run is writing {target}: wait until it ends"):
            run(target)
        assert (folder / "part").read_text() == "half"


@POSIX
def test_the_end_of_a_run_leaves_the_lock_of_another(target, monkeypatch):
    began, original = [], module.os.rmdir

    def rmdir(path, **more):  # another run takes the folder before the last step of this one
        if not began and os.path.basename(path) == ".result.outgroup-stage":
            began.append(stage(target, ABOUT, resume=False))
            began[0].__enter__()
        original(path, **more)

    monkeypatch.setattr(module.os, "rmdir", rmdir)
    with stage(target, ABOUT, resume=False):
        pass
    with pytest.raises(OutputError, match="another run is writing"):
        run(target)
    began[0].__exit__(None, None, None)
    assert os.listdir(target.parent) == []


@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize("deleted", [0, 1])
def test_a_kill_while_the_folder_is_cleared_leaves_one_to_begin_anew(target, monkeypatch, resume, deleted):
    (interrupted(target) / "more").mkdir()
    left, original = iter(range(deleted)), module.shutil.rmtree

    def remove(path, *given, **more):
        if next(left, None) is None:
            raise SystemExit  # as a kill would
        original(path, *given, **more)

    monkeypatch.setattr(module.shutil, "rmtree", remove)
    with pytest.raises(SystemExit), stage(target, ABOUT, resume=True):
        pass
    monkeypatch.undo()
    with stage(target, ABOUT, resume=resume) as again:
        assert sorted(os.listdir(again)) == ["lock", "stage.json"]
    assert os.listdir(target.parent) == []
