"""`--by`: groups over time and by category, from files to the result; and skips by reason."""

import base64
import json
import re
import zlib
from pathlib import Path

from commands import loaded, outgroup
from factories import KITCHEN, TRAINS

TEXTS = (KITCHEN + TRAINS) * 5


def records(**fields):
    rows = [{"text": text} | {name: made(i) for name, made in fields.items()} for i, text in enumerate(TEXTS)]
    Path("docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def cluster(*words, code=0):
    return outgroup("cluster", "docs.jsonl", "-k", 2, "--force", *words, code=code)


def by():
    return loaded("docs-clusters/run.json")["by"]


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


def test_a_column_of_no_use_is_refused_before_the_fit(here):
    records(note=lambda i: f"note {i}")
    assert "'note'" in cluster("--by", "x", code=2).stderr
    assert "40 different values" in cluster("--by", "note", code=2).stderr
    assert not Path("docs-clusters").exists()


def test_a_column_without_a_difference_names_no_group(here):
    records(even=lambda i: "odd" if i // len(KITCHEN + TRAINS) % 2 else "even", topic=lambda i: TEXTS[i] in KITCHEN)
    shown = cluster("--by", "even").stdout
    assert by()["test"]["p"] > 0.05
    assert "Stands out" not in shown
    assert "Chi-square" not in shown
    shown = cluster("--by", "topic").stdout
    assert "Stands out" in shown
    assert "Chi-square" in shown
