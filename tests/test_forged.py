"""Models that somebody forged, with a right checksum: refused in plain words, or as good as any other."""

import re
import warnings

import numpy as np
import pytest
from factories import KITCHEN, TRAINS

from outgroup import CPM3C, DocumentClustering, MaxMarginClustering, SeededKMeans, SphericalKMeans
from outgroup.errors import ModelError
from outgroup.storage import state as storage
from tests.fuzz.forging import LEFT_OUT, forged

TEXTS = [*KITCHEN, *TRAINS]
JUNK = ["butter on a train", "bread in the station"] * 2


def models():
    """A model of each kind, by name: fitted once."""
    k, seeded = {"n_clusters": 2, "random_state": 0}, {"seeds": [0, -1, -1, -1, 1, -1, -1, -1]}
    fits = {
        "steered": (MaxMarginClustering(n_init=2, **k), {"universum": JUNK}),
        "plain": (MaxMarginClustering(n_init=2, **k), {}),
        "unjudged": (MaxMarginClustering(n_init=1, off_topic_rate=None, **k), {}),
        "cuts": (CPM3C(n_init=2, **k), {}),
        "sphere": (SphericalKMeans(n_init=2, **k), {}),
        "seeds": (SeededKMeans(**k), seeded),
        "vectors": (MaxMarginClustering(n_init=2, **k), {"embeddings": np.eye(8)[:, :3] + 0.1, "universum": None}),
    }
    found = {name: DocumentClustering(clusterer=part).fit(TEXTS, **extra) for name, (part, extra) in fits.items()}
    found["plain"].predict_several(TEXTS)
    return found


STATES = {name: model.to_state() for name, model in models().items()}


def written(state, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        storage.write(folder, state)
    return folder


@pytest.mark.parametrize(
    ("kind", "place", "value", "words"),
    [
        ("steered", ("clusterer", "state", "fitted", "coef_"), np.zeros((2, 4)), "coef_ is not valid"),
        ("steered", ("clusterer", "state", "fitted", "intercept_"), LEFT_OUT, "it has no intercept_"),
        ("steered", ("clusterer", "state", "fitted", "off_topic_"), {}, "off_topic_ is not valid"),
        ("cuts", ("clusterer", "state", "fitted", "trace_", 0, "objective"), LEFT_OUT, "is not valid"),
        ("steered", ("clusterer", "state", "params", "n_clusters"), 5, "coef_ is not"),
        ("steered", ("clusterer", "state", "params", "gap"), -1.0, "'gap' parameter"),
        ("steered", ("clusterer", "class"), "os.system", "unknown part 'os.system'"),
        ("plain", ("vectorizer", "state", "idf"), np.full(9, 0.5), "stems, names and weights"),
        ("plain", ("vectorizer", "state", "parameters", "min_df"), -1, "damaged"),
        ("plain", ("labels",), np.full(8, 2, dtype=np.int32), "its labels is not valid"),
        ("plain", ("names",), ["only one"], "its names is not valid"),
        ("plain", ("description", 0, "found_again"), -1, "'description.0.found_again'"),
        ("plain", ("description", 1, "name"), LEFT_OUT, "'description.1.name' is missing"),
        ("plain", ("several", "coef"), np.zeros((2, 4)), "do not match the groups"),
        ("plain", ("several", "intercept"), np.array([0, np.inf]), "do not match the groups"),
        ("plain", ("several", "coef"), LEFT_OUT, "damaged: 'coef'"),
        ("plain", ("fields",), {"texts": "body"}, "'fields' is missing"),
        ("plain", ("skipped",), [[0, None]], "'skipped.0.1' is missing"),
        ("plain", ("embeddings",), 3, "vectorizer and clusterer have different numbers"),
        ("vectors", ("word_means",), None, "its word_means is not valid"),
    ],
)  # fmt: skip
def test_a_forged_field_is_named(tmp_path, kind, place, value, words):
    written(forged(STATES[kind], place, lambda _: value), tmp_path)
    with pytest.raises(ModelError, match=re.escape(words)):
        DocumentClustering.load(tmp_path)
