"""Going on from an earlier result: what its folder keeps, and the version that later documents and decisions make."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from math import inf
from pathlib import Path
from typing import Any, TypeVar

from ..errors import InputError, ModelError, in_words
from ..model import DocumentClustering
from ..places import Address, Place, place_of
from ..session import Changes, DecisionReceipt, Past, Session, Version
from ..steering.decisions import Decision, read_decisions
from ..steering.decisions.values import in_short
from ..storage.project import Project
from .inputs import READ, Material
from .progress import Steps
from .settings.cluster import ClusterSettings
from .settings.options import option

SESSION, MODEL, RUN = "session.json", "model", "run.json"

Settings = TypeVar("Settings", bound=ClusterSettings)

_SHOWN = 3  # documents of each kind that a line names
_FIXED = frozenset(  # what a session that goes on has from its first groups
    {"language", "stop_words", "phrases", "keep_numbers", "min_length", "segmentation", "min_df", "max_df"}
    | {"max_features", "method", "k", "neighbours", "off_topic_rate", "off_topic_threshold", "keep_off_topic"}
)
_ONCE = frozenset({"docs", "out", "from_", "steer", "seeds", "universum", "universum_embeddings", "embeddings"})


@dataclass(frozen=True)
class Step:
    """A version, what it differs in from the result before, and what became of each new decision."""

    version: Version
    before: Past | None
    changes: Changes | None
    receipts: tuple[DecisionReceipt, ...]


def read_past(folder: Path) -> Past:
    """Return what the folder of a result keeps; raises InputError, saying what to do, where that is not enough."""
    if not folder.is_dir():
        raise InputError(f"there is no result {folder} to go on from; name the folder that `outgroup cluster` wrote")
    try:
        content = json.loads((folder / SESSION).read_bytes())
    except OSError as error:
        raise InputError(
            f"{folder} keeps no {SESSION}, which going on needs: a result found in a stream (--memory) has none, and "
            "one of an older version is to be made again"
        ) from error
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{folder / SESSION} is damaged ({in_words(error)}); make the result again") from error
    try:
        return Past.from_dict(content, DocumentClustering.load(folder / MODEL))
    except ModelError as error:
        raise ModelError(f"{folder / SESSION}: {error}") from error


def as_before(settings: Settings) -> Settings:
    """Return the settings with the earlier run's wherever nothing else was said.

    Raises InputError for options that would change the vocabulary or the number of groups, which follow the result.
    """
    assert settings.from_ is not None
    earlier = _parameters(settings.from_, {each.name: each.default for each in fields(settings)})
    found = _unless_said(settings, earlier, settings.from_, "leave --from out")
    if settings.universum is None and earlier.get("universum"):
        found = replace(found, universum=_still_there(place_of(earlier["universum"])))
    return found


def asked_of(settings: ClusterSettings) -> dict[str, Any]:
    """Return what a project file keeps of the settings: how documents become texts, and what the first groups fix."""
    return {name: value for name, value in settings.parameters.items() if name in {*READ, *_FIXED}}


def as_in_project(settings: Settings, path: Path) -> Settings:
    """Return the settings with those that a project file was made with wherever nothing else was said.

    Raises InputError for options that would change its vocabulary or its number of groups.
    """
    defaults = {each.name: each.default for each in fields(settings)}
    if not isinstance(settings.k, int):  # a number that was to be chosen has been
        settings = replace(settings, k=defaults["k"], said=settings.said - {"k"})
    with Project.open(path) as project:
        kept = asked(project)
        earlier = {name: value for name, value in kept.items() if name in defaults and _fits(value, defaults[name])}
        earlier.setdefault("k", _first_count(project))
    return _unless_said(settings, earlier, path, "name a new file")


def _first_count(project: Project) -> int:
    """Return how many groups a project began with."""
    try:
        return len(json.loads(project.versions()[0].body)["numbers"])
    except (ValueError, LookupError, TypeError) as error:
        raise ModelError(f"{project.path} is damaged ({in_words(error)}); open a copy of it") from error


def asked(project: Project) -> dict[str, Any]:
    """Return how the documents of a project were read and what was asked for, where it says so."""
    try:
        return dict(json.loads(project.settings()["reading"]))
    except (ValueError, KeyError, TypeError):
        return {}


def _unless_said(settings: Settings, earlier: dict[str, Any], place: Path, instead: str) -> Settings:
    """Return the settings with the `earlier` ones, those of a `place`, wherever nothing else was said."""
    changed: dict[str, Any] = {}
    for each in fields(settings):
        name, now = each.name, getattr(settings, each.name)
        if name in _ONCE or name not in earlier:
            continue
        said = now != each.default or name in settings.said
        if said and now != earlier[name] and name in _FIXED:
            raise InputError(
                f"{option(name)} cannot change: words, method, number of groups and what is off-topic follow {place}, "
                f"which has {earlier[name]}; leave it out (merging and splitting are decisions), or {instead}"
            )
        if not said:
            changed[name] = earlier[name]
    return replace(settings, **changed)


def _still_there(universum: Place) -> Path:
    """Return the file or folder of an earlier run; what a file says is no reason to ask an address."""
    made = f"the result was made with the off-topic examples {universum}"
    if isinstance(universum, Address):
        raise InputError(f"{made}; an address is read where it is given: give --universum")
    if not universum.exists():
        raise InputError(f"{made}, which are not there; give --universum")
    return universum


def go_on(settings: ClusterSettings, material: Material, steps: Steps) -> Step:
    """Return the version of the documents that follows from the result before and the new decisions."""
    assert settings.from_ is not None
    past = read_past(settings.from_)
    new = () if settings.steer is None else read_decisions(settings.steer)
    steps("analysing")
    session = open_after(past, material, settings.seed)
    begun = session.begin(on_step=steps.heard("fitting"))
    if new:
        followed = session.fit((*past.decisions, *new), start=begun, on_step=steps.heard("fitting"))
        version = replace(followed, notes=(*begun.notes, *followed.notes))
    else:
        version = replace(begun, number=begun.number + bool(begun.compare(past)))
    receipts = tuple(version.receipt(decision) for decision in dict.fromkeys(new) if decision in version.decisions)
    return Step(version, past, version.compare(past), receipts)


def step_record(step: Step) -> dict[str, Any]:
    """Return what a step says of itself, as plain values for run.json."""
    changes = None if step.changes is None else step.changes.to_dict()
    receipts = [asdict(receipt) | {"decision": receipt.decision.to_dict()} for receipt in step.receipts]
    return {"changes": changes, "receipts": receipts, "notes": list(step.version.notes)}


def lines(step: Step) -> Iterator[tuple[str, str]]:
    """Yield what changed in words, a head and a sentence each: documents first, then each decision."""
    if step.changes is not None:
        yield "Changed", f"{step.changes}{_named(step)}"
    for receipt in step.receipts:
        yield "Decided", str(receipt)
    told = tuple(f"{in_short(receipt.decision)}: " for receipt in step.receipts)
    for note in step.version.notes:
        if not note.startswith(told):
            yield "Note", note


def _named(step: Step) -> str:
    assert step.changes is not None
    moved = [f"{each.id} ({place(each.before)} to {place(each.after)})" for each in step.changes.moved]
    parts = [moved, [f"{each} (new)" for each in step.changes.new], [f"{each} (gone)" for each in step.changes.gone]]
    shown = [each for part in parts for each in part[:_SHOWN]]
    rest = sum(map(len, parts)) - len(shown)
    return f": {', '.join(shown)}{f' and {rest} more in run.json' if rest else ''}" if shown else ""


def place(group: int) -> str:
    return "none" if group < 0 else str(group)


def open_after(past: Past, material: Material, seed: int = 0, universum: list[str] | None = None) -> Session:
    """Return a session on what was read that goes on from `past`; `universum` are examples where none were read."""
    corpus = material.corpus
    return Session.after(
        past, corpus.texts, ids=corpus.ids, titles=corpus.titles, universum=material.universum or universum,
        random_state=seed, **material.vectors,
    )  # fmt: skip


def begin(session: Session, log: tuple[Decision, ...], steps: Steps) -> Step:
    """Return the first version of a session that decisions steer."""
    version = session.fit(log, on_step=steps.heard("fitting"))
    return Step(version, None, None, tuple(version.receipt(decision) for decision in dict.fromkeys(version.lasting)))


def _parameters(folder: Path, defaults: dict[str, Any]) -> dict[str, Any]:
    """Return what an earlier run was told, of the kinds that can be told; raises ModelError for anything else."""
    path = folder / RUN
    try:
        found = dict(json.loads(path.read_bytes())["parameters"])
    except OSError:
        return {}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ModelError(f"{path} is damaged ({in_words(error)}); make the result again") from error
    for name, value in found.items():
        if name in defaults and not _fits(value, defaults[name]):
            raise ModelError(f"{path} is damaged: {value!r:.60} is no {option(name)}; make the result again")
    return found


def _fits(value: Any, default: Any) -> bool:
    """Return whether a value is of its default's kind: a flag, a finite number, or a text; of any where it is None."""
    if value is None or isinstance(value, bool) or isinstance(default, bool):
        return value is None or default is None or isinstance(value, bool) is isinstance(default, bool)
    if isinstance(value, int | float):
        return not isinstance(default, str) and abs(value) < inf
    return isinstance(value, str) and not isinstance(default, int | float)
