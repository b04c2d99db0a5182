"""`outgroup --version`: versions, kernels, threads, extras."""

from commands import outgroup

import outgroup.cli.versions as versions


def test_the_installation_is_shown(monkeypatch):
    lines = outgroup("--version").stdout.splitlines()
    assert lines[0].split(", ")[0] == f"outgroup {versions.version('outgroup')}"
    assert [line.split(":")[0] for line in lines[1:4]] == ["kernels", "threads", "extras"]
    monkeypatch.setattr(versions, "_is_installed", lambda name: name != "pyarrow")
    shown = outgroup("--version").stdout
    assert "extra io: missing pyarrow" in shown
    assert "workbench" in shown.split("extras: ")[1].splitlines()[0]
