"""The workbench's job, without its server: what it opens, what it keeps, and what an export may replace."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from commands import loaded
from factories import TEA
from forks import COMMAND, started
from rich.console import Console

from outgroup.cli.cluster import cluster
from outgroup.cli.output import Steps
from outgroup.cli.result import show
from outgroup.cli.settings import WorkbenchSettings
from outgroup.cli.workbench import open_workbench
from outgroup.decisions import Label, Rename, write_decisions
from outgroup.errors import InputError, OutputError
from outgroup.session import Session
from outgroup.workbench.controller import Desk

RAILS = ["the train to town", "a town with a train", "trains leave the station", "station in town", "late train again"]


@pytest.fixture(autouse=True)
def made(here):
    rows = [{"id": f"d{i}", "body": text} for i, text in enumerate(TEA + RAILS)]
    Path("docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def settings(**given):
    usual = {"docs": Path("docs.jsonl"), "k": 2, "text": "body", "no_project": "project" not in given}
    return WorkbenchSettings(**(usual | given))


def opened(given):
    with Steps(Console(stderr=True), quiet=True) as steps:
        bench = open_workbench(given, steps)
    assert bench.desk.wait(60)
    return bench


def clustered():
    with Steps(Console(stderr=True), quiet=True) as steps:
        return cluster(settings(), steps)[1]


def test_an_export_replaces_its_own_result_and_no_earlier_one():
    earlier = (clustered() / "run.json").read_bytes()
    bench = opened(settings())
    with bench.desk:
        with pytest.raises(OutputError, match="start it with --force"):
            bench.export(bench.desk.version)
        assert Path("docs-clusters/run.json").read_bytes() == earlier
    bench = opened(settings(out=Path("mine")))
    with bench.desk:
        assert bench.export(bench.desk.version) == bench.export(bench.desk.version) == Path("mine").resolve()


EXPORT = """
import sys
from pathlib import Path
from rich.console import Console
from outgroup.cli.output import Steps
from outgroup.cli.settings import WorkbenchSettings
from outgroup.cli.workbench import open_workbench
from outgroup.errors import OutgroupError
asked = WorkbenchSettings(project=Path(sys.argv[1]), out=Path("mine"), force=True, quick=True)
try:
    bench = open_workbench(asked, Steps(Console(stderr=True), quiet=True))
    with bench.desk.session:
        bench.export(bench.desk.version)
except OutgroupError:
    sys.exit(1)
"""


def content(folder):
    """The files of a result that do not tell the time."""
    return {name: (folder / name).read_bytes() for name in ("assignments.csv", "clusters.json", "model/arrays.bin")}


def at_once(*commands, start=COMMAND):
    """Start commands at once and return how each ended."""
    with open("output", "w") as output:
        running = [started(*words, start=start, stdout=output, stderr=output) for words in commands]
        try:
            return [each.wait(120) for each in running]
        finally:
            for each in running:
                each.close()


def test_two_clusterings_into_one_place_at_once_leave_the_result_of_one():
    words = [("cluster", "docs.jsonl", "--text", "body", "-k", k, "--quick", "--force", "--out") for k in (2, 3)]
    assert at_once(*((*each, f"alone-{number}") for number, each in enumerate(words))) == [0, 0]
    alone = [content(Path(f"alone-{number}")) for number in (0, 1)]
    for _ in range(2):
        ended = at_once(*((*each, "mine") for each in words))
        assert content(Path("mine")) in [alone[number] for number in (0, 1) if ended[number] == 0]
        assert sorted(path.name for path in Path().glob(".*")) == []


def test_two_exports_of_two_projects_at_once_leave_one_whole():
    for name, k in (("one", 2), ("other", 3)):
        session = Session(TEA + RAILS, n_clusters=k)
        session.save(f"{name}.outgroup", session.fit(), embed_texts=True)
    names, alone = ["one.outgroup", "other.outgroup"], {}
    for name in names:
        assert at_once((name,), start=EXPORT) == [0], Path("output").read_text()
        alone[name] = content(Path("mine"))
    for _ in range(2):
        ended = at_once(*((name,) for name in names), start=EXPORT)
        assert content(Path("mine")) in [alone[name] for name, code in zip(names, ended, strict=True) if code == 0]
        assert sorted(path.name for path in Path().glob(".*")) == []


def test_an_export_says_what_was_decided_and_how_its_groups_are_opened_again():
    bench = opened(settings(project=Path("w.outgroup"), embed_texts=True, out=Path("a")))
    with bench.desk, bench.desk.session:
        bench.desk.decide([Label("d9", ()), *(Rename(1, f"name {i}") for i in range(9))])
        assert bench.desk.wait(60)
        folder = bench.export(bench.desk.version)
    run = loaded(folder / "run.json")
    assert run["command"] == "outgroup workbench --project w.outgroup --out a"
    assert run["changes"]["receipts"][0]["decision"] == {"kind": "label", "documents": ["d9"], "groups": []}
    page = (folder / "report.html").read_text()
    assert 'id="changed"' in page
    assert "10 decisions" in page
    assert "d9 is junk" in page


def test_a_project_begun_with_decisions_is_whole_whatever_ends_the_workbench_then(monkeypatch):
    write_decisions([Rename(1, "second")], Path("steering.toml"))
    monkeypatch.setattr(Desk, "_rest", lambda desk: None)  # as where it was killed before
    closed(settings(steer=Path("steering.toml"), project=Path("w.outgroup")))
    with Session.open("w.outgroup", documents=TEA + RAILS) as session:
        assert dict(session.version.names) == {1: "second"}


@pytest.mark.parametrize("docs", ["docs.jsonl", "notes", "."])
def test_decisions_are_stored_beside_the_documents_and_reopened(docs, monkeypatch):
    Path("notes").mkdir()
    for name in ("docs.jsonl", "notes/docs.jsonl"):
        Path(name).write_bytes(Path("docs.jsonl").read_bytes())
    monkeypatch.chdir("notes" if docs == "." else ".")
    place = Path("../notes.outgroup") if docs == "." else Path(f"{docs}.outgroup")
    given = {"docs": Path(docs), "no_project": False, "out": Path("../result")}
    bench = opened(settings(**given))
    assert bench._begun() == f"{place} stores every decision and the texts; delete the file to delete them."
    with bench.desk, bench.desk.session:
        bench.desk.decide([Rename(1, "second")])
        assert bench.desk.wait(60)
        assert bench._ended() == f"Every decision is in {place}."
    bench = closed(settings(**given))
    assert bench._begun() == f"{place} continues: 2 groups after 1 decision."
    assert bench.desk.log == (Rename(1, "second"),)
    with Session.open(place) as session:  # it needs no other file
        assert session.documents.texts == TEA + RAILS
    with pytest.raises(InputError, match="-k cannot change") as refused:
        opened(settings(**given | {"k": 3}))
    assert "--no-project" in refused.value.__notes__[0]
    assert closed(settings(**given | {"no_project": True})).desk.log == ()


def test_a_project_that_cannot_be_written_is_refused_before_anything_is_read(monkeypatch):
    for place in (".", "w.outgroup"):
        if place != ".":
            Path(place).write_bytes(b"")
        closed = Path(place).absolute()
        monkeypatch.setattr("os.access", lambda path, mode, closed=closed: Path(path).absolute() != closed)
        with pytest.raises(OutputError, match=r"is not writable, so .* cannot store decisions"):
            opened(settings(docs=Path("not-there.jsonl"), project=Path("w.outgroup")))


def closed(given):
    bench = opened(given)
    with bench.desk:
        bench.desk.session.close()
    return bench


def test_a_project_alone_finds_what_it_was_made_of_also_where_both_have_moved(monkeypatch):
    Path("off.jsonl").write_text('{"body": "milk prices"}\n{"body": "tea futures"}\n')
    first = closed(settings(universum=Path("off.jsonl"), project=Path("w.outgroup")))
    Path("moved").mkdir()
    for each in ("off.jsonl", "docs.jsonl", "w.outgroup"):
        Path(each).rename(Path("moved", each))
    bench = closed(WorkbenchSettings(project=Path("moved/w.outgroup")))
    assert bench.material.corpus.texts == TEA + RAILS
    assert bench.material.universum == ["milk prices", "tea futures"]
    assert bench.desk.version.labels.tolist() == first.desk.version.labels.tolist()
    assert bench.settings.docs == Path("moved/docs.jsonl").absolute()
    monkeypatch.chdir("moved")
    assert closed(WorkbenchSettings(project=Path("w.outgroup"), label="id")).material.corpus.labels[0] == "d0"


def test_a_project_alone_that_keeps_its_texts_needs_nothing_else():
    Path("off.jsonl").write_text('{"body": "milk prices"}\n{"body": "tea futures"}\n')
    closed(settings(universum=Path("off.jsonl"), project=Path("w.outgroup"), embed_texts=True))
    Path("docs.jsonl").unlink()
    Path("off.jsonl").unlink()
    bench = closed(WorkbenchSettings(project=Path("w.outgroup")))
    assert (bench.material.corpus.ids[0], bench.material.corpus.texts) == ("d0", TEA + RAILS)
    assert bench.material.universum == ["milk prices", "tea futures"]
    run = json.loads((bench.export(bench.desk.version) / "run.json").read_text())
    assert (run["title"], run["parameters"]["text"]) == ("docs", "body")


def test_texts_that_are_not_there_any_more_are_asked_for_by_their_option():
    Path("off.jsonl").write_text('{"body": "milk prices"}\n{"body": "tea futures"}\n')
    closed(settings(universum=Path("off.jsonl"), project=Path("w.outgroup")))
    Path("off.jsonl").unlink()
    with pytest.raises(InputError, match=r"off\.jsonl, which .*off-topic examples .*--universum"):
        opened(settings(project=Path("w.outgroup")))
    Path("docs.jsonl").unlink()
    with pytest.raises(InputError, match=r"docs\.jsonl, which .*documents .*DOCS"):
        opened(WorkbenchSettings(project=Path("w.outgroup")))


@pytest.mark.parametrize("goes_on", [False, True])
def test_decisions_that_are_brought_along_are_in_a_new_project(goes_on):
    clustered()
    write_decisions([Rename(1, "second")], "steer.toml")
    given = {"project": Path("w.outgroup"), "embed_texts": True, "steer": Path("steer.toml")}
    given |= {"from_": Path("docs-clusters")} if goes_on else {}
    bench = opened(settings(**given))
    with bench.desk:
        assert dict(bench.desk.version.names) == {1: "second"}
        bench.desk.session.close()
    session = Session.open("w.outgroup")
    assert session.log == (Rename(1, "second"),)
    assert session.project.settings["reading"]["text"] == "body"
    session.close()
    with pytest.raises(InputError, match="omit --"):
        opened(settings(**given))


def test_an_option_that_a_project_has_settled_is_told_and_what_is_not_said_is_as_then():
    project = Path("w.outgroup")
    given = {"project": project, "embed_texts": True, "k": (2, 3)}
    with opened(settings(**given)).desk as desk:
        desk.session.close()
    for name, value in {"k": 4, "language": "german"}.items():
        with pytest.raises(InputError, match=r"cannot change, because .*w\.outgroup .* or name a new"):
            opened(settings(**given | {name: value, "docs": Path("not-there.jsonl")}))
    with pytest.raises(InputError, match="-k cannot change"):
        opened(settings(**given | {"k": 8, "explicit": frozenset({"k"})}))  # the default, but it is given explicitly
    with opened(settings(**given)).desk as desk:
        desk.session.close()
    bench = opened(WorkbenchSettings(Path("docs.jsonl"), project=project))
    with bench.desk:
        assert (bench.settings.k, bench.settings.text) == (len(bench.desk.version.numbers), "body")
        said = f"w.outgroup continues: {bench.settings.k} groups after 0 decisions."
        assert bench._continued(bench.desk.session.project) == said
        bench.desk.session.close()


def test_a_project_is_let_go_of_at_the_end_and_nothing_lies_beside_it(monkeypatch):
    monkeypatch.setattr("outgroup.cli.workbench.serve", lambda routes, **options: None)
    said = []
    opened(settings(project=Path("w.outgroup"), embed_texts=True)).run(said.append)
    assert said[-1] == "Every decision is in w.outgroup."
    assert [each.name for each in Path().glob("w.outgroup*")] == ["w.outgroup"]
    Session.open("w.outgroup").close()


def test_what_was_thrown_away_is_off_topic_in_all_that_is_exported(capsys):
    bench = opened(settings(out=Path("mine")))
    with bench.desk:
        bench.desk.decide([Label("d3", ())])
        assert bench.desk.wait(60)
        folder = bench.export(bench.desk.version)
    with (folder / "assignments.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    out = [(row["id"], row["name"], row["off_topic"], row["skipped"]) for row in rows if row["cluster"] == "off-topic"]
    assert out == [("d3", "labelled off-topic", "yes", "")]
    record = loaded(folder / "run.json")
    assert (record["documents"], record["skipped"], len(rows)) == (10, 0, 10)
    assert (record["off_topic"]["count"], record["off_topic"]["thrown_away"]) == (1, 1)
    said = "1 of 10 documents (10 %) was set aside as off-topic, by decisions."
    page = (folder / "report.html").read_text()
    assert said.replace("'", "&#39;") in page
    assert "were left out" not in page
    with Steps(Console(stderr=True), quiet=True) as steps:
        show(cluster(settings(from_=folder, out=Path("again")), steps)[0], folder)
    printed = " ".join(capsys.readouterr().out.split())
    assert said in printed
    assert "Skipped" not in printed


@pytest.mark.parametrize("name", ["docs.csv", "docs.jsonl"])
def test_an_opened_document_shows_its_other_columns_and_the_project_keeps_none(name, monkeypatch):
    monkeypatch.setattr("outgroup.cli.material._KINDS", 2)
    rows = [{"id": f"d{i}", "body": text, "tone": "ab"[i % 2], "customer": f"name {i}"} for i, text in enumerate(TEA)]
    with Path(name).open("w", newline="") as file:
        if name.endswith("csv"):
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        else:
            file.write("".join(json.dumps(row) + "\n" for row in rows))
    bench = opened(settings(docs=Path(name), project=Path("w.outgroup"), embed_texts=True))
    with bench.desk.session, bench.desk:
        found = bench.view().pages().document(3)
    assert (found["fields"], found["others"]) == ([["tone", "b"]], [["customer", "name 3"]])
    Path(name).unlink()
    bench = opened(WorkbenchSettings(project=Path("w.outgroup"), out=Path("mine")))
    with bench.desk.session, bench.desk:
        found = bench.view().pages().document(3)
    assert (found["fields"], found["others"]) == ([], [])
    assert b"name 3" not in Path("w.outgroup").read_bytes()


def test_seeds_are_followed_from_the_first_groups_on_and_kept():
    Path("seeds.toml").write_text('[clusters.rails]\ndocuments = ["d5"]\nwords = ["station"]\n')
    bench = closed(settings(seeds=Path("seeds.toml"), project=Path("w.outgroup")))
    assert [each.kind for each in bench.desk.log] == ["label", "word"]
    assert "rails" in bench.desk.version.names.values()
    with Session.open("w.outgroup") as session:
        assert session.log == bench.desk.log


def test_seeds_that_cannot_be_followed_are_told_before_anything_is_read():
    Path("seeds.toml").write_text('[cluster.rails]\ndocuments = ["d5"]\n')
    given = {"docs": Path("not-there.jsonl"), "seeds": Path("seeds.toml")}
    with pytest.raises(InputError, match="unknown key 'cluster'"):
        opened(settings(**given))
    for name in ("from_", "steer"):
        with pytest.raises(InputError, match="--seeds starts a new"):
            opened(settings(**given | {name: Path("docs.jsonl")}))
    closed(settings(project=Path("w.outgroup")))
    with pytest.raises(InputError, match="omit --seeds, or"):
        opened(settings(seeds=Path("seeds.toml"), project=Path("w.outgroup")))


@pytest.mark.parametrize(
    ("project", "out"),
    [("docs/work.outgroup", "r"), ("r", "r"), ("r/work.outgroup", "r"), ("work", "work/r"), ("from/work", "r")],
)
def test_a_new_project_lies_apart_from_documents_and_results(project, out):
    Path("docs").mkdir()
    Path("docs.jsonl").rename("docs/a.jsonl")
    clustered_at = Path("from")
    with Steps(Console(stderr=True), quiet=True) as steps:
        cluster(settings(docs=Path("docs/a.jsonl"), out=clustered_at), steps)
    Path("r").mkdir()
    given = settings(docs=Path("docs"), project=Path(project), out=Path(out))
    with pytest.raises(InputError, match="project"):
        opened(replace(given, from_=clustered_at, k=8, text="text") if project == "from/work" else given)
    assert not Path(project).is_file()
