"""Assign new documents to the groups of an earlier result in blocks, locally or on a cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TextIO

import numpy as np

from ..cli.assign import as_clustered, codes_of, loaded, model_in, names_of
from ..cli.cluster import on
from ..cli.output import Steps
from ..cli.result import RESULT
from ..cli.settings import AssignSettings, ClusterSettings
from ..places import Place
from ..readers.corpus import READ, Block, is_empty, mail_parts, none_read, read_blocks
from ..readers.documents import Skip
from ..readers.fields import Fields
from ..readers.ranges import require_any
from ..rows.threads import one_thread
from ..session.version import NO_VERDICTS, judge_new
from ..storage.atomic import restore
from ..summary.partition import at_numbers
from ..types import Array
from .counting import fields_of
from .results import JudgedBlock, digests, warn_of_duplicates, write_csv
from .workers import Part, blocks_of, collected_notes, from_workers, naming, parts_of, warn_of_notes

_USUAL: dict[str, Any] = {name: getattr(ClusterSettings, name) for name in READ}


@dataclass(frozen=True)
class Assigner:
    """The folder of a model, and reading options; small enough to send with every task."""

    folder: Path
    fields: Fields
    strip: tuple[str, ...]

    @classmethod
    def of(cls, settings: AssignSettings) -> Assigner:
        """Combine the given options with those stored with the groups."""
        folder = model_in(settings.model)
        own = {name: value for name in READ if (value := getattr(settings, name)) is not None}
        options = SimpleNamespace(**_USUAL | as_clustered(folder) | own)
        return cls(folder.resolve(), fields_of(options), tuple(mail_parts(options.strip)))

    def judged(self, blocks: Iterable[Block], seen: list[Array], skipped: list[Skip]) -> Iterator[JudgedBlock]:
        """Yield each block of documents with verdicts; add the digests of its ids, and its skipped items, to lists."""
        model = loaded(self.folder)
        codes = codes_of(self.folder, model)
        for block in blocks:
            texts = [document.whole for document in block.documents]
            verdicts = judge_new(model, *model.represent(texts)) if texts else NO_VERDICTS
            ids, titles = ([getattr(document, name) for document in block.documents] for name in ("id", "title"))
            seen.append(digests(ids))
            skipped += block.skipped
            yield JudgedBlock(ids, titles, block.skipped, at_numbers(verdicts, model.numbers_.tolist()), codes=codes)

    @property
    def names(self) -> list[str]:
        """The names of the groups."""
        return names_of(self.folder, loaded(self.folder))


def assign(settings: AssignSettings, steps: Steps, file: TextIO) -> Counter[str]:
    """Write a row with group and verdict for each document of a stream.

    Returns the number of documents by group. Raises OutgroupError for invalid options or unreadable input.
    """
    restore(settings.model, RESULT)
    assigner = Assigner.of(settings)
    share = steps.share_of("assigning")
    if settings.cluster is not None:
        return _by_workers(settings, assigner, steps, file)
    blocks = _read(settings.docs, read_blocks(settings.docs, assigner.fields, strip=assigner.strip, on_share=share))
    seen = list[Array]()
    with on(settings.threads):
        groups = write_csv(file, assigner.judged(blocks, seen, []), assigner.names)
    warn_of_duplicates(seen)
    return groups


def _read(docs: Place, blocks: Iterator[Block]) -> Iterator[Block]:
    """Yield the blocks; raise CorpusError if no document was readable."""
    before = list[Block]()
    for block in blocks:
        before.append(block)
        if block.documents:
            break
    if before and not before[-1].documents:
        _check_read(docs, [skip for each in before for skip in each.skipped])
    yield from before
    yield from blocks


def _check_read(docs: Place, skipped: list[Skip]) -> None:
    """Raise CorpusError if an input has no documents, unless it is empty."""
    if not is_empty(skipped):
        raise none_read(docs, skipped)


def _by_workers(settings: AssignSettings, assigner: Assigner, steps: Steps, file: TextIO) -> Counter[str]:
    """Assign each part on a worker; write the rows in the order of the parts."""
    from ..rows.connect import connected

    parts, done = parts_of(settings.docs), list[AssignedPart]()
    with connected(str(settings.cluster)) as client:
        tasks = [(assigner, part, number == 0) for number, part in enumerate(parts)]
        for number, found in enumerate(from_workers(client, lines_of, tasks), start=1):
            file.write(found.lines)
            done.append(replace(found, lines=""))
            steps("assigning", number, len(parts))
    require_any([each.lacking for each in done], assigner.fields, parts[0])
    if not any(len(each.ids) for each in done):
        _check_read(settings.docs, [skip for each in done for skip in each.left_out])
    warn_of_duplicates([each.ids for each in done])
    warn_of_notes({part: each.notes for part, each in zip(parts, done, strict=True)})
    return sum((each.groups for each in done), Counter())


@dataclass(frozen=True)
class AssignedPart:
    """A worker's output for a part: id digests, CSV lines, documents by group, missing fields, notes, skipped items."""

    ids: Array
    lines: str
    groups: Counter[str]
    lacking: list[str] | None
    notes: list[str]
    left_out: list[Skip]


@one_thread()
def lines_of(assigner: Assigner, part: Part, header: bool) -> AssignedPart:
    """Assign the documents of a part; return CSV lines and counts."""
    file, seen, skipped = StringIO(newline=""), list[Array](), list[Skip]()
    with naming(part), collected_notes() as notes:
        blocks, lacking = blocks_of(part, assigner.fields, assigner.strip)
        groups = write_csv(file, assigner.judged(blocks, seen, skipped), assigner.names, header=header)
    ids = np.concatenate([*seen, np.empty(0, dtype=np.int64)])
    return AssignedPart(ids, file.getvalue(), groups, lacking, notes, [] if len(ids) else skipped)
