"""`python -m bench steer pages [DOCUMENTS:GROUPS ...]`: routes of a workbench of many documents, and opening its page.

Documents are made up of fifteen words each, as for `python -m bench page`. Milliseconds of the first answer of each
route, asked over HTTP of a workbench of its own process, and of the browser until map and groups, and a first list, are
there; megabytes of the process (at its most) and of what the browser was sent until the map stood.
"""

from __future__ import annotations

import http.client
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import numpy as np

from bench.studies.page import ARGS

DEFAULT = ("100000:20", "500000:20")
WORDS, OWN, COMMON = 15, 60, 2_000


def word(number: int) -> str:
    """Return a made-up word of three syllables: 8,000 different ones."""
    syllables = [first + second for first in "bdfgklmnpr" for second in "ao"]
    return "".join(syllables[number // base % 20] for base in (1, 20, 400)) + "x"


def write(path: Path, n: int, k: int) -> None:
    """Write n documents of k topics: a third of the words is of the topic, the others are common ones."""
    rng, called = np.random.default_rng(0), [word(number) for number in range(k * OWN + COMMON + 1)]
    own, common = rng.integers(0, OWN, (n, WORDS // 3)), np.minimum(rng.zipf(1.3, (n, WORDS - WORDS // 3)), COMMON)
    with path.open("w", encoding="utf-8") as file:
        for i in range(n):
            words = [called[COMMON + 1 + i % k * OWN + w] for w in own[i]] + [called[w] for w in common[i]]
            file.write(json.dumps({"id": f"d{i}", "text": " ".join(words)}) + "\n")


class Asked:
    """A workbench of its own process, and one connection to it."""

    def __init__(self, folder: Path, k: int) -> None:
        command = [sys.executable, "-u", "-m", "outgroup", "workbench", "docs.jsonl", "-k", str(k)]
        command += ["--no-browser", "--threads", "2"]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        found = None
        while found is None:
            found = re.search(r"http://([^/]+)(/\S+)", self.process.stdout.readline())
        self.host, path = found.groups()
        self.connection = http.client.HTTPConnection(self.host, timeout=600)
        self.connection.request("GET", path)
        answer = self.connection.getresponse()
        answer.read()
        self.cookie = str(answer.getheader("set-cookie")).partition(";")[0]

    def __call__(self, path: str, said: Any = None) -> tuple[float, bytes]:
        """Return milliseconds until the whole answer is there, and the answer."""
        headers = {"cookie": self.cookie, "origin": f"http://{self.host}", "content-type": "application/json"}
        body, begun = None if said is None else json.dumps(said), perf_counter()
        self.connection.request("GET" if said is None else "POST", path, body, headers)
        answer = self.connection.getresponse()
        content = answer.read()
        assert answer.status == 200, content
        return 1e3 * (perf_counter() - begun), content

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self("/api/state")[1])
        return found

    def settled(self) -> float:
        """Wait until the groups stand; return the longest that the state took meanwhile, in milliseconds."""
        longest = 0.0
        while True:
            taken, content = self("/api/state")
            longest, found = max(longest, taken), json.loads(content)
            if found["parts"] and not found["busy"]:
                return longest
            sleep(0.1)

    def looked(self) -> None:
        """Wait until there is something to look at."""
        while not self.state()["parts"]:
            sleep(0.1)

    @property
    def memory(self) -> float:
        """Megabytes of the process at its most."""
        said = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+)", said)
        return int(found[1]) / 1e3 if found else float("nan")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


def routes(asked: Asked) -> dict[str, float]:
    """Return milliseconds of the first answer of each route, of the version that stands."""
    asked.connection.close()  # while a browser was busy the server may have ended it
    asked.state()
    found = {f"part {name}": asked(f"/api/part/{name}")[0] for name in asked.state()["parts"]}
    found = {"the slowest part": max(found.values())}
    found["state"] = asked("/api/state")[0]
    found["rows"] = asked("/api/rows", {"rows": list(range(0, 4000, 100)), "ids": ["d17"]})[0]
    found["document"] = asked("/api/document", {"row": 123})[0]
    found["find, a rare word"] = asked("/api/find", {"text": word(COMMON + 100), "more": 1, "start": 0})[0]
    found["find, a common word"] = asked("/api/find", {"text": word(1), "more": 1, "start": 0})[0]
    found["next"] = asked("/api/next")[0]
    begun = perf_counter()
    found["decide"] = asked("/api/decide", {"kind": "belongs", "document": "d5", "group": 0})[0]
    found["state, while groups follow"] = asked.settled()
    found["until the groups follow"] = 1e3 * (perf_counter() - begun)
    found["next, after a decision"] = asked("/api/next")[0]
    found["receipt"] = asked("/api/receipt?decision=0")[0]
    found["compare"] = asked("/api/compare?before=1&after=2")[0]
    return found


@contextmanager
def browsing(asked: Asked) -> Iterator[Any]:
    """Yield a page of a headless Chromium at the workbench that is asked."""
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    name, _, value = asked.cookie.partition("=")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGS)
        context = browser.new_context(viewport={"width": 1400, "height": 900})
        context.add_cookies([{"name": name, "value": value, "url": f"http://{asked.host}/"}])
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.goto(f"http://{asked.host}/")
        yield page
        browser.close()


def opened(asked: Asked) -> dict[str, float]:
    """Return milliseconds until map and groups, a first list, a search are there, and megabytes sent."""
    with browsing(asked) as page:
        page.wait_for_selector(".columns-3 .panel")
        found = {"open": page.evaluate("performance.now()")}
        size = "performance.getEntriesByType('resource').reduce((sum, each) => sum + each.encodedBodySize, 0) / 1e6"
        found["MB sent"] = page.evaluate(size)
        begun = perf_counter()
        page.evaluate("location.hash = 'view=list'")
        page.wait_for_selector(".virtual li .title")
        page.wait_for_function("() => document.querySelector('.virtual .title').textContent !== '\\u2026'")
        found["first list"] = 1e3 * (perf_counter() - begun)
        begun = perf_counter()
        page.evaluate("(q) => outgroup.store.find({ q })", word(COMMON + 100))
        found["whole search"] = 1e3 * (perf_counter() - begun)
    return found


def main(argv: list[str]) -> None:
    """Print the routes of workbenches of so many documents."""
    for given in argv or DEFAULT:
        n, k = map(int, given.split(":"))
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder) / "docs.jsonl", n, k)
            begun = perf_counter()
            asked = Asked(Path(folder), k)
            try:
                served = perf_counter() - begun
                asked.looked()
                look, first = perf_counter() - begun, asked.settled()
                stand = perf_counter() - begun
                print(f"\n{n:,} documents, {k} groups: served after {served:.1f} s, a first look after {look:.1f} s")
                print(f"groups after {stand:.1f} s (state: {first:.0f} ms at most)", flush=True)
                for name, value in (opened(asked) | routes(asked) | {"MB of memory": asked.memory}).items():
                    print(f"{value:9.1f}  {name}", flush=True)
            finally:
                asked.close()
