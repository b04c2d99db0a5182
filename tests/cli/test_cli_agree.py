"""`outgroup agree`: two tables, or results, of the same documents."""

import csv
import json

import pytest
from typer.testing import CliRunner

from outgroup.cli.main import app

FIRST = "id,title,code\n1,Late parcel,delivery\n2,Broken cup,damage; delivery\n3,Rude clerk,service\n4,Nothing,\n"
SECOND = "id,title,theme\n1,Late parcel,delivery\n2,Broken cup,damage\n3,=cmd(),price\n5,Other,price\n"


@pytest.fixture
def tables(tmp_path):
    for name, content in (("first.csv", FIRST), ("second.csv", SECOND)):
        (tmp_path / name).write_text(content)
    return [str(tmp_path / "first.csv"), str(tmp_path / "second.csv"), "--code", "code,theme"]


def run(*words):
    return CliRunner().invoke(app, ["agree", *map(str, words)])


def test_two_tables_are_compared_and_differences_written_to_settle(tables, tmp_path):
    done = run(*tables, "--out", tmp_path / "settle.csv", "--json")
    record = json.loads(done.stdout)
    assert (record["documents"], record["only_first"], record["only_second"]) == (3, 0, 1)
    assert record["same"] == pytest.approx(1 / 3)
    assert {each["code"]: each["both"] for each in record["codes"]}["delivery"] == 1
    with (tmp_path / "settle.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [*csv.DictReader(file)]
    assert [(row["id"], row["first"], row["second"], row["settled"]) for row in rows] == [
        ("2", "damage; delivery", "damage", ""),
        ("3", "service", "price", ""),
    ]


def test_the_terminal_shows_alpha_codes_and_confusions(tables):
    shown = run(*tables).stdout
    assert all(part in shown for part in ("3 documents by both", "Krippendorff", "Broken cup", "service | price"))


def test_codes_with_other_names_or_without_common_codes_are_noted(tmp_path):
    tables = [tmp_path / "one.csv", tmp_path / "two.csv"]
    tables[0].write_text("id,code,name\n1,1,price\n2,2,staff\n")
    tables[1].write_text("id,code,name\n1,1,app\n2,2,staff\n")
    done = run(*tables)
    assert "1: price / app" in " ".join(done.stderr.split())
    assert "1 price / app" in done.stdout
    tables[1].write_text("id,code\n1,price\n2,staff\n")
    assert "100%" in run(*tables).stdout
    tables[0].write_text("id,code\n1,1\n2,2\n")
    assert "column name" in " ".join(run(*tables).stderr.split())


def test_a_blank_name_is_no_name(tmp_path):
    tables = [tmp_path / "one.csv", tmp_path / "two.csv"]
    tables[0].write_text("id,code,name\n1,1,\n2,2,staff\n")
    tables[1].write_text("id,code,name\n1,1,app\n2,2,  \n")
    done = run(*tables)
    assert "different names" not in done.stderr
    assert "1 app" in done.stdout
    assert "2 staff" in done.stdout


def test_a_file_of_the_user_is_not_replaced(tables, tmp_path):
    (tmp_path / "settle.csv").write_text("mine\n")
    for more in ([], ["--force"]):
        assert run(*tables, "--out", tmp_path / "settle.csv", *more).exit_code == 2
    assert (tmp_path / "settle.csv").read_text() == "mine\n"
    assert run(*tables, "--out", tables[0], "--force").exit_code == 2


def test_a_missing_column_or_table_is_named(tables, tmp_path):
    done = run(*tables[:2], "--code", "topic")
    assert (done.exit_code, "'topic'" in done.stderr) == (2, True)
    assert run(tables[0], tmp_path).exit_code == 2
    for role in ("id", "title"):
        assert f"--{role}" in run(*tables, f"--{role}", "number").stderr


def test_numbers_of_groups_count_as_their_codes(tmp_path):
    (tmp_path / "a.csv").write_text("id,cluster,code,groups\n1,0,21,0\n2,1,34,1; 0\n")
    (tmp_path / "b.csv").write_text("id,code\n1,21\n2,34; 21\n")
    assert json.loads(run(tmp_path / "a.csv", tmp_path / "b.csv", "--json").stdout)["same"] == 1.0


def test_names_of_one_coder_are_the_numbers_of_the_other(tmp_path):
    (tmp_path / "a.csv").write_text("id,code,name\n1,2,price\n2,1,2\n3,3,service\n")
    (tmp_path / "b.csv").write_text("id,label\n1,price\n2,1\n3,price; service\n")
    record = json.loads(run(tmp_path / "a.csv", tmp_path / "b.csv", "--json").stdout)
    assert {each["code"]: (each["first"], each["second"], each["both"]) for each in record["codes"]} == {
        "1": (1, 1, 1),
        "2": (1, 2, 1),
        "3": (1, 1, 1),
    }
    # also names in the column of the codes
    (tmp_path / "a.csv").write_text("id,code,name\n1,2,price\n2,1,service\n")
    (tmp_path / "b.csv").write_text("id,code,name\n1,price,price\n2,service,service\n")
    for pair in (("a.csv", "b.csv"), ("b.csv", "a.csv")):
        assert json.loads(run(*(tmp_path / name for name in pair), "--json").stdout)["same"] == 1.0


def test_a_result_agrees_with_itself_and_options_for_columns_do_not_apply_to_it(tmp_path):
    made = tmp_path / "demo"
    CliRunner().invoke(app, ["demo", "--out", str(made)])
    record = json.loads(run(made, made, "--json").stdout)
    assert (record["same"], record["alpha"]["value"], record["kappa"]) == (1.0, 1.0, 1.0)
    assert "off-topic" in {each["code"] for each in record["codes"]}
    with (made / "assignments.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [(row["id"], row["code"]) for row in csv.DictReader(file)]
    with (tmp_path / "person.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("Case No", "theme"), *rows])
    record = json.loads(run(made, tmp_path / "person.csv", "--id", "Case No", "--code", "theme", "--json").stdout)
    assert (record["documents"], record["same"]) == (sum(bool(code) for _, code in rows), 1.0)
