"""Vectors in several files are those of one file, and files that cannot be used are named."""

import os

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup import SphericalKMeans
from outgroup.document_clustering import DocumentClustering
from outgroup.errors import InputError
from outgroup.text.embeddings import VectorShards, mapped_vectors, unit_vectors


def sharded(folder, X, cuts=(7, 30)):
    folder.mkdir()
    for number, part in enumerate(np.split(X, cuts)):
        np.save(folder / f"{number:02d}.npy", part)
    return folder


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(50, 4)).astype(np.float16)


def test_rows_of_a_folder_are_those_of_one_array(rows, tmp_path):
    shards = mapped_vectors(sharded(tmp_path / "parts", rows))
    assert isinstance(shards, VectorShards)
    assert (shards.shape, shards.dtype, len(shards)) == ((50, 4), np.float16, 50)
    index = np.array([40, 3, 3, 8])
    assert np.array_equal(shards[index], rows[index])
    assert np.array_equal(shards[5:33], rows[5:33])
    assert np.array_equal(np.asarray(shards), rows)
    assert np.array_equal(unit_vectors(shards, 50, "E"), unit_vectors(rows, 50, "E"))


def test_a_fit_takes_the_path_of_a_file_or_a_folder(rows, tmp_path):
    texts = [f"word{i % 7} text{i % 3}" for i in range(50)]
    np.save(tmp_path / "one.npy", rows)
    given = [
        rows,
        np.load(tmp_path / "one.npy", mmap_mode="r"),
        tmp_path / "one.npy",
        sharded(tmp_path / "parts", rows),
    ]
    labels = [DocumentClustering(3, random_state=0).fit(texts, embeddings=each).labels_.tolist() for each in given]
    assert labels[0] == labels[1] == labels[2] == labels[3]


def test_files_that_cannot_be_used_are_named(rows, tmp_path):
    folder = sharded(tmp_path / "parts", rows)
    np.save(folder / "03.npy", np.ones((2, 5), dtype=np.float32))
    with pytest.raises(InputError, match=r"03.npy has 5 columns, but 00.npy has 4"):
        mapped_vectors(folder)
    np.save(folder / "03.npy", np.array([[object()]]), allow_pickle=True)
    with pytest.raises(InputError, match=r"03\.npy is not a .npy file of numbers"):
        mapped_vectors(folder)
    (folder / "03.npy").write_bytes(b"no array")
    with pytest.raises(InputError, match=r"03\.npy"):
        mapped_vectors(folder)
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match=r"none has no .npy file"):
        mapped_vectors(tmp_path / "none")


@pytest.mark.parametrize("view", [lambda X: X, lambda X: X[5:, 1:], np.asarray, lambda X: np.asarray(X).T.T])
def test_a_file_that_is_cut_short_after_it_was_opened_is_named(view, tmp_path):
    """The file stays within one page of memory: without the check its rest reads as zeros, and nothing crashes."""
    np.save(tmp_path / "E.npy", np.ones((50, 4)))
    vectors = view(np.load(tmp_path / "E.npy", mmap_mode="r"))
    texts = [f"word{i % 7} text{i % 3}" for i in range(len(vectors))]
    assert len(unit_vectors(vectors, len(texts), "E")) == len(texts)
    os.truncate(tmp_path / "E.npy", 900)
    for fit in (
        lambda: DocumentClustering(2).fit(texts, embeddings=vectors),
        lambda: SphericalKMeans(2).fit(vectors),
        lambda: SphericalKMeans(2).fit(csr_of(vectors)),
    ):
        with pytest.raises(InputError, match="cut short"):
            fit()


def csr_of(vectors):
    """Return a sparse matrix whose data are the mapped numbers."""
    data = np.ravel(vectors, order="K")
    if data.base is None:
        pytest.skip("a copy is not mapped")
    return sp.csr_matrix((data, np.tile(np.arange(4), len(data) // 4), 4 * np.arange(len(data) // 4 + 1)), copy=False)
