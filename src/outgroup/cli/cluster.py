"""The main job, from files to files: a collection is read, a session finds its groups, a folder shows them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..cluster.max_margin import MaxMarginClustering
from ..cluster.spherical import SphericalKMeans
from ..decisions import Decision, from_seeds, read_decisions
from ..errors import InputError, NoWordError, OutgroupWarning
from ..places import Address, Place
from ..readers.encoding import decode
from ..report.facts import Receipt
from ..rows import threads
from ..seeds import read_seeds
from ..session import Past, Session, Version
from ..session.receipts import steering_receipt
from ..storage.atomic import new_folder
from ..text.languages import UNSPACED, VARIANTS, language_names
from ..text.tokenizer import likely_languages, stop_words, tokenise
from ..text.vectorizer import Vectorizer
from .material import Material, as_before, other_fields, read, require_vectors
from .options import option
from .output import Steps
from .result import RESULT, Outcome, begin, folder_of, go_on, outcome_of, read_past, write
from .settings import ClusterSettings

# --- The main job, from files to files: a collection is read, a session finds its groups, a folder shows them


def cluster(settings: ClusterSettings, steps: Steps) -> tuple[Outcome, Path]:
    """Find the groups of a collection and write the result's folder; returns both.

    Raises OutgroupError for whatever cannot be used, read or written.
    """
    target = out_folder(settings)
    with new_folder(target, RESULT, replace=settings.force) as folder:
        with on(settings.threads):
            outcome = find(settings, steps)
        write(outcome, folder, steps)
    return outcome, target


def out_folder(settings: ClusterSettings) -> Path:
    """Return where the result goes; raises InputError where it would lie among what is read, or take its place."""
    target = folder_of(settings)
    apart(target, inputs_of(settings))
    return target


def inputs_of(settings: ClusterSettings) -> dict[str, Place | None]:
    """Return where all lies that the settings read, by what it is called."""
    return {
        "documents": settings.docs,
        "off-topic examples": settings.universum,
        "seeds": settings.seeds,
        "decisions": settings.steer,
    }


def apart(target: Path, inputs: Mapping[str, Place | None], what: str = "result", option: str = "--out") -> None:
    """Raise InputError where a result would lie among the inputs, for the next run to read, or an input in it."""
    for name, given in inputs.items():
        if given is None or isinstance(given, Address):
            continue  # a result lies on this machine
        path = Path(os.path.realpath(given))  # unlike `resolve`, it bears loops
        if target == path or path in target.parents:
            raise InputError(f"the {what} would lie among the {name}, in {target}; choose another place with {option}")
        if target in path.parents:
            said = f"the {name} lie in {target}, where the {what} would go"
            raise InputError(f"{said}; choose another place with {option}")


def find(settings: ClusterSettings, steps: Steps) -> Outcome:
    """Read the collection, and find and sum up its groups: from nothing, or after an earlier result or decisions."""
    settings = settings if settings.from_ is None else as_before(settings)
    past = None if settings.from_ is None else past_of(settings)  # before documents are, which may take long
    decisions = decisions_of(settings)
    material = read(settings, steps)
    if past is not None:
        step = go_on(past, decisions, material, steps, settings.seed)
        return outcome_of(settings, material, step.version, steps, step=step)
    session = open_session(settings, material, steps)
    settings = _numbered(settings, session)
    if settings.steer is None:
        return _from_nothing(settings, material, session, decisions, steps)
    step = begin(session, decisions, steps)
    return outcome_of(settings, material, step.version, steps, step=step)


def past_of(settings: ClusterSettings) -> Past:
    """Return what the result that the settings go on from keeps.

    Raises InputError where it needs vectors that nothing gives.
    """
    assert settings.from_ is not None
    past = read_past(settings.from_)
    require_vectors(past.model, settings, settings.from_)
    return past


def decisions_of(settings: ClusterSettings) -> tuple[Decision, ...]:
    """Return what the files of decisions and of seeds say; raises InputError where both are given."""
    if settings.seeds is None:
        return () if settings.steer is None else read_decisions(settings.steer)
    if settings.steer is not None or settings.from_ is not None:
        raise InputError("--seeds begins from nothing; give its decisions as --steer, which takes such a file, too")
    return from_seeds(read_seeds(settings.seeds))


def _from_nothing(
    settings: ClusterSettings, material: Material, session: Session, seeds: tuple[Decision, ...], steps: Steps
) -> Outcome:
    version = session.fit(seeds, on_step=steps.heard("fitting"))
    for note in version.notes:
        warnings.warn(note, OutgroupWarning, stacklevel=2)
    steered = None if settings.seeds is None else _receipt(version, steps)
    return outcome_of(settings, material, version, steps, steered=steered, profile=session.profile)


def _numbered(settings: ClusterSettings, session: Session) -> ClusterSettings:
    """Return the settings with the number of groups that a profile chose, which makes the same result again."""
    return settings if session.profile is None else replace(settings, k=session.profile.chosen)


def _receipt(version: Version, steps: Steps) -> Receipt | None:
    return steering_receipt(version.model, version.ids, steps.of("fitting without the seeds"))


def open_session(
    settings: ClusterSettings, material: Material, steps: Steps, *, postpone: bool = False
) -> Session:  # fmt: skip
    """Return a session on what was read, with the words and the clusterer that the settings ask for."""
    corpus = material.corpus
    steps("analysing")
    warn_of_languages(settings, corpus.texts)
    try:
        return Session(
            corpus.texts, n_clusters=settings.k, ids=corpus.ids, titles=corpus.titles, universum=material.universum,
            clusterer=clusterer_of(settings), vectorizer=vectorizer(settings), random_state=settings.seed,
            neighbours=neighbours_of(settings), postpone=postpone, on_step=steps.follow, **material.vectors,
        )  # fmt: skip
    except NoWordError as error:
        if others := other_fields(settings, corpus):
            error.add_note(others)
        raise


def on(count: int | None) -> AbstractContextManager[None]:
    return nullcontext() if count is None else threads(count)


# --- The clusterer that the settings ask for


def neighbours_of(settings: ClusterSettings) -> int | str:
    return settings.neighbours if settings.neighbours == "auto" else int(settings.neighbours)


def clusterer_of(settings: ClusterSettings) -> MaxMarginClustering | SphericalKMeans:
    k = settings.k if isinstance(settings.k, int) else 1  # what a profile will choose
    found: dict[str, Any] = {
        "n_init": settings.n_init or ("auto" if settings.method == "max-margin" else 1),
        "off_topic_rate": settings.off_topic_rate,
        "off_topic_threshold": settings.off_topic_threshold,
        "set_aside": not settings.keep_off_topic,
        "random_state": settings.seed,
    }
    if settings.method == "max-margin":
        return MaxMarginClustering(k, **found)
    if settings.seeds is not None:
        raise InputError("--method spherical takes no --seeds; leave them out, or use max-margin")
    names = ("off_topic_rate", "off_topic_threshold", "keep_off_topic")
    unused = [option(name) for name in names if getattr(settings, name) != getattr(ClusterSettings, name)]
    if unused and settings.universum is None:
        said = " or ".join(unused)
        raise InputError(f"--method spherical makes no use of {said} without --universum; leave it out, or give both")
    return SphericalKMeans(k, **found)


# --- What the options of the group "Words" make: the vectorizer of a run

_SPOKEN, _FEW = 0.1, 3  # a share of the texts, and texts: fewer may be mistaken, or names and quotations


def vectorizer(settings: ClusterSettings) -> Vectorizer:
    """Return the vectorizer that the settings ask for; raises InputError for stop words that cannot be read."""
    return Vectorizer(
        language=settings.language,
        stop_words=_stop_words(settings) if settings.stop_words else "auto",
        min_df=settings.min_df or "auto",
        max_df=settings.max_df,
        max_features=settings.max_features,
        phrases=settings.phrases,
        keep_numbers=settings.keep_numbers,
        min_length=settings.min_length,
        segmentation=settings.segmentation,
    )


def warn_of_languages(settings: ClusterSettings, texts: Sequence[str]) -> None:
    """Warn of languages that many texts seem to be in and that the settings do not name."""
    least = round(max(_SPOKEN, _FEW / max(len(texts), 1)), 2)  # shares are given to a hundredth
    found = [name for name, share in likely_languages(texts).items() if share >= least]
    named = [VARIANTS.get(name, name) for name in language_names(settings.language)]
    if set(found) - set(named):
        said = f"the texts seem to be in {' and '.join(map(str.capitalize, found))}"
        asked = ",".join([*found, *(name for name in named if name in UNSPACED)])  # these are not guessed
        warnings.warn(f"{said}; for their stop words give --language {asked}", OutgroupWarning, stacklevel=2)


def _stop_words(settings: ClusterSettings) -> list[str]:
    """Return the language's own stop words and the user's, sorted."""
    given = " ".join(_listed(settings.stop_words))
    own = tokenise(given, numbers=settings.keep_numbers, shortest=1)
    return sorted(stop_words(settings.language).union(own))


def _listed(given: str) -> list[str]:
    """Return the words of a file, one a line, or of a list with commas; a name with a slash or a suffix is a file's."""
    path = Path(given)
    try:
        if path.is_file():
            return decode(path.read_bytes()).splitlines()
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read the stop words in {given}: {error}") from error
    if "," not in given and ("/" in given or path.suffix):
        raise InputError(f"no such file of stop words: {given}; give a file with a word a line, or a list like the,of")
    return given.split(",")
