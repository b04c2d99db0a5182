"""How much documents look like junk, by what was thrown away and kept."""

import numpy as np
import pytest

from outgroup.decisions import Label, Word
from outgroup.session import Session
from outgroup.session.questions import junk_scores, junk_seen

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
    session = Session(drawn(), n_clusters=3, encoder=None, embeddings=vectors() if request.param == "vectors" else None)
    return session, session.fit()


def judged(begun, *said):
    session, first = begun
    version = session.fit(said, start=first)
    return version, np.asarray(version.assess().off_topic_score)


def test_junk_that_is_a_group_of_its_own_is_before_all_else(begun):
    thrown = np.flatnonzero(TOPIC == 2)[:15]
    version, score = judged(begun, *[Label(str(row), ()) for row in thrown])
    found, unseen = junk_scores(version, score), np.setdiff1d(np.arange(150), thrown)
    assert (TOPIC[unseen[np.argsort(-found[unseen])[:35]]] == 2).all()


def test_an_ignored_word_says_nothing_of_what_is_junk():
    """Two documents differ in a word alone that all junk holds: as long as it counts, one is like junk."""
    texts = [text + " flag" * int(TOPIC[row] == 2) for row, text in enumerate(drawn())]
    session = Session([*texts, "bread butter knife", "bread butter knife flag"], n_clusters=3, encoder=None)
    thrown = [Label(str(row), ()) for row in np.flatnonzero(TOPIC == 2)[:15]]
    first = session.fit()
    one, other = junk_scores(session.fit(thrown, start=first), np.zeros(152))[-2:]
    assert other > one + 0.5
    one, other = junk_scores(session.fit([*thrown, Word("flag")], start=first), np.zeros(152))[-2:]
    assert other == pytest.approx(one)


def test_what_was_learned_of_the_documents_that_were_seen_is_no_sign_that_all_were():
    """20 of 40 junk documents were seen; by scores that have learned from it most of the others would be none."""
    rng = np.random.default_rng(0)
    is_junk = np.arange(200) % 5 == 0
    vectors = 0.2 * rng.normal(size=(200, 120)) + np.where(is_junk[:, None], np.eye(120)[0], np.eye(120)[1])
    texts = ["tea", "coffee", "milk", "water"] * 50
    session = Session(texts, n_clusters=2, encoder=None, embeddings=vectors, neighbours=0)
    first = session.fit()
    thrown = [Label(str(row), ()) for row in np.flatnonzero(is_junk)[:20]]
    kept = [Label(str(row), int(first.labels[row])) for row in np.flatnonzero(~is_junk)[:20]]
    version = session.fit([*thrown, *kept], start=first)
    found = junk_scores(version, np.zeros(200))
    assert junk_seen(version, found) == pytest.approx(0.5, abs=0.1)
