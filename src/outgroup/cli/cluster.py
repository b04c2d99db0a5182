"""The main job: read a collection, fit a session, write the result folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import typer

from ..cluster.max_margin import MaxMarginClustering
from ..codebook import Codebook
from ..decisions import Decision, from_seeds, read_decisions
from ..decisions.log import with_numbers
from ..demo import documents_path, off_topic_path
from ..errors import InputError, NoWordError, warn
from ..places import Address, Place, read_limited
from ..readers.encoding import decode
from ..readers.fields import name_among
from ..rows import threads
from ..seeds import read_seeds
from ..session import Past, Session
from ..storage.atomic import new_folder
from ..summary.findings import steering_receipt
from ..text.languages import UNSPACED, VARIANTS, language_names
from ..text.tokenizer import frequent_languages, has_segmenter, stop_words, tokenise
from ..text.vectorizer import Vectorizer
from .material import (
    FEWEST_TEXTS,
    Material,
    Settings,
    check_ids,
    check_redaction,
    other_fields,
    parameters_of,
    read,
    redacts,
    require_vectors,
    with_earlier_options,
)
from .options import option
from .output import Steps
from .result import (
    RESULT,
    Outcome,
    Step,
    begin,
    continue_from,
    folder_of,
    named_by_codes,
    namer_of,
    outcome_of,
    read_past,
    shown_names,
    write,
)
from .settings import ClusterSettings, LargeSettings

# --- The main job


def cluster(settings: ClusterSettings, steps: Steps) -> tuple[Outcome, Path]:
    """Cluster a collection and write the result folder; return the outcome and the folder.

    Raises OutgroupError for invalid options, unreadable input or an unwritable result.
    """
    target = out_folder(settings)
    with new_folder(target, RESULT, replace=settings.force) as folder:
        with on(settings.threads):
            outcome = fit_collection(settings, steps)
        write(outcome, folder, steps)
    return outcome, target


def agree_to_name(settings: LargeSettings) -> None:
    """Ask for confirmation of the data that --namer sends; raise InputError for a namer that cannot be asked."""
    if settings.namer is not None:
        namer_of(settings)  # raises now, not after the fit
        sent = "ten words and the first 300 characters of five documents"
        agree_to_send(
            f"To name each group, {sent} and the names of the other groups are sent", settings.namer, settings.yes
        )


def agree_to_send(message: str, model: str, yes: bool) -> None:
    """State the data that are sent to a chat model, and ask for confirmation once.

    Raises InputError for a no, and without a terminal unless `yes` is set.
    """
    message = f"{message} to {urlsplit(model).netloc}"
    if yes:
        warn(message)
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(f"{message}: add --yes to confirm without a terminal")
    if not typer.confirm(f"{message}. Continue?", err=True):
        raise InputError("stopped; nothing was sent or written")


def out_folder(settings: ClusterSettings) -> Path:
    """Return the result folder; raise InputError if it overlaps with an input."""
    target = folder_of(settings)
    apart(target, inputs_of(settings))
    return target


def inputs_of(settings: ClusterSettings) -> dict[str, Place | None]:
    """Return the paths of the inputs by role."""
    return {
        "documents": settings.docs,
        "off-topic examples": settings.universum,
        "seeds": settings.seeds,
        "codebook": settings.codebook,
        "decisions": settings.steer,
    }


def apart(target: Path, inputs: Mapping[str, Place | None], what: str = "result", option: str = "--out") -> None:
    """Raise InputError if the target lies inside an input, or an input lies inside the target."""
    for name, given in inputs.items():
        if given is None or isinstance(given, Address):
            continue  # results are always local
        path = Path(os.path.realpath(given))  # accepts loops, unlike `resolve`
        if target == path or path in target.parents:
            raise InputError(f"{target}, the {what}, would lie inside the {name}: give another path with {option}")
        if target in path.parents:
            raise InputError(f"the {name} lie inside {target}, the {what}: give another path with {option}")


def fit_collection(settings: ClusterSettings, steps: Steps) -> Outcome:
    """Read the collection, fit it anew or from an earlier result, and summarise the groups."""
    # 1. The earlier result, the codebook and the decisions: reading the documents may take long.
    settings, frame, past, decisions = start_of(settings)
    # 2. Documents, off-topic examples and vectors.
    material = read(settings, frame, steps)
    check_ids(decisions, material.corpus)
    # 3. The fit: warm from an earlier result, or from scratch; decisions by name first (`Fitter.fit_log`).
    if past is not None:
        step = continue_from(past, decisions, material, steps, settings)
    else:
        session = open_session(settings, material, steps)
        settings = replace(settings, k=session.clusterer.n_clusters)  # perhaps chosen by a profile, or by the labels
        decisions = (*seeds_of_codes(material), *decisions)
        if settings.steer is None:
            step = _fit_with_seeds(settings, material, session, decisions, steps)
        else:
            step = begin(session, decisions, steps)
    # 4. Trust, names and tables.
    return outcome_of(settings, material, step, steps)


def start_of(
    settings: Settings, *, documents: bool = True
) -> tuple[Settings, Codebook | None, Past | None, tuple[Decision, ...]]:
    """Return the settings with those of an earlier result, the codebook, that result and the decisions of a file.

    Raises InputError for options that contradict one another, and for a result that cannot be continued.
    """
    earlier, frame, past = settings.from_, None, None
    settings = settings if earlier is None else with_earlier_options(settings)
    if redacts(settings):
        check_redaction(settings)
    decisions = decisions_of(settings)
    if settings.codebook is not None:
        frame = Codebook.read(settings.codebook)
    if earlier is None:
        return with_codes(settings, frame), frame, None, decisions
    past = past_of(settings, documents=documents)
    decisions = with_numbers(decisions, shown_names(earlier, past))
    return settings, frame, named_by_codes(past, earlier, frame), decisions


def past_of(settings: ClusterSettings, *, documents: bool = True) -> Past:
    """Read the earlier result `from_`; raise InputError if it needs embeddings that the settings do not give."""
    assert settings.from_ is not None
    past = read_past(settings.from_, documents=documents)
    require_vectors(past.model, settings, settings.from_)
    namer = getattr(settings, "namer", None)
    # Another namer names all groups again.
    return replace(past, called={}) if namer not in (None, parameters_of(settings.from_).get("namer")) else past


def decisions_of(settings: ClusterSettings) -> tuple[Decision, ...]:
    """Read the decisions or the seeds; raise InputError for options that contradict each other."""
    if settings.labels:
        others = [name for name in ("from_", "seeds", "codebook", "universum") if getattr(settings, name) is not None]
        if others := [*others, *({"k"} & settings.explicit)]:
            raise InputError(f"--labels are the groups, so {option(others[0])} has no effect: omit one of them")
    if settings.seeds is not None and settings.codebook is not None:
        raise InputError("--seeds and --codebook cannot be combined: put the seeds into the codebook, or omit --seeds")
    if settings.seeds is None:
        return () if settings.steer is None else read_decisions(settings.steer)
    if settings.steer is not None or settings.from_ is not None:
        raise InputError("--seeds starts a new result: with --from or --steer, give the seeds file as --steer")
    return from_seeds(read_seeds(settings.seeds))


def with_codes(settings: Settings, frame: Codebook | None) -> Settings:
    """Set the number of groups to the number of codes, unless the settings give a larger number or a range."""
    if frame is None or not frame.starting:
        return settings
    k = settings.k if "k" in settings.explicit else 1
    return replace(settings, k=max(k, len(frame.starting))) if isinstance(k, int) else settings


def seeds_of_codes(material: Material) -> tuple[Decision, ...]:
    """Return the definitions and examples of the codes as decisions."""
    frame, corpus = material.frame, material.corpus
    return from_seeds(frame.seeds(corpus.texts, corpus.ids)) if frame is not None and frame.starting else ()


def _fit_with_seeds(
    settings: ClusterSettings, material: Material, session: Session, seeds: tuple[Decision, ...], steps: Steps
) -> Step:
    version = session.fit(seeds, on_step=steps.of_session("fitting"))
    for note in version.notes:
        warn(note)
    steered = None
    if settings.seeds is not None:
        steered = steering_receipt(version.model, version.ids, steps.of("fitting without the seeds"))
    return Step(version, None, (), False, steered, session.profile)


def open_session(settings: ClusterSettings, material: Material, steps: Steps, *, postpone: bool = False) -> Session:
    """Open a session on the material, with the vectorizer and clusterer of the settings."""
    corpus = material.corpus
    steps("analysing")
    try:
        return Session(
            corpus.texts,
            n_clusters=settings.k,
            ids=corpus.ids,
            titles=corpus.titles,
            universum=material.universum,
            encoder=None if settings.encoder == "none" else "auto",
            clusterer=clusterer_of(settings),
            vectorizer=vectorizer(recognised(settings, corpus.texts)),
            random_state=settings.seed,
            outliers=settings.outliers,
            labels=corpus.field(name_among(corpus.columns, settings.labels)) if settings.labels else None,
            postpone=postpone,
            on_step=steps.follow,
            **material.vectors,
        )
    except NoWordError as error:
        if others := other_fields(settings, corpus):
            error.add_note(others)
        raise


def on(count: int | None) -> AbstractContextManager[None]:
    return nullcontext() if count is None else threads(count)


# --- The clusterer


def clusterer_of(settings: ClusterSettings, n_init: int | str = "auto") -> MaxMarginClustering:
    k = settings.k if isinstance(settings.k, int) else 1  # replaced by the number that a profile chooses
    return MaxMarginClustering(k, n_init=n_init, random_state=settings.seed)


# --- The vectorizer, from the options of the panel "Words"


def recognised(settings: ClusterSettings, texts: Sequence[str]) -> ClusterSettings:
    """Replace the language "auto" by the detected one; add a note unless the texts are English."""
    language = settings.language
    if language == "auto":
        found = frequent_languages(texts)
        language = ",".join(found) or "english"
        if language != "english":
            names = " and ".join(map(str.capitalize, found))
            warn(
                f"the texts seem to be in {names}; its stop words and stems are used. Set another language with "
                "--language"
            )
    else:
        warn_of_languages(settings, texts)
    return replace(settings, language=language)


def vectorizer(settings: ClusterSettings) -> Vectorizer:
    """Return the vectorizer of the settings; raise InputError if stop words cannot be read."""
    return Vectorizer(
        language=_named(settings.language),
        stop_words=_stop_words(settings) if settings.stop_words else "auto",
        min_df=FEWEST_TEXTS if redacts(settings) else "auto",
        segmentation="words" if has_segmenter(_named(settings.language)) else "pairs",
    )


def warn_of_languages(settings: ClusterSettings, texts: Sequence[str]) -> None:
    """Warn about languages that are frequent in the texts, but not listed in --language."""
    found = frequent_languages(texts)
    named = [VARIANTS.get(name, name) for name in language_names(_named(settings.language))]
    if set(found) - set(named):
        languages = " and ".join(map(str.capitalize, found))
        codes = ",".join(dict.fromkeys([*found, *(name for name in named if name in UNSPACED)]))
        warn(f"the texts seem to be in {languages}; to use their stop words, give --language {codes}")


def _named(language: str) -> str:
    return "english" if language == "auto" else language


def _stop_words(settings: ClusterSettings) -> list[str]:
    """Return the stop words of the language and the user, sorted."""
    given = " ".join(_listed(settings.stop_words))
    own = tokenise(given, shortest=1)
    return sorted(stop_words(_named(settings.language)).union(own))


def _listed(given: str) -> list[str]:
    """Return the words of a file (one per line), or of a comma-separated list; a slash or a suffix indicates a file."""
    path = Path(given)
    try:
        if path.is_file():
            return decode(read_limited(path)).splitlines()
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read the stop words in {given}: {error}") from error
    if "," not in given and ("/" in given or path.suffix):
        raise InputError(
            f"there is no file of stop words {given}; give a file with one word per line, or a list such as the,of"
        )
    return given.split(",")


# --- The demo: the main job on the bundled documents

_HIDDEN = "off-topic"  # the label of the bundled documents that belong to no topic


def demo_settings(out: Path) -> ClusterSettings:
    """Return the settings of the demo; it replaces its earlier result."""
    return ClusterSettings(documents_path(), k=5, universum=off_topic_path(), out=out, force=True)


def off_topic_sentence(outcome: Outcome) -> str:
    """Return a sentence that counts correct and wrong off-topic documents."""
    hidden = np.array([label == _HIDDEN for label in outcome.corpus.labels or ()])
    verdicts = outcome.verdicts
    if verdicts.off_topic is None:
        return ""
    count, first = int(hidden.sum()), np.argsort(-verdicts.off_topic_score, kind="stable")[: hidden.sum()]
    right, wrong = int(verdicts.off_topic[hidden].sum()), int(verdicts.off_topic[~hidden].sum())
    return (
        f"{count} of these {len(hidden)} documents are off-topic. From {outcome.model.n_universum_} other off-topic "
        f"examples, without any label, {right} of the {count} were set aside, and {wrong} of the {(~hidden).sum()} "
        f"on-topic documents by mistake. Of the {count} highest off-topic scores, {hidden[first].sum()} belong to "
        "off-topic documents."
    )
