"""What a summary holds, checked on a clustering whose answers are known."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from report_examples import summed

from outgroup.errors import InputError


def test_groups_have_their_sizes_shares_and_the_words_of_their_topic(make):
    groups = make(31, 3).groups
    assert [group.size for group in groups] == [11, 10, 10]
    assert sum(group.share for group in groups) == pytest.approx(1.0, abs=1e-5)
    assert {word for word, _ in groups[1].words} == {"bread", "flour", "oven", "yeast", "crust"}
    weights = [weight for _, weight in groups[1].words]
    assert weights[0] == 1.0
    assert weights == sorted(weights, reverse=True)
    assert groups[1].name == ", ".join(word for word, _ in groups[1].words[:3])


def test_exemplars_are_typical_and_borderline_ones_have_the_lowest_margins(given):
    parts = given(60, 3)
    scores = parts["scores"]
    ordered = np.sort(scores, axis=1)
    margins = ordered[:, -1] - ordered[:, -2]
    summary = summed(**parts)
    for group in summary.groups:
        own = np.flatnonzero(parts["labels"] == group.number)
        assert group.exemplars[0].id == f"id-{own[summary.documents.typical[own].argmax()]}"
        assert group.borderline[0].margin == pytest.approx(margins[own].min(), abs=1e-6)
        shown = [document.id for document in group.exemplars + group.borderline]
        assert len(set(shown)) == len(shown)


def test_contributions_worked_by_hand():
    X = sp.csr_matrix([[0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
    coef = np.array([[1.0, 0.5, 0.0], [-1.0, 0.75, 2.0]])
    parts = {name: ["x", "y"] for name in ("ids", "titles", "texts")}
    summary = summed(X=X, labels=np.array([0, 1]), scores=X @ coef.T, coef=coef, feature_names=["p", "q", "r"], **parts)
    (document,) = summary.groups[0].exemplars
    assert document.margin == pytest.approx(1.0)  # (0.6 + 0.4) - (-0.6 + 0.6)
    assert document.words == [("p", 1.2)]  # 0.6 * (1 - -1); q speaks for the rival: 0.8 * (0.5 - 0.75) < 0
    assert document.rival == 1


def test_off_topic_documents_are_ranked_and_are_no_examples(make):
    out = np.zeros(30, dtype=bool)
    out[[4, 9, 20]] = True
    score = np.zeros(30)
    score[[4, 9, 20]] = [0.1, 0.9, 0.5]
    summary = make(30, 3, off_topic=out, off_topic_score=score)
    assert summary.off_topic.count == 3
    assert [document.id for document in summary.off_topic.documents] == ["id-9", "id-20", "id-4"]
    assert sum(group.off_topic for group in summary.groups) == 3
    shown = {document.id for group in summary.groups for document in group.exemplars + group.borderline}
    assert not shown & {"id-4", "id-9", "id-20"}


def test_words_that_pulled_a_document_out_worked_by_hand():
    X = sp.csr_matrix([[0.6, 0.8, 0.0], [0.0, 0.6, 0.8]])
    coef = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    parts = {name: ["x", "y"] for name in ("ids", "titles", "texts")}
    summary = summed(
        X=X, labels=np.array([0, 1]), scores=X @ coef.T, coef=coef, feature_names=["p", "q", "r"], **parts,
        off_topic_score=[0.3, 1.1], off_topic=[True, True],
        reject=(np.array([[1.0, -0.5, 0.0], [0.0, 0.0, 0.0], [-1.0, 1.5, 0.25]]), np.array([0.0, 0.5, 0.0])),
    )  # fmt: skip
    first, second = summary.off_topic.documents
    # y's groups score -0.3 and 0.5, so the second is the best: 0.6 * (1.5 - 0) and 0.8 * (0.25 - 0)
    assert (first.id, first.words) == ("y", [("q", 0.9), ("r", 0.2)])
    # x's score 0.2 and 0.5: 0.8 * (1.5 - 0); p speaks against, 0.6 * (-1 - 0)
    assert (second.id, second.words) == ("x", [("q", 1.2)])


@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (2, 2), (7, 5), (30, 30), (100, 50)])
def test_small_and_odd_shapes_give_finite_json(full, n, k):
    text = json.dumps(full(n, k).to_dict(), allow_nan=False)
    assert json.loads(text)["n_documents"] == n


def test_a_summary_needs_a_document_in_a_group(make):
    with pytest.raises(InputError, match="every document is set aside"):
        make(9, 3, labels=np.full(9, -1))
