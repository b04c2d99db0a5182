"""`outgroup cluster --codebook`: groups start from codes, and each result holds its codebook."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import openpyxl
import pytest
from commands import loaded, printed, table
from factories import KITCHEN, TRAINS

from outgroup.codebook import Code, Codebook

FRAME = Codebook(
    [
        Code(20, "By rail", keywords=["train"], description="trains"),
        Code(10, "Food", examples=["3", "bread and butter"]),
        Code(30, "Weather", keywords=["storm"]),
        Code(99, "other"),
    ]
)


@pytest.fixture(autouse=True)
def answers(here):
    rows = [f"{number},{text!r}" for number, text in enumerate([*KITCHEN, *TRAINS])]
    Path("answers.csv").write_text("\n".join(["id,text", *rows]).replace("'", '"') + "\n")
    FRAME.write("frame.csv")


def codes(folder="out"):
    return {code.number: code for code in Codebook.read(Path(folder, "codebook.csv")).codes}


def renamed(book, path="edited.csv"):
    """Write a codebook with the numbers of another one and other names."""
    edited = [replace(code, name=code.name if code.special else f"Code {code.number}") for code in book.codes]
    Codebook(edited).write(path)
    return {code.number: code.name for code in edited}


def definitions(folder):
    return {group["code"]: group["description"] for group in loaded(folder, "clusters.json") if "description" in group}


def coded(path):
    return [(int(row["code"]), row["name"]) for row in table(path)]


@pytest.mark.parametrize("start", [["--codebook", "frame.csv"], ["-k", "3"]])
def test_edited_names_come_back_at_their_numbers(start):
    printed("cluster", "answers.csv", "--quick", *start, "--levels", "2", "--out", "out")
    first, rows = Codebook.read("out/codebook.csv"), coded("out/assignments.csv")
    names = renamed(first)
    said = printed("cluster", "answers.csv", "--quick", "--from", "out", "--codebook", "edited.csv", "--out", "two")
    assert {number: code.name for number, code in codes("two").items()} == names
    assert coded("two/assignments.csv") == [(number, names[number]) for number, _ in rows]
    groups = loaded("two/clusters.json")
    assert {group["code"]: group["name"] for group in groups}.items() <= names.items()
    page = Path("two/report.html").read_text()
    levels = Path("two/assignments.csv").read_text()
    for group in groups:
        assert group["name"] in said
        assert group["name"] in page
    assert any(f"Code {number}" in levels for number, _ in rows)
    # numbers, names and definitions stay without the codebook, and new documents get them
    printed("cluster", "answers.csv", "--quick", "--from", "two", "--out", "three")
    assert coded("three/assignments.csv") == coded("two/assignments.csv")
    assert definitions("three") == definitions("two")
    assert ("By rail" in str(first)) == bool(definitions("out"))
    assert set(definitions("two").values()) <= {code.description for code in first.codes}
    printed("assign", "two", "answers.csv", "--out", "new.csv")
    assert Path("new.csv").read_text().count("Code ") == len(rows)
    assert coded("new.csv") == coded("two/assignments.csv")


def test_a_codebook_stays_in_later_results_that_do_not_name_it():
    food = Code(10, "Food", 1, include="a cup", exclude="the town", examples=["3"])
    Codebook([Code(1, "Meals"), food, *(code for code in FRAME.codes if code.number != 10)]).write("own.csv")
    printed("cluster", "answers.csv", "--quick", "--codebook", "own.csv", "--out", "out")
    printed("cluster", "answers.csv", "--quick", "--from", "out", "--out", "two")
    Path("steering.toml").write_text('[[decision]]\nkind = "rename"\ngroup = "By rail"\nname = "Trains"\n')
    printed("cluster", "answers.csv", "--quick", "--from", "two", "--steer", "steering.toml", "--out", "three")
    before = codes("out")
    assert codes("two") == before
    assert codes("three") == before | {20: replace(before[20], name="Trains")}
    assert (before[10].include, before[10].exclude, before[10].parent) == ("a cup", "the town", 1)


@pytest.mark.parametrize(("book", "part"), [("none.csv", "none.csv"), ("answers.csv", "'id'")])
def test_a_codebook_that_cannot_be_used_leaves_nothing_behind(book, part):
    assert part in printed("cluster", "answers.csv", "--quick", "--out", "out", "--codebook", book, code=2)
    assert not Path("out").exists()


def test_a_codebook_of_a_result_starts_the_same_groups_with_the_same_numbers():
    printed("cluster", "answers.csv", "--quick", "-k", "2", "--levels", "1", "--out", "out")
    printed("codebook", "out", "--out", "book.xlsx")
    book = Codebook.read("book.xlsx")
    assert book == Codebook.read("out/codebook.csv")
    first, second, parent = book.codes
    texts = {*KITCHEN, *TRAINS}
    assert {first.parent, second.parent} == {parent.number}
    for code in (first, second):
        assert code.description in texts
        assert len(texts.intersection(code.examples)) == 3
    printed("cluster", "answers.csv", "--quick", "--codebook", "book.xlsx", "--out", "two")
    assert coded("two/assignments.csv") == coded("out/assignments.csv")
    assert Codebook.read("two/codebook.csv") == book
    assert printed("codebook", "out", "--out", "book.xlsx", code=2)
    printed("codebook", "out", "--out", "book.xlsx", "--force")
    Path("mine.csv").write_text("mine\n")
    assert "not replaced" in printed("codebook", "out", "--out", "mine.csv", "--force", code=2)
    assert Path("mine.csv").read_text() == "mine\n"


def test_a_definition_is_shown_with_its_group_and_a_subject_without_a_code_is_proposed():
    words = {"train": "rail station line platform", "parcel": "courier late lost doorstep"}
    words["bread"] = "oven flour crust baker"
    rows = [f"{each} {a} {b}" for each, more in words.items() for a, b in combinations(more.split(), 2) for _ in "ab"]
    Path("answers.csv").write_text("\n".join(["text", *rows]) + "\n")
    Codebook([Code(20, "Rail", description="the train & its <line>"), Code(10, "Post", include="parcel")]).write(
        "codes.csv"
    )
    options = ["--encoder", "none", "--table", "xlsx", "--out", "out"]
    said = printed("cluster", "answers.csv", "--quick", "--codebook", "codes.csv", *options)
    assert "the train & its <line>" in said
    assert "the train &amp; its &lt;line&gt;" in Path("out/report.html").read_text()
    sheet = openpyxl.load_workbook("out/assignments.xlsx")["groups"]
    assert "the train & its <line>" in {cell.value for row in sheet for cell in row}
    proposed = loaded("out/run.json")["changes"]["proposed"]
    documents = {int(row) for each in proposed for row in each["documents"]}
    assert documents
    assert {rows[row - 2].split()[0] for row in documents} == {"bread"}
    assert f"{len(proposed[0]['documents'])} documents, {proposed[0]['name']}" in said


def test_a_codebook_of_special_codes_alone_starts_no_group():
    Codebook([Code(99, "other")]).write("other.csv")
    printed("cluster", "answers.csv", "--quick", "-k", "2", "--codebook", "other.csv", "--out", "out")
    assert {99} < set(codes())
    assert len(codes()) == 3


def test_parents_are_the_branches_of_the_coarsest_level():
    printed("cluster", "answers.csv", "--quick", "-k", "3", "--levels", "2,3", "--out", "out")
    first = codes()
    (parent,) = [number for number in first if any(other.parent == number for other in first.values())]
    assert sum(code.parent == parent for code in first.values()) == 2
    Path("again.csv").touch()
    assert "--force" in printed("codebook", "out", "--out", "again.csv", code=2)


@pytest.mark.parametrize("result", ["absent", "answers.csv"])
def test_a_codebook_needs_the_folder_of_a_result(result):
    assert f"{result} " in printed("codebook", result, "--out", "again.csv", code=2)
    assert "cannot read" not in printed("codebook", result, "--out", "again.csv", code=2)
    assert not Path("again.csv").exists()


@pytest.mark.parametrize("way", [[], ["--memory", "500MB"]])
def test_non_answers_have_the_special_code(way):
    with Path("answers.csv").open("a") as file:
        file.write('20,"n/a"\n21,"-"\n22,""\n')
    Codebook([*FRAME.codes, Code(98, "nothing said")]).write("with98.csv")
    printed("cluster", "answers.csv", "--quick", "--codebook", "with98.csv", "--table", "csv", *way, "--out", "out")
    rows = {row["id"]: row for row in table("out/assignments.csv")}
    left = [rows[number] for number in ("20", "21", "22")]
    assert {(row["cluster"], row["code"], row["name"]) for row in left} == {("", "98", "nothing said")}
    assert all(row["code"] not in ("98", "99") for number, row in rows.items() if number < "20")
    # a later run keeps them without the codebook
    printed("cluster", "answers.csv", "--quick", "--from", "out", *way, "--out", "two")
    again = {row["id"]: row for row in table("two/assignments.csv")}
    assert [again[number]["code"] for number in ("20", "21", "22")] == ["98"] * 3
    # and new documents get it
    printed("assign", "two", "answers.csv", "--out", "new.csv")
    new = {row["id"]: row for row in table("new.csv")}
    assert {(new[number]["code"], new[number]["name"]) for number in ("20", "21", "22")} == {("98", "nothing said")}


def test_documents_that_are_set_aside_have_the_special_code():
    food, rail, junk = (
        [" ".join(words) for words in combinations(theme.split(), 3)]
        for theme in (
            "bread butter oven flour dough rolls crust",
            "train town rails station ticket platform",
            "shares dividends bonds yields stocks funds rates profit loss",
        )
    )
    for name, texts in (("answers", [*food, *rail, *junk[::14]]), ("junk", junk)):
        Path(f"{name}.csv").write_text("\n".join(["text", *texts]) + "\n")
    book = [Code(1, "Food", keywords=["bread"]), Code(2, "Rail", keywords=["train"]), Code(99, "elsewhere")]
    Codebook(book).write("99.csv")
    printed("cluster", "answers.csv", "--codebook", "99.csv", "--universum", "junk.csv", "--out", "out")
    printed("assign", "out", "answers.csv", "--out", "new.csv")
    for path in ("out/assignments.csv", "new.csv"):
        aside = [(row["code"], row["name"]) for row in table(path) if row["cluster"] == "off-topic"]
        assert aside
        assert {*aside} == {("99", "elsewhere")}
