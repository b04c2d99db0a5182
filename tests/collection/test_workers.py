"""A collection on a cluster: every document, the same bytes with any workers, after deaths, and plain refusals."""

import json
import os
import signal
import warnings
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest
from clusters import two_processes
from rich.console import Console

from outgroup.cli.cluster import cluster
from outgroup.cli.output import Steps
from outgroup.cli.settings import ClusterSettings
from outgroup.errors import ClusterError, CorpusError, InputError, OutgroupWarning
from outgroup.places import place_of
from outgroup.rows import connect, dask

from . import test_large, test_steered
from .test_large import table, texts

distributed = pytest.importorskip("distributed", reason="needs the extra distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own: ports in use, deprecated asyncio
SAME = ("assignments.csv", "clusters.json", "model/model.json", "model/arrays.bin")


@pytest.fixture(scope="module")
def client():
    with two_processes() as client:
        yield client


@pytest.fixture
def parts(tmp_path):
    return filled(tmp_path / "parts")


def filled(folder):
    """Write sixty documents in five files, the last of them without a known word."""
    folder.mkdir()
    said = texts()
    for number in range(4):
        records = [{"id": f"d{i}", "text": said[i]} for i in range(15 * number, 15 * number + 15)]
        (folder / f"{number}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))
    (folder / "4.jsonl").write_text(json.dumps({"id": "last", "text": "unheard"}) + "\n")
    return folder


def run(client, monkeypatch, parts, out, **options):
    @contextmanager
    def connected(address):
        yield client

    monkeypatch.setattr(connect, "connected", connected)
    settings = ClusterSettings(
        parts, **({"k": 2, "cluster": "local:2", "out": out, "table": "csv", "encoder": "none"} | options)
    )
    with warnings.catch_warnings(), Steps(Console(file=StringIO()), quiet=True) as steps:
        warnings.simplefilter("ignore", OutgroupWarning)
        return cluster(settings, steps)


def same(one: Path, other: Path) -> bool:
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in SAME)


@pytest.fixture(scope="module")
def whole(client, tmp_path_factory):
    place = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as monkeypatch:
        run(client, monkeypatch, filled(place / "parts"), place / "out")
    return place / "out"


def test_every_document_has_its_group_whatever_workers_there_are(client, parts, whole, tmp_path, monkeypatch):
    rows = table(whole)
    assert [row["id"] for row in rows] == [*(f"d{i}" for i in range(60)), "last"]
    assert rows[60]["skipped"] == "no known word"
    assert len({(i % 2, row["cluster"]) for i, row in enumerate(rows[:60])}) == 2
    with distributed.Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None) as alone:
        run(alone, monkeypatch, parts, tmp_path / "alone")
    assert same(tmp_path / "alone", whole)


@pytest.mark.parametrize("place", [lambda parts: parts, lambda parts: place_of(f"local://{parts}")])
def test_a_worker_that_is_killed_in_the_fit_changes_no_byte(client, parts, whole, tmp_path, monkeypatch, place):
    gathered, passes = dask.gathered, []

    def killing(*given):
        passes.append(1)
        if len(passes) == 16:  # of the fit
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        return gathered(*given)

    monkeypatch.setattr(dask, "gathered", killing)
    run(client, monkeypatch, place(parts), tmp_path / "out")
    assert len(passes) > 16
    assert same(tmp_path / "out", whole)


def test_workers_follow_decisions_as_this_process_does(client, tmp_path, monkeypatch):
    test_steered.at_once(test_steered.written(tmp_path / "sixty.jsonl", range(60)), tmp_path / "earlier", k=3)
    docs = test_steered.written(tmp_path / "docs.jsonl", range(90))
    steer = test_steered.file_of(test_steered.EACH["all"], tmp_path)
    given = {"from_": tmp_path / "earlier", "steer": steer}
    with monkeypatch.context() as patched:
        test_large.cut_small(patched)
        test_steered.in_files(docs, tmp_path / "here", **given)
    monkeypatch.setattr("outgroup.collection.parts._SIZE", docs.stat().st_size // 3)
    run(client, monkeypatch, docs, tmp_path / "there", k=8, **given)
    assert test_steered.groups(tmp_path / "there") == test_steered.groups(tmp_path / "here")


def test_what_workers_keep_is_forgotten_unless_the_run_can_be_gone_on_with(parts, tmp_path, monkeypatch):
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "local_directory": str(tmp_path / "kept")}
    with distributed.Client(dashboard_address=None, **options) as client:
        with (
            patch("outgroup.collection.stored.StoredCollection.first_version", side_effect=ClusterError("lost")),
            pytest.raises(ClusterError),
        ):
            run(client, monkeypatch, parts, tmp_path / "out")
        assert len(list((tmp_path / "kept").rglob("*outgroup-*"))) == 1
        run(client, monkeypatch, parts, tmp_path / "out", resume=True)
        assert not list((tmp_path / "kept").rglob("*outgroup-*"))


def test_a_lost_scheduler_is_told_and_gone_on_with(client, parts, whole, tmp_path, monkeypatch):
    gathered, asked = dask.gathered, []

    def lost(*given):
        asked.append(1)
        if len(asked) == 8:
            raise ClusterError("the cluster could not finish: OSError: lost")
        return gathered(*given)

    with monkeypatch.context() as patched:
        patched.setattr(dask, "gathered", lost)
        with pytest.raises(ClusterError, match="--resume"):
            run(client, monkeypatch, parts, tmp_path / "out")
    run(client, monkeypatch, parts, tmp_path / "out", resume=True)
    assert same(tmp_path / "out", whole)


@pytest.mark.parametrize(
    ("content", "said"),
    [('{"id": "a", "tex', r"2\.jsonl cannot be read"), ('{"body": "a"}\n', r"2.jsonl.*no field 'text'")],
)
def test_a_broken_part_is_named_before_anything_is_fitted(client, parts, tmp_path, monkeypatch, content, said):
    (parts / "2.jsonl").write_text(content)
    with pytest.raises(CorpusError, match=said):
        run(client, monkeypatch, parts, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["parts"]


def test_what_cannot_be_parts_is_refused(client, parts, tmp_path, monkeypatch):
    (tmp_path / "all.csv").write_text("text\nbread\n")
    with pytest.raises(InputError, match="not valid for --cluster"):
        run(client, monkeypatch, tmp_path / "all.csv", tmp_path / "out")
    (parts / "notes.txt").write_text("bread")
    with pytest.raises(InputError, match=r"notes\.txt is not a"):
        run(client, monkeypatch, parts, tmp_path / "out")


class Told:
    """A client whose workers say these versions."""

    def __init__(self, found):
        self.found = found

    def run(self, function, **_):
        return self.found


def test_versions_that_differ_are_told():
    mine = connect.versions()
    connect.check_versions(Told({"tcp://a": mine}))
    with pytest.raises(InputError, match=r"tcp://b has numpy 1\.0"):
        connect.check_versions(Told({"tcp://a": mine, "tcp://b": mine | {"numpy": "1.0"}}))
    with pytest.raises(InputError, match="cannot import outgroup"):
        connect.check_versions(Told({"tcp://a": ModuleNotFoundError("No module named 'outgroup'")}))
    with pytest.raises(InputError, match="no workers"):
        connect.check_versions(Told({}))
