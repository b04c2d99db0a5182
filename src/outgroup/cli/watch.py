"""Watch new documents each night: a sequential test with a guaranteed rate of false alarms."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

import numpy as np
from scipy import stats

from ..errors import InputError, counted, listed, warn
from ..places import read_limited
from ..readers.documents import Corpus
from ..storage import state as storage
from ..storage.atomic import new_file
from ..storage.folders import locked
from ..storage.json_values import Count, GroupKey, parse_json
from ..types import Array
from .assign import assign, assigned_file, write
from .assignments import OFF_TOPIC, UNLIKE
from .cluster import apart
from .output import Steps
from .settings import WatchSettings


@dataclass(frozen=True)
class _Constants:
    """Constants of the alarms; `bench watch` measures false alarms per year and the delay until a new theme is
    found.
    """

    learned: int = 5  # nights before the first test
    window: int = 60  # past nights in the baseline
    bets: tuple[float, ...] = (1.0, 2.0, 3.0)  # sizes of a change in standard deviations
    highest: float = 8.0  # standard deviations that count


_WATCH = _Constants()
_WORDS = "words:"
"""The prefix of the alarm that the words of a group change, before its number."""


@dataclass(frozen=True)
class Night:
    """The counts of a night (documents, those unlike every group, by group, without the first words), alarms and
    levels.
    """

    documents: int
    unlike: int
    groups: Mapping[str, int]
    wordless: Mapping[str, int]
    alarms: Sequence[str] = ()
    levels: Mapping[str, float] = field(default_factory=dict)

    def count(self, name: str) -> tuple[int, int]:
        """Return the count that an alarm tests, and the total that contains it."""
        if name == UNLIKE:
            return self.unlike, self.documents
        if not name.startswith(_WORDS):
            return self.groups.get(name, 0), self.documents
        group = name.removeprefix(_WORDS)
        return self.wordless.get(group, 0), self.groups.get(group, 0)


def watched(past: Sequence[Night], night: Night, every: float) -> Night:
    """Return a night with its alarms and levels, from the past 60 nights.

    Alarms: "unlike_all", the number of a group that grows, or "words:" and the number of a group whose words change. A
    count of the night is compared with those of the past nights: its p-value under a negative binomial with their mean
    and variance, at least that of Student's t, becomes an e-value. Each count has a Shiryaev-Roberts detector of level
    M = (M + 1) e. An alarm is raised if their weighted mean reaches `every`, a lower bound of the mean number of nights
    until a false alarm. The three kinds of alarms have equal weights. After an alarm a count learns its baseline again.

    >>> nights = list[Night]()
    >>> for unlike in [3, 4, 5] * 10 + [40]:
    ...     nights.append(watched(nights, Night(100, unlike, {"0": 50}, {}), 365))
    >>> [night.alarms for night in nights if night.alarms]
    [['unlike_all']]
    """
    if not night.documents:  # no evidence, for or against a change
        return replace(night, levels=dict(past[-1].levels) if past else {})
    groups = sorted({name for other in [*past[-_WATCH.window :], night] for name in other.groups}, key=int)
    names = [UNLIKE, *groups, *(f"{_WORDS}{group}" for group in groups)]
    weights = np.array([1 / 3, *[1 / 3 / max(len(groups), 1)] * (len(names) - 1)])
    before = past[-1].levels if past else {}
    levels = np.array([(before.get(name, 0.0) + 1) * _evidence(name, past, night) for name in names])
    weighted = weights * levels
    raised = weighted >= weighted.max() / 2 if weighted.sum() >= every else np.zeros(len(names), dtype=bool)
    alarms = [name for name, above in zip(names, raised.tolist(), strict=True) if above]
    updated = {name: float(f"{level:.6g}") for name, level in zip(names, levels.tolist(), strict=True)}
    return replace(night, alarms=alarms, levels=updated | dict.fromkeys(alarms, 0.0))


def _evidence(name: str, past: Sequence[Night], night: Night) -> float:
    """Return the e-value of a count, compared with the counts since its last alarm (at most 60 nights)."""
    recent = past[-_WATCH.window :]
    first = next((i + 1 for i in range(len(recent) - 1, -1, -1) if name in recent[i].alarms), 0)
    counts = np.array([other.count(name) for other in recent[first:]], dtype=float).reshape(-1, 2)
    return _e_value(*night.count(name), counts[:, 0], counts[:, 1])


def _e_value(count: float, total: float, counts: Array, totals: Array) -> float:
    """Return the e-value of a count among `total` documents against past nights; without a change, its mean is 1."""
    counts, totals = counts[totals > 0], totals[totals > 0]
    if len(counts) < _WATCH.learned or not total:
        return 1.0
    share = (counts.sum() + 0.5) / (totals.sum() + 1)
    variances = totals * share * (1 - share)
    spread = max(1.0, float(((counts - totals * share) ** 2 / variances).sum()) / (len(counts) - 1))
    mean = total * share
    variance = spread * share * (1 - share) * total * (1 + total / totals.sum())
    overdispersed = max(variance, mean * (1 + 1e-6))
    size = mean**2 / (overdispersed - mean)
    p = max(
        float(stats.nbinom.sf(count - 1, size, size / (size + mean))),
        float(stats.t.sf((count - mean) / np.sqrt(variance), len(counts) - 1)),
    )
    z = min(float(stats.norm.isf(p)), _WATCH.highest)
    return float(np.mean([np.exp(bet * z - bet**2 / 2) for bet in _WATCH.bets]))


# --- The command


def watch(settings: WatchSettings, steps: Steps) -> dict[str, Any]:
    """Assign the documents of a night, add it to the history, and return its record.

    Raises InputError for a file that is not a history, and for a model without a test for documents unlike every group.
    """
    if settings.history is None:
        raise InputError("outgroup watch needs --history FILE: the file that stores the counts of each night")
    inputs = {"documents": settings.docs, "model's files": settings.model, "table": settings.out}
    history = Path(os.path.realpath(settings.history))
    apart(history, inputs, "history", "--history")
    with locked(history):
        past = read_history(settings.history)
        result = storage.fingerprint(storage.model_in(settings.model))
        if past and past[-1]["result"] != result:
            raise InputError(
                f"the history {settings.history} belongs to another result than {settings.model}: use a "
                "separate history for each result, also for a result that continues another"
            )
        assigned = assign(settings, steps)
        with nullcontext(StringIO()) if settings.out is None else assigned_file(settings) as file:
            counts = write(settings, assigned.table, file)
        night = Night(
            counts.total() - counts[UNLIKE] - counts[""],
            counts[UNLIKE],
            {str(number): counts[str(number)] for number in assigned.wordless},
            {str(number): count for number, count in assigned.wordless.items()},
        )
        earlier = past[-_WATCH.window :]
        nights = [Night(**{part.name: record[part.name] for part in fields(Night)}) for record in earlier]
        night = watched(nights, night, settings.false_alarm_every)
        numbers = {name.removeprefix(_WORDS) for name in night.alarms if name != UNLIKE}
        record = {
            "night": len(past) + 1,
            "date": datetime.now().astimezone().isoformat(timespec="minutes"),
            **asdict(night),
            "skipped": counts[""],
            "off_topic": counts[OFF_TOPIC],
            "proposed": [group.to_dict() for group in assigned.proposed],
            "names": {number: assigned.names[int(number)] for number in sorted(numbers, key=int)},
            "result": result,
            "digest": digest(assigned.corpus),
        }
        if not len(assigned.corpus):
            warn("there are no documents: the night is stored with zero counts")
        elif past and past[-1].get("digest") == record["digest"]:
            warn(
                f"the documents are those of night {len(past)}, now counted twice: if the run was repeated, remove the "
                f"last line of {settings.history}"
            )
        with new_file(settings.history, replace=True) as file:
            file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in [*past, record])
    return record


def digest(corpus: Corpus) -> str:
    """Return a digest of the documents, 16 hexadecimal digits.

    >>> digest(Corpus(["a"], ["tea"], [""])) == digest(Corpus(["b"], ["tea"], [""]))
    False
    """
    content = json.dumps([corpus.ids, corpus.texts])  # escapes lone surrogates
    return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()


def sentence(record: Mapping[str, Any]) -> str:
    """Return a line that describes a night.

    >>> night = {"night": 3, "documents": 300, "unlike": 9, "proposed": []}
    >>> sentence(night | {"alarms": ["4"], "names": {"4": "trains"}})
    'night 3: 300 documents, 9 unlike every group; ALARM: group 4 (trains) grows'
    """
    line = (
        f"night {record['night']}: {counted(record['documents'], 'document')}, {record['unlike']:,} unlike every group"
    )
    if record["proposed"]:
        line += "; proposed: " + listed([f"{new['name']} ({len(new['documents'])})" for new in record["proposed"]])
    alarms = [_in_words(name, record["names"]) for name in record["alarms"]]
    return line + (f"; ALARM: {listed(alarms)}" if alarms else "")


def _in_words(alarm: str, names: Mapping[str, str]) -> str:
    if alarm == UNLIKE:
        return "more documents unlike every group than usual"
    number = alarm.removeprefix(_WORDS)
    group = f"group {number} ({names.get(number, '')})"
    return f"{group} grows" if alarm == number else f"the words of {group} change"


# --- The history: a night is a line of JSON


class NightRecord(TypedDict):
    """The fields of a night in the history that later nights read."""

    night: Annotated[Count, bool]
    documents: Count
    unlike: Count
    groups: dict[GroupKey, Count]
    wordless: dict[GroupKey, Count]
    alarms: list[str]
    levels: dict[str, Annotated[float, lambda level: level >= 0]]
    result: str
    digest: NotRequired[str]


def read_history(path: Path) -> list[dict[str, Any]]:
    """Return the records of the nights in a file, [] if it does not exist; raise InputError for other files."""
    if not path.exists():
        return []
    records = []
    for number, line in enumerate(read_limited(path).splitlines(), start=1):
        try:
            records.append(parse_json(line, NightRecord))
        except ValueError as error:
            raise InputError(
                f"line {number} of the history {path} is not a night of outgroup watch ({error}): correct or remove "
                "it, or give another file"
            ) from error
    return records
