"""Seeds through DocumentClustering: by names and by arrays, what they take out, and what is refused."""

import numpy as np
import pytest
from factories import KITCHEN, TRAINS

from outgroup import MaxMarginClustering, SeededKMeans, SphericalKMeans
from outgroup.document_clustering import DocumentClustering
from outgroup.errors import InputError

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


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"seeds": {"a": ["x"]}, "ids": ["x"] * 8}, "ids must be 8 unique ids, one per document; 1 different of 8"),
        ({"seeds": {"a": [0]}, "word_seeds": np.zeros((2, 3))}, "word_seeds must map names"),
        ({"seeds": [0, 1]}, "an integer per text"),
        ({"seeds": ["a"] * 8}, "give lists by name"),
        ({"seeds": [-1] * 5 + [9, -1, -1]}, r"seeds\[5\] is 9, but labels go from 0 to 1"),
        ({"seeds": {"a": [0], "b": [1], "c": [2]}}, "the seeds have 3 clusters, but n_clusters is 2"),
    ],
)
def test_seeds_that_cannot_be_used_are_named(given, message):
    with pytest.raises(InputError, match=message):
        clustering().fit(TEXTS, **given)


def test_a_clusterer_that_takes_no_seeds_says_so():
    with pytest.raises(InputError, match="omit them, or"):
        clustering(SphericalKMeans(2)).fit(TEXTS, seeds={"a": [0]})
