"""`outgroup agree`: two tables, or results, of the same documents."""

import csv
import json
from pathlib import Path

import pytest
from commands import outgroup, table

FIRST = "id,title,code\n1,Late parcel,delivery\n2,Broken cup,damage; delivery\n3,Rude clerk,service\n4,Nothing,\n"
SECOND = "id,title,theme\n1,Late parcel,delivery\n2,Broken cup,damage\n3,=cmd(),price\n5,Other,price\n"


TABLES = ["first.csv", "second.csv", "--code", "code,theme"]


def written(**tables):
    for name, content in tables.items():
        Path(f"{name}.csv").write_text(content)


@pytest.fixture
def tables(here):
    written(first=FIRST, second=SECOND)


def run(*words, code=0):
    return outgroup("agree", *words, code=code)


def agreed(*words):
    return json.loads(run(*words, "--json").stdout)


def test_two_tables_are_compared_and_differences_written_to_settle(tables):
    record = agreed(*TABLES, "--out", "settle.csv")
    assert (record["documents"], record["only_first"], record["only_second"]) == (3, 0, 1)
    assert record["same"] == pytest.approx(1 / 3)
    assert {each["code"]: each["both"] for each in record["codes"]}["delivery"] == 1
    rows = [*csv.DictReader(Path("settle.csv").read_text(encoding="utf-8-sig").splitlines())]
    assert [(row["id"], row["first"], row["second"], row["settled"]) for row in rows] == [
        ("2", "damage; delivery", "damage", ""),
        ("3", "service", "price", ""),
    ]


def test_the_terminal_shows_alpha_codes_and_confusions(tables):
    shown = run(*TABLES).stdout
    assert all(part in shown for part in ("3 documents by both", "Krippendorff", "Broken cup", "service | price"))


def test_codes_with_other_names_or_without_common_codes_are_noted(here):
    written(one="id,code,name\n1,1,price\n2,2,staff\n", two="id,code,name\n1,1,app\n2,2,staff\n")
    done = run("one.csv", "two.csv")
    assert "1: price / app" in " ".join(done.stderr.split())
    assert "1 price / app" in done.stdout
    written(one="id,code\n1,1\n2,2\n", two="id,code\n1,price\n2,staff\n")
    assert "column name" in " ".join(run("one.csv", "two.csv").stderr.split())


def test_a_blank_name_is_no_name(here):
    written(one="id,code,name\n1,1,\n2,2,staff\n", two="id,code,name\n1,1,app\n2,2,  \n")
    done = run("one.csv", "two.csv")
    assert "different names" not in done.stderr
    assert "1 app" in done.stdout
    assert "2 staff" in done.stdout


def test_a_file_of_the_user_is_not_replaced(tables):
    written(settle="mine\n")
    for out in (["settle.csv"], ["settle.csv", "--force"], ["first.csv", "--force"]):
        run(*TABLES, "--out", *out, code=2)
    assert Path("settle.csv").read_text() == "mine\n"
    assert Path("first.csv").read_text() == FIRST


def test_a_missing_column_or_table_is_named(tables):
    assert "'topic'" in run(*TABLES[:2], "--code", "topic", code=2).stderr
    run("first.csv", ".", code=2)
    for role in ("id", "title"):
        assert f"--{role}" in run(*TABLES, f"--{role}", "number", code=2).stderr


NAMED = "id,code,name\n1,2,price\n2,1,service\n"
NAMES = "id,code,name\n1,price,price\n2,service,service\n"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("id,cluster,code,groups\n1,0,21,0\n2,1,34,1; 0\n", "id,code\n1,21\n2,34; 21\n"),
        ("id,code,name\n1,1,price\n2,2,staff\n", "id,code\n1,price\n2,staff\n"),
        (NAMED, NAMES),
        (NAMES, NAMED),
    ],
)
def test_numbers_of_groups_and_names_count_as_their_codes(here, a, b):
    written(a=a, b=b)
    assert agreed("a.csv", "b.csv")["same"] == 1.0


def test_names_of_one_coder_are_the_numbers_of_the_other(here):
    written(a="id,code,name\n1,2,price\n2,1,2\n3,3,service\n", b="id,label\n1,price\n2,1\n3,price; service\n")
    codes = agreed("a.csv", "b.csv")["codes"]
    counts = {each["code"]: (each["first"], each["second"], each["both"]) for each in codes}
    assert counts == {"1": (1, 1, 1), "2": (1, 2, 1), "3": (1, 1, 1)}


def test_a_result_agrees_with_itself_and_options_for_columns_do_not_apply_to_it(here):
    outgroup("demo", "--out", "demo")
    record = agreed("demo", "demo")
    assert (record["same"], record["alpha"]["value"], record["kappa"]) == (1.0, 1.0, 1.0)
    assert "off-topic" in {each["code"] for each in record["codes"]}
    rows = [(row["id"], row["code"]) for row in table("demo/assignments.csv")]
    with Path("person.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("Case No", "theme"), *rows])
    record = agreed("demo", "person.csv", "--id", "Case No", "--code", "theme")
    assert (record["documents"], record["same"]) == (sum(bool(code) for _, code in rows), 1.0)
