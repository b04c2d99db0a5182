"""The documents of a part in three files: a header, the bytes of all strings, and the end of each string."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..readers.corpus import Block
from ..readers.documents import Corpus, Skip
from ..storage.json_values import parse_json
from ..types import Array

_HEADER, _STRINGS, _ENDS = "documents.json", "strings.bin", "ends.npy"
_ROLES = ("ids", "titles", "texts", "labels")  # the first columns


def write_documents(folder: Path, block: Block) -> None:
    """Write the documents of a block with all fields, and the skipped items; raises OSError."""
    documents = block.documents
    others = list(dict.fromkeys(name for document in documents for name in document.columns))
    columns = [[each.id for each in documents], [each.title for each in documents], [each.whole for each in documents]]
    columns += [[each.label or "" for each in documents]]
    columns += [[each.columns.get(name, "") for each in documents] for name in others]
    ends, end = np.empty((len(columns), len(documents)), dtype=np.int64), 0
    with (folder / _STRINGS).open("wb") as file:
        for number, column in enumerate(columns):
            raw = [value.encode("utf-8", "surrogatepass") for value in column]
            ends[number] = end + np.cumsum([len(value) for value in raw])
            end += file.write(b"".join(raw))
    np.save(folder / _ENDS, ends, allow_pickle=False)
    skipped = [[each.where, each.reason, each.row, dict(each.columns)] for each in block.skipped]
    labelled = any(each.label for each in documents)
    header = {"n": len(documents), "items": block.n_items, "labelled": labelled, "columns": others, "skipped": skipped}
    (folder / _HEADER).write_text(json.dumps(header), encoding="utf-8")


@dataclass(frozen=True)
class Strings(Sequence[str]):
    """The strings of a memory-mapped file: string i ends at byte `ends[i]`, the first begins at byte `start`."""

    raw: Array
    ends: Array
    start: int

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        start = self.start if place == 0 else self.ends[place - 1]
        return self.raw[start : self.ends[place]].tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        raw, start = self.raw[self.start : self.ends[-1] if len(self) else self.start].tobytes(), 0
        for end in (self.ends - self.start).tolist():
            yield raw[start:end].decode("utf-8", "surrogatepass")
            start = end


class StoredDocuments:
    """The documents that `write_documents` wrote; raises InputError for missing or damaged files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            header = parse_json((folder / _HEADER).read_bytes())
            self.n, self.n_items, self._labelled = int(header["n"]), int(header["items"]), bool(header["labelled"])
            self.columns = [str(name) for name in header["columns"]]
            self.skipped = [Skip(*each) for each in header["skipped"]]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{folder / _HEADER} is damaged: {error}; run again without --resume") from error

    @cached_property
    def _strings(self) -> tuple[Array, Array]:
        try:
            ends = np.load(self._folder / _ENDS, allow_pickle=False)
            path = self._folder / _STRINGS
            raw = np.memmap(path, np.uint8, "r") if path.stat().st_size else np.empty(0, dtype=np.uint8)
            if ends.shape != (len(_ROLES) + len(self.columns), self.n) or len(raw) != ends.max(initial=0):
                raise ValueError("it was cut short")
        except (OSError, ValueError, EOFError) as error:
            raise InputError(f"{self._folder / _STRINGS} is damaged: {error}; run again without --resume") from error
        return raw, ends

    def _column(self, number: int) -> Strings:
        raw, ends = self._strings
        return Strings(raw, ends[number], int(ends[number - 1, -1]) if number and self.n else 0)

    @property
    def ids(self) -> Strings:
        """The ids of the documents."""
        return self._column(0)

    @property
    def texts(self) -> Strings:
        """The texts of the documents, with their titles."""
        return self._column(2)

    @property
    def rows(self) -> Array:
        """The positions of the documents among the documents and skipped documents of the part, (n,)."""
        out = [skip.row for skip in self.skipped if skip.row is not None]
        return np.delete(np.arange(self.n + len(out)), out)

    def corpus(self, rows: Array | None = None) -> Corpus:
        """Return the documents, or those at the positions `rows` without the skipped ones."""
        columns = [self._column(number) for number in range(len(_ROLES) + len(self.columns))]
        taken = [list(each) if rows is None else [each[row] for row in rows.tolist()] for each in columns]
        ids, titles, texts, labels = taken[: len(_ROLES)]
        others = dict(zip(self.columns, taken[len(_ROLES) :], strict=True))
        skipped, places = (self.skipped, self.rows.tolist()) if rows is None else ([], [])
        return Corpus(ids, texts, titles, labels if self._labelled else None, skipped, places, others)


def joined(parts: Sequence[Corpus]) -> Corpus:
    """Return the documents of several corpora, without their skipped items, as one corpus."""
    names = list(dict.fromkeys(name for each in parts for name in each.columns))
    columns = {name: [v for each in parts for v in each.columns.get(name, [""] * len(each))] for name in names}
    labels = [v for each in parts for v in each.labels or [""] * len(each)]
    ids, texts, titles = ([v for each in parts for v in getattr(each, name)] for name in ("ids", "texts", "titles"))
    return Corpus(ids, texts, titles, labels if any(labels) else None, columns=columns)
