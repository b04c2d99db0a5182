"""Seeds as people write them: files, mappings, and everything that can be wrong with them."""

import numpy as np
import pytest

from outgroup.errors import InputError, OutgroupWarning
from outgroup.seeds import Cluster, Seeds, place, read_seeds, rows_of
from outgroup.text.vectorizer import Vectorizer

TEXTS = ["Baking bread in the oven", "bread and ovens", "trains and rails", "a railway train", "bread trains"]
IDS = ["bread-1", "bread-2", "train-1", "train-2", "mixed"]


@pytest.fixture
def vectorizer():
    return Vectorizer(min_df=1, max_df=1.0).fit(TEXTS)


@pytest.fixture
def written(tmp_path):
    def write(content):
        path = tmp_path / "seeds.toml"
        path.write_text(content, encoding="utf-8")
        return path

    return write


def test_a_whole_file(written):
    seeds = read_seeds(
        written("""
            [clusters."Bread & butter"]
            documents = ["bread-1", {id = "bread-2", words = ["oven"]}]
            words = ["bake", "oven"]
            weight = 2
            [clusters.trains]
            words = ["rails"]
            [off_topic]
            documents = ["mixed"]
        """)
    )
    assert seeds.clusters == {
        "Bread & butter": Cluster(("bread-1", "bread-2"), ("oven", "bake"), 2.0),
        "trains": Cluster((), ("rails",)),
    }
    assert seeds.off_topic == ("mixed",)


def test_mappings_and_files_say_the_same(written):
    from_file = read_seeds(
        written('[clusters.a]\ndocuments = [{id = "d", words = ["w"]}]\n[clusters.b]\nwords = ["v"]')
    )
    assert Seeds.of({"a": [("d", ["w"])]}, {"b": ["v"]}) == from_file
    assert Seeds.of({"a": [{"id": "d", "words": ["w"]}]}, {"b": ["v"]}) == from_file


def test_places_by_id_and_words_by_stem(vectorizer):
    seeds = Seeds.of({"bread": ["bread-2"], "trains": [("train-1", ["railways"])]}, {"bread": ["ovens", "baked"]})
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
        OutgroupWarning, match=r"1 labelled document is not in the collection: 'bread-3' \(nearest: 'bread-"
    ) as said:
        assert rows_of(IDS, [["bread-3", "mixed"], ["train-1"]]) == [[4], [2]]
    assert len(said) == 1


@pytest.mark.parametrize(
    ("documents", "words", "message"),
    [
        ({"a": ["d"], "b": ["d"]}, None, "document 'd' is labelled twice, for 'a' and 'b'"),
        ({}, {}, "the seeds contain no labels"),
        ({"a": "d"}, None, "the documents of the seeds of 'a' must be a list, not 'd'"),
        (["d"], None, "seeds must map names of clusters to lists, not be a list"),
        ({"a": [3.5]}, None, "a document of the seeds of .a. is 3.5; give an id"),
        (None, {"a": [b"word"]}, "must contain strings"),
    ],
)
def test_wrong_mappings(documents, words, message):
    with pytest.raises(InputError, match=message):
        Seeds.of(documents, words)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"seeds\.toml: the seeds contain no labels"),
        ("[cluster.a]\nwords = ['x']", "unknown key 'cluster'; did you mean 'clusters'"),
        ("[clusters.a]\nword = ['x']", "cluster 'a': unknown key 'word'; did you mean 'words'"),
        ("clusters = 3", "clusters must be a table"),
        ("[clusters.a]\nweight = 2", "cluster 'a' has no documents and no words"),
        ("[clusters.a]\nwords = ['x']\nweight = 0", "the weight of cluster 'a' is 0; give a number from 1e-6 to 1e6"),
        ("[clusters.a]\ndocuments = [{id = 'd', ward = ['x']}]", "unknown key 'ward'; did you mean 'words'"),
        (
            "[clusters.a]\ndocuments = ['d']\n[off_topic]\ndocuments = ['d']",
            "'d' is labelled twice, for 'a' and 'off_topic'",
        ),
        ("[off_topic]\nwords = ['x']", "off_topic: unknown key 'words'; it may have documents"),
    ],
)
def test_wrong_files(written, content, message):
    with pytest.raises(InputError, match=message):
        read_seeds(written(content))
