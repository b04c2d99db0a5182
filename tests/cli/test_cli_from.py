"""Going on from a result: numbers and names stay, what changed is told, and what cannot be is said plainly."""

import csv
import json
import re
import shlex
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

import outgroup
from outgroup.cli.main import app
from outgroup.cli.result import read_past
from outgroup.decisions import undo
from outgroup.demo import documents_path, off_topic_path
from outgroup.readers.corpus import read_corpus
from outgroup.session import Session

LINES = documents_path().read_text(encoding="utf-8").splitlines()
IDS = [json.loads(line)["id"] for line in LINES]
QUICK = ["-k", "5", "--quick"]


def run(*given):
    return CliRunner().invoke(app, [str(each) for each in given])


def written(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def session_of(folder):
    return json.loads((folder / "session.json").read_text(encoding="utf-8"))


def groups_of(folder):
    with (folder / "assignments.csv").open(encoding="utf-8", newline="") as file:
        return {row["id"]: row["cluster"] for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    folder = tmp_path_factory.mktemp("from") / "first"
    assert run("cluster", documents_path(), *QUICK, "--out", folder, "-q").exit_code == 0
    return folder


def test_with_equal_documents_nothing_moves(first, tmp_path):
    found = run("cluster", documents_path(), "--from", first, "--out", tmp_path / "r")
    assert found.exit_code == 0, found.output
    assert found.output.startswith("Changed   0 documents moved\n")
    said = shlex.join(["outgroup", "workbench", str(documents_path()), "--from", str(tmp_path / "r")])
    assert f"Correct   {said}" in found.output.splitlines()  # the next step of who sees something wrong
    for name in ("assignments.csv", "clusters.json", "session.json"):
        assert (tmp_path / "r" / name).read_bytes() == (first / name).read_bytes()


def test_the_commands_of_a_result_name_paths_as_they_were_given_and_repeat_nothing_that_follows(
    first, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "a.jsonl", LINES)
    shutil.copytree(first, "b")
    assert run("cluster", "a.jsonl", "--from", "b", "--quick", "--out", "c").exit_code == 0
    record = json.loads((tmp_path / "c" / "run.json").read_text(encoding="utf-8"))
    assert record["command"] == "outgroup cluster a.jsonl --from b --out c --quick"
    assert record["next"] == "outgroup cluster a.jsonl --from c --steer steering.toml --out c-2"
    assert record["correct"] == "outgroup workbench a.jsonl --from c"
    assert run(*shlex.split(record["command"])[1:], "--force").exit_code == 0


def test_documents_without_a_command_suggest_the_command(tmp_path):
    docs = written(tmp_path / "a.jsonl", LINES)
    found = run(docs, "-k", 4)
    assert found.exit_code == 2
    assert shlex.join(["outgroup", "cluster", str(docs), "-k", "4"]) in found.output


def test_the_printed_steering_command_runs_as_it_stands(first, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "a.jsonl", LINES)
    shutil.copytree(first, "b")
    assert run("cluster", "a.jsonl", "--from", "b", "--quick", "--out", "c").exit_code == 0
    Path("steering.toml").write_text('[[decision]]\nkind = "rename"\ngroup = 0\nname = "first"\n', encoding="utf-8")
    for result, free in (("c", "c-2"), ("c-2", "c-3")):
        told = json.loads(Path(result, "run.json").read_text(encoding="utf-8"))["next"]
        found = run(*shlex.split(told)[1:])
        assert found.exit_code == 0, found.output
        assert json.loads(Path(free, "clusters.json").read_text(encoding="utf-8"))[0]["name"] == "first"


def test_new_and_gone_documents_are_told_and_the_others_stay(first, tmp_path):
    new = [line.replace('"id": "d', '"id": "new') for line in LINES[:20]]
    docs = written(tmp_path / "later.jsonl", [*LINES[5:], *new])
    found = run("cluster", docs, "--from", first, "--out", tmp_path / "r")
    assert "20 are new" in " ".join(found.output.split())
    before, after = groups_of(first), groups_of(tmp_path / "r")
    same = [before[each] == after[each] for each in IDS[5:]]
    assert sum(same) >= 0.97 * len(same)
    twins = [before[each] == after[each.replace("d", "new", 1)] for each in IDS[:20]]
    assert sum(twins) >= 18
    assert session_of(tmp_path / "r")["version"] == 2


@pytest.mark.parametrize(("others", "told"), [(len(IDS) // 4, False), (len(IDS), True)])
def test_ids_that_do_not_stay_with_their_documents_are_told(first, tmp_path, others, told):
    turned = [*IDS[1:others], IDS[0], *IDS[others:]]  # as numbers of lines, where a line is put before the others
    rows = [json.dumps(json.loads(line) | {"id": each}) for line, each in zip(LINES, turned, strict=True)]
    found = run("cluster", written(tmp_path / "later.jsonl", rows), "--from", first, "--out", tmp_path / "r", "--quick")
    assert (f"{others:,} of {len(IDS):,} common documents have another text" in found.output) == told


def test_other_ids_of_documents_that_were_there_are_told(first, tmp_path):
    rows = [line.replace('"id": "d', '"id": "new') for line in LINES[20:]]
    docs, later = written(tmp_path / "later.jsonl", rows), tmp_path / "r"
    told = f"{len(rows):,} of {len(LINES):,} missing documents have the same text as a new document: ids changed"
    assert told in " ".join(run("cluster", docs, "--from", first, "--out", later, "--quick").output.split())


def test_decisions_are_followed_with_a_receipt_each(first, tmp_path):
    steer = written(
        tmp_path / "steering.toml",
        [
            *("[[decision]]", 'kind = "merge"', "groups = [3, 1]"),
            *("[[decision]]", 'kind = "rename"', "group = 3", 'name = "wheels"'),
            *("[[decision]]", 'kind = "label"', f'documents = ["{IDS[9]}"]', "groups = []"),
            *("[[decision]]", 'kind = "label"', 'documents = ["gone"]', "groups = [2]"),
            *("[[decision]]", 'kind = "label"', f'documents = ["{IDS[8]}"]', 'groups = ["wheel"]'),
            *("[[decision]]", 'kind = "label"', f'documents = ["{IDS[8]}"]', 'groups = ["bread"]'),
        ],
    )
    found = run("cluster", documents_path(), "--from", first, "--steer", steer, "--out", tmp_path / "r")
    assert found.exit_code == 0, found.output
    said = " ".join(found.output.split())
    assert "groups 3 and 1" in said
    assert "belongs to group 2" in said
    assert said.count("no document has this id") == 1
    assert "you mean 'wheels'?" in said
    assert "group is called 'bread'" in said
    assert "is empty" not in said
    assert "Group 1 is empty" not in (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    session = session_of(tmp_path / "r")
    assert (session["version"], session["numbers"], session["names"]) == (2, [0, 2, 3, 4], {"3": "wheels"})
    groups = json.loads((tmp_path / "r" / "clusters.json").read_text(encoding="utf-8"))
    assert [(each["cluster"], each["version"]) for each in groups] == [(0, 2), (2, 2), (3, 2), (4, 2)]
    assert groups[2]["name"] == "wheels"
    assert set(groups_of(tmp_path / "r").values()) == {"0", "2", "3", "4", "off-topic"}
    record = json.loads((tmp_path / "r" / "run.json").read_text(encoding="utf-8"))
    assert record["changes"]["receipts"][0]["honoured"] is True
    assert len(record["changes"]["receipts"]) == 6
    model = outgroup.DocumentClustering.load(shutil.copytree(tmp_path / "r" / "model", tmp_path / "model"))
    topics = model.topics
    kept = sorted(zip(topics["group"], topics["name"], topics["size"], topics["example"], strict=True))
    assert kept == [(each["cluster"], each["name"], each["size"], each["exemplars"][0]["title"]) for each in groups]
    assert model.numbers_.tolist() == [0, 2, 3, 4]
    again = run("cluster", documents_path(), "--from", tmp_path / "r", "--out", tmp_path / "again")
    assert again.output.startswith("Changed   0 documents moved\n")
    table = run("assign", tmp_path / "r", documents_path()).stdout
    assigned = {row["id"]: row["cluster"] for row in csv.DictReader(table.splitlines())}
    assert set(assigned.values()) == {"0", "2", "3", "4"}
    alone = run("assign", tmp_path / "model", documents_path()).stdout
    assert {row["id"]: row["cluster"] for row in csv.DictReader(alone.splitlines())} == assigned
    texts = [json.loads(line)["text"] for line in LINES]
    assert model.predict([json.loads(line) for line in LINES]).tolist() == [int(assigned[each]) for each in IDS]
    assert model.explain(texts[0]).group == int(assigned[IDS[0]])
    if find_spec("pandas"):
        model.set_output(transform="pandas")
        assert model.transform(texts[:1]).columns.tolist() == ["0", "2", "wheels", "4"]


@pytest.mark.parametrize("gone", [0, 1])
def test_undoing_what_an_earlier_result_decided(first, tmp_path, gone):
    """Also while the labelled document is gone."""
    label = json.dumps({"kind": "label", "documents": [IDS[0]], "groups": [4]})
    run("cluster", documents_path(), "--from", first, "--steer", written(tmp_path / "a.jsonl", [label]), "-q",
        "--out", tmp_path / "a")  # fmt: skip
    assert groups_of(tmp_path / "a")[IDS[0]] == "4"
    past, corpus = read_past(tmp_path / "a"), read_corpus(documents_path())
    session = Session.after(past, corpus.texts[gone:], ids=corpus.ids[gone:], titles=corpus.titles[gone:])
    back = session.fit(undo(past.decisions), start=session.begin())
    assert (back.state.pins, back.state.absent, back.decisions) == ({}, {}, ())


def test_a_split_that_an_earlier_run_followed_and_that_splits_again_is_told(first, tmp_path):
    rename = {"kind": "rename", "group": 1, "name": "wheels"}
    steer = written(tmp_path / "a.jsonl", map(json.dumps, [{"kind": "split", "group": 0}, rename]))

    def said(earlier, out):
        found = run("cluster", documents_path(), "--from", earlier, "--steer", steer, "--out", out, "--quick")
        return " ".join(found.output.split())

    assert "in an earlier run" not in said(first, tmp_path / "a")
    told = '"group 0 is two" was already applied in an earlier run'
    assert told in said(tmp_path / "a", tmp_path / "b")


def test_what_is_gone_on_from_and_what_steers_is_looked_at_before_documents_are_read(first, tmp_path):
    damaged = written(tmp_path / "damaged.jsonl", ["{"])
    for given in (["--from", tmp_path / "no"], ["--from", first, "--steer", damaged], ["--seeds", damaged]):
        said = run("cluster", tmp_path / "no.jsonl", *given, "--out", tmp_path / "r").output
        assert "no such file" not in said


def test_a_labelled_document_that_was_gone_for_a_night_is_labelled_again(first, tmp_path):
    own = int(groups_of(first)[IDS[0]])
    other, third = [group for group in range(5) if group != own][:2]
    merged = min(other, third)
    label = {"kind": "label", "documents": [IDS[0]], "groups": [other]}
    nights = [
        ("a", LINES, [label, {"kind": "label", "documents": [IDS[1]], "groups": []}]),
        ("b", LINES[2:], [{"kind": "merge", "groups": [merged, max(other, third)]}]),
        ("c", LINES[2:], []),
        ("d", LINES, []),
    ]
    said, before = {}, first
    for night, lines, log in nights:
        docs, steer = written(tmp_path / "docs.jsonl", lines), written(tmp_path / "s.jsonl", map(json.dumps, log))
        found = run("cluster", docs, "--from", before, "--steer", steer, "--out", tmp_path / night, "--quick")
        said[night], before = " ".join(found.output.split()), tmp_path / night
    told = f"labels of removed documents have no effect until the documents return: '{IDS[0]}', '{IDS[1]}'"
    assert [night for night, each in said.items() if told in each] == ["b"]
    groups, session = groups_of(before), session_of(before)
    assert (groups[IDS[0]], groups[IDS[1]]) == (str(merged), "off-topic")
    assert (session["pins"][IDS[0]][:2], session["away"]) == ([merged, 1.0], [IDS[1]])


def test_decisions_steer_a_first_result_too(tmp_path):
    unknown = "[off_topic]\ndocuments = ['nobody']"
    steer = written(tmp_path / "s.toml", ['[clusters."wheels"]', f'documents = ["{IDS[0]}"]', unknown])
    found = run("cluster", documents_path(), *QUICK, "--steer", steer, "--out", tmp_path / "r")
    assert found.exit_code == 0, found.output
    assert session_of(tmp_path / "r")["names"] == {"0": "wheels"}
    assert groups_of(tmp_path / "r")[IDS[0]] == "0"


def test_the_universum_of_the_earlier_run_is_shown_and_given_again(tmp_path):
    off = written(tmp_path / "off.jsonl", off_topic_path().read_text(encoding="utf-8").splitlines())
    run("cluster", documents_path(), *QUICK, "--universum", off, "--out", tmp_path / "a", "-q")
    found = run("cluster", documents_path(), "--from", tmp_path / "a", "--out", tmp_path / "b")
    assert found.exit_code == 2
    assert str(off) in "".join(found.output.split())
    assert "--universum" in found.output
    assert not (tmp_path / "b").exists()
    found = run("cluster", documents_path(), "--from", tmp_path / "a", "--universum", off, "--out", tmp_path / "b")
    assert found.output.startswith("Changed   0 documents moved\n")
    assert groups_of(tmp_path / "a") == groups_of(tmp_path / "b")
    again = json.loads((tmp_path / "a" / "run.json").read_text())["next"]
    assert f"--universum {off}" in again


@pytest.mark.parametrize(
    ("name", "value", "option"),
    [
        ("label", ["a"], "--label"),
        ("text", 3, "--text"),
        ("k", 0, "-k"),
        ("stop_words", "s3://bucket/words.txt", "--stop-words"),
        ("universum", {"a": 1}, "--universum"),
        ("universum", 3, "--universum"),
    ],
)
def test_what_an_earlier_run_was_told_is_what_its_option_takes(first, tmp_path, name, value, option):
    forged = shutil.copytree(first, tmp_path / "forged")
    record = json.loads((forged / "run.json").read_text(encoding="utf-8"))
    record["parameters"][name] = value
    (forged / "run.json").write_text(json.dumps(record), encoding="utf-8")
    found = run("cluster", documents_path(), "--from", forged, "--out", tmp_path / "r")
    assert found.exit_code == 2
    assert f"run.json is damaged: {value!r} is not valid for {option}" in " ".join(found.output.split())


def test_a_group_without_end_is_damage(first, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    forged = shutil.copytree(first, tmp_path / "forged")
    session = session_of(forged)
    session["documents"][IDS[3]][0] = float("inf")
    (forged / "session.json").write_text(json.dumps(session), encoding="utf-8")
    found = run("cluster", documents_path(), "--out", "r", "--from", forged)
    assert found.exit_code == 2
    assert "damaged" in found.output


def test_a_number_of_a_group_is_one_that_labels_can_hold(first, tmp_path):
    forged = shutil.copytree(first, tmp_path / "forged")
    session = session_of(forged)
    session["numbers"][-1] = 2**31
    session["documents"] = {each: (0, text) for each, (_, text) in session["documents"].items()}
    (forged / "session.json").write_text(json.dumps(session), encoding="utf-8")
    found = run("cluster", documents_path(), "--from", forged, "--out", tmp_path / "r")
    assert found.exit_code == 2
    assert "the session is damaged" in " ".join(found.output.split())


@pytest.mark.parametrize("content", ["{", "[]", '{"parameters": 3}', "[" * 100_000])
def test_a_record_that_is_none_is_told(first, tmp_path, content):
    forged = shutil.copytree(first, tmp_path / "forged")
    (forged / "run.json").write_text(content, encoding="utf-8")
    found = run("cluster", documents_path(), "--from", forged, "--out", tmp_path / "r")
    assert found.exit_code == 2
    assert "run.json is damaged" in " ".join(found.output.split())


def test_what_cannot_be_gone_on_from_is_said(first, tmp_path):
    def told(*given):
        found = run("cluster", documents_path(), *given, "--out", tmp_path / "r")
        assert found.exit_code == 2
        return " ".join(found.output.split())

    assert "does not exist" in told("--from", tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    assert "has no session.json" in told("--from", tmp_path / "empty")
    project = written(tmp_path / "work.outgroup", [])
    assert "work.outgroup is a file" in told("--from", project)
    assert "-k cannot change" in told("--from", first, "-k", "9")
    assert "-k cannot change" in told("--from", first, "-k", "8"), "it is the default, and was said"
    assert "made without --stop-words" in told("--from", first, "--stop-words", "re,fwd")
    (tmp_path / "job.toml").write_text("k = 8\n", encoding="utf-8")
    assert "-k cannot change" in told("--from", first, "--config", tmp_path / "job.toml")
    assert "--seeds starts a new" in told("--from", first, "--seeds", tmp_path / "x.toml")
    assert "cannot read" in told("--from", first, "--steer", tmp_path / "x.toml")
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / "session.json").write_text('{"format": "outgroup-session", "form": 1}', encoding="utf-8")
    assert "damaged" in told("--from", damaged) or "no model" in told("--from", damaged)
    (damaged / "session.json").write_text("{", encoding="utf-8")
    assert "is damaged" in told("--from", damaged)
    assert not (tmp_path / "r").exists()


def test_what_is_set_aside_is_what_the_threshold_flags_less_what_was_taken_back(tmp_path):
    first = tmp_path / "first"
    run("cluster", documents_path(), "-k", "5", "--universum", off_topic_path(), "--out", first, "--quick")
    groups = groups_of(first)
    out, inside = ([each for each, group in groups.items() if (group == "off-topic") is away] for away in (True, False))
    log = [{"kind": "label", "documents": [inside[0]], "groups": []}] + [
        {"kind": "label", "documents": [each], "groups": [0]} for each in out[:2]
    ]
    steer = written(tmp_path / "s.jsonl", map(json.dumps, log))
    again = ("--from", first, "--universum", off_topic_path(), "--steer", steer)
    found = run("cluster", documents_path(), *again, "--out", tmp_path / "r", "--quick")
    record = json.loads((tmp_path / "r" / "run.json").read_text(encoding="utf-8"))["off_topic"]
    flagged = next(each["flagged"] for each in record["thresholds"] if each["used"])
    assert (record["thrown_away"], record["taken_back"]) == (1, 2)
    assert record["count"] == flagged - 2 + 1 == list(groups_of(tmp_path / "r").values()).count("off-topic")
    said = " ".join(found.output.split())
    assert f": 1 by decisions, {flagged - 2} by the threshold" in said
    assert f"The threshold flags {flagged} documents; decisions keep 2" in said


def test_every_command_that_an_output_names_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("outgroup.cli.workbench.Bench.run", lambda bench, say: bench.desk.close())
    written(tmp_path / "docs.jsonl", LINES)
    Path("steering.toml").write_text('[[decision]]\nkind = "merge"\ngroups = [0, 1]\n')
    first = run("cluster", "docs.jsonl", *QUICK).output
    again = json.loads(Path("docs-clusters/run.json").read_text())["next"]
    demo = run("demo").output
    later = run(*shlex.split(again)[1:])
    assert later.exit_code == 0, later.output
    named = [*first.splitlines(), *later.output.splitlines(), *demo.splitlines()[-3:]]
    commands = [found[1] for line in named if (found := re.search(r"(?:^|  )(outgroup .*)$", line))]
    commands = [command for command in commands if "my-documents" not in command]
    commands.append(json.loads(Path("docs-clusters-2/run.json").read_text())["next"])
    assert len(commands) == 4
    failed = {each: found.output for each in commands if (found := run(*shlex.split(each)[1:])).exit_code}
    assert failed == {}


def test_the_name_that_a_result_shows_names_its_group(first, tmp_path):
    groups = json.loads((first / "clusters.json").read_text())
    steer = tmp_path / "s.toml"
    steer.write_text(f'[[decision]]\nkind = "merge"\ngroups = [{json.dumps(groups[1]["name"])}, 3]\n')
    assert run("cluster", documents_path(), "--from", first, "--steer", steer, "--out", tmp_path / "r").exit_code == 0
    record = json.loads((tmp_path / "r" / "run.json").read_text())["changes"]
    assert record["receipts"][0]["decision"]["groups"] == [groups[1]["cluster"], 3]
    assert record["receipts"][0]["honoured"]


def test_a_new_group_answers_the_note_on_its_theme(first, tmp_path):
    new = [
        {"id": f"n{i}", "text": f"the telescope shows planet, comet and galaxy number {i} at night"} for i in range(30)
    ]
    docs = written(tmp_path / "docs.jsonl", [*LINES, *map(json.dumps, new)])
    steer = written(
        tmp_path / "steer.toml",
        ["[[decision]]", 'kind = "new-group"', 'documents = ["n0", "n1", "n2"]', 'name = "sky"'],
    )
    notes = {}
    for name, decisions in (("asked", []), ("answered", ["--steer", steer])):
        found = run("cluster", docs, "--from", first, *decisions, "--quick", "--out", tmp_path / name)
        assert found.exit_code == 0, found.output
        notes[name] = json.loads((tmp_path / name / "run.json").read_text(encoding="utf-8"))["changes"]["notes"]
    assert any("telescope" in note for note in notes["asked"])
    assert not any("telescope" in note for note in notes["answered"])
    assert len({groups_of(tmp_path / "answered")[each["id"]] for each in new}) == 1
