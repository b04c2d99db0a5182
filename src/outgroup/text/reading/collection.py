"""A collection of documents in memory: what reading gives, in the order of its input."""

from __future__ import annotations

from dataclasses import dataclass, field

from .documents import Skip


@dataclass(frozen=True)
class Corpus:
    """Documents, in the order of the input.

    Parameters
    ----------
    ids : list of str
        Unique.
    texts : list of str
        None is blank; lines end with a line feed.
    titles : list of str
        Empty where a document has none.
    labels : list of str or None
        The documents' classes, "" where one has none; None where no document has one.
    skipped : list of Skip
        What was left out, and why.
    rows : list of int
        The number of each document among all of the input, from 0: those that were skipped count, too. Rows of
        embeddings that somebody made for the whole input are found by it. By default 0, 1, 2 ...
    columns : dict of str to list of str
        All other fields of the records, a value for each document, "" where it has none.

    Examples
    --------
    >>> corpus = Corpus(["a", "b", "c"], ["Tea", "Milk", "Tea"], ["", "", ""])
    >>> len(corpus), corpus.duplicates()
    (3, [['a', 'c']])
    """

    ids: list[str]
    texts: list[str]
    titles: list[str]
    labels: list[str] | None = None
    skipped: list[Skip] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    columns: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.rows:
            object.__setattr__(self, "rows", list(range(len(self.ids))))

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def n_input(self) -> int:
        """How many documents the input has, those that were skipped included; `rows` are below it."""
        return len(self.rows) + sum(skip.row is not None for skip in self.skipped)

    def duplicates(self) -> list[list[str]]:
        """Return the ids of documents whose texts are exactly equal, a list for each such text, in order."""
        same: dict[str, list[str]] = {}
        for identity, text in zip(self.ids, self.texts, strict=True):
            same.setdefault(text, []).append(identity)
        return [ids for ids in same.values() if len(ids) > 1]

    def body(self, number: int) -> str:
        r"""Return the text of a document without the title that was joined to it, unless there is nothing else.

        Examples
        --------
        >>> Corpus(["a", "b"], ["Tea\n\nBoil water.", "Milk"], ["Tea", "Milk"]).body(0)
        'Boil water.'
        """
        text, title = self.texts[number], self.titles[number]
        rest = text.removeprefix(title)
        return rest.lstrip("\n") if title and rest[:1] == "\n" and rest.strip() else text
