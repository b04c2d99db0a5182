"""Groups of a fitted model or a version in a notebook: tables, a page and figures."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from html import escape
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ..document_clustering import DocumentClustering
from ..document_clustering import DocumentClustering as Core
from ..errors import InputError, MissingExtraError
from ..readers.documents import Corpus
from ..report.clean import clean
from ..report.facts import Group, Summary
from ..report.html import render
from ..report.palette import OUT, colour, colours
from ..report.summary import described
from ..session import Version
from ..session.reporting import ByNumber, by_number, summary_of, trust_of
from ..storage.atomic import new_file
from ..text.collection import LABELLED_AWAY

# --- Tables: a DataFrame of an available library, or a `Table`

_LIBRARIES = ("pandas", "polars")
_SHOWN, _WIDEST = 30, 40  # printed rows, and letters of a cell


@dataclass(frozen=True)
class Form:
    """The form of output tables: the DataFrame library of the input and its index, None for other input."""

    library: str | None = None
    index: Any = None

    @classmethod
    def of(cls, given: Any) -> Form:
        """Return the form of an input.

        >>> Form.of(["a text"])
        Form(library=None, index=None)
        """
        library = type(given).__module__.partition(".")[0]
        if library not in _LIBRARIES:
            return cls()
        return cls(library, getattr(given, "index", None) if library == "pandas" else None)  # an array has none


def table(columns: Mapping[str, Sequence[Any]], form: Form) -> Any:
    """Return columns of equal length as a DataFrame of the library of `form`, else of an imported, else of an installed
    library, else as a `Table`; with the index of `form`, if any."""
    if form.index is not None:
        return import_module("pandas").DataFrame(dict(columns), index=form.index)
    in_use = [form.library] if form.library else [name for name in _LIBRARIES if name in sys.modules]
    for name in in_use or [name for name in _LIBRARIES if find_spec(name)]:
        return import_module(name).DataFrame(dict(columns))
    return Table(columns)


class Table:
    """Columns by name, with a printed form.

    Examples
    --------
    >>> print(Table({"name": ["tea", "trains"], "size": [2, 10]}))
    name    size
    tea        2
    trains    10
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        self._columns = {name: list(values) for name, values in columns.items()}

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    def __getitem__(self, name: str) -> list[Any]:
        return self._columns[name]

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), []))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for row in zip(*self._columns.values(), strict=True):
            yield dict(zip(self._columns, row, strict=True))

    def __repr__(self) -> str:
        lines = [self.columns, *[[_cell(value) for value in row.values()] for row in islice(self, _SHOWN)]]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        right = [all(isinstance(value, int | float) for value in values) for values in self._columns.values()]
        shown = [_line(line, widths, right) for line in lines]
        more = len(self) - _SHOWN
        return "\n".join(shown + ([f"and {more} more"] if more > 0 else []))


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    each = zip(cells, widths, right, strict=True)
    return "  ".join(cell.rjust(width) if last else cell.ljust(width) for cell, width, last in each).rstrip()


def _cell(value: Any) -> str:
    text = "" if value is None else f"{value:.3g}" if isinstance(value, float) else clean(str(value))
    text = " ".join(text.split())
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"


def topics_of(known: Mapping[int, Mapping[str, Any]], form: Form) -> Any:
    """Return the descriptions of groups, by number, as a table, the largest group first."""
    order = sorted(known, key=lambda number: (-known[number]["size"], number))
    whole = max(sum(each["size"] for each in known.values()), 1)
    full = [known[number] for number in order]
    return table(
        {
            "group": order,
            "name": [each["name"] for each in full],
            "size": [each["size"] for each in full],
            "share": [round(each["size"] / whole, 6) for each in full],
            "trust": [each.get("trust", "") for each in full],
            "found_again": [each.get("found_again", 0) for each in full],
            "words": [", ".join(each["words"]) for each in full],
            "example": [each.get("example", "") for each in full],
        },
        Form(form.library),
    )


def documents_of(summary: Summary, shown: ByNumber, corpus: Corpus, why: Mapping[int, str], form: Form) -> Any:
    """Return the documents as a table, in their order; `why` has the reason for each skipped one, by number."""
    found, place = summary.documents, np.cumsum(shown.rows) - 1
    names = [group.name for group in summary.groups]
    rows = [int(place[row]) if shown.rows[row] else None for row in range(len(corpus))]
    groups = [-1 if row is None else int(found.group[row]) for row in rows]
    verdicts = shown.verdicts
    thrown = [False] * len(rows) if verdicts.away is None else verdicts.away.tolist()
    unlike = [out or None for out in thrown] if verdicts.off_topic is None else verdicts.off_topic.tolist()
    return table(
        {
            "id": list(corpus.ids),
            "title": list(corpus.titles),
            "group": groups,
            "name": [names[g] if g >= 0 else LABELLED_AWAY * out for g, out in zip(groups, thrown, strict=True)],
            "margin": [float("nan") if row is None else float(found.margin[row]) for row in rows],
            "off_topic_score": verdicts.off_topic_score.tolist(),
            "off_topic": unlike,
            "second": [-1 if row is None else int(found.rival[row]) for row in rows],
            "skipped": [why.get(number, "") for number in range(len(rows))],
        },
        form,
    )


# --- Tables, pages and figures of groups


class Showable:
    """Base of objects with groups to show; a subclass defines `_made_of`."""

    _summary: Summary | None
    _form = Form()

    def _made_of(self) -> tuple[Core, ByNumber, Corpus]:
        """Return the fitted model, its arrays by group number, and the documents."""
        raise NotImplementedError

    @property
    def topics(self) -> Any:
        """The groups as a table: `group`, `name`, `size`, `share`, `trust`, `found_again` (of 20 fits), `words` and
        `example`, the largest first.

        The first access computes the trust, which takes about as long as the fit. A DataFrame if pandas or polars is
        installed. A loaded model has the values of the time of saving: `trust` is "" and `found_again` 0 unless they
        were computed before.
        """
        return topics_of(self._known()[0], self._form)

    @property
    def documents(self) -> Any:
        """The documents as a table: `id`, `title`, `group` (-1 for none), `name`, `margin`, `off_topic_score`,
        `off_topic`, `second` and `skipped`, in their order. The name of documents with an off-topic label is
        `labelled off-topic`.

        A DataFrame if pandas or polars is installed, of the library of the input of `fit`, with its index. Raises
        NoDocumentsError for a loaded model.
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
            Whether to replace an existing file.

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
            Number of words.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        InputError
            The group does not exist.
        MissingExtraError, NoDocumentsError
            As for `map`.
        """
        groups = {each.number: each for each in self._summed().groups if not each.gone}
        if group not in groups:
            raise InputError(f"there is no group {group}: `topics` lists the groups")
        return draw_words(groups[group], most)

    def _repr_html_(self) -> str:
        return groups_html(*self._known())

    def _known(self) -> tuple[dict[int, dict[str, Any]], int]:
        """Return the description of each group, by number, and the count of documents in none."""
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


# --- Figures: the map of the documents, and the words of a group


def draw_map(summary: Summary) -> Any:
    """Return a figure of all documents, with a colour for each group and its name at the median of its documents."""
    plots, documents = _pyplot(), summary.documents
    from matplotlib.patheffects import withStroke

    figure, axes = plots.subplots(figsize=(8, 7))
    shades = [light for light, _ in colours(len(summary.groups))]
    tones = [shades[group] if group >= 0 else OUT[0] for group in documents.group.tolist()]
    axes.scatter(*documents.place.T, c=tones, s=max(2.0, min(30.0, 8_000 / len(tones))), linewidths=0)
    named = [(group.number, f"{group.number} {group.name}") for group in summary.groups if group.size]
    for number, name in [*named, *([(-1, "Off-topic")] if (documents.group < 0).any() else [])]:
        x, y = np.median(documents.place[documents.group == number], axis=0)
        text = axes.annotate(_plain(name), (x, y), ha="center", weight="bold", fontsize=9)
        text.set_path_effects([withStroke(linewidth=3, foreground="white")])  # readable over dots
    axes.set_axis_off()
    plots.close(figure)  # a notebook shows what a cell returns, once
    return figure


def draw_words(group: Group, most: int = 20) -> Any:
    """Return a figure of a group's first words as bars of their weights."""
    plots, words = _pyplot(), group.words[:most][::-1]
    figure, axes = plots.subplots(figsize=(5, 0.28 * len(words) + 0.9))
    axes.barh([_plain(word) for word, _ in words], [weight for _, weight in words])
    axes.set_title(_plain(f"{group.number} {group.name}"), loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    plots.close(figure)
    return figure


def _plain(text: str) -> str:
    """Escape dollar signs, which start a formula in Matplotlib."""
    return clean(text).replace("$", r"\$")


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plots
    except ImportError as error:
        raise MissingExtraError("figures need Matplotlib: pip install 'outgroup[plots]'") from error
    return plots


# --- Groups as an HTML table; text of documents is escaped

_HTML_SHOWN = 50


def groups_html(known: Mapping[int, Mapping[str, Any]], out: int) -> str:
    """Return the descriptions of groups, by number, as an HTML table; `out` documents are off-topic."""
    full = [number for number, each in known.items() if each["size"]]
    rows = []
    for number in sorted(full, key=lambda number: (-known[number]["size"], number))[:_HTML_SHOWN]:
        group = known[number]
        texts = [
            _escaped(each) for each in (group.get("trust", ""), ", ".join(group["words"]), group.get("example", ""))
        ]
        spot = f'<span style="color:{colour(number)[0]}">&#9679;</span>'
        cells = (f"{spot} {number}", _escaped(group["name"]), f"{group['size']:,}", *texts)
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    more = f"<p>and {len(full) - _HTML_SHOWN} more groups</p>" if len(full) > _HTML_SHOWN else ""
    size = f"{sum(each['size'] for each in known.values()) + out:,} documents in {len(full)} groups"
    size += f", {out:,} off-topic" if out else ""
    head = "".join(f"<th>{name}</th>" for name in ("group", "name", "documents", "trust", "words", "example"))
    return f"<p>{size}</p><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{more}"


def _escaped(text: str) -> str:
    return f'<bdi dir="auto">{escape(clean(text))}</bdi>'


# --- The groups of a session's version, as a notebook shows them


class ShownVersion(Showable):
    """The groups of a version under their own numbers, without those of merged groups. Immutable."""

    def __init__(self, version: Version) -> None:
        self.version = version
        self._summary = None

    def save(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Write the version's model to a folder, with the descriptions of its groups, for `DocumentClustering.load`.

        Parameters
        ----------
        path : str or path
            The folder to create.
        replace : bool, default False
            Whether to replace a saved model at `path`.

        Raises
        ------
        InputError
            A part is not a class of Outgroup: it would need pickle.
        OutputError
            `path` cannot be written, or exists and `replace` is False or it is not a saved model.
        """
        model, summary = copy(self.version.model), self._summed()
        model._description = described([summary.groups[number] for number in self.version.numbers])
        model.save(path, replace=replace)

    def __repr__(self) -> str:
        return repr(self.version)

    def _made_of(self) -> tuple[DocumentClustering, ByNumber, Corpus]:
        documents = self.version.documents
        assert documents is not None  # a session's versions have them
        corpus = Corpus(documents.ids, documents.texts, documents.titles)
        return self.version.model, by_number(self.version), corpus


def show(version: Version) -> ShownVersion:
    """Return the groups of a session's version for a notebook.

    Parameters
    ----------
    version : Version

    Returns
    -------
    ShownVersion
        With `topics`, `documents`, `report(path)`, `map()`, `words(group)` and `save(path)`, as a fitted
        `DocumentClustering` has them; a notebook shows it as a table. Groups are under the version's numbers.

    Raises
    ------
    InputError
        `version` is not a version.

    Examples
    --------
    >>> from outgroup import DocumentClustering, show
    >>> from outgroup.decisions import Merge
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train", "roses", "red roses"]
    >>> session = DocumentClustering(n_clusters=3, random_state=0).fit(texts).session
    >>> first = session.begin()
    >>> merged = session.fit([Merge((0, 1))], start=first)
    >>> list(show(merged).topics["group"]), list(show(merged).topics["size"])
    ([0, 2], [4, 2])
    """
    if not isinstance(version, Version):
        name = type(version).__name__
        raise InputError(f"{name} is not a version of a session; a fitted DocumentClustering shows its groups itself")
    return ShownVersion(version)
