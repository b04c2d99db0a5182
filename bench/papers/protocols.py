"""The kinds of tables: what is shown of the results, and by which protocol."""

from __future__ import annotations

import statistics
from itertools import chain
from typing import Any

import numpy as np
from scipy import stats

from bench.papers.plan import Paper, columns, expanded, line_of, options_in_words, sampled, tried
from bench.papers.runner import DONE, Key, Row

Results = dict[Key, list[Row]]
Table = tuple[list[str], list[list[Any]]]
HEADER = [
    *("data", "method", "paper", "as printed", "groups", "starts", "settings", "best single run", "without labels"),
    "printed - paper",
]


def protocols(paper: Paper, table: dict[str, Any], found: Results) -> Table:
    """The best setting as printed, and beside it the defaults, of which no label chose anything."""
    lines = []
    for label, parts in paper["tasks"].items():
        for method in [method for method in paper["methods"] if method in table["printed"]]:
            if label in paper["methods"][method].get("on", paper["tasks"]):
                printed = table["printed"][method].get(label)
                groups = [_tried(paper, found, name, method) for name in expanded(parts)]
                lines.append([label, _called(paper, method), printed, *_cells(groups, table, printed)])
    return HEADER, lines


def _called(paper: Paper, method: str) -> str:
    rows = paper["methods"][method].get("rows")
    return f"{method}, {rows} rows" if rows else method


def _tried(paper: Paper, found: Results, task: str, method: str) -> dict[str, list[Row]]:
    """Return the rows of each setting of a method's grid on a task, by its options; figures have further ones."""
    plan = paper["methods"][method]
    return {options: found.get((sampled(plan, task), method, options), []) for options in tried(plan, task)}


def done(rows: list[Row]) -> list[Row]:
    """Return the starts that came to an end."""
    return [row for row in rows if row["status"] == DONE]


def _cells(groups: list[dict[str, list[Row]]], table: dict[str, Any], printed: float | None) -> list[Any]:
    """Return the columns from "as printed" on, averaged over the tasks that a row stands for."""
    ran = [{options: done(rows) for options, rows in group.items() if done(rows)} for group in groups]
    if not all(ran):
        return [_reason(groups), *[None] * 6]
    measure, scale = table["measure"], table["scale"]
    best = [_best(group, measure) for group in ran]
    value, spread, single = (scale * statistics.fmean(column) for column in list(zip(*best, strict=True))[:3])
    plain = [kept(group["{}"], measure) for group in ran if "{}" in group]
    starts, occupied = min(each[3] for each in best), statistics.fmean(each[4] for each in best)
    return [
        value, occupied, f"{starts} (± {spread:.3g})", len(ran[0]), None if measure == "seconds" else single,
        scale * statistics.fmean(plain) if len(plain) == len(ran) else None,
        None if printed is None else value - printed,
    ]  # fmt: skip


def _reason(groups: list[dict[str, list[Row]]]) -> str:
    notes = [row["note"] for group in groups for rows in group.values() for row in rows if row["status"] != DONE]
    return notes[0] if notes else "not run yet"


def kept(rows: list[Row], measure: str) -> float:
    """Return a setting's value: that of its best start, the mean where there is no loss, the median of seconds."""
    if measure == "seconds":
        return statistics.median(row[measure] for row in rows)  # the first start warms caches up
    if rows[0]["loss"] is None:
        return statistics.fmean(row[measure] for row in rows)
    return float(best_start(rows)[measure])


def best_start(rows: list[Row]) -> Row:
    """Return the start that a method would keep: with the fewest empty groups, and of these of the lowest loss."""
    return min(rows, key=lambda row: (-row["groups"], row["loss"]))


def _best(settings: dict[str, list[Row]], measure: str) -> tuple[float, float, float, int, float]:
    """Return the value of the setting that the labels like best, its deviation, the best of all runs, its starts, and
    how many of its groups have rows.

    Seconds are those of the setting of highest accuracy.
    """
    chooser = "accuracy" if measure == "seconds" else measure
    best = max(settings.values(), key=lambda starts: kept(starts, chooser))
    single = max(row[measure] for rows in settings.values() for row in rows)
    spread = statistics.pstdev(row[measure] for row in best)
    return kept(best, measure), spread, single, len(best), kept(best, "groups")


def means(paper: Paper, table: dict[str, Any], found: Results) -> Table:
    """Means over the starts of each line's method and options, a column a task: nothing is chosen."""
    tasks_of, lines = columns(paper, table), []
    for label, line in table["lines"].items():
        if line["method"] in paper["methods"]:
            printed = table.get("printed", {}).get(label, {})
            ran = {head: done(found.get((task, *line_of(line)), [])) for task, head in tasks_of.items()}
            lines.append([label, *(_mean(rows, table, printed.get(head)) for head, rows in ran.items())])
    return ["mean ± deviation (paper)", *tasks_of.values()], lines


def _mean(rows: list[Row], table: dict[str, Any], printed: float | None) -> str:
    if not rows:
        return "not run yet"
    values, digits = [table["scale"] * row[table["measure"]] for row in rows], table.get("digits", 3)
    spread = f" ± {statistics.stdev(values):.{digits}f}" if len(values) > 1 else ""
    return f"{statistics.fmean(values):.{digits}f}{spread}" + ("" if printed is None else f" ({printed:.{digits}f})")


def paired(paper: Paper, table: dict[str, Any], found: Results) -> Table:
    """The effect of each of a method's options on the same starts, with a 95 % interval."""
    lines: list[list[Any]] = []
    for label, parts in paper["tasks"].items():
        base = done(found.get((parts[0], table["base"], "{}"), []))
        for options, rows in _tried(paper, found, parts[0], table["method"]).items():
            lines.append([label, options_in_words(options), *_effect(done(rows), base, table)])
    return ["data", "Universum", "mean without", "mean effect", "95 % interval", "starts", ""], lines


def _effect(rows: list[Row], base: list[Row], table: dict[str, Any]) -> list[Any]:
    if len(rows) != len(base) or len(base) < 2:
        return ["not run yet", *[None] * 4]
    values, without = (np.array([table["scale"] * row[table["measure"]] for row in each]) for each in (rows, base))
    effect = values - without
    mean, error = float(effect.mean()), float(effect.std(ddof=1)) / len(effect) ** 0.5
    half = float(stats.t.ppf(0.975, len(effect) - 1)) * error
    interval = f"{mean - half:+.4f} to {mean + half:+.4f}"
    return [float(without.mean()), mean, interval, len(effect), _verdict(mean, half)]


def _verdict(mean: float, half: float) -> str:
    if abs(mean) <= half:
        return "nil, within noise"
    return "better" if mean > 0 else "worse"


def objectives(paper: Paper, table: dict[str, Any], found: Results) -> Table:
    """The objective that the starts reach against the one from the classes themselves, at the setting printed above.

    Where a line stands for several tasks, each has its own setting, and the line shows the means.
    """
    lines: list[list[Any]] = []
    tasks = paper["tasks"] if {table["method"], table["oracle"]} <= set(paper["methods"]) else {}
    for label, parts in tasks.items():
        sides = [_against_the_classes(paper, table, found, name) for name in expanded(parts)]
        if all(sides):
            settings, *columns = zip(*sides, strict=True)
            setting = settings[0] if len(sides) == 1 else f"of each of {len(sides)} pairs"
            lines.append([label, setting, *(statistics.fmean(column) for column in columns)])
    heads = [f"{side}{column}" for side in ("starts: ", "classes: ") for column in ("J", "accuracy", "groups")]
    return ["data", "setting", *heads], lines


def _against_the_classes(paper: Paper, table: dict[str, Any], found: Results, task: str) -> list[Any]:
    """Return the best setting, J, agreement and groups of its best start and from the classes; nothing if not run."""
    ran = {o: done(rows) for o, rows in _tried(paper, found, task, table["method"]).items() if done(rows)}
    if not ran:
        return []
    options = max(ran, key=lambda o: kept(ran[o], table["measure"]))
    oracle = done(found.get((task, table["oracle"], options), []))
    if not oracle:
        return []
    both = (best_start(ran[options]), oracle[0])
    measured = ((row["loss"], table["scale"] * row[table["measure"]], row["groups"]) for row in both)
    return [options_in_words(options), *chain.from_iterable(measured)]
