"""What a user writes: it works, and strict mypy, which reads this file, accepts it."""

import numpy as np
import pytest

from outgroup import DocumentClustering, MaxMarginClustering, SphericalKMeans, Vectorizer, k_profile
from outgroup.decisions import Decision, Label, Merge, NewGroup, Rename, Split, Word
from outgroup.errors import InputError

TEXTS = ["bread and butter", "butter on bread", "a train to town", "the town's train", "red roses", "roses in bloom"]


def test_decisions_take_the_numbers_that_tables_and_arrays_hold() -> None:
    three = np.arange(4)[3]
    log: list[Decision] = [Label(3, 4), Merge([0, 1]), Label(3, ()), NewGroup((3, 5)), Split(three)]
    assert log[:1] == [Label("3", 4)]
    assert NewGroup(np.array([3, 5])) == log[3] == NewGroup(["3", "5"])
    assert (Label(three, three), Label(three, ())) == (Label("3", 3), Label("3", ()))
    assert (Word("tea", three), Rename(three, "tea")) == (Word("tea", 3), Rename(3, "tea"))


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
