"""Convert texts to TF-IDF rows of unit length over a selected vocabulary of stems."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Sequence
from hashlib import blake2b
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import check_is_fitted

from ..errors import InputError, ModelError, NoWordError, warn
from ..types import OnProgress
from .counts import Analyser, Frequencies, best_columns, document_frequency, in_columns, names_of, rare_among_distinct
from .languages import language_names
from .texts import as_texts
from .tokenizer import frequent_languages, stem
from .tokens import Tokens, repeated_lines, single_spaced

# --- The estimator


AUTO = "auto"
"""The language that `fit` detects."""


# Sparse rows cannot become a DataFrame, so there is no set_output, as in the vectorizers of scikit-learn.
class Vectorizer(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[misc,call-arg]
    """Convert texts to sparse TF-IDF rows of unit length: tokenise, remove stop words, stem, weigh.

    The entry of stem w in document d is (1 + log n_dw) idf_w, or n_dw idf_w without `sublinear_tf`, with
    idf_w = log((1 + n) / (1 + n_w)) + 1, divided by the row's norm. Columns are sorted by stem, so the documents' order
    does not matter. A document without a known word has a row of zeros.

    Parameters
    ----------
    language : str, default "english"
        A language by its English name or ISO 639-1 code ("german", "de"): selects stop words, and the stemmer if there
        is one; "porter" is English with the original Porter stemmer. With several ("german,english"), the stop words of
        all are removed, and the first selects the stemmer. "auto": the languages that `fit` finds in at least a tenth
        of the texts, English if it finds none; a warning names them unless they are English.
    stop_words : "auto", list of str or None, default "auto"
        Words to remove, as returned by `tokenise`; "auto" is the list of the language, None keeps all.
    min_df : "auto", int >= 1 or float in [0, 1], default "auto"
        The minimum document frequency of a stem; a float is a fraction of the documents. "auto" is 3, below 50
        documents 2, and below 10 documents 1.
    max_df : int >= 1 or float in [0, 1], default 0.5
        The maximum document frequency of a stem; a float is a fraction of the documents, at least one. A stem passes if
        it is rare enough among all documents or among the distinct ones, so words of many duplicates stay (blocks of
        texts test all documents only).
    max_features : int >= 1 or None, default 20000
        The largest number of stems; None keeps all.
    selection : {"document_frequency", "mutual_information"}, default "document_frequency"
        The rank of stems if there are more than `max_features`: number of documents, or mutual information of words and
        documents (as in the dual-supervision paper).
    sublinear_tf : bool, default True
        Whether to replace the count n by 1 + log n.
    keep_numbers : bool, default False
        Whether digits are letters: "mp3" and "2024" are words then.
    min_length : int >= 1, default 2
        The fewest letters of a word.
    segmentation : {"pairs", "words"}, default "pairs"
        How to split runs of scripts without spaces: into overlapping pairs of characters, for any language; or into
        words by a dictionary, for Chinese, Japanese and Thai (extra `segmentation`).
    drop_repeated_lines : bool, default False
        Whether to leave out the words of lines that stand in at least 1 % of the texts, and in 10, such as signatures;
        see `repeated_lines_`. New texts lose these lines, too.

    Attributes
    ----------
    language_ : str
        The languages of the fit, separated by commas.
    vocabulary_ : dict of str to int
        The column of a stem.
    idf_ : float64 array, shape (n_features,)
    repeated_lines_ : list of (str, int)
        The lines that stand in many texts, with the number of texts; a loaded vectorizer has none.

    Examples
    --------
    >>> texts = ["Bake the bread", "Baking bread again", "Repair the bicycle", "Bicycles repaired"]
    >>> vectorizer = Vectorizer()
    >>> X = vectorizer.fit_transform(texts)
    >>> X.shape, vectorizer.vocabulary_
    ((4, 4), {'bake': 0, 'bicycl': 1, 'bread': 2, 'repair': 3})
    >>> vectorizer.get_feature_names_out().tolist()
    ['bake', 'bicycle', 'bread', 'repair']
    """

    language_: str
    vocabulary_: dict[str, int]
    idf_: np.ndarray
    repeated_lines_: list[tuple[str, int]]
    _names: list[str]
    _dropped: frozenset[str]

    reports: ClassVar[tuple[str, ...]] = ("progress",)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "language": [str],
        "stop_words": [StrOptions({"auto"}), "array-like", set, frozenset, None],
        "min_df": [
            StrOptions({"auto"}),
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="both"),
        ],
        "max_df": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="both")],
        "max_features": [Interval(Integral, 1, None, closed="left"), None],
        "selection": [StrOptions({"document_frequency", "mutual_information"})],
        "sublinear_tf": ["boolean"],
        "keep_numbers": ["boolean"],
        "min_length": [Interval(Integral, 1, None, closed="left")],
        "segmentation": [StrOptions({"pairs", "words"})],
        "drop_repeated_lines": ["boolean"],
    }

    def __init__(
        self,
        *,
        language: str = "english",
        stop_words: Any = "auto",
        min_df: float | str = "auto",
        max_df: float = 0.5,
        max_features: int | None = 20_000,
        selection: str = "document_frequency",
        sublinear_tf: bool = True,
        keep_numbers: bool = False,
        min_length: int = 2,
        segmentation: str = "pairs",
        drop_repeated_lines: bool = False,
    ) -> None:
        self.language = language
        self.stop_words = stop_words
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.selection = selection
        self.sublinear_tf = sublinear_tf
        self.keep_numbers = keep_numbers
        self.min_length = min_length
        self.segmentation = segmentation
        self.drop_repeated_lines = drop_repeated_lines

    def fit(self, texts: Iterable[str], y: Any = None, *, progress: OnProgress | None = None) -> Self:
        """Learn the vocabulary and weights (see `fit_transform`).

        Parameters
        ----------
        texts, y, progress :
            As for `fit_transform`.

        Returns
        -------
        self

        Raises
        ------
        InputError
            As for `fit_transform`.
        """
        self.fit_transform(texts, progress=progress)
        return self

    def fit_transform(self, texts: Iterable[str], y: Any = None, *, progress: OnProgress | None = None) -> Any:
        """Learn the vocabulary and weights, and return the rows.

        Parameters
        ----------
        texts : iterable of str
            Read once.
        y : ignored
        progress : callable, optional
            Called periodically with the number of texts done and the total (None if unknown).

        Returns
        -------
        CSR matrix of float32, shape (n_texts, n_features), rows of unit length or zero.

        Raises
        ------
        InputError
            A parameter is out of range, there is no text, a text is not a string, or no word is left.
        MissingExtraError
            `segmentation` is "words", and the library of the language is not installed.
        """
        self._check_parameters()
        self.language_ = self.language
        tokens = Tokens.of(texts, self.keep_numbers, progress)
        if self.language == AUTO:
            self.language_ = _detected(tokens.texts)
        self.repeated_lines_ = repeated_lines(tokens)
        self._dropped = frozenset()
        if self.drop_repeated_lines:
            self._dropped = frozenset(digest(line) for line, _ in self.repeated_lines_)
            tokens = Tokens.of(self._without_lines(tokens.texts), self.keep_numbers)
        tally = self.analyser.tally(tokens)
        columns = self._learn(tally.terms, document_frequency(tally.counts), tally.counts.shape[0], tally.counts)
        self._names = names_of(tally.forms, tally.totals, tally.stems, self.vocabulary_)
        return self.weigh(tally.counts[:, columns])

    def transform(self, texts: Iterable[str], *, progress: OnProgress | None = None) -> Any:
        """Return the rows of texts in the learned vocabulary; for the texts of `fit` they equal those of
        `fit_transform`.

        Parameters
        ----------
        texts : iterable of str
        progress : callable, optional
            As in `fit_transform`.

        Returns
        -------
        CSR matrix of float32, shape (n_texts, n_features), rows of unit length or zero.

        Raises
        ------
        InputError
            One of the texts is not a string, or `texts` is a single string.
        """
        check_is_fitted(self)
        texts = self._without_lines(texts)
        tally = self.analyser.tally(texts, progress)
        return self.weigh(in_columns(tally.counts, tally.terms, self.vocabulary_))

    def _without_lines(self, texts: Iterable[str]) -> Iterable[str]:
        dropped = getattr(self, "_dropped", None)
        return [without_lines(text, dropped) for text in as_texts(texts, "texts")] if dropped else texts

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the most frequent word forms of the columns.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        (n_features,) object array of str
        """
        check_is_fitted(self)
        return np.array(self._names, dtype=object)

    def rename(self, names: Sequence[str]) -> None:
        """Replace the readable words.

        Parameters
        ----------
        names : sequence of n_features str
            In the order of the columns.
        """
        check_is_fitted(self)
        self._names = [name for name, _ in zip(names, self.vocabulary_, strict=True)]

    # --- Learning from blocks of texts

    def fit_blocks(self, blocks: Iterable[list[str]], *, progress: OnProgress | None = None) -> Self:
        """Learn the vocabulary and weights from blocks of texts; one block is in memory at a time.

        The result equals that of `fit` on all texts, unless there are more than two million stems or word forms: then
        the rarest are dropped periodically, as if they had not occurred before.

        Parameters
        ----------
        blocks : iterable of lists of str
            Read once.
        progress : callable, optional
            Called after each block with the number of texts done, and None.

        Returns
        -------
        self

        Raises
        ------
        InputError
            As `fit_transform`; also for `selection="mutual_information"`, which needs all counts at once.

        Examples
        --------
        >>> from outgroup import Vectorizer
        >>> blocks = iter([["Bake the bread", "Baking bread again"], ["Repair the bicycle", "Bicycles repaired"]])
        >>> Vectorizer().fit_blocks(blocks).get_feature_names_out().tolist()
        ['bake', 'bicycle', 'bread', 'repair']
        """
        self.check_blocks()
        seen = Frequencies()
        for texts in blocks:
            seen.add(*self.analyser.tally(texts).frequencies)
            if progress is not None:
                progress(seen.n, None)
        return self.fit_seen(seen)

    def check_blocks(self) -> None:
        """Raise InputError if a parameter is out of range, or needs all texts at once.

        Raises
        ------
        InputError
        """
        self._check_parameters()
        if self.language == AUTO:
            raise InputError('language="auto" needs all texts at once: name the language for blocks of texts')
        self.language_ = self.language
        if self.drop_repeated_lines or self.selection == "mutual_information":
            raise InputError("repeated lines and mutual information need all texts at once: disable them for blocks")

    def fit_seen(self, seen: Frequencies) -> Self:
        """Learn the vocabulary and weights from the term frequencies of all blocks.

        Parameters
        ----------
        seen : `Frequencies`

        Returns
        -------
        self

        Raises
        ------
        InputError
            `seen` is empty, or no word is left.
        """
        terms, frequency = seen.sorted()
        self._learn(terms, frequency, seen.n, frequency)
        forms = list(seen.forms)
        self._names = names_of(forms, list(seen.forms.values()), stem(forms, self.language_), self.vocabulary_)
        return self

    def weigh(self, counts: Any) -> Any:
        """Return the rows of counted texts, as `transform` does for texts.

        Parameters
        ----------
        counts : CSR matrix of int, shape (m, n_features)

        Returns
        -------
        CSR matrix of float32, shape (m, n_features), rows of unit length or zero.
        """
        check_is_fitted(self)
        weights = counts.data.astype(np.float64)
        if self.sublinear_tf:
            weights = np.log(weights) + 1
        weights *= self.idf_[counts.indices]
        row = np.repeat(np.arange(counts.shape[0], dtype=np.int32), np.diff(counts.indptr))
        lengths = np.sqrt(np.bincount(row, weights=weights**2, minlength=counts.shape[0]))
        weights /= np.where(lengths > 0, lengths, 1.0)[row]  # ignored words have zero weight
        return sp.csr_matrix((weights.astype(np.float32), counts.indices, counts.indptr), shape=counts.shape)

    # --- Saving and loading, with validation of untrusted values

    def to_state(self) -> dict[str, Any]:
        """Return the state as JSON values and a float array (no pickle).

        Returns
        -------
        dict
            The argument of `from_state`.
        """
        check_is_fitted(self)
        parameters = self.get_params()
        if parameters["stop_words"] not in ("auto", None):
            parameters["stop_words"] = sorted(parameters["stop_words"])
        lines = {"dropped": sorted(self._dropped)} if parameters.pop("drop_repeated_lines") else {}
        words = {"stems": list(self.vocabulary_), "names": self._names, "idf": self.idf_}
        return {"parameters": parameters, "language": self.language_} | words | lines

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the vectorizer stored in a state.

        Parameters
        ----------
        state : dict
            The result of `to_state`, possibly read from a file.

        Returns
        -------
        Vectorizer, fitted

        Raises
        ------
        ModelError
            A value is missing, or the values are inconsistent.
        """
        try:
            vectorizer, dropped = cls(**state["parameters"]), state.get("dropped", [])
            vectorizer.drop_repeated_lines = "dropped" in state
            stems, names, idf = state["stems"], state["names"], state["idf"]
            vectorizer._check_parameters()
            vectorizer.language_ = state["language"]
            language_names(vectorizer.language_)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"the saved vectorizer is damaged: {error}") from error
        words = _is_words(stems) and _is_words(names) and len(set(stems)) == len(stems) == len(names)
        option = vectorizer.stop_words
        valid = _is_words(option) if not isinstance(option, str) else option == "auto"
        if not words or not _is_words(dropped) or not (valid or option is None) or not _is_idf(idf, len(stems)):
            raise ModelError(
                "the saved vectorizer is damaged: its stems, names and weights are invalid or inconsistent"
            )
        vectorizer.vocabulary_ = {stem: column for column, stem in enumerate(stems)}
        vectorizer.idf_, vectorizer._names, vectorizer._dropped = idf, names, frozenset(dropped)
        return vectorizer

    # --- Selection and weights of words

    def _check_parameters(self) -> None:
        if isinstance(self.stop_words, str) and self.stop_words != "auto":
            raise InputError(
                f"stop_words={self.stop_words!r:.60} is not valid: for the stop words of a language give "
                'language="english"; else "auto", a list of words, or None'
            )
        try:
            self._validate_params()
            if self.language != AUTO:
                language_names(self.language)
        except ValueError as error:
            raise InputError(str(error)) from error

    @property
    def analyser(self) -> Analyser:
        """The parameters of tokenisation, as plain values."""
        language = getattr(self, "language_", "english" if self.language == AUTO else self.language)
        return Analyser(language, self.stop_words, self.keep_numbers, self.min_length, self.segmentation)

    def _learn(self, terms: list[str], frequency: np.ndarray, n: int, counts: Any) -> np.ndarray:
        """Learn the words to keep, by their document `frequency` in `n` texts, and return their columns.

        A word of many duplicate answers is not a stop word: it is rare enough if it is rare in all texts, or in the
        distinct ones. Blocks of texts have no counts, and test all texts only.
        """
        if not n:
            raise InputError("no texts were given")
        fewest = _fewest(n) if isinstance(self.min_df, str) else _documents(self.min_df, n)
        most = max(1, _documents(self.max_df, n))
        rare = frequency <= most
        if not (rare.all() or isinstance(self.max_df, Integral)) and sp.issparse(counts):
            rare |= rare_among_distinct(counts, frequency, float(self.max_df))
        columns = best_columns(counts, (frequency >= fewest) & rare, self.selection, self.max_features)
        if not len(frequency):
            raise NoWordError(
                f"no usable words: {n} text{'s contain' if n > 1 else ' contains'} only stop words, digits (words "
                f"with keep_numbers), words of fewer letters than min_length, {self.min_length}, and signs "
                "such as emoji"
            )
        if not len(columns):
            raise NoWordError(
                f"no usable words: of {len(frequency)} stems in {n} texts none occurs in {fewest:g} to {most:g} "
                f"texts; give more, different texts, or change min_df and max_df"
            )
        self.vocabulary_ = {terms[column]: place for place, column in enumerate(columns)}
        self.idf_ = np.log((1 + n) / (1 + frequency[columns])) + 1
        return columns


def without_words(vectorizer: Vectorizer, n: int) -> Any:
    """Set an empty vocabulary, and return empty rows for n texts, (n, 0)."""
    vectorizer.vocabulary_, vectorizer.idf_, vectorizer._names = {}, np.empty(0), []
    return sp.csr_matrix((n, 0), dtype=np.float32)


def _documents(limit: float, n: int) -> float:
    """Return a limit as a number of documents; an int is a count, a float is a share, as in scikit-learn."""
    return min(int(limit), sys.maxsize) if isinstance(limit, Integral) else limit * n


def _fewest(n: int) -> int:
    """Return the minimum document frequency for n documents; rarer words do not separate groups."""
    return 1 if n < 10 else 2 if n < 50 else 3


def _detected(texts: Sequence[str]) -> str:
    """Return the frequent languages of texts, separated by commas; warn unless they are English."""
    languages = ",".join(frequent_languages(texts)) or "english"
    if languages != "english":
        names = " and ".join(name.capitalize() for name in languages.split(","))
        warn(f"the texts seem to be in {names}, which sets stop words and stems. Set another language with language=")
    return languages


def _is_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def _is_idf(values: Any, n_words: int) -> bool:
    """Return whether the values are valid weights: log((1 + n) / (1 + df)) + 1 with n < 2^64, or 0 for ignored
    words.
    """
    real = isinstance(values, np.ndarray) and values.dtype == np.float64 and values.shape == (n_words,)
    return real and bool(((values == 0) | ((values >= 1) & (values < 46))).all())


# --- Lines that stand in many texts: signatures, disclaimers, notes on cookies


def digest(line: str) -> str:
    """Return a digest of a line; a model recognises lines without storing them."""
    return blake2b(single_spaced(line).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def without_lines(text: str, dropped: Collection[str]) -> str:
    """Return a text without the lines that have a digest in `dropped`; a text of one line stays.

    >>> without_lines("Tea\\nSent from my phone", {digest("Sent from my phone")})
    'Tea'
    """
    lines = text.splitlines()
    return "\n".join(line for line in lines if digest(line) not in dropped) if len(lines) > 1 else text
