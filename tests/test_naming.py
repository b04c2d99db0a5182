"""Names of groups: offline phrases, and the answers of a namer that is not trusted."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from endpoints import NOT_ANSWERS, Endpoint, answering, over_http, said, serving

from outgroup import DocumentClustering
from outgroup.errors import InputError, OutgroupWarning
from outgroup.naming import ChatNamer, GroupBrief, Name, group_words, names_by
from outgroup.text.counts import Analyser

PHONES = ["Mobile phones are cheap", "His mobile phones ring", "I broke a mobile phone"]
TRAINS = ["It was the night train", "Night trains are on time", "Which night trains ran?"]


def two(first: list[str], second: list[str], **options: Any) -> list[str]:
    labels = np.repeat([0, 1], [len(first), len(second)])
    return list(map(str, group_words(first + second, labels, 2, Analyser(**options))))


def test_a_word_that_is_frequent_in_all_groups_is_no_name():
    first = [f"{text}, wrote the editor" for text in PHONES]
    second = [*(f"{text}, wrote the editor" for text in TRAINS[:2]), TRAINS[2]]
    assert not {"editor", "wrote"} & set(two(first, second)[0].replace(",", "").split())


def test_contractions_and_letters_beside_digits_are_no_names():
    first = ["I'm here for the 1ST kettle", "I'm not sure, it isn't a 1ST kettle", "It isn't the 1ST one, I'm sure"]
    names = two(first, TRAINS)
    assert "kettle" in names[0]
    assert not {"I'm", "isn't", "ST", "1ST"} & set(names[0].replace(",", "").split())


def brief(number: int = 0, name: str = "tea") -> GroupBrief:
    return GroupBrief(number, name, 3, (("tea", 1.0), ("milk", 0.5)), ("A {cup} of tea",), ("trains",))


def test_words_near_the_documents_are_preferred():
    """The encoder places texts on the axis of their first known word."""

    def encode(texts):
        found = [next((axis for axis, word in enumerate(("phone", "please")) if word in text), 2) for text in texts]
        return np.eye(3)[found]

    first = [f"phone {number} please" for number in range(4)] + ["please call"] * 2
    second = ["the night train"] * 6
    labels = np.repeat([0, 1], 6)
    assert str(group_words(first + second, labels, 2)[0]).startswith("please")
    assert str(group_words(first + second, labels, 2, encode=encode)[0]).startswith("phone")


@pytest.mark.parametrize("answer", ["\x1b[31mTea\x1b[0m", '"Tea"', "Tea\n\nIgnore the rest", "tea " * 80, "\u202eaeT"])
def test_answers_are_one_short_line_without_control_characters(answer: str) -> None:
    name = names_by(lambda briefs: [answer], [brief()])[0].text
    assert 0 < len(name) <= 61
    assert name.isprintable()


@pytest.mark.parametrize("namer", [None, "gpt"])
def test_a_namer_of_another_kind_is_refused(namer: Any) -> None:
    with pytest.raises(InputError):
        names_by(namer, [brief()])


def raises(briefs: list[GroupBrief]) -> list[str]:
    raise RuntimeError("\x1b[2J" + "no service " * 1_000)


@pytest.mark.parametrize(
    "namer",
    [
        raises,
        lambda briefs: None,
        lambda briefs: [],
        lambda briefs: itertools.repeat("tea"),
        lambda briefs: [3 for _ in briefs],
        lambda briefs: [Name(None) for _ in briefs],  # type: ignore[arg-type]
    ],
)
def test_a_namer_that_fails_is_reported_and_keeps_the_offline_names(namer: Any) -> None:
    with pytest.warns(OutgroupWarning, match="phrases name the groups") as told:
        assert [name.text for name in names_by(namer, [brief()])] == ["tea"]
    message = str(told[0].message)
    assert message.isprintable()
    assert len(message) < 400


@pytest.mark.parametrize("raw", NOT_ANSWERS.values(), ids=NOT_ANSWERS)
def test_an_endpoint_may_answer_anything(raw: bytes) -> None:
    with answering(raw) as address:
        namer = ChatNamer(address, "small", retries=0)
        assert names_by(namer, [brief()])[0].text == "tea"
    error = namer.sent[0]["error"]
    assert error
    assert error.isprintable()
    assert len(error) <= 201


@pytest.mark.parametrize("raw", [over_http(said("Tea")), b"HTTP/1.1 200 OK\r\n" + b"X-A: 1\r\n" * 9_000])
def test_an_endpoint_that_drips_is_left_at_the_deadline(raw: bytes) -> None:
    with answering(raw, pause=0.05) as address:
        namer = ChatNamer(address, "small", timeout=0.4)
        start = time.monotonic()
        assert namer([replace(brief(), texts=(f"A cup of tea {number}",)) for number in range(9)]) == [""] * 9
        assert time.monotonic() - start < 10  # one deadline, not one for each request
    assert [record["attempts"] for record in namer.sent].count(0) == 5
    assert all(record["error"] for record in namer.sent)


def test_a_chat_model_answers_inside_a_running_loop() -> None:
    async def cell() -> list[str]:
        return namer([brief()])

    with answering(over_http(said("Hot drinks"))) as address:
        namer = ChatNamer(address, "small")
        assert asyncio.run(cell()) == ["Hot drinks"]


@pytest.mark.parametrize("key", ["", "  ", "two\nlines", "schlüssel"])
def test_a_key_that_no_header_holds_is_refused_without_repeating_it(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAT_KEY", key)
    with pytest.raises(InputError) as told:
        ChatNamer("http://127.0.0.1:9/v1", "small", api_key_env="CHAT_KEY")
    assert "lines" not in str(told.value)
    assert "schl" not in str(told.value)


def namer_of(endpoint: Endpoint, **options: Any) -> ChatNamer:
    return ChatNamer(f"http://127.0.0.1:{endpoint.server_port}/v1", "small", **options)


def test_a_chat_model_names_a_group_and_what_was_sent_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAT_KEY", "secret")
    with serving((200, said("Hot drinks"))) as endpoint:
        namer = namer_of(endpoint, api_key_env="CHAT_KEY", seed=7)
        assert names_by(namer, [brief()])[0].text == "Hot drinks"
        assert namer([brief(), brief()]) == ["Hot drinks"] * 2
    assert [record["attempts"] for record in namer.sent] == [1, 1, 0]  # equal requests of a call are sent once
    assert len(endpoint.requests) == 2
    headers, body = endpoint.requests[0]
    assert headers["Authorization"] == "Bearer secret"
    assert (body["model"], body["seed"]) == ("small", 7)
    assert body["messages"][0]["content"] == namer.sent[0]["prompt"]
    assert "A {cup} of tea" in namer.sent[0]["prompt"]
    assert "secret" not in json.dumps(namer.sent)


def test_a_namer_names_the_groups_of_a_model_once_and_decided_names_win() -> None:
    asked: list[list[GroupBrief]] = []

    def namer(briefs: list[GroupBrief]) -> list[str]:
        asked.append(briefs)
        return [f"<b>about {each.words[0][0]}</b>" for each in briefs]

    groups = DocumentClustering(2, namer=namer, random_state=0).fit(PHONES + TRAINS)
    names = [str(name) for name in groups.topics["name"]]
    assert all(name.startswith("<b>about ") for name in names)
    assert "&lt;b&gt;" in groups._repr_html_()
    assert sorted(each.size for each in asked[0]) == [3, 3]
    assert set(asked[0][0].texts) in ({*PHONES}, {*TRAINS})
    assert asked[0][0].siblings == (asked[0][1].name,)
    _ = groups.topics, groups.documents
    assert len(asked) == 1
    renamed = groups.rename(0, "Mine")
    assert renamed.names_[0] == "Mine"
    assert [str(name) for name in renamed.topics["name"]] == ["Mine", names[1]]
    assert len(asked) == 1  # a group that did not change keeps its name


def test_the_words_of_a_name_share_no_part() -> None:
    texts = [
        "my top-up failed",
        "top-up failed again",
        "the top up, a top-up",
        "top-up, top",
        "night train",
        "train late",
    ]
    assert str(group_words(texts, np.array([0, 0, 0, 0, 1, 1]), 2)[0]) == "top-up failed"
    turkish = ["iade istiyorum", "İADE İSTİYORUM", "iade", "İADE", "kapı kırık", "KAPI KIRIK"]
    names = group_words(turkish, np.array([0, 0, 0, 0, 1, 1]), 2, Analyser(language="turkish"))
    assert list(map(str, names)) == ["iade istiyorum", "kapı kırık"]
