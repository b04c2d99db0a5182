"""What a user writes: it works, and strict mypy, which reads this file, accepts it."""

from typing import assert_type

import numpy as np
import pytest

from outgroup import DocumentClustering, MaxMarginClustering, SphericalKMeans, Vectorizer, k_profile
from outgroup.cluster.profile import Choice
from outgroup.decisions import Decision, Label, Merge, NewGroup, Rename, Split, Word
from outgroup.errors import InputError
from outgroup.session import Session
from outgroup.types import Array

TEXTS = ["bread and butter", "butter on bread", "a train to town", "the town's train", "red roses", "roses in bloom"]


def test_decisions_take_the_numbers_that_tables_and_arrays_hold() -> None:
    three = np.arange(4)[3]
    log: list[Decision] = [Label(3, 4), Merge([0, 1]), Label(3, ()), NewGroup((3, 5)), Split(three)]
    assert log[:1] == [Label("3", 4)]
    assert NewGroup(np.array([3, 5])) == log[3] == NewGroup(["3", "5"])
    assert (Label(three, three), Label(three, ())) == (Label("3", 3), Label("3", ()))
    assert (Word("tea", three), Rename(three, "tea")) == (Word("tea", 3), Rename(3, "tea"))


def test_what_a_decision_holds_is_of_one_type() -> None:
    assert assert_type(Label(3, 4).documents, tuple[str, ...]) == ("3",)
    assert assert_type(Merge([0, "tea"]).groups, tuple[int | str, ...]) == (0, "tea")


def test_a_number_of_groups_may_be_numpys_or_a_list() -> None:
    X = Vectorizer(min_df=1).fit_transform(TEXTS)
    for k in np.array([2, 3]):
        assert len(set(MaxMarginClustering(k, random_state=0).fit(X).labels_)) == k
        assert SphericalKMeans(k, random_state=0).fit(X).n_clusters_ == k
        assert DocumentClustering(k, random_state=0).fit(TEXTS).numbers_.tolist() == list(range(k))
    assert DocumentClustering([2, 3], random_state=0).fit(TEXTS).profile_ is not None
    assert k_profile(X, [2, 3]) == k_profile(X, (2, 3))


def test_an_unknown_choice_is_an_error_for_the_editor_too() -> None:
    for model in (
        DocumentClustering("eight"),  # type: ignore[arg-type]
        DocumentClustering(2, outliers="away"),  # type: ignore[arg-type]
        DocumentClustering(2, missing="drop"),  # type: ignore[arg-type]
        DocumentClustering(2, neighbours="few"),  # type: ignore[arg-type]
    ):
        with pytest.raises(InputError):
            model.fit(TEXTS)


def test_results_have_types() -> None:
    X = Vectorizer(min_df=1).fit_transform(TEXTS)
    assert assert_type(DocumentClustering(2, random_state=0).fit_predict(TEXTS), Array).shape == (6,)
    assert assert_type(SphericalKMeans(2, random_state=0).fit_predict(X), Array).shape == (6,)
    assert assert_type(DocumentClustering("auto").n_clusters, Choice) == "auto"


def test_texts_and_ids_may_be_arrays() -> None:
    texts, ids = np.array(TEXTS), np.arange(10, 16)
    model = DocumentClustering(3, random_state=0).fit(texts, ids=ids)
    assert model.predict(texts).tolist() == model.labels_.tolist()
    assert model.ids_ == Session(texts, n_clusters=3, ids=ids, titles=texts).documents.ids == list(map(str, ids))


def test_off_topic_examples_of_a_session_may_be_an_array() -> None:
    session = Session(TEXTS, n_clusters=2, universum=np.array(["the bread train"]))
    assert session.documents.universum is not None
    assert Session(TEXTS, n_clusters=2, universum=np.array([], dtype=str)).documents.universum is None


def test_off_topic_examples_of_a_session_may_come_one_by_one() -> None:
    assert Session(TEXTS, n_clusters=2, universum=(text for text in ["the bread train"])).documents.universum


def test_the_ids_of_records_may_be_given_as_an_array() -> None:
    records = [{"text": text} for text in TEXTS]
    assert Session(records, n_clusters=3, ids=np.arange(10, 16)).documents.ids[0] == "10"
