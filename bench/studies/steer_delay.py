"""`python -m bench steer delay [DECISIONS] [SECONDS]`: from a decision to the new groups on the screen, in a browser.

20 Newsgroups (18,828 documents), k = 20, at a workbench of its own process. A person in headless Chromium answers what
the page proposes: a document belongs to the group of most documents of its class, by keyboard as on the page; every
tenth decision is junk or a noise word. Milliseconds until the page says that it follows ("shown": at once), until the
groups that follow are drawn ("groups"), and the part of the fit itself, as the version tells. Between decisions that
person waits so many seconds, 0 by default: where how far the groups can be trusted is told meanwhile, it is so many
milliseconds after the decision ("trust").
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from bench import data
from bench.studies.steer_pages import Asked, browsing

_DECIDE = """async (decision) => {
    const { store } = outgroup, before = store.shown, begun = performance.now();
    store.decide(decision);
    await new Promise(requestAnimationFrame);
    const shown = performance.now() - begun;
    const follows = () => store.shown !== before && !store.state.busy && !store.pending.length;
    while (!follows()) await new Promise((done) => { setTimeout(done, 4); });
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return [shown, performance.now() - begun, 1e3 * store.state.versions.at(-1).seconds];
}"""

_TOLD = """async (seconds) => {
    const { store } = outgroup, begun = performance.now(), left = () => 1e3 * seconds - (performance.now() - begun);
    const pause = (time) => new Promise((done) => { setTimeout(done, time); });
    while (store.trustFollows && left() > 0) await pause(4);
    const told = store.trustFollows ? NaN : performance.now() - begun;
    await pause(Math.max(0, left()));
    return told;
}"""


def write(path: Path) -> list[str]:
    """Write the documents; returns their classes."""
    rows = data.records(data.folder() / "20news-18828.jsonl.xz")
    path.write_text("".join(json.dumps({"id": f"d{i}", "text": row["text"]}) + "\n" for i, row in enumerate(rows)))
    return [row["label"] for row in rows]


def decided(page: Any, classes: list[str], count: int, seconds: float) -> np.ndarray:
    """Return the milliseconds of so many decisions, (count, 4); not a number for trust that was not told."""
    found, rng = [], np.random.default_rng(0)
    for number in range(count):
        groups = page.evaluate("Array.from(outgroup.store.columns.group)")
        asked = page.evaluate("() => outgroup.tray.proposals.map(({ id }) => id).filter(Boolean)")
        fresh = page.evaluate("(ids) => ids.find((id) => !outgroup.store.effects.documents.has(id))", asked)
        row = int(fresh[1:]) if fresh else int(rng.integers(len(classes)))
        of_class = Counter(group for group, label in zip(groups, classes, strict=False) if label == classes[row])
        decision = {"kind": "belongs", "document": f"d{row}", "group": max(0, of_class.most_common(1)[0][0])}
        if number % 10 == 9:
            decision = {"kind": "off-topic", "document": f"d{row}"}
        shown, groups, fit = page.evaluate(_DECIDE, decision)
        found.append([shown, groups, fit, groups + page.evaluate(_TOLD, seconds)])
    return np.array(found)


def main(argv: list[str]) -> None:
    """Print median, 95 % and most of the delays."""
    count, seconds = int(argv[0]) if argv else 100, float(argv[1]) if argv[1:] else 0.0
    with tempfile.TemporaryDirectory() as folder:
        classes = write(Path(folder) / "docs.jsonl")
        asked = Asked(Path(folder), 20)
        try:
            asked.settled()
            with browsing(asked) as page:
                page.wait_for_selector(".proposals li", state="attached")  # the list may be folded
                delays = decided(page, classes, count, seconds)
                memory = asked.memory
        finally:
            asked.close()
    print(f"{count} decisions on {len(classes):,} documents, {memory:.0f} MB: milliseconds, median, 95 %, most")
    for what, each in zip(("shown", "groups", "fit alone", "trust"), delays.T, strict=True):
        known = each[~np.isnan(each)]
        if len(known):
            print(f"{what:<10}" + "".join(f"{value:9.0f}" for value in np.quantile(known, [0.5, 0.95, 1])))
    print(f"trust was not told before the next decision in {np.isnan(delays[:, 3]).sum()} of {count}")
