"""Probabilities, outlier scores and levels of fitted documents."""

import json
import random
from importlib import resources
from itertools import pairwise

import numpy as np
import pytest
from scipy.cluster.hierarchy import is_valid_linkage

from outgroup import DocumentClustering, Vectorizer
from outgroup.decisions import Label
from outgroup.errors import InputError, NoDocumentsError
from outgroup.summary.findings import several_groups
from outgroup.text.texts import passage_ends, passages

TEA = [f"{first} tea with {second}" for first in ("green", "black", "white") for second in ("milk", "sugar", "lemon")]
TRAINS = [f"{first} train to {second}" for first in ("night", "early", "late") for second in ("town", "coast", "city")]


@pytest.fixture(scope="module")
def groups():
    return DocumentClustering(2, random_state=0).fit(TEA + TRAINS)


def test_probabilities_sum_to_one_and_agree_with_the_groups(groups):
    p = groups.membership_
    assert p.shape == (18, 2)
    assert np.allclose(p.sum(axis=1), 1)
    assert (groups.numbers_[p.argmax(axis=1)] == groups.labels_).all()


def test_texts_without_a_known_word_have_no_probability(groups):
    p = groups.predict_proba(["green tea", "..."])
    assert np.isfinite(p[0]).all()
    assert np.isnan(p[1]).all()
    assert groups.predict_sets(["green tea", "..."])[1] == []


def test_a_saved_model_keeps_its_probabilities(groups, tmp_path):
    p = groups.predict_proba(["green tea"])
    groups.save(tmp_path / "m")
    loaded = DocumentClustering.load(tmp_path / "m")
    assert np.allclose(loaded.predict_proba(["green tea"]), p, atol=1e-4)


def test_none_of_the_groups_is_a_column_where_there_are_examples():
    demo = resources.files("outgroup.demo")
    rows, junk = (
        [json.loads(line)["text"] for line in demo.joinpath(name).read_text("utf-8").splitlines()]
        for name in ("documents.jsonl", "off_topic.jsonl")
    )
    groups = DocumentClustering(5, random_state=0).fit(rows, universum=junk[:40])
    p = groups.membership_
    assert p.shape == (len(rows), 6)
    assert np.allclose(p.sum(axis=1), 1)
    assert p[groups.labels_ < 0, 5].min() >= 0.5
    assert groups.predict_proba(junk[40:])[:, 5].mean() > p[groups.labels_ >= 0, 5].mean() + 0.2
    assert groups.clusterer_.off_topic_["slope"] > 0
    for each in (groups.clusterer_.off_topic_, *groups.clusterer_.off_topic_["choices"]):
        each["slope"] = None  # as with too few examples
    saved = groups.clusterer_.to_state()
    assert type(groups.clusterer_).from_state(saved).off_topic_ == groups.clusterer_.off_topic_
    earlier = groups.predict_proba(junk[40:])[:, 5]
    assert ((earlier >= 0.5) == (groups.predict(junk[40:]) < 0)).mean() > 0.9


@pytest.mark.parametrize("coverage", [0, 1, -1, "high"])
def test_a_coverage_out_of_range_is_refused(groups, coverage):
    with pytest.raises(InputError):
        groups.predict_sets(["tea"], coverage=coverage)


def test_strange_texts_have_high_outlier_scores(groups):
    scores = groups.outlier_score(["green tea with milk", "tea city", "..."])
    assert scores[0] < scores[1]
    assert np.isnan(scores[2])
    assert groups.outlier_score_.shape == (18,)


MANY = [f"{word} {text}" for word in ("hot", "cold", "new", "old") for text in TEA + TRAINS]
"""Enough distinct texts for a threshold."""


def test_texts_of_a_new_subject_are_unlike_all_groups(tmp_path):
    groups = DocumentClustering(2, random_state=0).fit(MANY)
    new = ["hot green tea with sugar", "old milk town", "..."]
    found = groups.unlike_all(new)
    assert found.dtype == bool
    assert not found[0]
    assert not found[2]
    groups.save(tmp_path / "m")
    assert DocumentClustering.load(tmp_path / "m").unlike_all(new).tolist() == found.tolist()


def test_outliers_are_flagged_or_set_aside_on_request():
    rng = random.Random(0)
    words = [
        f"{first}{last}" for first in ("tea", "leaf", "cup", "milk", "sugar") for last in ("pot", "bag", "shop", "jug")
    ]
    texts = [" ".join(rng.sample(words, k=6)) for _ in range(200)]
    texts += ["zebra quagga okapi", "lemur tapir"]
    plain = DocumentClustering(2, vectorizer=Vectorizer(min_df=1), random_state=0).fit(texts)
    flagged = DocumentClustering(2, vectorizer=Vectorizer(min_df=1), outliers="flag", random_state=0).fit(texts)
    assert (flagged.labels_ == plain.labels_).all()
    assert "outlier" not in plain.documents
    assert list(flagged.documents["outlier"]) == flagged.outliers_.tolist()
    assert flagged.outliers_[-2:].all()
    assert flagged.outliers_[:200].mean() <= 0.05
    aside = DocumentClustering(2, vectorizer=Vectorizer(min_df=1), outliers="set aside", random_state=0).fit(texts)
    assert (aside.outliers_ == flagged.outliers_).all()
    assert (aside.labels_[aside.outliers_] == -1).all()
    assert (aside.labels_[~aside.outliers_] >= 0).all()
    assert aside.outliers_.sum() == len(aside.skipped_) > 0


def test_levels_merge_groups_along_the_tree():
    more = [f"{first} cake with {second}" for first in ("apple", "plum") for second in ("milk", "sugar", "lemon")]
    groups = DocumentClustering(3, random_state=0).fit(TEA + TRAINS + more)
    assert groups.tree_.shape == (2, 4)
    assert (np.diff(groups.tree_[:, 2]) >= 0).all()
    assert groups.tree_[-1, 3] == 3
    assert is_valid_linkage(groups.tree_)
    three, two, one = groups.levels((3, 2, 1))
    assert (three == groups.labels_).all()
    assert len(set(two.tolist())) == 2
    assert set(one.tolist()) == {0}
    assert all(len(set(two[three == group].tolist())) == 1 for group in set(three.tolist()))  # nested


def test_finer_levels_split_the_groups_one_after_the_other(groups):
    levels = groups.levels((2, 3, 4, 5))
    assert [sorted(set(level.tolist())) for level in levels] == [list(range(k)) for k in (2, 3, 4, 5)]
    for coarse, fine in pairwise(levels):
        new, (parent,) = fine.max(), set(coarse[fine != coarse].tolist())
        assert set(fine[fine != coarse].tolist()) == {new}
        assert 0 < (fine == new).sum() <= (fine == parent).sum()


@pytest.mark.parametrize("counts", [(0,), (10**6,), ("two",), 2, None])
def test_levels_out_of_range_are_refused(groups, counts):
    with pytest.raises(InputError):
        groups.levels(counts)


def test_the_table_of_documents_has_further_columns_on_request(groups):
    table = groups.documents_with("probability", "second_probability", "outlier_score", "level_1")
    assert list(table["probability"]) == pytest.approx(groups.membership_.max(axis=1).tolist())
    assert list(table["second_probability"]) == pytest.approx(groups.membership_.min(axis=1).tolist())
    assert list(table["outlier_score"]) == pytest.approx(groups.outlier_score_.tolist())
    assert set(table["level_1"]) == {0}
    with pytest.raises(InputError):
        groups.documents_with("level_999")
    with pytest.raises(InputError):
        groups.documents_with("no such field")


def test_shares_sum_to_one_and_follow_the_passages(groups):
    both = "Green tea with milk. Black tea with sugar. A night train to town. Late train to coast."
    shares = groups.shares([both, "Green tea with milk.", "..."], sentences=1)
    tea = int(groups.labels_[0])
    assert np.allclose(shares[:2].sum(axis=1), 1)
    assert np.isnan(shares[2]).all()
    assert shares[0].min() > 0.3
    assert shares[1, tea] > 0.9
    assert np.allclose(groups.shares([both], sentences=9), groups.predict_proba([both]))


@pytest.mark.parametrize("sentences", [0, -1, 1.5, "three", True])
def test_an_invalid_number_of_sentences_is_refused(groups, sentences):
    with pytest.raises(InputError):
        groups.shares(["tea"], sentences=sentences)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One. Two!", "Three? Four"]),
        ("\u4e00\u3002\u4e8c\u3002\u4e09\u3002", ["\u4e00\u3002 \u4e8c\u3002", "\u4e09\u3002"]),
        ('A title\n\nThe body. "Said so." End', ["A title The body.", '"Said so." End']),
        ("3.5 per cent", ["3.5 per cent"]),
        ("", [""]),
    ],
)
def test_passages_hold_all_sentences(text, expected):
    assert passages(text, 2) == expected
    ends = passage_ends(text, 2)
    cuts = [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    assert ["".join(each.split()) for each in cuts] == ["".join(each.split()) for each in expected]


TEA_TEXT = "Green tea with milk. Black tea with sugar. White tea with lemon."
TRAIN_TEXT = "A night train to town. A late train to coast. An early train to city."


def test_passages_of_a_text_about_two_things_have_its_groups(groups):
    tea, train = int(groups.labels_[0]), int(groups.labels_[-1])
    (found,) = several_groups(groups, [f"{TEA_TEXT}\n\n{TRAIN_TEXT} {TRAIN_TEXT}"], 0.15)
    first = len(TEA_TEXT)
    assert [(end, group) for end, group, _ in found.passages] == [
        (first, tea),
        (first + 2 + len(TRAIN_TEXT), train),
        (first + 3 + 2 * len(TRAIN_TEXT), train),
    ]
    assert [group for group, _ in found.shares] == [train, tea]
    assert sum(share for _, share in found.shares) == pytest.approx(1, abs=0.01)
    assert all(p > 0.5 for *_, p in found.passages)


def test_passages_without_a_known_word_have_no_group(groups):
    tea, train = int(groups.labels_[0]), int(groups.labels_[-1])
    unknown = "Zzz zzz zzz. Zzz zzz. Zzz zzz zzz."
    (found,) = several_groups(groups, [f"{unknown} {TEA_TEXT} {TEA_TEXT} {TRAIN_TEXT}"], 0.3)
    assert [group for _, group, _ in found.passages] == [-1, tea, tea, train]
    assert several_groups(groups, [f"{TEA_TEXT} {TEA_TEXT} {TEA_TEXT} {TRAIN_TEXT}"], 0.45) == [None]


def test_pockets_of_documents_in_groups_as_a_table():
    replies = [f"office closed until monday {day}" for day in ("may", "june", "july", "august", "april")]
    words = ("red", "green", "blue", "white", "black", "brown", "grey", "pink")
    texts = [*(f"{a} {b} wheels" for a in words for b in words), *replies]
    groups = DocumentClustering(2, encoder=None, random_state=0).fit(texts)
    (row,) = groups.pockets()
    assert (row["size"], sorted(row["documents"])) == (5, ["64", "65", "66", "67", "68"])
    assert "office" in row["words"]
    assert set(row["examples"]) <= set(replies)
    after = groups.session.fit([Label(row["documents"], ())], start=groups.session.fit())
    assert (after.labels[64:] == -1).all()
    assert not len(DocumentClustering.of(after).pockets())
    with pytest.raises(NoDocumentsError):
        DocumentClustering.from_state(groups.to_state()).pockets()
