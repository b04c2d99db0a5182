"""`python -m bench steer delay [DECISIONS]`: from a decision to the new groups on the screen, in a browser.

20 Newsgroups (18,828 documents), k = 20, at a workbench of its own process. A person in headless Chromium answers what
the page proposes: a document belongs to the group of most documents of its class, by keyboard as on the page; every
tenth decision is junk or a noise word. Milliseconds until the page says that it follows ("shown": at once), until the
groups that follow are drawn ("groups"), and the part of the fit itself, as the version tells.
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


def write(path: Path) -> list[str]:
    """Write the documents; returns their classes."""
    rows = data.records(data.folder() / "20news-18828.jsonl.xz")
    path.write_text("".join(json.dumps({"id": f"d{i}", "text": row["text"]}) + "\n" for i, row in enumerate(rows)))
    return [row["label"] for row in rows]


def decided(page: Any, classes: list[str], count: int) -> np.ndarray:
    """Return the milliseconds of so many decisions, (count, 3)."""
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
        found.append(page.evaluate(_DECIDE, decision))
    return np.array(found)


def main(argv: list[str]) -> None:
    """Print median, 95 % and most of the delays."""
    count = int(argv[0]) if argv else 100
    with tempfile.TemporaryDirectory() as folder:
        classes = write(Path(folder) / "docs.jsonl")
        asked = Asked(Path(folder), 20)
        try:
            asked.settled()
            with browsing(asked) as page:
                page.wait_for_selector(".proposals li")
                delays = decided(page, classes, count)
        finally:
            asked.close()
    print(f"{count} decisions on {len(classes):,} documents: milliseconds, median, 95 %, most")
    for what, each in zip(("shown", "groups", "fit alone"), delays.T, strict=True):
        print(f"{what:<10}" + "".join(f"{value:9.0f}" for value in (*np.quantile(each, [0.5, 0.95]), each.max())))
