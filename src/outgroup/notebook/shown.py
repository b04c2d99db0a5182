"""What a fitted `DocumentClustering` shows: tables, a page, pictures, explanations, and a session that goes on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..errors import InputError, NoDocumentsError
from ..model import DocumentClustering as Core
from ..report.facts import Summary
from ..report.render import render
from ..session import Past, Session
from ..session.summary import shown_by, summary_of
from ..session.trust import trust_of
from ..storage.atomic import new_file
from ..text.reading.collection import Corpus
from .explanation import Explanation, explain
from .html import groups_html
from .picture import draw_map, draw_words
from .tables import documents_of, topics_of


class Shown(Core):
    """The part of `DocumentClustering` that shows its groups, while it has the documents that it was fitted on."""

    _corpus: Corpus
    _given: tuple[Any, Any, Any]
    _summary: Summary | None

    @property
    def topics(self) -> Any:
        """The groups as a table: `group`, `name`, `size`, `share`, `trust`, `found_again` (of 20 fits), `words` and
        `example`, the largest first.

        How far to trust them is found when it is first asked for, which takes about as long as the fit. A DataFrame of
        pandas or polars where one is there. Raises NoDocumentsError for a model that was loaded.
        """
        return topics_of(self._summed())

    @property
    def documents(self) -> Any:
        """The documents as a table: `id`, `title`, `group` (-1 for none), `name`, `margin`, `off_topic_score`,
        `off_topic`, `second` and `skipped`, in their order.

        A DataFrame of pandas or polars where one is there. Raises NoDocumentsError for a model that was loaded.
        """
        return documents_of(self._summed(), shown_by(self), self._corpus, dict(self.skipped_))

    def explain(self, text: str, *, embeddings: Any = None) -> Explanation:
        """Return why a text is in its group: the words that put it there, the second best group, documents like it.

        Parameters
        ----------
        text : str
        embeddings : (1, d) array, default None
            As for `predict`.

        Returns
        -------
        Explanation

        Raises
        ------
        NoDocumentsError
            The model was loaded.
        """
        return explain(self, self._summed(), text, embeddings)

    def report(self, path: str | os.PathLike[str], *, title: str = "", replace: bool = False) -> Path:
        """Write the page of the groups: one HTML file with all documents, a map, search and corrections.

        Parameters
        ----------
        path : path
        title : str, default ""
        replace : bool, default False
            Whether an existing file may be written over.

        Returns
        -------
        Path

        Raises
        ------
        OutputError
            The file cannot be written, or it exists and `replace` is False.
        NoDocumentsError
            The model was loaded.
        """
        page = render(self._summed(title))
        with new_file(path, replace=replace) as file:
            file.write(page)
        return Path(path)

    def map(self) -> Any:
        """Return the map of the documents as a figure of Matplotlib (extra `plots`).

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        MissingExtraError
            Matplotlib is not installed.
        NoDocumentsError
            The model was loaded.
        """
        return draw_map(self._summed())

    def words(self, group: int, *, most: int = 20) -> Any:
        """Return a group's first words as a figure of Matplotlib (extra `plots`).

        Parameters
        ----------
        group : int
            Its number.
        most : int, default 20
            How many words.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        InputError
            There is no such group.
        MissingExtraError, NoDocumentsError
            As for `map`.
        """
        groups = self._summed().groups
        if not 0 <= group < len(groups):
            raise InputError(f"there is no group {group}; they are 0 to {len(groups) - 1}")
        return draw_words(groups[group], most)

    @property
    def session(self) -> Session:
        """A session that goes on from these groups: `session.begin()` is their version, `session.fit(decisions,
        start=version)` the next.

        Raises NoDocumentsError for a model that was loaded.
        """
        self._summed()
        embeddings, universum, vectors = self._given
        past = Past.of_model(self, self._corpus.ids, self._corpus.texts)
        return Session.after(
            past, self._corpus.texts, ids=self._corpus.ids, titles=self._corpus.titles, universum=universum,
            embeddings=embeddings, universum_embeddings=vectors,
        )  # fmt: skip

    def __dir__(self) -> list[str]:
        """The names there are, without looking at what is behind them: completion shall not sum up a collection."""
        return sorted(object.__dir__(self))

    def _repr_html_(self) -> str:
        """The groups, for a notebook; before `fit`, and for a loaded model, the parameters."""
        return groups_html(self._summed()) if hasattr(self, "_corpus") else str(self._repr_html_inner())

    def _repr_mimebundle_(self, **kinds: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _summed(self, title: str = "") -> Summary:
        check_is_fitted(self)
        if not hasattr(self, "_corpus"):
            raise NoDocumentsError("this model was loaded, or made by a session: it has no documents; fit it on some")
        if self._summary is None or title:
            shown = shown_by(self)
            self._summary = summary_of(
                self._corpus, self, shown, duplicates=self._corpus.duplicates(), trust=trust_of(self, shown).to_dict(),
                run={"title": title},
            )  # fmt: skip
        return self._summary
