"""Neighbours in the product: a model and a session find groups among averaged rows, and stay what they are."""

import numpy as np
import pytest
from sklearn.preprocessing import normalize

from outgroup import DocumentClustering
from outgroup.decisions import Label, Word
from outgroup.errors import ModelError
from outgroup.session import Session

RNG = np.random.default_rng(0)
THINGS = {
    0: ["bread", "butter", "rye", "jam", "oven", "crust"],
    1: ["train", "rails", "town", "station", "ticket", "seat"],
}
TRUTH = np.arange(60) % 2
TEXTS = [" ".join(RNG.choice(THINGS[group], 3)) for group in TRUTH.tolist()]
VECTORS = RNG.normal(size=(60, 8)) + 3 * np.eye(2, 8)[TRUTH]
JUNK = ["bread train moon", "moon stars", "stars rails jam"] * 4


@pytest.fixture(params=["words", "embeddings"])
def given(request):
    return {} if request.param == "words" else {"embeddings": VECTORS}


def test_a_saved_model_averages_new_texts(given, tmp_path):
    model = DocumentClustering(2, encoder=None, neighbours=1, random_state=0).fit(TEXTS, **given)
    model.save(tmp_path / "model")
    again = DocumentClustering.load(tmp_path / "model")
    new = {} if not given else {"embeddings": VECTORS[:3] + 0.5}
    texts = ["rye and jam", "a seat", "bread on rails"]
    np.testing.assert_array_equal(again.decision_function(texts, **new), model.decision_function(texts, **new))
    assert again.neighbours == 1
    state = model.to_state()
    state["neighbours"] = state["neighbours"] | {"n_features": 3}
    with pytest.raises(ModelError):
        DocumentClustering.from_state(state)


def test_junk_is_told_from_the_documents_as_they_came(given, tmp_path):
    """In a model, in a saved one, in a session and in a version that goes on from another."""
    off = {} if not given else {"universum_embeddings": np.random.default_rng(5).normal(size=(12, 8))}
    model = DocumentClustering(2, encoder=None, neighbours=1, random_state=0).fit(TEXTS, universum=JUNK, **given, **off)
    plain = normalize(VECTORS) if given else model.vectorizer_.transform(TEXTS)
    own, scores = model.clusterer_.off_topic_score(plain), model.off_topic_score(TEXTS, **given)
    np.testing.assert_allclose(scores, own, atol=1e-6)
    assert np.abs(scores - model.clusterer_.off_topic_score(model.spaces_.space)).max() > 1e-3
    np.testing.assert_array_equal(model.predict(TEXTS, **given), model.labels_)
    model.save(tmp_path / "model")
    again = DocumentClustering.load(tmp_path / "model")
    np.testing.assert_allclose(again.off_topic_score(TEXTS, **given), scores, atol=1e-6)

    session = Session(TEXTS, n_clusters=2, neighbours=1, encoder=None, universum=JUNK, **given, **off)
    first = session.fit()
    second = session.fit([Label("3", 1 - max(first.groups["3"], 0)), Word("bread")], start=first)
    for version in (first, second):
        spaces, clusterer = version.model.spaces_, version.model.clusterer_
        expected = clusterer.off_topic_score(spaces.original)
        np.testing.assert_allclose(version.assess().off_topic_score[version.rows], expected, atol=1e-6)
        assert np.abs(expected - clusterer.off_topic_score(spaces.space)).max() > 1e-3
        assert given or spaces.original is spaces.words


def test_a_session_finds_neighbours_once_and_goes_on_from_its_file(given, tmp_path, monkeypatch):
    session = Session(TEXTS, n_clusters=2, neighbours=1, encoder=None, **given)
    first = session.fit()
    session.save(tmp_path / "work.outgroup", first)
    monkeypatch.setattr("outgroup.cluster.neighbour_average.fast_nearest", None)  # a later fit has no need of it
    second = session.fit([Label("3", 1 - first.groups["3"]), Word("bread")], start=first)
    assert second.groups["3"] != first.groups["3"]
    monkeypatch.undo()
    again = Session.open(tmp_path / "work.outgroup", documents=TEXTS, **given)
    assert again.version.groups == first.groups
    assert abs(again.documents.spaces.space - session.documents.spaces.space).max() < 1e-6
    assert again.version.model.representation_.passes == 1
    again.close()
