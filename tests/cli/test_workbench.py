"""The workbench's job, without its server: what it opens, what it keeps, and what an export may replace."""

import base64
import csv
import json
import zlib
from pathlib import Path

import pytest
from commands import loaded, records
from factories import TEA
from rich.console import Console

from outgroup.cli.cluster import cluster
from outgroup.cli.output import Steps
from outgroup.cli.result import show
from outgroup.cli.settings import WorkbenchSettings
from outgroup.cli.workbench import open_workbench
from outgroup.codebook import Code, Codebook
from outgroup.decisions import Label, Rename
from outgroup.errors import InputError, OutputError
from outgroup.session import Session

RAILS = ["the train to town", "a town with a train", "trains leave the station", "station in town", "late train again"]


@pytest.fixture(autouse=True)
def made(here):
    records("docs.jsonl", TEA + RAILS)


def settings(**given):
    usual = {"docs": Path("docs.jsonl"), "k": 2, "no_project": "project" not in given}
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


def test_the_page_has_the_numbers_of_a_codebook_in_groups_and_receipts():
    Codebook([Code(20, "Trains", keywords=["train"]), Code(31, "Tea", keywords=["tea"])]).write("frame.csv")
    bench = opened(settings(codebook=Path("frame.csv")))
    with bench.desk:
        view = bench.view()
        bench.desk.decide([Rename(1, "Leaves"), Label("d0", 0)])
        assert bench.desk.wait(60, after=True)
        groups = json.loads(zlib.decompress(base64.b64decode(view.parts()["summary"])))["groups"]
        assert {each["code"]: each["name"] for each in groups} == {20: "Trains", 31: "Leaves"}
        assert "in group 20" in view.receipt(len(bench.desk.log) - 1)["sentence"]
        folder = bench.export(bench.desk.version, view.measured(bench.desk.version))
    assert {each["code"]: each["name"] for each in loaded(folder / "clusters.json")} == {20: "Trains", 31: "Leaves"}


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


@pytest.mark.parametrize("docs", ["docs.jsonl", "notes", "."])
def test_decisions_are_stored_beside_the_documents_and_reopened(docs, monkeypatch):
    Path("notes").mkdir()
    for name in ("docs.jsonl", "notes/docs.jsonl"):
        Path(name).write_bytes(Path("docs.jsonl").read_bytes())
    monkeypatch.chdir("notes" if docs == "." else ".")
    place = Path("../notes.outgroup") if docs == "." else Path(f"{docs}.outgroup")
    given = {"docs": Path(docs), "no_project": False, "out": Path("../result")}
    bench = opened(settings(**given))
    with bench.desk, bench.desk.session:
        bench.desk.decide([Rename(1, "second")])
        assert bench.desk.wait(60)
    bench = closed(settings(**given))
    assert bench.desk.log == (Rename(1, "second"),)
    with Session.open(place) as session:  # it needs no other file
        assert session.documents.texts == TEA + RAILS
    with pytest.raises(InputError, match="-k cannot change") as refused:
        opened(settings(**given | {"k": 3}))
    assert "--no-project" in refused.value.__notes__[0]
    assert closed(settings(**given | {"no_project": True})).desk.log == ()


def closed(given):
    bench = opened(given)
    with bench.desk:
        bench.desk.session.close()
    return bench


def test_a_project_alone_finds_what_it_was_made_of_also_where_both_have_moved(monkeypatch):
    records("off.jsonl", ["milk prices", "tea futures"])
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
    assert (record["off_topic"]["count"], record["off_topic"]["discarded"]) == (1, 1)
    said = "1 of 10 documents (10 %) was set aside as off-topic, by decisions."
    page = (folder / "report.html").read_text()
    assert said.replace("'", "&#39;") in page
    assert "were left out" not in page
    with Steps(Console(stderr=True), quiet=True) as steps:
        show(cluster(settings(from_=folder, out=Path("again")), steps)[0], folder)
    printed = " ".join(capsys.readouterr().out.split())
    assert said in printed
    assert "Skipped" not in printed
