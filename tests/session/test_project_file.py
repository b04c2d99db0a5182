"""A session in a file: opened again it is the same, with or without the texts, and its log goes on."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

from outgroup.errors import InputError, ModelError, OutputError
from outgroup.session import Session
from outgroup.steering.decisions import Belongs, IgnoreWord, Merge, OffTopic, Rename, Undo

TEXTS = [
    *(f"bread butter oven {word}" for word in ("rye", "flour", "dough", "yeast", "crust", "salt")),
    *(f"train rails station {word}" for word in ("engine", "ticket", "signal", "driver", "coach", "town")),
    *(f"garden roses spade {word}" for word in ("seeds", "soil", "weeds", "water", "bulbs", "hedge")),
]
OFF = ["quarterly dividends of bread", "the merger of rails and oven makers", "roses at the stock exchange"]
LOG = [Rename(0, "first"), Belongs("3", 2), OffTopic("17")]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "work.outgroup"


def made(universum=None):
    session = Session(TEXTS, n_clusters=3, universum=universum)
    return session, session.fit(LOG, start=session.fit())


@pytest.mark.parametrize("universum", [None, OFF])
@pytest.mark.parametrize("embed", [True, False])
def test_a_session_is_the_same_again(path, universum, embed):
    session, version = made(universum)
    session.save(path, version, embed_texts=embed)
    given = {} if embed else {"documents": TEXTS, "universum": universum}
    again = Session.open(path, **given)
    assert (again.log, again.version.decisions) == (tuple(LOG), tuple(LOG))
    np.testing.assert_array_equal(again.version.labels, version.labels)
    np.testing.assert_array_equal(again.version.model.clusterer_.coef_, version.model.clusterer_.coef_)
    assert (again.version.numbers, again.version.names) == (version.numbers, {0: "first"})
    more = [*LOG, Merge((0, 2))]
    one, other = session.fit(more, start=version), again.fit(more, start=again.version)
    np.testing.assert_array_equal(one.labels, other.labels)
    np.testing.assert_array_equal(one.model.clusterer_.coef_, other.model.clusterer_.coef_)
    again.close()


def test_what_is_decided_is_kept_and_the_version_is_the_next_start(path):
    session, version = made()
    session.save(path, version, embed_texts=True)
    again = Session.open(path)
    again.decide([Merge((0, 2))])
    third = again.fit(again.log, start=again.version)
    again.keep(third)
    again.close()
    last = Session.open(path)
    assert last.log == (*LOG, Merge((0, 2)))
    assert (last.version.number, last.version.numbers) == (3, (0, 1))
    np.testing.assert_array_equal(last.version.labels, third.labels)
    undone = last.fit([*last.log, Undo()], start=last.version)
    assert undone.numbers == (0, 1, 2)
    last.close()


def test_a_file_with_an_ignored_word_opens_again(path):
    session = Session(TEXTS, n_clusters=3)
    version = session.fit([IgnoreWord("bread")], start=session.fit())
    session.save(path, version, embed_texts=True)
    again = Session.open(path)
    np.testing.assert_array_equal(again.version.labels, version.labels)
    np.testing.assert_array_equal(again.version.model.clusterer_.coef_, version.model.clusterer_.coef_)
    again.close()


def test_texts_are_kept_only_when_that_is_asked_for(path):
    session, version = made()
    session.save(path, version)
    with pytest.raises(InputError, match="keeps no texts; give them again as documents="):
        Session.open(path)
    with pytest.raises(InputError, match="are not those"):
        Session.open(path, documents=[*TEXTS[:-1], "another"], universum=[])
    Session.open(path, documents=TEXTS).close()


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DELETE FROM versions", "work.outgroup is damaged: it keeps no version"),
        ("UPDATE versions SET arrays = x'00'", "the model of version 1 is damaged"),
        ("UPDATE versions SET body = '['", "version 1 is damaged"),
        ("UPDATE settings SET value = 'x'", "work.outgroup is damaged"),
        ("DELETE FROM settings", "work.outgroup is damaged"),
    ],
)
def test_a_file_that_somebody_forged_is_refused_in_words(path, statement, words):
    session, version = made()
    session.save(path, version, embed_texts=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)
    connection.close()
    with pytest.raises(InputError, match=words):
        Session.open(path)


def test_without_a_file_nothing_can_be_kept(path):
    session, version = made()
    with pytest.raises(InputError, match="no project file"):
        session.decide(LOG)
    session.save(path, version)
    with pytest.raises(OutputError, match="exists"):
        session.save(path, version)
    path.write_bytes(b"x" * 4096)
    with pytest.raises(ModelError):
        Session.open(path)
