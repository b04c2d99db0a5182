"""Seeds with `outgroup cluster --steer`: names kept, everything told, nothing unknown dropped in silence."""

from pathlib import Path

import pytest
from commands import loaded, printed, table
from factories import KITCHEN, TRAINS


@pytest.fixture(autouse=True)
def docs(here):
    """Every test works in an empty folder with eight documents, two topics."""
    for name, texts in (("kitchen", KITCHEN), ("trains", TRAINS)):
        for number, text in enumerate(texts):
            Path("docs", name).mkdir(parents=True, exist_ok=True)
            Path("docs", name, f"{number}.txt").write_text(text)


def clustered(seeds, code=0, *options):
    Path("seeds.toml").write_text(seeds, encoding="utf-8")
    words = ["cluster", "docs", "-k", "2", "--steer", "seeds.toml", "--quick", "--out", "out", *options]
    return printed(*words, code=code)


def test_names_and_numbers_are_kept_and_the_receipt_is_everywhere():
    said = clustered("""
        [[decision]]
        kind = "label"
        documents = ["trains/0.txt", "trains/2.txt"]
        groups = ["By rail"]
        [[decision]]
        kind = "word"
        words = ["station"]
        group = "By rail"
        [[decision]]
        kind = "word"
        words = ["buttered"]
        group = "kitchen"
        weight = 2.0
    """)
    assert "trains/0.txt and 1 more belong to By rail: 2 of 2 documents" in said
    run = loaded("out/run.json")
    receipts = {
        str(each["decision"].get("documents", each["decision"].get("words"))): each
        for each in run["changes"]["receipts"]
    }
    assert receipts["['trains/0.txt', 'trains/2.txt']"]["honoured"]
    assert {"['station']", "['buttered']"} <= {*receipts}
    assert run["parameters"]["steer"] == "seeds.toml"
    assert "--steer seeds.toml" in run["command"]
    assert [group["name"] for group in loaded("out/clusters.json")] == ["By rail", "kitchen"]
    assert "trains/0.txt and 1 more belong to By rail" in Path("out/report.html").read_text()
    rows = table("out/assignments.csv")
    assert {row["id"].split("/")[0]: row["cluster"] for row in rows} == {"trains": "0", "kitchen": "1"}


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        ("[[decision\n", "seeds.toml is not a TOML file"),
        ('[[decision]]\nkind = "word"\nwords = ["nothing"]\ngroup = "a"', "words of the seeds are unknown"),
    ],
)
def test_seeds_that_cannot_be_used_leave_nothing_behind(seeds, message):
    assert message in clustered(seeds, 2)
    assert not Path("out").exists()
