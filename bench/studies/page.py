"""`python -m bench page [DOCUMENTS:GROUPS ...]`: how fast the report is made, opens, searches and draws, in a browser.

"open" is until map and groups are there, "all" until every document can be listed.

Documents are made up of the words of one topic each and of common ones, about 400 letters; by default 2,000 in 20
groups, 20,000 in 150 and 100,000 in 20. Needs Playwright and a Chromium. Milliseconds are medians.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
import scipy.sparse as sp

from outgroup.report.facts import Clustering, RunFacts
from outgroup.report.html import render
from outgroup.report.summary import summarise

DEFAULT = ("2000:20", "20000:150", "100000:20")
WORDS, OWN, COMMON = 60, 60, 2_000  # words of a document, words of a topic, words of all
COLUMNS = {"open": 7, "all": 6, "frame": 9, "zoomed": 10, "search": 10, "scroll": 10}  # milliseconds, and their widths
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
]

_DRAW = """(steps) => {
    const { map } = outgroup, times = [];
    map.camera.by(STEP_ZOOM);
    for (let i = 0; i < steps; i++) {
        const before = performance.now();
        map.camera.pan(i % 2 ? 9 : -9, 4);
        map.draw();
        times.push(performance.now() - before);
    }
    map.camera.whole();
    return times.sort((a, b) => a - b)[steps >> 1];
}"""
_SEARCH = """async () => {
    const { store } = outgroup, times = [];
    await store.more;
    for (const q of ["topic3word7", "word11", '"rd1', "nothing", "topic1word1 word3"]) {
        const before = performance.now();
        await store.find({ q });
        times.push(performance.now() - before);
    }
    return times.sort((a, b) => a - b)[2];
}"""
_SCROLL = """(steps) => {
    const { list } = outgroup.list, times = [];
    for (let i = 0; i < steps; i++) {
        const before = performance.now();
        list.box.scrollTop = (i * 7919 * 66) % (list.rows.length * 66);
        list.redraw();
        list.box.getBoundingClientRect();
        times.push(performance.now() - before);
    }
    return times.sort((a, b) => a - b)[steps >> 1];
}"""


def made_up(n: int, k: int) -> Clustering:
    """Return n documents of k topics."""
    rng = np.random.default_rng(0)
    labels = np.arange(n) % k
    names = [f"topic{t}word{w}" for t in range(k) for w in range(OWN)] + [f"word{w}" for w in range(COMMON)]
    own = labels[:, None] * OWN + rng.integers(0, OWN, (n, WORDS // 3))
    common = k * OWN + np.minimum(rng.zipf(1.3, (n, WORDS - WORDS // 3)), COMMON) - 1
    columns = np.hstack([own, common])
    X = sp.csr_matrix((np.ones(columns.size, np.float32), columns.ravel(), np.arange(n + 1) * WORDS), (n, len(names)))
    X.sum_duplicates()
    X.data /= np.repeat(np.sqrt(X.multiply(X).sum(axis=1)).A1, np.diff(X.indptr))
    coef = np.zeros((k, len(names)))
    for topic in range(k):
        coef[topic, topic * OWN : (topic + 1) * OWN] = rng.random(OWN)
    texts = [" ".join(names[c] for c in row) for row in columns.tolist()]
    titles = [text[:40] for text in texts]
    ids = [f"document-{i}" for i in range(n)]
    return Clustering(X, labels, X @ coef.T, coef, names, ids, titles, texts)


def measure(path: Path) -> dict[str, float]:
    """Return milliseconds: until the groups are there and until all is, of a frame, a search and a jump in the list."""
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGS)
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.set_default_timeout(120_000)
        page.goto(path.as_uri())
        page.wait_for_selector(".columns-3 .panel")
        found = {"open": page.evaluate("performance.now()")}
        page.evaluate("outgroup.store.full")
        found["all"] = page.evaluate("performance.now()")
        found["frame"] = page.evaluate(_DRAW.replace("STEP_ZOOM", "1"), 60)
        found["zoomed"] = page.evaluate(_DRAW.replace("STEP_ZOOM", "6"), 60)
        found["search"] = page.evaluate(_SEARCH)
        page.evaluate("location.hash = '#view=list'")
        page.wait_for_selector(".virtual li")
        found["scroll"] = page.evaluate(_SCROLL, 60)
        browser.close()
    return found


def main(argv: list[str]) -> None:
    print("documents groups | summary s  page s  file MB | open ms  all ms  frame ms  zoomed ms  search ms  scroll ms")
    for asked in argv or DEFAULT:
        n, k = map(int, asked.split(":"))
        began = perf_counter()
        summary = summarise(made_up(n, k), run=RunFacts(run={"title": f"{n} documents"}))
        summed = perf_counter()
        html = render(summary)
        rendered = perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report.html"
            path.write_text(html, encoding="utf-8")
            found = measure(path)
        made = f"{n:9,} {k:6} | {summed - began:9.1f} {rendered - summed:7.1f} {len(html) / 1e6:8.1f}"
        shown = [f"{found[name]:{width}.1f}" for name, width in COLUMNS.items()]
        print(made, "|", *shown, flush=True)
