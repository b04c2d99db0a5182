"""Groups of other methods: labels stay as they are, and everything else starts from them."""

import numpy as np
import pytest
from commands import outgroup
from factories import write
from sklearn.cluster import HDBSCAN, KMeans

from outgroup import DocumentClustering
from outgroup.errors import InputError

THEMES = ("bread butter oven flour dough", "train town rails station ticket", "rose garden soil seed spade")
RNG = np.random.default_rng(3)
TEXTS = [" ".join(RNG.choice(THEMES[row % 3].split(), 4)) for row in range(48)]
LABELS = [(2, 7, -1)[row % 3] for row in range(len(TEXTS))]


@pytest.fixture(scope="module")
def groups():
    return DocumentClustering.from_labels(TEXTS, LABELS, encoder=None)


def test_labels_and_numbers_come_back(groups, tmp_path):
    assert groups.labels_.tolist() == LABELS
    assert dict(zip(groups.topics["group"], groups.topics["size"], strict=True)) == {2: 16, 7: 16}
    assert groups.predict(["oven dough", "station ticket", "zzz"]).tolist() == [2, 7, -1]
    sums = groups.membership_.sum(axis=1)
    assert np.allclose(sums[np.array(LABELS) >= 0], 1)
    assert np.isnan(sums[np.array(LABELS) < 0]).all()
    page = groups.report(tmp_path / "page.html").read_text()
    assert all(word in page for word in ("oven", "station"))
    groups.save(tmp_path / "model")
    assert DocumentClustering.load(tmp_path / "model").predict(["oven dough"]).tolist() == [2]


def test_a_document_in_no_group_stays_out_until_a_decision_says_otherwise(groups):
    merged = groups.merge(2, 7)
    assert merged.labels_.tolist() == [label if label < 0 else 2 for label in LABELS]
    split = groups.split(7)
    assert (split.labels_ < 0).tolist() == [label < 0 for label in LABELS]
    assert groups.assign(2, 7).labels_[2] == 7
    assert groups.assign(2, -1).labels_[2] == -1


@pytest.mark.parametrize(
    ("labels", "fault"),
    [
        (LABELS[1:], "47 labels for 48 documents"),
        ([*LABELS[:-1], float("nan")], "document 47 has no label"),
        ([*LABELS[:-1], -3], "-3 of document 47"),
        ([*LABELS[:-1], 0.5], "0.5 of document 47"),
        ([-1] * len(TEXTS), "no document is in a group"),
        (["tea\x1b[31m"] * len(TEXTS), "one line of 1 to 200"),
        ([*LABELS[:-1], 10**12], "1000000000000 is too large"),
        (3, "labels=3"),
        (None, "labels is None"),
        ("theme", "no field 'theme'"),
    ],
)
def test_wrong_labels_are_named(labels, fault):
    with pytest.raises(InputError, match=fault):
        DocumentClustering.from_labels(TEXTS, labels)


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (TEXTS[:4], [0, 1, 2, 3]),  # as many groups as documents
        (["tea and milk"] * 4, [0, 0, 1, 1]),  # equal texts in two groups
        (TEXTS[:3] * 2, [0, 0, 0, 1, 1, 1]),  # groups with equal means
        (TEXTS[:3], [5, 5, -1]),
    ],
)
def test_labels_that_no_clusterer_would_find(texts, labels):
    groups = DocumentClustering.from_labels(texts, labels, encoder=None)
    assert groups.labels_.tolist() == labels
    assert sorted(groups.topics["group"]) == sorted({*labels} - {-1})
    assert groups.membership_.shape == (len(texts), len({*labels} - {-1}))


@pytest.mark.parametrize("clusterer", [KMeans(3, random_state=0), HDBSCAN(min_cluster_size=4, copy=True)])
def test_a_clusterer_that_only_labels(clusterer, tmp_path):
    groups = DocumentClustering(clusterer=clusterer, encoder=None, neighbours=0).fit(TEXTS)
    rows = groups.spaces_.space[groups.order_]
    own = clusterer.fit(rows).labels_
    assert np.array_equal(groups.labels_[groups.kept_][groups.order_], own[own >= 0])
    first, second = groups.numbers_[:2].tolist()
    merged = groups.merge(first, second)
    assert merged.labels_.tolist() == [first if label == second else label for label in groups.labels_.tolist()]
    assert sum(groups.topics["size"]) == int((groups.labels_ >= 0).sum())
    assert groups.report(tmp_path / "page.html").exists()


# --- Two models as one

OTHERS = (*(f"{each} late" for each in THEMES[1:]), "tea milk sugar cup kettle")


def _month(themes, name, **options):
    texts = [" ".join(theme.split()[first:][:3]) for theme in themes for first in (0, 1, 2, 0)]
    rows = [{"id": f"d{row}", "text": text, "month": name} for row, text in enumerate(texts)]
    labels = np.repeat(np.arange(len(themes)), 4)
    return DocumentClustering.from_labels(rows, labels, encoder=None, **options)


@pytest.mark.parametrize("given", [False, True])
def test_two_models_become_one(given):
    points = np.eye(4).repeat(4, axis=0) + 0.01
    options = [{"embeddings": points[:12]}, {"embeddings": points[4:]}] if given else [{}, {}]
    may = _month(THEMES, "May", **options[0]).rename(0, "Food")
    june = _month(OTHERS, "June", **options[1]).rename(2, "Drinks")
    both = may.merge_with(june)
    assert both.labels_.tolist() == np.repeat([0, 1, 2, 1, 2, 5], 4).tolist()
    assert both.names_ == ["Food", None, None, "Drinks"]
    assert len({*both.ids_}) == 24
    assert list(both.by("month")["documents"]) == [4, 4, 4, 0, 0, 4, 4, 4]
    version = both.session.version
    merges = [each for each in version.decisions if each.kind == "merge"]
    assert [each.groups for each in merges] == [(1, 3), (2, 4)]
    assert [len(version.receipt(each).moved) for each in merges] == [4, 4]
    assert both.predict(["rail town"], embeddings=points[4:5] if given else None).tolist() == [1]


def test_groups_with_one_name_match_and_models_of_other_rows_do_not():
    may, june = _month(THEMES, "May").rename(0, "Mixed"), _month(OTHERS, "June").rename(2, "Mixed")
    assert may.merge_with(june).labels_[-1] == 0
    for other in (_month(THEMES, "June", embeddings=np.eye(12)), "june"):
        with pytest.raises(InputError, match=r"both by words|another fitted model"):
            may.merge_with(other)


# --- The command line


def test_options_that_contradict_labels(tmp_path):
    table = write(tmp_path / "table.csv", "id,text,Topic\n1,a cup of tea,drinks\n")
    for option in (("-k", 3), ("--universum", table)):
        said = outgroup("cluster", table, "--labels", "Topic", *option, code=2).stderr
        assert "--labels" in said
        assert option[0] in said
    assert "'Topic'" in outgroup("cluster", table, "--labels", "Theme", code=2).stderr
