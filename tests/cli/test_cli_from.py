"""Going on from a result: numbers and names stay, what changed is told, and what cannot be is said plainly."""

import csv
import json
import re
import shlex
import shutil
from contextlib import chdir
from pathlib import Path

import pytest
from commands import loaded, table
from typer.testing import CliRunner

import outgroup
from outgroup.cli.main import app
from outgroup.cli.start import read_past
from outgroup.decisions import Label, to_toml, undo
from outgroup.demo import documents_path
from outgroup.readers.corpus import read_corpus
from outgroup.session import Session

LINES = documents_path().read_text(encoding="utf-8").splitlines()[::2]
IDS = [json.loads(line)["id"] for line in LINES]
QUICK = ["-k", "5", "--quick"]


def run(*given):
    return CliRunner().invoke(app, [str(each) for each in given])


def written(path, lines):
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def session_of(folder):
    return loaded(folder, "session.json")


def groups_of(folder):
    return {row["id"]: row["cluster"] for row in table(Path(folder, "assignments.csv"))}


@pytest.fixture(autouse=True)
def documents(here):
    written("docs.jsonl", LINES)


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    folder = tmp_path_factory.mktemp("from")
    with chdir(folder):
        written("docs.jsonl", LINES)
        assert run("cluster", "docs.jsonl", *QUICK, "--out", "first", "-q").exit_code == 0
    return folder / "first"


def test_with_equal_documents_nothing_moves(first):
    found = run("cluster", "docs.jsonl", "--from", first, "--out", "r")
    assert found.exit_code == 0, found.output
    assert found.output.startswith("Changed   0 documents moved\n")
    said = shlex.join(["outgroup", "workbench", "docs.jsonl", "--from", "r"])
    assert f"Correct   {said}" in found.output.splitlines()  # the next step of who sees something wrong
    for name in ("assignments.csv", "clusters.json", "session.json"):
        assert (Path("r") / name).read_bytes() == (first / name).read_bytes()


def test_new_and_gone_documents_are_told_and_the_others_stay(first):
    new = [line.replace('"id": "d', '"id": "new') for line in LINES[:20]]
    docs = written("later.jsonl", [*LINES[5:], *new])
    found = run("cluster", docs, "--from", first, "--out", "r")
    assert "20 are new" in " ".join(found.output.split())
    before, after = groups_of(first), groups_of("r")
    same = [before[each] == after[each] for each in IDS[5:]]
    assert sum(same) >= 0.97 * len(same)
    twins = [before[each] == after[each.replace("d", "new", 1)] for each in IDS[:20]]
    assert sum(twins) >= 18
    assert session_of("r")["version"] == 2


def test_decisions_are_followed_with_a_receipt_each(first):
    steer = written(
        "steering.toml",
        [
            *("[[decision]]", 'kind = "merge"', "groups = [3, 1]"),
            *("[[decision]]", 'kind = "rename"', "group = 3", 'name = "wheels"'),
            *("[[decision]]", 'kind = "label"', f'documents = ["{IDS[9]}"]', "groups = []"),
            *("[[decision]]", 'kind = "label"', 'documents = ["gone"]', "groups = [2]"),
            *("[[decision]]", 'kind = "label"', f'documents = ["{IDS[8]}"]', 'groups = ["wheel"]'),
            *("[[decision]]", 'kind = "label"', f'documents = ["{IDS[8]}"]', 'groups = ["bread"]'),
        ],
    )
    found = run("cluster", "docs.jsonl", "--from", first, "--steer", steer, "--out", "r")
    assert found.exit_code == 0, found.output
    said = " ".join(found.output.split())
    assert "groups 3 and 1" in said
    assert "belongs to group 2" in said
    assert said.count("no document has this id") == 1
    assert "you mean 'wheels'?" in said
    assert "group is called 'bread'" in said
    assert "is empty" not in said
    assert "Group 1 is empty" not in Path("r", "report.html").read_text(encoding="utf-8")
    session = session_of("r")
    assert (session["version"], session["numbers"], session["names"]) == (2, [0, 2, 3, 4], {"3": "wheels"})
    groups = loaded(Path("r", "clusters.json"))
    assert [(each["cluster"], each["version"]) for each in groups] == [(0, 2), (2, 2), (3, 2), (4, 2)]
    assert groups[2]["name"] == "wheels"
    assert set(groups_of("r").values()) == {"0", "2", "3", "4", "off-topic"}
    record = loaded(Path("r", "run.json"))
    assert record["changes"]["receipts"][0]["honoured"] is True
    assert len(record["changes"]["receipts"]) == 6
    model = outgroup.DocumentClustering.load(shutil.copytree(Path("r", "model"), "model"))
    topics = model.topics
    kept = sorted(zip(topics["group"], topics["name"], topics["size"], topics["example"], strict=True))
    assert kept == [(each["cluster"], each["name"], each["size"], each["exemplars"][0]["title"]) for each in groups]
    assert model.numbers_.tolist() == [0, 2, 3, 4]
    table = run("assign", "r", "docs.jsonl").stdout
    assigned = {row["id"]: row["cluster"] for row in csv.DictReader(table.splitlines())}
    assert set(assigned.values()) == {"0", "2", "3", "4"}
    alone = run("assign", "model", "docs.jsonl").stdout
    assert {row["id"]: row["cluster"] for row in csv.DictReader(alone.splitlines())} == assigned
    texts = [json.loads(line)["text"] for line in LINES]
    assert model.predict([json.loads(line) for line in LINES]).tolist() == [int(assigned[each]) for each in IDS]
    assert model.explain(texts[0]).group == int(assigned[IDS[0]])
    assert model.get_feature_names_out().tolist() == ["0", "2", "wheels", "4"]


@pytest.mark.parametrize("gone", [0, 1])
def test_undoing_what_an_earlier_result_decided(first, gone):
    """Also while the labelled document is gone."""
    label = to_toml([Label(IDS[0], 4)])
    run("cluster", "docs.jsonl", "--from", first, "--steer", written("a.toml", [label]), "-q", "--out", "a")
    assert groups_of("a")[IDS[0]] == "4"
    past, corpus = read_past(Path("a")), read_corpus(Path("docs.jsonl"))
    session = Session.after(past, corpus.texts[gone:], ids=corpus.ids[gone:], titles=corpus.titles[gone:])
    back = session.fit(undo(past.decisions), start=session.begin())
    assert (back.state.pins, back.state.absent, back.decisions) == ({}, {}, ())


def endless(session):
    session["documents"][IDS[3]][0] = float("inf")


@pytest.mark.parametrize("damage", [endless, "{", '{"parameters": 3}', "[" * 100_000])
def test_damaged_files_of_an_earlier_result_are_refused(first, damage):
    forged = shutil.copytree(first, Path("forged"))
    if callable(damage):
        session = session_of(forged)
        damage(session)
        (forged / "session.json").write_text(json.dumps(session), encoding="utf-8")
    else:
        (forged / "run.json").write_text(damage, encoding="utf-8")
    found = run("cluster", "docs.jsonl", "--from", forged, "--out", "r")
    assert found.exit_code == 2
    assert f"{'session' if callable(damage) else 'run.json'} is damaged" in " ".join(found.output.split())


def test_what_cannot_be_gone_on_from_is_said(first):
    def told(*given):
        found = run("cluster", "docs.jsonl", *given, "--out", "r")
        assert found.exit_code == 2
        return " ".join(found.output.split())

    assert "does not exist" in told("--from", "nowhere")
    Path("empty").mkdir()
    assert "has no session.json" in told("--from", "empty")
    project = written("work.outgroup", [])
    assert "work.outgroup is a file" in told("--from", project)
    assert "-k cannot change" in told("--from", first, "-k", "8"), "it is the default, and was said"
    Path("job.toml").write_text("k = 8\n", encoding="utf-8")
    assert "-k cannot change" in told("--from", first, "--config", "job.toml")
    assert "cannot read" in told("--from", first, "--steer", "x.toml")
    assert not Path("r").exists()


def _closed(bench, say):
    with bench.desk.session, bench.desk:
        pass


def test_the_demo_teaches_and_every_command_that_an_output_names_runs(monkeypatch):
    monkeypatch.setattr("outgroup.cli.workbench.Bench.run", _closed)
    Path("steering.toml").write_text('[[decision]]\nkind = "merge"\ngroups = [0, 1]\n')
    first, demo = run("cluster", "docs.jsonl", *QUICK).output, run("demo").output
    right, wrong = re.search(r"(\d+) of the 32 were set aside, and (\d+) of the 252", " ".join(demo.split())).groups()
    assert int(right) >= 30
    assert int(wrong) <= 2
    off_topic = [row["off_topic"] for row in table("outgroup-demo/assignments.csv")]
    assert off_topic.count("yes") == int(right) + int(wrong)
    Path("mine").mkdir()
    Path("mine/thesis.txt").touch()
    assert "not made by outgroup" in run("demo", "--out", "mine").output
    later = run(*shlex.split(loaded("docs-clusters/run.json")["next"])[1:])
    assert later.exit_code == 0, later.output
    named = [*first.splitlines(), *later.output.splitlines(), *demo.splitlines()[-3:]]
    commands = [found[1] for line in named if (found := re.search(r"(?:^|  )(outgroup .*)$", line))]
    commands = [command for command in commands if "my-documents" not in command]
    commands.append(loaded("docs-clusters-2/run.json")["next"])
    assert len(commands) == 4
    failed = {each: found.output for each in commands if (found := run(*shlex.split(each)[1:])).exit_code}
    assert failed == {}
