"""Saved sessions: a valid one returns unchanged, and damage is an error that names the field."""

import json

import pytest

from outgroup.errors import InputError, ModelError
from outgroup.session import Past, Session

TEXTS = [f"{words} {n}" for words in ("bread oven flour", "train rails town", "roses spade hedge") for n in ("a", "b")]


@pytest.fixture(scope="module")
def model():
    return Session(TEXTS, n_clusters=3, encoder=None).fit().model


@pytest.fixture(scope="module")
def session(model):
    more = {"pins": {"0": [2, 1.0, True, 1, [0]]}, "words": {"oven": [2, 2.5, False, -1, []]}, "apart": [[0, 1]]}
    more |= {
        **{"away": ["roses-0"], "ignored": ["a"], "done": [1], "used": 3},
        **{"names": {"1": "rail"}, "weights": {"0": 0.5}},
    }
    more |= {"proposed": [{"name": "a", "words": [], "documents": ["x"]}], "automatic_names": {"2": "bread"}}
    return json.loads(json.dumps(Past.of(Session(TEXTS, n_clusters=3).fit(), TEXTS).to_dict())) | more


def test_a_saved_session_is_written_unchanged(model, session):
    assert json.loads(json.dumps(Past.from_dict(session, model).to_dict())) == session


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("names.a", {"a": "b"}),
        ("pins.d", {"d": [0, 1]}),
        ("pins.d.0", {"d": ["0", 1, True, -1, []]}),
        ("words.d.1", {"d": [0, float("inf"), True, -1, []]}),
        ("weights.1", {"1": 0}),
        ("apart.0", [[1, 1]]),
        ("used", -1),
        ("proposed.0.documents", [{"name": "a", "words": [], "documents": []}]),
        ("documents.d.0", {"d": ["0", "x"]}),
    ],
)
def test_a_damaged_field_is_named(model, session, field, value):
    with pytest.raises(ModelError, match=f"the session is damaged: .*'{field}'"):
        Past.from_dict(session | {field.split(".")[0]: value}, model)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"numbers": [0, 1, 1]}, "numbers"),
        ({"numbers": [0, 1, 2, 3]}, "match"),
        ({"pins": {"d": [7, 1, True, -1, []]}}, "label"),
        ({"pins": {"d": [0, 1, True, -1, [7]]}}, "label"),
        ({"documents": {"d": [7, ""]}}, "document"),
    ],
)
def test_groups_must_match(model, session, change, message):
    with pytest.raises(ModelError, match=f"damaged: .*{message}"):
        Past.from_dict(session | change, model)


@pytest.mark.parametrize("content", [3, [], {}, {"format": "outgroup-run", "form": 1}, {"format": "outgroup-session"}])
def test_other_content_is_not_a_session(model, content):
    with pytest.raises(ModelError, match="not a session"):
        Past.from_dict(content, model)


def test_the_texts_are_those_of_the_version():
    with pytest.raises(InputError, match="5 texts for 6"):
        Past.of(Session(TEXTS, n_clusters=3, encoder=None).fit(), TEXTS[1:])


def test_a_newer_session_asks_for_an_update(model):
    with pytest.raises(ModelError, match="update"):
        Past.from_dict({"format": "outgroup-session", "form": 2}, model)
