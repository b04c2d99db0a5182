"""The options of words on the command line: languages, stop words, segmentation."""

import json
from pathlib import Path

import pytest
from commands import loaded, outgroup
from typer.testing import CliRunner

from outgroup.cli.main import app

TEXTS = [
    "my credit card was lost in 2024", "a new credit card please", "the credit card was declined", "credit card fees",
    "late train to town 2024", "a train at the station", "the train was late", "station in town",
]  # fmt: skip


@pytest.fixture(autouse=True)
def docs(here):
    Path("a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))


def words(*options, code=0):
    """The vocabulary of a run with these options, or its message."""
    arguments = ["cluster", "a.jsonl", "-k", 2, "--quick", "--force", *options]
    result = outgroup(*arguments, code=code)
    if code:
        return " ".join(result.output.split())
    return set(loaded("a-clusters/model/model.json")["state"]["vectorizer"]["state"]["names"])


def test_stop_words_of_a_list_and_of_a_file():
    plain = words()
    assert plain - words("--stop-words", "Credit, town") == {"credit", "town"}
    Path("mine.txt").write_text("train\n\nstation\n")
    assert plain - words("--stop-words", "mine.txt") == {"train", "station"}
    assert "file of stop" in words("--stop-words", "other.txt", code=2)


def test_a_language_that_nobody_named_is_told_and_several_can_be_named():
    german = ["der Zug ist nicht in der Stadt", "die Karte ist weg und der Zug ist da"]
    german += ["das ist nicht die Karte", "wo ist der Zug"]
    Path("a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS + german))
    found = CliRunner().invoke(app, ["cluster", "a.jsonl", "-k", "2", "--quick", "--out", "found"])
    assert "English and German" in _one_line(found)
    asked = ["cluster", "a.jsonl", "-k", "2", "--quick", "--language", "english"]
    told = CliRunner().invoke(app, [*asked, "--out", "told"])
    assert "give --language english,german" in _one_line(told)
    both = CliRunner().invoke(app, ["cluster", "a.jsonl", "-k", "2", "--quick", "--out", "both", "--language", "en,de"])
    assert both.exit_code == 0, both.output
    assert "seem to be" not in _one_line(both)
    assert {"ist", "der", "was"} & words("--language", "english,german") == set()
    assert {"ist", "der"} <= words("--language", "en")
    assert {"ist", "der", "was"} & words() == set()
    assert words("--language", "Englisch", code=2).startswith("Error: unknown language 'Englisch'")
    assert words("--language", "Deutsch,english") == words("--language", "de,en")
    assert "--language en,de" in loaded("both/run.json")["command"]
    Path("a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS + german[:1]))
    assert "seem to be" not in _one_line(
        CliRunner().invoke(app, ["cluster", "a.jsonl", "-k", "2", "--quick", "--out", "few"])
    )
    assert "unknown language 'klingon'" in words("--language", "german,klingon", code=2)


def _one_line(result):
    return " ".join(result.output.split())
