"""What became of the seeds, as frozen dataclasses of plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class SeedDocument:
    """A labelled document: the group it was labelled for, and the one where it `ended`."""

    id: str
    group: int
    ended: int


@dataclass(frozen=True)
class SeedWord:
    """A labelled word: its `weight` in its group's direction, as a share of the largest there, its place among that
    group's words (1 is first), in how many documents it occurs, and how many of those ended in the group."""

    word: str
    group: int
    weight: float
    place: int
    documents: int
    ended: int


@dataclass(frozen=True)
class Receipt:
    """What became of the seeds. Made by `receipt`, told by `receipt_lines`.

    `changed` of `n_documents` documents are in another group than without seeds, with groups matched one to one; None
    where there was no such run. `objective` and `objective_without` are in the terms of the method without seeds.
    """

    names: list[str]
    documents: list[SeedDocument]
    words: list[SeedWord]
    contradictions: list[str]
    n_documents: int
    changed: int | None
    objective: float | None
    objective_without: float | None

    @property
    def honoured(self) -> int:
        """How many labelled documents ended in their group."""
        return sum(each.ended == each.group for each in self.documents)

    def to_dict(self) -> dict[str, Any]:
        """Return the receipt as nested dicts and lists, ready for JSON."""
        return {"honoured": self.honoured, **asdict(self)}
