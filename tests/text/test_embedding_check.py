"""Embeddings in another order than their texts are told; those of the texts, however few words they share, are not."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from outgroup import DocumentClustering
from outgroup.errors import OutgroupWarning
from outgroup.text.representation import Spaces, are_related
from outgroup.text.vectorizer import Vectorizer

RNG = np.random.default_rng(0)
GROUP = RNG.integers(4, size=200)
WORDS = [["tea", "milk", "cup"], ["train", "rail", "town"], ["rose", "tulip", "soil"], ["goal", "ball", "team"]]
TEXTS = [" ".join(RNG.choice(WORDS[g], 2)) + f" {RNG.choice(['today', 'again', 'often'])}" for g in GROUP]
VECTORS = np.eye(4, 9)[GROUP] + RNG.normal(scale=0.3, size=(200, 9))


def spaces(order, n=200):
    unit = VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True)
    return Spaces(TEXTS[:n], unit[order][:n], Vectorizer().fit_transform(TEXTS[:n]))


def test_rows_in_the_order_of_the_texts_are_related_and_others_are_not():
    assert are_related(spaces(np.arange(200)))
    assert are_related(spaces(np.arange(200), 60))
    assert are_related(replace(spaces(np.arange(200)), words=spaces(np.arange(200)).words.toarray()))
    told = [not are_related(spaces(np.random.default_rng(seed).permutation(200))) for seed in range(20)]
    assert sum(told) >= 19


def test_a_wrong_order_is_told():
    with pytest.warns(OutgroupWarning, match="not seem to belong"):
        DocumentClustering(4, random_state=0).fit(TEXTS, embeddings=np.random.default_rng(0).permutation(VECTORS))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DocumentClustering(4, random_state=0).fit(TEXTS, embeddings=VECTORS)
        DocumentClustering(4, random_state=0, encoder=lambda texts: VECTORS[: len(texts)]).fit(TEXTS)
