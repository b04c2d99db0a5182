"""SeededKMeans as users meet it: what seeds do, and what is refused."""

import numpy as np
import pytest

from outgroup.cluster.seeded import SeededKMeans
from outgroup.errors import InputError, OutgroupWarning


def some_seeds(y, *clusters):
    seeds = np.full(len(y), -1)
    for cluster in clusters:
        seeds[np.flatnonzero(y == cluster)[:2]] = cluster
    return seeds


def words_of(*clusters):
    words = np.zeros((3, 12), dtype=bool)
    for cluster in clusters:
        words[cluster, 4 * cluster : 4 * cluster + 2] = True
    return words


@pytest.mark.parametrize("model", ["vote", "generative"])
@pytest.mark.parametrize(("documents", "words"), [(True, False), (False, True), (True, True)])
def test_seeded_clusters_keep_their_number(topics, model, documents, words):
    X, y = topics
    given = {"seeds": some_seeds(y, 0, 1, 2) if documents else None, "word_seeds": words_of(0, 1, 2) if words else None}
    fit = SeededKMeans(3, word_model=model, weights="pool").fit(X, **given)
    assert np.array_equal(fit.labels_, y)
    assert fit.seed_centers_.any(axis=1).all()
    assert set(fit.weights_) == {"clusters"} | ({"documents"} if documents else set()) | ({"words"} if words else set())
    assert sum(fit.weights_.values()) == pytest.approx(1)


def test_a_labelled_document_is_where_it_was_put_unless_seeds_only_guide(topics):
    X, y = topics
    seeds = some_seeds(y, 0, 1, 2)
    seeds[5] = 2  # a document of topic 0
    binding, guiding = (SeededKMeans(3, hold_seeds=hold).fit(X, seeds=seeds) for hold in (True, False))
    assert np.array_equal(binding.labels_[seeds >= 0], seeds[seeds >= 0])
    assert guiding.labels_[5] == binding.predict(X)[5] == 0
    assert np.array_equal(guiding.labels_, guiding.predict(X))
    assert np.array_equal(binding.cluster_centers_, guiding.cluster_centers_)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"seeds": [0, 1, 2]}, "60 integers"),
        ({"seeds": np.full(60, 3)}, r"seeds\[0\]"),
        ({"seeds": np.full(60, 0.5)}, "integers"),
        ({"word_seeds": np.ones((4, 12))}, r"\(4, 12\)"),
        ({"word_seeds": np.full((3, 12), 0.5)}, "0 and 1"),
        ({"seed_weights": [1, 2]}, "3 positive"),
        ({"seed_weights": [1, np.nan, 1]}, "3 positive"),
        ({"weights": {"paragraphs": 1.0}}, "paragraphs"),
        ({"weights": {"documents": -1.0}}, "-1.0"),
        ({"weights": {"words": 1.0, "clusters": 1.0}}, "give documents a weight"),
    ],
)
def test_bad_seeds_and_weights_are_refused(topics, given, message):
    X, y = topics
    model = SeededKMeans(3, weights=given.pop("weights", "pool"))
    with pytest.raises(InputError, match=message):
        model.fit(X, **({"seeds": some_seeds(y, 0)} | given))


@pytest.mark.parametrize("given", [{"seeds": np.full(60, -1)}, {"word_seeds": np.zeros((3, 12))}])
def test_empty_seeds_warn_and_change_nothing(topics, given):
    with pytest.warns(OutgroupWarning, match="label some"):
        fit = SeededKMeans(3, random_state=0).fit(topics[0], **given)
    assert np.array_equal(fit.labels_, SeededKMeans(3, random_state=0).fit(topics[0]).labels_)


def test_a_word_for_every_cluster_is_left_out_with_a_warning(topics):
    X, _ = topics
    words = words_of(0, 1, 2)
    words[:, 7] = True
    with pytest.warns(OutgroupWarning, match="labelled for every cluster are ignored.*columns 7"):
        fit = SeededKMeans(3).fit(X, word_seeds=words)
    assert np.allclose(fit.seed_centers_, SeededKMeans(3).fit(X, word_seeds=words_of(0, 1, 2)).seed_centers_)
    assert words[:, 7].all()  # the caller's array is left alone
