"""`python -m bench steer kills [COUNT]`: workbenches killed (kill -9) at random moments while a person decides.

A scripted person sends decisions of every kind one after the other over HTTP; a quarter of the processes is killed
somewhere between start and first decision, the others within two seconds after that. After each kill the project file
must open, hold every decision that was acknowledged, in order, with at most the one that was on its way besides, and
two replays of its log must give the same bytes. Every twenty kills begin a new file.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from bench.studies.killed import tell

FILE, LIVES, LONGEST = "work.outgroup", 20, 2.0
OPTIONS = ["docs.jsonl", "-k", "3", "--min-df", "1", "--project", FILE, "--no-browser", "--threads", "1"]


def start() -> subprocess.Popen[bytes]:
    """Start a workbench; what it says is in its pipe."""
    command = [sys.executable, "-u", "-m", "outgroup", "workbench", *OPTIONS]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


class Person(threading.Thread):
    """Decides until the workbench is gone: of all decisions `sent` the first `acknowledged` were answered."""

    def __init__(self, pipe: int, rng: random.Random) -> None:
        super().__init__(daemon=True)
        self.pipe, self.rng, self.sent, self.acknowledged = pipe, rng, list[dict[str, Any]](), 0
        self.began = threading.Event()

    def run(self) -> None:
        try:
            said = ""
            while "token=" not in said or not said.endswith("\n"):
                piece = os.read(self.pipe, 4096).decode()
                if not piece:
                    return
                said += piece
            found = re.search(r"http://([^/]+)(/\S+)", said)
            assert found is not None
            self.decide(*found.groups())
        except (OSError, http.client.HTTPException):
            return

    def decide(self, host: str, path: str) -> None:
        connection = http.client.HTTPConnection(host, timeout=30)
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        headers = {"cookie": str(answer.getheader("set-cookie")).partition(";")[0]}
        headers |= {"origin": f"http://{host}", "content-type": "application/json"}
        while True:
            decision = self.next()
            way, body = ("undo", {}) if decision["kind"] == "undo" else ("decide", decision)
            self.sent.append(decision)
            connection.request("POST", f"/api/{way}", json.dumps(body), headers)
            answer = connection.getresponse()
            answer.read()
            if answer.status == 200:
                self.acknowledged += 1
                self.began.set()
            else:
                self.sent.pop()  # refused, such as an undo where nothing stands
            time.sleep(self.rng.random() * 0.1)

    def next(self) -> dict[str, Any]:
        document, group = str(self.rng.randrange(200)), self.rng.randrange(4)
        return self.rng.choice(
            [
                {"kind": "belongs", "document": document, "group": group},
                {"kind": "off-topic", "document": document},
                {"kind": "rename", "group": group, "name": f"name {self.rng.randrange(99)}"},
                {"kind": "merge", "groups": [group, (group + 1) % 4]},
                {"kind": "split", "group": group},
                {"kind": "ignore-word", "word": "oven"},
                {"kind": "undo"},
            ]
        )


def holds(expected: list[dict[str, Any]], on_its_way: dict[str, Any] | None) -> None:
    """Open the file as the next run does; raises AssertionError where a decision is lost, or a replay differs."""
    from outgroup.session import Session

    texts = [json.loads(line)["text"] for line in Path("docs.jsonl").read_text().splitlines()]
    found = []
    for _ in range(2):
        session = Session.open(FILE, documents=texts)
        log = [each.to_dict() for each in session.log]
        assert log == expected or (on_its_way and log == [*expected, on_its_way]), (log[-3:], expected[-3:], on_its_way)
        version = session.fit(session.log, start=session.begin())
        found.append(version.labels.tobytes() + repr(version.numbers).encode())
        session.close()
    assert found[0] == found[1], "two replays differ"


def logged() -> list[dict[str, Any]]:
    """Return the log of the file, read past the product."""
    import sqlite3

    with sqlite3.connect(f"file:{FILE}?mode=ro", uri=True) as connection:
        return [json.loads(body) for (body,) in connection.execute("SELECT body FROM decisions ORDER BY number")]


def killed(number: int, rng: random.Random, usual: float) -> tuple[Person, float]:
    """Kill the process while a person decides, every fourth time while it begins; return what the person sent, and how
    long it takes to begin."""
    process = start()
    assert process.stdout is not None
    person = Person(process.stdout.fileno(), random.Random(number))
    person.start()
    begun = time.perf_counter()
    if number % 4 == 3:
        time.sleep(rng.uniform(0, usual))
    else:
        person.began.wait(60)
        usual = time.perf_counter() - begun
        time.sleep(rng.uniform(0, LONGEST))
    process.kill()
    process.wait()
    person.join()
    process.stdout.close()
    return person, usual


def kills(count: int) -> Counter[str]:
    seen, rng, known, usual = Counter[str](), random.Random(0), list[dict[str, Any]](), LONGEST
    for number in range(count):
        if number % LIVES == 0:
            print(f"{number} kills, all well: {dict(seen)}", flush=True)
            Path(FILE).unlink(missing_ok=True)
            known = []
        person, usual = killed(number, rng, usual)
        known += person.sent[: person.acknowledged]
        on_its_way = person.sent[person.acknowledged] if len(person.sent) > person.acknowledged else None
        if not Path(FILE).exists():
            assert not known, "the file is gone"
            seen["before there was a file"] += 1
            continue
        holds(known, on_its_way)
        log = logged()
        kept = "kept" if len(log) > len(known) else "not kept"
        seen[f"while a decision was on its way, {kept}" if on_its_way else "in between"] += 1
        seen["decisions acknowledged"] += person.acknowledged
        known = log
    return seen


def main(argv: list[str]) -> None:
    """Print how often which moment was met."""
    tell(argv, kills, "every acknowledged decision there, every file opens, replays give the same bytes")
