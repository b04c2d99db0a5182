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


def test_unknown_words_are_named_with_the_nearest(vectorizer):
    seeds = Seeds.of(None, {"bread": ["brad", "oven", "the"]})
    with pytest.warns(
        OutgroupWarning, match="2 labelled words are not in the vocabulary.*'brad' .nearest: 'bread'.*'the'"
    ):
        placed = place(seeds, IDS, vectorizer, 2)
    assert placed.word_seeds.sum() == 1


def test_a_word_for_every_cluster_is_left_out_by_name(vectorizer):
    seeds = Seeds.of(None, {"a": ["bread", "oven"], "b": ["bread", "train"]})
    with pytest.warns(OutgroupWarning, match="'bread'"):
        placed = place(seeds, IDS, vectorizer, 2)
    assert placed.word_seeds.sum() == 2
    assert place(seeds, IDS, vectorizer, 3).word_seeds.sum() == 4  # with a third cluster it tells something


@pytest.mark.filterwarnings("ignore::outgroup.errors.OutgroupWarning")
def test_no_seed_left(vectorizer):
    with pytest.raises(InputError, match="documents and words of the seeds are unknown"):
        place(Seeds.of({"a": ["nobody"]}, {"b": ["nothing"]}), IDS, vectorizer, 2)


def test_more_clusters_than_groups(vectorizer):
    seeds = Seeds.of({"a": ["bread-1"], "b": ["mixed"], "c": ["train-1"]})
    with pytest.raises(InputError, match="seeds have 3 clusters"):
        place(seeds, IDS, vectorizer, 2)


@pytest.mark.parametrize(
    ("documents", "words", "message"),
    [
        ({"a": ["d"], "b": ["d"]}, None, "document 'd' is labelled twice, for 'a' and 'b'"),
        ({}, {}, "the seeds contain no labels"),
        (None, None, "the seeds contain no labels"),
        ({"a": []}, None, "the seeds of 'a' has no documents and no words"),
        ({"a": "d"}, None, "the documents of the seeds of 'a' must be a list, not 'd'"),
        (["d"], None, "seeds must map names of clusters to lists, not be a list"),
        ({"a": [3.5]}, None, "a document of the seeds of .a. is 3.5; give an id"),
        ({"a": [("d", "word")]}, None, "the words highlighted in 'd' must be a list"),
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
        ("[clusters", "not a TOML file"),
        ("[cluster.a]\nwords = ['x']", "unknown key 'cluster'; did you mean 'clusters'"),
        ("[clusters.a]\nword = ['x']", "cluster 'a': unknown key 'word'; did you mean 'words'"),
        ("clusters = 3", "clusters must be a table"),
        ("[clusters]\na = ['x']", "cluster 'a' must be a table"),
        ("[clusters.a]\nweight = 2", "cluster 'a' has no documents and no words"),
        ("[clusters.a]\nwords = ['x']\nweight = 0", "the weight of cluster 'a' is 0; give a number from 1e-6 to 1e6"),
        ("[clusters.a]\nwords = ['x']\nweight = inf", "the weight of cluster 'a' is inf"),
        ("[clusters.a]\nwords = ['x']\nweight = true", "the weight of cluster 'a' is True"),
        ("[clusters.a]\ndocuments = [{words = ['x']}]", "a document of cluster 'a' is"),
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


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        read_seeds(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not a TOML file"):
        read_seeds(tmp_path / "binary.toml")
