"""What a summary holds, checked on a clustering whose answers are known."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from report_examples import summed

from outgroup.errors import InputError
from outgroup.summary.partition import Partition
from outgroup.summary.summarise import clusters_json


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


def test_letters_are_called_by_what_only_they_say_in_lists_and_as_examples(given):
    parts = given(30, 3)
    parts["titles"] = ["", "Dear Sir or Madam,", *[""] * 28]
    parts["texts"] = [f"Dear Sir or Madam,\n\nmy order {number} is late." for number in range(30)]
    summary, said = summed(**parts), {f"id-{number}": f"my order {number} is late." for number in range(30)}
    said["id-1"] = "Dear Sir or Madam,"  # which is its title
    assert summary.documents.titles == [*said.values()]
    shown = [document for group in summary.groups for document in group.exemplars]
    assert [document.title for document in shown] == [said[document.id] for document in shown]
    assert Partition(**parts).row(7)["title"] == "my order 7 is late."


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


def test_the_words_are_those_of_the_best_kind_of_junk():
    X = sp.csr_matrix([[0.6, 0.8, 0.0], [0.0, 0.6, 0.8], [1.0, 0.0, 0.0]])
    coef = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    parts = {name: ["x", "y", "z"] for name in ("ids", "titles", "texts")}
    summary = summed(
        X=X, labels=np.array([-1, -1, 0]), scores=X @ coef.T, coef=coef, feature_names=["p", "q", "r"], **parts,
        off_topic_score=[0.3, 1.1, 0.0], off_topic=[True, True, False],
        reject=(np.array([[1.0, -0.5, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), np.zeros(4)),
    )  # fmt: skip
    words = {each.id: each.words for each in summary.off_topic.documents}
    # x's groups score 0.2 and 0, its kinds 0.8 and 0: 0.8 * (1 + 0.5); y's -0.3 and 0, 0.6 and 0.8: 0.8 * (1 - 0)
    assert words == {"x": [("q", 1.2)], "y": [("r", 0.8)]}
    told = summary.documents
    assert [[told.words[column] for column in row if column >= 0] for row in told.why[:2]] == [["q"], ["r"]]


def test_what_each_threshold_flags_is_counted_in_the_scores(full):
    off_topic = full(30, 3).off_topic
    assert [(each.method, each.flagged, each.used) for each in off_topic.thresholds] == [
        ("conformal", 4, True),
        ("mixture", 10, False),
    ]
    assert off_topic.used.precision == 0.9
    assert full(30, 3, off_topic_score=None).off_topic.used.flagged == 7


def test_agreement_figures_and_matching(make):
    truth = ["north", "south", "east"] * 10
    truth[0] = "south"
    found = make(30, 3, true_labels=truth).agreement
    assert found.labels == ["east", "north", "south"]
    assert found.counts == [[0, 9, 1], [0, 0, 10], [10, 0, 0]]
    assert found.matched == [1, 2, 0]
    assert found.accuracy == pytest.approx(29 / 30, abs=1e-6)
    assert 0.8 < found.nmi < 1.0


def test_documents_without_a_label_are_left_out_of_the_agreement(make):
    found = make(6, 3, true_labels=["a", "b", "c", None, "", "c"]).agreement
    assert found.n_labelled == 4
    assert found.accuracy == 1.0
    assert make(6, 3, true_labels=[None] * 6).agreement is None


@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (2, 2), (7, 5), (30, 30), (100, 50)])
def test_small_and_odd_shapes_give_finite_json(full, n, k):
    text = json.dumps(full(n, k).to_dict(), allow_nan=False)
    assert json.loads(text)["n_documents"] == n


def test_empty_groups_directions_of_zeros_and_figures_that_are_not_finite(given):
    parts = given(12, 3, run={"parameters": {"C": float("inf"), "n": np.int64(3)}}, stability=float("nan"))
    parts["labels"] = np.zeros(12, dtype=int)
    parts["coef"] = np.zeros_like(parts["coef"])
    parts["scores"] = np.zeros((12, 3))
    summary = summed(**parts, trace=[{"objective": float("nan"), "lower_bound": -np.inf}])
    json.dumps(summary.to_dict(), allow_nan=False)
    assert [group.size for group in summary.groups] == [12, 0, 0]
    assert summary.groups[0].words  # directions tell nothing, the documents do
    assert summary.groups[2].name == "group 2"
    assert summary.stability is None
    assert summary.run["parameters"] == {"C": None, "n": 3}


def test_summaries_and_clusters_are_the_same_every_time(full):
    first, second = full(200, 5), full(200, 5)
    assert json.dumps(first.to_dict()) == json.dumps(second.to_dict())
    clusters = clusters_json(first)
    assert json.dumps(clusters) == json.dumps(clusters_json(second))
    assert list(clusters[0]) == ["cluster", "name", "size", "words", "exemplars"]
    assert set(clusters[0]["exemplars"][0]) == {"id", "title", "margin"}


def test_a_summary_needs_a_document_in_a_group(make):
    with pytest.raises(InputError, match="every document is set aside"):
        make(9, 3, labels=np.full(9, -1))
