"""The options of words on the command line: languages, stop words, segmentation."""

from pathlib import Path

import pytest
from commands import loaded, printed, records

TEXTS = [
    "my credit card was lost in 2024", "a new credit card please", "the credit card was declined", "credit card fees",
    "late train to town 2024", "a train at the station", "the train was late", "station in town",
]  # fmt: skip


@pytest.fixture(autouse=True)
def docs(here):
    records("a.jsonl", TEXTS)


def clustered(*options, code=0):
    return printed("cluster", "a.jsonl", "-k", 2, "--quick", "--force", *options, code=code)


def words(*options):
    """The vocabulary of a run with these options."""
    clustered(*options)
    return set(loaded("a-clusters/model/model.json")["state"]["vectorizer"]["state"]["names"])


def test_stop_words_of_a_list_and_of_a_file():
    plain = words()
    assert plain - words("--stop-words", "Credit, town") == {"credit", "town"}
    Path("mine.txt").write_text("train\n\nstation\n")
    assert plain - words("--stop-words", "mine.txt") == {"train", "station"}
    assert "file of stop" in clustered("--stop-words", "other.txt", code=2)


def test_a_language_that_nobody_named_is_told_and_several_can_be_named():
    german = ["der Zug ist nicht in der Stadt", "die Karte ist weg und der Zug ist da"]
    german += ["das ist nicht die Karte", "wo ist der Zug"]
    records("a.jsonl", TEXTS + german)
    assert "English and German" in clustered()
    assert "give --language english,german" in clustered("--language", "english")
    assert "seem to be" not in clustered("--language", "en,de", "--out", "both")
    assert "--language en,de" in loaded("both/run.json")["command"]
    assert {"ist", "der", "was"} & words("--language", "english,german") == set()
    assert {"ist", "der"} <= words("--language", "en")
    assert {"ist", "der", "was"} & words() == set()
    assert words("--language", "Deutsch,english") == words("--language", "de,en")
    assert "'Englisch'" in clustered("--language", "Englisch", code=2)
    records("a.jsonl", TEXTS + german[:1])
    assert "seem to be" not in clustered()
