"""Embeddings on the command line: a file, a column, an encoder, for new documents, too; and every way to go wrong."""

from pathlib import Path

import numpy as np
import pytest
from commands import loaded, printed, records, table

GROUP = np.arange(24) // 8
# Every second text has a word of its group; what all have in common tells nothing: only the vectors know them all.
TOPICS = ("tea", "train", "rain")
TEXTS = [f"{TOPICS[GROUP[i]] if i % 2 else ''} note {'alpha' if i % 4 < 2 else 'beta'}" for i in range(24)]
ENCODER = """
import numpy as np
def encode(texts):
    return np.array([["alpha" in text, "beta" in text and "ai" in text, "beta" in text] for text in texts], float)
def fails(texts):
    raise RuntimeError("no room")
"""


@pytest.fixture(autouse=True)
def made(here):
    records("a.jsonl", TEXTS)
    np.save("a.npy", vectors(np.float16))


def vectors(dtype=np.float64):
    return (np.eye(3)[GROUP] + np.random.default_rng(0).normal(scale=0.05, size=(24, 3))).astype(dtype)


def clustered(*options, docs="a.jsonl", code=0):
    said = printed("cluster", docs, "-k", 3, "--quick", "--out", "r", "--force", *options, code=code)
    return said if code else assigned("r/assignments.csv")


def assigned(path):
    return {row["id"]: row["cluster"] for row in table(path)}


def right(found):
    groups = [{found[f"d{i}"] for i in np.flatnonzero(g == GROUP)} for g in range(3)]
    return all(len(each) == 1 for each in groups) and len(set.union(*groups)) == 3


def test_a_file_of_vectors_decides_the_groups_and_words_tell_them():
    assert right(clustered("--embeddings", "a.npy"))
    groups = loaded("r/clusters.json")
    assert {group["words"][0]["word"] for group in groups} == set(TOPICS)


def test_a_vector_that_cannot_be_used_is_told_by_its_row_in_the_file():
    records("b.jsonl", ["", *TEXTS], id=lambda i: f"d{i - 1}")
    wrong = np.vstack([np.full(3, np.inf), vectors()])
    np.save("b.npy", wrong)
    assert right(clustered("--embeddings", "b.npy", docs="b.jsonl"))
    wrong[7, 1] = np.inf
    np.save("b.npy", wrong)
    said = clustered("--embeddings", "b.npy", docs="b.jsonl", code=2)
    assert "row 7 of b.npy" in said


def test_a_column_of_parquet():
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    ids = [f"d{i}" for i in range(24)]
    table = pyarrow.table({"id": ids, "text": TEXTS, "vector": list(vectors(np.float32)), "n": list(range(24))})
    parquet.write_table(table, "a.parquet")
    assert right(clustered("--embeddings", "vector", docs="a.parquet"))
    assert "column 'vectors'" in clustered("--embeddings", "vectors", docs="a.parquet", code=2)
    assert "'n' contains int64" in clustered("--embeddings", "n", docs="a.parquet", code=2)
    ragged = pyarrow.table({"id": [*"abc"], "text": TEXTS[:3], "vector": [[1.0, 2.0], [1.0], [1.0]]})
    parquet.write_table(ragged, "b.parquet")
    assert "row 2 of the column 'vector' has length 1, row 1 has length 2" in clustered(
        "--embeddings", "vector", docs="b.parquet", code=2
    )


def test_an_encoder_that_lies_in_the_current_folder():
    Path("mine.py").write_text(ENCODER)
    assert len(set(clustered("--encoder", "mine:encode").values())) == 3
    asked = printed("assign", "r", "missing.jsonl", code=2)  # before anything is read
    assert "--encoder mine:encode again" in asked
    asked = printed("cluster", "missing.jsonl", "--from", "r", "--out", "next", code=2)
    assert "give --encoder mine:encode again" in asked
    printed("assign", "r", "a.jsonl", "--encoder", "mine:encode", "--out", "again.csv")
    assert assigned("again.csv") == assigned("r/assignments.csv")
    assert "RuntimeError: no room" in clustered("--encoder", "mine:fails", code=2)
    assert "cannot be combined" in clustered("--encoder", "mine:encode", "--embeddings", "a.npy", code=2)


NAN = np.where(np.arange(72).reshape(24, 3) == 10, np.nan, 1.0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (vectors()[:20], "20 rows for 24 documents"),
        (NAN, "row 3 contains NaN"),
        (vectors()[:, 0], "(24,) of float64"),
        (np.array([{"a": 1}] * 24), "is not a .npy file of numbers"),  # it is pickled
    ],
)
def test_a_file_of_no_use_is_named(content, message):
    np.save("bad.npy", content, allow_pickle=True)
    assert message in clustered("--embeddings", "bad.npy", code=2)
