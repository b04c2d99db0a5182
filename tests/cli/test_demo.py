"""The demo corpus keeps its promises: readable, balanced, unique, ambiguous, and with off-topic mail hidden in it."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from outgroup.demo import documents_path, off_topic_path

TOPICS = {"gardening", "cooking", "cycling", "home repair", "personal finance"}
AMBIGUOUS = ["oil", "seeds?", "interest", "leaks?", "chain", "plants?", "banks?", "light", "roast", "branch", "bulbs?"]
KINDS = ["automatic reply", "unsubscribe", "offer", "server", "calendar", "test", "parcel", "cookies"]

Record = dict[str, str]


def _records(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def documents() -> list[Record]:
    return _records(documents_path())


@pytest.fixture(scope="module")
def off_topic() -> list[Record]:
    return _records(off_topic_path())


@pytest.fixture(scope="module")
def everything(documents: list[Record], off_topic: list[Record]) -> list[Record]:
    return documents + off_topic


def _hidden(documents: list[Record]) -> list[Record]:
    return [record for record in documents if record["label"] == "off-topic"]


def _topics_with(pattern: str, documents: list[Record]) -> set[str]:
    word = re.compile(rf"\b{pattern}\b", re.IGNORECASE)
    return {record["label"] for record in documents if word.search(record["text"])} & TOPICS


def test_files_lie_in_the_package() -> None:
    import outgroup

    package = Path(outgroup.__file__).parent
    assert documents_path().is_file()
    assert off_topic_path().is_file()
    assert documents_path().parent == off_topic_path().parent == package / "demo"


def test_each_record_has_four_filled_fields(everything: list[Record]) -> None:
    for record in everything:
        assert list(record) == ["id", "title", "text", "label"]
        assert all(isinstance(value, str) and value.strip() == value != "" for value in record.values())


def test_every_topic_is_well_filled(documents: list[Record]) -> None:
    counts = Counter(record["label"] for record in documents)
    assert set(counts) == TOPICS | {"off-topic"}
    assert min(counts[topic] for topic in TOPICS) >= 48
    assert 25 <= counts["off-topic"] <= 40


def test_off_topic_examples_are_all_off_topic(off_topic: list[Record]) -> None:
    assert len(off_topic) >= 60
    assert {record["label"] for record in off_topic} == {"off-topic"}


def test_ids_are_numbered_through(documents: list[Record], off_topic: list[Record]) -> None:
    assert [record["id"] for record in documents] == [f"d{i:03d}" for i in range(1, len(documents) + 1)]
    assert [record["id"] for record in off_topic] == [f"x{i:02d}" for i in range(1, len(off_topic) + 1)]


@pytest.mark.parametrize("field", ["title", "text"])
def test_nothing_is_said_twice(field: str, everything: list[Record]) -> None:
    counts = Counter(" ".join(re.findall(r"\w+", record[field].lower())) for record in everything)
    assert [value for value, count in counts.items() if count > 1] == []


def test_lengths(everything: list[Record]) -> None:
    for record in everything:
        assert 3 <= len(record["title"].split()) <= 7, record["id"]
        assert 25 <= len(record["text"].split()) <= 70, record["id"]


@pytest.mark.parametrize("topic", sorted(TOPICS))
def test_each_topic_has_short_and_long_documents(topic: str, documents: list[Record]) -> None:
    words = [len(record["text"].split()) for record in documents if record["label"] == topic]
    assert sum(n <= 37 for n in words) >= 5
    assert sum(n >= 58 for n in words) >= 3


def test_order_is_mixed(documents: list[Record]) -> None:
    labels = [record["label"] for record in documents]
    changes = sum(a != b for a, b in itertools.pairwise(labels))
    assert changes > 0.7 * len(labels)
    places = [i for i, label in enumerate(labels) if label == "off-topic"]
    assert len({4 * i // len(labels) for i in places}) == 4


@pytest.mark.parametrize("word", AMBIGUOUS)
def test_ambiguous_words_occur_in_several_topics(word: str, documents: list[Record]) -> None:
    assert len(_topics_with(word, documents)) >= 2


@pytest.mark.parametrize("kind", KINDS)
def test_hidden_mail_is_of_the_same_kinds_as_the_examples(
    kind: str, documents: list[Record], off_topic: list[Record]
) -> None:
    for records in (_hidden(documents), off_topic):
        assert any(kind in f"{record['title']} {record['text']}".lower() for record in records)


@pytest.mark.parametrize("word", ["garden", "pan", "wheels|bicycle|bike", "wall|drill|boiler", "budget|savings|loan"])
def test_off_topic_mail_uses_words_of_each_topic(word: str, documents: list[Record], off_topic: list[Record]) -> None:
    pattern = re.compile(rf"\b({word})\b", re.IGNORECASE)
    assert any(pattern.search(f"{record['title']} {record['text']}") for record in _hidden(documents) + off_topic)


def test_openings_vary_within_a_topic(documents: list[Record]) -> None:
    for topic in TOPICS:
        openings = Counter(" ".join(r["text"].split()[:2]) for r in documents if r["label"] == topic)
        assert max(openings.values()) <= 4, openings.most_common(1)


def test_no_addresses_or_numbers_to_call(everything: list[Record]) -> None:
    for record in everything:
        assert not re.search(r"@|https?:|www\.|\d{5,}[ /-]|\+\d", record["text"]), record["id"]
