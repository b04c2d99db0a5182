"""Decisions: files, undo, and wrong decisions."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outgroup.decisions import (
    KINDS,
    Define,
    Label,
    Level,
    Lock,
    Merge,
    NewGroup,
    NotAGroup,
    Pair,
    Regroup,
    Rename,
    Split,
    Word,
    parse,
    read_decisions,
    to_toml,
    undo,
    write_decisions,
)
from outgroup.errors import InputError, OutputError

EVERY = (
    Label("d 1", 3),
    Label("d2", "By rail", 2.5),
    Label('quo"te', ()),
    Word("naïve", 0),
    Word("back\\slash"),
    Rename(3, "a name = [x]"),
    Merge((3, "By rail", 5)),
    Split(3),
    NewGroup(("d 1", 'quo"te')),
    NewGroup(("d2",), "a name = [x]"),
    NotAGroup(("d2", 'quo"te')),
    Define(("late\nparcels", "“lost”"), "delivery", "prices"),
    Define("weather"),
    Label(("d2", 'quo"te'), ()),
    Lock("By rail", reopen=True),
    Regroup(),
    Level(9),
    Pair(("d 1", "d2"), same=False),
)

ids = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
names = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=9).filter(
    lambda name: name.isprintable() and not name.isdecimal()
)
words = ids.filter(lambda word: word.strip())
groups = st.integers(0, 10**6) | names
weights = st.floats(0.001, 1000)
logs = st.lists(
    st.builds(Label, ids, st.just(()) | groups, weights)
    | st.builds(Word, words, st.none() | groups, weights)
    | st.builds(Rename, groups, names)
    | st.builds(Merge, st.lists(groups, min_size=2, max_size=4, unique=True).map(tuple))
    | st.builds(Split, groups)
    | st.builds(NewGroup, st.lists(ids, min_size=1, max_size=4, unique=True).map(tuple), st.none() | names)
    | st.builds(Lock, groups, st.booleans())
    | st.builds(Level, st.integers(1, 10**6))
).map(tuple)


def test_every_kind_comes_back_from_a_file(tmp_path):
    write_decisions(EVERY, tmp_path / "steering.toml")
    assert read_decisions(tmp_path / "steering.toml") == EVERY
    assert {each.kind for each in EVERY} == set(KINDS)


@given(logs)
def test_every_log_comes_back(log):
    assert tuple(map(parse, tomllib.loads(to_toml(log)).get("decision", []))) == log


def test_undo_removes_decisions_by_number_or_by_source():
    a, b, c = Label("a", ()), Label("b", (), source="model"), Label("c", (), source="file")
    assert undo([a, b, c]) == undo([a, b, c], 2) == (a, b)
    assert undo([a, b, c], 0, -1) == (b,)
    assert undo([a, b, c], source="model") == (a, c)
    for wrong in ({"source": "modle"}, {"source": ""}):
        with pytest.raises(InputError, match="source="):
            undo([a, b, c], **wrong)
    with pytest.raises(InputError, match=r"0\.0"):
        undo([a, b, c], 0.0)
    with pytest.raises(InputError, match="no decision 3"):
        undo([a, b, c], 3)
    with pytest.raises(InputError, match="nothing to undo"):
        undo([])


def test_a_file_is_not_replaced_unasked(tmp_path):
    write_decisions(EVERY, tmp_path / "log.toml")
    with pytest.raises(OutputError, match="exists"):
        write_decisions((), tmp_path / "log.toml")
    write_decisions((), tmp_path / "log.toml", replace=True)
    assert read_decisions(tmp_path / "log.toml") == ()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("label", "a decision is 'label'; give a table"),
        ({}, "kind is None; choose among 'label'"),
        ({"kind": "labl", "documents": "d", "groups": 1}, "kind is 'labl'; did you mean 'label'"),
        ({"kind": "label", "document": "d", "groups": 1}, "unknown key 'document'; did you mean 'documents'"),
        ({"kind": "label", "documents": ["d"]}, r'needs documents = \["d1", "d7"\] and groups = \[3\]'),
        ({"kind": "regroup", "group": 1}, "unknown key 'group'"),
        ({"kind": "label", "documents": [["d"]], "groups": [1]}, "a document of 'label' is .'d'.; give its id"),
        ({"kind": "label", "documents": ["d"], "groups": ["3"]}, "is the string '3'; write a number without quotes"),
        ({"kind": "label", "documents": ["d"], "groups": [-1]}, "is -1; give a group number"),
        ({"kind": "label", "documents": ["d"], "groups": [1], "weight": 0}, "the weight of 'label' is 0"),
        ({"kind": "word", "words": [" "]}, "a word of 'word' is ' '"),
        ({"kind": "rename", "group": 1, "name": "two\nlines"}, "give one line of 1 to 200"),
        ({"kind": "merge", "groups": [3, 3]}, "give at least two different groups"),
    ],
)
def test_wrong_decisions(given, message):
    with pytest.raises(InputError, match=message):
        parse(given)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('[[decision]]\nkind = "split"', "log, decision 1: a decision of kind 'split' needs group = 3"),
        ('[[decision]]\nkind = "regroup"\n[[decision]]\nkind = "spilt"', "log, decision 2: .*did you mean 'split'"),
        ("hello", "not a TOML file"),
        ('[[decisions]]\nkind = "regroup"', "unknown key 'decisions'; did you mean 'decision'"),
        ("a = " + "[" * 100_000, "not a TOML file"),
    ],
)
def test_wrong_files(tmp_path, content, message):
    (tmp_path / "log").write_text(content)
    with pytest.raises(InputError, match=message):
        read_decisions(tmp_path / "log")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        read_decisions(tmp_path / "none")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="a UTF-8 text"):
        read_decisions(tmp_path / "binary")
