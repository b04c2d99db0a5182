"""Building: which compiler is taken, when one is fetched, and what CMake is told of it. No network, no build."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

PATH = Path(__file__).resolve().parents[1] / "build_backend" / "backend.py"
posix = pytest.mark.skipif(sys.platform == "win32", reason="the programs that stand in are shell scripts")
pytestmark = posix


@pytest.fixture
def backend(monkeypatch, tmp_path):
    pytest.importorskip("scikit_build_core", reason="needs scikit-build-core")
    spec = importlib.util.spec_from_file_location("backend", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("CXX", "OUTGROUP_NATIVE", "LDFLAGS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CI", "1")  # nothing is written to a terminal
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(module.base, "get_requires_for_build_wheel", lambda settings: ["cmake"])
    monkeypatch.setattr(module.platform, "system", lambda: "Linux")
    monkeypatch.setattr(module.platform, "machine", lambda: "x86_64")
    return module


def program(folder, name, code="exit 0"):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{code}\n")
    path.chmod(0o755)
    return path


def test_a_compiler_is_fetched_where_there_is_none(backend, capfd):
    assert backend.get_requires_for_build_wheel() == ["cmake", backend.ZIG]
    assert "fetching one" in capfd.readouterr().err


def test_none_is_fetched_where_one_compiles(backend, tmp_path):
    program(tmp_path, "clang++")
    assert backend.compiler() == "clang++"
    assert backend.get_requires_for_build_wheel() == ["cmake"]


def test_a_build_without_kernels_fetches_nothing(backend, monkeypatch, capfd):
    monkeypatch.setenv("OUTGROUP_NATIVE", "0")
    assert backend.get_requires_for_build_wheel() == ["cmake"]
    before = dict(os.environ)
    assert backend._build(lambda *_: "wheel", "dist", None, None) == "wheel"
    assert dict(os.environ) == before
    assert "SciPy" in capfd.readouterr().err


def test_cmake_gets_what_was_fetched_and_the_environment_is_as_before(backend, monkeypatch, tmp_path):
    fake = program(tmp_path, "zig", 'echo "$@"')
    monkeypatch.setattr(backend, "zig", lambda: fake)
    monkeypatch.setenv("LDFLAGS", "-s")
    before = dict(os.environ)

    def build(directory, settings, metadata):
        assert os.environ["LDFLAGS"] == "-nostdlib++ -s"
        done = subprocess.run([os.environ["CXX"], "-c", "a b.cpp"], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert backend._build(build, "dist", {"a": "b"}, None) == "c++ -c a b.cpp"
    assert dict(os.environ) == before
