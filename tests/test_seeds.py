"""Seeds by name, as arrays, and wrong ones."""

import numpy as np
import pytest

from outgroup.errors import InputError, OutgroupWarning
from outgroup.seeds import Seeds, place, rows_of
from outgroup.text.vectorizer import Vectorizer

TEXTS = ["Baking bread in the oven", "bread and ovens", "trains and rails", "a railway train", "bread trains"]
IDS = ["bread-1", "bread-2", "train-1", "train-2", "mixed"]


@pytest.fixture
def vectorizer():
    return Vectorizer(min_df=1, max_df=1.0).fit(TEXTS)


def test_places_by_id_and_words_by_stem(vectorizer):
    seeds = Seeds.of(
        {"bread": ["bread-2"], "trains": ["train-1"]}, {"bread": ["ovens", "baked"], "trains": ["railways"]}
    )
    placed = place(seeds, IDS, vectorizer, 3)
    assert placed.seeds.tolist() == [-1, 0, 1, -1, -1]
    named = {vectorizer.get_feature_names_out()[column] for column in np.flatnonzero(placed.word_seeds[0])}
    assert named == {"oven", "baking"}
    assert placed.word_seeds[1, vectorizer.vocabulary_["railway"]]
    assert placed.names == ["bread", "trains", None]
    assert placed.seed_weights is None
    assert set(placed.arguments(np.arange(5))) == {"seeds", "word_seeds"}
    assert placed.arguments(np.array([2, 1, 0]))["seeds"].tolist() == [1, 0, -1]


def test_unknown_documents_are_named_with_the_nearest():
    with pytest.warns(
        OutgroupWarning, match=r"1 labelled document is not in the collection: 'bread-3' .*'bread-"
    ) as said:
        assert rows_of(IDS, [["bread-3", "mixed"], ["train-1"]]) == [[4], [2]]
    assert len(said) == 1


@pytest.mark.parametrize(
    ("documents", "words", "message"),
    [
        ({"a": ["d"], "b": ["d"]}, None, "document 'd' is labelled twice, for 'a' and 'b'"),
        ({}, {}, "the seeds contain no labels"),
        ({"a": "d"}, None, "the documents of 'a' must be a list, not 'd'"),
        (["d"], None, "seeds must map names to lists"),
        ({"a": [3.5]}, None, "the documents of 'a' must contain ids, not 3.5"),
        (None, {"a": [b"word"]}, "must contain strings"),
    ],
)
def test_wrong_mappings(documents, words, message):
    with pytest.raises(InputError, match=message):
        Seeds.of(documents, words)
