"""A collection in a stream: the words and rows of the whole, a kill gone on with to the same bytes, plain refusals."""

import csv
import gzip
import json
import warnings
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from forks import ran
from rich.console import Console

import outgroup
from outgroup import MaxMarginClustering
from outgroup.cli import assign, assignments
from outgroup.cli.output import Steps
from outgroup.cli.settings import AssignSettings, LargeSettings
from outgroup.document_clustering import DocumentClustering
from outgroup.errors import CorpusError, InputError, OutgroupWarning, OutputError
from outgroup.places import place_of
from outgroup.readers import corpus
from outgroup.readers.inputs import Extent
from outgroup.rows import disk, shards
from outgroup.rows.disk import JournalRows
from outgroup.solve import refinement
from outgroup.stream import counting, job, memory
from outgroup.stream import counting as processes
from outgroup.stream import job as outcome_of_stream
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


def test_a_language_that_nobody_named_is_told(docs, tmp_path):
    german = [f"der Zug nach {town} ist nicht in der Stadt, und wo ist das" for town in ("Bern", "Graz", "Ulm", "Jena")]
    records = [{"text": text} for text in texts(16) + 4 * german]
    docs.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    settings = LargeSettings(docs, k=2, memory="2G", out=tmp_path / "out", table="csv")
    with Steps(Console(file=StringIO()), quiet=True) as steps, pytest.warns(OutgroupWarning) as told:
        job.cluster(settings, steps)
    said = [str(each.message) for each in told]
    assert any("--language german" in each for each in said)


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


def test_a_single_value_is_no_work_for_processes(monkeypatch):
    monkeypatch.setattr(processes, "n_threads", lambda: 2)
    monkeypatch.setattr(processes, "ProcessPoolExecutor", None)
    assert list(processes.in_order(abs, [-1])) == [1]
    assert list(processes.in_order(abs, [])) == []
    with pytest.raises(TypeError):
        list(processes.in_order(abs, [-1, -2]))


@pytest.mark.parametrize(
    ("at", "packing"),
    [(3, ""), (3, ".gz"), (11, ""), (19, ""), (26, ".gz")],
)
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


def test_other_options_do_not_go_on(docs, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(JournalRows, "fold", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            run(docs, tmp_path / "out")
    with pytest.raises(InputError, match=r"k was 2 in .* but is 3 now"):
        run(docs, tmp_path / "out", resume=True, k=3)
    run(docs, tmp_path / "out", k=3)
    assert not (tmp_path / ".out.outgroup-stage").exists()


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


def test_what_thresholds_flag_is_counted_among_all_documents(docs, tmp_path, monkeypatch):
    junk = tmp_path / "junk.jsonl"
    junk.write_text("".join(json.dumps({"text": f"bread platform {i}"}) + "\n" for i in range(12)), encoding="utf-8")
    clusterer = MaxMarginClustering(2, n_init=1, random_state=0, off_topic_rate=0.3)
    monkeypatch.setattr(job, "clusterer_of", lambda *given, **named: clusterer)
    given = {"universum": junk}
    whole, _ = run(docs, tmp_path / "whole", **given)
    monkeypatch.setattr(outcome_of_stream, "SAMPLED", 12)
    sampled, _ = run(docs, tmp_path / "sampled", **given)
    assert len(sampled.summary.documents) == 12
    found = [[each.flagged for each in outcome.summary.off_topic.thresholds] for outcome in (whole, sampled)]
    assert found[0] == found[1]
    assert found[0][0] > 12 / 58


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


def test_the_memory_that_a_stream_needs_follows_from_what_it_reads(tmp_path):
    sizes = {"small": 2000, "large": 200_000}
    for name, count in sizes.items():
        lines = (
            json.dumps({"id": number, "text": "tea in the train to town " * 5 + str(number)}) for number in range(count)
        )
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    small, large = (LargeSettings(tmp_path / f"{name}.jsonl", k=8) for name in sizes)
    assert 300_000_000 < memory.needed(small) < 400_000_000 < 700_000_000 < memory.needed(large) < 760_000_000
    assert memory.needed(replace(small, docs="-")) == memory.needed(replace(large, docs="-")) > 700_000_000
    with pytest.raises(InputError, match=r"these documents need 0\.36G without streaming, with 8 groups of up to 20,"):
        memory.streams(replace(small, memory="300M"))
    assert memory.streams(replace(small, memory="360M")) is False
    short = replace(small, k=200, docs=tmp_path / "large.jsonl")
    with pytest.raises(InputError, match=r"need 1\.98G for streaming, with 200 groups"):
        memory.streams(replace(short, memory="1G"))


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


def test_pairs_of_signs_are_told(tmp_path):
    path = tmp_path / "thai.jsonl"
    said = ["รถไฟไปเชียงใหม่", "ขนมปังกับเนย"] * 10
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in said), encoding="utf-8")
    settings = LargeSettings(path, k=2, memory="2G", out=tmp_path / "out", table="csv", quick=True)
    with pytest.warns(OutgroupWarning) as told, Steps(Console(file=StringIO()), quiet=True) as steps:
        job.cluster(settings, steps)
    assert ["pairs of characters were used" in str(each.message) for each in told].count(True) == 1


def test_nothing_to_read_is_told(tmp_path):
    path = tmp_path / "none.jsonl"
    path.write_text('{"text": " "}\n', encoding="utf-8")
    said = r"none\.jsonl contains no readable document: 1 skipped, first 'line 1': no text"
    with pytest.raises(CorpusError, match=said):
        run(path, tmp_path / "out")
    assert not (tmp_path / ".out.outgroup-stage").exists()


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_processes_read_the_parts_of_a_file(docs, suffix):
    docs = docs if suffix == ".jsonl" else grouped(docs)
    assert len(counting.ranges_of(docs)) > 2
    assert counting.ranges_of(packed(docs)) is None


def test_more_groups_than_a_sample_has_rows_for_are_told_of(docs, tmp_path, monkeypatch):
    """Whether a group is found again cannot be told from a few rows of it."""
    monkeypatch.setattr(memory, "MOST_SAMPLED", 15)
    settings = LargeSettings(docs, k=2, memory="2G", out=tmp_path / "out")
    with Steps(Console(file=StringIO()), quiet=True) as steps, pytest.warns(OutgroupWarning) as told:
        outcome, _ = job.cluster(settings, steps)
    assert any("trust in 2 groups is not measured" in str(each.message) for each in told)
    assert outcome.record["trust"] is None
    assert memory.checks_trust(LargeSettings(docs, k=1))
    assert not memory.checks_trust(LargeSettings(docs, k=1, quick=True))


def test_more_groups_than_the_usual_sample_has_rows(docs, tmp_path, monkeypatch):
    monkeypatch.setattr(refinement, "MOST_SAMPLED", 5)
    outcome, _ = run(docs, tmp_path / "out", k=9, quick=True)
    assert outcome.summary.n_documents == 58
    assert [group.size > 0 for group in outcome.summary.groups] == [True] * 9


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


@pytest.mark.parametrize(
    ("k", "documents", "streamed"),
    [(100, 10**6, True), (5, 10**6, False), (100, 2 * 10**5, False), ((2, 100), 10**6, True)],
)
def test_many_short_documents_in_many_groups_take_more_memory(docs, monkeypatch, k, documents, streamed):
    """A million documents of thirty words in 100 groups took 6.2 GB: scores of all groups are held of each."""
    monkeypatch.setattr(memory, "extent", lambda docs, fields: Extent(documents, 250_000_000))
    assert memory.streams(LargeSettings(docs, k=k, memory="4G")) == streamed
    assert not memory.streams(LargeSettings(docs, k=k, memory="8G"))


@pytest.mark.parametrize("documents", [10**5, 10**5 + 1])
def test_texts_that_are_averaged_take_more_memory(docs, monkeypatch, documents):
    """100,000 documents of thirty words took 2.2 GB: rows averaged with their neighbours are sixteen times as full."""
    monkeypatch.setattr(memory, "extent", lambda docs, fields: Extent(documents, 25_000_000))
    asked = LargeSettings(docs, k=20, memory="1G")
    assert memory.streams(asked) == (documents == 10**5)
    assert not memory.streams(replace(asked, memory="3G"))


def test_new_documents_are_read_in_a_stream_where_their_scores_take_more_memory(docs, tmp_path, monkeypatch):
    run(docs, tmp_path / "out", k=20)
    for documents, streamed in ((10**6, True), (10**4, False)):
        monkeypatch.setattr(memory, "extent", lambda *_, n=documents: Extent(n, 10**6))
        assert memory.streams_new(AssignSettings(tmp_path / "out", docs, memory="500M")) == streamed
        assert not memory.streams_new(AssignSettings(tmp_path / "out", docs, memory="2G"))


def test_new_documents_that_are_averaged_take_more_memory(whole, monkeypatch):
    docs, model, _ = whole
    monkeypatch.setattr(memory, "extent", lambda docs, fields: Extent(10, 10**7))
    asked = AssignSettings(model, docs, memory="500M")
    assert not memory.streams_new(asked)
    monkeypatch.setattr(DocumentClustering, "neighbours_", 1)
    assert memory.streams_new(asked)


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


def test_a_run_in_memory_loads_nothing_of_the_workers():
    """A process that begins as those of the tests do has loaded what a run in memory takes, and the workbench."""
    load = "import sys, outgroup.cli.main, outgroup.cli.cluster, outgroup.stream.memory"
    unused = "{'outgroup.rows.dask', 'outgroup.stream.workers'} & set(sys.modules)"
    found = ran(start=f"{load}; assert not {unused}")
    assert found.returncode == 0, found.stderr
