"""DocumentClustering: texts in, groups out, saved and loaded without pickle."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from factories import KITCHEN, TRAINS
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from outgroup.cluster.spherical import SphericalKMeans
from outgroup.document_clustering import DocumentClustering
from outgroup.errors import InputError, ModelError, OutgroupWarning
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


@pytest.mark.parametrize(
    "form", [sp.csr_matrix, lambda E: pa.table({"x": E[:, 0], "y": E[:, 1]}), list, lambda E: Path("vectors.npy")]
)
@pytest.mark.parametrize("method", ["fit", "fit_predict", "fit_transform"])
def test_vectors_in_the_place_of_y_are_an_error(method, form):
    with pytest.raises(InputError, match="embeddings="):
        getattr(DocumentClustering(2), method)(TEXTS, form(np.eye(len(TEXTS))))


def test_other_libraries_parts_can_be_plugged_in():
    words, groups = TfidfVectorizer(stop_words="english"), KMeans(2, n_init=1, random_state=0)
    model = DocumentClustering(vectorizer=words, clusterer=groups).fit(TEXTS, progress=lambda *_: None)
    assert set(model.labels_) == {0, 1}
    np.testing.assert_array_equal(model.predict(TEXTS), model.labels_)
    assert not hasattr(groups, "labels_")
    with pytest.raises(InputError, match="cannot be saved"):
        model.save("never")


@pytest.mark.parametrize("given", [{"n_clusters": 0}, {"n_clusters": 99}, {"n_clusters": (9, 3)}, {"outliers": "x"}])
def test_choices_are_checked_before_texts_are_encoded(given):
    with pytest.raises(InputError, match=r"valid|at least 99 documents"):
        DocumentClustering(encoder=pytest.fail, **({"n_clusters": 2} | given)).fit(TEXTS)


def test_embeddings_of_zeros_are_counted():
    X = np.eye(2)[np.arange(len(TEXTS)) % 2]
    X[[3, 5]] = 0
    with pytest.warns(OutgroupWarning, match=r"^2 embeddings are zero, the first that of document 3"):
        model = DocumentClustering(2).fit(TEXTS, embeddings=X)
    assert np.flatnonzero(model.labels_ < 0).tolist() == [3, 5]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"documents": "one string"}, "list of texts"),
        ({"documents": TEXTS, "universum": []}, "universum is empty"),
        ({"documents": TEXTS[:1]}, "2 clusters need"),
        ({"n_clusters": 5, "documents": [*TEXTS[:4], *"12345"]}, "5 clusters need .* 4 .*5 more: no known word"),
        ({"documents": ["same words"] * 6}, "no usable words|equal"),
        ({"n_clusters": True}, "^n_clusters=True is not valid"),
        ({"clusterer": "spherical"}, r"^clusterer .* is not valid: .*SphericalKMeans\(\)$"),
        ({"vectorizer": "tfidf"}, r"^vectorizer .* is not valid: .*Vectorizer\(\)$"),
        ({"vectorizer": Vectorizer(stop_words="french")}, "language="),
        ({"ids": 5}, "^ids "),
        ({"seeds": [["0"], ["1", "3"]]}, "^seeds="),
        ({"word_seeds": [["bread"], ["train", "town"]]}, "^word_seeds "),
        ({"text": ["a", "b"]}, "^text "),
        ({"init": SphericalKMeans(2, random_state=0).fit(np.eye(8))}, "SphericalKMeans is fitted on rows.* labels_"),
        ({"init": [0, 1, 0, 1, 0, 7, 0, 1]}, r"init\[5\] is 7"),
        ({"embeddings": np.ones((3, 2))}, "3 rows for 8 texts"),
        ({"embeddings": np.ones((8, 2)), "universum": OFF_TOPIC}, "give universum_embeddings"),
        ({"universum": OFF_TOPIC, "universum_embeddings": np.ones((3, 2))}, "omit universum_embeddings"),
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
    for ask in ("predict", "represent", "off_topic_score"):
        with pytest.raises(NotFittedError):
            getattr(DocumentClustering(), ask)(TEXTS)
    with pytest.raises(NotFittedError):
        DocumentClustering().save(tmp_path / "m")


def test_the_same_fit_gives_the_same_bytes(saved, tmp_path):
    again = DocumentClustering(2, random_state=0).fit(TEXTS, universum=OFF_TOPIC)
    assert len(again.topics)  # a look changes nothing
    again.save(tmp_path / "again")
    for name in ("model.json", "arrays.bin"):
        assert (saved / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
    DocumentClustering.load(saved).save(tmp_path / "loaded")
    assert (saved / "arrays.bin").read_bytes() == (tmp_path / "loaded" / "arrays.bin").read_bytes()


@pytest.mark.parametrize("name", ["model.json", "arrays.bin"])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.999])
def test_every_damage_is_noticed(saved, name, share):
    whole = (saved / name).read_bytes()
    at = int(share * (len(whole) - 1))
    for damaged in (whole[:at], whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :], whole + b"x", b""):
        (saved / name).write_bytes(damaged)
        with pytest.raises(ModelError):
            DocumentClustering.load(saved)


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


def test_groups_are_found_among_embeddings_and_told_by_words():
    model = DocumentClustering(2, random_state=0).fit([*TEXTS, "???"], embeddings=np.vstack([VECTORS, [1.0, 0.05]]))
    assert model.labels_[-1] == model.labels_[0] != model.labels_[1]  # a text without a word takes part by its vector
    assert model.clusterer_.n_features_in_ == 2
    names = model.representation_.names
    assert model.word_coef_.shape == (2, len(names))
    own, other = model.word_coef_[model.labels_[:2], names.index("bread")]
    assert own > other
    np.testing.assert_array_equal(model.predict(TEXTS, embeddings=VECTORS), model.labels_[:-1])


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
    assert [step["step"] for step in steps] == [*range(1, len(steps) + 1)] != []


def test_a_pipeline_sets_the_output(fitted):
    pandas = pytest.importorskip("pandas")
    scores = make_pipeline(fitted).set_output(transform="pandas").transform(TEXTS)
    assert isinstance(scores, pandas.DataFrame)
    assert list(scores.columns) == ["0", "1"]
