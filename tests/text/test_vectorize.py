"""The Vectorizer: values by hand, invariants, state, bad input."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from outgroup.errors import InputError
from outgroup.text.tokenizer import stem, tokenise
from outgroup.text.vectorizer import Vectorizer

TEXTS = [
    "Baking bread: bake it slowly, then bake again.",
    "Bread and butter, bread and jam",
    "A bicycle needs oil",
    "Bicycles rust; oil them, and bake no bicycle",
    "12 34",
]
ALL = {"min_df": 1, "max_df": 1.0}

WORDS = ["bake", "baking", "baked", "bread", "oil", "oils", "bicycle", "rust", "été"]
documents = st.lists(st.lists(st.sampled_from(WORDS), min_size=1).map(" ".join), min_size=2, max_size=12)


def test_values_by_hand() -> None:
    X = Vectorizer(min_df=1, max_df=1.0, sublinear_tf=False).fit_transform(["tea tea milk", "milk"]).toarray()
    tea, milk = 2 * (np.log(3 / 2) + 1), 1.0  # idf = log((1 + n) / (1 + df)) + 1
    np.testing.assert_allclose(X, [[milk / np.hypot(tea, milk), tea / np.hypot(tea, milk)], [1, 0]], rtol=1e-6)


@pytest.mark.parametrize("sublinear", [True, False])
def test_same_as_scikit_learn(sublinear: bool) -> None:
    ours = Vectorizer(**ALL, stop_words=None, sublinear_tf=sublinear)
    theirs = TfidfVectorizer(analyzer=lambda text: stem(tokenise(text)), sublinear_tf=sublinear)
    np.testing.assert_allclose(ours.fit_transform(TEXTS).toarray(), theirs.fit_transform(TEXTS).toarray(), rtol=1e-6)
    assert list(ours.vocabulary_) == theirs.get_feature_names_out().tolist()


def same(A: Any, B: Any) -> bool:
    return A.shape == B.shape and all(
        getattr(A, part).tobytes() == getattr(B, part).tobytes() for part in ("data", "indices", "indptr")
    )


@given(documents, st.sampled_from([None, 3]), st.sampled_from(["document_frequency", "mutual_information"]))
def test_transform_gives_the_bytes_of_fit_transform(texts: list[str], limit: int | None, selection: str) -> None:
    vectorizer = Vectorizer(**ALL, max_features=limit, selection=selection)
    assert same(vectorizer.fit_transform(texts), vectorizer.transform(texts))


@given(documents, st.randoms(), st.sampled_from(["document_frequency", "mutual_information"]))
def test_the_order_of_documents_does_not_matter(texts: list[str], random: Any, selection: str) -> None:
    order = list(range(len(texts)))
    random.shuffle(order)
    settings = {**ALL, "max_features": 3, "selection": selection}
    first, second = Vectorizer(**settings), Vectorizer(**settings)
    X, Y = first.fit_transform(texts), second.fit_transform([texts[index] for index in order])
    assert first.vocabulary_ == second.vocabulary_
    assert first.get_feature_names_out().tolist() == second.get_feature_names_out().tolist()
    assert same(X[order], Y)


def test_limits_on_document_frequency() -> None:
    texts = ["tea milk cup", "tea milk", "tea", "pot"]

    def words(**limits: Any) -> list[str]:
        return list(Vectorizer(**ALL | limits).fit(texts).vocabulary_)

    assert words(min_df=2) == words(min_df=0.5) == ["milk", "tea"]
    assert words(max_df=1) == words(max_df=0.25) == ["cup", "pot"]
    assert words(max_features=1) == ["tea"]


@pytest.mark.parametrize("stop_words", ["auto", None, ["bread"]])
def test_state_round_trip(stop_words: Any) -> None:
    vectorizer = Vectorizer(**ALL, stop_words=stop_words).fit(TEXTS)
    state = vectorizer.to_state()
    idf = state.pop("idf")
    assert idf.dtype == np.float64
    again = Vectorizer.from_state({**json.loads(json.dumps(state)), "idf": idf})
    assert again.get_params() == vectorizer.get_params()
    assert again.get_feature_names_out().tolist() == vectorizer.get_feature_names_out().tolist()
    assert same(again.transform(TEXTS), vectorizer.transform(TEXTS))


@pytest.mark.parametrize(
    "wrong", [{"min_df": 0}, {"max_df": 1.5}, {"language": "klingon"}, {"selection": "magic"}, {"stop_words": 7}]
)
def test_wrong_parameters(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        Vectorizer(**wrong).fit(TEXTS)


@pytest.mark.parametrize(
    ("texts", "problem"), [([], "no texts"), (["", "1 2"], "only stop words"), (["tea", "tea, tea"], "of 1 stem")]
)
def test_texts_without_a_usable_word(texts: list[str], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Vectorizer().fit(texts)
