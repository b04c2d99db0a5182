"""The documents of a job in memory; `in_files` has the same steps for documents in files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ..cluster.max_margin import MaxMarginClustering
from ..decisions import Decision, from_seeds
from ..errors import InputError, NoWordError, listed, warn
from ..places import read_limited
from ..readers.encoding import decode
from ..readers.fields import name_among
from ..session import DecisionReceipt, Past, Session, Version
from ..text.languages import UNSPACED, VARIANTS, language_names
from ..text.tokenizer import frequent_languages, has_segmenter, stop_words, tokenise
from ..text.vectorizer import Vectorizer
from .material import FEWEST_TEXTS, Material, check_ids, other_fields, read
from .output import Steps
from .result import Outcome, Step, outcome_of, table_of
from .settings import ClusterSettings
from .start import Start
from .tables import write_table


class InMemory:
    """The documents of a job, all in memory."""

    material: Material
    session: Session

    def __init__(self, start: Start[ClusterSettings], steps: Steps) -> None:
        self.start, self.settings, self.steps = start, start.settings, steps

    def read(self) -> None:
        """Read the documents, the off-topic examples and the vectors of both."""
        self.material = read(self.settings, self.start.frame, self.steps)
        check_ids(self.start.decisions, self.material.corpus)

    def represent(self) -> None:
        """Open the session: rows of the documents, and the number of groups."""
        if self.start.past is not None:
            self.session = session_after(self.start.past, self.settings, self.material, self.steps)
            return
        self.session = new_session(self.settings, self.material, self.steps)
        self.settings = replace(self.settings, k=self.session.clusterer.n_clusters)

    def seeds(self) -> tuple[Decision, ...]:
        """Return the definitions and examples of the codes as decisions."""
        return seeds_of_codes(self.material)

    def fit(self, decisions: tuple[Decision, ...]) -> Step:
        """Fit a version, from scratch or from the earlier result."""
        if self.start.past is not None:
            return continued(self.session, self.start.past, decisions, self.steps)
        version = self.session.fit(decisions, progress=self.steps.of_session())
        if self.settings.steer is None:
            return Step(version, decided=False, profile=self.session.profile)
        return replace(with_receipts(version), profile=self.session.profile)

    def summarise(self, step: Step) -> Outcome:
        """Summarise the groups of a version."""
        return outcome_of(self.settings, self.material, step, self.steps)

    def write_table(self, outcome: Outcome, folder: Path) -> Outcome:
        """Write the table of the documents; return the outcome, whose counts are exact."""
        self.steps("writing")
        write_table(table_of(outcome), outcome.summary, self.settings.table, folder)
        return outcome


def seeds_of_codes(material: Material) -> tuple[Decision, ...]:
    """Return the definitions and examples of the codes as decisions."""
    frame, corpus = material.frame, material.corpus
    return from_seeds(frame.seeds(corpus.texts, corpus.ids)) if frame is not None and frame.starting else ()


# --- The session


def new_session(settings: ClusterSettings, material: Material, steps: Steps, *, postpone: bool = False) -> Session:
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
            progress=steps,
            **material.vectors,
        )
    except NoWordError as error:
        if others := other_fields(settings, corpus):
            error.add_note(others)
        raise


def session_after(past: Past, settings: ClusterSettings, material: Material, steps: Steps) -> Session:
    """Open a session on new documents that continues from `past`."""
    corpus = material.corpus
    steps("analysing")
    return Session.after(
        past,
        corpus.texts,
        ids=corpus.ids,
        titles=corpus.titles,
        universum=material.universum,
        outliers=settings.outliers.replace("-", " "),
        random_state=settings.seed,
        **material.vectors,
    )


def with_receipts(version: Version) -> Step:
    """Return a first step with the receipt of each decision in force."""
    return Step(version, receipts=tuple(version.receipt(decision) for decision in dict.fromkeys(version.decisions)))


def continued(session: Session, past: Past, new: tuple[Decision, ...], steps: Steps) -> Step:
    """Fit the documents from an earlier result, then apply the new decisions."""
    begun = session.begin(progress=steps.of_session())
    if new:
        followed = session.fit((*past.decisions, *new), start=begun, progress=steps.of_session())
        version = replace(followed, notes=(*begun.notes, *followed.notes))
    else:
        version = replace(begun, number=begun.number + bool(begun.compare(past)))
    receipts = tuple(version.receipt(decision) for decision in dict.fromkeys(new) if decision in version.decisions)
    version = replace(version, notes=(*version.notes, *_again(past, receipts)))
    return Step(version, version.compare(past), receipts)


def _again(past: Past, receipts: tuple[DecisionReceipt, ...]) -> Iterator[str]:
    """Yield a note on decisions that an earlier run had already applied and that moved documents again."""
    again = [f'"{each.decision}"' for each in receipts if each.moved and each.decision in past.decisions]
    if again:
        yield (
            f"{listed(again)} was already applied in an earlier run, and moved documents again: group numbers "
            "refer to the earlier result, so give each decision to a single run"
        )


# --- The clusterer


def clusterer_of(settings: ClusterSettings) -> MaxMarginClustering:
    k = settings.k if isinstance(settings.k, int) else 1  # replaced by the number that a profile chooses
    return MaxMarginClustering(k, random_state=settings.seed)


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
                f"the texts seem to be in {names}, which sets stop words and stems. Set another language with "
                "--language"
            )
    else:
        warn_of_languages(settings, texts)
    return replace(settings, language=language)


def vectorizer(settings: ClusterSettings) -> Vectorizer:
    """Return the vectorizer of the settings; raise InputError if stop words cannot be read."""
    language = _named(settings.language)
    return Vectorizer(
        language=language,
        stop_words=_stop_words(settings) if settings.stop_words else "auto",
        min_df=FEWEST_TEXTS if settings.redact else "auto",
        segmentation="words" if has_segmenter(language) else "pairs",
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
