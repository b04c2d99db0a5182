"""How Outgroup is built (PEP 517): scikit-build-core, and a C++ compiler from PyPI where the machine has none.

Most fresh machines and every `python:slim` container lack one; the package `ziglang` is one, asked for only there. The
kernels are small: C++ without its run time, no Python headers (docs/decisions/0008). OUTGROUP_NATIVE=0 builds without
them, and so does a machine on which not even this works: SciPy does the products then.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from scikit_build_core import build as base
from scikit_build_core.build import build_sdist, get_requires_for_build_sdist

__all__ = [
    "build_editable", "build_sdist", "build_wheel",
    "get_requires_for_build_editable", "get_requires_for_build_sdist", "get_requires_for_build_wheel",
]  # fmt: skip

ZIG = "ziglang>=0.13"
COMPILERS = ("c++", "g++", "clang++", "cl")
_PROBE = "#include <algorithm>\n#include <cmath>\n#include <cstdint>\nint main() { return 0; }\n"
_MACHINES = {"x86_64", "amd64", "arm64", "aarch64"}  # for which ziglang is sure to have a wheel
_SYSTEMS = {"Linux", "Darwin", "Windows"}

Settings = Mapping[str, Any] | None


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """Return what building needs: scikit-build-core's cmake and ninja where missing, and perhaps a compiler."""
    return [*base.get_requires_for_build_wheel(_writable(config_settings)), *_compiler_to_fetch()]


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """Return what an editable install needs."""
    return [*base.get_requires_for_build_editable(_writable(config_settings)), *_compiler_to_fetch()]


def build_wheel(directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    """Build a wheel, with kernels where a compiler can be had."""
    return _build(base.build_wheel, directory, config_settings, metadata_directory)


def build_editable(directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    """Build what an editable install needs."""
    return _build(base.build_editable, directory, config_settings, metadata_directory)


def wanted() -> bool:
    """Return whether kernels are to be built at all."""
    return os.environ.get("OUTGROUP_NATIVE", "") != "0"


def compiler() -> str | None:
    """Return the C++ compiler of this machine: what CXX says, else the first that compiles a few lines; None: none."""
    if given := os.environ.get("CXX", ""):
        return given
    if _visual_studio().is_file():
        return "cl"  # CMake finds it without PATH
    return next((name for name in COMPILERS if shutil.which(name) and works(name)), None)


def works(name: str) -> bool:
    """Return whether a compiler compiles: some are a stub that asks for an installation, some lack their headers."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "probe.cpp").write_text(_PROBE)
        try:
            done = subprocess.run([name, "-c", "probe.cpp"], cwd=folder, capture_output=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return False
        return done.returncode == 0


def zig() -> Path | None:
    """Return the compiler of the package ziglang, None where it is not installed."""
    try:
        import ziglang
    except ImportError:
        return None
    found = Path(str(ziglang.__file__)).with_name("zig.exe" if sys.platform == "win32" else "zig")
    return found if found.is_file() else None


def _compiler_to_fetch() -> list[str]:
    has_wheel = platform.system() in _SYSTEMS and platform.machine().lower() in _MACHINES
    if not wanted() or not has_wheel or compiler() is not None:
        return []
    tell("no C++ compiler here: fetching one for this build alone (ziglang, some 90 MB)")
    return [ZIG]


def _build(build: Callable[..., str], directory: str, settings: Settings, metadata: str | None) -> str:
    with _found_compiler():
        return build(directory, _writable(settings), metadata)


@contextmanager
def _found_compiler() -> Iterator[None]:
    """Let CMake find zig where it would find nothing."""
    name = compiler() if wanted() else None
    fetched = zig() if wanted() and name is None else None
    if not wanted() or (name is None and fetched is None):
        tell("no kernels are built: SciPy will do the products")
        yield
        return
    tell(f"building the kernels with {name or 'zig c++'}: some 15 seconds")
    if fetched is None:
        yield
        return
    with tempfile.TemporaryDirectory() as folder, _environment(**zig_environment(fetched, Path(folder))):
        yield


def zig_environment(binary: Path, folder: Path) -> dict[str, str]:
    """Return the variables that make CMake use zig, by a wrapper in `folder`.

    Its C++ run time, which would take minutes to build, stays out.
    """
    wrapper = folder / ("c++.cmd" if sys.platform == "win32" else "c++")
    windows = f'@"{binary}" c++ %*\n'
    wrapper.write_text(windows if sys.platform == "win32" else f'#!/bin/sh\nexec "{binary}" c++ "$@"\n')
    wrapper.chmod(0o755)
    return {"CXX": str(wrapper), "LDFLAGS": f"-nostdlib++ {os.environ.get('LDFLAGS', '')}".strip()}


@contextmanager
def _environment(**variables: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def tell(what: str) -> None:
    """Say what takes time: to the log that `pip -v` shows, and to the person who waits, whom pip tells nothing."""
    line = f"outgroup: {what}"
    print(line, file=sys.stderr, flush=True)
    if "CI" not in os.environ and sys.platform != "win32":
        with suppress(OSError), open("/dev/tty", "w") as terminal:
            print(f"\r{line}", file=terminal)


def _visual_studio() -> Path:
    return Path(os.environ.get("PROGRAMFILES(X86)", ""), "Microsoft Visual Studio", "Installer", "vswhere.exe")


def _writable(settings: Settings) -> dict[str, Any] | None:
    return None if settings is None else dict(settings)
