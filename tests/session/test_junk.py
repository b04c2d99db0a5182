"""How much documents look like junk, by what was thrown away and kept."""

import numpy as np
import pytest

from outgroup.session import Session, junk
from outgroup.session.junk import junk_scores
from outgroup.steering.decisions import Belongs, OffTopic

WORDS = [
    "bread butter knife oven flour crust",
    "train town station ticket rails coach",
    "prize winner voucher click free",
]
TOPIC = np.arange(150) % 3  # the last is junk, and a group of its own


def drawn():
    rng = np.random.default_rng(0)
    return [" ".join([*rng.choice(WORDS[topic].split(), 3), *rng.choice(["day", "new", "way"], 2)]) for topic in TOPIC]


def vectors():
    rng = np.random.default_rng(0)
    return np.eye(3)[TOPIC] + 0.2 * rng.normal(size=(150, 3))


@pytest.fixture(scope="module", params=["words", "vectors"])
def begun(request):
    session = Session(drawn(), n_clusters=3, embeddings=vectors() if request.param == "vectors" else None)
    return session, session.fit()


def judged(begun, *said):
    session, first = begun
    version = session.fit(said, start=first)
    return version, np.asarray(version.assess().off_topic_score)


def test_junk_that_is_a_group_of_its_own_is_before_all_else(begun):
    thrown = np.flatnonzero(TOPIC == 2)[:15]
    version, score = judged(begun, *[OffTopic(str(row)) for row in thrown])
    found, unseen = junk_scores(version, score), np.setdiff1d(np.arange(150), thrown)
    assert (TOPIC[unseen[np.argsort(-found[unseen])[:35]]] == 2).all()


def test_what_was_judged_is_always_learned_from(begun, monkeypatch):
    """Of the others some stand for all: 142 of 150 by 20, who weigh as much together."""
    heard, regressed = [], junk._regressed
    monkeypatch.setattr(junk, "_SAMPLE", 20)
    monkeypatch.setattr(
        junk, "_regressed", lambda *given: (heard.append([given[0].shape[0], *given[2]]), regressed(*given))[1]
    )
    kept = [Belongs(str(row), int(begun[1].labels[0])) for row in (6, 9, 12, 15)]
    junk_scores(*judged(begun, *[OffTopic(str(row)) for row in (2, 3, 5, 8)], *kept))
    assert heard == [[4, *[1.0] * 4, *[pytest.approx(142 / 20)] * 20]]


def test_while_nothing_is_thrown_away_it_is_the_off_topic_score(begun):
    version, score = judged(begun, Belongs("0", int(begun[1].labels[0])))
    assert junk_scores(version, score) is score


def test_documents_that_nobody_judged_stand_for_all_of_these(begun, monkeypatch):
    version, score = judged(begun, *[OffTopic(str(row)) for row in (2, 5, 8)])
    every = junk_scores(version, score)
    monkeypatch.setattr(junk, "_SAMPLE", 60)
    assert np.corrcoef(every, junk_scores(version, score))[0, 1] > 0.95


def test_a_document_without_a_known_word_has_no_score():
    texts = [*drawn(), "\u2026"]
    session = Session(texts, n_clusters=3)
    version = session.fit([OffTopic("2")], start=session.fit())
    assert np.isnan(junk_scores(version, np.zeros(151))).nonzero()[0].tolist() == [150]
