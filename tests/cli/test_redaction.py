"""`outgroup cluster --redact`: no text, title or rare word in any file of the result."""

from __future__ import annotations

import base64
import csv
import io
import re
import zipfile
import zlib
from pathlib import Path

import pytest
from commands import loaded, outgroup, records

TOPICS = ["bread butter flour oven", "train rails station ticket", "garden roses soil spade"]
SECRETS = ["zanzibarian", "titlesecret", "columnsecret", "labelsecret"]


def texts():
    made = [f"{TOPICS[i % 3]} {TOPICS[i % 3].split()[i % 4]} number{'abcdefghij'[i % 10] * 3}" for i in range(60)]
    return [f"{text} zanzibarian marching" if i == 7 else text for i, text in enumerate(made)]


def everything(folder: Path) -> str:
    """All that the files of a folder hold, unpacked: pages have deflated parts, models zipped arrays."""
    found = []
    for path in sorted(folder.rglob("*")):
        raw = path.read_bytes() if path.is_file() else b""
        found.append(raw.decode("utf-8", "replace"))
        if zipfile.is_zipfile(io.BytesIO(raw)):
            with zipfile.ZipFile(path) as packed:
                found += [packed.read(name).decode("utf-8", "replace") for name in packed.namelist()]
        for part in re.findall(rb"[A-Za-z0-9+/]{8,}={0,2}", raw):
            try:
                found.append(zlib.decompress(base64.b64decode(part)).decode("utf-8", "replace"))
            except (ValueError, zlib.error):
                continue
    return "\n".join(found).lower()


@pytest.fixture
def docs(here):
    return records(
        "docs.jsonl",
        texts(),
        title=lambda i: f"Titlesecret {i}",
        label=lambda i: f"Labelsecret {i % 3}",
        note=lambda i: f"Columnsecret {i % 4}",
    )


@pytest.mark.parametrize("options", [[], ["--universum", "off.jsonl"], ["--by", "note", "--table", "xlsx"]])
def test_no_file_holds_a_text_or_a_rare_word(docs, options):
    records("off.jsonl", [f"offer prize winner money {'klmnopqrst'[i % 10] * 4}" for i in range(30)])
    outgroup("cluster", docs, "-k", 3, "--out", "plain", *options)
    outgroup("cluster", docs, "-k", 3, "--redact", "--out", "redacted", *options)
    plain, redacted = everything(Path("plain")), everything(Path("redacted"))
    assert "zanzibarian" in plain
    assert texts()[3] in plain  # the report is unpacked
    assert [word for word in SECRETS if word in redacted] == []
    assert texts()[3] not in redacted
    assert "bread" in redacted


def test_a_redacted_result_has_ids_and_groups_and_can_be_continued_and_assigned(docs):
    outgroup("cluster", docs, "-k", 3, "--redact", "--out", "redacted")
    with Path("redacted/assignments.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [f"d{i}" for i in range(60)]
    assert {row["title"] for row in rows} == {""}
    assert {row["cluster"] for row in rows} == {"0", "1", "2"}
    assert loaded("redacted/run.json")["parameters"]["redact"] is True
    assert "--redact" in Path("redacted/report.html").read_text(encoding="utf-8")
    outgroup("cluster", docs, "--from", "redacted", "--redact", "--out", "later")
    outgroup("assign", "redacted", docs, "--out", "new.csv")
    assert not [word for word in SECRETS if word in everything(Path("later"))]
