"""New documents into the groups of an earlier result, a block at a time."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, TextIO

from ...model import DocumentClustering
from ...session.assess import judge
from ...session.by_number import at_numbers
from ...storage.atomic import restore
from ...text.reading.blocks import read_blocks
from ..assign import as_clustered, model_in, names_of, numbers_of
from ..jobs import on
from ..later_settings import AssignSettings
from ..material import READ
from ..progress import Steps
from ..result import RESULT
from .reading import fields_of, strip_of
from .results import Judged, telling_of_doubles, write_csv

_USUAL: dict[str, Any] = {
    "text": "text", "id": "id", "title": "title", "no_title": False, "html": "text", "strip": "",
}  # fmt: skip


def assign(settings: AssignSettings, steps: Steps, file: TextIO) -> None:
    """Write a row for each document of a collection that is read in a stream: its group, and the verdict.

    Raises OutgroupError for whatever cannot be used or read.
    """
    restore(settings.model, RESULT)
    folder = model_in(settings.model)
    model = DocumentClustering.load(folder)
    with on(settings.threads):
        write_csv(file, telling_of_doubles(_judged(settings, model, steps)), names_of(folder, model))


def _judged(settings: AssignSettings, model: DocumentClustering, steps: Steps) -> Iterator[Judged]:
    folder = model_in(settings.model)
    numbers, before = numbers_of(folder), as_clustered(folder)
    own = {name: value for name in READ if (value := getattr(settings, name)) is not None}
    said = SimpleNamespace(**_USUAL | before | own)
    steps("assigning")

    def heard(share: float | None) -> None:
        steps("assigning", 0 if share is None else round(100 * share), None if share is None else 100)

    for block in read_blocks(settings.docs, fields_of(said), strip=strip_of(said), heard=heard):
        verdicts = judge(model, *model.represent([document.whole for document in block.documents]))
        ids, titles = ([getattr(document, name) for document in block.documents] for name in ("id", "title"))
        yield Judged(ids, titles, block.skipped, at_numbers(verdicts, numbers))
