"""The groups of a model or a version in a notebook: tables and a page."""

from __future__ import annotations

import csv
import io
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from dataclasses import replace as with_fields
from functools import cached_property
from html import escape
from importlib import import_module
from importlib.util import find_spec
from itertools import islice, repeat
from pathlib import Path
from typing import Any

import numpy as np

from ..cluster.base import checked_weights, is_count
from ..codebook import numbers_of
from ..document_clustering import DocumentClustering
from ..errors import InputError
from ..pipeline import rows_of
from ..readers.dates import dates, periods
from ..readers.documents import Corpus
from ..report.clean import clean, harmless
from ..report.facts import Group, Summary, own_code
from ..report.html import render
from ..report.palette import colour
from ..report.summary import described
from ..report.words import pulled_out
from ..session import Version
from ..session.reporting import (
    ByNumber,
    by_number,
    groups_of,
    pockets_of,
    probability_of,
    shown_by,
    summary_of,
    trust_of,
)
from ..storage.atomic import new_file
from ..text.collection import LABELLED_AWAY
from ..text.representation import Spaces
from ..text.tables import Form
from ..text.texts import is_missing
from ..types import Array

# --- Tables: a DataFrame of an available library, or a `Table`

_LIBRARIES = ("pandas", "polars")
_SHOWN, _WIDEST = 30, 40  # printed rows, and letters of a cell


def table(columns: Mapping[str, Sequence[Any]], form: Form) -> Any:
    """Return columns as a DataFrame of the library of `form`, else of an imported or installed library, else a
    `Table`.
    """
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

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries."""
        return list(self)

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Write the table as CSV in UTF-8; without a path, return it.

        An apostrophe precedes each text that a spreadsheet would evaluate as a formula.

        >>> Table({"name": ["tea"], "size": [2]}).to_csv()
        'name,size\\r\\ntea,2\\r\\n'
        """
        file = io.StringIO(newline="")
        writer = csv.writer(file)
        writer.writerow(self.columns)
        rows = zip(*self._columns.values(), strict=True)
        writer.writerows([harmless(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
        if path is None:
            return file.getvalue()
        Path(path).write_text(file.getvalue(), encoding="utf-8", newline="")
        return None

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
    """Return group descriptions, given by number, as a table, the largest group first."""
    order = sorted(known, key=lambda number: (-known[number]["size"], number))
    whole = max(sum(each["size"] for each in known.values()), 1)
    full = [known[number] for number in order]
    return table(
        {
            "group": order,
            "code": [known[number].get("code", own_code(number)) for number in order],
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


def documents_of(summary: Summary, shown: ByNumber, corpus: Corpus, why: Mapping[int, str]) -> dict[str, list[Any]]:
    """Return the columns of the document table; `why` gives the reason for each skipped document, by position."""
    found, place = summary.documents, np.cumsum(shown.rows) - 1
    names, codes = ([getattr(group, name) for group in summary.groups] for name in ("name", "code"))
    rows = [int(place[row]) if shown.rows[row] else None for row in range(len(corpus))]
    groups = [-1 if row is None else int(found.group[row]) for row in rows]
    verdicts = shown.verdicts
    thrown = [False] * len(rows) if verdicts.away is None else verdicts.away.tolist()
    unlike = [out or None for out in thrown] if verdicts.off_topic is None else verdicts.off_topic.tolist()
    return {
        "id": list(corpus.ids),
        "title": list(corpus.titles),
        "group": groups,
        "code": [codes[g] if g >= 0 else -1 for g in groups],
        "name": [names[g] if g >= 0 else LABELLED_AWAY * out for g, out in zip(groups, thrown, strict=True)],
        "margin": [float("nan") if row is None else float(found.margin[row]) for row in rows],
        "off_topic_score": verdicts.off_topic_score.tolist(),
        "off_topic": unlike,
        "second": [-1 if row is None else int(found.rival[row]) for row in rows],
        "skipped": [why.get(number, "") for number in range(len(rows))],
    }


# --- The groups of a fitted model or of a version, with their documents


class GroupView:
    """The groups of a version or a fitted model, with documents: tables and a page.

    Computes the arrays and the summary once. The methods are those of `outgroup.DocumentClustering`; groups are given
    by number.
    """

    def __init__(self, model: DocumentClustering, corpus: Corpus, form: Form, version: Version | None = None) -> None:
        self.model, self.corpus, self.form, self.version = model, corpus, form, version

    @cached_property
    def shown(self) -> ByNumber:
        """The arrays by group number."""
        return shown_by(self.model, self.corpus.texts) if self.version is None else by_number(self.version)

    @cached_property
    def summary(self) -> Summary:
        """The summary, with the trust in each group."""
        trust = trust_of(self.model, self.shown).to_dict()
        found = summary_of(
            self.corpus, self.model, self.shown, duplicates=self.corpus.duplicates(), trust=trust, run={"title": ""}
        )
        return with_fields(found, groups=self._coded(found.groups))

    @property
    def groups(self) -> list[Group]:
        """The groups by number, including empty numbers left by merges; with trust after the summary was computed."""
        return self.summary.groups if "summary" in vars(self) else self._groups

    @cached_property
    def _groups(self) -> list[Group]:
        return self._coded(groups_of(self.corpus, self.model, self.shown))

    def _coded(self, groups: Sequence[Group]) -> list[Group]:
        """Return the groups with the numbers of their codes."""
        codes = numbers_of({group.number: group.name for group in groups if not group.gone}, self.model._codes)
        return [with_fields(group, code=codes.get(group.number)) for group in groups]

    @property
    def called(self) -> dict[int, str]:
        """The automatic names by number, if they are computed."""
        names = self.model.names_ or [None] * len(self.model.numbers_)
        known = {"summary", "_groups"} & {*vars(self)}
        return {group.number: group.name for group in self.groups if names[group.number] is None} if known else {}

    def described(self) -> list[dict[str, Any]]:
        """Return the description of each group, in the order of the model's numbers."""
        groups = self.groups
        return described([groups[number] for number in self.model.numbers_.tolist()])

    @property
    def topics(self) -> Any:
        """The groups as a table."""
        return topics_of(self._known()[0], self.form)

    @property
    def documents(self) -> Any:
        """The documents as a table."""
        return self.documents_with(*(("outlier", "outlier_score") if self.model.outliers == "flag" else ()))

    @property
    def pockets(self) -> Any:
        """The pockets as a table."""
        found = pockets_of(self.corpus, self.model, np.inf)
        return self._table(
            {
                "size": [len(each.documents) for each in found],
                "words": [", ".join(each.words) for each in found],
                "examples": [each.examples for each in found],
                "documents": [each.documents for each in found],
            }
        )

    def documents_with(self, *columns: str) -> Any:
        """Return the documents as a table, with further columns."""
        why = {row: reason for row, reason in self.model.skipped_ if not self.shown.rows[row]}
        own = documents_of(self.summary, self.shown, self.corpus, why)
        return table(own | {name: self._further(name, own) for name in columns}, self.form)

    def _further(self, name: str, own: Mapping[str, Sequence[Any]]) -> Any:
        """Return a column by name: the texts, a figure of the model, or a field of the records."""
        model = self.model
        if not isinstance(name, str):
            raise InputError(f"a column of type {type(name).__name__} is not valid: give its name")
        if name in self.corpus.columns:
            return self.corpus.field(name)
        if name == "text":
            return self.corpus.texts
        if name == "probability":
            return probability_of(model, np.array(own["group"])).tolist()
        if name == "second_probability":
            second = np.array(own["second"])
            return np.where(second < 0, np.nan, probability_of(model, second)).tolist()
        if name == "outlier":
            return model.outliers_.tolist()
        if name == "outlier_score":
            return model.outlier_score_.tolist()
        count = name.removeprefix("level_")
        if name != count and count.isdecimal():
            return model.levels((int(count),))[0].tolist()
        return self.corpus.field(name)

    def words(self, group: int, *, most: int = 20) -> Any:
        """Return a group's first words with weights, as a table."""
        each = {each.number: each for each in self.groups if not each.gone}.get(group)
        if each is None:
            raise InputError(f"there is no group {group}: `topics` lists the groups")
        words = each.words[:most]
        return self._table({"word": [word for word, _ in words], "weight": [float(weight) for _, weight in words]})

    def representatives(self, group: int, n: int = 5) -> Any:
        """Return the documents nearest to a group's centre, as a table."""
        rows, cosines = self._nearest(self._centre(group), n, group)
        return self._table(
            {
                "id": [self.corpus.ids[row] for row in rows],
                "title": [self.corpus.titles[row] for row in rows],
                "text": [self.corpus.texts[row] for row in rows],
                "similarity": cosines,
            }
        )

    def find(self, text: str, n: int = 5, embeddings: Any = None) -> Any:
        """Return the groups and documents nearest to a text, as a table."""
        if not isinstance(text, str):
            raise InputError(f"find expects a single text, not {type(text).__name__}: give a string, such as texts[3]")
        spaces, known = self.model.represent([text], embeddings=embeddings)
        query = _dense(spaces.space).ravel() if known[0] else np.zeros(self.model.spaces_.space.shape[1])
        rows, cosines = self._nearest(query, n)
        numbers = self.model.numbers_
        near = np.array([self._centre(number) @ query for number in numbers.tolist()])
        first = [place for place in np.argsort(-near, kind="stable")[:n].tolist() if near[place] > 0]
        labels = [int(self.model.labels_[row]) for row in rows]
        every = [*numbers[first].tolist(), *labels]
        return self._table(
            {
                "kind": ["group"] * len(first) + ["document"] * len(rows),
                "group": every,
                "name": self._names(every),
                "id": [""] * len(first) + [self.corpus.ids[row] for row in rows],
                "title": [""] * len(first) + [self.corpus.titles[row] for row in rows],
                "similarity": [*near[first].tolist(), *cosines],
            }
        )

    def over_time(self, given: Any) -> Any:
        """Count the documents of each group by period, as a table."""
        values = self._values(given, "dates")
        days = dates(values, years=True)
        if not any(days):
            example = next((value for value in values if value.strip()), "")
            raise InputError(f"no date is valid, for example {example!r:.60}: give dates such as 2024-05-31")
        _, names, places = periods(days)
        return self._counted("period", names, places)

    def by(self, given: Any, *, weights: Any = None) -> Any:
        """Count the documents of each group by the values of a column, as a table."""
        values = self._values(given, "values")
        names = [value for value, _ in Counter(values).most_common()]
        place = {name: number for number, name in enumerate(names)}
        w = None if weights is None else self._weights(weights)
        return self._counted("value", names, [place[value] for value in values], w)

    def report(self, path: str | os.PathLike[str], *, title: str = "", replace: bool = False) -> Path:
        """Write the page of the groups."""
        page = render(with_fields(self.summary, run=self.summary.run | {"title": title}))
        with new_file(path, replace=replace) as file:
            file.write(page)
        return Path(path)

    def _repr_html_(self) -> str:
        return groups_html(*self._known())

    def _known(self) -> tuple[dict[int, dict[str, Any]], int]:
        """Return the description of each group, by number, and the number of documents in no group."""
        groups = [group for group in self.summary.groups if not group.gone]
        known = dict(zip((group.number for group in groups), described(groups), strict=True))
        return known, int(np.count_nonzero(self.summary.documents.group < 0))

    def _names(self, numbers: Sequence[int]) -> list[str]:
        """Return the names of group numbers; "" for -1."""
        return [self.groups[number].name if number >= 0 else "" for number in numbers]

    def _table(self, columns: Mapping[str, Sequence[Any]]) -> Any:
        return table(columns, Form(self.form.library))

    def _values(self, given: Any, what: str) -> list[str]:
        """Return a text for each document, from a field of the records or given values; "" if missing."""
        if isinstance(given, str):
            return self.corpus.field(given)
        if not isinstance(given, Iterable):
            raise InputError(
                f"{type(given).__name__} is not valid: give a field name of the records, or a list of {what}"
            )
        found = ["" if is_missing(each) else str(each) for each in given]
        if len(found) != len(self.corpus):
            raise InputError(f"there are {len(found)} {what} for {len(self.corpus)} documents: give one for each")
        return found

    def _weights(self, given: Any) -> list[float]:
        """Return the weight of each document, (n,), from a field of the records or given numbers."""
        found = checked_weights(self.corpus.field(given) if isinstance(given, str) else given, len(self.corpus))
        return list(found.tolist())

    def _counted(
        self,
        column: str,
        names: list[str],
        places: Sequence[int | None],
        weights: list[float] | None = None,
    ) -> Any:
        """Count the documents by value `names[places]` and group, as a table."""
        numbers = sorted(self.model.numbers_.tolist()) + [-1] * bool((self.model.labels_ < 0).any())
        counts = Counter(zip(places, self.model.labels_.tolist(), strict=True))
        rows = [(place, number, counts[place, number]) for place in range(len(names)) for number in numbers]
        sums: dict[tuple[int | None, int], float] = defaultdict(float)
        for place, label, w in zip(places, self.model.labels_.tolist(), weights or repeat(1), strict=False):
            sums[place, label] += w
        whole = {place: sum(sums[place, number] for number in numbers) for place in range(len(names))}
        found = {
            column: [names[place] for place, _, _ in rows],
            "group": [number for _, number, _ in rows],
            "name": self._names([number for _, number, _ in rows]),
            "documents": [count for _, _, count in rows],
        }
        if weights is not None:
            found["weight"] = [round(sums[place, number], 6) for place, number, _ in rows]
        shares = [sums[place, number] / whole[place] if whole[place] else 0.0 for place, number, _ in rows]
        return self._table(found | {"share": [round(share, 6) for share in shares]})

    def _centre(self, group: int) -> Array:
        """Return the mean row of a group, of unit length, (d,); zeros if the group is empty."""
        rows = self.model.spaces_.space[self.model.labels_[self.model.kept_] == group]
        mean = np.asarray(rows.mean(axis=0)).ravel() if rows.shape[0] else np.zeros(rows.shape[1])
        return np.asarray(mean / max(float(np.linalg.norm(mean)), np.finfo(float).tiny))

    def _nearest(self, row: Array, n: int, group: int | None = None) -> tuple[list[int], list[float]]:
        """Return the positions and cosines of the `n` documents nearest to a unit row, in a group or in all."""
        if not is_count(n):
            raise InputError(f"n={n!r:.60} is not valid: give the number of documents, such as 5")
        inside = np.flatnonzero(self.model.kept_)
        cosines = np.asarray(self.model.spaces_.space @ row, dtype=float).ravel()
        allowed = cosines > 0 if group is None else self.model.labels_[inside] == group
        places = np.flatnonzero(allowed)
        best = places[np.argsort(-cosines[places], kind="stable")[:n]]
        return inside[best].tolist(), cosines[best].tolist()


def _dense(rows: Any) -> Array:
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows)


# --- Groups as an HTML table; text of documents is escaped

_HTML_SHOWN = 50


def groups_html(known: Mapping[int, Mapping[str, Any]], out: int) -> str:
    """Return group descriptions as an HTML table; `out` documents are off-topic."""
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


class ShownVersion(GroupView):
    """The groups of a version under their own numbers, without merged groups; immutable."""

    version: Version

    def __init__(self, version: Version) -> None:
        documents = version.documents
        assert documents is not None  # a session's versions have them
        super().__init__(version.model, Corpus(documents.ids, documents.texts, documents.titles), Form(), version)

    def save(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Write the version's model and group descriptions to a folder, for `DocumentClustering.load`.

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
        model = copy(self.model)
        model._description = described([self.summary.groups[number] for number in self.version.numbers])
        model.save(path, replace=replace)

    def __repr__(self) -> str:
        return repr(self.version)


def show(version: Version) -> ShownVersion:
    """Return the groups of a session's version for a notebook.

    Parameters
    ----------
    version : Version

    Returns
    -------
    ShownVersion
        With `topics`, `documents`, `documents_with("text")`, `words(group)`, `representatives(group)`, `find(text)`,
        `over_time(dates)`, `by(values)`, `report(path)`, `map()` and `save(path)`, as a fitted `DocumentClustering` has
        them; a notebook shows it as a table. Groups are under the version's numbers. It keeps what it computes, and
        each call for the same version returns the same object.

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
        raise InputError(f"{name} is not a version of a session; for a fitted DocumentClustering, use its own methods")
    found: ShownVersion = vars(version).setdefault("_shown", None) or ShownVersion(version)
    vars(version)["_shown"] = found  # keep its summary for the next call
    return found


# --- The explanation of a group: its words, the second best group, and the nearest documents

_REASONS = 8  # words of an explanation


@dataclass(frozen=True)
class Explanation:
    """The explanation of a prediction: `group` (-1 for none), `second` best group, `margin`, `words` with
    contributions, `nearest` documents.

    `off_topic` is True above the off-topic threshold, None without one. For an off-topic text, `group` is the nearest
    one, and `words` are those with the largest contributions to the rejection.
    """

    group: int
    name: str
    second: int | None
    margin: float
    off_topic_score: float | None
    words: list[tuple[str, float]]
    nearest: list[str]
    off_topic: bool | None = None

    def __str__(self) -> str:
        """Return the explanation in a few lines."""
        if self.group < 0:
            return f"in no group: {self.name or 'no word of it is known, or its embedding is zero'}"
        behind = "" if self.second is None else f", ahead of group {self.second} by {self.margin:.3g}"
        words = ", ".join(f"{word} +{value:.2g}" for word, value in self.words)
        called = f"group {self.group}" + (f" ({self.name})" if self.name != f"group {self.group}" else "")
        place = f"{'off-topic; nearest to ' if self.off_topic else ''}{called}"
        like = f"\nlike: {', '.join(self.nearest)}" if self.nearest else ""
        return f"{place}{behind}\nwords: {words or 'none'}{like}"


def explain(model: DocumentClustering, names: Sequence[str], text: str, embeddings: Any = None) -> Explanation:
    """Explain a model's prediction for a text; `names` are the group names."""
    spaces, kept = model.represent([text], embeddings=embeddings)
    if not kept[0]:
        return Explanation(-1, "", None, float("nan"), None, [], [])
    return _explained(model, names, spaces)


def explain_row(model: DocumentClustering, names: Sequence[str], row: int) -> Explanation:
    """Explain the group of document `row` of the fit."""
    if not model.kept_[row]:
        return Explanation(-1, dict(model.skipped_)[row], None, float("nan"), None, [], [])
    spaces = model.spaces_.take(np.array([np.count_nonzero(model.kept_[:row])]))
    return _explained(model, names, spaces, row)


def _explained(model: DocumentClustering, names: Sequence[str], spaces: Spaces, row: int | None = None) -> Explanation:
    """Explain the only document in `spaces`; `row` is its row in the fit, or None for a new document."""
    X, numbers, groups = rows_of(spaces, model.clusterer_), model.numbers_.tolist(), model.clusterer_
    scores = np.asarray(groups.decision_function(X))[0]
    order = np.argsort(-scores, kind="stable").tolist()
    label = -1 if row is None else int(model.labels_[row])
    group = numbers.index(label) if label >= 0 else order[0]
    second = next((place for place in order if place != group), None)
    margin = float(scores[group] - (0.0 if second is None else scores[second]))
    rejects = getattr(groups, "reject_coef_", None) is not None
    off = float(groups.off_topic_score(X)[0]) if rejects else None
    away = None if off is None else off > groups.off_topic_["value"]
    if away and getattr(groups, "set_aside", False):  # a label keeps its document in the group
        away = label < 0 and off > groups._aside_above
    words = _why_not(model, spaces.words) if away else _why(model, spaces.words, group, second)
    like = _like(model, spaces.space, numbers[group], row)
    return Explanation(
        numbers[group], names[group], None if second is None else numbers[second], margin, off, words, like, away
    )


def _why(model: DocumentClustering, words: Any, group: int, second: int | None) -> list[tuple[str, float]]:
    """Return the words that contribute most to the margin between a group and the second best."""
    coef = model.word_coef_
    against = np.zeros_like(coef[group]) if second is None else coef[second]
    names = model.representation_.names
    return pulled_out(words, np.vstack([against, coef[group]]), np.zeros(2), 1, names, _REASONS)[0]


def _why_not(model: DocumentClustering, words: Any) -> list[tuple[str, float]]:
    """Return the words that contribute most to the off-topic score."""
    assert model.word_reject_ is not None
    names = model.representation_.names
    return pulled_out(words, *model.word_reject_, len(model.word_coef_), names, _REASONS)[0]


def _like(model: DocumentClustering, space: Any, group: int, row: int | None) -> list[str]:
    """Return the ids of a group's documents nearest to a row, except document `row`; [] for a loaded model."""
    if not hasattr(model, "spaces_"):
        return []
    inside = np.flatnonzero(model.kept_)
    members = np.flatnonzero((model.labels_[inside] == group) & (inside != (-1 if row is None else row)))
    cosines = model.spaces_.space[members] @ np.asarray(space.toarray() if hasattr(space, "toarray") else space)[0]
    best = members[np.argsort(-cosines, kind="stable")[:3]]
    return [model.ids_[each] for each in inside[best].tolist()]
