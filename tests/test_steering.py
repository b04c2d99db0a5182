"""Seeds through DocumentClustering: by names and by arrays, what they take out, and what is refused."""

import numpy as np
import pytest
from factories import KITCHEN, TRAINS

from outgroup import MaxMarginClustering, SeededKMeans, SphericalKMeans
from outgroup.document_clustering import DocumentClustering
from outgroup.errors import InputError
from outgroup.seeds import Cluster, Seeds

TEXTS = [text for pair in zip(KITCHEN, TRAINS, strict=True) for text in pair]
IDS = [f"{topic}-{i}" for i in range(4) for topic in ("kitchen", "train")]


def clustering(clusterer=None):
    return DocumentClustering(2, clusterer=clusterer or SeededKMeans(2), random_state=0)


@pytest.mark.parametrize("clusterer", [SeededKMeans(2), MaxMarginClustering(2, random_state=0)])
@pytest.mark.parametrize("trains_first", [True, False])
def test_named_groups_are_numbered_in_their_order(clusterer, trains_first):
    named = {"trains": ["train-0"], "kitchen": ["kitchen-1"]}
    if not trains_first:
        named = dict(reversed(named.items()))
    found = clustering(clusterer).fit(TEXTS, seeds=named, word_seeds={"kitchen": ["breads"]}, ids=IDS)
    assert found.names_ == list(named)
    assert {found.names_[label] for label in found.labels_[::2]} == {"kitchen"}
    assert {found.names_[label] for label in found.labels_[1::2]} == {"trains"}


def test_without_ids_a_text_is_its_number():
    found = clustering().fit(TEXTS, seeds={"trains": [1, (3, ["town"])], "kitchen": ["0"]})
    assert found.labels_.tolist() == [1, 0] * 4
    assert found.placed_.word_seeds[0, found.vectorizer_.vocabulary_["town"]]


def test_arrays_pass_through():
    seeds = np.full(8, -1)
    seeds[[0, 1]] = [1, 0]
    found = clustering().fit(TEXTS, seeds=seeds)
    assert found.labels_.tolist() == [1, 0] * 4
    words = np.zeros((2, found.spaces_.space.shape[1]), dtype=bool)
    words[0, found.vectorizer_.vocabulary_["bread"]] = words[1, found.vectorizer_.vocabulary_["train"]] = True
    assert clustering().fit(TEXTS, word_seeds=words).labels_.tolist() == [0, 1] * 4


def test_documents_labelled_off_topic_go_to_the_universum():
    seeds = Seeds({"trains": Cluster(("train-0",))}, ("train-3",))
    found = clustering(MaxMarginClustering(2, random_state=0)).fit(TEXTS, seeds=seeds, ids=IDS)
    assert found.labels_[7] == -1
    assert (found.labels_[:7] >= 0).all()
    assert found.skipped_ == [(7, "labelled off-topic")]
    assert found.n_universum_ == 1
    assert found.spaces_.space.shape[0] == 7
    assert "late" in found.vectorizer_.vocabulary_  # a label changes no column
    given = {"seeds": seeds, "ids": IDS, "universum": ["late butter"]}
    more = clustering(MaxMarginClustering(2, random_state=0)).fit(TEXTS, **given)
    assert more.n_universum_ == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"seeds": {"a": ["x"]}, "ids": ["x"]}, "ids must be 8 unique ids"),
        ({"seeds": {"a": ["x"]}, "ids": ["x"] * 8}, "ids must be 8 unique ids, one per document; 1 different of 8"),
        ({"seeds": {"a": [0]}, "word_seeds": np.zeros((2, 3))}, "must both map names to lists, or both be arrays"),
        ({"seeds": Seeds.of({"a": ["0"]}), "word_seeds": {"a": ["bread"]}}, "seeds from a file also contain words"),
        ({"seeds": [0, 1]}, "give an integer"),
        ({"seeds": ["a"] * 8}, r"must map names of groups to lists, .* or be an array"),
        ({"seeds": [-1] * 5 + [9, -1, -1]}, r"seeds\[5\] is 9, but labels go from 0 to 1"),
        ({"seeds": {"a": [0], "b": [1], "c": [2]}}, "the seeds have 3 clusters, but n_clusters is 2"),
        ({"seeds": {"a": [0], "b": [0]}}, "document '0' is labelled twice"),
        ({"seeds": {}}, "the seeds contain no labels"),
    ],
)
def test_seeds_that_cannot_be_used_are_named(given, message):
    with pytest.raises(InputError, match=message):
        clustering().fit(TEXTS, **given)


def test_a_clusterer_that_takes_no_seeds_says_so():
    with pytest.raises(InputError, match="omit them, or"):
        clustering(SphericalKMeans(2)).fit(TEXTS, seeds={"a": [0]})
