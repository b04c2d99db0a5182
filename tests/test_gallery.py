"""The examples of the documentation run without a network, and each lesson draws one picture."""

import re
import socket
from pathlib import Path

import pytest

plt = pytest.importorskip("matplotlib.pyplot")

GALLERY = Path(__file__).parents[1] / "docs" / "gallery"
LESSONS, JOBS = (sorted((GALLERY / name).glob("*.py")) for name in ("lessons", "jobs"))


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    """No connection leaves the machine, and no picture opens a window."""

    connect = socket.socket.connect

    def refuse(self, address):
        if self.type & socket.SOCK_STREAM:
            raise OSError("no network")
        return connect(self, address)  # sends nothing

    monkeypatch.setattr(socket.socket, "connect", refuse)
    plt.switch_backend("agg")
    yield
    plt.close("all")


def run(path):
    names = {"__name__": path.stem}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    return names


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_runs_and_draws_one_picture(path):
    if "distributed" in path.read_text(encoding="utf-8"):
        pytest.importorskip("distributed")
    run(path)
    assert len(plt.get_fignums()) == 1


@pytest.mark.parametrize("path", JOBS, ids=lambda path: path.stem)
def test_a_job_leads_from_a_bad_first_look_to_a_good_result(path, capsys):
    run(path)
    shares = [int(share) for share in re.findall(r"(\d+)% of the", capsys.readouterr().out)]
    assert shares[0] < 70
    assert shares[-1] >= 85
