"""The metrics on tables worked by hand, and against scikit-learn's."""

import math

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st

from outgroup.errors import InputError
from outgroup.metrics import accuracy, adjusted_rand, agreement, nmi, rand, stability

# Classes and clusters of nine documents, with the table      x  y  z
#                                                         a   3  1  0
#                                                         b   0  2  3
CLASSES = list("aaaabbbbb")
CLUSTERS = list("xxxyyyzzz")

labelings = st.integers(1, 30).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n) for _ in range(2)])
)


def test_accuracy_matches_each_class_with_one_cluster() -> None:
    assert accuracy(CLASSES, CLUSTERS) == pytest.approx(6 / 9)  # a-x and b-z; y is matched with none


def test_accuracy_by_majority_lets_two_clusters_share_a_class() -> None:
    assert accuracy(CLASSES, CLUSTERS, matching="majority") == pytest.approx(8 / 9)


def test_accuracy_with_fewer_clusters_than_classes() -> None:
    assert accuracy([0, 1, 2, 2], [5, 5, 5, 5]) == 0.5


def test_greedy_matching_would_be_wrong() -> None:
    # Table [[3, 2], [2, 0]]: taking the 3 first leaves 0, the best matching is 2 + 2.
    assert accuracy([0, 0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0, 0]) == pytest.approx(4 / 7)


def test_nmi_by_hand() -> None:
    def h(*shares: float) -> float:
        return -sum(share * math.log(share) for share in shares)

    of_classes, of_clusters, joint = h(4 / 9, 5 / 9), h(1 / 3, 1 / 3, 1 / 3), h(3 / 9, 1 / 9, 2 / 9, 3 / 9)
    shared = of_classes + of_clusters - joint
    assert nmi(CLASSES, CLUSTERS) == pytest.approx(shared / math.sqrt(of_classes * of_clusters))
    assert nmi(CLASSES, CLUSTERS, average="arithmetic") == pytest.approx(2 * shared / (of_classes + of_clusters))


def test_nmi_of_one_group() -> None:
    assert nmi([1, 1, 1], ["a", "a", "a"]) == 1
    assert nmi([1, 1, 1], ["a", "b", "b"]) == 0


def test_rand_by_hand() -> None:
    # 36 pairs; together in both 3 + 0 + 1 + 3 = 7, in classes 6 + 10 = 16, in clusters 3 * 3 = 9.
    assert rand(CLASSES, CLUSTERS) == pytest.approx((36 + 2 * 7 - 16 - 9) / 36)
    assert adjusted_rand(CLASSES, CLUSTERS) == pytest.approx((7 - 4) / (12.5 - 4))  # expected 16 * 9 / 36 = 4


def test_rand_of_one_document() -> None:
    assert rand([3], ["a"]) == adjusted_rand([3], ["a"]) == 1


@given(labelings)
def test_same_as_scikit_learn(pair: tuple[list[int], list[int]]) -> None:
    assert rand(*pair) == pytest.approx(sklearn.metrics.rand_score(*pair))
    assert adjusted_rand(*pair) == pytest.approx(sklearn.metrics.adjusted_rand_score(*pair), abs=1e-12)
    for average in ("geometric", "arithmetic", "min", "max"):
        expected = sklearn.metrics.normalized_mutual_info_score(*pair, average_method=average)
        assert nmi(*pair, average=average) == pytest.approx(expected, abs=1e-7)


@given(labelings, st.permutations(range(5)))
def test_names_of_clusters_do_not_matter(pair: tuple[list[int], list[int]], names: list[int]) -> None:
    y, labels = pair
    renamed = [f"cluster {names[label]}" for label in labels]
    for metric in (accuracy, nmi, rand, adjusted_rand):
        assert metric(y, labels) == pytest.approx(metric(y, renamed), abs=1e-12)


@given(labelings)
def test_majority_is_never_below_the_best_matching(pair: tuple[list[int], list[int]]) -> None:
    assert accuracy(*pair, matching="majority") >= accuracy(*pair)


@pytest.mark.parametrize(("y", "labels"), [([1, 2], [1]), ([], []), ([[1, 2]], [[1, 2]]), (3, 4)])
def test_bad_shapes(y: object, labels: object) -> None:
    with pytest.raises(InputError, match="the same length"):
        accuracy(y, labels)


def test_unknown_choices() -> None:
    with pytest.raises(InputError, match="'majority'"):
        accuracy([1], [1], matching="greedy")
    with pytest.raises(InputError, match="geometric"):
        nmi([1], [1], average="harmonic")


def test_stability_is_what_two_halves_agree_on() -> None:
    agreements = np.array([[1.0, 0.8, 0.2, 0.4], [0.8, 1, 0, 0], [0.2, 0, 1, 0], [0.4, 0, 0, 1]])
    objectives = np.array([1.0, 2.0, 3.0, 4.0])
    # splits {01|23}, {02|13}, {03|12} and their mirror images: 0 meets 2, 1, 1
    assert stability(objectives, agreements) == pytest.approx((0.2 + 0.8 + 0.8) / 3)
    assert stability(objectives, np.ones((4, 4))) == 1
    assert np.isnan(stability(np.array([1.0]), np.ones((1, 1))))
    assert stability([2.0, 1.0], [[1.0, 0.3], [0.3, 1.0]]) == 0.3
    assert stability(np.ones(3), np.array([[1, 0.9, 0.1], [0.9, 1, 0.5], [0.1, 0.5, 1]])) == pytest.approx(
        (0.9 + 0.9 + 0.1) / 3
    )


def test_nmi_stays_within_its_bounds_whatever_the_rounding() -> None:
    for k in range(2, 40):
        for average in ("arithmetic", "geometric", "max", "min"):
            y = np.arange(3 * k) % k
            assert 0.999 < nmi(y, y, average=average) <= 1
            assert 0 <= nmi(np.repeat(np.arange(k), 7), np.tile(np.arange(7), k), average=average) < 0.001


def test_stability_takes_the_best_of_each_half_wherever_it_stands() -> None:
    objectives = np.array([3.0, 1.0, 2.0, 4.0])
    agreements = np.full((4, 4), 0.1)
    agreements[1, 2] = agreements[2, 1] = 0.7  # the best two
    agreements[1, 0] = agreements[0, 1] = 0.4  # where those are in one half
    assert stability(objectives, agreements) == pytest.approx((0.7 + 0.7 + 0.4) / 3)


class NAType:
    """As pandas has it: a comparison with it is neither true nor false."""

    def __eq__(self, other: object) -> "NAType":  # type: ignore[override]
        return self

    def __bool__(self) -> bool:
        raise TypeError


@pytest.mark.parametrize("hole", [None, math.nan, np.nan, NAType()])
@pytest.mark.parametrize("metric", [accuracy, nmi, rand, adjusted_rand])
@pytest.mark.parametrize("other", ["a", 1.0])
def test_what_is_no_label_is_named_by_its_place(hole: object, metric: object, other: object) -> None:
    for holed in ([other, hole, other], np.array([other, hole, other], dtype=object)):
        with pytest.raises(InputError, match=r"^y\[1\] is .*, not a label; remove this document from both"):
            metric(holed, [0, 1, 1])  # type: ignore[operator]
        with pytest.raises(InputError, match=r"^labels\[1\] is .*, not a label"):
            metric([0, 1, 1], holed)  # type: ignore[operator]
    with pytest.raises(InputError, match=r"^labelings\[1\]\[1\] is "):
        agreement([[0, 1, 1], [other, hole, other]])


def test_labels_of_several_kinds_are_refused() -> None:
    with pytest.raises(InputError, match="labels mix"):
        nmi(np.array([1, "a"], dtype=object), [0, 1])
