"""Encoders and vectors: what is taken, and what is refused in plain words."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from outgroup.errors import InputError, MissingExtraError
from outgroup.text.embeddings import encoded, encoder_of, unit_vectors


class Encoder:
    def encode(self, texts):
        return np.array([[len(text), 1.0] for text in texts])


class LikeLangChain:
    def embed_documents(self, texts):
        return [[1.0, 2.0] for _ in texts]


@pytest.mark.parametrize("encoder", [Encoder(), Encoder().encode, LikeLangChain()])
def test_functions_and_objects_encode(encoder):
    assert np.shape(encoder_of(encoder)(["a", "bc"])) == (2, 2)


@pytest.mark.parametrize("encoder", ["no_such_package:thing", "json:nothing", ":x", 3])
def test_what_is_no_encoder_is_named(encoder):
    with pytest.raises(InputError, match=f"{encoder}.* encoder|no encoder.*{encoder}"):
        encoder_of(encoder)


@pytest.mark.parametrize(("encode", "problem"), [(lambda texts: 1 / 0, "failed on 2 texts"), (list.clear, "None")])
def test_an_encoder_that_fails_is_named(encode, problem):
    with pytest.raises(InputError, match=problem):
        encoded(encode, ["a", "b"])


@given(
    arrays.arrays(st.sampled_from([np.float16, np.float32, np.float64, np.int32]), (5, 3), elements=st.integers(-9, 9))
)
def test_rows_have_unit_length_or_stay_zero(vectors):
    unit = unit_vectors(vectors, 5, "vectors")
    lengths = np.linalg.norm(unit.astype(float), axis=1)
    np.testing.assert_allclose(lengths, (vectors != 0).any(axis=1), atol=1e-6)
    assert unit.dtype == (np.float64 if vectors.dtype == np.float64 else np.float32)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (np.ones((3, 2)), "3 rows for 2 texts"),
        (np.ones((2, 4)), "4 columns, but the model was fitted with 2"),
        (np.ones(2), r"shape \(2,\)"),
        (np.ones((2, 0)), "shape"),
        (np.array([["a", "b"], ["c", "d"]]), "type"),
        (np.array([[1, 2], [None, 3]], dtype=object), "type object"),
        ([[1.0, 2.0], [3.0]], "differ in length"),
        (np.array([[1.0, 2.0], [np.nan, 0.0]]), "row 1 contains NaN"),
        (np.array([[1.0, 2.0], [np.inf, 0.0]], dtype=np.float16), "row 1 contains infinity"),
    ],
)
def test_vectors_that_cannot_be_used_are_named(given, words):
    with pytest.raises(InputError, match=f"E.*{words}|{words}"):
        unit_vectors(given, 2, "E", 2)


def static_model(folder):
    """A static model of three words, written as model2vec writes its own."""
    model2vec, tokenizers = pytest.importorskip("model2vec"), pytest.importorskip("tokenizers")
    words = {"[UNK]": 0, "tea": 1, "train": 2}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    vectors = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=np.float32)
    model2vec.StaticModel(vectors, tokenizer, config={}).save_pretrained(folder)
    return str(folder)


def test_a_static_model_is_read_from_its_folder(tmp_path):
    encode = encoder_of(static_model(tmp_path / "model"))
    assert np.argmax(encode(["tea tea", "train"]), axis=1).tolist() == [0, 1]


def test_without_the_extra_a_static_model_says_what_it_needs(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "model2vec", None)
    with pytest.raises(MissingExtraError, match=r"\.\[embeddings\]"):
        encoder_of(str(tmp_path))


class Tensor:
    """What a tensor of PyTorch does: no array of it as long as it has a gradient, or lies elsewhere, or is bfloat16."""

    def __init__(self, values, ready=(), bits=16):
        self.values, self.ready, self.bits = values, ready, bits

    def __len__(self):
        return len(self.values)

    def detach(self):
        return Tensor(self.values, (*self.ready, "detached"), self.bits)

    def cpu(self):
        return Tensor(self.values, (*self.ready, "here"), self.bits)

    def float(self):
        return Tensor(self.values, self.ready, 32)

    def is_floating_point(self):
        return self.bits is not None

    def element_size(self):
        return (self.bits or 64) // 8

    def __array__(self, dtype=None, copy=None):
        if self.ready != ("detached", "here") or self.bits == 16:
            raise RuntimeError("no array yet")
        return np.array(self.values, dtype=dtype)


@pytest.mark.parametrize("bits", [16, 32, None])
def test_tensors_are_taken_as_an_encoder_returns_them(bits):
    apart = [Tensor([3, 4], bits=bits), Tensor([0, 1], bits=bits)]
    for tensors in (Tensor([[3, 4], [0, 1]], bits=bits), apart):
        np.testing.assert_allclose(unit_vectors(tensors, 2, "embeddings"), [[0.6, 0.8], [0.0, 1.0]], rtol=1e-6)
