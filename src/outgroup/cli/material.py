"""Input of a job: documents, off-topic examples, vectors, further columns, and settings of an earlier run."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np

from ..cluster.base import LIMITS, enough_rows
from ..codebook import Codebook
from ..decisions import Decision
from ..errors import InputError, counted, quoted, warn
from ..places import Address, Place
from ..readers.corpus import read_corpus, reading_of, without_roles
from ..readers.dates import FORMS, dates, holds_dates, order, periods
from ..readers.documents import Corpus, all_in_words, reasons
from ..readers.fields import name_among
from ..readers.folder import ARCHIVE, MAILBOX, MESSAGE, OF_LINES, RECORD_KINDS
from ..readers.source import PACKINGS
from ..readers.vectors import is_column, read_vectors
from ..summary.records import By
from ..summary.summarise import by_column
from ..text.embeddings import Encode, encoded, encoder_of
from ..types import Array
from .options import as_text, named_encoder
from .output import Steps
from .settings import ClusterSettings
from .tables import format_of

# --- Documents, off-topic examples, and the vectors of both

_LISTED_REASONS = 4  # reasons for skips that a warning lists
_SUFFIXES = (*PACKINGS, ARCHIVE, *RECORD_KINDS, *OF_LINES, MAILBOX, MESSAGE, ".outgroup")


@dataclass(frozen=True)
class Material:
    """Input of a job: documents and off-topic examples with their vectors, and the column for counts.

    `vectors` also has the weights of the documents, `sample_weight` (n,) or None. `frame` is the codebook that numbers
    and names the groups.
    """

    corpus: Corpus
    by: Chosen | None
    universum: list[str] | None
    vectors: dict[str, Any]
    frame: Codebook | None = None


def read(settings: ClusterSettings, frame: Codebook | None, steps: Steps) -> Material:
    """Read the input of a job with this codebook."""
    return material_of(settings, frame, documents(settings, steps), examples(settings, steps), steps)


def documents(settings: ClusterSettings, steps: Steps) -> Corpus:
    """Read the documents."""
    reading = reading_of(vars(settings))
    corpus = read_corpus(settings.docs, label=settings.label, progress=steps.of("reading"), **reading)
    check_number(settings, len(corpus))
    warn_of_few_texts(settings, corpus)
    if settings.table is not None:
        format_of(settings.table).check(len(corpus) + len(corpus.skipped))
    if len(corpus.skipped) > len(corpus):
        warn_of_unread(corpus, "documents")
    if corpus.by_place and (likely := likely_ids(corpus)):
        warn(
            "document ids are row or line numbers, which may change with the next export. Column "
            f"{likely!r} has unique values: use --id {quote(likely)}"
        )
    return corpus


def examples(settings: ClusterSettings, steps: Steps) -> Corpus | None:
    """Read the off-topic examples; None without `universum`."""
    if settings.universum is None:
        return None
    progress, reading = steps.of("reading off-topic examples"), without_roles(reading_of(vars(settings)))
    corpus = read_corpus(settings.universum, progress=progress, **reading)
    warn_of_unread(corpus)
    return corpus


def material_of(
    settings: ClusterSettings, frame: Codebook | None, corpus: Corpus, examples: Corpus | None, steps: Steps
) -> Material:
    """Return the input of a job: documents and off-topic examples with their vectors, and the column for counts."""
    by = choose(corpus, settings.by, settings.label, settings.day_first)
    vectors = {
        "sample_weight": weights_of(corpus, settings.weight),
        "embeddings": embeddings(settings, settings.embeddings, settings.docs, corpus, steps),
        "universum_embeddings": None if examples is None else of_universum(settings, examples, steps),
    }
    return Material(corpus, by, None if examples is None else examples.texts, vectors, frame)


def weights_of(corpus: Corpus, name: str) -> Array | None:
    """Return the weights in the column `name`, (n,), or None without a name; raise InputError if a weight is
    invalid.
    """
    if not name:
        return None
    name = _column(corpus.columns, name, "--weight")
    found = np.full(len(corpus), np.nan)
    for row, value in enumerate(corpus.numbers(name)):
        with suppress(ValueError):
            found[row] = float(value)
        if not 0 <= found[row] <= LIMITS.heaviest:
            where = f"{corpus.columns[name][row]!r:.60} of document {corpus.ids[row]!r:.60}"
            raise InputError(f"--weight {name!r}: {where} is not valid: give a number such as 1.5, at most 1e9")
    if not found.max() > 0:
        raise InputError(f"--weight {name!r}: all weights are 0; at least one must be positive")
    if found.max() < LIMITS.lightest:
        raise InputError(
            f"--weight {name!r}: all weights are below {LIMITS.lightest}; multiply all weights by the same large number"
        )
    return found


def warn_of_unread(corpus: Corpus, what: str = "off-topic examples") -> None:
    """Warn about skipped items, with the reasons."""
    if corpus.skipped:
        found = reasons((skip.where, skip.reason) for skip in corpus.skipped)
        why = "; ".join(reason for reason, _ in all_in_words(found)[:_LISTED_REASONS])
        more = f"; {counted(len(found) - _LISTED_REASONS, 'more reason')}" if len(found) > _LISTED_REASONS else ""
        warn(f"{len(corpus.skipped):,} of the {what} were skipped: {why}{more}")


def called(docs: Place) -> str:
    """Return the title of a collection: the name of its file or folder without known suffixes."""
    return "documents" if str(docs) == "-" else _stem(name_of(docs))


def name_of(place: Place) -> str:
    """Return the name of a file or folder as valid text."""
    return as_text(place.name if isinstance(place, Address) else os.path.basename(os.path.abspath(place)))


def _stem(name: str) -> str:
    while name.lower().endswith(_SUFFIXES):
        name = name[: name.rindex(".")]
    return name or "documents"


def folder_of(settings: ClusterSettings) -> Path:
    """Return the folder of the result; raise InputError if it is a link that --out does not name."""
    named = _named(settings)
    if settings.out is None and named.is_symlink():
        raise InputError(f"{named} is a link: remove it, or name the folder of the result with --out")
    return Path(os.path.realpath(named))


def as_given(settings: ClusterSettings) -> Path:
    """Return the path of the result folder for a command with DOCS: both paths are relative, or both absolute."""
    relative = not isinstance(settings.docs, Address) and not os.path.isabs(settings.docs)
    return _named(settings) if relative else folder_of(settings)


def _named(settings: ClusterSettings) -> Path:
    return settings.out or Path(f"{called(settings.docs)}-clusters")


# --- Embeddings
#
# An encoder is code: only the command line names one, never a file.


def embeddings(settings: Any, given: str | None, docs: Place, corpus: Corpus, steps: Steps) -> Array | None:
    """Return the vectors of a corpus, (n, p), from a file, a column or an encoder; None if none is given.

    Raises InputError for both sources at once, or for unusable vectors.
    """
    encoder = named_encoder(settings)
    if given is not None:
        return read_vectors(given, docs, corpus)
    if encoder is None:
        return None
    steps("encoding")
    with encoder_here(encoder) as encode:
        vectors: Array = encode(corpus.texts)
    return vectors


def of_universum(settings: Any, corpus: Corpus, steps: Steps) -> Array | None:
    """Return the vectors of the off-topic examples, (m, p); None if none are given. See `embeddings`.

    Raises InputError if only the documents have vectors.
    """
    given, docs = settings.universum_embeddings, settings.universum
    if given is not None and named_encoder(settings) is not None:
        raise InputError("--universum-embeddings and --encoder cannot be combined; give only one of them")
    if given is None and settings.embeddings is not None:
        if not is_column(settings.embeddings, docs):
            raise InputError(
                "the off-topic examples need embeddings, as the documents have: give --universum-embeddings FILE"
            )
        given = settings.embeddings
    return embeddings(settings, given, docs, corpus, steps)


@contextmanager
def encoder_here(encoder: str) -> Iterator[Encode]:
    """Yield the encoder; the current folder comes last on the import path, after installed packages."""
    here = str(Path.cwd())
    sys.path.append(here)
    try:
        yield partial(encoded, encoder_of(encoder))
    finally:
        sys.path.remove(here)


# --- The column to count groups by: dates or categories

_MOST_SHOWN = 20  # categories; the remaining ones are merged
_DATES = re.compile(r"(?<!candi)date|created|datum|fecha|(^|[_ ])(at|on)$")
_TIMES = re.compile(rf"{_DATES.pattern}|time|stamp|epoch|utc|zeit|(^|[_ ])ts$")  # or durations


@dataclass(frozen=True)
class Chosen:
    """The column by which groups are counted; `days` are its values if they are dates, else None."""

    column: str
    values: list[str]
    days: list[date | None] | None = None

    def count(
        self, rows: Sequence[int], at: Array, of: Array, k: int, weights: Array | None = None, weight: str = ""
    ) -> By:
        """Count the documents at the positions `rows` by the column, or add up their `weights`, named `weight`.

        The documents `at` (m,) of them count in the groups `of` (m,).
        """
        counted_by = self._by_category if self.days is None else self._by_date
        return counted_by(rows, at, of, k, weights=weights, weight=weight)

    def named(self, rows: Sequence[int]) -> list[str]:
        """Return the category or period of each document, "" if unknown."""
        if self.days is None:
            return [self.values[row].strip() for row in rows]
        _, names, numbers = periods([self.days[row] for row in rows])
        return ["" if number is None else names[number] for number in numbers]

    def _by_date(self, rows: Sequence[int], *grouped: Any, **weighted: Any) -> By:
        assert self.days is not None
        unit, names, numbers = periods([self.days[row] for row in rows])
        wrong = [self.values[row] for row in rows if self.days[row] is None and self.values[row].strip()]
        note = f"{len(wrong):,} values are not dates, such as {wrong[0]:.40}." if wrong else ""
        return replace(by_column(self.column, unit, names, numbers, *grouped, **weighted), wrong=note)

    def _by_category(self, rows: Sequence[int], *grouped: Any, **weighted: Any) -> By:
        values = [self.values[row] for row in rows]
        common = Counter(value for value in values if value.strip()).most_common()
        names = [name for name, _ in common[:_MOST_SHOWN]]
        others = len(common) - len(names)
        number = {name: min(place, _MOST_SHOWN) for place, (name, _) in enumerate(common)}
        shown = names + ([f"{others} others"] if others else [])
        return by_column(self.column, "", shown, [number.get(value) for value in values], *grouped, **weighted)


def choose(corpus: Corpus, asked: str, label: str, day_first: bool | None = None) -> Chosen | None:
    """Return the requested column; by default the only column of dates, if there is one.

    `label` is the column name of the known classes; `day_first` is the order of dates such as 1/2/2024, by default as
    the column tells, with a warning if both fit. Raises InputError for a missing column, or for values that are neither
    dates nor categories.
    """
    columns = dict(corpus.columns)
    if corpus.labels is not None:
        columns.setdefault(label, corpus.labels)
    if not asked:
        found = [(name, values) for name, values in columns.items() if holds_dates(values)]
        times = [(name, bool(_DATES.search(name.casefold()))) for name in columns if _TIMES.search(name.casefold())]
        found = found or [(name, columns[name]) for name, days in times if holds_dates(columns[name], True, days)]
        return _of_dates(*found[0], day_first) if len(found) == 1 else None
    asked = _column(columns, asked, "--by")
    return _checked(asked, columns[asked], day_first)


def _column(columns: Mapping[str, Sequence[str]], asked: str, option: str) -> str:
    """Return the name of a column; raise InputError if there is none."""
    name = name_among(columns, asked)
    if name not in columns:
        known = ", ".join(map(repr, columns)) or "none"
        raise InputError(f"{option} {name!r}: there is no such column; the columns are {known} (give '' for none)")
    return name


def _of_dates(name: str, values: list[str], day_first: bool | None) -> Chosen:
    found = order(values)
    if day_first is None and found.assumed:
        warn(f"column {name!r:.60}: {found}")
    return Chosen(name, values, dates(values, True, found.day_first if day_first is None else day_first))


def _checked(name: str, values: list[str], day_first: bool | None) -> Chosen:
    some = [value for value in values if value.strip()]
    repeated = len(some) >= 2 * len(set(some))
    # numbers of stores such as 1000000001 would also be seconds, and postal codes days of a spreadsheet
    numbers = repeated and all(value.strip().isdecimal() and len(value.strip()) in (5, 9, 10) for value in set(some))
    days = [] if numbers and not _TIMES.search(name.casefold()) else dates(some, True, day_first)
    if 2 * sum(day is not None for day in days) > len(some):
        return _of_dates(name, values, day_first)
    if not some or not repeated:  # names instead of categories
        example = f", such as {some[0]!r:.60}" if some else ""
        raise InputError(
            f"--by {name!r}: the {len(some)} values are neither dates nor categories: {len(set(some))} different "
            f"values{example}; accepted dates: {FORMS}"
        )
    return Chosen(name, values)


# --- Further columns: filters of the page, or values of an opened document


_KINDS = 200  # distinct values of a filter at most

Columns = dict[str, list[str]]


def filterable(corpus: Corpus, by: Chosen | None = None, rows: Sequence[int] | None = None) -> Columns:
    """Return the columns with 2 to 200 distinct values, except labels, and the periods or categories of `by`, for the
    documents `rows` (default: all).

    >>> filterable(Corpus(["a", "b"], ["tea", "car"], ["", ""], columns={"no.": ["1", "2"], "by": ["Ann", "Ann"]}))
    {'no.': ['1', '2']}
    """
    rows = range(len(corpus)) if rows is None else rows
    others = {name: values for name, values in corpus.columns.items() if values != corpus.labels}
    found = {name: at(values, rows) for name, values in others.items() if 1 < len(set(values)) <= _KINDS}
    return found if by is None or by.values is corpus.labels else found | {by.column: by.named(rows)}


def shown_alone(corpus: Corpus, fields: Mapping[str, Sequence[str]], rows: Sequence[int] | None = None) -> Columns:
    """Return the columns that are shown but are no filter (not in `fields`), for the documents `rows` (default: all).

    >>> corpus = Corpus(["a", "b"], ["tea", "car"], ["", ""], columns={"no.": ["1", "2"], "by": ["Ann", "Ann"]})
    >>> shown_alone(corpus, filterable(corpus)), shown_alone(corpus, {}, [1])
    ({'by': ['Ann', 'Ann']}, {'no.': ['2'], 'by': ['Ann']})
    """
    others = {name: values for name, values in corpus.columns.items() if values != corpus.labels}
    found = others if rows is None else {name: at(values, rows) for name, values in others.items()}
    return {name: values for name, values in found.items() if values != fields.get(name)}


def at(values: Sequence[str], rows: Sequence[int]) -> list[str]:
    return [values[row] for row in rows]


# --- Detection of an id column

_ID = re.compile(r"(?=[^0-9]*[0-9])[\w#/-]{1,64}")  # a number or a code; excludes amounts, times and text
_DAY = re.compile(r"[0-9]{2,4}[/-][0-9]{1,2}[/-][0-9]{1,4}")


def likely_ids(corpus: Corpus) -> str | None:
    """Return the name of the first column of at least 20 unique numbers or codes; None if there is none.

    >>> codes = [f"T-{number}" for number in range(20)]
    >>> likely_ids(Corpus(codes, codes, codes, columns={"stars": ["5"] * 20, "Ticket": codes}))
    'Ticket'
    """
    return next((name for name, values in corpus.columns.items() if _are_ids(values)), None)


def check_ids(decisions: Iterable[Decision], corpus: Corpus) -> None:
    """Raise InputError if the labelled documents are unknown as ids, but are values of another column."""
    labelled = {each for decision in decisions for each in decision.labelled}
    if not labelled.isdisjoint(corpus.ids):
        return
    for name, values in corpus.columns.items():
        if found := labelled.intersection(values):
            raise InputError(
                f"no labelled document is an id, but {quoted(sorted(found), 3)} {'are' if len(found) > 1 else 'is'} in "
                f"the column {name!r}: use --id {quote(name)}"
            )


def _are_ids(values: list[str]) -> bool:
    if len(values) < 20 or len(set(values)) < len(values):
        return False
    return all(_ID.fullmatch(value) and not _DAY.fullmatch(value) for value in values)


# --- Alternatives to a text field with too few different texts


def other_fields(settings: ClusterSettings, corpus: Corpus) -> str:
    """Return a hint with other text fields, the longest values first; "" for the default field.

    >>> some = ClusterSettings("a.csv", text="Created")
    >>> other_fields(some, Corpus(["1"], ["2024"], [""], columns={"State": ["open"], "Answer": ["Tea is late."]}))
    "the field 'Created' was read; select another one with --text: 'Answer', 'State'"
    """
    columns = {name: sum(map(len, values[:1000])) for name, values in corpus.columns.items()}
    if not columns or settings.text == ClusterSettings.text:
        return ""
    names = sorted(columns, key=lambda name: -columns[name])
    return f"the field {settings.text!r} was read; select another one with --text: {quoted(names, 5)}"


def check_number(settings: ClusterSettings, n: int) -> None:
    """Raise InputError, before they get rows, if n documents are fewer than the groups.

    Labels, earlier results, codes and definitions may ask for fewer groups than -k.
    """
    if isinstance(settings.k, int) and not (settings.labels or settings.from_ or settings.codebook or settings.steer):
        enough_rows(n, settings.k)


def warn_of_few_texts(settings: ClusterSettings, corpus: Corpus) -> None:
    """Warn if there are fewer distinct texts than groups."""
    different = len(set(corpus.texts))
    by_words = settings.embeddings is None and named_encoder(settings) is None and not settings.labels
    if by_words and isinstance(settings.k, int) and 1 < different < min(settings.k, len(corpus)):
        fault = (
            f"{len(corpus):,} documents have {counted(different, 'different text')}, too few for {settings.k} groups"
        )
        warn("; ".join(filter(None, [f"{fault}: reduce -k", other_fields(settings, corpus)])))


# --- `--redact`: a result with ids, groups and frequent words, but without texts, titles and further columns

FEWEST_TEXTS = 5
"""The number of texts in which a word of a redacted result must occur."""


def without_texts(corpus: Corpus) -> Corpus:
    """Return the corpus with only the ids and skips.

    >>> found = without_texts(Corpus(["a"], ["Tea"], ["A title"], columns={"by": ["Ann"]}))
    >>> found.ids, found.texts, found.titles, found.columns
    (['a'], [''], [''], {})
    """
    nothing = [""] * len(corpus)
    return replace(corpus, texts=nothing, titles=nothing, labels=None, columns={})


def hide_rare_forms(vectorizer: Any, texts: Iterable[str]) -> set[str]:
    """Replace each readable word form that occurs in fewer than five texts by its stem; return the other forms."""
    counted = Counter[str]()
    for text in texts:
        counted.update({*vectorizer.analyser.tally([text]).forms})
    frequent = {form for form, count in counted.items() if count >= FEWEST_TEXTS}
    vectorizer.rename(
        [
            name if frequent.issuperset(name.split(" ")) else stem
            for name, stem in zip(vectorizer.get_feature_names_out().tolist(), vectorizer.vocabulary_, strict=True)
        ]
    )
    return frequent
