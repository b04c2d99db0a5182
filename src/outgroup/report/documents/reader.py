"""What there is to tell of single documents of a clustering, told when somebody asks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...types import Array
from ..clean import clean
from ..facts import Weighted
from ..inputs import Clustering, Judged, Reject
from .nearest import nearest_of
from .reasons import reasons
from .view import DocumentView

HEAD = 400
"""Characters of a text that a list shows at most."""


@dataclass(frozen=True)
class Reader:
    """A clustering of n documents; those `aside` (n,) are in no group, and `look` has their nearest one.

    `reject` are the directions that tell what pulled a document out, or None.
    """

    look: DocumentView
    aside: Array
    reject: Reject | None

    def row(self, i: int) -> dict[str, Any]:
        """Return what a list shows of a document."""
        identity, text = str(self.look.ids[i]), clean(self.look.texts[i]).strip()
        title = " ".join(clean(self.look.called(i)).split())
        return {"i": i, "id": identity, "title": title or identity, "text": text[:HEAD], "length": len(text)}

    def document(self, i: int) -> dict[str, Any]:
        """Return all that is known of a document: its text, the words behind its place, and what reads like it."""
        near = nearest_of(self.look.X, np.where(self.aside, -1, self.look.labels), i)
        whole = {"text": clean(self.look.texts[i]).strip(), "reasons": self.reasons(i)}
        return self.row(i) | whole | {"near": [self.row(row) for row in near]}

    def reasons(self, i: int) -> list[Weighted]:
        """Return the words that put a document where it is, with what each adds."""
        look = self.look
        rival = -1 if look.rivals is None else int(look.rivals[i])
        one = replace(look, X=look.X[[i]], labels=look.labels[[i]])
        words, pull = reasons(one, one.labels, np.array([rival]), self.aside[[i]], self.reject)
        pulls = zip(words[0].tolist(), pull[0].tolist(), strict=True)
        return [(clean(str(look.names[word])), value) for word, value in pulls if word >= 0]


def reader_of(given: Clustering, judged: Judged | None = None) -> Reader:
    """Return the reader of a clustering; raises InputError where its parts do not fit each other."""
    labels, scores, coef = np.asarray(given.labels), np.asarray(given.scores, dtype=float), np.asarray(given.coef)
    replace(given, labels=labels, scores=scores, coef=coef).check()
    judged = judged or Judged()
    judged.check(len(labels), coef)
    aside = labels < 0
    home = np.where(aside, scores.argmax(axis=1), labels)
    margins, rivals = margins_of(scores, home)
    look = DocumentView(
        sp.csr_matrix(given.X), home, coef, given.feature_names, given.ids, given.titles, given.texts, margins, rivals
    )
    return Reader(look, aside, judged.reject)


def margins_of(scores: Array, labels: Array) -> tuple[Array, Array | None]:
    """Return by how much each document's own score is above the runner-up's, (n,), and the runner-up, (n,) or None."""
    rows = np.arange(len(labels))
    own = scores[rows, labels]
    if scores.shape[1] == 1:
        return own, None
    others = scores.copy()
    others[rows, labels] = -np.inf
    rivals = others.argmax(axis=1)
    return own - others[rows, rivals], rivals
