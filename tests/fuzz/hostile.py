"""Hostile files: forged results, models, decisions and projects, damaged projects, readers and names.

A case holds where the program does its work or refuses in one line: without a traceback, in time and memory, without a
file outside its result, and without what an audit hook forbids: importing a module that no run without forgery needs,
sockets, processes, and a file that only the forged field names.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import chdir, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.fuzz.forging import CODE, LEFT_OUT, PLAIN, forged, places

CANARY = "canary.txt"
_NEVER: tuple[str, ...] = ("socket.", "subprocess.", "pty.", "pickle.", "webbrowser.", "urllib.", "ctypes.dlopen")
_NEVER += ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.startfile")

Command = tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """One hostile input: its area and name, and what tries it in the current folder, a copy of the base's."""

    area: str
    name: str
    run: Callable[[], None]
    imports: bool = False
    """Whether it may import libraries: formats of documents have their own."""


class Guard:
    """An audit hook that records and forbids what no file may cause. It cannot be removed, only switched off."""

    def __init__(self) -> None:
        self.met: list[str] = []
        self.on = self.imports = False
        sys.addaudithook(self._heard)

    def _heard(self, event: str, given: tuple[Any, ...]) -> None:
        if self.on and not (self.imports and event == "import") and (said := _forbidden(event, given)):
            self.met.append(said)
            raise PermissionError(said)


def _forbidden(event: str, given: tuple[Any, ...]) -> str:
    if event == "import":
        return "" if str(given[0]).startswith("encodings.") else f"import {given[0]}"
    if event == "open" and isinstance(given[0], str | bytes) and os.path.basename(os.fsdecode(given[0])) == CANARY:
        return f"open {given[0]!r}"
    return f"{event} {given!r:.80}" if event.startswith(_NEVER) else ""


def command(*words: object) -> str:
    """Run a command of outgroup in this process and return what it prints; raises AssertionError where it falls."""
    from typer.testing import CliRunner

    from outgroup.cli.main import app

    found = CliRunner().invoke(app, [str(word) for word in words])
    refused = isinstance(found.exception, OSError)  # `main` prints it in one line
    ended = found.exit_code in (0, 2) and isinstance(found.exception, SystemExit | None)
    if not (refused or ended) or "Traceback" in found.output:
        raise AssertionError(f"{words}: exit {found.exit_code}, {found.exception!r:.300}") from found.exception
    return found.output


# --- What is forged -------------------------------------------------------------------------------------------------

_KITCHEN, _TRAINS = (
    "bread butter knife oven flour crust yeast dough",
    "train town station ticket platform rail signal",
)


def make_base(folder: Path) -> None:
    """Write documents, a steered result with off-topic examples, a project with two versions, and decisions."""
    from outgroup.decisions import Label, Merge, Rename, Split, Word, to_toml
    from outgroup.session import Session

    rng = random.Random(0)
    texts = [" ".join(rng.choices(words.split(), k=6)) for words in (_KITCHEN, _TRAINS) * 10]
    rows = [{"id": f"d{i}", "title": f"t{i}", "text": text} for i, text in enumerate(texts)]
    junk = [{"id": f"u{i}", "text": f"{text} tax form"} for i, text in enumerate(texts[:10])]
    for name, content in (("docs.jsonl", rows), ("junk.jsonl", junk)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in content), encoding="utf-8")
    steering = [Label(("d0", "d2"), "kitchen"), Word("oven", "kitchen", weight=2.0), Merge((0, 1)), Split(0)]
    steering += [Label("d4", 0, weight=1.5), Rename(0, "oven")]
    (folder / "steering.toml").write_text(to_toml(steering), encoding="utf-8")
    (folder / "job.toml").write_text('docs = "docs.jsonl"\nk = 2\nquick = true\nout = "next"\n', encoding="utf-8")
    (folder / CANARY).write_text("a secret\n", encoding="utf-8")
    (folder / "evilmod.py").write_text("open('pwned', 'w').close()\ndef f(texts): return [[1.0]] * len(texts)\n")
    session = Session(texts, n_clusters=2, ids=[row["id"] for row in rows])
    log = [Rename(0, "kitchen"), Label("d3", 1)]
    with session, chdir(folder):
        version = session.fit(log, start=session.fit())
        session.save("work.outgroup", version, embed_texts=True, reading={"docs": "docs.jsonl", "k": 2})
        command(
            "cluster", "docs.jsonl", "-k", 2, "--universum", "junk.jsonl", "--steer", "steering.toml", "-q",
            "--out", "result",
        )  # fmt: skip


def _json(path: str) -> Any:
    return json.loads(Path(path).read_text(encoding="utf-8"))


def _written(path: str, text: str) -> None:
    Path(path).write_text(text, encoding="utf-8", errors="replace")


def _json_at(path: str, content: Any, place: tuple[Any, ...], value: Any) -> None:
    _written(path, json.dumps(forged(content, place, lambda _: value)))


def _case(area: str, name: str, words: Iterable[Command], write: Callable[..., None], *given: Any) -> Case:
    """Return the case of some commands after something was written, if that can be written."""

    def run() -> None:
        with suppress(ValueError, TypeError, OverflowError, RecursionError):
            write(*given)
        _all_tried(words)

    return Case(area, name, run)


_JUNK = ("--universum", "junk.jsonl")
FOLLOW: tuple[Command, ...] = (
    ("cluster", "docs.jsonl", "--from", "result", *_JUNK, "--out", "next", "--quick"),
    ("assign", "result", "docs.jsonl"),
    ("workbench", "docs.jsonl", "--from", "result", *_JUNK),
    ("cluster", "docs.jsonl", "--from", "result", "--out", "next", "--quick"),
)
OPEN: tuple[Command, ...] = (("workbench", "--project", "work.outgroup"),)


def _open_workbench(project: bool) -> None:
    """Do all that `workbench` does on the project, or from the result, before it serves; to this machine alone."""
    from rich.console import Console

    from outgroup.cli.output import Steps
    from outgroup.cli.settings import WorkbenchSettings
    from outgroup.cli.workbench import open_workbench
    from outgroup.errors import OutgroupError

    try:
        steps = Steps(Console(stderr=True), quiet=True)
        what: Any = {"docs": Path("docs.jsonl"), "from_": Path("result"), "universum": Path("junk.jsonl")}
        what |= {"no_project": True}
        what = {"project": Path("work.outgroup")} if project else what
        bench = open_workbench(WorkbenchSettings(**what, out=Path("next")), steps)
        with bench.desk.session:
            bench.view()
    except OutgroupError:
        return
    said = bench.settings
    if (said.host, said.i_know, said.force, said.port) != ("127.0.0.1", False, False, 0):
        raise AssertionError(f"a file changed what only its user says: {said!r:.200}")


def _tried(words: Command) -> None:
    _open_workbench("--project" in words) if words[0] == "workbench" else command(*words)


def _all_tried(words: Iterable[Command]) -> None:
    for each in words:
        shutil.rmtree("next", ignore_errors=True)
        _tried(each)


def _values(rng: random.Random, few: bool) -> list[Any]:
    if few:
        return [rng.choice((*CODE, *PLAIN))]
    deep: Any = []
    for _ in range(300):
        deep = [deep]
    return [*CODE, *PLAIN, LEFT_OUT, deep, "x" * 100_000]


def _options() -> list[str]:
    """Return the names of all options of all commands, for a file that names more than it should."""
    from dataclasses import fields

    from outgroup.cli.settings import ClusterSettings, WorkbenchSettings

    return sorted({each.name for kind in (ClusterSettings, WorkbenchSettings) for each in fields(kind)})


def forged_results(base: Path, rng: random.Random, *, few: bool = False) -> Iterator[Case]:
    """Yield each field of each file of a result with other values, one at a time; and all options at once."""
    for name in ("run.json", "session.json", "clusters.json"):
        content = _json(str(base / "result" / name))
        paths = [path for path in places(content, most=3 if few else 5) if path]
        if name == "run.json":
            paths = [
                *(("parameters", option) for option in _options()),
                *(path for path in paths if path[0] != "parameters"),
            ]
        for path in paths:
            for value in CODE if few and path[-1] == "encoder" else _values(rng, few):
                if value == CANARY and path[-1] in ("docs", "universum"):
                    continue  # a result remembers local paths of documents
                words = FOLLOW if path[:1] == ("parameters",) else rng.sample(FOLLOW, 1)
                title = f"{name} {'.'.join(map(str, path))} = {value!r:.30}"
                given = (f"result/{name}", content, path, value)
                yield _case("forged results", title, words[:1] if few else words, _json_at, *given)
    content = _json(str(base / "result" / "run.json"))
    for memory in ("1", "4G", "-1"):
        both = dict.fromkeys(("memory", "cluster"), memory) | {"cluster": "local:2", "device": "cuda", "resume": True}
        given = ("result/run.json", content, ("parameters",), content["parameters"] | both)
        yield _case("forged results", f"all options, memory {memory}", FOLLOW, _json_at, *given)


def forged_models(base: Path, rng: random.Random, *, few: bool = False) -> Iterator[Case]:
    """Yield each field of the model of a result with other values, and a right checksum."""
    from outgroup.storage import state as storage

    state = storage.read(base / "result" / "model")
    for path in places(state, most=3 if few else 4):
        for value in _values(rng, few) if path else ():
            title, words = f"{'.'.join(map(str, path))} = {value!r:.30}", rng.sample(FOLLOW[:2], 1 if few else 2)
            yield _case("forged models", title, words, _model_at, state, path, value)


def _model_at(state: Any, path: tuple[Any, ...], value: Any) -> None:
    from outgroup.storage import state as storage

    shutil.rmtree("result/model")
    Path("result/model").mkdir()
    storage.write(Path("result/model"), forged(state, path, lambda _: value))


def forged_decisions(base: Path, rng: random.Random, *, few: bool = False) -> Iterator[Case]:
    """Yield each field of a file of decisions with other values, and TOML that is hard to read."""
    import tomllib

    content = tomllib.loads((base / "steering.toml").read_text(encoding="utf-8"))["decision"]
    starts: tuple[Command, ...] = (("-k", "2"), ("--from", "result", *_JUNK))
    for path in [*(path for path in places(content) if path), (0, "encoder")]:
        for value in [value for value in _values(rng, few) if value is not None]:  # TOML has no null
            words = [_cluster(*rng.choice(starts), "--steer", "forged.toml")]
            title = f"{'.'.join(map(str, path))} = {value!r:.30}"
            yield _case("forged decisions", title, words, _decisions_at, content, path, value)
    for text in ("a." * 40_000 + "b = 1", f"[{'a.' * 40_000}b]", f"x = {{{'a . ' * 40_000}b = 1}}"):
        words = [_cluster("-k", "2", "--steer", "forged.toml")]
        yield _case("forged decisions", text[:30], words, _written, "forged.toml", text)
    for option in ("--steer", "--config"):
        words = [_cluster("-k", "2", option, "/dev/zero")]
        yield Case("forged decisions", f"{option} /dev/zero", partial(_all_tried, words))


def _cluster(*options: str) -> Command:
    return ("cluster", "docs.jsonl", *options, "--out", "next", "--quick")


def _decisions_at(content: Any, path: tuple[Any, ...], value: Any) -> None:
    changed = forged(content, path, lambda _: value)
    _written("forged.toml", f"decision = {_inline(changed)}\n")


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {_inline(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    if isinstance(value, float):
        return repr(value)  # nan and inf are TOML
    return json.dumps(value)


# --- Projects -------------------------------------------------------------------------------------------------------

_PROJECT = "work.outgroup"


def forged_projects(base: Path, rng: random.Random, *, few: bool = False) -> Iterator[Case]:
    """Yield each value of a project file with others, and right checksums; and lines that are left out or repeated."""
    from outgroup.storage.lines import Lines

    lines = Lines(shutil.copy(base / _PROJECT, base.with_name("forged")))
    found = [entry for _, entry in lines.read()]
    lines.close()
    seen: dict[str, int] = {}
    for number, entry in enumerate(found):
        seen[entry[0]] = seen.get(entry[0], 0) + 1
        if seen[entry[0]] > 2:
            continue
        before, after = found[:number], found[number + 1 :]
        yield _case("forged projects", f"{number} left out", OPEN, _lines, [*before, *after])
        yield _case("forged projects", f"{number} twice", OPEN, _lines, [*before, entry, entry, *after])
        paths = [*places(entry, most=3)]
        for path in rng.sample(paths, min(len(paths), 8)) if few else paths:
            for given in _values(rng, True)[:1] if few else _values(rng, False):
                if given != CANARY or "reading" not in path:  # a project remembers files beside it
                    changed = [*before, forged(entry, path, partial(lambda value, _: value, given)), *after]
                    yield _case("forged projects", f"{path} = {given!r:.60}", OPEN, _lines, changed)
    for name in ("docs", "universum", "embeddings", "encoder", "device"):
        for given in CODE[:2] if few else [each for each in CODE if each != CANARY]:
            settings = ["settings", {"random_state": 0, "reading": {**found[0][1]["reading"], name: given}}]
            yield _case("forged projects", f"{name} = {given}", OPEN, _lines, [settings, *found[1:]])


def _lines(found: list[Any]) -> None:
    from outgroup.storage.lines import HEAD, line_of

    Path(_PROJECT).write_bytes(HEAD + b"".join(map(line_of, found)))


def damaged_projects(base: Path, rng: random.Random, *, few: bool = False) -> Iterator[Case]:
    """Yield random bytes of a project file that changed: it is refused, or its groups are as they were."""
    raw = (base / _PROJECT).read_bytes()
    for _ in range(30 if few else 2_000):
        changes = {rng.randrange(len(raw)): rng.randrange(256) for _ in range(rng.choice((1, 1, 1, 4)))}
        if rng.random() < 0.2:  # in the head and the settings
            changes = {rng.randrange(200): rng.randrange(256)}
        yield _damaged(raw, changes)


def _damaged(raw: bytes, changes: dict[int, int]) -> Case:
    def run() -> None:
        from outgroup.errors import OutgroupError
        from outgroup.session import Session

        with Session.open(_PROJECT) as session:
            right = [(each.labels.tolist(), each.decisions) for each in session.versions]
        damaged = bytearray(raw)
        for place, value in changes.items():
            damaged[place] = value
        Path(_PROJECT).write_bytes(damaged)
        try:
            with Session.open(_PROJECT) as session:
                found = [(each.labels.tolist(), each.decisions) for each in session.versions]
        except OutgroupError:
            return
        if found != right:
            raise AssertionError("other groups or decisions than were kept")

    return Case("damaged projects", f"bytes {changes}", run)


# --- Documents ------------------------------------------------------------------------------------------------------

_READ: tuple[tuple[str, ...], ...] = ((), ("--strip", "headers,quotes,signatures"), ("--outliers", "set-aside"))


def hostile_documents(base: Path, rng: random.Random) -> Iterator[Case]:
    """Yield documents of every format that are hard to read."""
    from tests.fuzz import hostile_inputs

    for name, made in hostile_inputs.contents():
        yield Case("readers", name, partial(_read, made, rng.choice(_READ)), imports=True)


def _read(made: Callable[[], tuple[str, bytes]], options: tuple[str, ...]) -> None:
    file, raw = made()
    Path("in").mkdir()
    Path("in", file).write_bytes(raw)
    place = "in" if {".docx", ".pdf"} & {*Path(file).suffixes} else f"in/{file}"
    _tried(("cluster", place, "-k", "2", "--quick", "--out", "next", *options))


def hostile_names(base: Path, rng: random.Random) -> Iterator[Case]:
    """Yield documents whose names, ids, titles or columns are hostile or alike; the groups are gone on from, too."""
    from tests.fuzz import hostile_inputs

    for name, write in hostile_inputs.names():
        yield Case("names", name, partial(_go_on_from, write), imports=True)


def _go_on_from(write: Callable[[Path], None]) -> None:
    Path("in").mkdir()
    try:
        write(Path("in"))
    except (OSError, ValueError):
        return  # this file system takes no such name
    for words in (
        ("cluster", "in", "-k", "2", "--out", "next", "--quick"),
        ("assign", "next", "in"),
        ("cluster", "in", "--from", "next", "--out", "Next", "--quick"),
    ):
        _tried(words)


# --- Values of options ------------------------------------------------------------------------------------------------

_ODD = ("inf", "-inf", "nan", "1e400", "-1", "0", "9" * 30, "9" * 400, "", "x" * 9_000, "[[", "%s", "\u202e")
_LEFT_OUT = {"cluster", "encoder", "memory", "embeddings", "universum_embeddings", "namer", "out", "history"}
"""Options that start processes, import code, name addresses, or files to write."""


def hostile_options(base: Path, rng: random.Random, *, few: bool = False) -> Iterator[Case]:
    """Yield odd values of each option that takes one."""
    from typer.main import get_command

    from outgroup.cli.main import app

    starts: tuple[Command, ...] = (
        ("cluster", "docs.jsonl", "-k", "2", "--quick", "--out", "next"),
        ("assign", "result", "docs.jsonl"),
        ("watch", "result", "docs.jsonl", "--history", "next"),
    )
    for words in starts:
        for option in get_command(app).commands[words[0]].params:  # type: ignore[attr-defined]
            if option.param_type_name != "option" or option.is_flag or option.name in _LEFT_OUT:
                continue
            for value in rng.sample(_ODD, 2) if few else _ODD:
                run = partial(_all_tried, [(*words, f"{option.opts[0]}={value}")])
                yield Case("options", f"{words[0]} {option.name} = {value!r:.30}", run, imports=True)


AREAS: tuple[Callable[..., Iterator[Case]], ...] = (
    forged_results, forged_models, forged_decisions, forged_projects, damaged_projects, hostile_documents,
    hostile_names, hostile_options,
)  # fmt: skip


# --- How cases are run ----------------------------------------------------------------------------------------------


def warm(base: Path) -> None:
    """Run what the cases run on files that nobody forged, and one error, so that no import is left to do."""
    from rich.cells import cell_len

    with _fresh(base):
        several = (*FOLLOW[0], "--multi", "0.5")
        cell_len("\u6587")  # loads a table of widths
        for words in (
            *FOLLOW,
            several,
            *OPEN,
            ("watch", "result", "docs.jsonl", "--history", "in"),
            ("cluster", "nothing.jsonl"),
        ):
            shutil.rmtree("next", ignore_errors=True)
            _tried(words)


@contextmanager
def _fresh(base: Path) -> Iterator[None]:
    """Make a copy of the base the current folder, and remove it at the end."""
    folder = base.with_name("case")
    shutil.rmtree(folder, ignore_errors=True)
    with chdir(shutil.copytree(base, folder)):
        yield
    shutil.rmtree(folder, ignore_errors=True)


def fall_of(case: Case, base: Path, guard: Guard) -> str:
    """Run a case in this process; return why it fell, "" where it held."""
    guard.met.clear()
    with _fresh(base):
        before, modules = {*os.listdir()}, {*sys.modules}
        guard.on, guard.imports = True, case.imports
        try:
            case.run()
        except BaseException as error:  # whatever it is, it was not refused in one line
            return f"{error!r:.400}"
        finally:
            guard.on = False
        wrote = {*os.listdir()} - before - {"next", "Next", "in", "forged.toml"}
    loaded = {name for name in {*sys.modules} - modules if not (case.imports or name.startswith("encodings."))}
    return "; ".join(guard.met) or (f"wrote {wrote}, imported {loaded}" if wrote or loaded else "")


def controls() -> Iterator[Case]:
    """Yield cases that must fall, or the guard is blind."""
    import socket
    from importlib import import_module
    from subprocess import Popen

    yield Case("controls", "a module of the current folder", lambda: import_module("evilmod"))  # type: ignore[arg-type]
    yield Case("controls", "a process", lambda: Popen(["true"]))  # type: ignore[arg-type]
    yield Case("controls", "a socket", lambda: socket.socket())  # type: ignore[arg-type]
    yield Case("controls", "a file", lambda: open(CANARY).close())


def main(argv: list[str]) -> int:
    """Try a few values for each field of each file in this process, and print what fell."""
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        base = Path(place, "base")
        base.mkdir()
        make_base(base)
        warm(base)
        guard, fell, count = Guard(), 0, 0
        for case in controls():
            if not fall_of(case, base, guard):
                fell += 1
                print(f"the guard does not see {case.name}")
        for cases in (*AREAS[:5], hostile_options):
            for case in cases(base, random.Random(0), few=True):
                count += 1
                if why := fall_of(case, base, guard):
                    fell += 1
                    print(f"{case.area}: {case.name}: {why}")
    print(f"{count} cases, {fell} fell")
    return bool(fell)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
