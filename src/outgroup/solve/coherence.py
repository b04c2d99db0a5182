"""Whether the first words of groups stand together in documents, and whether each group has words of its own.

Coherence is the mean normalised pointwise mutual information of each pair of a group's words, with a whole document as
the window (Bouma, 2009; Aletras and Stevenson, 2013): log(p(a,b) / p(a)p(b)) / -log p(a,b), which is 1 for words that
only ever come together, 0 for words that meet as often as chance has it, -1 for words that never meet.
Diversity is how many different words there are among all of these (Dieng, Ruiz and Blei, 2020).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..types import Array


def coherence(words: Any, columns: Sequence[int]) -> float | None:
    """Return the mean NPMI of the pairs of `columns` over the rows of a CSR matrix; None for fewer than two columns.

    >>> from scipy.sparse import csr_matrix
    >>> words = csr_matrix([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]])
    >>> coherence(words, [0, 1]), coherence(words, [0, 2])
    (1.0, -1.0)
    """
    if len(columns) < 2:
        return None
    held = (words[:, list(columns)] != 0).astype(np.float64)
    together = np.asarray((held.T @ held).todense()) / words.shape[0]
    alone = together.diagonal()
    pairs = np.triu_indices(len(columns), 1)
    return float(_npmi(together[pairs], np.outer(alone, alone)[pairs]).mean())


def _npmi(joint: Array, chance: Array) -> Array:
    """1 where both are in every document: they cannot be apart."""
    safe = np.where((joint > 0) & (joint < 1), joint, 0.5)
    found = np.log(safe / np.where(joint > 0, chance, 1.0)) / -np.log(safe)
    return np.where(joint <= 0, -1.0, np.where(joint >= 1, 1.0, found))


def diversity(columns: Sequence[Sequence[int]]) -> float | None:
    """Return how many different words the groups have, as a share of all that they have; None without words.

    >>> diversity([[0, 1], [1, 2]])
    0.75
    """
    every = [column for each in columns for column in each]
    return len(set(every)) / len(every) if every else None
