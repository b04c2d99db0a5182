"""A collection in a stream: the words and rows of the whole, a kill gone on with to the same bytes, plain refusals."""

import csv
import gzip
import json
import warnings
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

import outgroup
from outgroup.cli import assign, assignments
from outgroup.cli.output import Steps
from outgroup.cli.settings import AssignSettings, LargeSettings
from outgroup.errors import CorpusError, InputError, OutgroupWarning, OutputError
from outgroup.places import place_of
from outgroup.readers import corpus
from outgroup.readers.inputs import Extent
from outgroup.rows import disk, shards
from outgroup.rows.disk import JournalRows
from outgroup.stream import counting, job, memory
from outgroup.stream import counting as processes
from outgroup.stream import new_documents as in_stream
from outgroup.stream.counting import KeptBlocks, Sampler, drawn
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
    """Blocks and shards of a few documents, so that there are several; no processes, which take seconds to begin."""
    cut_small(monkeypatch)


def cut_small(monkeypatch):
    monkeypatch.setattr(processes, "n_threads", lambda: 1)
    monkeypatch.setattr(corpus, "_DOCUMENTS", 7)
    monkeypatch.setattr(counting, "PART", 300)
    monkeypatch.setattr(counting, "ENTRIES", 100)


def run(docs, out, **options):
    settings = LargeSettings(docs, **({"k": 2, "memory": "2G", "out": out, "table": "csv"} | options))
    with warnings.catch_warnings(), Steps(Console(file=StringIO()), quiet=True) as steps:
        warnings.simplefilter("ignore", OutgroupWarning)
        return job.cluster(settings, steps)


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


@pytest.mark.parametrize("packing", ["", ".gz", ".parquet"])
@pytest.mark.parametrize("n", [1, 2])
def test_rows_are_those_of_all_texts_at_once(docs, tmp_path, monkeypatch, n, packing):
    """A file that is cut into parts, which processes read, and one that cannot be, which this process reads.

    What they judge is the same however it was read: they do so of one kind.
    """
    monkeypatch.setattr(processes, "n_threads", lambda: n)
    docs = {"": lambda each: each, ".gz": packed, ".parquet": grouped}[packing](docs)
    seen = {}
    fit = job.fit

    def watched(settings, material, *given):
        seen["rows"] = material.rows.sample(np.arange(58)).toarray()
        if packing:
            monkeypatch.setattr(processes, "n_threads", lambda: 1)
        return fit(settings, material, *given)

    monkeypatch.setattr(job, "fit", watched)
    run(docs, tmp_path / "out")
    kept = [text for i, text in enumerate(texts()) if i not in (8, 12)]
    # the unknown word counts as a document, as it does in memory
    whole = Vectorizer().fit([*kept, "unheard"]).transform(kept).toarray()
    assert np.array_equal(seen["rows"], whole)


@pytest.mark.parametrize(("at", "packing"), [(3, ".gz"), (11, ""), (19, "")])
def test_a_run_that_was_killed_goes_on_to_the_same_bytes(docs, tmp_path, monkeypatch, at, packing):
    monkeypatch.setattr(counting, "ENTRIES", 40)
    docs = docs if not packing else packed(docs)
    run(docs, tmp_path / "whole")
    writes = []

    def failing(write):
        def wrapped(*given):
            writes.append(1)
            if len(writes) == at:
                raise KeyboardInterrupt
            return write(*given)

        return wrapped

    with monkeypatch.context() as patched:
        patched.setattr(shards, "write_shard", failing(shards.write_shard))
        patched.setattr(KeptBlocks, "write", failing(KeptBlocks.write))
        patched.setattr(disk, "_write_journal", failing(disk._write_journal))
        with pytest.raises(KeyboardInterrupt) as raised:
            run(docs, tmp_path / "out")
    assert "--resume" in raised.value.__notes__[0]
    assert (tmp_path / ".out.outgroup-stage").exists()
    run(docs, tmp_path / "out", resume=True)
    for name in ("assignments.csv", "clusters.json", "model/model.json", "model/arrays.npz"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert not (tmp_path / ".out.outgroup-stage").exists()


@pytest.mark.parametrize("said", [(28, "No space left on device"), ("1776813 requested and 1500128 written",)])
def test_a_full_disk_is_told_and_gone_on_with(docs, tmp_path, monkeypatch, said):
    """The second is what NumPy says in the middle of an array."""

    def full(*_):
        raise OSError(*said)

    with monkeypatch.context() as patched:
        patched.setattr(shards, "write_shard", full)
        with pytest.raises(OutputError, match=r"No space left.*--resume"):
            run(docs, tmp_path / "out")
    run(docs, tmp_path / "out", resume=True)
    assert len(table(tmp_path / "out")) == 60


def test_trust_is_that_of_all_documents(whole, docs, tmp_path):
    """Passes over all rows, and fits on a sample, which is told; here it has all of them, as a fit in memory has."""
    _, folder, outcome = whole
    trust = json.loads((folder / "run.json").read_bytes())["trust"]
    assert [each["size"] for each in trust["groups"]] == [group.size for group in outcome.summary.groups]
    assert sum(each["size"] for each in trust["groups"]) == 58
    assert {each["word"] for each in trust["groups"]} == {"tight"}
    assert "measured on 58 of them" in trust["notes"][0]
    quick, _ = run(docs, tmp_path / "quick", quick=True)
    assert quick.record["trust"] is None


def test_seeds_steer(docs, tmp_path):
    seeds = tmp_path / "seeds.toml"
    seeds.write_text('[clusters.rail]\ndocuments = ["d1", "d3"]\n[clusters.food]\ndocuments = ["d0"]\n')
    _, folder = run(docs, tmp_path / "out", seeds=seeds)
    assert table(folder)[1]["cluster"] == "0"
    assert table(folder)[0]["cluster"] == "1"


def test_off_topic_examples_set_documents_aside(docs, tmp_path, monkeypatch):
    monkeypatch.setattr(counting, "ENTRIES", 1 << 20)
    junk = tmp_path / "junk.jsonl"
    junk.write_text("".join(json.dumps({"text": f"bread platform {i}"}) + "\n" for i in range(12)), encoding="utf-8")
    outcome, folder = run(docs, tmp_path / "out", universum=junk)
    rows = table(folder)
    out = sum(row["off_topic"] == "yes" for row in rows)
    assert all(row["off_topic"] in ("yes", "no") for row in rows if not row["skipped"])
    assert out == 58 - sum(group.size for group in outcome.summary.groups) == outcome.summary.n_aside


def test_labelled_words_are_refused_before_anything_is_read(docs, tmp_path):
    seeds = tmp_path / "seeds.toml"
    seeds.write_text('[clusters.food]\nwords = ["bread"]\n', encoding="utf-8")
    with pytest.raises(InputError, match="label documents"):
        run(docs, tmp_path / "out", seeds=seeds)


def test_parquet_has_the_same_rows(whole, docs, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    run(docs, tmp_path / "parts", table="parquet")
    found = parquet.ParquetFile(tmp_path / "parts" / "assignments.parquet")
    assert found.num_row_groups > 3
    for own, other in zip(found.read().to_pylist(), table(whole[1]), strict=True):
        assert own["id"] == other["id"]
        for name in ("cluster", "code"):
            assert ("" if own[name] is None else str(own[name])) == other[name]
        assert own["skipped"] == other["skipped"]


def test_new_documents_are_assigned_in_a_stream_as_they_are_at_once(whole):
    docs, model, _ = whole
    said = {}
    for name in ("stream", "whole"):
        file = StringIO()
        settings = AssignSettings(model, docs)
        with Steps(Console(file=StringIO()), quiet=True) as steps:
            if name == "stream":
                in_stream.assign(settings, steps, file)
            else:
                assignments.write(assign.assign(settings, steps).table, file)
        said[name] = file.getvalue()
    assert said["stream"] == said["whole"]


def at_address(path):
    """Copy a file into fsspec's memory, which is of this process, and return where."""
    fsspec = pytest.importorskip("fsspec", reason="needs the extra distributed")
    fsspec.filesystem("memory").pipe(f"/stream/{path.name}", path.read_bytes())
    return place_of(f"memory://stream/{path.name}")


@pytest.mark.parametrize("packing", ["", ".gz", ".parquet"])
def test_a_file_at_an_address_is_read_as_one_of_this_machine(docs, tmp_path, packing):
    docs = {"": lambda each: each, ".gz": packed, ".parquet": grouped}[packing](docs)
    address = at_address(docs)
    assert memory.streams(LargeSettings(address, k=2, memory="301M")) is False
    with pytest.raises(InputError, match="is too small"):
        memory.streams(LargeSettings(address, k=2, memory="300M"))
    run(docs, tmp_path / "here")
    run(address, tmp_path / "there")
    for name in ("assignments.csv", "clusters.json", "model/model.json", "model/arrays.npz"):
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
    source = json.loads((tmp_path / "there" / "run.json").read_text())
    assert (source["source"], source["title"]) == (str(address), "docs")


def test_a_run_at_an_address_that_was_killed_goes_on_unless_the_file_has_changed(docs, tmp_path, monkeypatch):
    address = at_address(docs)
    with monkeypatch.context() as patched:
        patched.setattr(JournalRows, "fold", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        for out in ("out", "other"):
            with pytest.raises(KeyboardInterrupt):
                run(address, tmp_path / out)
    run(address, tmp_path / "out", resume=True)
    docs.write_text(docs.read_text().replace("d1", "e1"))  # as long as before
    at_address(docs)
    with pytest.raises(InputError, match="--resume: documents was"):
        run(address, tmp_path / "other", resume=True)


def test_a_block_whose_documents_are_all_skipped_is_in_the_table(docs, tmp_path, monkeypatch):
    lines = docs.read_text().splitlines(keepends=True)
    docs.write_text("".join([json.dumps({"id": "none", "text": " "}) + "\n"] * 9 + lines))
    run(docs, tmp_path / "out")
    assert [row["skipped"] for row in table(tmp_path / "out")][:10] == ["no text"] * 9 + [""]
    file = StringIO()
    with Steps(Console(file=StringIO()), quiet=True) as steps:
        in_stream.assign(AssignSettings(tmp_path / "out", docs), steps, file)
    assert [row["skipped"] for row in csv.DictReader(file.getvalue().splitlines())][:10] == ["no text"] * 9 + [""]


def test_nothing_to_read_is_told(tmp_path):
    path = tmp_path / "none.jsonl"
    path.write_text('{"text": " "}\n', encoding="utf-8")
    said = r"none\.jsonl contains no readable document: 1 skipped, first 'line 1': no text"
    with pytest.raises(CorpusError, match=said):
        run(path, tmp_path / "out")
    assert not (tmp_path / ".out.outgroup-stage").exists()


def test_memory_chooses(docs, monkeypatch):
    assert not memory.streams(LargeSettings(docs))
    assert not memory.streams(LargeSettings(docs, memory="2G"))
    monkeypatch.setattr(memory, "extent", lambda docs, fields: Extent(10**7, 10**10))
    assert memory.streams(LargeSettings(docs, memory="2G"))
    with pytest.raises(InputError, match="is too small"):
        memory.streams(LargeSettings(docs, memory="100M"))
    with pytest.raises(InputError, match="--with-text needs all documents"):
        memory.streams(LargeSettings(docs, memory="2G", with_text=True))
    with pytest.raises(InputError, match="not valid for --memory"):
        memory.streams(LargeSettings(docs, memory="much"))
    with pytest.raises(InputError, match="--resume"):
        memory.streams(LargeSettings(docs, resume=True))


def test_a_sample_is_drawn_from_all_alike():
    sampler, found = Sampler(0, most=50), []
    for number in range(40):
        priorities = [priority for _, priority in drawn(100, *sampler.draw(number))]
        sampler.take_in(priorities)
        found += [(priority, number) for priority in priorities]
    numbers = np.array([number for _, number in sorted(found)[:50]])
    assert len(found) < 400
    assert numbers.min() < 8
    assert numbers.max() > 31
    assert 12 < numbers.mean() < 27


def test_a_field_that_only_the_first_part_has_is_enough_after_a_kill_too(docs, tmp_path, monkeypatch):
    records = [json.loads(line) for line in docs.read_text().splitlines()]
    for number, record in enumerate(records):
        record |= {"name": f"n{number}"} if number < 7 else {}
    docs.write_text("".join(json.dumps(record) + "\n" for record in records))
    write = KeptBlocks.write

    def failing(self, number, *given):
        if number == 6:
            raise KeyboardInterrupt
        write(self, number, *given)

    with monkeypatch.context() as patched:
        patched.setattr(counting, "ENTRIES", 1)
        patched.setattr(KeptBlocks, "write", failing)
        with pytest.raises(KeyboardInterrupt):
            run(docs, tmp_path / "out", title="name")
    run(docs, tmp_path / "out", title="name", resume=True)
    assert [row["title"] for row in table(tmp_path / "out")][5:9] == ["n5", "n6", "", ""]
    with pytest.raises(CorpusError, match="no field 'nowhere' for"):
        run(docs, tmp_path / "other", title="nowhere")


def test_rows_that_were_cut_short_are_told_with_what_to_do(docs, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(JournalRows, "fold", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            run(docs, tmp_path / "out")
    rows = tmp_path / ".out.outgroup-stage" / "rows" / "00000.data.npy"
    rows.write_bytes(rows.read_bytes()[:-4])
    with pytest.raises(InputError, match=r"data.npy is damaged: .*write the rows again: run again without --resume"):
        run(docs, tmp_path / "out", resume=True)
    run(docs, tmp_path / "out")
    assert len(table(tmp_path / "out")) == 60
