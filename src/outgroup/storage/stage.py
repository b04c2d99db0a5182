"""The work folder of a run that a kill leaves for the next one: hidden beside the result, locked while in use."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..errors import ClusterError, FilesNote, InputError, OutputError
from .json_values import parse_json
from .work import LOCK, take_lock

FORMAT, MARKER = "outgroup-stage", "stage.json"
_NEW = f"{MARKER}.new"


@contextmanager
def stage(target: Path, about: dict[str, Any], *, resume: bool) -> Iterator[Path]:
    """Give the work folder of the result `target`, gone when the block ends well, or ends for what was given.

    After a kill, an interrupt or a full disk it stays for the next run of `target`: with `resume` that one goes on
    in it, if it is `about` the same, and else it clears it and begins anew. Raises InputError where it is about
    something else, naming what, and OutputError where another run is at work in it or it cannot be written.
    """
    folder = target.with_name(f".{target.name}.outgroup-stage")
    lock = _opened(folder, target)
    try:
        _begin(folder, about, resume=resume)
        try:
            yield folder
        except InputError:
            _remove(folder)
            raise
        except ClusterError as error:
            raise ClusterError(f"{error}; run again with --resume to go on, or remove {folder}") from error
        except OSError as error:
            said = error if isinstance(error, OutputError) else f"cannot write to {folder}: {error.strerror or error}"
            raise OutputError(f"{said}; make room and run again with --resume to go on, or remove {folder}") from error
        except KeyboardInterrupt as interrupt:
            interrupt.add_note(FilesNote(f"run again with --resume to go on, or remove {folder}"))
            raise
        _remove(folder)
    finally:
        os.close(lock)


def _opened(folder: Path, target: Path) -> int:
    try:
        folder.mkdir(exist_ok=True)
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise OutputError(f"cannot write {folder}: {error.strerror}; choose another place with --out") from error
    try:
        free = take_lock(lock)
    except OSError:  # a file system without locks: nobody knows
        free = True
    if not free:
        os.close(lock)
        raise OutputError(f"another run is making {target}; wait for it, or choose another place")
    return lock


def _begin(folder: Path, about: dict[str, Any], *, resume: bool) -> None:
    """Keep what is in the folder where it is to be gone on with; else clear it."""
    before = _read(folder)
    if resume and before:
        for name in sorted(before.keys() | about.keys()):
            if before.get(name) != about.get(name):
                raise InputError(
                    f"the run to go on with had {name} = {before.get(name)!r:.60}, and this one has "
                    f"{about.get(name)!r:.60}; give the same, or leave --resume out to begin anew"
                )
        return
    strange = [path.name for path in folder.iterdir() if path.name not in (LOCK, _NEW)] if before is None else []
    if strange:
        raise OutputError(f"{folder} holds {strange[0]!r:.60}, which outgroup did not write; move it away")
    _clear(folder)
    _mark(folder, about)


def _mark(folder: Path, about: dict[str, Any]) -> None:
    (folder / _NEW).write_text(json.dumps({"format": FORMAT, "about": about}), encoding="utf-8")
    (folder / _NEW).replace(folder / MARKER)


def _clear(folder: Path) -> None:
    """Delete what a work folder holds; a kill meanwhile leaves one known as ours, with nothing to go on with."""
    _mark(folder, {})
    for path in folder.iterdir():
        if path.name not in (LOCK, MARKER):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _remove(folder: Path) -> None:
    with suppress(OSError):
        _clear(folder)
        shutil.rmtree(folder)


def _read(folder: Path) -> dict[str, Any] | None:
    try:
        content = parse_json((folder / MARKER).read_bytes())
        return dict(content["about"]) if content["format"] == FORMAT else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
