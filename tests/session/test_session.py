"""A session: versions follow each other, only what a decision touches moves, and undoing goes back exactly."""

import json
import subprocess
import sys

import numpy as np
import pytest
from forks import ran

from outgroup.cluster.cpm3c import CPM3C
from outgroup.cluster.max_margin import MaxMarginClustering
from outgroup.cluster.seeded import SeededKMeans
from outgroup.cluster.spherical import SphericalKMeans
from outgroup.decisions import Label, Level, Merge, NewGroup, Pair, Rename, Split, Word
from outgroup.demo import documents_path, off_topic_path
from outgroup.document_clustering import DocumentClustering
from outgroup.errors import InputError
from outgroup.session import Session
from outgroup.summary.partition import Partition
from outgroup.summary.tree import parts


def records(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


DOCUMENTS = records(documents_path())
TEXTS, IDS = [each["text"] for each in DOCUMENTS], [each["id"] for each in DOCUMENTS]
OFF = [each["text"] for each in records(off_topic_path())]


def opened(**options):
    return Session(TEXTS, **{"n_clusters": 5, "ids": IDS, "encoder": None} | options)


@pytest.fixture(scope="module")
def session():
    return opened()


@pytest.fixture(scope="module")
def first(session):
    return session.fit()


def kept(before, after, rows):
    return np.mean(before.labels[rows] == after.labels[rows])


def test_the_first_version_is_what_the_model_finds(first):
    model = DocumentClustering(5, encoder=None, random_state=0).fit(TEXTS)
    np.testing.assert_array_equal(first.labels, model.labels_)
    assert (first.number, first.parent, first.decisions, first.numbers) == (1, None, (), (0, 1, 2, 3, 4))


@pytest.mark.parametrize("group", range(5))
def test_three_labels_leave_the_other_groups_as_they_are(session, first, group):
    elsewhere = np.flatnonzero(first.labels != group)
    documents = [IDS[row] for row in elsewhere[:: len(elsewhere) // 3][:3]]
    second = session.fit([Label(each, group) for each in documents], start=first)
    assert all(second.groups[each] == group for each in documents)
    assert kept(first, second, [row for row in elsewhere if IDS[row] not in documents]) >= 0.97
    assert {moved.id for moved in second.compare(first).moved} >= set(documents)


def test_further_groups_follow_merges_splits_and_undo(session, first):
    own = int(first.labels[0])
    other, third = [group for group in range(5) if group != own][:2]
    label = Label(IDS[0], (own, other))
    version = session.fit([label], start=first)

    def held(found):
        return (found.state.pins[0].group, *found.state.pins[0].further)

    assert held(version) == (own, other)
    assert version.receipt(label).honoured
    assert held(session.fit([label, Merge((third, other))], start=version)) == (own, third)
    assert held(session.fit([label, Merge((own, other))], start=version)) == (own,)
    assert held(session.fit([label, Split(other)], start=version)) == (own, other)
    named = [label, Rename(other, "trains"), Label(IDS[0], (own, "trains"))]
    assert held(session.fit(named, start=version)) == (own, other)
    without = session.fit([label, Label(IDS[0], own)], start=version)
    assert held(without) == (own,)
    assert not without.receipt(label).honoured
    assert not session.fit([], start=version).state.pins


def test_names_of_several_groups_start_a_first_fit(session):
    found = session.fit([Label(IDS[0], "tea"), Label(IDS[-1], "trains"), Label(IDS[1], ("tea", "trains"))])
    pin, numbers = found.state.pins[1], {name: number for number, name in found.names.items()}
    assert (pin.group, *pin.further) == (numbers["tea"], numbers["trains"])


def test_a_merge_is_one_group_under_the_first_number(session, first):
    second = session.fit([Merge((3, 1))], start=first)
    assert second.numbers == (0, 2, 3, 4)
    np.testing.assert_array_equal(second.labels, np.where(first.labels == 1, 3, first.labels))


def test_a_split_gives_the_smaller_half_a_new_number(session, first):
    merged = session.fit([Merge((3, 1))], start=first)
    second = session.fit([Merge((3, 1)), Split(3)], start=merged)
    assert second.numbers == (0, 2, 3, 4, 5)
    assert 0 < np.sum(second.labels == 5) <= np.sum(second.labels == 3)
    others = merged.labels != 3
    np.testing.assert_array_equal(second.labels[others], merged.labels[others])


@pytest.mark.parametrize("count", [1, 3, 5, 7])
def test_a_level_has_so_many_groups(session, first, count):
    second = session.fit([Level(count)], start=first)
    pairs = {*zip(first.labels.tolist(), second.labels.tolist(), strict=True)}
    assert len(second.numbers) == count
    assert len(pairs) == max(count, 5)  # a group is merged whole, or split
    assert second.receipt(Level(count)).honoured


@pytest.mark.parametrize("log", [[], [Word("garden"), Word("train"), Word("money")]])
def test_a_level_is_the_level_of_the_tree_of_the_table_and_of_the_page(session, first, log):
    start = session.fit(log, start=first) if log else first
    for count, level in zip((2, 4, 6, 9), DocumentClustering.of(start).levels(iter((2, 4, 6, 9))), strict=True):
        np.testing.assert_array_equal(session.fit([*log, Level(count)], start=start).labels, level)
    partition = Partition.of(start, every=True)
    np.testing.assert_array_equal(parts(partition.grouped, partition.feature_names, 9)[1], level[partition.rows])
    assert DocumentClustering.of(start).levels([]) == []


def test_a_level_above_the_different_documents_is_left_out_with_a_note():
    session = Session(["a train to town", "a train to town", "green tea", "green tea"], n_clusters=2)
    version = session.fit([Level(3)])
    assert version.numbers == (0, 1)
    assert "2 groups only" in version.notes[-1]


def test_off_topic_documents_leave_and_become_examples(session, first):
    second = session.fit([Label(IDS[0], ()), Label(IDS[5], ())], start=first)
    assert second.groups[IDS[0]] == second.groups[IDS[5]] == -1
    assert second.model.n_universum_ == 2
    assert second.model.vectorizer_ is first.model.vectorizer_
    back = session.fit([Label(IDS[0], ()), Label(IDS[5], ()), Label(IDS[0], 2)], start=second)
    assert (back.groups[IDS[0]], back.model.n_universum_) == (2, 1)


def test_an_ignored_word_counts_nowhere(session, first):
    second = session.fit([Word("train")], start=first)
    column = first.documents.columns("train")
    assert second.model.spaces_.words[:, column].nnz == 0
    assert first.model.spaces_.words[:, column].nnz > 0
    assert (np.asarray(second.model.vectorizer_.transform(["train"]).data) == 0).all()
    np.testing.assert_array_equal(second.model.predict(TEXTS), second.model.decision_function(TEXTS).argmax(axis=1))


def test_words_move_no_document_against_its_content(session, first):
    words = ["oven", "dough", "cheese", "bread", "knead"]
    held = sum(first.documents.with_columns(first.documents.columns(word)).astype(int) for word in words)
    home = int(np.bincount(first.labels[held > 1]).argmax())
    target = (home + 1) % 5
    log = [Word(word, target) for word in words]
    one = session.fit(log[:1], start=first)
    np.testing.assert_array_equal(one.labels, first.labels)
    assert one.receipt(log[0]).honoured
    all_ = session.fit(log, start=one)
    assert (all_.labels == first.labels)[held > 1].mean() > 0.5
    np.testing.assert_array_equal(all_.labels[held < 2], first.labels[held < 2])


@pytest.mark.parametrize(
    "decision",
    [
        *(Label(IDS[3], 4), Label(IDS[3], ()), Label(IDS[:30], 1), Pair((IDS[0], IDS[-1]), same=True)),
        *(Merge((0, 2)), Split(4), Level(3), Level(7), Rename(0, "x")),
    ],
)
def test_undoing_goes_back_exactly(session, first, decision):
    second = session.fit([decision], start=first)
    third = session.fit([], start=second)
    assert not third.compare(first)
    assert (third.numbers, third.names, third.parent is second) == (first.numbers, first.names, True)


def test_what_cannot_be_followed_is_a_note(session, first):
    log = [
        *(Label("nobody", 1), Label(IDS[0], 9), Label(IDS[0], "nowhere"), Word("xyzzy"), Merge((0, 7))),
        *(NewGroup(("nobody",)), NewGroup(tuple(IDS)), Pair((IDS[0], "nobody"), same=True)),
    ]
    second = session.fit(log, start=first)
    np.testing.assert_array_equal(second.labels, first.labels)
    assert len(second.notes) == len(log)
    reasons = ("no document", "no group 9", "'nowhere'", "vocabulary", "no group 7", "id", "rename", "missing")
    for decision, words in zip(log, reasons, strict=True):
        found = second.receipt(decision)
        assert not found.honoured
        assert words in found.sentence
        assert found.sentence.startswith("not followed: ")


def test_a_receipt_says_what_moved_and_what_is_contradicted(session, first):
    here, there = Label(IDS[0], 1), Label(IDS[0], 2)
    second = session.fit([here, there], start=first)
    found = second.receipt(there)
    assert found.honoured
    assert found.contradicts == ["another decision on this document: group 1"]
    assert IDS[0] in {moved.id for moved in found.moved}
    assert (second.receipt(here).honoured, second.receipt(here).sentence) == (False, "another decision replaced it")
    twice = session.fit([here, Label(IDS[0], 0), here, there], start=first).receipt(there)
    assert twice.contradicts == [f"another decision on this document: group {group}" for group in (1, 0)]
    with pytest.raises(InputError, match="not in the log"):
        first.receipt(here)


def test_a_label_that_the_content_of_its_document_does_not_bear_out_is_told_as_that(session, first):
    row = int(np.flatnonzero(first.labels == 0)[0])
    lightly = Label(IDS[row], 1, 1e-6)
    second = session.fit([lightly], start=first)
    assert (second.labels[row], second.own(row)) == (1, 0)
    said = "in group 1 by your decision; the model predicts group 0"
    assert (second.receipt(lightly).honoured, second.receipt(lightly).sentence) == (False, said)


@pytest.mark.parametrize(
    ("make", "given"),
    [
        (CPM3C, {"n_init": 2}),
        (MaxMarginClustering, {"n_init": 2}),
        (SeededKMeans, {}),
        (SphericalKMeans, {"n_init": 2}),
    ],
)
def test_junk_stays_out_after_a_decision_whatever_the_clusterer(make, given):
    session = opened(universum=OFF, clusterer=make(5, random_state=0, **given))
    first = session.fit()
    out = np.flatnonzero(first.labels < 0)
    scores = first.model.off_topic_score(TEXTS)
    farthest = [Label(IDS[row], ()) for row in out[np.argsort(-scores[out])][:16]]
    inside = IDS[int(np.flatnonzero(first.labels == 0)[0])]
    assert len(out) >= 32
    for log, start in (([Label(inside, 1)], first), (farthest, first), (farthest, None)):
        assert np.count_nonzero(session.fit(log, start=start).labels[out] >= 0) <= 1  # one lies at the threshold


@pytest.mark.parametrize(
    ("given", "fault"),
    [({"ids": ["x", "x"]}, "ids must be 2 unique"), ({"titles": ["x"]}, "titles"), ({"documents": "a cat"}, "list of")],
)
def test_wrong_collections_are_told(given, fault):
    with pytest.raises(InputError, match=fault):
        Session(**{"documents": ["a cat", "a dog"], "n_clusters": 1} | given)


def test_what_is_no_log_or_no_version_is_told_in_words(session, first):
    for wrong, said in (
        (Merge((0, 1)), "decisions is a single Merge; give a list"),
        (["merge 0 1"], "is a str, not"),
        ([Split(0), {"kind": "undo"}], r"decisions\[1\] is a dict"),
    ):
        with pytest.raises(InputError, match=said):
            session.fit(wrong, start=first)
    with pytest.raises(InputError, match="int, not a version"):
        session.fit([], start=1)


@pytest.mark.parametrize("texts", [TEXTS[:-1], TEXTS[::-1]])
def test_a_version_of_other_documents_is_told(first, texts, tmp_path):
    """Its groups were taken for those of the documents in their places."""
    other = Session(texts, n_clusters=5, ids=IDS[: len(texts)], encoder=None)
    with pytest.raises(InputError, match="other documents"):
        other.fit([Split(0)], start=first)
    with pytest.raises(InputError, match="to other documents"):
        other.save(tmp_path / "work.outgroup", first)


REPLAY = """
import hashlib, json, sys
from outgroup.demo import documents_path
from outgroup import MaxMarginClustering
from outgroup.session import Session
from outgroup.decisions import parse
rows = [json.loads(line) for line in open(documents_path(), encoding="utf-8")][::3]
clusterer = MaxMarginClustering(5, n_init=1, gap=0.01, off_topic_rate=None, random_state=0)
texts, ids = ([row[name] for row in rows] for name in ("text", "id"))
session = Session(texts, n_clusters=5, clusterer=clusterer, ids=ids, encoder=None)
log = [parse(each) for each in json.load(open(sys.argv[1]))]
version = session.fit()
digest = hashlib.sha256()
for end in range(40, len(log) + 40, 40):
    version = session.fit(log[:end], start=version)
    digest.update(version.labels.tobytes() + version.model.clusterer_.coef_.tobytes())
print(digest.hexdigest(), version.numbers)
"""


def random_log(count, seed):
    rng = np.random.default_rng(seed)
    words = ["train", "bread", "star", "river", "said"]

    def one():
        document, group, other = IDS[::3][rng.integers(len(IDS[::3]))], int(rng.integers(7)), int(rng.integers(7))
        word = words[rng.integers(len(words))]
        kinds = [
            *[Label(document, group)] * 4,
            *[Label(document, ()), Word(word, group), Word(word), Rename(group, f"name {other}")],
            *[Merge((group, other)) if group != other else Split(group), Split(group)],
        ]
        return kinds[rng.integers(len(kinds))]

    return [one() for _ in range(count)]


def test_a_log_of_120_decisions_replays_to_the_same_bytes_in_another_process(tmp_path):
    """Of two interpreters: one begins with it, and the other loaded the libraries for many commands."""
    file = tmp_path / "log.json"
    file.write_text(json.dumps([each.to_dict() for each in random_log(120, 3)]))
    command = [sys.executable, "-c", REPLAY, str(file)]
    one, other = subprocess.run(command, capture_output=True, text=True, check=True), ran(file, start=REPLAY)
    assert other.returncode == 0, other.stderr
    assert one.stdout == other.stdout
    assert one.stdout.strip()


def test_receipts_after_an_undo_back_to_the_first_version_keep_their_reasons():
    session = opened()
    first = session.fit([Label(IDS[0], "food"), Label(IDS[-1], "rail")])
    merge = Merge((0, 7))
    second = session.fit([Label(IDS[-1], "rail"), merge, Rename(0, "x")], start=first)
    receipt = second.receipt(merge)
    assert not receipt.honoured
    assert "there is no group 7" in str(receipt)
    assert not receipt.moved
