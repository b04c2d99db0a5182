"""`--weight`: shares of groups and tables by a column, with weights."""

from pathlib import Path

import numpy as np
import pytest
from commands import loaded, outgroup, printed, records
from factories import KITCHEN, TRAINS
from scipy.stats import chi2_contingency

TEXTS = (KITCHEN + TRAINS) * 5


def country(i):
    return "DE" if i % 8 < 4 or i % 5 == 0 else "FR"


def written(weight, code=0, **fields):
    records("docs.jsonl", TEXTS, country=country, w=weight, **fields)
    return outgroup(
        *("cluster", "docs.jsonl", "-k", 2, "--quick", "--force"),
        *("--by", "country", "--weight", "w", "--out", "out"),
        code=code,
    )


def by():
    return loaded("out/run.json")["by"]


def groups():
    return loaded("out/clusters.json")


def test_weights_are_summed_in_shares_and_tables():
    said = " ".join(written(lambda i: 1.5 if i % 8 < 4 else 0.5).output.split())
    assert sorted((group["size"], group["weight"]) for group in groups()) == [(20, 10), (20, 30)]
    assert sorted(group["share"] for group in groups()) == pytest.approx([0.25, 0.75])
    assert np.sum(by()["counts"]) == 40
    assert by()["weight"] == "w"
    assert "weighted by w" in said
    assert "75 %" in said
    assert " by weight" in Path("out/report.html").read_text()


def test_equal_weights_give_the_test_of_the_counts():
    written(lambda i: 2)
    doubled = by()
    outgroup("cluster", "docs.jsonl", "-k", 2, "--quick", "--by", "country", "--out", "plain")
    plain = loaded("plain/run.json")["by"]
    assert np.allclose(np.array(plain["counts"]) * 2, doubled["counts"])
    found = chi2_contingency(plain["counts"], correction=False)
    for test in (plain["test"], doubled["test"]):
        assert (test["statistic"], test["df"], test["p"]) == pytest.approx((found.statistic, found.dof, found.pvalue))
    assert plain["weight"] == ""


def test_the_workbook_has_a_sheet_of_the_table():
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("xlsxwriter")
    records("docs.jsonl", TEXTS, country=country, w=lambda i: 1.5)
    printed(
        *("cluster", "docs.jsonl", "-k", 2, "--quick", "--table", "xlsx"),
        *("--by", "country", "--weight", "w", "--out", "out"),
    )
    book = openpyxl.load_workbook("out/assignments.xlsx")
    header, *rows = book["by"].iter_rows(values_only=True)
    assert header == ("cluster", "code", "name", "DE", "FR", "share of DE", "share of FR")
    assert [list(row[3:5]) for row in rows[:2]] == by()["counts"]
    assert rows[2][2:5] == ("all", *np.sum(by()["counts"], axis=0))
    assert sum(row[5] for row in rows[:2]) == pytest.approx(1)
    assert "Chi-square" in rows[3][2]
    assert next(book["groups"].iter_rows(values_only=True))[3:6] == ("documents", "weight", "share")


@pytest.mark.parametrize("value", ["", "many", "1,5", "-1", "nan", "inf", "1e200"])
def test_an_invalid_weight_names_its_document(value):
    said = " ".join(written(lambda i: value if i == 7 else 1, code=2).output.split())
    assert "--weight 'w'" in said
    assert "'d7'" in said


def test_weights_of_zero_and_an_unknown_column_are_refused():
    assert "all weights are 0" in " ".join(written(lambda i: 0, code=2).output.split())
    assert "there is no such column" in printed("cluster", "docs.jsonl", "-k", 2, "--weight", "mass", code=2)
