"""`outgroup diff` and `outgroup replay`: what changed in words, and decisions on other documents."""

import json

import pytest
from factories import about
from forks import FORKS, INTERRUPTED_AT_THE_END, ran
from typer.testing import CliRunner

from outgroup.cli.main import app
from outgroup.decisions import Belongs, Merge, Rename
from outgroup.demo import documents_path
from outgroup.session import Session

ROWS = [json.loads(line) for line in documents_path().read_text(encoding="utf-8").splitlines()]
TEXTS, IDS = [row["text"] for row in ROWS], [row["id"] for row in ROWS]


def run(*given):
    return CliRunner().invoke(app, [str(each) for each in given])


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    session = Session(TEXTS[:200], n_clusters=5, ids=IDS[:200])
    first = session.fit()
    log = [Rename(2, "mine"), Merge((3, 1)), Belongs(IDS[0], 2), Belongs(IDS[150], 0)]
    path = tmp_path_factory.mktemp("project") / "work.outgroup"
    session.save(path, session.fit(log, start=first))
    return path


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_decisions_are_followed_on_new_documents(project, tmp_path):
    docs = written(tmp_path / "new.jsonl", ROWS[100:])
    found = run("replay", project, docs, "--out", tmp_path / "r")
    assert found.exit_code == 0, found.output
    said = " ".join(found.output.split())
    assert "document has this id" in said
    assert "groups 3 and 1" in said
    session = json.loads((tmp_path / "r" / "session.json").read_text(encoding="utf-8"))
    assert (session["numbers"], session["names"]) == ([0, 2, 3, 4], {"2": "mine"})
    assert session["documents"][IDS[150]][0] == 0
    assert IDS[0] not in session["documents"]
    again = run("replay", project, docs, "--out", tmp_path / "s")
    assert again.exit_code == 0
    names = ("session.json", "assignments.csv", "clusters.json")
    assert all((tmp_path / "r" / name).read_bytes() == (tmp_path / "s" / name).read_bytes() for name in names)


def test_new_documents_on_a_new_subject_are_proposed_as_a_group(tmp_path):
    old = about("kitchen", 60, 0) + about("trains", 60, 1)
    session = Session(old, n_clusters=2)
    first = session.fit()
    session.save(tmp_path / "work.outgroup", session.fit([Rename(0, "mine")], start=first))
    rows = [{"id": f"n{i}", "text": text} for i, text in enumerate(about("ships", 20, 2) + about("trains", 5, 3))]
    docs = written(tmp_path / "new.jsonl", rows)
    assert run("replay", tmp_path / "work.outgroup", docs, "--out", tmp_path / "r").exit_code == 0
    (proposed,) = json.loads((tmp_path / "r" / "run.json").read_text(encoding="utf-8"))["changes"]["proposed"]
    assert set(proposed["documents"]) <= {f"n{i}" for i in range(20)}
    assert len(proposed["documents"]) >= 15


def test_documents_are_read_as_those_of_the_project_were_unless_it_is_said_otherwise(tmp_path):
    session, path = Session(TEXTS[:50], n_clusters=2, ids=IDS[:50]), tmp_path / "work.outgroup"
    session.save(path, session.fit(), reading={"text": "title,body", "id": "key", "strip": "quotes", "html": "keep"})
    rows = [{"key": f"k{i}", "title": "a mail", "body": text} for i, text in enumerate(TEXTS[:50])]
    docs = written(tmp_path / "a.jsonl", rows)
    found = run("replay", path, docs, "--out", tmp_path / "r")
    assert found.exit_code == 0, found.output
    assert "k0," in (tmp_path / "r" / "assignments.csv").read_text(encoding="utf-8")
    assert "no field 'nope'" in " ".join(
        run("replay", path, docs, "--text", "nope", "--out", tmp_path / "s").output.split()
    )


def test_a_replay_is_told_as_what_it_is(project, tmp_path):
    docs = written(tmp_path / "new.jsonl", ROWS[100:])
    run("replay", project, docs, "--out", tmp_path / "r", "--id", "id")
    record = json.loads((tmp_path / "r" / "run.json").read_text(encoding="utf-8"))
    assert record["command"] == f"outgroup replay {project} {docs} --out {tmp_path / 'r'} --id id"
    assert record["parameters"]["k"] == 5
    assert run(*record["command"].split()[1:], "--force").exit_code == 0


def test_a_replay_is_told_as_json(project, tmp_path):
    docs = written(tmp_path / "new.jsonl", ROWS[100:])
    found = run("replay", project, docs, "--out", tmp_path / "r", "--json")
    assert found.exit_code == 0, found.output
    told, kept = json.loads(found.stdout), json.loads((tmp_path / "r" / "run.json").read_text(encoding="utf-8"))
    assert told.keys() == {*kept, "out", "groups"}
    assert (told["command"], told["out"]) == (kept["command"], str(tmp_path / "r"))
    assert "--json" not in kept["command"]


def test_off_topic_examples_are_read_where_they_lay(tmp_path):
    texts = [each for each in TEXTS if len(each) > 40]
    off = written(tmp_path / "off.jsonl", [{"body": text} for text in texts[:20]])
    session, path = Session(texts[20:80], n_clusters=2, universum=texts[:20]), tmp_path / "work.outgroup"
    session.save(path, session.fit(), reading={"universum": off, "text": "body"})
    docs = written(tmp_path / "new.jsonl", [{"other": text} for text in texts[20:80]])
    found = run("replay", path, docs, "--text", "other", "--out", tmp_path / "r")
    assert found.exit_code == 0, found.output
    record = json.loads((tmp_path / "r" / "run.json").read_text(encoding="utf-8"))
    assert record["universum"]["count"] == 20
    off.unlink()
    said = " ".join(run("replay", path, docs, "--text", "other", "--out", tmp_path / "s").output.split())
    assert "--universum)" in said


def test_a_project_that_is_none_is_refused(tmp_path):
    found = run("replay", tmp_path / "x.outgroup", documents_path(), "--out", tmp_path / "r")
    assert found.exit_code == 2
    assert "project file" in " ".join(found.output.split())
    assert not (tmp_path / "r").exists()


def test_two_results_are_compared(tmp_path):
    docs, later = written(tmp_path / "a.jsonl", ROWS[:150]), written(tmp_path / "b.jsonl", ROWS[5:160])
    run("cluster", docs, "-k", 5, "--out", tmp_path / "a", "-q")
    steer = tmp_path / "s.jsonl"
    log = [{"kind": "merge", "groups": [0, 4]}, {"kind": "rename", "group": 1, "name": "mine"}]
    steer.write_text("\n".join(map(json.dumps, log)), encoding="utf-8")
    run("cluster", later, "--from", tmp_path / "a", "--steer", steer, "--out", tmp_path / "b", "-q")
    found = run("diff", tmp_path / "a", tmp_path / "b")
    assert found.exit_code == 0, found.output
    assert "10 are new" in found.output.splitlines()[0]
    assert f"{IDS[155]}: new" in found.output
    assert found.output.splitlines()[1] == "group 1 is now named mine"
    as_json = json.loads(run("diff", tmp_path / "a", tmp_path / "b", "--json").output)
    assert (as_json["gone"], as_json["renamed"]) == (IDS[:5], {"1": "mine"})
    assert run("diff", tmp_path / "a", tmp_path / "a").output == "0 documents moved\n"
    back = run("diff", tmp_path / "b", tmp_path / "a")
    assert back.output.splitlines()[1] == "group 1 lost its name mine"
    assert json.loads(run("diff", tmp_path / "b", tmp_path / "a", "--json").output)["renamed"] == {"1": None}


def write_session(folder, documents, version=1):
    content = {"format": "outgroup-session", "form": 1, "version": version, "decisions": [], "documents": documents}
    content |= {"numbers": [0, 1, 2], "names": {}, "pins": {}, "words": {}, "away": [], "ignored": []}
    (folder / "session.json").write_text(json.dumps(content), encoding="utf-8")


def test_documents_that_were_edited_are_told_though_they_stay_where_they_are(tmp_path):
    for name, texts in (("a", ["x", "y", "z"]), ("b", ["x", "other", "z"])):
        (tmp_path / name).mkdir()
        write_session(tmp_path / name, {f"d{i}": [0, text] for i, text in enumerate(texts)})
    found = run("diff", tmp_path / "a", tmp_path / "b")
    assert found.output.splitlines() == ["0 documents moved, 1 edited", "d1: edited"]
    assert json.loads(run("diff", tmp_path / "a", tmp_path / "b", "--json").output)["edited"] == ["d1"]


def test_numbers_of_results_that_do_not_go_on_from_each_other_are_not_trusted(tmp_path):
    for name, groups in (("a", [0, 1, 2]), ("b", [2, 0, 1]), ("c", [0, 2, 2])):
        (tmp_path / name).mkdir()
        write_session(
            tmp_path / name, {str(i): [group, ""] for i, group in enumerate(groups)}, version=2 if name == "c" else 1
        )
    said = " ".join(run("diff", tmp_path / "a", tmp_path / "b").output.split())
    assert "neither result continues" in said
    assert "3 documents moved" in said
    assert "neither" not in run("diff", tmp_path / "a", tmp_path / "a").output
    assert "neither" not in run("diff", tmp_path / "a", tmp_path / "c").output


def test_what_is_no_result_is_told(tmp_path):
    found = run("diff", tmp_path, tmp_path)
    assert found.exit_code == 2
    assert "has no session.json" in " ".join(found.output.split())
    assert "does not exist" in " ".join(run("diff", tmp_path / "x", tmp_path).output.split())
    (tmp_path / "session.json").write_text("[1]", encoding="utf-8")
    assert "is damaged" in " ".join(run("diff", tmp_path, tmp_path).output.split())


@pytest.mark.skipif(not FORKS, reason="needs the signals of POSIX")
def test_an_interrupt_after_the_result_stands_says_that_it_does(project, tmp_path):
    docs = written(tmp_path / "docs.jsonl", [{"id": IDS[i], "text": TEXTS[i]} for i in range(100)])
    ended = ran("replay", project, docs, "--out", tmp_path / "r", start=INTERRUPTED_AT_THE_END)
    assert (ended.returncode, ended.stdout) == (143, "")
    assert ended.stderr.splitlines()[-1] == f"Interrupted; {tmp_path / 'r'} was written before."
