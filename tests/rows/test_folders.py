"""Folders of workers: one of a machine outlives them, and what a killed run left is removed in the end."""

import os
import time

import pytest

from outgroup.rows import dask


@pytest.fixture
def machine(tmp_path, monkeypatch):
    (tmp_path / "worker-a").mkdir()
    monkeypatch.setattr(dask, "_place", lambda: tmp_path / "worker-a")
    return tmp_path


def names(machine):
    return sorted(path.name for path in machine.iterdir())


def test_what_was_left_a_day_ago_is_removed(machine):
    for name in ("outgroup-old", "gone-outgroup-older", "outgroup-new", "worker-b"):
        (machine / name).mkdir()
        os.utime(machine / name, (time.time(), time.time() - (0 if "new" in name else 90_000)))
    dask.machine_folder("run")
    assert names(machine) == ["outgroup-new", "outgroup-run", "worker-a", "worker-b"]
