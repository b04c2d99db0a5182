"""The job of a collection larger than memory: texts to counts, counts to rows, folds over these, a result in parts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...cluster.profile import Profile, k_profile
from ...errors import InputError, OutgroupWarning
from ...rows.journal import JournalRows
from ...rows.sample import MOST_SAMPLED
from ...rows.shards import DamagedError
from ...steering.seed_arrays import Placed, place
from ...steering.seeds import Seeds, read_seeds
from ...storage.atomic import new_folder
from ...storage.stage import stage
from ...text.collection import LABELLED_AWAY
from ...text.reading.blocks import read_blocks
from ...text.words.guess_language import LOOKED_AT
from ...text.words.segment import warn_of_pairs
from ...text.words.vectorize import Vectorizer
from ..clusterers import clusterer_of
from ..inputs import examples
from ..jobs import on, out_folder
from ..library_versions import versions
from ..progress import Steps
from ..result import RESULT, Outcome
from ..settings.large import LargeSettings
from ..words import vectorizer, warn_of_languages
from .choice import checks_trust, most_groups, needed
from .counting import Blocks, Input, Ranges, count_texts, ranges_of
from .kept import KeptBlocks
from .material import StreamMaterial
from .outcome import write
from .reading import fields_of, identity, strip_of
from .results import check as check_table
from .results import table_of
from .weighing import weigh_counts, weighed

_OF_A_GROUP = 4  # documents, at least, that choose a number of groups


def cluster(settings: LargeSettings, steps: Steps) -> tuple[Outcome, Path]:
    """Find the groups of a collection that is read in a stream, and write the result's folder; returns both.

    Raises OutgroupError for whatever cannot be used, read or written.
    """
    words, target = _ready(settings)
    about = _about(settings)
    workers = nullcontext() if settings.cluster is None else _connected(settings.cluster)
    with (
        workers as client,
        stage(target, about, resume=settings.resume) as work,
        _anew(),
        on(settings.threads),
        _forgetting(client, work),
    ):
        _warn_of_limits(settings, work)
        material = _material(settings, words, work, client, steps)
        settings, profile = numbered(settings, material, steps)
        clusterer = fit(settings, material, work, steps)
        with new_folder(target, RESULT, replace=settings.force) as folder:
            return write(settings, material, clusterer, profile, folder, steps), target


def _ready(settings: LargeSettings) -> tuple[Vectorizer, Path]:
    """Return the vectorizer and the folder of a run; raises for what is wrong with it before hours are spent."""
    check_table(table_of(settings))
    words = vectorizer(settings)
    words.check_streams()
    _seeds(settings)
    target = out_folder(settings)
    RESULT.check(target, replace=settings.force)
    return words, target


def _material(settings: LargeSettings, words: Vectorizer, work: Path, client: Any, steps: Steps) -> StreamMaterial:
    """Return what is to be grouped, read here or by the workers of a `client`, and tell what words will not do it."""
    here = client is None
    material = read(settings, words, work, steps) if here else _parted(settings, words, work, client, steps)
    warn_of_pairs(material.words)
    warn_of_languages(settings, [each.text for _, each in material.drawn(LOOKED_AT)])
    return material


@contextmanager
def _anew() -> Iterator[None]:
    """Say how rows are made again: by a run that does not go on with them."""
    try:
        yield
    except DamagedError as error:
        raise InputError(f"{error}: run again without --resume") from error


def read(settings: LargeSettings, words: Vectorizer, work: Path, steps: Steps) -> StreamMaterial:
    """Count and weigh the words of all documents into the work folder, as far as that is not done."""
    if not (work / "rows").exists():
        documents = _input(settings, steps.share_of("reading"))
        seen = count_texts(settings.docs, documents, words.analyser, work, settings.seed)
        weigh_counts(words, seen, work, steps.of("weighing words"))
    return StreamMaterial(KeptBlocks(work / "blocks"), *weighed(work))


def _input(settings: LargeSettings, on_share: Callable[[float | None], None]) -> Input:
    """Return the documents, in parts that processes read by themselves where the file can be cut so."""
    fields, strip = fields_of(settings), strip_of(settings)
    parts = ranges_of(settings.docs)
    if parts:
        return Ranges(parts, fields, strip, on_share)
    return Blocks(lambda behind: read_blocks(settings.docs, fields, strip=strip, behind=behind, on_share=on_share))


def _connected(address: str) -> AbstractContextManager[Any]:
    from ...rows.connect import connected

    return connected(address)


def _forgetting(client: Any, work: Path) -> AbstractContextManager[None]:
    if client is None:
        return nullcontext()
    from .workers import forgetting

    return forgetting(client, work)


def _parted(settings: LargeSettings, words: Vectorizer, work: Path, client: Any, steps: Steps) -> StreamMaterial:
    from .workers import read as read_on_workers

    return read_on_workers(settings, words, work, client, steps)


def numbered(settings: LargeSettings, material: StreamMaterial, steps: Steps) -> tuple[LargeSettings, Profile | None]:
    """Return the settings with the number of groups that a profile of a sample chose, and it; None: it was given."""
    if isinstance(settings.k, int):
        return settings, None
    n, most = material.rows.shape[0], max(MOST_SAMPLED, _OF_A_GROUP * most_groups(settings))
    drawn = np.random.default_rng(settings.seed).choice(n, min(n, most), replace=False)
    X = material.rows.sample(np.sort(drawn))
    profile = k_profile(X, settings.k, words=X, progress=steps.of("choosing the number of groups"))
    return replace(settings, k=profile.chosen), profile


def fit(settings: LargeSettings, material: StreamMaterial, work: Path, steps: Steps) -> Any:
    """Fit the clusterer by passes over the shards, each of which is written down."""
    started = settings if settings.n_init is not None else replace(settings, n_init=1)
    clusterer = clusterer_of(started)
    given: dict[str, Any] = {}
    if settings.universum is not None:
        given["universum"] = _universum(settings, material.words, steps)
    placed = _placed(settings, material)
    if placed is not None:
        given |= placed.arguments(np.arange(material.rows.shape[0]))
    steps("fitting")
    rows = JournalRows(material.rows, work / "fit", lambda passes, known: steps("fitting", passes))
    return clusterer.fit(rows, **given)


def _universum(settings: LargeSettings, words: Vectorizer, steps: Steps) -> Any:
    """Return the rows of the off-topic examples that have a known word."""
    found = examples(settings, steps)
    assert found is not None
    U = words.transform(found.texts)
    U = U[np.flatnonzero(np.diff(U.indptr))]
    if not U.shape[0]:
        said = "no document of the universum has a word that is known from the texts; it can steer nothing"
        warnings.warn(said, OutgroupWarning, stacklevel=2)
    return U if U.shape[0] else None


def _seeds(settings: LargeSettings) -> Seeds | None:
    """Return the seeds, as far as a stream can follow them; raises InputError for others."""
    if settings.seeds is None:
        return None
    seeds = read_seeds(settings.seeds)
    if seeds.off_topic:
        raise InputError(f"off_topic.documents of the seeds cannot be {LABELLED_AWAY} in a stream; use --universum")
    if any(group.words for group in seeds.clusters.values()):
        raise InputError("labelled words are looked up in memory, and a stream does not lie there; label documents")
    return seeds


def _placed(settings: LargeSettings, material: StreamMaterial) -> Placed | None:
    """Return the seeds over the rows; only the ids of labelled documents are held."""
    seeds = _seeds(settings)
    if seeds is None:
        return None
    wanted = {each for group in seeds.clusters.values() for each in group.documents}
    found = [(identity, number) for identity, number in material.find(wanted) if material.has_row[number]]
    placed = place(seeds, [identity for identity, _ in found], material.words, settings.k)
    if placed.seeds is None:
        return placed
    pins = np.full(material.rows.shape[0], -1, dtype=np.int32)
    pins[material.row_of[[number for _, number in found]]] = placed.seeds
    return replace(placed, seeds=pins)


def _about(settings: LargeSettings) -> dict[str, Any]:
    """Return what must be the same for a run to be gone on with."""
    free = {"threads", "out", "report_size", "table", "memory", "cluster"}
    given = {name: value for name, value in settings.parameters.items() if name not in free}
    return given | {
        "documents": identity(settings.docs),
        "outgroup": versions()["outgroup"],
        "workers": settings.cluster is not None,
    }


def _warn_of_limits(settings: LargeSettings, work: Path) -> None:
    if settings.memory is not None:
        said = (
            f"read in a stream: it takes about {needed(settings) / 1e9:.1f} GB of memory, and meanwhile room in {work}"
        )
        warnings.warn(said, OutgroupWarning, stacklevel=2)
    if not (settings.quick or checks_trust(settings)):
        said = f"how far {most_groups(settings):,} groups can be trusted is not told: a sample has too few rows of each"
        warnings.warn(said, OutgroupWarning, stacklevel=2)
