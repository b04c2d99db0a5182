"""Groups of other methods: labels stay as they are, and everything else starts from them."""

import csv

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN, KMeans
from typer.testing import CliRunner

from outgroup import DocumentClustering
from outgroup.cli.main import app
from outgroup.errors import InputError

THEMES = ("bread butter oven flour dough", "train town rails station ticket", "rose garden soil seed spade")


def _texts(n=48):
    rng = np.random.default_rng(3)
    return [" ".join(rng.choice(THEMES[row % 3].split(), 4)) for row in range(n)]


TEXTS = _texts()
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


def test_a_session_starts_from_the_labels(groups):
    first = groups.session.begin()
    assert first.labels.tolist() == LABELS
    assert groups.session.fit([], start=first).labels.tolist() == LABELS
    assert groups.session.fit([]).labels.tolist() == LABELS


def test_strings_become_names_and_a_text_without_a_known_word_keeps_its_label():
    names = {2: "kitchen", 7: "travel", -1: "-1"}
    groups = DocumentClustering.from_labels([*TEXTS, "..."], [*map(names.get, LABELS), "travel"], encoder=None)
    assert groups.names_ == ["kitchen", "travel"]
    expected = [{2: 0, 7: 1, -1: -1}[label] for label in LABELS]
    assert groups.labels_.tolist() == [*expected, 1]
    assert groups.merge("kitchen", "travel").labels_[-1] == 0


def test_the_order_of_the_documents_does_not_matter(groups):
    order = np.random.default_rng(0).permutation(len(TEXTS))
    other = DocumentClustering.from_labels([TEXTS[i] for i in order], [LABELS[i] for i in order], encoder=None)
    assert np.array_equal(other.decision_function(TEXTS), groups.decision_function(TEXTS))


def test_groups_among_embeddings():
    rng = np.random.default_rng(0)
    E = np.eye(3)[np.arange(len(TEXTS)) % 3] + 0.1 * rng.standard_normal((len(TEXTS), 3))
    groups = DocumentClustering.from_labels(TEXTS, LABELS, E)
    assert groups.labels_.tolist() == LABELS
    assert groups.predict(["any", "text"], embeddings=np.eye(3)[:2]).tolist() == [2, 7]


def test_labels_may_be_a_field_of_a_table():
    records = [{"text": text, "theme": label} for text, label in zip(TEXTS, LABELS, strict=True)]
    assert DocumentClustering.from_labels(records, "theme", encoder=None).labels_.tolist() == LABELS


@pytest.mark.parametrize(
    ("labels", "fault"),
    [
        (LABELS[1:], "47 labels for 48 documents"),
        ([*LABELS[:-1], float("nan")], "document 47 has no label"),
        ([None, *LABELS[1:]], "document 0 has no label"),
        (["", *LABELS[1:]], "document 0 has no label"),
        ([*LABELS[:-1], -3], "-3 of document 47"),
        ([*LABELS[:-1], 0.5], "0.5 of document 47"),
        ([*LABELS[:-1], 10**8], "100000000 is too large"),
        ([-1] * len(TEXTS), "no document is in a group"),
        (np.zeros((len(TEXTS), 2)), "document 0"),
        (["tea\x1b[31m"] * len(TEXTS), "one line of 1 to 200"),
        (["t" * 201] * len(TEXTS), "one line of 1 to 200"),
        ([*LABELS[:-1], 1e-5], "1e-05 of document 47"),
        ([*LABELS[:-1], 10**10], "10000000000 of document 47"),
        (3, "labels=3"),
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


def test_a_clusterer_without_a_group_is_named():
    with pytest.raises(InputError, match="no document is in a group"):
        DocumentClustering(clusterer=HDBSCAN(min_cluster_size=40, copy=True), encoder=None).fit(TEXTS)


# --- The command line


def run(*given):
    return CliRunner().invoke(app, [str(each) for each in given])


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "text", "Topic"])
        rows.writerows([f"d{row}", text, label] for row, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True)))
    return path


def _clusters(result):
    with (result / "assignments.csv").open(newline="") as file:
        return [row["cluster"] for row in csv.DictReader(file)]


def test_labels_of_a_table_and_a_further_run(table, tmp_path):
    expected = ["off-topic" if label < 0 else str(label) for label in LABELS]
    assert run("cluster", table, "--labels", "topic", "--out", tmp_path / "one").exit_code == 0
    assert _clusters(tmp_path / "one") == expected
    assert run("cluster", table, "--from", tmp_path / "one", "--out", tmp_path / "two").exit_code == 0
    assert _clusters(tmp_path / "two") == expected


def test_options_that_contradict_labels(table):
    for option in (("-k", 3), ("--universum", table), ("--seeds", table)):
        failed = run("cluster", table, "--labels", "Topic", *option)
        assert failed.exit_code == 2
        assert "--labels" in failed.stderr
        assert option[0] in failed.stderr
    missing = run("cluster", table, "--labels", "Theme")
    assert missing.exit_code == 2
    assert "'Topic'" in missing.stderr
