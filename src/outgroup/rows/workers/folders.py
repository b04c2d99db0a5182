"""Folders where the workers of a cluster keep what they have made: a worker's own, and one for all of a machine."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from time import time
from typing import Any

_SHARED, _GONE = "outgroup-", "gone-"
_OLD = 86_400  # seconds after which nobody goes on with what a run left that was killed


def own_folder(name: str) -> Path:
    """Return a folder of this worker, which is gone with it."""
    folder = _place() / name
    folder.mkdir(exist_ok=True)
    return folder


def machine_folder(name: str) -> Path:
    """Return a folder that the workers of this machine share.

    It outlives a worker: one that was killed is begun again on the same machine, as a rule, and finds there what was
    made before. Whoever chose the name has it forgotten in the end; what others left here a day ago is removed.
    """
    folder = _place().with_name(_SHARED + name)
    if not folder.exists():
        for each in folder.parent.glob(f"*{_SHARED}*"):
            with suppress(OSError):  # another worker may be at it
                if time() - each.stat().st_mtime > _OLD:
                    _remove(each)
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def forget_machine_folder(name: str, dask_worker: Any) -> None:
    """Remove the folder of that name, if there is one, of the machine that a worker is on."""
    with suppress(OSError):  # there is none, or another of its workers was first
        _remove(Path(dask_worker.local_directory).with_name(_SHARED + name))


def _remove(folder: Path) -> None:
    gone = folder.with_name(_GONE + folder.name)
    folder.rename(gone)  # at once: nobody finds half of it
    shutil.rmtree(gone, ignore_errors=True)


def _place() -> Path:
    from distributed import get_worker

    return Path(get_worker().local_directory)
