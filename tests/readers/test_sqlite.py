"""Tables and views of SQLite files, of strangers, too."""

import gzip
import sqlite3
from contextlib import closing

import pytest
from factories import write

from outgroup.errors import CorpusError, OutgroupWarning
from outgroup.readers.corpus import read_corpus
from outgroup.readers.documents import LIMITS


@pytest.fixture
def made(tmp_path):
    """Make a file with these statements."""

    def make(*statements, name="a.sqlite"):
        (tmp_path / name).unlink(missing_ok=True)
        with closing(sqlite3.connect(tmp_path / name)) as base:
            for statement in statements:
                base.execute(statement)
            base.commit()
        return tmp_path / name

    return make


NEWS = (
    "CREATE TABLE people (name)",
    'CREATE TABLE "the ""news""" (id INTEGER, text, stars, picture)',
    'INSERT INTO "the ""news""" VALUES '
    "(7, 'tea', 1.5, x'00'), (8, NULL, 2, x'00'), (9, CAST(x'6dfc6c6c' AS TEXT), 3, x'00')",
    'CREATE VIEW good AS SELECT text FROM "the ""news""" WHERE stars < 2',
)


@pytest.mark.parametrize("name", ["a.sqlite", "a.db", "a.txt"])
def test_the_table_with_the_text_is_read_or_the_one_that_is_named(made, name):
    path = made(*NEWS, name=name)
    if name == "a.txt":
        path = path.rename(path.with_suffix(".sqlite3"))
    with pytest.warns(OutgroupWarning, match="'people', 'good'"):
        corpus = read_corpus(path)
    assert (corpus.ids, corpus.texts) == (["7", "9"], ["tea", "müll"])
    assert corpus.columns == {"stars": ["1.5", "3"]}
    assert [skip.where for skip in corpus.skipped] == ["8"]
    assert read_corpus(path, sheet="Good").texts == ["tea"]
    assert read_corpus(path, sheet="people", text="name", may_be_empty=True).texts == []
    with pytest.raises(CorpusError, match="no sheet 'bad'; the sheets are 'people'"):
        read_corpus(path, sheet="bad")
    with pytest.raises(CorpusError, match=r"no field 'text'.*'name'"):
        read_corpus(path, sheet="people")


def test_a_packed_file_and_one_without_tables(made, tmp_path):
    packed = write(tmp_path / "b.sqlite.gz", gzip.compress(made(*NEWS[1:3]).read_bytes()))
    assert read_corpus(packed).texts == ["tea", "müll"]
    with pytest.raises(CorpusError, match="no table"):
        read_corpus(made("CREATE TABLE a (b)", "DROP TABLE a"))
    for damage in (b"", b"no file of SQLite" * 99, packed.read_bytes()):
        with pytest.raises(CorpusError, match=r"a.db: (it is damaged|.* no table)"):
            read_corpus(write(tmp_path / "a.db", damage))


def test_nothing_beside_the_file_is_read_or_changed(made, tmp_path):
    path = made(*NEWS[1:3])
    for suffix in ("-journal", "-wal", "-shm"):
        write(tmp_path / f"a.sqlite{suffix}", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(5_000))
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert len(read_corpus(path)) == 2
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_view_that_never_ends_is_refused(made, monkeypatch):
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS text FROM n"
    path = made("CREATE TABLE t (a)", f"CREATE VIEW v AS {endless} WHERE i < 0")
    monkeypatch.setitem(vars(LIMITS), "seconds", 0.2)
    with pytest.raises(CorpusError, match="interrupted"):
        read_corpus(path, sheet="v")
    path = made("CREATE TABLE t (a)", f"CREATE VIEW v AS {endless}")
    monkeypatch.setitem(vars(LIMITS), "unpacked", 1_000_000)
    with pytest.raises(CorpusError, match="200 times"):
        read_corpus(path, sheet="v")
