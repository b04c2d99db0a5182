"""A session in a file: opened again it is the same, with or without the texts, and its log goes on."""

import os
from functools import cache
from threading import Thread

import numpy as np
import pytest

from outgroup.decisions import Label, Merge, Rename, undo
from outgroup.errors import InputError, ModelError, OutputError
from outgroup.session import Past, Session, project_file
from outgroup.session.project_file import Project, files_of
from outgroup.storage.lines import HEAD, Lines, line_of

TEXTS = [
    *(f"bread butter oven {word}" for word in ("rye", "flour", "dough", "yeast", "crust", "salt")),
    *(f"train rails station {word}" for word in ("engine", "ticket", "signal", "driver", "coach", "town")),
    *(f"garden roses spade {word}" for word in ("seeds", "soil", "weeds", "water", "bulbs", "hedge")),
]
OFF = ["quarterly dividends of bread", "the merger of rails and oven makers", "roses at the stock exchange"]
LOG = [Rename(0, "first"), Label("3", 2), Label("17", ())]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "work.outgroup"


def forge(path, change):
    """Replace each line (kind, value) of a project file by those that `change` returns, with valid checksums."""
    lines = Lines(path)
    found = [line for _, entry in lines.read() for line in change(*entry)]
    lines.close()
    path.write_bytes(HEAD + b"".join(map(line_of, found)))


@cache
def made(off_topic=False):
    session = Session(TEXTS, n_clusters=3, universum=OFF if off_topic else None)
    return session, session.fit(LOG, start=session.fit())


@pytest.mark.parametrize("off_topic", [False, True])
@pytest.mark.parametrize("embed", [True, False])
def test_a_session_is_the_same_again(path, off_topic, embed):
    session, version = made(off_topic)
    session.save(path, version, embed_texts=embed)
    given = {} if embed else {"documents": TEXTS, "universum": OFF if off_topic else None}
    again = Session.open(path, **given)
    assert (repr(session), repr(again)) == ("<Session of 18 documents>", f"<Session of 18 documents in {str(path)!r}>")
    assert (again.log, again.version.decisions) == (tuple(LOG), tuple(LOG))
    np.testing.assert_array_equal(again.version.labels, version.labels)
    np.testing.assert_array_equal(again.version.model.clusterer_.coef_, version.model.clusterer_.coef_)
    assert (again.version.numbers, again.version.names) == (version.numbers, {0: "first"})
    more = [*LOG, Merge((0, 2))]
    one, other = session.fit(more, start=version), again.fit(more, start=again.version)
    np.testing.assert_array_equal(one.labels, other.labels)
    np.testing.assert_array_equal(one.model.clusterer_.coef_, other.model.clusterer_.coef_)
    again.close()


def test_labels_of_documents_that_are_gone_are_kept(path):
    ids = [str(i) for i in range(len(TEXTS))]
    past = Past.of(made()[1], TEXTS)
    rows = [i for i in range(len(TEXTS)) if i not in (3, 17)]
    session = Session.after(past, [TEXTS[i] for i in rows], ids=[ids[i] for i in rows])
    begun = session.begin()
    session.save(path, session.fit([*past.decisions, Rename(1, "second")], start=begun), embed_texts=True)
    with Session.open(path) as again:
        later = Past.of(again.version, again.documents.texts)
    assert (later.pins, later.away) == (past.pins, past.away)
    back = Session.after(later, TEXTS, ids=ids).begin()
    assert (back.groups["3"], back.groups["17"]) == (2, -1)


def afternoon(path):
    """A file in which somebody decided four times, once went back and on; returns the versions in their order."""
    session, version = made()
    session.save(path, version, embed_texts=True)
    with Session.open(path) as again:
        first = again.log
        for log in ([*first, Merge((0, 2))], [*first, Merge((0, 2)), Label("9", 0)], [*first, Label("9", 2)]):
            again.replace_log(log)
            again.keep(again.fit(again.log, start=again.version))
        return again.versions


def test_a_version_has_a_name_that_any_later_session_knows(path, tmp_path):
    afternoon(path)
    with Session.open(path) as again:
        log, version = again.log, again.version
        again.name_version(3, "one kitchen")
        again.name_version(5, " <b>tidy</b> ")
        assert (again.log, again.version) == (log, version)  # nothing is decided by it
        again.save(tmp_path / "copy.outgroup", again.version, embed_texts=True)
        for number, name, words in (
            (99, "x", "no version 99; the file has versions 1 to 5"),
            (2, "7", "the name in"),
            (2, "a\u202eb", "one line"),
        ):
            with pytest.raises(InputError, match=words):
                again.name_version(number, name)
        again.name_version(3, "")
    with Session.open(path) as again:
        assert again.version_names == {5: "<b>tidy</b>"}
    with Session.open(tmp_path / "copy.outgroup") as copy:
        assert copy.version_names == {3: "one kitchen", 5: "<b>tidy</b>"}
    with pytest.raises(InputError, match="has no project file"):
        made()[0].name_version(1, "x")


def test_who_goes_back_and_on_loses_no_version(path):
    """The version of another line had the number of the one that came after it, and took its place in the file."""
    before = afternoon(path)
    with Session.open(path) as again:
        second = again.versions[1]
        log = [*undo(again.log), Rename(1, "rails")]
        again.replace_log(log)
        one, other = again.fit(log, start=second), again.fit(log[:-1], start=second)
        again.keep(one)
        with pytest.raises(InputError, match="another version 6"):
            again.keep(other)
        again.keep(one)  # the same once more
    with Session.open(path) as again:
        assert [each.number for each in again.versions] == [1, 2, 3, 4, 5, 6]
        assert [each.decisions for each in again.versions[:5]] == [each.decisions for each in before]
        origins = [each.origin and each.origin.number for each in again.versions]
        assert origins == [None, 1, 2, 3, 2, 2]


def test_texts_are_kept_only_when_that_is_asked_for(path):
    session, version = made()
    session.save(path, version)
    with pytest.raises(InputError, match="give its documents"):
        Session.open(path)
    with pytest.raises(InputError, match="1 of 18"):
        Session.open(path, documents=[*TEXTS[:-1], "another"], universum=[])
    with pytest.raises(InputError, match="there are 17"):
        Session.open(path, documents=TEXTS[1:], universum=[])
    Session.open(path, documents=TEXTS).close()


def test_vectors_are_given_again(path):
    rng = np.random.default_rng(0)
    vectors = (np.repeat(np.eye(3, 8), 6, axis=0) + 0.1 * rng.normal(size=(18, 8))).astype(np.float32)
    session = Session(TEXTS, n_clusters=3, embeddings=vectors)
    version = session.fit()
    session.save(path, version, embed_texts=True)
    with Session.open(path, embeddings=vectors) as again:
        np.testing.assert_array_equal(again.version.labels, version.labels)
        np.testing.assert_array_equal(again.documents.spaces.space, session.documents.spaces.space)
    with pytest.raises(InputError, match="embeddings"):
        Session.open(path)


def test_paths_of_inputs_are_stored_relative_to_the_project(path):
    session, version = made()
    docs, off = path.with_name("docs.jsonl"), path.parent / "more" / "off.jsonl"
    session.save(path, version, reading={"docs": docs, "universum": os.fspath(off), "text": "body"})
    with Project.open(path) as project:
        assert project.settings["reading"] == {"docs": "docs.jsonl", "universum": "more/off.jsonl", "text": "body"}
        assert files_of(project) == {"docs": os.path.realpath(docs), "universum": os.path.realpath(off)}


@pytest.mark.parametrize(
    "way", ["/etc/hostname", "//host/share/x.jsonl", r"\\host\share\x.jsonl", "C:x.jsonl", "a\0b", 3]
)
def test_a_path_that_does_not_begin_at_the_own_folder_is_not_followed(path, way):
    session, version = made()
    session.save(path, version)
    forged = {"random_state": 0, "reading": {"docs": way, "embeddings": way}}
    forge(path, lambda kind, value: [(kind, forged if kind == "settings" else value)])
    with Project.open(path) as project:
        assert files_of(project) == {}


def other(kind, **fields):
    """Return a change that sets fields of the entries of a kind, or their `value`."""
    value = lambda was: fields["value"] if "value" in fields else was | fields  # noqa: E731
    return lambda name, was: [(name, value(was) if name == kind else was)]


def without(kind):
    return lambda name, was: [] if name == kind else [(name, was)]


def without_labels(kind, value):
    return [(kind, {name: part for name, part in value.items() if name != "labels"} if kind == "version" else value)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (without("settings"), r"work\.outgroup is damaged: it has no settings"),
        (without("version"), "it has no settings, no version"),
        (without("model"), "no model"),
        (without("document"), "line .* is damaged|damaged: line"),
        (other("model", value=["{}", "AAAA"]), "its model is not a model"),
        (other("version", labels="AAAA"), "damaged: line"),
        (without_labels, "damaged: line"),
        (other("version", numbers=[0, 1]), "unknown group"),
        (other("version", numbers=3), "'numbers'"),
        (other("version", log=[0, [{}]]), "a decision's kind"),
        (other("version", parent=-1), "'parent'"),
        (other("version", pins={"d": [7, 1, True, -1, []]}), "unknown group"),
        (other("document", value=["a"]), "damaged: line"),
        (lambda kind, value: [(kind, value), ("answer", ["q1", {"model": 3}])], "damaged: line"),
        (lambda kind, value: [("more", value)], "unknown entry 'more'"),
    ],
)
def test_a_forged_file_is_refused(path, change, words):
    session, version = made()
    session.save(path, version, embed_texts=True)
    forge(path, change)
    with pytest.raises(InputError, match=words):
        Session.open(path)


def test_without_a_file_nothing_can_be_kept(path):
    session, version = made()
    with pytest.raises(InputError, match="no project file"):
        session.replace_log(LOG)
    session.save(path, version)
    with pytest.raises(OutputError, match="exists"):
        session.save(path, version)
    path.write_bytes(b"x" * 4096)
    with pytest.raises(ModelError):
        Session.open(path)


def test_a_version_that_is_kept_while_the_log_changes_keeps_its_decisions(path, monkeypatch):
    """Another thread undoes a decision between the log of a version and its line."""
    session, version = made()
    session.save(path, version, embed_texts=True)
    with Session.open(path) as session:
        project, record = session.project, project_file._record
        undone = Thread(target=project.replace_log, args=[LOG[:1]])

        def slow(*given):
            found = record(*given)
            undone.start()
            undone.join(0.2)
            return found

        monkeypatch.setattr(project_file, "_record", slow)
        project.keep(version)
        undone.join()
    with Session.open(path) as session:
        assert (session.log, session.versions[-1].decisions) == (tuple(LOG[:1]), tuple(LOG))
