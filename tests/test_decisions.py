"""Decisions: both forms of a file, undo, and what wrong ones are told."""

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outgroup.decisions import (
    KINDS,
    Assign,
    Belongs,
    Done,
    IgnoreWord,
    Merge,
    NewGroup,
    NotAGroup,
    OffTopic,
    Regroup,
    Rename,
    Split,
    Undo,
    WordBelongs,
    documents_in,
    in_force,
    parse,
    read_decisions,
    to_json_lines,
    to_toml,
    write_decisions,
)
from outgroup.errors import InputError, OutputError

EVERY = (
    Belongs("d 1", 3),
    Belongs("d2", "By rail", 2.5),
    OffTopic('quo"te'),
    WordBelongs("naïve", 0),
    IgnoreWord("back\\slash"),
    Rename(3, "a name = [x]"),
    Merge((3, "By rail", 5)),
    Split(3),
    NewGroup(("d 1", 'quo"te')),
    NewGroup(("d2",), "a name = [x]"),
    NotAGroup(("d2", 'quo"te')),
    Assign(("d2", 'quo"te'), -1),
    Done("By rail", reopen=True),
    Regroup(),
    Undo(),
)

ids = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
names = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=9).filter(
    lambda name: name.isprintable() and not name.isdecimal()
)
words = ids.filter(lambda word: word.strip())
groups = st.integers(0, 10**6) | names
weights = st.floats(0.001, 1000)
logs = st.lists(
    st.builds(Belongs, ids, groups, weights)
    | st.builds(OffTopic, ids)
    | st.builds(WordBelongs, words, groups, weights)
    | st.builds(IgnoreWord, words)
    | st.builds(Rename, groups, names)
    | st.builds(Merge, st.lists(groups, min_size=2, max_size=4, unique=True).map(tuple))
    | st.builds(Split, groups)
    | st.builds(NewGroup, st.lists(ids, min_size=1, max_size=4, unique=True).map(tuple), st.none() | names)
    | st.builds(NotAGroup, st.lists(ids, min_size=1, max_size=4, unique=True).map(tuple))
    | st.builds(Assign, st.lists(ids, min_size=1, max_size=4, unique=True).map(tuple), st.just(-1) | groups)
    | st.builds(Done, groups, st.booleans())
    | st.just(Undo())
).map(tuple)


@pytest.mark.parametrize("name", ["log.jsonl", "steering.toml"])
def test_every_kind_comes_back_from_a_file(tmp_path, name):
    write_decisions(EVERY, tmp_path / name)
    assert read_decisions(tmp_path / name) == EVERY
    assert {each.kind for each in EVERY} == set(KINDS)


@given(logs)
def test_every_log_comes_back(log):
    assert tuple(parse(json.loads(line)) for line in to_json_lines(log).split("\n") if line) == log
    assert tuple(map(parse, tomllib.loads(to_toml(log)).get("decision", []))) == log


def test_the_forms_that_pages_post():
    posted = [
        '{"kind":"belongs","document":"id","group":3}',
        '{"kind":"off-topic","document":"id"}',
        '{"kind":"word-belongs","word":"w","group":3}',
        '{"kind":"ignore-word","word":"w"}',
        '{"kind":"rename","group":3,"name":"x"}',
        '{"kind":"merge","groups":[3,5]}',
        '{"kind":"split","group":3}',
        '{"kind":"undo"}',
    ]
    assert [parse(json.loads(each)) for each in posted] == [
        Belongs("id", 3),
        OffTopic("id"),
        WordBelongs("w", 3),
        IgnoreWord("w"),
        Rename(3, "x"),
        Merge((3, 5)),
        Split(3),
        Undo(),
    ]
    assert [json.dumps(parse(json.loads(each)).to_dict(), separators=(",", ":")) for each in posted] == posted


def test_a_seeds_file_is_read_as_decisions_before_the_others(tmp_path):
    path = tmp_path / "seeds.toml"
    path.write_text("""
        [clusters."By rail"]
        documents = ["t1", {id = "t2", words = ["station"]}]
        words = ["train"]
        weight = 2
        [off_topic]
        documents = ["ad"]
        [[decision]]
        kind = "split"
        group = "By rail"
    """)
    assert read_decisions(path) == (
        Belongs("t1", "By rail", 2.0, source="seed"),
        Belongs("t2", "By rail", 2.0, source="seed"),
        WordBelongs("station", "By rail", 2.0),
        WordBelongs("train", "By rail", 2.0),
        OffTopic("ad"),
        Split("By rail"),
    )


def test_undo_takes_back_the_last_that_stands():
    a, b, c = OffTopic("a"), OffTopic("b"), OffTopic("c")
    assert in_force([a, b, Undo(), c]) == (a, c)
    assert in_force([a, b, Undo(), Undo(), c]) == (c,)
    assert in_force([Undo(), a]) == (a,)


@given(logs)
def test_undo_after_a_decision_is_as_if_there_had_been_neither(log):
    assert in_force([*log, Split(0), Undo()]) == in_force(log)


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing yet\n"])
def test_an_empty_file_holds_no_decision(tmp_path, content):
    (tmp_path / "log").write_text(content)
    assert read_decisions(tmp_path / "log") == ()


def test_a_file_is_not_replaced_unasked(tmp_path):
    write_decisions(EVERY, tmp_path / "log.jsonl")
    with pytest.raises(OutputError, match="exists"):
        write_decisions((), tmp_path / "log.jsonl")
    write_decisions((), tmp_path / "log.jsonl", replace=True)
    assert read_decisions(tmp_path / "log.jsonl") == ()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("belongs", "a decision is 'belongs'; give a table"),
        ({}, "kind is None; choose among 'belongs'"),
        ({"kind": "belong", "document": "d", "group": 1}, "kind is 'belong'; did you mean 'belongs'"),
        ({"kind": ["belongs"]}, "kind is .'belongs'.; "),
        ({"kind": "belongs", "documents": "d", "group": 1}, "has no 'documents'; did you mean 'document'"),
        ({"kind": "belongs", "document": "d"}, 'needs document = "d1" and group = 3'),
        ({"kind": "undo", "group": 1}, "has no 'group'"),
        ({"kind": "belongs", "document": ["d"], "group": 1}, "the document of 'belongs' is .'d'.; give its id"),
        ({"kind": "belongs", "document": "", "group": 1}, "the document of 'belongs' is ''"),
        ({"kind": "belongs", "document": "d", "group": "3"}, "is the string '3'; write a number without quotes"),
        ({"kind": "belongs", "document": "d", "group": -1}, "is -1; give a group number"),
        ({"kind": "belongs", "document": "d", "group": True}, "is True"),
        ({"kind": "belongs", "document": "d", "group": 1.0}, "is 1.0"),
        ({"kind": "belongs", "document": "d", "group": 1, "weight": 0}, "the weight of 'belongs' is 0"),
        ({"kind": "belongs", "document": "d", "group": 1, "weight": float("nan")}, "the weight of 'belongs' is nan"),
        ({"kind": "ignore-word", "word": " "}, "the word of 'ignore-word' is ' '"),
        ({"kind": "rename", "group": 1, "name": "2"}, "a number"),
        ({"kind": "rename", "group": 1, "name": "two\nlines"}, "give one line of 1 to 200"),
        ({"kind": "rename", "group": 1, "name": "x" * 201}, "give one line of 1 to 200"),
        ({"kind": "merge", "groups": 3}, "give a list such as"),
        ({"kind": "merge", "groups": [3]}, "give at least two different groups"),
        ({"kind": "merge", "groups": [3, 3]}, "give at least two different groups"),
    ],
)
def test_wrong_decisions(given, message):
    with pytest.raises(InputError, match=message):
        parse(given)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"kind": "undo"}\n\n{"kind": "split"}', "log, line 3: a decision of kind 'split' needs group = 3"),
        ('{"kind": "undo"}\n{"kind": ', "log, line 2: "),
        ('{"kind": "undo"', "log, line 1: "),
        ('[[decision]]\nkind = "undo"\n[[decision]]\nkind = "spilt"', "log, decision 2: .*did you mean 'split'"),
        ('[decision]\nkind = "undo"', "write each decision as"),
        ("decision = [3]", "log, decision 1: a decision is 3"),
        ("hello", "neither a TOML file nor a JSON Lines file"),
        ("[cluster.a]\nwords = ['x']", "unknown key 'cluster'; did you mean 'clusters'"),
        ('[[decisions]]\nkind = "undo"', "unknown key 'decisions'; did you mean 'decision'"),
        ("[clusters.3]\nwords = ['x']", r"\[clusters.3\] is not valid.*group 3 of an earlier result"),
        ("{" * 100_000, "log, line 1: "),
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


def test_values_come_as_tables_and_lists_hold_them():
    log = [Belongs(np.int64(3), np.int32(1)), OffTopic(7), Merge([np.int64(0), "trains"]), Split(np.uint8(2))]
    assert log == [Belongs("3", 1), OffTopic("7"), Merge((0, "trains")), Split(2)]
    assert [parse(json.loads(line)) for line in to_json_lines(log).splitlines()] == log
    assert len(set(log)) == 4


@pytest.mark.parametrize("weight", [-1, 0, float("nan"), float("inf"), np.float32(-2), "2"])
@pytest.mark.parametrize("kind", [Belongs, WordBelongs])
def test_what_is_no_weight_is_said_at_once(kind, weight):
    with pytest.raises(InputError, match="number from 1e-6"):
        kind("d1", 0, weight)


def test_a_weight_and_groups_of_numpy_can_be_written():
    """The weight of a column of float32, and groups as `np.flatnonzero` gives them."""
    log = [Belongs("d1", 0, np.float32(2)), Merge(np.array([0, 1])), Belongs("d2", np.str_("food"))]
    assert log == [Belongs("d1", 0, 2.0), Merge((0, 1)), Belongs("d2", "food")]
    assert [parse(json.loads(line)) for line in to_json_lines(log).splitlines()] == log
    assert len(set(log)) == 3


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: Rename(0, ""), "the name in 'rename' is ''"),
        (lambda: Rename(0, "3"), "a number"),
        (lambda: Belongs("d", np.float64(1)), "the group of 'belongs'"),
        (lambda: Belongs("d", None), "the group of 'belongs' is None"),
        (lambda: Merge((1, 1)), "give at least two different groups"),
        (lambda: OffTopic(""), "the document of 'off-topic' is ''"),
    ],
)
def test_decisions_that_python_makes_are_checked_as_those_of_files(made, message):
    """Or a log could be written that nobody can read again."""
    with pytest.raises(InputError, match=message):
        made()


def test_the_documents_that_each_decision_labels():
    labelled = {each.kind: documents_in(each) for each in EVERY}
    assert {kind: documents for kind, documents in labelled.items() if documents} == {
        "belongs": ("d2",),
        "off-topic": ('quo"te',),
        "new-group": ("d2",),
        "assign": ("d2", 'quo"te'),
    }


def test_the_page_shows_every_kind_of_decision(tmp_path):
    from outgroup.decisions import KINDS, read_decisions

    page = Path(__file__).parents[1] / "docs" / "steering.md"
    if not page.exists():
        pytest.skip("the pages are not in this copy")
    example = page.read_text(encoding="utf-8").split("```toml\n")[1].split("```")[0]
    (tmp_path / "steering.toml").write_text(example, encoding="utf-8")
    assert {each.kind for each in read_decisions(tmp_path / "steering.toml")} == set(KINDS)
