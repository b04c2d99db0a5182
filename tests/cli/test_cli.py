"""The command line, on real files: results, bad input, and nothing left behind when something goes wrong."""

import csv
import json
import os
import random
import re
import shutil
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import numpy as np
import pytest
from commands import loaded, outgroup, records, table
from factories import KITCHEN, TRAINS, write
from forks import ran

from outgroup.cli import installation

VOCABULARY = {
    "kitchen": "bread butter knife oven flour crust yeast dough salt pan",
    "trains": "train town station ticket platform railway driver signal track coach",
    "spam": "winner prize click claim free offer urgent lottery bonus casino",
}
COLUMNS = ["id", "title", "cluster", "code", "name", "second", "margin"]
COLUMNS += ["off_topic_score", "off_topic", "off_topic_words", "skipped"]
RESULT = ["assignments.csv", "clusters.json", "codebook.csv", "model", "report.html", "run.json"]
RESULT += ["session.json", "summary.md"]


def documents(here):
    for name, texts in (("kitchen", KITCHEN), ("trains", TRAINS)):
        for number, text in enumerate(texts):
            write(here / "docs" / name / f"{number}.txt", text)
    return here / "docs"


@pytest.fixture
def folder(here):
    return documents(here)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A result in two groups, which tests copy."""
    place = tmp_path_factory.mktemp("made")
    with chdir(place):
        documents(place)
        cluster("docs", "-k", 2, "--out", "a")
    return place / "a"


@pytest.fixture
def result(folder, made):
    """The documents, and their result `a`."""
    shutil.copytree(made, "a")


def cluster(*words, code=0):
    return outgroup("cluster", *words, code=code)


def assigned(path):
    """The rows of a table of `assign`, without the column that only it has."""
    return [{name: cell for name, cell in row.items() if name != "unlike_all"} for row in table(path)]


def content(folder):
    """Every file of a result that must come out the same again."""
    names = ["assignments.csv", "clusters.json", "model/model.json", "model/arrays.bin"]
    return {name: (Path(folder) / name).read_bytes() for name in names}


def listed():
    return sorted(os.listdir())


def test_a_folder_of_documents_becomes_a_folder_of_results(folder):
    result = cluster("docs", "-k", 2)
    assert sorted(os.listdir("docs-clusters")) == RESULT
    rows = table("docs-clusters/assignments.csv")
    assert list(rows[0]) == COLUMNS
    assert [row["id"] for row in rows][:2] == ["kitchen/0.txt", "kitchen/1.txt"]
    assert len({row["cluster"] for row in rows[:4]}) == len({row["cluster"] for row in rows[4:]}) == 1
    assert all(float(row["margin"]) > 0 for row in rows)
    run = loaded("docs-clusters/run.json")
    assert run["agreement"]["accuracy"] == 1.0
    assert run["documents"] == 8
    assert {"reading", "analysing", "fitting"} <= set(run["timings"])
    assert {"parameters", "versions", "objective", "lower_bound"} <= set(run)
    groups = loaded("docs-clusters/clusters.json")
    assert {"bread", "butter"} <= {word["word"] for group in groups for word in group["words"]}
    for said in ("accuracy 1.00", "Trust", "report.html"):
        assert said in result.stdout


@pytest.fixture
def flooded(here):
    """Sixty documents of two groups, ten off-topic ones among them, and other off-topic ones as examples."""
    rng = random.Random(0)

    def text(kind):
        return " ".join(rng.choices(VOCABULARY[kind].split(), k=7))

    kinds = ["kitchen", "trains"] * 25 + ["spam"] * 10
    records("docs.jsonl", [text(kind) for kind in kinds], label=lambda i: kinds[i])
    records("off.jsonl", [text("spam") for _ in range(60)])
    return kinds


def test_off_topic_documents_are_flagged_with_their_words_and_keep_their_group(flooded):
    cluster("docs.jsonl", "-k", 2, "--universum", "off.jsonl", "--quick", "--out", "a")
    rows = table("a/assignments.csv")
    flagged = [kind for kind, row in zip(flooded, rows, strict=True) if row["off_topic"] == "yes"]
    assert set(flagged) == {"spam"}
    assert {row["off_topic"] for row in rows} == {"yes", "no"}
    lowest = min(float(row["off_topic_score"]) for row in rows if row["off_topic"] == "yes")
    assert all(float(row["off_topic_score"]) < lowest for row in rows if row["off_topic"] == "no")
    for row in rows:
        assert bool(row["off_topic_words"]) == (row["off_topic"] == "yes")
        assert set(row["off_topic_words"].split()) <= set(VOCABULARY["spam"].split())
    run = loaded("a/run.json")
    assert run["off_topic"]["count"] == len(flagged)
    assert run["off_topic"]["threshold"]["flagged"] == len(flagged)


def test_new_documents_go_into_the_same_groups(result):
    records("new.jsonl", ["fresh bread", "late trains", "zzz", ""])
    rows = list(csv.DictReader(outgroup("assign", "a", "new.jsonl").stdout.splitlines()))
    old = {row["id"]: row["cluster"] for row in table("a/assignments.csv")}
    assert [row["cluster"] for row in rows] == [old["kitchen/0.txt"], old["trains/0.txt"], "", ""]
    assert rows[2]["skipped"] == "no known word"
    assert rows[3]["skipped"] == "no text"
    outgroup("assign", "a/model", "new.jsonl", "--out", "new.csv")
    assert table("new.csv") == rows
    assert "--force" in outgroup("assign", "a", "new.jsonl", "--out", "new.csv", code=2).stderr
    said = outgroup("assign", "a", "docs", "--out", "new.csv", "--force").stdout
    assert said == "new.csv: 8 documents in 2 groups\n"
    assert assigned("new.csv") == table("a/assignments.csv")


def test_outliers_are_flagged_or_set_aside_on_request():
    rng, common = random.Random(0), VOCABULARY["spam"].split()
    topics = [VOCABULARY[name].split() for name in ("kitchen", "trains") for _ in range(40)]
    records("docs.jsonl", [" ".join([*rng.sample(words, 5), rng.choice(common)]) for words in topics])
    cluster("docs.jsonl", "-k", 2, "--quick")
    plain = table("docs-clusters/assignments.csv")
    said = outgroup("cluster", "docs.jsonl", "-k", 2, "--quick", "--outliers", "flag", "--out", "flag").stdout
    flagged = table("flag/assignments.csv")
    names = [row["id"] for row in flagged if row["outlier"] == "yes"]
    assert 0 < len(names) <= 0.05 * len(plain) + 1
    assert f"{len(names)} of {len(plain)} documents flagged" in said
    outgroup("cluster", "docs.jsonl", "-k", 2, "--quick", "--outliers", "set-aside", "--out", "aside")
    assert [row["id"] for row in table("aside/assignments.csv") if row["skipped"]] == names
    outgroup("cluster", "docs.jsonl", "--from", "aside", "--out", "again")
    assert table("again/assignments.csv") == table("aside/assignments.csv")


def test_json_is_all_that_is_printed_and_quiet_prints_errors_alone(folder):
    result = cluster("docs", "-k", 2, "--quick", "--json")
    told = json.loads(result.stdout)
    assert told["out"] == str(Path("docs-clusters").resolve())
    assert sum(group["size"] for group in told["groups"]) == 8
    assert result.stderr == ""
    assert cluster("docs", "-k", 2, "--quick", "--quiet", "--force").output == ""
    assert "exists" in cluster("docs", "-k", 2, "--quiet", code=2).stderr


def test_a_config_file_takes_the_place_of_options(folder):
    Path("job.toml").write_text(
        'docs = "docs"\nk = 2\nout = "a"\nwith-text = true\nstop_words = "said"\nstrip = ["quotes", "headers"]'
    )
    outgroup("cluster", "--config", "job.toml")
    parameters = loaded("a/run.json")["parameters"]
    assert (parameters["k"], parameters["with_text"], parameters["stop_words"]) == (2, True, "said")
    assert parameters["strip"] == "quotes,headers"
    outgroup("cluster", "--config", "job.toml", "--out", "b", "-k", 3)
    assert loaded("b/run.json")["parameters"]["k"] == 3


def test_options_are_described_without_docstrings():
    words = [sys.executable, "-OO", "-m", "outgroup", "cluster", "--help"]
    found = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "K|auto|FROM-TO" in found.stdout


def test_a_file_cannot_name_the_model_to_which_the_workbench_sends_texts(folder):
    Path("job.toml").write_text('docs = "docs"\nmodel = "http://127.0.0.1:9/v1#small"')
    assert "unknown key 'model'" in outgroup("workbench", "--config", "job.toml", "--no-browser", code=2).stderr


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("wieght = 3", "unknown key 'wieght'; did you mean 'weight'?"),
        ("force = 1", "force = 1 is not valid: give true or false"),
        ("k = 0", "'-k'"),
        ("k = ", "not a TOML file"),
        (r'docs = "C:\Users\me\t.csv"', "in single quotes"),
        ("\xff", "not a TOML file"),
    ],
)
def test_a_config_file_is_checked_like_the_command_line(folder, toml, words):
    Path("job.toml").write_bytes(toml.encode("latin-1"))
    assert words in outgroup("cluster", "docs", "--config", "job.toml", code=2).stderr
    assert listed() == ["docs", "job.toml"]


def test_bad_documents_end_in_one_plain_line():
    Path("docs.csv").write_text("id,body\n1,bread\n")
    result = cluster("docs.csv", "-k", 3, code=2)
    assert result.stdout == ""
    assert re.fullmatch(r"Error: .*no field 'text'.*'id', 'body'.*\n", result.stderr)
    assert listed() == ["docs.csv"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--universum", "nowhere"], "no such file or folder: nowhere"),
        (["--universum", "empty"], "contains no documents"),
        (["-k", "0"], "'-k'"),
        (["--language", "klingon"], "klingon"),
        (["--out", "docs"], "inside the documents"),
        (["--out", "missing/result"], "does not exist"),
        (["--out", "strange.jsonl", "--force"], "not made by outgroup"),
        (["--out", "pictures", "--force"], "not made by outgroup"),
    ],
)
def test_options_of_no_use_are_named_and_nothing_is_touched(folder, options, words):
    records("strange.jsonl", ["dividends", "123"])
    os.mkdir("empty")
    os.mkdir("pictures")
    Path("pictures/cat.png").touch()
    before = listed()
    assert words in cluster("docs", *options, code=2).stderr
    assert listed() == before
    assert os.listdir("pictures") == ["cat.png"]


def test_pockets_are_listed_with_words_and_examples_and_hidden_on_request():
    words = ("red", "green", "blue", "white", "black", "brown", "grey", "pink")
    topics = [f"{a} {b} wheels" for a in words for b in words]
    replies = [f"office closed until monday {day}" for day in ("may", "june", "july", "august", "april")]
    records("docs.jsonl", topics + replies)
    result = cluster("docs.jsonl", "-k", 2)
    assert "such as “office closed until monday" in " ".join(result.stdout[result.stdout.index("Junk?") :].split())
    (found,) = loaded("docs-clusters/run.json")["pockets"]
    assert sorted(found["documents"]) == [f"d{number}" for number in range(64, 69)]
    assert set(found["examples"]) <= set(replies)
    assert len(found["examples"]) == 3
    assert "#view=list&amp;is.Junk%3F=" in Path("docs-clusters/report.html").read_text()
    for option in ("--quick", "--redact"):
        cluster("docs.jsonl", "-k", 2, option, "--force")
        record = loaded("docs-clusters/run.json")
        assert "until monday" not in json.dumps(record)
        assert bool(record["pockets"]) == (option == "--redact")


def test_near_duplicates_are_counted_and_listed():
    notice = "Order {}: the parcel left our warehouse this morning and arrives on Monday"
    records("docs.jsonl", [*KITCHEN, *TRAINS, *(notice.format(number) for number in (1, 2, 2)), "Line 1", "Line 2"])
    result = cluster("docs.jsonl", "-k", 2)
    record = loaded("docs-clusters/run.json")
    assert record["near_duplicates"] == [["d8", "d9", "d10"]]
    assert record["duplicates"] == [["d9", "d10"]]
    assert "3 documents share 1 text, apart from" in " ".join(result.stdout.split())
    assert "3 documents share 1 text, apart from" in Path("docs-clusters/report.html").read_text()


def test_hostile_names_and_texts_stay_words():
    hostile = ["../../etc/passwd", "<script>alert(1)</script>", '=cmd|"/c calc"!A1', "[bold red]x[/]"]
    hostile += ["+1", "@a", "-2", "\t=1"]
    texts = [f"{text} {name} \x1b[31m {{name}} %s" for text, name in zip(KITCHEN + TRAINS, hostile, strict=True)]
    records("docs.jsonl", texts, id=lambda i: hostile[i], title=lambda i: hostile[i] + "\x1b]0;title\x07")
    cluster("docs.jsonl", "-k", 2, "--quick", "--table", "csv-excel")
    with open("docs-clusters/assignments.csv", newline="", encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    numbers = {COLUMNS.index(name) for name in ("cluster", "code", "second", "margin", "off_topic_score")}
    assert all(np.isfinite(float(row[at])) for row in rows[1:] for at in numbers)
    cells = [cell for row in rows for at, cell in enumerate(row) if at not in numbers]
    assert not [cell for cell in cells if cell.startswith(tuple("=+-@\t\r"))]
    assert "'" + hostile[2] in cells
    assert listed() == ["docs-clusters", "docs.jsonl"]


def test_assignments_keep_titles_names_and_other_columns_in_the_order_of_the_input():
    texts = [KITCHEN[0], "", *KITCHEN[1:], *TRAINS, "late trains"]
    fields = {"subject": lambda i: f"S{i}", "stars": lambda i: -i, "margin": lambda i: "m"}
    records("docs.jsonl", texts, note=lambda i: "=SUM(A1)", **fields)
    cluster("docs.jsonl", "-k", 2, "--quick", "--title", "subject")
    rows = table("docs-clusters/assignments.csv")
    assert list(rows[0]) == [*COLUMNS, "note", "stars", "margin (input)"]
    assert [row["id"] for row in rows] == [f"d{i}" for i in range(10)]
    assert [row["skipped"] for row in rows if row["skipped"]] == ["no known word"]
    names = {group["cluster"]: group["name"] for group in loaded("docs-clusters/clusters.json")}
    for number, row in enumerate(rows):
        if not row["skipped"]:
            assert row["title"] == f"S{number}"
            assert (row["stars"], row["note"], row["margin (input)"]) == (str(-number), "=SUM(A1)", "m")
            assert row["name"] == names[int(row["cluster"])]
            assert row["second"] == str(1 - int(row["cluster"]))
    outgroup("assign", "docs-clusters", "docs.jsonl", "--out", "again.csv")
    again = assigned("again.csv")
    assert [row.pop("skipped") == "" for row in again] == [row.pop("skipped") == "" for row in rows]
    assert again == rows


def steered(decisions, code=0):
    Path("seeds.toml").write_text(decisions)
    return cluster("docs", "-k", 2, "--steer", "seeds.toml", "--quick", "--out", "out", code=code)


def test_names_and_numbers_of_seeds_are_kept_and_their_receipts_are_everywhere(folder):
    label, word = '[[decision]]\nkind = "label"\n', '[[decision]]\nkind = "word"\n'
    seeds = f'{label}documents = ["trains/0.txt", "trains/2.txt"]\ngroups = ["By rail"]\n'
    seeds += f'{word}words = ["station"]\ngroup = "By rail"\n'
    seeds += f'{word}words = ["buttered"]\ngroup = "kitchen"\nweight = 2.0\n'
    said = " ".join(steered(seeds).output.split())
    run = loaded("out/run.json")
    receipts = run["changes"]["receipts"]
    assert [each["decision"].get("words") for each in receipts] == [None, ["station"], ["buttered"]]
    assert receipts[0]["honoured"] is True
    for place in (said, Path("out/report.html").read_text()):
        assert f"belong to By rail: {receipts[0]['sentence']}" in place
    assert run["parameters"]["steer"] == "seeds.toml"
    assert "--steer seeds.toml" in run["command"]
    assert [group["name"] for group in loaded("out/clusters.json")] == ["By rail", "kitchen"]
    rows = table("out/assignments.csv")
    assert {row["id"].split("/")[0]: row["cluster"] for row in rows} == {"trains": "0", "kitchen": "1"}


@pytest.mark.parametrize(
    ("seeds", "message"),
    [("[[decision\n", "seeds.toml"), ('[[decision]]\nkind = "word"\nwords = ["nothing"]\ngroup = "a"', "vocabulary")],
)
def test_seeds_that_cannot_be_used_leave_nothing_behind(folder, seeds, message):
    assert message in steered(seeds, 2).output
    assert not Path("out").exists()


def test_the_installation_is_shown(monkeypatch):
    lines = outgroup("--version").stdout.splitlines()
    assert lines[0].split(", ")[0] == f"outgroup {installation.version('outgroup')}"
    assert [line.split(":")[0] for line in lines[1:4]] == ["kernels", "threads", "extras"]
    monkeypatch.setattr(installation, "_is_installed", lambda name: name != "pyarrow")
    shown = outgroup("--version").stdout
    assert "extra io: missing pyarrow" in shown
    assert "workbench" in shown.split("extras: ")[1].splitlines()[0]


# The rest needs a process of its own, and signals and limits as POSIX has them.

POSIX = pytest.mark.skipif(os.name != "posix", reason="needs the signals and limits of POSIX")


@pytest.mark.parametrize(
    "words",
    [
        ("cluster", "-", "--universum", "-"),
        ("cluster", "docs", "--out", "-"),
        ("agree", "-", "-"),
        ("assign", "-", "docs"),
    ],
)
def test_standard_input_is_read_once_and_is_no_result(folder, words):
    assert "standard input" in " ".join(outgroup(*words, code=2).stderr.split())
    assert listed() == ["docs"]


def test_assign_replaces_only_what_an_earlier_assign_wrote_and_never_an_input(result):
    records("new.jsonl", ["fresh bread", "=late trains"])
    Path("mine.csv").write_text("id,cluster\n1,2\n")
    outgroup("assign", "a", "new.jsonl", "--out", "new.csv")
    changed = Path("new.csv").read_text().splitlines()
    Path("changed.csv").write_text("\n".join([*changed, "a note"]))
    inputs = {name: Path(name).read_bytes() for name in ("new.jsonl", "a/model/model.json", "a/run.json")}
    for out, words in {
        "mine.csv": "not made by outgroup",
        "changed.csv": "not made by outgroup",
        "docs": "inside the documents",
        "new.jsonl": "inside the documents",
        "a/model/model.json": "inside the model's files",
        "a/run.json": "inside the model's files",
        "a/assignments.csv": "inside the model's files",
    }.items():
        docs = "docs" if out == "docs" else "new.jsonl"
        assert words in outgroup("assign", "a", docs, "--out", out, "--force", code=2).stderr
    assert "inside the documents" in outgroup("assign", "a", "new.csv", "--out", "new.csv", "--force", code=2).stderr
    assert {name: Path(name).read_bytes() for name in inputs} == inputs
    outgroup("assign", "a", "docs", "--out", "new.csv", "--force")
    assert len(table("new.csv")) == 8


def test_a_result_never_lies_among_what_is_read_nor_what_is_read_in_it(folder):
    os.mkdir("junk")
    Path("junk/0.txt").write_text("butter on a train")
    said = cluster("docs", "-k", 2, "--universum", "junk", "--out", "junk/result", code=2).stderr
    assert "inside the off-topic examples" in said
    cluster("docs", "-k", 2, "--quick", "--out", "a")
    said = cluster("a/assignments.csv", "--text", "id", "-k", 2, "--out", "a", "--force", code=2).stderr
    assert "the documents lie in" in said
    Path("seeds.toml").write_text('[[decision]]\nkind = "label"\ndocuments = ["kitchen/0.txt"]\ngroups = ["bread"]')
    said = cluster("docs", "-k", 2, "--steer", "seeds.toml", "--out", "seeds.toml", "--force", code=2).stderr
    assert "inside the decisions" in said
    assert listed() == ["a", "docs", "junk", "seeds.toml"]


INTERRUPTED = """
import os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from outgroup.cli import main as cli, result
result.storage.write = lambda *_, **__: os.kill(os.getpid(), signal.SIGINT)
cli.main()
"""


@POSIX
def test_ctrl_c_leaves_what_was_there_and_nothing_else(result):
    before = content("a")
    ended = ran("cluster", "docs", "-k", 3, "--quick", "--out", "a", "--force", start=INTERRUPTED)
    assert (ended.returncode, ended.stdout) == (130, "")
    assert ended.stderr.splitlines()[-1] == "Interrupted; an output is complete or unchanged."
    assert "Traceback" not in ended.stderr
    assert content("a") == before
    assert listed() == ["a", "docs"]


def test_an_unwritable_place_is_named(folder):
    os.mkdir("closed", 0o500)
    if os.access("closed", os.W_OK):
        pytest.skip("this user can write everywhere")
    assert "permission denied" in cluster("docs", "-k", 2, "--out", "closed/a", code=2).stderr
