"""What can be shown of groups: tables, a page, pictures; of a fitted model's, and of a session's version."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..model import DocumentClustering as Core
from ..report.facts import Summary
from ..report.html.render import render
from ..report.summary import described
from ..session.reporting.arrays_by_number import ByNumber
from ..session.reporting.summary import summary_of
from ..session.reporting.trust import trust_of
from ..storage.atomic import new_file
from ..text.reading.documents import Corpus
from .html import groups_html
from .picture import draw_map, draw_words
from .tables import Form, documents_of, topics_of


class Showable:
    """Groups that can be shown; a subclass says what they are `_made_of`."""

    _summary: Summary | None
    _form = Form()

    def _made_of(self) -> tuple[Core, ByNumber, Corpus]:
        """Return the fitted model, what it says of its documents by the groups' numbers, and the documents."""
        raise NotImplementedError

    @property
    def topics(self) -> Any:
        """The groups as a table: `group`, `name`, `size`, `share`, `trust`, `found_again` (of 20 fits), `words` and
        `example`, the largest first.

        How far to trust them is found when it is first asked for, which takes about as long as the fit. A DataFrame of
        pandas or polars where one is there. Of a model that was loaded: what was known when it was saved; `trust` is
        "", and `found_again` 0, unless it had been asked for by then.
        """
        return topics_of(self._known()[0], self._form)

    @property
    def documents(self) -> Any:
        """The documents as a table: `id`, `title`, `group` (-1 for none), `name`, `margin`, `off_topic_score`,
        `off_topic`, `second` and `skipped`, in their order. The name of those that a decision threw away is
        `labelled off-topic`.

        A DataFrame of pandas or polars where one is there, of the library whose table or column was given to `fit`, and
        with its index. Raises NoDocumentsError for a model that was loaded.
        """
        model, shown, corpus = self._made_of()
        why = {row: reason for row, reason in model.skipped_ if not shown.rows[row]}
        return documents_of(self._summed(), shown, corpus, why, self._form)

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
        groups = {each.number: each for each in self._summed().groups if not each.gone}
        if group not in groups:
            raise InputError(f"there is no group {group}; `topics` has those that there are")
        return draw_words(groups[group], most)

    def _repr_html_(self) -> str:
        return groups_html(*self._known())

    def _known(self) -> tuple[dict[int, dict[str, Any]], int]:
        """Return what is told of each group, by its number, and how many documents are in none."""
        summary = self._summed()
        groups = [group for group in summary.groups if not group.gone]
        known = dict(zip((group.number for group in groups), described(groups), strict=True))
        return known, int(np.count_nonzero(summary.documents.group < 0))

    def _summed(self, title: str = "") -> Summary:
        model, shown, corpus = self._made_of()
        if self._summary is None or title:
            self._summary = summary_of(
                corpus, model, shown, duplicates=corpus.duplicates(), trust=trust_of(model, shown).to_dict(),
                run={"title": title},
            )  # fmt: skip
        return self._summary
