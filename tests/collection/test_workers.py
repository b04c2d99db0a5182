"""A collection on a cluster: every document, the same bytes with any workers, after deaths, and plain refusals."""

import json
import os
import signal
import warnings
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import pytest
from clusters import two_processes
from rich.console import Console

from outgroup.cli import assign, large
from outgroup.cli.output import Steps
from outgroup.cli.settings import AssignSettings, LargeSettings
from outgroup.collection.parts import parts_of
from outgroup.errors import ClusterError, CorpusError, InputError, OutgroupWarning
from outgroup.metrics import adjusted_rand
from outgroup.places import place_of
from outgroup.rows import connect, dask

from .test_large import grouped, table, texts

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
    settings = LargeSettings(
        parts, **({"k": 2, "cluster": "local:2", "out": out, "table": "csv", "encoder": "none"} | options)
    )
    with warnings.catch_warnings(), Steps(Console(file=StringIO()), quiet=True) as steps:
        warnings.simplefilter("ignore", OutgroupWarning)
        return large.cluster(settings, steps)


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


@pytest.mark.parametrize("place", [lambda parts: parts, lambda parts: at(parts)])
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


@contextmanager
def two_workers(place):
    """Give a cluster of two workers in this process, and its client; their folders are in one place."""
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "local_directory": str(place)}
    with distributed.LocalCluster(dashboard_address=None, **options) as cluster, distributed.Client(cluster) as client:
        yield cluster, client


def left(cluster):
    """Return the folders of runs beside those of the workers."""
    worker = next(iter(cluster.workers.values()))  # another may be closed
    return list(Path(worker.local_directory).parent.glob("*outgroup-*"))


def test_what_workers_keep_is_forgotten_unless_the_run_can_be_gone_on_with(parts, tmp_path, monkeypatch):
    with two_workers(tmp_path) as (cluster, client):
        with monkeypatch.context() as patched:
            patched.setattr("outgroup.cli.large._fit", lost_cluster)
            with pytest.raises(ClusterError, match="--resume"):
                run(client, monkeypatch, parts, tmp_path / "out")
        assert len(left(cluster)) == 1
        run(client, monkeypatch, parts, tmp_path / "out", resume=True)
        with pytest.raises(InputError):
            run(client, monkeypatch, parts, tmp_path / "more", k=1000)
        assert left(cluster) == []


def lost_cluster(*given):
    raise ClusterError("the cluster could not finish: lost")


def test_texts_that_were_exchanged_between_runs_are_weighed_again(parts, tmp_path, monkeypatch):
    """The workers of a cluster that stays may have rows of the same words in the same file."""
    with two_workers(tmp_path) as (_, client):
        run(client, monkeypatch, parts, tmp_path / "before")
        records = [json.loads(line) for line in (parts / "0.jsonl").read_text().splitlines()]
        records[0]["text"], records[1]["text"] = records[1]["text"], records[0]["text"]
        (parts / "0.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))
        run(client, monkeypatch, parts, tmp_path / "after")
    before, after = ([row["cluster"] for row in table(tmp_path / name)] for name in ("before", "after"))
    assert before[0] != before[1]
    assert (before[0] == before[2]) != (after[0] == after[2])


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


def together(parts):
    """Return all documents in one file."""
    file = parts.parent / "all.jsonl"
    file.write_text("".join((parts / f"{number}.jsonl").read_text() for number in range(5)))
    return file


def test_a_single_file_is_read_in_ranges(client, parts, whole, tmp_path, monkeypatch):
    file = together(parts)
    monkeypatch.setattr("outgroup.collection.parts._SIZE", file.stat().st_size // 4)
    run(client, monkeypatch, file, tmp_path / "out")
    assert [row["id"] for row in table(tmp_path / "out")] == [row["id"] for row in table(whole)]
    assert (
        adjusted_rand(*([row["cluster"] or "none" for row in table(each)] for each in (tmp_path / "out", whole))) == 1
    )
    wanted = assigned(client, monkeypatch, whole, file, cluster=None, memory="1G")
    assert assigned(client, monkeypatch, whole, file) == wanted


def test_files_of_parquet_are_read_by_row_groups(client, parts, whole, tmp_path, monkeypatch):
    file = grouped(together(parts))
    monkeypatch.setattr("outgroup.collection.parts._SIZE", 1)
    assert [str(part) for part in parts_of(file, shared=True)] == [
        f"{file} (from row {row})" for row in (1, 21, 41, 61)
    ]
    other = tmp_path / "folder"
    other.mkdir()
    file.rename(other / "b.parquet")
    (parts / "4.jsonl").rename(other / "c.jsonl")
    assert [getattr(part, "before", None) for part in parts_of(other, shared=True)] == [0, 20, 40, 60, None]
    run(client, monkeypatch, other / "b.parquet", tmp_path / "out")
    rows = [[row["id"] for row in table(each)] for each in (tmp_path / "out", whole)]
    assert rows[0] == rows[1]
    groups = [[row["cluster"] or "none" for row in table(each)] for each in (tmp_path / "out", whole)]
    assert adjusted_rand(*groups) == 1


def test_what_cannot_be_parts_is_refused(client, parts, tmp_path, monkeypatch):
    (tmp_path / "all.csv").write_text("text\nbread\n")
    with pytest.raises(InputError, match="not valid for --cluster"):
        run(client, monkeypatch, tmp_path / "all.csv", tmp_path / "out")
    (parts / "notes.txt").write_text("bread")
    with pytest.raises(InputError, match=r"notes\.txt is not a"):
        run(client, monkeypatch, parts, tmp_path / "out")


def at(path):
    """The same place as an address, which fsspec reads."""
    return place_of(f"local://{path}")


def test_parts_at_an_address_are_those_of_paths(client, parts, whole, tmp_path, monkeypatch):
    run(client, monkeypatch, at(parts), tmp_path / "out")
    assert same(tmp_path / "out", whole)
    assert assigned(client, monkeypatch, whole, at(parts)) == assigned(client, monkeypatch, whole, parts)
    file = grouped(together(parts))
    monkeypatch.setattr("outgroup.collection.parts._SIZE", 500)
    for single in (file, file.with_suffix(".jsonl")):
        assert len(parts_of(at(single), shared=True)) > 2
        wanted = assigned(client, monkeypatch, whole, single)
        assert assigned(client, monkeypatch, whole, at(single)) == wanted


def test_parts_at_an_address_that_are_broken_or_missing_are_named(client, parts, tmp_path, monkeypatch):
    with pytest.raises(CorpusError, match=r"no such file or folder: local://.*gone"):
        run(client, monkeypatch, at(tmp_path / "gone"), tmp_path / "out")
    (parts / "2.jsonl").write_text('{"id": "a", "tex')
    with pytest.raises(CorpusError, match=r"2\.jsonl cannot be read"):
        run(client, monkeypatch, at(parts), tmp_path / "out")
    found = parts_of(at(parts), shared=True)
    (parts / "2.jsonl").unlink()
    monkeypatch.setattr("outgroup.collection.stored.parts_of", lambda *_, **__: found)
    with pytest.raises(CorpusError, match=r"local://.*2.jsonl cannot be read.*no such file"):
        run(client, monkeypatch, at(parts), tmp_path / "out")


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


def assigned(client, monkeypatch, model, docs, **where):
    @contextmanager
    def connected(address):
        yield client

    monkeypatch.setattr(connect, "connected", connected)
    file = StringIO(newline="")
    with Steps(Console(file=StringIO()), quiet=True) as steps:
        assign.assign_in_parts(AssignSettings(model, docs, **({"cluster": "local:2"} | where)), steps, file)
    return file.getvalue()


def test_new_documents_are_assigned_by_workers_as_they_are_here(client, parts, whole, monkeypatch):
    there = assigned(client, monkeypatch, whole, parts)
    assert there == assigned(client, monkeypatch, whole, together(parts), cluster=None, memory="1G")
    assert [line.split(",")[0] for line in there.splitlines()] == ["id", *(f"d{i}" for i in range(60)), "last"]


def test_a_part_that_workers_cannot_assign_is_named(client, parts, whole, monkeypatch):
    (parts / "3.jsonl").write_text('{"id": "d1"')
    with pytest.raises(CorpusError, match=r"the part .*3\.jsonl cannot be read"):
        assigned(client, monkeypatch, whole, parts)


def test_parts_of_which_no_document_can_be_read_are_an_error(client, parts, whole, tmp_path, monkeypatch):
    for number in range(5):
        (parts / f"{number}.jsonl").write_text('{"text": " "}\n' * number)
    said = "'line 1', 'line 1'"
    with pytest.raises(CorpusError, match=said):
        assigned(client, monkeypatch, whole, parts)
    with pytest.raises(CorpusError, match=said):
        run(client, monkeypatch, parts, tmp_path / "out")
