"""Texts in, rows out: TF-IDF with unit rows over a chosen vocabulary of stems."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import check_is_fitted

from ...errors import InputError
from ...types import OnProgress
from .count import merge_columns
from .phrases import find_phrases
from .saved import Saved
from .select import MEASURES, document_frequency
from .stem_counts import columns_of, known_phrases, names_of
from .streamed import Streamed


# its sparse rows make no DataFrame, so it has no set_output, as the vectorizers of scikit-learn have none
class Vectorizer(Streamed, Saved, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Turn texts into sparse rows of unit length: words, stop words out, stems, TF-IDF.

    The entry of stem w in document d is (1 + log n_dw) idf_w, or n_dw idf_w without `sublinear_tf`, with
    idf_w = log((1 + n) / (1 + n_w)) + 1, divided by the row's norm. Columns are sorted by stem, so the documents' order
    does not matter. A document without any known word has a row of zeros.

    Parameters
    ----------
    language : str, default "english"
        A language by its English name or ISO 639-1 code ("german", "de"): its stop words, and its stemmer where it has
        one; "english" is the Porter stemmer. Of texts in several ("german,english") the stop words of all are left out,
        and words are stemmed as those of the first.
    stop_words : "auto", list of str or None, default "auto"
        Words to leave out, as `analyze.tokenise` gives them; "auto" is the language's own list, None keeps all.
    min_df : "auto", int >= 1 or float in [0, 1], default "auto"
        The fewest documents a stem must occur in; a float is a share of them. "auto" is 3, below 50 documents 2, and
        below 10 documents 1.
    max_df : int >= 1 or float in [0, 1], default 0.5
        The most documents a stem may occur in; a float is a share of the documents, at least one of them: of all, or of
        those that differ, so that what most documents repeat word for word still counts (a stream asks for the first).
    max_features : int >= 1 or None, default 20000
        The largest number of stems; None keeps all.
    selection : {"document_frequency", "total_frequency", "mutual_information"}, default "document_frequency"
        What ranks the stems when there are more than `max_features`: by the number of documents, by all occurrences (as
        in the M2DCU paper), or by mutual information of words and documents (as in the dual-supervision paper).
    sublinear_tf : bool, default True
        Whether the tenth occurrence in a document counts less than the first.
    phrases : bool, default False
        Whether two words that stand side by side more often than chance says ("credit card") are a column of their own,
        beside those of the words; see `phrases.find_phrases`.
    keep_numbers : bool, default False
        Whether digits are letters of words, too: "mp3" and "2024" count then.
    min_length : int >= 1, default 2
        The fewest letters of a word.
    segmentation : {"pairs", "words"}, default "pairs"
        How runs of scripts without blanks are taken apart: into overlapping pairs of signs, whatever the language; or
        into words by a dictionary, for Chinese, Japanese and Thai (extra `segmentation`).

    Attributes
    ----------
    vocabulary_ : dict of str to int
        The column of each stem, or of two stems with a blank between them.
    idf_ : float64 array, shape (n_features,)

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
        "selection": [StrOptions(set(MEASURES))],
        "sublinear_tf": ["boolean"],
        "phrases": ["boolean"],
        "keep_numbers": ["boolean"],
        "min_length": [Interval(Integral, 1, None, closed="left")],
        "segmentation": [StrOptions({"pairs", "words"})],
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
        phrases: bool = False,
        keep_numbers: bool = False,
        min_length: int = 2,
        segmentation: str = "pairs",
    ) -> None:
        self.language = language
        self.stop_words = stop_words
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.selection = selection
        self.sublinear_tf = sublinear_tf
        self.phrases = phrases
        self.keep_numbers = keep_numbers
        self.min_length = min_length
        self.segmentation = segmentation

    def fit(self, texts: Iterable[str], y: Any = None, *, progress: OnProgress | None = None) -> Self:
        """Learn vocabulary and weights; see `fit_transform`.

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
        """Learn vocabulary and weights, and return the rows.

        Parameters
        ----------
        texts : iterable of str
            Read once.
        y : ignored
        progress : callable, optional
            Called now and then with the number of texts done and the number in all (None when unknown).

        Returns
        -------
        CSR matrix of float32, shape (n_texts, n_features), rows of unit length or zero.

        Raises
        ------
        InputError
            A parameter is out of range, there is no text, something is not a string, or no word is left.
        MissingExtraError
            `segmentation` is "words", and the library of the language is not installed.
        """
        self._check_parameters()
        tally = self.analyser.tally(texts, phrases=self.phrases, progress=progress)
        n = tally.counts.shape[0]
        if not n:
            raise InputError("no texts were given")
        if self.phrases:
            tally.add(find_phrases(tally.blocks, len(tally.terms), int(np.ceil(max(self._fewest(n), 2)))))
        vocabulary = sorted(tally.terms)
        counts = merge_columns(tally.counts, columns_of(tally.terms, vocabulary), len(vocabulary))
        kept = self._select(document_frequency(counts), len(counts.indptr) - 1, counts)
        counts = counts[:, kept]
        self._learn([vocabulary[column] for column in kept], document_frequency(counts), counts.shape[0])
        self._names = names_of(tally.forms, tally.totals, tally.stems, self.vocabulary_)
        return self._weigh(counts)

    def transform(self, texts: Iterable[str], *, progress: OnProgress | None = None) -> Any:
        """Return the rows of texts in the learned vocabulary: for the texts of `fit`, exactly its rows.

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
        tally = self.analyser.tally(texts, phrases=self.phrases, progress=progress)
        if self.phrases:
            tally.add(known_phrases(tally.terms, self.vocabulary_))
        return self._weigh(
            merge_columns(tally.counts, columns_of(tally.terms, self.vocabulary_), len(self.vocabulary_))
        )

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return each column's stem as its most frequent word form.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        (n_features,) object array of str
        """
        check_is_fitted(self)
        return np.array(self._names, dtype=object)
