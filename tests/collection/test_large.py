"""A collection in files: the words and rows of the whole, resumption after a kill to the same bytes, and refusals."""

import csv
import gzip
import json
import warnings
from io import StringIO
from unittest.mock import patch

import numpy as np
import pytest
from rich.console import Console

import outgroup
from outgroup.cli import memory
from outgroup.cli.cluster import cluster
from outgroup.cli.output import Steps
from outgroup.cli.settings import ClusterSettings
from outgroup.collection import parts
from outgroup.collection.stored import StoredCollection
from outgroup.errors import InputError, OutgroupWarning, OutputError
from outgroup.readers import corpus
from outgroup.readers.inputs import Extent
from outgroup.rows import mapped
from outgroup.text.vectorizer import Vectorizer

WORDS = {"bread": "bread butter oven flour crust", "train": "train rails town ticket platform"}


def texts(n=60):
    rng = np.random.default_rng(0)
    topics = [list(said.split()) for said in WORDS.values()]
    return [" ".join(rng.choice(topics[i % 2], 4)) for i in range(n)]


@pytest.fixture
def docs(tmp_path):
    return sixty(tmp_path)


def sixty(folder):
    """Write sixty documents, the 8th without a text and the 12th without a known word."""
    records = [{"id": f"d{i}", "title": "", "text": text} for i, text in enumerate(texts())]
    records[8]["text"], records[12]["text"] = " ", "unheard"
    path = folder / "docs.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def grouped(path):
    """Return the same documents in a file of Parquet with row groups of twenty."""
    import pyarrow

    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra io")
    records = [json.loads(line) for line in path.read_text().splitlines()]
    parquet.write_table(pyarrow.Table.from_pylist(records), path.with_suffix(".parquet"), row_group_size=20)
    return path.with_suffix(".parquet")


def packed(path):
    beside = path.with_name(f"{path.name}.gz")
    beside.write_bytes(gzip.compress(path.read_bytes()))
    return beside


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Parts of a few documents, so that there are several; no processes, which take seconds to begin."""
    cut_small(monkeypatch)


def cut_small(monkeypatch):
    monkeypatch.setattr(parts, "n_threads", lambda: 1)
    monkeypatch.setattr(corpus, "_DOCUMENTS", 7)
    monkeypatch.setattr(parts, "_SIZE", 300)


def run(docs, out, **options):
    settings = ClusterSettings(
        docs, **({"k": 2, "memory": "2G", "out": out, "table": "csv", "encoder": "none"} | options)
    )
    with warnings.catch_warnings(), Steps(Console(file=StringIO()), quiet=True) as steps:
        warnings.simplefilter("ignore", OutgroupWarning)
        with patch("outgroup.cli.start.in_files", return_value=True):
            return cluster(settings, steps)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The sixty documents and the result of a run, which tests read and do not change."""
    place = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as monkeypatch:
        cut_small(monkeypatch)
        outcome, folder = run(sixty(place), place / "out")
    return place / "docs.jsonl", folder, outcome


def table(folder):
    with (folder / "assignments.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_document_is_in_the_table_in_its_place(whole):
    _, folder, outcome = whole
    rows = table(folder)
    assert [row["id"] for row in rows] == [f"d{i}" for i in range(60)]
    assert rows[8]["skipped"] == "no text"
    assert rows[12]["skipped"] == "no known word"
    groups = {(i % 2, row["cluster"]) for i, row in enumerate(rows) if row["cluster"]}
    assert len(groups) == 2
    assert sum(outgroup.DocumentClustering.load(folder / "model").topics["size"]) == 58
    assert sum(group.size for group in outcome.summary.groups) == 58 == outcome.record["documents"]
    assert outcome.record["skipped"] == 2
    assert outcome.record["correct"] is None  # the workbench needs all documents at once
    assert sorted(path.name for path in folder.parent.iterdir()) == ["docs.jsonl", "out"]


@pytest.mark.parametrize(("n", "packing"), [(1, ""), (1, ".gz"), (1, ".parquet"), (2, "")])
def test_rows_are_those_of_all_texts_at_once(docs, tmp_path, monkeypatch, n, packing):
    """A file that is cut into parts, which processes read, and one that cannot be, which this process reads."""
    monkeypatch.setattr(parts, "n_threads", lambda: n)
    docs = {"": lambda each: each, ".gz": packed, ".parquet": grouped}[packing](docs)
    seen = {}
    fit = StoredCollection.first_version

    def watched(collection, *given):
        seen["rows"] = collection.rows.sample(np.arange(58)).toarray()
        return fit(collection, *given)

    monkeypatch.setattr(StoredCollection, "first_version", watched)
    run(docs, tmp_path / "out")
    kept = [text for i, text in enumerate(texts()) if i not in (8, 12)]
    # the unknown word counts as a document, as it does in memory
    assert np.array_equal(seen["rows"], Vectorizer().fit([*kept, "unheard"]).transform(kept).toarray())


def killing(monkeypatch, at, error=KeyboardInterrupt):
    """Let the write of a matrix of number `at` fail; documents are counted, then weighed, and then fitted."""
    write, writes = mapped.write_matrix, []

    def failing(*given, **about):
        writes.append(1)
        if len(writes) == at:
            raise error
        return write(*given, **about)

    for place in (mapped, parts):
        monkeypatch.setattr(place, "write_matrix", failing)


@pytest.mark.parametrize(("at", "packing"), [(3, ""), (14, ".gz"), (12, ""), (20, "")])
def test_a_run_that_was_killed_is_resumed_to_the_same_bytes(docs, whole, tmp_path, monkeypatch, at, packing):
    docs = docs if not packing else packed(docs)
    expected = run(docs, tmp_path / "whole")[1] if packing else whole[1]
    with monkeypatch.context() as patched:
        killing(patched, at)
        with pytest.raises(KeyboardInterrupt) as raised:
            run(docs, tmp_path / "out")
    assert "--resume" in raised.value.__notes__[0]
    assert (tmp_path / ".out.outgroup-stage").exists()
    run(docs, tmp_path / "out", resume=True)
    for name in ("assignments.csv", "clusters.json", "model/model.json", "model/arrays.bin"):
        assert (tmp_path / "out" / name).read_bytes() == (expected / name).read_bytes()
    assert not (tmp_path / ".out.outgroup-stage").exists()


def test_a_run_that_may_not_replace_the_result_keeps_the_work_of_a_killed_one(docs, tmp_path, monkeypatch):
    run(docs, tmp_path / "out")
    with monkeypatch.context() as patched:
        killing(patched, 12)
        with pytest.raises(KeyboardInterrupt):
            run(docs, tmp_path / "out", force=True)
    stage = tmp_path / ".out.outgroup-stage"
    before = sorted(path.name for path in stage.rglob("*"))
    with pytest.raises(OutputError, match="exists; add --force") as refused:
        run(docs, tmp_path / "out")
    assert "--resume" not in str(refused.value)
    assert sorted(path.name for path in stage.rglob("*")) == before
    with pytest.raises(OutputError, match="does not exist: create it first"):
        run(docs, tmp_path / "nowhere" / "out")


@pytest.mark.parametrize("said", [(28, "No space left on device"), ("1776813 requested and 1500128 written",)])
def test_a_full_disk_is_an_error_and_the_run_is_resumed(docs, tmp_path, monkeypatch, said):
    """The second is NumPy's message in the middle of an array."""

    def full(*_):
        raise OSError(*said)

    with monkeypatch.context() as patched:
        patched.setattr(mapped, "write_file", full)
        with pytest.raises(OutputError, match=r"No space left.*--resume"):
            run(docs, tmp_path / "out")
    run(docs, tmp_path / "out", resume=True)
    assert len(table(tmp_path / "out")) == 60


def test_off_topic_examples_set_documents_aside(docs, tmp_path, monkeypatch):
    junk = tmp_path / "junk.jsonl"
    junk.write_text("".join(json.dumps({"text": f"bread platform {i}"}) + "\n" for i in range(12)), encoding="utf-8")
    outcome, folder = run(docs, tmp_path / "out", universum=junk)
    rows = table(folder)
    out = sum(row["off_topic"] == "yes" for row in rows)
    assert all(row["off_topic"] in ("yes", "no") for row in rows if not row["skipped"])
    assert out == 58 - sum(group.size for group in outcome.summary.groups) == outcome.summary.n_aside


def test_memory_chooses(docs, monkeypatch):
    assert not memory.in_files(ClusterSettings(docs, memory="2G"))
    monkeypatch.setattr(memory, "extent", lambda *_: Extent(10**7, 10**10))
    assert memory.in_files(ClusterSettings(docs, memory="2G"))
    with pytest.raises(InputError, match="is too small"):
        memory.in_files(ClusterSettings(docs, memory="100M"))
    with pytest.raises(InputError, match="--device needs all documents"):
        memory.in_files(ClusterSettings(docs, memory="2G", device="cuda"))
    with pytest.raises(InputError, match="not valid for --memory"):
        memory.in_files(ClusterSettings(docs, memory="much"))
    with pytest.raises(InputError, match="--resume"):
        memory.in_files(ClusterSettings(docs, resume=True))


def with_line(raw, number, line):
    lines = raw.splitlines(keepends=True)
    return b"".join([*lines[:number], line + b"\n", *lines[number + 1 :]])


@pytest.mark.parametrize(
    "damaged",
    [
        lambda raw: raw[:-4],
        lambda raw: with_line(raw, 0, b"{}"),
        lambda raw: with_line(raw, 1, b"5"),
        lambda raw: with_line(raw, 2, b"[[1]]"),
    ],
)
def test_a_damaged_part_is_an_error_with_advice(docs, tmp_path, monkeypatch, damaged):
    with monkeypatch.context() as patched:
        killing(patched, 3)
        with pytest.raises(KeyboardInterrupt):
            run(docs, tmp_path / "out")
    path = tmp_path / ".out.outgroup-stage" / "parts" / "000000" / "documents.jsonl"
    path.write_bytes(damaged(path.read_bytes()))
    with pytest.raises(InputError, match=r"documents.jsonl is damaged: .*run again without --resume"):
        run(docs, tmp_path / "out", resume=True)


def test_every_option_of_a_run_in_memory_has_its_columns(docs, tmp_path):
    lines = docs.read_text().splitlines()
    records = [json.loads(line) | {"by": "ab"[i % 2], "w": str(1 + i % 2)} for i, line in enumerate(lines)]
    docs.write_text("".join(json.dumps(record) + "\n" for record in records))
    book = tmp_path / "book.csv"
    book.write_text("number,name,keywords\n7,food,bread\n9,rail,train\n")
    given = {"with_text": True, "multi": 0.3, "levels": "1,2", "outliers": "flag", "by": "by", "weight": "w"}
    outcome, folder = run(docs, tmp_path / "out", codebook=book, **given)
    rows = table(folder)
    assert [row["text"] for row in rows][:2] == [record["text"] for record in records][:2]
    assert {row["code"] for row in rows if row["cluster"]} == {"7", "9"}
    assert {row["level_1"] for row in rows if row["cluster"]} == {"0"}
    assert all(row["level_2"] == row["cluster"] for row in rows if row["cluster"])
    assert {row["outlier"] for row in rows} <= {"yes", "no", ""}
    assert all(row["probabilities"] for row in rows if row["cluster"])
    assert outcome.summary.by.column == "by"
    assert sum(map(sum, outcome.summary.by.counts)) > 0
    weights = {name: sum(1 + int(row["id"][1:]) % 2 for row in rows if row["cluster"] == name) for name in ("0", "1")}
    assert {str(group.number): group.weight for group in outcome.summary.groups} == weights
    later, second = run(docs, tmp_path / "later", codebook=book, from_=folder)
    assert {row["code"] for row in table(second) if row["cluster"]} == {"7", "9"}
    assert later.past.decisions == outcome.past.decisions  # the codes give numbers and names only


def test_a_redacted_result_has_no_texts(docs, tmp_path):
    _, folder = run(docs, tmp_path / "out", redact=True)
    assert not any("unheard" in path.read_text(errors="replace") for path in folder.rglob("*") if path.is_file())
    assert len(table(folder)) == 60
