"""`--weight`: shares of groups and tables by a column, with weights."""

from pathlib import Path

import numpy as np
import pytest
from commands import loaded, outgroup, records
from factories import KITCHEN, TRAINS

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
    assert "| share by weight | trust |" in Path("out/summary.md").read_text()


@pytest.mark.parametrize("value", ["", "1,500", "-1", "nan", "1e200"])
def test_an_invalid_weight_names_its_document(value):
    said = " ".join(written(lambda i: value if i == 7 else 1, code=2).output.split())
    assert "--weight 'w'" in said
    assert "'d7'" in said


def test_weights_of_a_column_with_decimal_commas():
    written(lambda i: "1,5" if i % 8 < 4 else "0,5")
    assert sorted(group["weight"] for group in groups()) == [10, 30]
