"""DocumentClustering: texts in, groups out, saved and loaded without pickle."""

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from factories import KITCHEN, TRAINS
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer

from outgroup.cluster.cpm3c import CPM3C
from outgroup.cluster.max_margin import MaxMarginClustering
from outgroup.cluster.neighbour_average import NeighbourAverage
from outgroup.cluster.profile import k_profile
from outgroup.cluster.seeded import SeededKMeans
from outgroup.cluster.spherical import SphericalKMeans
from outgroup.document_clustering import DocumentClustering
from outgroup.errors import CancelledError, InputError, ModelError, OutputError
from outgroup.metrics import adjusted_rand
from outgroup.session import Session
from outgroup.text.vectorizer import Vectorizer

TEXTS = [text for pair in zip(KITCHEN, TRAINS, strict=True) for text in pair]
OFF_TOPIC = ["butter on a train", "bread in the station", "quarterly dividends"]


@pytest.fixture(scope="module")
def fitted():
    return DocumentClustering(2, random_state=0).fit(TEXTS, universum=OFF_TOPIC)


@pytest.fixture
def saved(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    return tmp_path / "model"


def test_groups_are_found_and_the_universum_without_a_known_word_is_left_out(fitted):
    assert len(set(fitted.labels_[::2])) == len(set(fitted.labels_[1::2])) == 1
    assert fitted.labels_[0] != fitted.labels_[1]
    assert fitted.n_universum_ == 2
    assert fitted.decision_function(TEXTS).shape == (8, 2)
    np.testing.assert_array_equal(fitted.predict(TEXTS), fitted.labels_)
    assert "bread" in fitted.vectorizer_.get_feature_names_out()


@pytest.mark.parametrize("clusterer", [None, SeededKMeans(3, random_state=0)])
def test_labelled_texts_are_where_they_were_put(clusterer):
    seeds = np.full(len(TEXTS), -1)
    seeds[:6] = [2, 0, 1, 1, 2, 0]  # against what they say
    model = DocumentClustering(3, clusterer=clusterer, random_state=0).fit(TEXTS, seeds=seeds)
    assert model.labels_[:6].tolist() == [2, 0, 1, 1, 2, 0]


def test_texts_without_a_word_are_skipped_by_number_and_keep_their_place():
    model = DocumentClustering(2, random_state=0).fit(["12345", *TEXTS, ""])
    assert [row for row, why in model.skipped_] == [0, 9]
    assert model.labels_[0] == model.labels_[-1] == -1
    assert model.spaces_.space.shape[0] == 8
    scores = model.decision_function(["bread", "zzz"])
    assert np.isfinite(scores[0]).all()
    assert np.isnan(scores[1]).all()
    np.testing.assert_array_equal(model.predict(["zzz", "?"]), [-1, -1])


def test_off_topic_texts_are_scored_and_left_out_only_when_asked(fitted):
    new = ["warm bread and butter", "butter on a train", "zzz"]
    score = fitted.off_topic_score(new)
    assert score[1] > score[0]
    assert np.isnan(score[2])
    over = score > fitted.clusterer_.off_topic_["value"]
    np.testing.assert_array_equal(fitted.predict(new, off_topic=True), np.where(over, -1, fitted.predict(new)))
    assert (fitted.predict(new)[:2] >= 0).all()


def test_fit_predict_repeats_with_a_seed_and_parameters_stay_untouched():
    model = DocumentClustering(2, random_state=3)
    np.testing.assert_array_equal(model.fit_predict(TEXTS), clone(model).fit_predict(TEXTS))
    assert model.vectorizer is None
    assert model.clusterer is None


@pytest.mark.parametrize(
    "form", [sp.csr_matrix, lambda E: pa.table({"x": E[:, 0], "y": E[:, 1]}), list, lambda E: Path("vectors.npy")]
)
@pytest.mark.parametrize("method", ["fit", "fit_predict", "fit_transform"])
def test_vectors_in_the_place_of_y_are_an_error(method, form):
    with pytest.raises(InputError, match="embeddings="):
        getattr(DocumentClustering(2), method)(TEXTS, form(np.eye(len(TEXTS))))


def test_labels_in_the_place_of_y_are_ignored_and_fit_predict_returns_groups():
    model = DocumentClustering(2, random_state=3)
    expected = clone(model).fit(TEXTS, embeddings=np.eye(2)[[0, 1] * 4]).labels_
    for y in (None, [0, 1] * 4, pa.array(["a", "b"] * 4), np.arange(8)):
        np.testing.assert_array_equal(model.fit_predict(TEXTS, y, embeddings=np.eye(2)[[0, 1] * 4]), expected)
        assert model.fit_transform(TEXTS, y).shape == (8, 2)


def test_other_libraries_parts_can_be_plugged_in():
    words, groups = TfidfVectorizer(stop_words="english"), KMeans(2, n_init=1, random_state=0)
    model = DocumentClustering(vectorizer=words, clusterer=groups).fit(TEXTS, progress=lambda *_: None)
    assert set(model.labels_) == {0, 1}
    np.testing.assert_array_equal(model.predict(TEXTS), model.labels_)
    assert not hasattr(groups, "labels_")
    with pytest.raises(InputError, match=r"KMeans does not support (a universum|init)"):
        model.fit(TEXTS, universum=OFF_TOPIC)
    with pytest.raises(InputError, match="cannot be saved"):
        model.save("never")


def test_progress_hears_of_both_steps():
    heard = []
    DocumentClustering(clusterer=MaxMarginClustering(2, n_init=3)).fit(TEXTS, progress=lambda *step: heard.append(step))
    assert [step for step in heard if step[0] == "fitting"][-1] == ("fitting", 1, 1)
    assert heard[0][0] == "analysing"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"documents": "one string"}, "list of texts"),
        ({"documents": [1, 2]}, "list of texts"),
        ({"documents": []}, "documents is empty"),
        ({"documents": TEXTS, "universum": []}, "universum is empty"),
        ({"documents": TEXTS[:1]}, "2 clusters need"),
        ({"documents": ["same words"] * 6}, "no usable words|equal"),
        ({"documents": ["1", "2", "3"]}, "no usable words"),
        ({"n_clusters": True}, "^n_clusters=True is not valid"),
        ({"n_clusters": "2"}, "^n_clusters='2' is not valid"),
        ({"n_clusters": 0}, "^n_clusters=0 "),
        ({"clusterer": "spherical"}, r"^clusterer .* is not valid: .*SphericalKMeans\(\)$"),
        ({"clusterer": SphericalKMeans}, r"^clusterer .* is not valid"),
        ({"vectorizer": "tfidf"}, r"^vectorizer .* is not valid: .*Vectorizer\(\)$"),
        ({"vectorizer": Vectorizer(stop_words="french")}, "language="),
        ({"ids": 5}, "^ids "),
        ({"seeds": "bread"}, "^seeds "),
        ({"seeds": [["0"], ["1", "3"]]}, "^seeds "),
        ({"word_seeds": [["bread"], ["train", "town"]]}, "^word_seeds "),
        ({"text": ["a", "b"]}, "^text "),
        ({"title": 3}, "^title "),
        ({"init": [0, 1]}, "8 texts"),
        ({"init": SphericalKMeans(2, random_state=0).fit(np.eye(8))}, "SphericalKMeans is fitted on rows.* labels_"),
        ({"embeddings": np.ones((3, 2))}, "3 rows for 8 texts"),
        ({"embeddings": np.ones((8, 2)), "universum": OFF_TOPIC}, "give universum_embeddings"),
        ({"universum": OFF_TOPIC, "universum_embeddings": np.ones((3, 2))}, "omit universum_embeddings"),
        ({"embeddings": np.full((8, 2), np.nan)}, "row 0 contains NaN"),
        ({"documents": [{"text": text, "vector": ["a"]} for text in TEXTS], "embeddings": "vector"}, "'vector'"),
    ],
)
def test_input_that_cannot_be_used_is_named(given, words):
    model = DocumentClustering(2)
    parameters = given.keys() & model.get_params(deep=False).keys()
    with pytest.raises(InputError, match=words):
        model.set_params(**{name: given[name] for name in parameters}).fit(
            **{"documents": TEXTS} | {name: given[name] for name in given.keys() - parameters}
        )


def test_before_fit_nothing_can_be_asked(tmp_path):
    for ask in (lambda m: m.predict(TEXTS), lambda m: m.represent(TEXTS), lambda m: m.save(tmp_path / "m")):
        with pytest.raises(NotFittedError):
            ask(DocumentClustering())
    for ask in (lambda m: m.off_topic_score(TEXTS), lambda m: m.predict(TEXTS, off_topic=True)):
        with pytest.raises(NotFittedError):
            ask(DocumentClustering())


def test_a_loaded_model_is_the_same_model(fitted, saved):
    model = DocumentClustering.load(saved)
    new = ["fresh bread", "slow trains", "nothing known"]
    np.testing.assert_array_equal(model.decision_function(new), fitted.decision_function(new))
    np.testing.assert_array_equal(model.labels_, fitted.labels_)
    assert model.labels_.dtype == np.int32
    assert model.get_params()["n_clusters"] == 2
    assert model.representation_.names == fitted.representation_.names
    assert model.clusterer_.restarts_ == fitted.clusterer_.restarts_
    model.fit(TEXTS, universum=OFF_TOPIC)
    np.testing.assert_array_equal(model.labels_, fitted.labels_)


def test_the_same_fit_gives_the_same_bytes(saved, tmp_path):
    DocumentClustering(2, random_state=0).fit(TEXTS, universum=OFF_TOPIC).save(tmp_path / "again")
    for name in ("model.json", "arrays.bin"):
        assert (saved / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
    DocumentClustering.load(saved).save(tmp_path / "loaded")
    assert (saved / "arrays.bin").read_bytes() == (tmp_path / "loaded" / "arrays.bin").read_bytes()


def test_a_model_is_replaced_only_when_asked_and_nothing_else_is(fitted, saved):
    with pytest.raises(OutputError, match="replace=True"):
        fitted.save(saved)
    fitted.save(saved, replace=True)
    (saved / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"notes\.txt"):
        fitted.save(saved, replace=True)


@pytest.mark.parametrize("name", ["model.json", "arrays.bin"])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_every_damage_is_noticed(saved, name, share):
    whole = (saved / name).read_bytes()
    at = int(share * (len(whole) - 1))
    for damaged in (whole[:at], whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :], whole + b"x", b""):
        (saved / name).write_bytes(damaged)
        with pytest.raises(ModelError):
            DocumentClustering.load(saved)


@pytest.mark.parametrize("kind", [MaxMarginClustering, SphericalKMeans, SeededKMeans, CPM3C])
def test_a_model_of_a_generator_of_random_numbers_is_saved_without_it(kind, tmp_path):
    clusterer = kind(2, random_state=np.random.RandomState(0))
    model = DocumentClustering(clusterer=clusterer, random_state=np.random.RandomState(0)).fit(TEXTS)
    model.save(tmp_path / "model")
    loaded = DocumentClustering.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(TEXTS), model.predict(TEXTS))
    assert (loaded.clusterer_.random_state, loaded.clusterer.random_state) == (None, None)
    assert isinstance(model.clusterer_.random_state, np.random.RandomState)


@pytest.mark.parametrize("clusterer", [None, SphericalKMeans(2, init="random-rows", random_state=0)])
def test_the_order_of_the_documents_changes_nothing_but_the_order_of_the_results(clusterer):
    universum = OFF_TOPIC if clusterer is None else None
    model = DocumentClustering(2, clusterer=clusterer, random_state=0).fit(TEXTS, universum=universum)
    order = np.random.default_rng(3).permutation(len(TEXTS))
    other = DocumentClustering(2, clusterer=clusterer, random_state=0)
    other.fit([TEXTS[i] for i in order], universum=universum and universum[::-1])
    np.testing.assert_array_equal(other.labels_, model.labels_[order])
    assert other.clusterer_.objective_ == model.clusterer_.objective_
    np.testing.assert_array_equal(other.decision_function(TEXTS), model.decision_function(TEXTS))


VECTORS = np.array([[1.0, 0.1 * i] if i % 2 == 0 else [0.1 * i, 1.0] for i in range(len(TEXTS))])


def by_length(texts):
    return np.array([[1.0, 0.0] if "bread" in text else [0.0, 1.0] for text in texts])


def test_groups_are_found_among_embeddings_and_told_by_words():
    model = DocumentClustering(2, random_state=0).fit([*TEXTS, "???"], embeddings=np.vstack([VECTORS, [1.0, 0.05]]))
    assert model.labels_[-1] == model.labels_[0] != model.labels_[1]  # a text without a word takes part by its vector
    assert model.clusterer_.n_features_in_ == 2
    names = model.representation_.names
    assert model.word_coef_.shape == (2, len(names))
    assert (
        model.word_coef_[model.labels_[0]][names.index("bread")]
        > model.word_coef_[model.labels_[1]][names.index("bread")]
    )
    np.testing.assert_array_equal(model.predict(TEXTS, embeddings=VECTORS), model.labels_[:-1])


def test_an_encoder_makes_the_embeddings_of_texts_and_universum(tmp_path):
    model = DocumentClustering(2, encoder=by_length, random_state=0).fit(TEXTS, universum=OFF_TOPIC)
    assert model.n_universum_ == len(OFF_TOPIC)  # each has a vector, whatever its words
    assert model.predict(["bread"])[0] == model.labels_[0]
    model.save(tmp_path / "model")
    loaded = DocumentClustering.load(tmp_path / "model")
    with pytest.raises(InputError, match="embeddings of 2 columns"):
        loaded.predict(TEXTS)
    np.testing.assert_array_equal(loaded.predict(TEXTS, embeddings=by_length(TEXTS)), model.labels_)
    again = DocumentClustering.load(tmp_path / "model", encoder=by_length)
    np.testing.assert_array_equal(again.predict(TEXTS), model.labels_)
    np.testing.assert_array_equal(again.word_coef_, model.word_coef_)
    with pytest.raises(InputError, match="fitted with 2"):
        again.predict(TEXTS, embeddings=np.ones((8, 3)))


def test_words_pull_out_off_topic_texts_of_embeddings():
    U = np.array([[0.7, 0.7], [0.71, 0.7], [0.5, 0.5]])
    model = DocumentClustering(2, random_state=0).fit(
        TEXTS, embeddings=VECTORS, universum=OFF_TOPIC, universum_embeddings=U
    )
    directions, intercepts = model.word_reject_
    assert directions.shape == (3, len(model.vectorizer_.get_feature_names_out()))
    assert directions[-1].any()
    assert not intercepts.any()


@pytest.mark.parametrize("clusterer", [SeededKMeans(2, random_state=0), MaxMarginClustering(2, random_state=0)])
def test_labelled_words_act_where_groups_are_found_among_embeddings(clusterer):
    # The vectors put the texts into two groups; only words say which of them is called what.
    for first, second in (("bread", "train"), ("train", "bread")):
        model = DocumentClustering(clusterer=clusterer).fit(
            TEXTS, embeddings=VECTORS, word_seeds={"first": [first], "second": [second]}
        )
        assert model.labels_[TEXTS.index("bread and butter")] == (0 if first == "bread" else 1)


def test_embeddings_for_a_model_of_words_are_refused(fitted):
    with pytest.raises(InputError, match="found by words"):
        fitted.predict(TEXTS, embeddings=VECTORS)


@pytest.mark.parametrize("start", ["labels", "model"])
def test_a_start_is_given_in_the_order_of_the_texts(start):
    texts = ["12345", *TEXTS]
    cold = DocumentClustering(2, random_state=0).fit(texts)
    other = DocumentClustering(2, random_state=0).fit(texts, init=np.where(cold.labels_ >= 0, 1 - cold.labels_, -1))
    np.testing.assert_array_equal(other.labels_[1:], 1 - cold.labels_[1:])
    init = other if start == "model" else other.labels_
    steps = []
    warm = DocumentClustering(2, random_state=3).fit(texts, init=init, on_step=steps.append)
    np.testing.assert_array_equal(warm.labels_, other.labels_)
    assert [step["start"] for step in steps] == [0] * len(steps) != []


def test_a_fit_is_cancelled():
    with pytest.raises(CancelledError):
        DocumentClustering(2).fit(TEXTS, cancel=lambda: True)


def test_holes_are_skipped_where_that_is_asked_for(tmp_path):
    texts = [*KITCHEN, None, *TRAINS, math.nan, "", "..."]
    with pytest.raises(InputError, match=r"rows without a text .*: 4, 9"):
        DocumentClustering(2, random_state=0).fit(texts)
    model = DocumentClustering(2, random_state=0, missing="skip").fit(texts, universum=[None, "butter on a train"])
    rows = [row for row, _ in model.skipped_]
    assert [why for _, why in model.skipped_] == ["no text", "no text", "no text", "no known word"]
    assert rows == [4, 9, 10, 11]
    whole = DocumentClustering(2, random_state=0).fit(KITCHEN + TRAINS, universum=["butter on a train"])
    assert adjusted_rand(np.delete(model.labels_, rows), whole.labels_) == 1.0  # equal groups have any number
    model.save(tmp_path / "m")
    assert DocumentClustering.load(tmp_path / "m").predict([None, "bread"]).tolist() == [-1, model.labels_[0]]


TEXTS_AS_ROWS = [
    TEXTS,
    np.array(TEXTS),
    np.array(TEXTS, dtype=object),
    np.array(TEXTS)[:, None],
    pa.array(TEXTS),
]


@pytest.mark.parametrize("texts", TEXTS_AS_ROWS)
def test_texts_given_to_an_estimator_are_sent_to_the_model(texts):
    said = r"^X contains texts; .*outgroup\.DocumentClustering"
    known = SphericalKMeans(2).fit(np.eye(2))
    for ask in (SphericalKMeans(2).fit, NeighbourAverage().fit, k_profile, known.predict):
        with pytest.raises(InputError, match=said):
            ask(texts)
    with pytest.raises(InputError, match=r"^universum contains texts"):
        SphericalKMeans(2).fit(np.eye(2), universum=texts)


@pytest.mark.parametrize("table", [pa.Table.from_pylist, list])
def test_embeddings_may_be_a_field_of_the_documents(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("vector.npy", np.array(VECTORS))
    rows = table([{"text": text, "vector": list(vector)} for text, vector in zip(TEXTS, VECTORS, strict=True)])
    wanted = DocumentClustering(2, random_state=0).fit(TEXTS, embeddings=np.array(VECTORS))
    model = DocumentClustering(2, random_state=0).fit(rows, embeddings="vector")
    assert model.labels_.tolist() == wanted.labels_.tolist()
    assert model.predict(rows, embeddings="vector").tolist() == model.labels_.tolist()
    by_file = DocumentClustering(2, random_state=0).fit(rows, embeddings="vector.npy")
    assert by_file.labels_.tolist() == wanted.labels_.tolist()
    session = Session(rows, n_clusters=2, embeddings="vector")
    assert session.documents.spaces.space.shape == np.shape(VECTORS)


def test_a_loaded_model_names_where_its_encoder_is_given(tmp_path):
    model = DocumentClustering(2, encoder=lambda texts: np.array(VECTORS)[: len(texts)], random_state=0).fit(TEXTS)
    model.save(tmp_path / "model")
    with pytest.raises(InputError, match=r"load\(path, encoder="):
        DocumentClustering.load(tmp_path / "model").predict(["bread"])
