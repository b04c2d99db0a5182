"""A project file: nothing acknowledged is lost, nothing is changed in place, and strange files are refused plainly."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
import tracemalloc
from contextlib import closing

import numpy as np
import pytest

from outgroup.errors import ModelError, OutputError
from outgroup.storage import project as module
from outgroup.storage.project import KeptVersion, Project, Text, packed, unpacked

TEXTS = [Text("document", 0, "a", "A", "00", "text"), Text("universum", 0, "0", "", "01", None)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "work.outgroup"


@pytest.fixture
def project(path):
    with Project.create(path, {"random_state": "0"}, TEXTS) as made:
        yield made


def test_what_was_written_is_read(path):
    with Project.create(path, {"random_state": "7"}, TEXTS) as made:
        made.append(["one", "two"])
        made.keep(KeptVersion(1, None, 0, "", 0.5, packed([0]), "{}", "model", b"arrays"))
        made.keep(KeptVersion(2, 1, 1, "", 0.5, packed([1]), "{}", "model", b"more"))
        made.keep(KeptVersion(3, 2, 2, "2026-01-02 03:04:05", 0.5, packed([1]), "{}"))
        assert made.version(2).model == "model"  # until another is kept
        made.keep(made.version(3)._replace(model="model", arrays=b"last"))
    with Project.open(path) as again:
        assert again.settings() == {"random_state": "7"}
        assert again.texts("document") == TEXTS[:1]
        assert again.log() == ["one", "two"]
        assert [each.number for each in again.versions()] == [1, 2, 3]
        assert [again.version(number).arrays for number in (1, 2, 3)] == [b"arrays", None, b"last"]
        with pytest.raises(ModelError, match="not contain version 4"):
            again.version(4)


def test_groups_of_more_documents_than_there_are_are_not_unpacked():
    bomb = packed(np.zeros(5_000_000, dtype="<i4"))
    tracemalloc.start()
    with pytest.raises(ValueError, match="instead of 3"):
        unpacked(bomb, 3)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1_000_000


def test_decisions_are_only_added(project):
    project.append(["one"])
    for statement in ("UPDATE decisions SET body = 'x'", "DELETE FROM decisions"):
        with pytest.raises(sqlite3.IntegrityError, match="only added"):
            project._connection.execute(statement)
    assert project.log() == ["one"]


def test_the_last_name_of_a_version_holds_and_every_one_is_kept(path, project):
    for number, name in ((1, "first"), (2, "tidy"), (1, "as it came"), (2, "")):
        project.name_version(number, name)
    assert project.version_names() == {1: "as it came"}
    project.close()
    with Project.open(path) as again:
        assert again.version_names() == {1: "as it came"}
        assert again._connection.execute("SELECT count(*) FROM version_names").fetchone() == (4,)
        for statement in ("UPDATE version_names SET name = 'x'", "DELETE FROM version_names"):
            with pytest.raises(sqlite3.IntegrityError, match="only added"):
                again._connection.execute(statement)


def test_of_a_write_that_fails_nothing_is_left(project):
    with pytest.raises((ModelError, OutputError, sqlite3.Error)):
        project.append(["one", None])
    assert project.log() == []
    project.append(["two"])
    assert project.log() == ["two"]


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
def test_a_name_that_no_file_can_have_is_told(tmp_path, name):
    with pytest.raises(OutputError, match=r"cannot write .*; nothing was written"):
        Project.create(tmp_path / name, {}, [])
    assert list(tmp_path.iterdir()) == []


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
    with Project.create(newer, {}, []) as made:
        made._connection.execute(f"PRAGMA user_version = {module.FORM + 1}")
    with pytest.raises(ModelError, match="newer version"):
        Project.open(newer)


def test_a_damaged_file_is_told(path, project):
    project.append(["x" * 5000] * 20)
    project.close()
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2 : len(raw) // 2 + 4096] = os.urandom(4096)
    path.write_bytes(raw)
    with pytest.raises(ModelError, match="damaged"), Project.open(path) as opened:
        opened.log()


def test_nothing_is_written_over(path, project, tmp_path):
    with pytest.raises(OutputError, match="exists"):
        Project.create(path, {}, [])
    with pytest.raises(OutputError, match="does not exist"):
        Project.create(tmp_path / "nowhere" / "x.outgroup", {}, [])


def test_a_file_of_an_earlier_form_is_brought_to_todays_and_a_copy_is_kept(path, project, monkeypatch):
    project.append(["one"])
    project.close()
    before = path.read_bytes()
    monkeypatch.setattr(module, "FORM", module.FORM + 1)
    script = "ALTER TABLE decisions ADD COLUMN who TEXT; UPDATE settings SET value = 'changed';"
    monkeypatch.setitem(module.MIGRATIONS, module.FORM - 1, lambda connection: module.run(connection, script))
    with Project.open(path) as again:
        assert again.log() == ["one"]
        assert again.settings() == {"random_state": "changed"}
        assert again._connection.execute("PRAGMA user_version").fetchone() == (module.FORM,)
    assert (path.parent / f"{path.name}.form-{module.FORM - 1}").read_bytes() == before


def test_a_migration_that_fails_changes_nothing(path, project, monkeypatch):
    project.append(["one"])
    project.close()
    monkeypatch.setattr(module, "FORM", module.FORM + 1)
    script = "DROP TABLE settings; DROP TABLE nowhere;"
    monkeypatch.setitem(module.MIGRATIONS, module.FORM - 1, lambda connection: module.run(connection, script))
    with pytest.raises((ModelError, OutputError)):
        Project.open(path)
    monkeypatch.undo()
    with Project.open(path) as again:
        assert (again.log(), again.settings()) == (["one"], {"random_state": "0"})


WRITER = """
import sys
from outgroup.storage.project import Project
project = Project.open(sys.argv[1])
number = len(project.log())
while True:
    project.append([str(number)])
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
            log = again.log()
        assert log == [str(number) for number in range(len(log))]
        assert len(log) > int(said[-1] if said and said[-1].isdecimal() else 0)


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


def test_a_copy_before_a_migration_replaces_no_file_and_follows_no_link(path, project, tmp_path, monkeypatch):
    project.close()
    form, mine = module.FORM, tmp_path / "mine.txt"
    mine.write_text("mine")
    taken, linked = (path.with_name(f"{path.name}.form-{form}{end}") for end in ("", "-2"))
    taken.write_text("also mine")
    linked.symlink_to(mine)
    before = path.read_bytes()
    monkeypatch.setattr(module, "FORM", form + 1)
    monkeypatch.setitem(module.MIGRATIONS, form, lambda _: None)
    Project.open(path).close()
    assert (mine.read_text(), taken.read_text()) == ("mine", "also mine")
    assert path.with_name(f"{path.name}.form-{form}-3").read_bytes() == before


ENDLESS = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x FROM r"


@pytest.mark.parametrize(
    "script",
    [
        f"DROP TABLE settings; CREATE VIEW settings AS {ENDLESS};",
        f"CREATE TRIGGER t BEFORE INSERT ON decisions BEGIN {ENDLESS}; END;",
        "CREATE INDEX i ON texts (abs(place));",
        "PRAGMA user_version = 1;",
        "PRAGMA user_version = 3;",
    ],
)
def test_a_file_with_other_tables_than_its_form_is_refused(path, project, script):
    project._connection.executescript(script)
    project.close()
    with pytest.raises(ModelError, match="match schema version"):
        Project.open(path)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("statement", "part"),
    [
        ("UPDATE texts SET title = 'B'", "texts"),
        ("UPDATE settings SET value = '1'", "settings"),
        ("INSERT INTO decisions (made, body) VALUES ('', 'x')", "decisions"),
        ("UPDATE versions SET labels = x'00'", "version 1"),
        ("DELETE FROM versions", "version 1"),
        ("INSERT INTO version_names (version, made, name) VALUES (1, '', 'x')", "version_names"),
    ],
)
def test_a_row_that_changed_is_told(path, project, statement, part):
    project.append(["one"])
    project.name_version(1, "first")
    project.keep(KeptVersion(1, None, 0, "", 0.5, packed([0]), "{}"))
    project._connection.execute(statement)
    project.close()
    with pytest.raises(ModelError, match=f"{part} changed since it was written"):
        Project.open(path)


def test_reading_a_file_takes_steps_in_proportion_to_its_size(path, project, monkeypatch):
    project.append(["x"] * 20_000)
    project.close()
    Project.open(path).close()
    monkeypatch.setattr(module, "_STEPS", 10_000)
    monkeypatch.setattr(module, "_STEPS_A_BYTE", 0)
    with pytest.raises(ModelError, match="too many steps"):
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
    end = len(name).to_bytes(4, "big") + (sum(name) & 0xFFFFFFFF).to_bytes(4, "big") + JOURNAL
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
        connection.execute("SELECT * FROM settings").fetchall()
    assert not thesis.exists()


@pytest.mark.parametrize("end", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("what", ["names", "link", "dead link", "folder", "log"])
def test_a_file_beside_a_project_changes_no_other_file(path, project, thesis, end, what):
    project.append(["one"])
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
        assert again.log() == ["one"]


def test_a_journal_that_names_no_other_file_is_rolled_back(path, project):
    project.close()
    before = path.read_bytes()
    journal = path.with_name("work.outgroup-journal")
    journal.write_bytes(journal_of(path))
    path.write_bytes(before[:200] + b"torn" + before[204:])
    with Project.open(path) as again:
        assert again.settings() == {"random_state": "0"}
    assert not journal.exists()


def test_a_link_is_no_project(path, project, tmp_path):
    project.close()
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(ModelError, match="link is a link: give the path of the project file itself"):
        Project.open(tmp_path / "link")


@pytest.mark.parametrize("end", ["-journal", "-wal", "-shm"])
def test_a_new_project_takes_over_no_file_beside_it(path, end):
    beside = path.with_name(path.name + end)
    beside.write_text("mine")
    with pytest.raises(OutputError, match=f"{beside.name} exists"):
        Project.create(path, {}, TEXTS)
    assert content(path.parent) == {beside: b"mine"}
