"""`--by` and `--weight`: groups over time and by category, from files to the result, and shares with weights."""

import base64
import json
import re
import zlib
from datetime import date
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from commands import loaded, outgroup, records
from factories import KITCHEN, TOPICS, TRAINS

from outgroup.cli.material import choose
from outgroup.readers.documents import Corpus

TEXTS = (KITCHEN + TRAINS) * 5


def cluster(*words, code=0):
    return outgroup("cluster", "docs.jsonl", "-k", 2, "--quick", "--force", *words, code=code)


def by():
    return loaded("docs-clusters/run.json")["by"]


def part(name):
    page = Path("docs-clusters/report.html").read_text(encoding="utf-8")
    return zlib.decompress(base64.b64decode(re.search(rf'id="part-{name}">([^<]*)<', page)[1])).decode()


def test_the_report_filters_by_columns_of_few_values_and_shows_all_others(here):
    records(
        "docs.jsonl",
        TEXTS,
        when=lambda i: f"{2020 + i // 10}-{i % 9 + 1:02}-03",
        state=lambda i: "open" if i % 3 else "closed",
        who=lambda i: f"customer \x1e {i}",
        same=lambda i: "x",
    )
    cluster()
    about = json.loads(part("about"))
    assert (sorted(about["fields"]), about["others"]) == (["state", "when", "who"], ["when", "same"])
    field = json.loads(part(f"field-{about['fields'].index('when')}"))
    assert field["values"][0] == "2020 Q1"
    assert part("other-0").split("\x1e")[:2] == ["2020-01-03", "2020-02-03"]


def test_a_column_of_no_use_is_refused_before_the_fit(here):
    records("docs.jsonl", TEXTS, note=lambda i: f"note {i}")
    assert "'note'" in cluster("--by", "x", code=2).stderr
    assert "40 different values" in cluster("--by", "note", code=2).stderr
    assert not Path("docs-clusters").exists()


def test_long_numbers_that_repeat_are_categories_except_in_a_column_of_times(here):
    made = {"store": lambda i: str(1_000_000_001 + i % 4)}
    records("docs.jsonl", TEXTS, **made, created=lambda i: str(1_700_000_000 + i % 2 * 86_400))
    cluster("--by", "store")
    assert (by()["unit"], sorted(by()["labels"])) == ("", [str(1_000_000_001 + i) for i in range(4)])
    cluster("--by", "created")
    assert (by()["unit"], by()["labels"]) == ("day", ["2023-11-14", "2023-11-15"])


def test_days_of_a_spreadsheet_are_found_in_a_column_of_dates_and_not_of_durations():
    days = [str(45_292 + i) for i in range(4)]
    for name, found in {"visit_date": True, "created_at": True, "response_time": False, "time_ms": False}.items():
        corpus = Corpus(list("abcd"), ["tea"] * 4, [""] * 4, columns={name: days})
        assert (choose(corpus, "", "label") is not None) is found
        chosen = choose(corpus, name, "label")
        assert chosen is not None
        assert chosen.days == [date(2024, 1, 1 + i) for i in range(4)]


def test_a_column_without_a_difference_names_no_group(here):
    parities = ["even", "odd"]
    records("docs.jsonl", TEXTS, even=lambda i: parities[i // 8 % 2], topic=lambda i: TEXTS[i] in KITCHEN)
    shown = cluster("--by", "even").stdout
    assert by()["test"]["p"] > 0.05
    assert "Stands out" not in shown
    assert "Chi-square" not in shown
    shown = cluster("--by", "topic").stdout
    assert "Stands out" in shown
    assert "Chi-square" in shown


def test_a_merged_group_is_in_no_table_and_others_keep_their_names(here):
    subjects = [*TOPICS, *(f"{a} {b} ship sail" for a in "uvwx" for b in "ghkm")]
    days = [f"202{1 + (i >= 48)}-0{1 + i % 6}-01" for i in range(64)]
    kinds = [["land", "sea"][i >= 48] if i % 9 else "" for i in range(64)]
    records("docs.jsonl", subjects, day=days.__getitem__, kind=kinds.__getitem__)
    outgroup("cluster", "docs.jsonl", "-k", 4, "--quick", "--out", "four")
    names = {group["cluster"]: group["name"] for group in loaded("four/clusters.json")}
    (sea,) = [number for number, name in names.items() if "sail" in name]
    gone = next(number for number in (1, 2) if number != sea)
    kept = 0 if sea else 3
    Path("s.toml").write_text(f'[[decision]]\nkind = "merge"\ngroups = [{kept}, {gone}]\n')
    outgroup("cluster", "docs.jsonl", "--from", "four", "--steer", "s.toml", "--quick", "--out", "three")
    again = ("cluster", "docs.jsonl", "--from", "three", "--quick", "--by")
    for column, line in (("kind", f"Stands out: {names[sea]} is"), ("day", f"Grew most: {names[sea]} (")):
        shown = " ".join(outgroup(*again, column, "--out", column).output.split())
        summary, page = (Path(column, name).read_text() for name in ("summary.md", "report.html"))
        assert line in shown
        assert line in summary
        assert f"group {gone}" not in shown + summary
        table = re.search(r'<section id="by".*?</section>', page, re.DOTALL)[0]
        assert {int(each) for each in re.findall(r"#group=(\d+)", table)} == {0, 1, 2, 3} - {gone}
        without = "8 documents without a value are left out."
        assert [without in text for text in (shown, summary, table)] == [column == "kind"] * 3


def test_an_empty_group_is_in_a_note_and_in_no_table(here):
    texts = ["bread oven", "train rail", "rose soil"] * 8
    records("docs.jsonl", texts, kind=lambda _: "land", label=texts.__getitem__)
    options = ("-k", 4, "--quick", "--by", "kind", "--label", "label", "--table", "xlsx", "--out", "out")
    shown = outgroup("cluster", "docs.jsonl", *options).output
    summary, page = (Path("out", name).read_text() for name in ("summary.md", "report.html"))
    assert "Group 3 is empty." in shown
    assert "group 3" not in shown + summary
    assert "in 3 groups" in summary
    for part in ("labels", "by"):
        table = re.search(rf'<section id="{part}".*?</section>', page, re.DOTALL)[0]
        assert {*re.findall(r"#group=(\d+)", table)} == {"0", "1", "2"}
    book = openpyxl.load_workbook("out/assignments.xlsx")
    assert {row[0].value for name in ("groups", "by") for row in book[name].iter_rows(min_row=2)} <= {0, 1, 2, None}


def country(i):
    return "DE" if i % 8 < 4 or i % 5 == 0 else "FR"


def written(weight, code=0):
    records("docs.jsonl", TEXTS, country=country, w=weight)
    return cluster("--by", "country", "--weight", "w", code=code)


def groups():
    return loaded("docs-clusters/clusters.json")


def test_weights_are_summed_in_shares_and_tables(here):
    said = " ".join(written(lambda i: 1.5 if i % 8 < 4 else 0.5).output.split())
    assert sorted((group["size"], group["weight"]) for group in groups()) == [(20, 10), (20, 30)]
    assert sorted(group["share"] for group in groups()) == pytest.approx([0.25, 0.75])
    assert np.sum(by()["counts"]) == 40
    assert by()["weight"] == "w"
    assert "weighted by w" in said
    assert "75 %" in said
    assert " by weight" in Path("docs-clusters/report.html").read_text()
    assert "| share by weight | trust |" in Path("docs-clusters/summary.md").read_text()


@pytest.mark.parametrize("value", ["", "1,500", "-1", "nan", "1e200"])
def test_an_invalid_weight_names_its_document(here, value):
    said = " ".join(written(lambda i: value if i == 7 else 1, code=2).output.split())
    assert "--weight 'w'" in said
    assert "'d7'" in said


def test_weights_of_a_column_with_decimal_commas(here):
    written(lambda i: "1,5" if i % 8 < 4 else "0,5")
    assert sorted(group["weight"] for group in groups()) == [10, 30]
