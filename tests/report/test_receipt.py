"""The steering receipt: no seed is ever ignored in silence."""

import io
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from report_examples import summed
from rich.console import Console

from outgroup.report.html import render
from outgroup.report.terminal import terminal
from outgroup.summary.records import SeedDocument
from outgroup.summary.sentences import receipt_lines
from outgroup.summary.summarise import receipt

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
