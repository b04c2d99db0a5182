"""The steering receipt: no seed is ever ignored in silence."""

import io
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from report_examples import summed
from rich.console import Console

from outgroup.report.html import render
from outgroup.report.terminal import terminal
from outgroup.summary.records import SeedDocument, SeedWord
from outgroup.summary.sentences import receipt_lines
from outgroup.summary.summarise import n_changed, receipt

from .conftest import clustering

#           tea  car  oil
X = np.array([[1, 0, 0], [0.6, 0.8, 0], [0, 1, 0], [0, 0.6, 0.8], [1, 0, 0]])
GIVEN = {
    "X": sp.csr_matrix(X),
    "labels": np.array([0, 1, 1, 1, 0]),
    "coef": np.array([[2.0, -1.0, 0.5], [0.0, 1.0, 0.8]]),
    "feature_names": ["tea", "car", "oil"],
    "ids": list("abcde"),
    "names": ["drinks", None],
}


def test_where_each_labelled_document_ended():
    found = receipt(**GIVEN, seeds=np.array([0, 0, -1, 1, -1]))
    assert found.documents == [SeedDocument("a", 0, 0), SeedDocument("b", 0, 1), SeedDocument("d", 1, 1)]
    assert found.honoured == 2
    assert found.words == []
    assert receipt_lines(found) == [
        ("Seeds", "2 of 3 labelled documents are in the labelled group; elsewhere: b (drinks) in group 1")
    ]


def test_what_became_of_each_labelled_word():
    found = receipt(**GIVEN, word_seeds=sp.csr_matrix([[True, True, False], [False, False, True]]))
    assert found.words == [
        SeedWord("tea", 0, 1.0, 1, 3, 2),
        SeedWord("car", 0, -0.5, 3, 3, 0),
        SeedWord("oil", 1, 0.8, 2, 1, 1),
    ]
    (head, said), *_ = receipt_lines(found)
    assert head == "Words"
    assert said.startswith("3 labelled words, the strongest: tea (drinks: rank 1; 2 of the 3 documents")
    assert said.endswith("1 have a weight of 0 or less in their group")


def test_what_steering_changed_and_cost():
    found = receipt(**GIVEN, labels_without=np.array([1, 1, 0, 0, 1]), objectives=(12.5, 12.0))
    assert found.changed == 1  # groups 0 and 1 have swapped numbers, and b moved
    assert receipt_lines(found) == [
        (
            "Steering",
            "1 of 5 documents are in another group than without seeds; the objective is 12.500, and was 12.000",
        )
    ]


def test_groups_are_matched_before_counting():
    assert n_changed(np.array([0, 1, 2]), np.array([2, 0, 1])) == 0
    assert n_changed(np.array([0, 0, 0, 1]), np.array([0, 1, 2, 3])) == 2


def test_seeds_that_contradict_each_other_are_told():
    words = np.array([[True, True, False], [False, True, True]])
    found = receipt(**GIVEN, seeds=np.array([0, -1, -1, 0, 1]), word_seeds=words)
    assert found.contradictions == [
        "word car is labelled for several groups: drinks and group 1",
        "document d is labelled drinks, and 2 of its labelled words indicate group 1, 1 indicate drinks",
        "document e is labelled group 1, and 1 of its labelled words indicate drinks, 0 indicate group 1",
        "documents a and e have the same words but different labels: drinks and group 1",
    ]
    assert ("At odds", "; ".join(found.contradictions)) in receipt_lines(found)


def test_hostile_ids_reach_no_terminal():
    found = receipt(**GIVEN | {"ids": ["\x1b[31m", *"bcde"]}, seeds=np.array([1, -1, -1, -1, -1]))
    assert "\x1b" not in receipt_lines(found)[0][1]


def test_the_page_and_the_terminal_show_it_escaped():
    parts = clustering()
    ids = ["<script>alert(1)</script>", *parts["ids"][1:]]
    seeds = np.where(np.arange(30) < 3, (np.arange(30) + 1) % 3, -1)
    told = receipt(
        X=parts["X"],
        labels=parts["labels"],
        coef=parts["coef"],
        feature_names=parts["feature_names"],
        ids=ids,
        seeds=seeds,
        word_seeds=np.eye(3, len(parts["feature_names"]), dtype=bool),
        names=["Grünes & <b>mehr</b>", None, None],
    )
    summary = replace(summed(**parts, names=["Grünes & <b>mehr</b>", None, None]), receipt=told)
    assert summary.groups[0].name == "Grünes & <b>mehr</b>"
    assert summary.groups[1].name != "None"
    page = render(summary)
    assert "0 of 3 labelled documents" in page
    assert "<script>alert" not in page
    assert "<b>mehr" not in page
    console = Console(file=io.StringIO(), width=200, color_system=None)
    terminal(summary, console)
    assert "0 of 3 labelled documents" in console.file.getvalue()
    assert "3 labelled words" in console.file.getvalue()
