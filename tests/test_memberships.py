"""Probabilities, outlier scores and levels of fitted documents."""

import json
from importlib import resources

import numpy as np
import pytest
from scipy.cluster.hierarchy import is_valid_linkage

from outgroup import DocumentClustering
from outgroup.decisions import Label
from outgroup.errors import InputError
from outgroup.session import Session
from outgroup.text.texts import passage_ends

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
    groups.clusterer_.off_topic_["slope"] = None  # as with too few examples
    saved = groups.clusterer_.to_state()
    assert type(groups.clusterer_).from_state(saved).off_topic_ == groups.clusterer_.off_topic_
    earlier = groups.predict_proba(junk[40:])[:, 5]
    assert ((earlier >= 0.5) == (groups.predict(junk[40:]) < 0)).mean() > 0.9


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


def test_the_table_of_documents_has_further_columns_on_request(groups):
    table = groups.documents_with("probability", "second_probability", "outlier_score", "level_1")
    assert list(table["probability"]) == pytest.approx(groups.membership_.max(axis=1).tolist())
    assert list(table["second_probability"]) == pytest.approx(groups.membership_.min(axis=1).tolist())
    assert list(table["outlier_score"]) == pytest.approx(groups.outlier_score_.tolist())
    assert set(table["level_1"]) == {0}
    with pytest.raises(InputError):
        groups.documents_with("level_999")
    with pytest.raises(InputError, match="'outlier_score', 'x', 'y', 'level_N'"):
        groups.documents_with("no such field")


def test_other_tools_get_places_on_the_map_and_named_levels(groups):
    table = groups.documents_with("x", "y", "level_2", "level_2_name", "level_3_name")
    places = np.column_stack([table["x"], table["y"]])
    assert (np.isfinite(places).all(axis=1) == groups.kept_).all()
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) + 9 * np.eye(len(places))
    own = np.array(table["group"])
    assert (own[apart.argmin(axis=1)] == own).mean() > 0.8
    named = set(zip(table["level_2"], table["level_2_name"], strict=True))
    assert len(named) == 2
    assert set(table["level_2_name"]) == set(groups.topics["name"])
    assert len(set(table["level_3_name"])) == 3
    with pytest.raises(InputError):
        groups.documents_with("level_999_name")


def test_each_group_has_a_probability_by_itself(groups, tmp_path):
    both = "Green tea with milk. Black tea with sugar. A night train to town. Late train to coast."
    p = groups.predict_several([both, "Green tea with milk.", "..."])
    tea = int(groups.labels_[0])
    assert p[0].min() > 0.1
    assert p[1, tea] > 0.5 > 0.05 > p[1, 1 - tea]
    assert np.isnan(p[2]).all()
    assert groups.several_.shape == (18, 2)
    assert (groups.several_.argmax(axis=1) == groups.labels_).mean() > 0.8
    groups.save(tmp_path / "model")
    assert np.array_equal(DocumentClustering.load(tmp_path / "model").predict_several([both]), p[:1])


def test_labels_of_several_groups_teach_both():
    tea = [f"{a} {b} tea" for a in ("red", "green", "black", "hot") for b in ("milk", "ham", "jam", "pie", "nut")]
    train = [
        f"{a} {b} train" for a in ("late", "fast", "slow", "full") for b in ("rail", "seat", "town", "line", "stop")
    ]
    texts = [*tea, *train, *(f"{a} {b}" for a, b in zip(tea, reversed(train), strict=True))]
    session = Session(texts, n_clusters=2, labels=["tea"] * 20 + ["train"] * 20 + ["tea"] * 20, random_state=0)
    first = session.fit()
    groups = [int(first.labels[row]) for row in (0, 20)]
    labels = [Label(str(row), groups) for row in range(40, 60)]
    model = session.fit(labels, start=first).model
    places = [model.numbers_.tolist().index(group) for group in groups]
    assert (model.several_[40:, places] > 0.5).all()
    assert (first.model.several_[40:].min(axis=1) < model.several_[40:].min(axis=1)).all()
    assert model.predict_several(["red milk tea and late town train"])[0].min() > 0.1


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
    ends = passage_ends(text, 2)
    cuts = [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    assert ["".join(each.split()) for each in cuts] == ["".join(each.split()) for each in expected]
