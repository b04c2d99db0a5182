"""The metrics on tables worked by hand."""

import math

import numpy as np
import pytest

from outgroup.errors import InputError
from outgroup.metrics import accuracy, adjusted_rand, agreement, nmi, rand, stability

# Classes and clusters of nine documents, with the table      x  y  z
#                                                         a   3  1  0
#                                                         b   0  2  3
CLASSES = list("aaaabbbbb")
CLUSTERS = list("xxxyyyzzz")


def test_accuracy_matches_each_class_with_one_cluster() -> None:
    assert accuracy(CLASSES, CLUSTERS) == pytest.approx(6 / 9)  # a-x and b-z; y is matched with none


def test_accuracy_by_majority_lets_two_clusters_share_a_class() -> None:
    assert accuracy(CLASSES, CLUSTERS, matching="majority") == pytest.approx(8 / 9)


def test_greedy_matching_would_be_wrong() -> None:
    # Table [[3, 2], [2, 0]]: taking the 3 first leaves 0, the best matching is 2 + 2.
    assert accuracy([0, 0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0, 0]) == pytest.approx(4 / 7)


@pytest.mark.parametrize(("y", "labels"), [([1, 2], [1]), ([], []), ([[1, 2]], [[1, 2]]), (3, 4)])
def test_bad_shapes(y: object, labels: object) -> None:
    with pytest.raises(InputError, match="the same length"):
        accuracy(y, labels)


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
