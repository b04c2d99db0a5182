"""A project file: nothing acknowledged is lost, nothing is changed in place, and strange files are refused plainly."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from outgroup.errors import ModelError, OutputError
from outgroup.storage import project as module
from outgroup.storage.project import Project, Record

RECORDS = [Record("settings", 0, "{}"), Record("text", 0, "a"), Record("text", 1, "b")]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "work.outgroup"


@pytest.fixture
def project(path):
    Project.create(path, RECORDS)
    with Project.open(path) as made:
        yield made


def append(project, *bodies):
    project.write([Record("decision", None, body) for body in bodies])


def log(project):
    return list(project.read("decision").values())


def test_what_was_written_is_read(path):
    Project.create(path, RECORDS)
    with Project.open(path) as made:
        append(made, "one", "two")
        made.write([Record("model", 3, b"\0model"), Record("model", 1, "first")])
        made.write([Record("model", 3, b"last"), Record("text", 0, None), Record("none", 9, None)])
    with Project.open(path) as again:
        append(again, "three")
        assert again.read("decision") == {1: "one", 2: "two", 3: "three"}
        assert [*again.read("model").items()] == [(1, "first"), (3, b"last")]
        assert (again.read("model", 3), again.read("model", 2)) == ({3: b"last"}, {})
        assert (again.read("text"), again.read("none")) == ({1: "b"}, {})


@pytest.mark.parametrize("wrong", [Record("decision", None, 1j), Record("decision", None, "\ud800"), 3])
def test_of_a_write_that_fails_nothing_is_left(project, wrong):
    with pytest.raises((OutputError, ModelError, TypeError)):
        project.write([Record("decision", None, "one"), Record("text", 0, None), wrong])
    assert (log(project), project.read("text")) == ([], {0: "a", 1: "b"})
    append(project, "two")
    assert log(project) == ["two"]


def test_a_second_process_is_refused_plainly(path, project):
    code = f"from outgroup.storage.project import Project\nProject.open({str(path)!r})"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "close it there" in found.stderr
    project.close()
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


def test_strange_files_are_refused(path, tmp_path):
    with pytest.raises(ModelError, match="project file"):
        Project.open(path)
    path.write_bytes(b"nothing of the kind" * 99)
    with pytest.raises(ModelError, match="project file"):
        Project.open(path)
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("CREATE TABLE t (a)")
    with pytest.raises(ModelError, match="project file"):
        Project.open(other)
    for pragma in (f"application_id = {module.APPLICATION}", f"user_version = {module.FORM}"):  # one without the other
        half = tmp_path / f"{pragma[:4]}.sqlite"
        with closing(sqlite3.connect(half)) as connection, connection:
            connection.execute("CREATE TABLE t (a)")
            connection.execute(f"PRAGMA {pragma}")
        with pytest.raises(ModelError, match="project file"):
            Project.open(half)
    newer = tmp_path / "newer.outgroup"
    Project.create(newer, [])
    with Project.open(newer) as made:
        made._connection.execute(f"PRAGMA user_version = {module.FORM + 1}")
    with pytest.raises(ModelError, match="newer version"):
        Project.open(newer)


def test_a_damaged_file_is_told(path, project):
    append(project, *["x" * 5000] * 20)
    project.close()
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2 : len(raw) // 2 + 4096] = os.urandom(4096)
    path.write_bytes(raw)
    with pytest.raises(ModelError, match="damaged"), Project.open(path) as opened:
        log(opened)


WRITER = """
import sys
from outgroup.storage.project import Project, Record
project = Project.open(sys.argv[1])
number = len(project.read("decision"))
while True:
    project.write([Record("decision", None, str(number))])
    print(number, flush=True)
    number += 1
"""


def test_a_kill_loses_no_decision_that_was_acknowledged(path, project):
    project.close()
    for round_ in range(8):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True) as child:
            child.stdout.readline()
            time.sleep(0.013 * round_)
            child.send_signal(signal.SIGKILL)
            said = child.stdout.read().split()
        with Project.open(path) as again:
            found = log(again)
        assert found == [str(number) for number in range(len(found))]
        assert len(found) > int(said[-1] if said and said[-1].isdecimal() else 0)


def test_a_database_of_another_program_stays_as_it_is(tmp_path):
    other = tmp_path / "foreign.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE t (a)")
    before = other.read_bytes()
    with pytest.raises(ModelError, match="project file"):
        Project.open(other)
    assert other.read_bytes() == before
    assert list(tmp_path.iterdir()) == [other]


ENDLESS = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x FROM r"


@pytest.mark.parametrize(
    "script",
    [
        f"DROP TABLE records; CREATE VIEW records AS {ENDLESS};",
        f"CREATE TRIGGER t BEFORE INSERT ON records BEGIN {ENDLESS}; END;",
        "CREATE INDEX i ON records (abs(number));",
        "CREATE TABLE more (a);",
        "ALTER TABLE records ADD COLUMN more BLOB GENERATED ALWAYS AS (zeroblob(900000000)) VIRTUAL;",
    ],
)
def test_a_file_with_other_tables_is_refused(path, project, script):
    project._connection.executescript(script)
    project.close()
    with pytest.raises(ModelError, match="other tables"):
        Project.open(path)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("statement", "part"),
    [
        ("UPDATE records SET body = 'B' WHERE kind = 'text' AND number = 1", "text 1"),
        ("UPDATE records SET body = CAST(body AS BLOB) WHERE kind = 'settings'", "settings 0"),
        ("UPDATE records SET number = 7 WHERE kind = 'decision'", "decision 7"),
        ("INSERT INTO records VALUES ('decision', 2, 'two', x'00')", "decision 2"),
        ("UPDATE records SET body = CAST(x'ff' AS TEXT) WHERE kind = 'decision'", "decision 1"),
    ],
)
def test_a_record_that_changed_is_named(path, project, statement, part):
    append(project, "one")
    project._connection.execute(statement)
    project.close()
    with pytest.raises(ModelError, match=f"{part} changed since it was written"):
        Project.open(path)


# --- Files beside a project that a stranger sends

PAGE = 4096
JOURNAL = bytes.fromhex("d9d505f920a163d7")


def signed(data):
    """SQLite's checksum of a page in a journal, of nonce 0."""
    return sum(data[i] for i in range(PAGE - 200, 0, -200)) & 0xFFFFFFFF


def journal_of(path, other=None):
    """Return a journal that restores the first page of a database; with `other`, it names this file for removal."""
    raw = path.read_bytes()
    assert int.from_bytes(raw[16:18], "big") == PAGE
    numbers = (1, 0, len(raw) // PAGE, 512, PAGE)
    head = (JOURNAL + b"".join(number.to_bytes(4, "big") for number in numbers)).ljust(512, b"\0")
    page = (1).to_bytes(4, "big") + raw[:PAGE] + signed(raw[:PAGE]).to_bytes(4, "big")
    if other is None:
        return head + page
    name = os.fsencode(other)
    summed = sum((byte ^ 0x80) - 0x80 for byte in name) & 0xFFFFFFFF  # SQLite adds signed characters
    end = len(name).to_bytes(4, "big") + summed.to_bytes(4, "big") + JOURNAL
    return head + page + (0x40000000 // PAGE + 1).to_bytes(4, "big") + name + end


@pytest.fixture
def thesis(tmp_path):
    (tmp_path / "mine").mkdir()
    thesis = tmp_path / "mine" / "thesis.txt"
    thesis.write_text("a year of work")
    return thesis


def content(folder):
    return {each: os.readlink(each) if each.is_symlink() else each.read_bytes() for each in folder.iterdir()}


def test_the_attack_is_real(path, project, thesis):
    """Else the tests below could not fail."""
    project.close()
    path.with_name("work.outgroup-journal").write_bytes(journal_of(path, thesis))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("SELECT * FROM records").fetchall()
    assert not thesis.exists()


@pytest.mark.parametrize("end", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("what", ["names", "link", "dead link", "folder", "log"])
def test_a_file_beside_a_project_changes_no_other_file(path, project, thesis, end, what):
    append(project, "one")
    project.close()
    beside = path.with_name(path.name + end)
    if what == "names":
        beside.write_bytes(journal_of(path, thesis))
    elif what == "folder":
        beside.mkdir()
    elif what == "log":
        beside.write_bytes(b"\x37\x7f\x06\x82" + bytes(4096) + JOURNAL)
    else:
        beside.symlink_to(thesis if what == "link" else thesis.with_name("new.txt"))
    before, mine = path.read_bytes(), content(thesis.parent)
    with pytest.raises(ModelError, match=f"{beside.name} was not made by outgroup: move it away"):
        Project.open(path)
    assert path.read_bytes() == before
    assert content(thesis.parent) == mine
    beside.rmdir() if what == "folder" else beside.unlink()
    with Project.open(path) as again:
        assert log(again) == ["one"]


@pytest.mark.parametrize("end", ["-journal", "-wal", "-shm"])
def test_a_new_project_takes_over_no_file_beside_it(path, end):
    beside = path.with_name(path.name + end)
    beside.write_text("mine")
    with pytest.raises(OutputError, match=f"{beside.name} exists"):
        Project.create(path, RECORDS)
    assert content(path.parent) == {beside: b"mine"}
