"""Output folders that a marker identifies, and hidden work folders."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import get_ident
from typing import Any, Literal, TypedDict

from ..errors import ClusterError, FilesNote, InputError, OutputError
from .json_values import parse_json

# --- Files of our own: nothing is opened, filled or removed through a link

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)  # Windows lets few users make links
_BINARY = getattr(os, "O_BINARY", 0)


def is_own(folder: Path) -> bool:
    """Return whether a path is a folder of this user or of the owner of its parent, and holds only files and folders.

    Links do not qualify, at any depth.
    """
    try:
        status, parent = folder.lstat(), folder.parent.stat()
    except OSError:
        return False
    owners = {parent.st_uid, os.geteuid() if hasattr(os, "geteuid") else parent.st_uid}
    if not stat.S_ISDIR(status.st_mode) or status.st_uid not in owners:
        return False
    entries = (os.path.join(place, name) for place, folders, files in os.walk(folder) for name in (*folders, *files))
    return all(kind_of(path) in (0, stat.S_IFDIR, stat.S_IFREG) for path in entries)


def kind_of(path: str | os.PathLike[str]) -> int:
    """Return the kind of a file, such as `stat.S_IFREG`, without following links; 0 if it does not exist."""
    try:
        return stat.S_IFMT(os.lstat(path).st_mode)
    except OSError:
        return 0


def open_lock(path: Path, create: int = 0) -> int:
    """Open a lock file and return its descriptor; raise OSError for a link, or for a missing file without a flag
    `create`, such as `os.O_CREAT`.
    """
    return os.open(path, os.O_RDWR | _NO_FOLLOW | _BINARY | create, 0o600)


def write_file(path: Path, fill: Callable[[Any], Any]) -> None:
    """Call `fill` with a new binary file, and move the file to `path`; other processes may write the same path."""
    temporary = path.with_suffix(f".{os.getpid()}-{get_ident()}.new")
    temporary.unlink(missing_ok=True)  # of a killed process with the same number
    with temporary.open("xb") as file:
        fill(file)
    os.replace(temporary, path)


# --- Kinds of output folder


@dataclass(frozen=True)
class Kind:
    """A kind of folder: its `marker` file contains `format`, and it contains only files with these `names`.

    Names may be paths, such as "model/model.json"; `advice` is the hint for replacing one.
    """

    format: str
    marker: str
    names: frozenset[str]
    advice: str

    def check(self, path: Path, *, replace: bool) -> None:
        """Raise OutputError unless `path` is free, empty, or a replaceable folder of this kind."""
        check_parent(path)
        if not os.path.lexists(path) or _is_empty(path):
            return
        if not replace:
            raise OutputError(f"{path} exists; {self.advice}, or choose another path")
        if not self._is_marked(path):
            raise OutputError(f"{path} was not made by outgroup and is not replaced; choose another path")
        for foreign in self.strange(path):
            raise OutputError(
                f"{path} also contains {str(foreign.relative_to(path))!r}, which outgroup did not write: move it "
                "away, or choose another path"
            )

    def strange(self, folder: Path) -> Iterator[Path]:
        """Yield entries that do not belong to this kind, at any depth: unknown names, links, folders in place of
        files.
        """
        ours = {folder / name: stat.S_IFREG for name in self.names}
        ours |= {file.parent: stat.S_IFDIR for file in ours}
        for path in sorted(folder.rglob("*")):
            if kind_of(path) not in (ours.get(path), 0):  # 0: removed meanwhile by another run
                yield path

    def remove(self, folder: Path) -> None:
        """Delete the files of this kind; other files, links, and the folder that contains them stay."""
        files = [folder / name for name in self.names]
        for file in files:
            if _is_folder(folder) and _is_folder(file.parent) and _is_file(file):
                file.unlink(missing_ok=True)
        for parent in sorted({file.parent for file in files}, reverse=True):
            with suppress(OSError):
                parent.rmdir()

    def _is_marked(self, path: Path) -> bool:
        try:
            is_marked = _is_file(path / self.marker)
            return is_marked and parse_json((path / self.marker).read_bytes(), dict).get("format") == self.format
        except (OSError, ValueError):
            return False


def check_parent(path: Path) -> None:
    """Raise OutputError unless the parent folder of `path` is writable."""
    if not path.parent.is_dir():
        raise OutputError(f"the folder {path.parent} for {path.name} does not exist: create it first")
    if not os.access(path.parent, os.W_OK):
        raise OutputError(f"cannot write to {path.parent}: permission denied, or read-only; choose another path")
    with suppress(FileNotFoundError):
        path.lstat()  # a name that is too long, found before the work


def _is_empty(path: Path) -> bool:
    return _is_folder(path) and not any(path.iterdir())


def _is_file(path: Path) -> bool:
    return kind_of(path) == stat.S_IFREG


def _is_folder(path: Path) -> bool:
    return kind_of(path) == stat.S_IFDIR


# --- Hidden folders next to a result, locked by their process
#
# The system releases the lock when a process ends, so that an unlocked folder belongs to a killed run.

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

HIDDEN = ".outgroup-"  # name prefix of work folders
LOCK, FILLING, FORMER = "lock", "filling", "former"
PARTS = ".parts-"  # name prefix of the folders for parts of an unfinished file


@contextmanager
def held(folder: Path, target: Path) -> Iterator[None]:
    """Hold a hidden folder next to `target`, and remove it afterwards if it is empty.

    Raises OutputError if another run holds it, if it has links, which Outgroup does not make, or is of another user.
    """
    if os.path.lexists(folder) and not is_own(folder):
        raise OutputError(f"{folder} is a link, contains one, or belongs to another user: move it away")
    try:
        folder.mkdir(exist_ok=True)
        lock = _locked(folder / LOCK, target)
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write {folder}: {error.strerror}; choose another path") from error
    try:
        yield
    finally:
        steps = (partial(os.unlink, folder / LOCK), partial(os.close, lock), partial(os.rmdir, folder))
        for step in steps if sys.platform != "win32" else (steps[1], steps[0], steps[2]):  # removes no open file
            with suppress(OSError):
                step()


def _locked(path: Path, target: Path) -> int:
    """Lock a file and return its descriptor; raise OutputError if another run holds it."""
    advice = "wait until it ends, or choose another path"
    try:
        lock, is_held = open_lock(path, os.O_CREAT | os.O_EXCL), True
    except FileExistsError:
        lock, is_held = open_lock(path, os.O_CREAT), False
    try:
        is_held = take_lock(lock)
    except OSError:  # a file system without locks: the run that created the file holds it
        advice = f"{advice}; if it was killed, delete {path}"
    with suppress(OSError):
        if is_held and os.path.samestat(path.stat(), os.fstat(lock)):  # no other run removed it meanwhile
            return lock
    os.close(lock)
    raise OutputError(f"another run is writing {target}: {advice}")


def take_lock(lock: int) -> bool:
    """Lock an open file; return False if another process holds the lock; raise OSError if locks are unsupported."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


# --- Work folders: `filling` is an unfinished result, `former` the earlier one during a replacement


def work_folder(target: Path) -> Path:
    """Return the path of the work folder; hashed, because the name of the target may be too long."""
    return target.with_name(f"{HIDDEN}{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:12]}")


@contextmanager
def working(target: Path, remove: Callable[[Path], object] | None = None) -> Iterator[Path]:
    """Yield the work folder of `target`, and clear it before and after the block.

    A killed run may have left the only result there: then it is put back. `remove` deletes an earlier result, except
    foreign files. Raises OutputError as `held`.
    """
    folder = work_folder(target)
    with held(folder, target):
        _clear(folder, target, remove)
        if kind_of(folder / FORMER):
            why = "contains other files" if os.path.lexists(target) else "could not be put back"
            raise OutputError(f"{folder / FORMER} is an earlier result that {why}: move or delete it")
        try:
            yield folder
        finally:
            _clear(folder, target, remove)


@contextmanager
def locked(target: Path) -> Iterator[None]:
    """Hold the file `target`; raise OutputError if another run holds it."""
    check_parent(target)
    with held(work_folder(target.with_name(f"{target.name}.lock")), target):
        yield


def _clear(folder: Path, target: Path, remove: Callable[[Path], object] | None) -> None:
    former = folder / FORMER
    with suppress(OSError):
        if not os.path.lexists(target):
            former.rename(target)  # the run was killed between two renames
        elif remove is not None:
            remove(former)
    for path in (folder / FILLING, *folder.glob(f"{PARTS}*")):
        with suppress(OSError):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


# --- Stage folders: a killed run can be resumed from one

FORMAT, MARKER = "outgroup-stage", "stage.json"
_NEW = "stage.*.new"  # a marker that a killed run left


@contextmanager
def stage(target: Path, about: dict[str, Any], *, resume: bool) -> Iterator[Path]:
    """Yield the stage folder of `target`; it is removed on success and after InputError, else kept for --resume.

    After a kill, an interrupt or a full disk it stays, and the next run of `target` continues in it with `resume`, or
    else clears it. Raises InputError if `resume` is set and a value in `about` differs from that of the earlier run,
    and OutputError if another run uses the folder, or it cannot be written.
    """
    folder = target.with_name(f".{target.name}.outgroup-stage")
    with held(folder, target):
        _prepare(folder, about, resume=resume)
        try:
            yield folder
        except InputError:
            _remove(folder)
            raise
        except ClusterError as error:
            raise ClusterError(f"{error}; run again with --resume to continue, or remove {folder}") from error
        except OSError as error:
            own = isinstance(error, OutputError)
            problem = error if own else f"cannot write to {folder}: {error.strerror or error}"
            raise OutputError(
                f"{problem}; free disk space and run again with --resume to continue, or remove {folder}"
            ) from error
        except KeyboardInterrupt as interrupt:
            interrupt.add_note(FilesNote(f"run again with --resume to continue, or remove {folder}"))
            raise
        _remove(folder)


def _prepare(folder: Path, about: dict[str, Any], *, resume: bool) -> None:
    """Prepare the stage folder: keep its content to resume, else empty it."""
    earlier = _read(folder)
    if resume and earlier:
        for name in sorted(earlier.keys() | about.keys()):
            if earlier.get(name) != about.get(name):
                raise InputError(
                    f"--resume: {name} was {earlier.get(name)!r:.60} in the interrupted run, but is "
                    f"{about.get(name)!r:.60} now: give the earlier value, or omit --resume to start again"
                )
        return
    names = [path.name for path in folder.iterdir() if path.name != LOCK and not path.match(_NEW)]
    if earlier is None and names:
        raise OutputError(f"{folder} contains {names[0]!r:.60}, which outgroup did not write: move it away")
    _clear_stage(folder)
    _mark(folder, about)


class StageRecord(TypedDict):
    """The fields of the marker of a stage folder."""

    format: Literal["outgroup-stage"]
    about: dict[str, Any]


def _mark(folder: Path, about: dict[str, Any]) -> None:
    content = json.dumps({"format": FORMAT, "about": about}).encode()
    write_file(folder / MARKER, lambda file: file.write(content))


def _clear_stage(folder: Path) -> None:
    """Empty a stage folder; the marker stays, so that an interruption leaves a valid stage."""
    _mark(folder, {})
    for path in folder.iterdir():
        if path.name not in (LOCK, MARKER):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _remove(folder: Path) -> None:
    with suppress(OSError):
        _clear_stage(folder)
        (folder / MARKER).unlink(missing_ok=True)


def _read(folder: Path) -> dict[str, Any] | None:
    try:
        return dict(parse_json((folder / MARKER).read_bytes(), StageRecord)["about"])
    except (OSError, ValueError):
        return None
