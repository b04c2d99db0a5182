"""`--by`: groups over time and by category, from files to the result; and skips by reason."""

import base64
import csv
import json
import re
import zlib
from pathlib import Path

import pytest
from commands import loaded, outgroup
from factories import KITCHEN, TRAINS
from typer.testing import CliRunner

from outgroup.cli.main import app

TEXTS = (KITCHEN + TRAINS) * 5


def records(**fields):
    rows = [{"text": text} | {name: made(i) for name, made in fields.items()} for i, text in enumerate(TEXTS)]
    Path("docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def cluster(*words, code=0):
    return outgroup("cluster", "docs.jsonl", "-k", 2, "--force", *words, code=code)


def by():
    return loaded("docs-clusters/run.json")["by"]


def is_kitchen(i):
    return i % 8 < 4


def test_the_only_column_of_dates_is_found(here):
    records(when=lambda i: f"2024-{1 if is_kitchen(i) else 3:02}-{i % 8 + 1:02}", stars=lambda i: i % 5)
    result = cluster()
    found = by()
    assert (found["column"], found["unit"], found["unknown"]) == ("when", "week", 0) or found["unit"] == "day"
    assert sum(map(sum, found["counts"])) == 40
    assert "Over time" in result.stdout
    assert "Grew most" in " ".join(result.stdout.split())


def part(name):
    page = Path("docs-clusters/report.html").read_text(encoding="utf-8")
    return zlib.decompress(base64.b64decode(re.search(rf'id="part-{name}">([^<]*)<', page)[1])).decode()


def test_the_report_filters_by_columns_of_few_values_and_shows_all_others(here):
    records(
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


def test_days_and_months_are_told_apart_or_what_is_assumed_is_stated(here):
    records(wave=lambda i: f"01/{i % 6 + 1:02}/2024")
    assert "01/02/2024 is read as 2024-02-01" in cluster("--by", "wave").stderr
    assert by()["labels"] == [f"2024-{month:02}" for month in range(1, 7)]
    assert "is read as" not in cluster("--by", "wave", "--no-day-first").stderr
    assert (by()["unit"], by()["labels"][-1]) == ("day", "2024-01-06")
    command = loaded("docs-clusters/run.json")["command"]
    assert "--no-day-first" in command
    Path("wave.toml").write_text("day_first = false\n")
    cluster("--by", "wave", "--config", "wave.toml")
    assert by()["unit"] == "day"


def test_a_category(here):
    records(country=lambda i: "DE" if is_kitchen(i) else "FR")
    said = " ".join(cluster("--by", "country").stdout.split())
    assert "FR (50 %" in said or "DE (50 %" in said
    assert by()["labels"] == ["DE", "FR"]
    cluster("--by", "Country")
    assert by()["column"] == "country"
    cluster("--label", "country", "--by", "country")
    assert by()["labels"] == ["DE", "FR"]


def test_a_column_of_no_use_is_refused_before_the_fit(here):
    records(note=lambda i: f"note {i}")
    assert "'note'" in cluster("--by", "x", code=2).stderr
    assert "40 different values" in cluster("--by", "note", code=2).stderr
    assert not Path("docs-clusters").exists()


def test_a_table_of_parquet_has_the_same_cells(here):
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra io")
    records(country=lambda i: ("DE", "FR")[i % 2])
    cluster("--quick")
    with Path("docs-clusters/assignments.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    cluster("--table", "parquet", "--quick", "--force")
    found = parquet.read_table("docs-clusters/assignments.parquet").to_pylist()
    assert [(each["id"], str(each["cluster"]), each["country"]) for each in found] == [
        (row["id"], row["cluster"], row["country"]) for row in rows
    ]


def test_skips_are_counted_by_reason(here):
    for number, text in enumerate(TEXTS):
        Path(f"{number}.txt").write_text(text)
    for name in ("a.xyz", "b.xyz", "empty.txt"):
        Path(name).write_text("")
    Path("table.csv").write_text("text\n")
    result = CliRunner().invoke(app, ["cluster", ".", "-k", "2", "--out", str(here.parent / "r")])
    assert result.exit_code == 0, result.output
    said = " ".join(result.stdout.split())
    assert "4 documents" in said
    assert "unsupported file format" in said
    told = loaded(here.parent / "r/run.json")["skipped_by_reason"]
    assert told["unsupported file format: .xyz"] == 2
