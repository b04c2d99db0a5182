"""Models that somebody forged, with a right checksum: refused in plain words, or as good as any other."""

import copy
import math
import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outgroup import CPM3C, DocumentClustering, MaxMarginClustering, SeededKMeans, SphericalKMeans
from outgroup.errors import ModelError, NoDocumentsError, OutgroupError
from outgroup.storage import state as storage

TEXTS = ["bread and butter", "butter on warm bread", "warm bread again", "a knife for butter and bread"]
TEXTS += ["the train to town", "a town with a train", "trains leave the station", "station in town, train late"]
JUNK = ["butter on a train", "bread in the station"] * 2
NEW = ["fresh bread", "late trains, warm bread", "..."]
LEFT_OUT = object()


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


def places(value, path=()):
    """Every place of a state, as the keys that lead there."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    for key, part in list(parts)[:20]:
        yield from places(part, (*path, key))


PLACES = {name: [path for path in places(state) if path] for name, state in STATES.items()}


def forged(value, path, change):
    """A copy of a state with what `change` makes of the value at a place."""
    if not path:
        return change(value)
    whole = dict(value) if isinstance(value, dict) else list(value)
    part = forged(whole[path[0]], path[1:], change)
    if part is not LEFT_OUT:
        whole[path[0]] = part
    elif isinstance(whole, dict):
        del whole[path[0]]
    else:
        whole.pop(path[0])
    return whole


def of_arrays(change):
    """The change for an array; other values turn into a list."""
    return lambda value: change(value) if isinstance(value, np.ndarray) and value.size else [value]


CHANGES = {
    "left out": lambda _: LEFT_OUT,
    **{f"now {value!r:.20}": lambda _, value=value: value for value in (
        None, True, 0, -1, 3, 10**18, 10**400, 0.5, -1e300, math.nan, math.inf, "", "\x1b[31m{0} %s", [], {}, [[]],
        [None] * 3, {"a": 1}, {"class": "Vectorizer"}, np.zeros(0), np.zeros((2, 3, 4)), np.full(9, np.nan),
        np.ones((2, 9), dtype=bool), np.ones((2, 9), dtype=np.uint8), np.full((2, 9), 1e300), np.float16(2),
    )},
    "transposed": of_arrays(lambda array: array.T[..., None]),
    "one row less": of_arrays(lambda array: array[1:]),
    "one row more": of_arrays(lambda array: np.concatenate([array, array[:1]])),
    "whole numbers": of_arrays(lambda array: array.astype(np.int64)),
    "halves": of_arrays(lambda array: array.astype(np.float16)),
    "the other end": of_arrays(lambda array: array.astype(array.dtype.newbyteorder())),
    "not a number": of_arrays(lambda array: np.where(np.arange(array.size).reshape(array.shape) == 0, np.nan, array)),
    "huge": of_arrays(lambda array: array * 1e300),
    "negative": of_arrays(lambda array: -array - 5),
    "doubled": lambda value: [*value, *value] if isinstance(value, list | tuple) else [value, value],
    "nested": lambda value: {"array": value},
}  # fmt: skip


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
        ("steered", ("clusterer", "state", "fitted", "coef_"), np.zeros((2, 4)), "coef_ is not finite numbers"),
        ("steered", ("clusterer", "state", "fitted", "intercept_"), LEFT_OUT, "it has no intercept_"),
        ("steered", ("clusterer", "state", "fitted", "off_topic_"), {}, "off_topic_ is empty"),
        ("steered", ("clusterer", "state", "fitted", "lower_bound_"), -math.inf, "lower_bound_ is not a finite number"),
        ("steered", ("clusterer", "state", "fitted", "restarts_", 0, "objective"), "low", "each with an objective"),
        ("cuts", ("clusterer", "state", "fitted", "trace_", 0, "objective"), LEFT_OUT, "each with an objective"),
        ("sphere", ("clusterer", "state", "fitted", "restarts_", 0), ["objective"], "restarts_ is not a list of steps"),
        ("steered", ("clusterer", "state", "params", "n_clusters"), 5, "coef_ is not"),
        ("steered", ("clusterer", "state", "params", "gap"), -1.0, "'gap' parameter"),
        ("steered", ("clusterer", "class"), "os.system", "unknown part 'os.system'"),
        ("plain", ("vectorizer", "state", "idf"), np.full(9, 0.5), "stems, names and weights"),
        ("plain", ("vectorizer", "state", "stems"), "bread", "stems, names and weights"),
        ("plain", ("labels",), np.full(8, 2, dtype=np.int32), "its labels is something else"),
        ("plain", ("names",), ["only one"], "its names is something else"),
        ("plain", ("numbers",), [0, 0], "its numbers is something else"),
        ("plain", ("description", 0, "found_again"), -1, "its description is something else"),
        ("plain", ("description", 0, "example"), None, "its description is something else"),
        ("plain", ("embeddings",), 3, "columns and its groups do not fit"),
        ("vectors", ("word_means",), None, "its word_means is something else"),
        ("sphere", ("clusterer", "state", "fitted", "n_clusters_"), 3, "n_clusters_ is not the number of groups"),
    ],
)  # fmt: skip
def test_a_forged_field_is_named(tmp_path, kind, place, value, words):
    written(forged(STATES[kind], place, lambda _: value), tmp_path)
    with pytest.raises(ModelError, match=re.escape(words)):
        DocumentClustering.load(tmp_path)
