"""Commands that run in the process of a test, and records for them to read."""

import csv
import json
from pathlib import Path

from typer.testing import CliRunner

from outgroup.cli.main import app


def outgroup(*words, code=0):
    """Run a command, see that it ends with this code and no traceback, and return what it printed."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, result.output + repr(result.exception)
    assert "Traceback" not in result.output
    return result


def printed(*words, code=0):
    """Run a command so, and return what it printed on one line."""
    return " ".join(outgroup(*words, code=code).output.split())


def table(path):
    """Return the rows of a table as dicts."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def loaded(*path):
    """Return what a file of JSON holds."""
    return json.loads(Path(*path).read_text(encoding="utf-8"))


def records(name, texts, **fields):
    """Write texts to a file of JSON lines, with these fields made of their numbers, and return its name."""
    rows = [
        {"id": f"d{i}", "text": text} | {key: made(i) for key, made in fields.items()} for i, text in enumerate(texts)
    ]
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return name
