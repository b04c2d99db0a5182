"""`python -m bench film [OUT.webp]`: one minute at the workbench, filmed in a headless Chromium on the bundled corpus.

One picture of it is kept beside (OUT.png). Every picture is a screenshot of the real workbench after the step that its
caption tells. Needs Playwright, a Chromium and Pillow.
"""

from __future__ import annotations

import io
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.studies.page import ARGS
from outgroup.demo import documents_path, off_topic_path

WIDTH, HEIGHT, BAR = 1180, 720, 44
_IDLE = """!outgroup.store.state.busy && !outgroup.store.pending.length && outgroup.store.decisions.length === {count}
    && outgroup.store.shown === outgroup.store.state.version
    && outgroup.store.state.versions.at(-1).decisions === {count}"""

# The first document between two groups whose label is mostly in another group, and that group.
_ASTRAY = """async () => {
    const { store } = outgroup, { codes } = await store.field("label"), tally = new Map();
    const { group } = store.columns, numbers = store.summary.groups.map(({ number }) => number);
    for (let i = 0; i < store.n; i++) {
        const key = `${codes[i]} ${group[i]}`;
        tally.set(key, (tally.get(key) ?? 0) + 1);
    }
    const count = (i, g) => tally.get(`${codes[i]} ${g}`) ?? 0;
    const home = (i) => numbers.reduce((a, b) => (count(i, b) > count(i, a) ? b : a));
    const found = store.list({ sort: "uncertain" });
    const astray = (i) => group[i] >= 0 && count(i, home(i)) > 20 && home(i) !== group[i];
    const row = found.find(astray) ?? found[0];
    return [row, home(row)];
}"""


@contextmanager
def workbench(folder: Path) -> Iterator[str]:
    """The address of a workbench of its own process."""
    command = [sys.executable, "-u", "-m", "outgroup", "workbench", str(documents_path()), "-k", "5", "--no-browser"]
    command += ["--universum", str(off_topic_path()), "--project", "work.outgroup", "--out", "groups"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield next(found.group() for line in process.stdout if (found := re.search(r"http://\S+", line)))
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)


class Film:
    """Pictures of a page, each with what it shows and for how long."""

    def __init__(self, page: Any) -> None:
        self.page, self.frames, self.seconds, self.still = page, list[Any](), list[float](), b""

    def take(self, caption: str, seconds: float) -> None:
        from PIL import Image, ImageDraw, ImageFont

        self.page.wait_for_timeout(250)
        shot = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        frame = Image.new("RGB", (WIDTH, HEIGHT + BAR), "#1d2733")
        frame.paste(shot, (0, BAR))
        ImageDraw.Draw(frame).text((18, 10), caption, font=ImageFont.load_default(21), fill="white")
        self.frames.append(frame.resize((WIDTH * 4 // 5, (HEIGHT + BAR) * 4 // 5), Image.Resampling.LANCZOS))
        self.seconds.append(seconds)
        print(caption, flush=True)

    def keep(self) -> None:
        """Take the one picture, of a larger window, when what is told in passing is gone."""
        self.page.set_viewport_size({"width": 1400, "height": 900})
        self.page.wait_for_timeout(5_000)
        self.still = self.page.screenshot()
        self.page.set_viewport_size({"width": WIDTH, "height": HEIGHT})

    def settled(self, count: int) -> None:
        self.page.wait_for_function(f"() => {_IDLE.format(count=count)}")

    def write(self, path: Path) -> None:
        from PIL import Image

        first, *others = self.frames
        durations = [round(1000 * each) for each in self.seconds]
        still = Image.open(io.BytesIO(self.still)).convert("RGB")
        still = still.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        still.save(path.with_suffix(".png"), optimize=True)
        first.save(path, save_all=True, append_images=others, duration=durations, loop=0, quality=50, method=6)


def story(film: Film) -> None:
    page, press = film.page, film.page.keyboard.press
    film.take("One command, no account, no network: outgroup workbench mail.jsonl -k 5 --universum junk.jsonl", 5)
    page.evaluate("location.hash = 'group=1'")
    film.take("A group: its words, its trust, its documents", 5)
    row, home = page.evaluate(_ASTRAY)
    page.evaluate(f"outgroup.pick({{ doc: {row} }})")
    page.wait_for_function(f"() => outgroup.doc === {row}")
    film.take("The workbench proposes the most informative documents, each with its reasons", 6)
    press(str(home))
    film.take("A key puts it into its group ...", 3)
    film.settled(1)
    film.take("... and the groups follow, in a second", 4)
    page.evaluate("location.hash = ''")
    page.wait_for_function("() => outgroup.doc < 0")
    page.evaluate(f"outgroup.pick({{ doc: {row} }})")
    film.keep()
    page.evaluate("outgroup.pick({ doc: outgroup.store.list({ sort: 'off-topic' })[0] })")
    page.wait_for_function("() => outgroup.doc === outgroup.store.list({sort: 'off-topic'})[0]")
    press("x")
    film.settled(2)
    film.take("x marks junk: an example of texts that belong to no group", 5)
    page.get_by_role("button", name="Decisions").click()
    page.get_by_role("button", name="what came of it?").last.click()
    page.locator(".came").first.wait_for()
    film.take("Every decision has a receipt: does it hold, what moved, what contradicts it", 6)
    page.evaluate("location.hash = 'group=0'")
    page.wait_for_function("() => outgroup.route.group === 0")
    press("s")
    page.locator("dialog.ask").wait_for()
    film.take("s splits the group: a decision that moves many documents shows them first", 5)
    press("y")
    film.settled(3)
    press("z")
    film.settled(2)
    film.take("z takes it back: the earlier version is there again, exactly", 4)
    page.get_by_role("button", name="Versions").click()
    film.take("Every version stays; with known labels, a curve shows the agreement after each decision", 6)
    page.get_by_role("button", name="compare version 1").click()
    page.locator(".ways").wait_for()
    film.take("Two versions side by side: the moves between groups, and the groups of both", 6)
    page.evaluate("location.hash = 'view=compare'")
    film.take("Two groups side by side: the words that tell them apart, and the documents between them", 5)
    page.evaluate("location.hash = ''")
    page.get_by_role("button", name="Export").click()
    page.get_by_text("Written to").wait_for()
    film.take("Export writes the same folder as outgroup cluster; work.outgroup keeps every decision", 6)


def main(argv: list[str]) -> None:
    """Write the film, and print how long and how large it is."""
    from playwright.sync_api import sync_playwright

    path = Path(argv[0] if argv else "docs/figures/workbench.webp")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with tempfile.TemporaryDirectory() as folder, workbench(Path(folder)) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGS)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.set_default_timeout(120_000)
        page.goto(address)
        page.wait_for_selector(".columns-3 .panel")
        page.evaluate("outgroup.tray.stay = true; outgroup.tray.box.open = true")  # its lists are part of the story
        page.wait_for_selector(".proposals a")
        film = Film(page)
        story(film)
        browser.close()
    film.write(path)
    print(f"{path}: {len(film.frames)} pictures, {sum(film.seconds):.0f} s, {path.stat().st_size / 1e6:.2f} MB")
