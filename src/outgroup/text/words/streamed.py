"""The words of texts that come in blocks, of which one at a time is held in memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from ...errors import InputError
from ...types import OnProgress
from .analyze import stem
from .stem_counts import names_of
from .stream_counts import Seen
from .weighting import Weights


class Streamed(Weights):
    """The part of `Vectorizer` that learns from texts in blocks."""

    def fit_blocks(self, blocks: Iterable[list[str]], *, progress: OnProgress | None = None) -> Self:
        """Learn vocabulary and weights from texts that come in blocks, of which one at a time is held in memory.

        The result is that of `fit` on all texts, unless there are more than two million stems or word forms: then those
        that occurred least are forgotten now and again, as if they had not occurred before.

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
            As `fit_transform`; or for `phrases` and `selection="mutual_information"`, which need all counts at once.

        Examples
        --------
        >>> from outgroup import Vectorizer
        >>> blocks = iter([["Bake the bread", "Baking bread again"], ["Repair the bicycle", "Bicycles repaired"]])
        >>> Vectorizer().fit_blocks(blocks).get_feature_names_out().tolist()
        ['bake', 'bicycle', 'bread', 'repair']
        """
        self.check_streams()
        seen = Seen()
        for texts in blocks:
            seen.add(*self.count(texts))
            if progress is not None:
                progress(seen.n, None)
        return self.fit_seen(seen)

    def check_streams(self) -> None:
        """Raise InputError for a parameter that is out of range, or that needs all texts at once.

        Raises
        ------
        InputError
        """
        self._check_parameters()
        if self.phrases or self.selection == "mutual_information":
            raise InputError("phrases and mutual information need all texts at once; leave them out for a stream")

    def count(self, texts: Iterable[str]) -> tuple[list[str], Any, list[str], list[int]]:
        """Return the words of a block of texts as `Seen.add` takes them: nothing is learned.

        Parameters
        ----------
        texts : iterable of m str

        Returns
        -------
        terms, counts, forms, totals
            The stems, how often each occurs in each text, CSR (m, terms), the word forms, and how often each occurs.
        """
        return self.analyser.count(texts)

    def fit_seen(self, seen: Seen) -> Self:
        """Learn vocabulary and weights from the frequencies of all blocks.

        Parameters
        ----------
        seen : `Seen`

        Returns
        -------
        self

        Raises
        ------
        InputError
            Nothing was seen, or no word is left.
        """
        if not seen.n:
            raise InputError("no texts were given")
        vocabulary, frequency, total = seen.sorted()
        ranked = total if self.selection == "total_frequency" else frequency
        kept = self._select(frequency, seen.n, ranked)
        self._learn([vocabulary[column] for column in kept], frequency[kept], seen.n)
        forms = list(seen.forms)
        stems = stem(forms, self.language)
        self._names = names_of(forms, list(seen.forms.values()), stems, self.vocabulary_)
        return self

    def weigh(self, counts: Any) -> Any:
        """Return the rows of texts of which the words are counted: those of `transform`.

        Parameters
        ----------
        counts : CSR matrix of int, shape (m, n_features)

        Returns
        -------
        CSR matrix of float32, shape (m, n_features), rows of unit length or zero.
        """
        check_is_fitted(self)
        return self._weigh(counts)
