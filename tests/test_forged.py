"""Models that somebody forged, with a right checksum: refused in plain words, or as good as any other."""

import copy
import math
import re
import warnings

import numpy as np
import pytest
from factories import KITCHEN, TRAINS
from hypothesis import given
from hypothesis import strategies as st

from outgroup import CPM3C, DocumentClustering, MaxMarginClustering, SeededKMeans, SphericalKMeans
from outgroup.errors import ModelError, NoDocumentsError, OutgroupError
from outgroup.storage import state as storage
from tests.fuzz.forging import CHANGES, LEFT_OUT, forged, places

TEXTS = [*KITCHEN, *TRAINS]
JUNK = ["butter on a train", "bread in the station"] * 2
NEW = ["fresh bread", "late trains, warm bread", "..."]


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
    return {name: DocumentClustering(clusterer=part).fit(TEXTS, **extra) for name, (part, extra) in fits.items()}


STATES = {name: model.to_state() for name, model in models().items()}


PLACES = {name: [path for path in places(state) if path] for name, state in STATES.items()}


def written(state, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        storage.write(folder, state)
    return folder


@given(st.data(), st.sampled_from(sorted(STATES)), st.sampled_from(sorted(CHANGES)))
def test_a_forged_field_is_refused_or_harmless(tmp_path_factory, data, kind, change):
    place = data.draw(st.sampled_from(PLACES[kind]))
    try:
        state = forged(STATES[kind], place, CHANGES[change])
        folder = written(state, tmp_path_factory.mktemp("forged"))
    except (ValueError, TypeError, OverflowError):
        return  # nothing that can be written
    try:
        model = DocumentClustering.load(folder)
    except ModelError:
        return
    use(model)


def use(model):
    """Everything that can be asked of a loaded model; what it cannot say, it says in plain words."""
    vectors = None if model._representation.width is None else np.eye(3)
    labels = model.predict(NEW, embeddings=vectors)
    assert set(labels.tolist()) <= {-1, 0, 1}
    scores = model.decision_function(NEW, embeddings=vectors)
    assert np.isfinite(scores[labels >= 0]).all()
    model.to_state()
    assert model.word_coef_.shape == (2, len(model.vectorizer_.get_feature_names_out()))
    try:
        assert sorted(model.topics["group"]) == [0, 1]
        str(model.explain(NEW[0], embeddings=None if vectors is None else vectors[:1]))
    except NoDocumentsError:
        assert model._description is None
    try:
        model.off_topic_score(NEW, embeddings=vectors)
        model.predict(NEW, embeddings=vectors, off_topic=True)
    except OutgroupError:
        assert not getattr(model.clusterer_, "off_topic_", None)


def test_what_nobody_forged_is_as_it_was(tmp_path):
    for name, state in STATES.items():
        folder = tmp_path / name
        folder.mkdir()
        use(DocumentClustering.load(written(copy.deepcopy(state), folder)))


@pytest.mark.parametrize(
    ("kind", "place", "value", "words"),
    [
        ("steered", ("clusterer", "state", "fitted", "coef_"), np.zeros((2, 4)), "coef_ is not valid"),
        ("steered", ("clusterer", "state", "fitted", "intercept_"), LEFT_OUT, "it has no intercept_"),
        ("steered", ("clusterer", "state", "fitted", "off_topic_"), {}, "off_topic_ is not valid"),
        ("steered", ("clusterer", "state", "fitted", "lower_bound_"), -math.inf, "lower_bound_ is not valid"),
        ("steered", ("clusterer", "state", "fitted", "restarts_", 0, "objective"), "low", "is not valid"),
        ("cuts", ("clusterer", "state", "fitted", "trace_", 0, "objective"), LEFT_OUT, "is not valid"),
        ("sphere", ("clusterer", "state", "fitted", "restarts_", 0), ["objective"], "restarts_ is not valid"),
        ("steered", ("clusterer", "state", "params", "n_clusters"), 5, "coef_ is not"),
        ("steered", ("clusterer", "state", "params", "gap"), -1.0, "'gap' parameter"),
        ("steered", ("clusterer", "class"), "os.system", "unknown part 'os.system'"),
        ("plain", ("vectorizer", "state", "idf"), np.full(9, 0.5), "stems, names and weights"),
        ("plain", ("vectorizer", "state", "stems"), "bread", "stems, names and weights"),
        ("plain", ("labels",), np.full(8, 2, dtype=np.int32), "its labels is not valid"),
        ("plain", ("names",), ["only one"], "its names is not valid"),
        ("plain", ("numbers",), [0, 0], "its numbers is not valid"),
        ("plain", ("description", 0, "found_again"), -1, "'description.0.found_again'"),
        ("plain", ("description", 0, "example"), None, "'description.0.example'"),
        ("plain", ("description", 1, "name"), LEFT_OUT, "'description.1.name' is missing"),
        ("plain", ("description",), {}, "'description' is missing"),
        ("plain", ("fields",), {"text": None}, "'fields.text' is missing"),
        ("plain", ("fields",), {"texts": "body"}, "'fields' is missing"),
        ("plain", ("skipped",), LEFT_OUT, "'skipped' is missing"),
        ("plain", ("skipped",), [[0, None]], "'skipped.0.1' is missing"),
        ("plain", ("embeddings",), 3, "vectorizer and clusterer have different numbers"),
        ("vectors", ("word_means",), None, "its word_means is not valid"),
        ("sphere", ("clusterer", "state", "fitted", "n_clusters_"), 3, "n_clusters_ is not valid"),
    ],
)  # fmt: skip
def test_a_forged_field_is_named(tmp_path, kind, place, value, words):
    written(forged(STATES[kind], place, lambda _: value), tmp_path)
    with pytest.raises(ModelError, match=re.escape(words)):
        DocumentClustering.load(tmp_path)
