"""The commands of the page on two waves run from an empty folder, and lead to codes that hold."""

import csv
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import openpyxl
import pytest
from commands import outgroup, table

from outgroup.codebook import Codebook
from outgroup.demo import records

PAGE = Path(__file__).parents[1] / "docs" / "two_waves.md"
COMMAND = re.compile(r"^cat [\s\S]*?^END$|^\w.*$", re.MULTILINE)


def commands():
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return [command for block in blocks for command in COMMAND.findall(block)]


def run(command):
    """Run a command of the shell, or one of this package in this process, and return what it printed."""
    if command.startswith("outgroup "):
        return outgroup(*shlex.split(command)[1:]).output
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    subprocess.run(["bash", "-euc", command], check=True, env=os.environ | {"PATH": path})
    return ""


def sheet(name):
    head, *rows = openpyxl.load_workbook("wave-2/assignments.xlsx")[name].iter_rows(values_only=True)
    return [dict(zip(head, row, strict=True)) for row in rows]


def alpha(pairs):
    """Krippendorff's alpha of one code a document, by every pair of codes."""
    codes = [code for pair in pairs for code in pair]
    observed = sum(one != other for one, other in pairs) / len(pairs)
    expected = sum(one != other for one, other in product(codes, codes)) / (len(codes) * (len(codes) - 1))
    return 1 - observed / expected


@pytest.mark.skipif(sys.platform == "win32", reason="the commands of the page are those of a POSIX shell")
def test_two_waves_in_eight_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    printed = {command: run(command) for command in commands()}
    assert len(printed) == 8
    edited = {code.number: code for code in Codebook.read("codes.csv").codes}
    answers = {each["id"]: each for each in records("survey")}

    # numbers, names and definitions are those of the edited codebook in both waves
    for wave in ("wave-1", "wave-2"):
        kept = {code.number: code for code in Codebook.read(f"{wave}/codebook.csv").codes}
        assert {n: (code.name, code.description, code.keywords) for n, code in kept.items()} == {
            n: (code.name, code.description, code.keywords) for n, code in edited.items()
        }
    first = {row["id"]: int(row["code"]) for row in table("wave-1/assignments.csv")}
    second = {row["id"]: row["code"] for row in sheet("assignments")}
    assert second.keys() == answers.keys()
    assert first == {identity: second[identity] for identity in first}
    assert first.keys() == {identity for identity, each in answers.items() if each["wave"] == "wave 1"}
    assert all(row["name"] == edited[row["code"]].name for row in sheet("assignments"))

    # trust names the codes, as the table numbers codes and not groups
    mixed = re.findall(r"mixed with (.*?) \|", Path("wave-1/summary.md").read_text(encoding="utf-8"))
    assert {*mixed} <= {code.name for code in edited.values()}

    # the coders agree as a plain loop finds, and their differences are listed
    pairs = {identity: (edited[code].name, answers[identity]["label"]) for identity, code in first.items()}
    (said,) = (" ".join(text.split()) for command, text in printed.items() if command.startswith("outgroup agree"))
    assert f"Alpha {alpha([*pairs.values()]):.2f} (" in said
    assert alpha([*pairs.values()]) > 0.667
    different = {identity for identity, (one, other) in pairs.items() if one != other}
    settle = csv.DictReader(Path("settle.csv").read_text(encoding="utf-8-sig").splitlines())
    assert {row["id"]: row["title"] for row in settle} == {each: answers[each]["text"] for each in different}

    # the tables count answers by code and wave
    counts = Counter((second[identity], each["wave"]) for identity, each in answers.items())
    waves = ("wave 1", "wave 2")
    by = {row["code"]: tuple(row[wave] for wave in waves) for row in sheet("by") if row["code"] is not None}
    assert by == {code: tuple(counts[code, wave] for wave in waves) for code in {*second.values()}}
    bases = [sum(each["wave"] == wave for each in answers.values()) for wave in waves]
    client = Path("wave-2/summary.md").read_text(encoding="utf-8")
    assert f"| all | {bases[0]} | {bases[1]} |" in client
    for code, row in by.items():
        shares = (f"{100 * count / base:.0f} %" for count, base in zip(row, bases, strict=True))
        assert f"| {edited[code].name} | {' | '.join(shares)} |" in client
        assert edited[code].description in client
