"""Documents as they come become one collection: stripped, counted, with ids that differ."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from ...errors import CorpusError, InputError, OutgroupWarning
from .decode import EXAMPLES, guessed_in_words, is_known
from .documents import LARGEST_TEXTS, MOST_COLUMNS, MOST_DOCUMENTS, Corpus, Document, Skip
from .non_answers import NO_ANSWER, is_non_answer
from .size import excess
from .strip import STRIPPERS, strip_parts

_USELESS = 1_000_000  # skips, with hardly a document among them


def check(strip: Collection[str], html: str, encoding: str = "") -> None:
    """Raise InputError for parts to strip, a way with HTML, or an encoding, that nobody knows."""
    unknown = set(strip) - set(STRIPPERS)
    if unknown or isinstance(strip, str):
        raise InputError(f"cannot strip {sorted(unknown) or strip!r}: give a list of any of {', '.join(STRIPPERS)}")
    if html not in ("text", "keep"):
        raise InputError(f"html is {html!r}; give 'text' (tags are taken out of fields) or 'keep'")
    if encoding and not is_known(encoding):
        raise InputError(
            f"encoding is {encoding!r}; give one in which texts are that are no Unicode, by a name that Python knows: "
            f"{EXAMPLES}"
        )


class Gathered:
    """Documents and skips as they come, never more than fit; `corpus` says what of them the user should know."""

    def __init__(self, strip: Collection[str] = (), keep_empty: bool = False) -> None:
        self.documents: list[Document] = []
        self.skipped: list[Skip] = []
        self._strip, self._keep_empty = strip, keep_empty
        self._rows, self._row, self._size = list[int](), 0, 0

    def add(self, item: Document | Skip) -> None:
        item = item if self._keep_empty else stripped(item, self._strip)
        if isinstance(item, Skip):
            self._skip(item)
        else:
            self.documents.append(item)
            self._rows.append(self._row)
            self._size += len(item.head) + len(item.text)
            self._row += 1
        if self._size > LARGEST_TEXTS or self._row > MOST_DOCUMENTS:
            raise CorpusError(
                f"more than {MOST_DOCUMENTS:,} documents, or {LARGEST_TEXTS:,} characters in all: too many to be held "
                "in memory; the command line takes them in a stream: --memory 4G"
            )

    def _skip(self, item: Skip) -> None:
        self.skipped.append(replace(item, row=None if item.row is None else self._row))
        self._row += item.row is not None
        if len(self.skipped) >= _USELESS and len(self.documents) < len(self.skipped) // 100:
            last = self.skipped[-1]
            raise CorpusError(
                f"{len(self.skipped):,} documents were skipped, the last one {last.where!r}: {last.reason}"
            )

    def corpus(self, skipped: list[Skip] | None = None) -> Corpus:
        """Return all of them, with warnings of ids that were numbered, columns left out, and HTML taken out."""
        documents, labels = self.documents, [document.label for document in self.documents]
        for said in reading_notes(tally(documents)):
            warnings.warn(said, OutgroupWarning, stacklevel=3)
        return Corpus(
            ids=_unique([document.id for document in documents]),
            texts=[document.whole for document in documents],
            titles=_titles(documents),
            labels=None if all(label is None for label in labels) else [label or "" for label in labels],
            skipped=self.skipped if skipped is None else skipped,
            rows=self._rows,
            columns=_columns(documents),
            by_place=any(document.where.endswith(f" {document.id}") for document in documents),
        )


def tally(items: Iterable[Document | Skip]) -> Counter[str]:
    """Count the documents among what was read, and those whose text is not quite what stands in the file."""
    documents = [item for item in items if not isinstance(item, Skip)]
    html, guessed = sum(each.html for each in documents), sum(each.guessed for each in documents)
    return Counter({"texts": len(documents), "html": html, "guessed": guessed})


def reading_notes(read: Counter[str]) -> Iterator[str]:
    """Yield what a user should know of how texts were read, as `tally` counted them."""
    n, guessed = f"{read['texts']:,} texts", read["guessed"]
    if read["html"]:
        leave = "--html keep (in Python: a list of texts) leaves them in"
        yield f"HTML was found in {read['html']:,} of {n}, and its tags taken out; {leave}"
    if guessed:
        yield guessed_in_words(f"{guessed:,} of {n} {'is' if guessed == 1 else 'are'}")


def stripped(item: Document | Skip, parts: Collection[str]) -> Document | Skip:
    """Return a document without these parts of mails, or why nothing is left of it."""
    if isinstance(item, Skip):
        return item
    if item.is_blank:
        return Skip(item.where, "no text", columns=item.columns)
    if is_non_answer(item.whole):
        return Skip(item.where, NO_ANSWER, columns=item.columns)
    if too_much := excess(item.text):
        return Skip(item.where, too_much, columns=item.columns)
    if not parts:
        return item
    item = item._replace(text=strip_parts(item.text, parts))
    without = f"no text left without {', '.join(sorted(parts))}"
    return Skip(item.where, without, columns=item.columns) if item.is_blank else item


def _columns(documents: list[Document]) -> dict[str, list[str]]:
    """Return the other fields, each with a value for every document; of too many, the first ones, with a warning."""
    names = list(dict.fromkeys(name for document in documents for name in document.columns))
    if len(names) > MOST_COLUMNS:
        last = names[MOST_COLUMNS - 1]
        said = f"{len(names)} columns beside the text: the first {MOST_COLUMNS} are kept, up to {last!r}"
        warnings.warn(said, OutgroupWarning, stacklevel=4)
    return {name: [document.columns.get(name, "") for document in documents] for name in names[:MOST_COLUMNS]}


def _titles(documents: list[Document]) -> list[str]:
    """Return the titles; files of one name in several folders are told apart by their paths."""
    often = Counter(document.title for document in documents)
    return [
        document.id if often[document.title] > 1 and document.id.endswith(f"/{document.title}") else document.title
        for document in documents
    ]


def _unique(ids: list[str]) -> list[str]:
    """Return the ids with a number behind each that occurred before."""
    taken, seen, unique = set(ids), dict[str, int](), []
    for identity in ids:
        count = seen[identity] = seen.get(identity, 0) + 1
        new = identity
        while count > 1 and new in taken:
            new, count = f"{identity}#{count}", count + 1
        taken.add(new)
        unique.append(new)
    again = [identity for identity, count in seen.items() if count > 1]
    if again:
        shown = ", ".join(map(repr, again[:3])) + (" ..." if len(again) > 3 else "")
        said = (
            "1 id occurs more than once and was"
            if len(again) == 1
            else f"{len(again)} ids occur more than once and were"
        )
        warnings.warn(f"{said} numbered: {shown}", OutgroupWarning, stacklevel=4)
    return unique
