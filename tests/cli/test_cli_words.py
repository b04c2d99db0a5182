"""The options of words on the command line: languages, stop words, phrases, numbers, short words."""

import json
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import pytest
from commands import outgroup
from typer.testing import CliRunner

from outgroup.cli.cluster import warn_of_languages
from outgroup.cli.main import app
from outgroup.cli.settings import ClusterSettings

TEXTS = [
    "my credit card was lost in 2024", "a new credit card please", "the credit card was declined", "credit card fees",
    "late train to town 2024", "a train at the station", "the train was late", "station in town",
]  # fmt: skip


@pytest.fixture(autouse=True)
def docs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))


def words(*options, code=0):
    """The vocabulary of a run with these options, or its message."""
    arguments = ["cluster", "a.jsonl", "-k", 2, "--force", *options]
    result = outgroup(*arguments, code=code)
    if code:
        return " ".join(result.output.split())
    return set(json.loads(Path("a-clusters/model/model.json").read_text())["state"]["vectorizer"]["state"]["names"])


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
    assert "--language en,de" in json.loads(Path("both/run.json").read_text())["command"]
    Path("a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS + german[:1]))
    assert "seem to be" not in _one_line(CliRunner().invoke(app, ["cluster", "a.jsonl", "-k", "2", "--out", "few"]))
    assert "unknown language 'klingon'" in words("--language", "german,klingon", code=2)


def test_pairs_of_signs_are_told_once():
    thai = ["รถไฟไปเชียงใหม่ออกตอนเช้า", "รถไฟออกตอนเช้า", "ตั๋วรถไฟ", "เนยกับขนมปัง", "ขนมปังกับเนย", "เนยบนขนมปัง"]
    Path("a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in thai))
    said = outgroup("cluster", "a.jsonl", "-k", 2, "--quick").stderr
    assert said.count("give --language thai (in Python:") == 1


ENGLISH, GERMAN = "this is not what they have said", "das ist nicht die Karte"


@pytest.mark.parametrize(
    ("language", "texts", "asked"),
    [
        ("english", [ENGLISH] * 6 + [GERMAN] * 3, "english,german"),  # three of nine: a share that is no hundredth
        ("english", [ENGLISH] * 7 + [GERMAN] * 2, None),
        ("porter", [ENGLISH] * 9, None),
        ("dutch_porter", ["waar is de trein naar het dorp"] * 9, None),
        ("chinese", [ENGLISH] * 9, "english,chinese"),
    ],
)
def test_languages_that_nobody_named_are_told(language, texts, asked):
    settings = ClusterSettings(Path("notes"), language=language)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warn_of_languages(settings, texts)
    assert [str(each.message).rpartition(" ")[2] for each in found] == ([asked] if asked else [])


def _one_line(result):
    return " ".join(result.output.split())


def test_the_command_that_is_printed_gives_the_same_again():
    words("--stop-words", "town", "--language", "en")
    said = json.loads(Path("a-clusters/run.json").read_text())["command"]
    assert {"--stop-words", "town", "--language", "en"} <= set(said.split())


def test_languages_are_named_in_help_and_in_a_fixed_order():
    help_text = " ".join(CliRunner().invoke(app, ["cluster", "--help"], env={"COLUMNS": "300"}).output.split())
    assert "german (de)" in help_text
    assert "thai (th)" in help_text
    assert words("--language", "de")
    message = words("--language", "germn", code=2)
    assert "you mean 'german'? choose" in message


def test_who_names_a_field_without_texts_hears_of_the_others(tmp_path):
    rows = [
        {"Created": f"2024-05-{n + 1:02}", "State": ["open", "closed", "waiting"][n % 3], "note": text, "id": f"a{n}"}
        for n, text in enumerate(TEXTS)
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = words("--text", "Created", code=2)
    assert "8 texts contain only" in said
    assert said.endswith("; the field 'Created' was read; select another one with --text: 'note', 'State'")
    asked = ("cluster", "a.jsonl", "--text", "State", "--quick", "--out", "states", "--force")
    said = " ".join(outgroup(*asked, "-k", 5).output.split())
    assert "8 documents have 3 different texts: too few for 5 groups; reduce -k, or choose another field" in said
    assert "select another one with --text: 'note', 'Created'" in said
    assert "smaller C" not in said
    assert "different texts" not in outgroup(*asked, "-k", 3).output


def test_few_texts_of_the_usual_field_are_told_without_others(tmp_path):
    rows = [{"text": ["a train", "credit fees"][n % 2], "n": n} for n in range(9)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = outgroup("cluster", "a.jsonl", "-k", 3, "--quick").output
    assert "9 documents have 2 different texts: too few for 3 groups; reduce -k\n" in said
    assert "--text" not in said


def test_documents_without_a_command_suggest_one():
    said = " ".join(outgroup("a.jsonl", "-k", 2, code=2).output.split())
    command = "outgroup cluster a.jsonl -k 2"
    assert command in said
    outgroup(*command.split()[1:])


def test_an_encoder_that_would_need_a_download_is_explained(monkeypatch):
    for library in ("model2vec", "sentence_transformers"):
        monkeypatch.setitem(sys.modules, library, None)
    said = " ".join(outgroup("cluster", "a.jsonl", "--encoder", "all-MiniLM-L6-v2", code=2).output.split())
    assert all(part in said for part in ("'all-MiniLM-L6-v2'", "downloaded", ".[embeddings]", "sentence-transformers"))


def test_an_encoder_of_sentences_is_found_by_its_bare_name(monkeypatch):
    def model(name, **_):
        assert name == "all-MiniLM-L6-v2"
        return SimpleNamespace(encode=lambda texts: [[len(text), "t" in text, 1.0] for text in texts])

    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=model))
    outgroup("cluster", "a.jsonl", "-k", 2, "--encoder", "all-MiniLM-L6-v2", "--quick")
    assert json.loads(Path("a-clusters/run.json").read_text())["parameters"]["encoder"] == "all-MiniLM-L6-v2"
