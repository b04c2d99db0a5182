"""Watch new documents, night after night: a sequential test with a stated rate of false alarms."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from scipy import stats

from ..cluster.base import is_count
from ..document_clustering import ProposedGroup
from ..errors import InputError
from ..report.sentences import counted, listed
from ..storage.atomic import new_file
from ..storage.json_values import parse_json
from ..types import Array
from . import assignments
from .assign import assign, assigned_file, loaded, model_in, names_of, write
from .assignments import OFF_TOPIC, UNLIKE
from .cluster import apart
from .output import Steps
from .settings import WatchSettings


@dataclass(frozen=True)
class _Constants:
    """The alarms of a year without a change, and the nights until a new theme is seen: `bench watch`."""

    learned: int = 5  # nights that show what is usual, before the first test
    window: int = 60  # past nights that show what is usual
    bets: tuple[float, ...] = (1.0, 2.0, 3.0)  # sizes of a change in standard deviations
    highest: float = 8.0  # standard deviations that count


_SET = _Constants()
_MEANINGS = {UNLIKE: "more documents unlike every group than usual"}


@dataclass(frozen=True)
class Night:
    """The counts of a night: documents with a row, those unlike every group, and those of each group by number."""

    documents: int
    unlike: int
    groups: Mapping[str, int]


def alarms(nights: Sequence[Night], every: float) -> list[list[str]]:
    """Return the alarms of each night: "unlike_all", or the number of a group that grows.

    A count of the night is compared with those of the past 60 nights: its p-value under a negative binomial with their
    mean and variance, at least that of Student's t, becomes an e-value. Each count has a Shiryaev-Roberts detector,
    M = (M + 1) e. An alarm is raised where their weighted mean reaches `every`, so the mean number of nights until a
    false alarm is at least that. The count of unlike documents has half of the weight. After an alarm a count learns
    anew what is usual.

    >>> quiet = [Night(100, 3 + night % 3, {"0": 50 + night % 4}) for night in range(30)]
    >>> [found for found in alarms([*quiet, Night(100, 40, {"0": 51})], 365) if found]
    [['unlike_all']]
    """
    names = sorted({name for night in nights for name in night.groups}, key=int)
    counts = np.array([[night.unlike, *(night.groups.get(name, 0) for name in names)] for night in nights], dtype=float)
    totals = np.array([night.documents for night in nights], dtype=float)
    weights = np.array([0.5, *[0.5 / max(len(names), 1)] * len(names)])
    found, level, first = list[list[str]](), np.zeros(len(weights)), np.zeros(len(weights), dtype=int)
    for night, total in enumerate(totals):
        for column in range(len(weights)):
            past = slice(max(first[column], night - _SET.window), night)
            e = _e_value(counts[night, column], total, counts[past, column], totals[past])
            level[column] = (level[column] + 1) * e
        high = weights * level
        raised = high >= high.max() / 2 if high.sum() >= every else np.zeros(len(weights), dtype=bool)
        found.append([name for name, above in zip([UNLIKE, *names], raised.tolist(), strict=True) if above])
        level[raised], first[raised] = 0.0, night + 1
    return found


def _e_value(count: float, total: float, counts: Array, totals: Array) -> float:
    """Return the e-value of a count among `total` documents against past nights: its mean without a change is 1."""
    counts, totals = counts[totals > 0], totals[totals > 0]
    if len(counts) < _SET.learned or not total:
        return 1.0
    share = (counts.sum() + 0.5) / (totals.sum() + 1)
    usual = totals * share * (1 - share)
    spread = max(1.0, float(((counts - totals * share) ** 2 / usual).sum()) / (len(counts) - 1))
    mean = total * share
    variance = spread * share * (1 - share) * total * (1 + total / totals.sum())
    over = max(variance, mean * (1 + 1e-6))
    size = mean**2 / (over - mean)
    p = max(
        float(stats.nbinom.sf(count - 1, size, size / (size + mean))),
        float(stats.t.sf((count - mean) / np.sqrt(variance), len(counts) - 1)),
    )
    z = min(float(stats.norm.isf(p)), _SET.highest)
    return float(np.mean([np.exp(bet * z - bet**2 / 2) for bet in _SET.bets]))


# --- The command


def watch(settings: WatchSettings, steps: Steps) -> dict[str, Any]:
    """Assign the documents of a night, add it to the history, and return its record.

    Raises InputError for a file that is not a history, and for a model that cannot tell which documents are unlike
    every group.
    """
    if settings.history is None:
        raise InputError("outgroup watch needs --history FILE: the file that stores the counts of each night")
    if settings.memory is not None or settings.cluster is not None:
        raise InputError("--memory and --cluster are not valid for outgroup watch: leave them out")
    given = {"documents": settings.docs, "model's files": settings.model, "table": settings.out}
    apart(Path(os.path.realpath(settings.history)), given, "history", "--history")
    past = read_history(settings.history)
    folder = model_in(settings.model)
    table, proposed = assign(settings, steps)
    if settings.out is None:
        found = assignments.write(table, StringIO())
    else:
        with assigned_file(settings) as file:
            found = write(settings, table, file)
    record = _record(found, proposed, len(past) + 1)
    nights = [_night(each) for each in [*past, record]]
    record["alarms"] = alarms(nights, settings.false_alarm_every)[-1]
    names = names_of(folder, loaded(folder))
    record["names"] = {name: names[int(name)] for name in record["alarms"] if name != UNLIKE}
    with new_file(settings.history, replace=True, ours=_is_history) as file:
        _write(file, [*past, record])
    return record


def _record(found: Counter[str], proposed: Sequence[ProposedGroup], number: int) -> dict[str, Any]:
    groups = {name: count for name, count in found.items() if name not in ("", OFF_TOPIC, UNLIKE)}
    return {
        "night": number,
        "date": datetime.now().astimezone().isoformat(timespec="minutes"),
        "documents": sum(groups.values()) + found[OFF_TOPIC],
        "skipped": found[""],
        "off_topic": found[OFF_TOPIC],
        "unlike": found[UNLIKE],
        "groups": dict(sorted(groups.items(), key=lambda each: int(each[0]))),
        "proposed": [each.to_dict() for each in proposed],
    }


def sentence(record: Mapping[str, Any]) -> str:
    """Return the line of a night.

    >>> night = {"night": 3, "documents": 300, "unlike": 9, "proposed": []}
    >>> sentence(night | {"alarms": ["4"], "names": {"4": "trains"}})
    'night 3: 300 documents, 9 unlike every group; ALARM: group 4 (trains) grows'
    """
    line = (
        f"night {record['night']}: {counted(record['documents'], 'document')}, {record['unlike']:,} unlike every group"
    )
    if record["proposed"]:
        line += "; proposed: " + listed([f"{each['name']} ({len(each['documents'])})" for each in record["proposed"]])
    raised = [_MEANINGS.get(name) or f"group {name} ({record['names'][name]}) grows" for name in record["alarms"]]
    return line + (f"; ALARM: {listed(raised)}" if raised else "")


# --- The history: a line of JSON for each night


def read_history(path: Path) -> list[dict[str, Any]]:
    """Return the records of the nights in a file; [] if it does not exist. Raises InputError for another file."""
    if not path.exists():
        return []
    records = []
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InputError(f"cannot read the history {path}: {error.strerror}") from error
    for number, line in enumerate(lines, start=1):
        try:
            record = parse_json(line)
        except ValueError as error:
            raise InputError(
                f"line {number} of the history {path} is not JSON ({error}): correct or remove it"
            ) from error
        if not _is_record(record):
            raise InputError(f"line {number} of the history {path} is not a night of outgroup watch: give another file")
        records.append(record)
    return records


def _is_record(record: Any) -> bool:
    groups = record.get("groups") if isinstance(record, dict) else None
    return (
        isinstance(groups, dict)
        and all(is_count(record.get(name), 0) for name in ("documents", "unlike"))
        and record["unlike"] <= record["documents"]
        and all(name.isascii() and name.isdigit() and len(name) < 10 for name in groups)
        and all(is_count(count, 0) and count <= record["documents"] for count in groups.values())
    )


def _is_history(path: Path) -> bool:
    try:
        return bool(read_history(path)) or not path.read_bytes().strip()
    except (InputError, OSError):
        return False


def _night(record: Mapping[str, Any]) -> Night:
    return Night(record["documents"], record["unlike"], record["groups"])


def _write(file: TextIO, records: Sequence[Mapping[str, Any]]) -> None:
    file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
