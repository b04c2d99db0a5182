"""Groups as a notebook has them: tables in and out, explanations, a page, pictures, a session that goes on."""

import json
from dataclasses import replace

import numpy as np
import pytest
from factories import RAILS, TEA
from sklearn import config_context
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.decomposition import NMF
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer
from sklearn.pipeline import FeatureUnion, make_pipeline

import outgroup
from outgroup import document_clustering, notebook
from outgroup.decisions import Label, Merge, Rename, Split
from outgroup.demo import documents_path, off_topic_path
from outgroup.document_clustering import DocumentClustering
from outgroup.errors import (
    InputError,
    NoDocumentsError,
    NoWordError,
    OutgroupWarning,
    OutputError,
)
from outgroup.seeds import Cluster, Seeds

TEXTS = [*TEA, *RAILS]
RECORDS = [{"id": f"d{i}", "title": f"{i} < 9 & more", "text": text} for i, text in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def groups():
    return outgroup.DocumentClustering(n_clusters=2, random_state=0).fit(RECORDS)


def test_records_are_grouped_as_their_titles_and_texts(groups):
    assert outgroup.DocumentClustering is DocumentClustering
    texts = [f"{i} < 9 & more\n\n{text}" for i, text in enumerate(TEXTS)]
    assert np.array_equal(DocumentClustering(n_clusters=2, random_state=0).fit(texts).labels_, groups.labels_)
    assert clone(groups).get_params()["n_clusters"] == 2


def test_topics_and_documents_are_tables(groups):
    topics, documents = groups.topics, groups.documents
    assert list(topics["size"]) == [5, 5]
    assert {word for words in topics["words"] for word in words.split(", ")} >= {"tea", "train"}
    assert list(documents["id"]) == [f"d{i}" for i in range(10)]
    assert list(documents["group"]) == groups.labels_.tolist()
    assert list(documents["second"]) == (1 - groups.labels_).tolist()
    assert all(name in set(topics["name"]) for name in documents["name"])


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_data_frame_of_any_library(groups, library):
    module = pytest.importorskip(library)
    columns = {name: [record[name] for record in RECORDS] for name in ("id", "title", "text")}
    frame = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    fitted = outgroup.DocumentClustering(n_clusters=2, random_state=0).fit(frame)
    assert np.array_equal(fitted.labels_, groups.labels_)
    assert fitted.ids_ == [f"d{i}" for i in range(10)]


def test_columns_generators_and_missing_values():
    pandas = pytest.importorskip("pandas")
    new = outgroup.DocumentClustering(n_clusters=2, random_state=0)
    wanted = clone(new).fit(TEXTS).labels_.tolist()
    assert clone(new).fit(pandas.Series(TEXTS)).labels_.tolist() == wanted
    assert clone(new).fit(np.array(TEXTS)).labels_.tolist() == wanted
    assert clone(new).fit(iter(TEXTS)).labels_.tolist() == wanted
    with pytest.raises(InputError, match=r"row.* without a text.*10"):
        clone(new).fit([*TEXTS, None])
    skipping = clone(new).set_params(missing="skip").fit([*TEXTS, None])
    assert skipping.labels_.tolist() == [*wanted, -1]
    assert list(skipping.documents["skipped"])[-1]
    assert list(skipping.documents["group"])[-1] == -1


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_tables_are_of_the_library_in_use(groups, library, monkeypatch):
    pytest.importorskip(library)
    monkeypatch.setattr(notebook, "_LIBRARIES", (library,))
    assert type(groups.topics).__module__.startswith(library)


def test_without_a_library_a_table_prints_well(groups, monkeypatch):
    monkeypatch.setattr(notebook, "_LIBRARIES", ())
    topics = groups.topics
    assert len(topics) == 2
    assert topics.columns[:4] == ["group", "code", "name", "size"]
    assert repr(topics).splitlines()[0].split()[:4] == ["group", "code", "name", "size"]
    assert next(iter(topics))["size"] == 5
    long = notebook.Table({"text": ["\x1b[31mx" * 30] * 40})
    assert "\x1b" not in repr(long)
    assert repr(long).endswith("and 10 more")


def test_a_text_is_explained(groups):
    tea = int(groups.labels_[0])
    found = groups.explain("milk and tea on the train")
    assert found.group == tea
    assert found.second == 1 - tea
    assert {word for word, _ in found.words} <= {"milk", "tea"}
    assert set(found.nearest) <= {f"d{i}" for i in range(5)}
    assert "ahead of" in str(found)
    assert groups.explain("zzz").group == -1
    with pytest.raises(InputError, match="document at position -1"):
        groups.assign(-1, 0)
    with pytest.raises(InputError, match="document"):
        groups.explain(["milk and tea"])
    assert "no word" in str(groups.explain("zzz"))
    assert found.off_topic is None


def test_texts_without_a_word_are_shown_where_their_embeddings_group_them(tmp_path):
    rng = np.random.default_rng(0)
    vectors = np.repeat(np.eye(2, 5), 10, axis=0) + rng.normal(scale=0.1, size=(20, 5))
    fit = outgroup.DocumentClustering(n_clusters=2, random_state=0).fit
    with pytest.warns(OutgroupWarning, match="are found by embeddings"):
        groups = fit(["😀", "12"] * 10, embeddings=vectors)
    assert (list(groups.topics["size"]), list(groups.topics["name"])) == ([10, 10], ["group 0", "group 1"])
    said = str(groups.explain("?", embeddings=vectors[:1])).splitlines()
    assert said[0].startswith(f"group {groups.labels_[0]}, ahead of")
    assert said[1] == "words: none"
    assert "group 1" in groups.report(tmp_path / "page.html").read_text()
    groups.save(tmp_path / "model")
    loaded = outgroup.DocumentClustering.load(tmp_path / "model")
    assert np.array_equal(loaded.predict(["tea"] * 20, embeddings=vectors), groups.labels_)
    assert list(DocumentClustering.of(groups.session.begin()).topics["size"]) == [10, 10]
    with pytest.raises(NoWordError, match="no usable words"):
        fit(["😀", "12"] * 10)


def test_an_off_topic_text_is_explained_by_what_pulled_it_out():
    documents, examples = (
        [json.loads(line) for line in path().read_text(encoding="utf-8").splitlines()]
        for path in (documents_path, off_topic_path)
    )
    groups = outgroup.DocumentClustering(n_clusters=5, random_state=0).fit(documents, universum=examples)
    found = groups.explain(examples[0]["text"])
    assert found.off_topic is True
    assert str(found).startswith(f"off-topic; nearest to group {found.group} (")
    assert found.words == [pair for pair in found.words if pair[1] > 0] != []
    row = int(np.flatnonzero(groups.labels_ >= 0)[0])
    assert groups.explain(groups._corpus.texts[row]).off_topic is False
    assert str(groups.explain(groups._corpus.texts[row])).startswith(f"group {groups.labels_[row]} (")


def test_a_notebook_shows_the_groups_and_escapes_what_documents_say(groups):
    shown = groups._repr_mimebundle_()["text/html"]
    assert "10 documents in 2" in shown
    assert "&lt; 9 &amp; more" in shown
    assert "< 9" not in shown
    assert "n_clusters" in outgroup.DocumentClustering(3)._repr_mimebundle_()["text/html"]


def test_the_page_is_written_and_nothing_is_written_over(groups, tmp_path):
    path = groups.report(tmp_path / "page.html", title="Tea & trains")
    assert "Tea &amp; trains" in path.read_text(encoding="utf-8")
    with pytest.raises(OutputError, match="replace=True to replace"):
        groups.report(path)
    groups.report(path, replace=True)


def test_a_session_goes_on_from_the_groups(groups):
    session = groups.session
    first = session.begin()
    assert first.labels.tolist() == groups.labels_.tolist()
    named = session.fit([Rename(0, "first")], start=first)
    assert dict(named.names) == {0: "first"}
    assert named.labels.tolist() == first.labels.tolist()


def test_tables_are_of_the_library_that_was_given_and_keep_its_index():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = pd.DataFrame({"text": TEXTS, "stars": range(10)}, index=[f"row {i}" for i in range(10)])
    fitted = outgroup.DocumentClustering(n_clusters=2, random_state=0).fit(frame["text"])
    joined = frame.join(fitted.documents)
    assert joined["group"].tolist() == fitted.labels_.tolist()
    assert fitted.topics.index.tolist() == [0, 1]
    other = outgroup.DocumentClustering(n_clusters=2, random_state=0).fit(pl.DataFrame({"text": TEXTS}))
    assert isinstance(other.documents, pl.DataFrame)
    assert isinstance(other.topics, pl.DataFrame)
    for column in (pd.Index(TEXTS), pd.Categorical(TEXTS)):
        other = outgroup.DocumentClustering(n_clusters=2, random_state=0).fit(column)
        assert isinstance(other.documents, pd.DataFrame)


def test_a_clusterer_of_another_library_shows_its_groups():
    kmeans = KMeans(2, n_init=1, random_state=0)
    for vectors in (None, np.random.default_rng(0).normal(size=(10, 4))):
        fitted = outgroup.DocumentClustering(clusterer=kmeans).fit(TEXTS, embeddings=vectors)
        assert fitted.predict(TEXTS[:1], embeddings=None if vectors is None else vectors[:1]) == fitted.labels_[:1]
        assert "10 documents in 2 groups" in fitted._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize("vectors", [None, np.random.default_rng(0).normal(size=(10, 4))])
def test_what_seeds_throw_away_is_off_topic_in_the_tables_and_not_skipped(tmp_path, vectors):
    seeds = Seeds({"one": Cluster(("d0",))}, ("d1", "d4"))
    groups = outgroup.DocumentClustering(n_clusters=2, random_state=0)
    groups.fit(TEXTS, ids=[f"d{row}" for row in range(len(TEXTS))], seeds=seeds, embeddings=vectors)
    told = groups.documents
    for row in (1, 4):
        found = {name: told[name][row] for name in ("group", "name", "off_topic", "skipped")}
        assert found == {"group": -1, "name": "labelled off-topic", "off_topic": True, "skipped": ""}
    assert [row for row in range(len(TEXTS)) if told["name"][row] == "labelled off-topic"] == [1, 4]
    assert told["name"][0] == "one"
    counted = f"{len(TEXTS)} documents in 2 groups, "
    assert counted in groups._repr_html_()
    groups.save(tmp_path / "model")
    assert counted in outgroup.DocumentClustering.load(tmp_path / "model")._repr_html_()


def test_a_version_is_shown_under_its_numbers(tmp_path):
    groups = outgroup.DocumentClustering(n_clusters=3, random_state=0).fit(RECORDS)
    session, last = groups.session, TEXTS.index("green tea leaves")
    first = session.begin()
    assert repr(DocumentClustering.of(first).topics) == repr(groups.topics)
    kept, gone = first.numbers[:2]
    merged = session.fit([Merge((kept, gone)), Rename(kept, "one"), Label(f"d{last}", ())], start=first)
    shown = DocumentClustering.of(merged)
    assert list(shown.topics["group"]) == [g for g in (merged.numbers) if (merged.labels == g).any()]
    assert shown.topics["name"][list(shown.topics["group"]).index(kept)] == "one"
    assert list(shown.documents["group"]) == merged.labels.tolist()
    told = {name: shown.documents[name][last] for name in ("group", "name", "off_topic", "skipped")}
    assert told == {"group": -1, "name": "labelled off-topic", "off_topic": True, "skipped": ""}
    assert "one" in shown._repr_html_()
    with pytest.raises(InputError, match="not a version"):
        DocumentClustering.of(groups)
    with pytest.raises(InputError, match=f"no group {gone}"):
        shown.words(gone)
    assert shown.report(tmp_path / "page.html").read_text(encoding="utf-8").count("<h1") == 1


def test_scores_and_pipelines(groups):
    scores = clone(groups).fit_transform(TEXTS)
    assert scores.shape == (10, 2)
    assert groups.score(TEA) > groups.score(["tea in town", "the milk train"])
    assert groups.score(TEA) == groups.clusterer_.score(groups.represent(TEA)[0].space)
    assert np.isnan(groups.score(["zzz"]))
    pipe = make_pipeline(outgroup.Vectorizer(), outgroup.SphericalKMeans(n_clusters=2, random_state=0))
    assert len(set(pipe.fit_predict(TEXTS))) == 2


def test_vectors_of_a_field_score_the_same_records():
    rows = np.eye(2)[np.arange(10) % 2] + 0.1 * np.arange(10)[:, None] / 10
    records = [{"text": text, "vec": row.tolist()} for text, row in zip(TEXTS, rows, strict=True)]
    groups = outgroup.DocumentClustering(2, random_state=0)
    np.testing.assert_allclose(groups.fit_transform(records, embeddings="vec"), groups._scores(TEXTS, rows, TEXTS))


def test_an_explanation_is_clean_for_a_terminal():
    found = outgroup.DocumentClustering.from_labels(TEXTS, np.arange(10) % 2, ids=[f"\x1b[31m{i}" for i in range(10)])
    assert "like:" in str(found.explain(TEXTS[0]))
    assert "\x1b" not in str(found.explain(TEXTS[0]))


def test_a_model_after_a_decision_keeps_its_output_and_its_seed():
    groups = outgroup.DocumentClustering(3, random_state=7).fit(TEXTS).set_output(transform="default")
    assert groups.merge(0, 1)._sklearn_output_config == {"transform": "default"}
    again = outgroup.DocumentClustering.of(groups._version)
    assert again.session._fitter.random_state == groups.session._fitter.random_state == 7


def test_tables_and_probabilities_share_their_fits():
    groups = outgroup.DocumentClustering(2, random_state=0).fit(TEXTS)
    assert len(groups.topics) == 2
    shared = groups._ensemble
    assert groups.membership_.shape == (10, 2)
    assert shared is not None
    assert groups._ensemble is shared


def test_scores_are_a_table_where_scikit_learn_is_asked_for_one(groups):
    pd, _ = pytest.importorskip("pandas"), pytest.importorskip("polars")
    plain = groups.transform(TEXTS)
    table = pd.DataFrame({"text": TEXTS}, index=[f"row {i}" for i in range(10)])
    asked = clone(groups).set_output(transform="pandas")
    found = asked.fit_transform(table)
    assert found.index.tolist() == table.index.tolist()
    assert found.columns.tolist() == ["0", "1"]
    assert asked.set_output().transform(table["text"]).equals(found)
    seeded = clone(groups).set_output(transform="polars").fit(TEXTS, seeds={"tea": ["0"]})
    assert seeded.transform(TEXTS).columns == ["tea", "1"]
    pipe = make_pipeline(clone(groups)).set_output(transform="pandas")
    assert isinstance(pipe.fit_transform(TEXTS), pd.DataFrame)
    with pytest.raises(ValueError, match="output config"):
        clone(groups).set_output(transform="excel").fit_transform(TEXTS)
    assert type(plain) is np.ndarray


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_groups_are_the_same_where_scikit_learn_is_set_to_make_tables(library):
    pytest.importorskip(library)
    counted = make_pipeline(CountVectorizer(), TfidfTransformer())
    vectors = {"embeddings": np.random.default_rng(0).normal(size=(10, 3))}

    def found():
        new = outgroup.DocumentClustering(n_clusters=2, random_state=0)
        plain = clone(new).fit(TEXTS, universum=["green milk in the station", "late leaves"])
        seeded = clone(new).set_params(vectorizer=counted).fit(TEXTS, word_seeds={"tea": ["milk"]})
        averaged = clone(new).set_params(neighbours=1).fit(TEXTS, **vectors)
        return [plain.predict(TEXTS), seeded.predict(TEXTS), averaged.predict(TEXTS, **vectors)]

    with config_context(transform_output=library):
        tables = found()
    assert np.array_equal(tables, found())


def test_a_loaded_model_says_that_it_has_no_documents(groups, tmp_path):
    groups.save(tmp_path / "model")
    loaded = outgroup.DocumentClustering.load(tmp_path / "model")
    assert loaded.predict(TEXTS).tolist() == groups.labels_.tolist()
    for ask in (lambda: loaded.documents, lambda: loaded.session, lambda: loaded.words(0)):
        with pytest.raises(NoDocumentsError, match="loaded model does not contain"):
            ask()


def test_a_loaded_model_shows_what_was_saved_of_its_groups(groups, tmp_path):
    shown = groups._repr_html_()
    groups.save(tmp_path / "model")
    loaded = outgroup.DocumentClustering.load(tmp_path / "model")
    assert repr(loaded.topics) == repr(groups.topics)
    assert list(loaded.topics["found_again"]) == list(groups.topics["found_again"]) != [0, 0]
    assert loaded._repr_html_() == shown
    fitted, found = groups.explain("green tea"), loaded.explain("green tea")
    assert found == replace(fitted, nearest=[])
    assert "like:" not in str(found)
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again" / "model.json").read_bytes() == (tmp_path / "model" / "model.json").read_bytes()


def test_what_nobody_asked_before_it_was_saved_is_not_found_for_that(groups, tmp_path, monkeypatch):
    examples = list(groups.topics["example"])
    monkeypatch.setattr("outgroup.document_clustering.trust_of", lambda *_: 1 / 0)
    outgroup.DocumentClustering(n_clusters=2, random_state=0).fit(RECORDS).save(tmp_path / "model")
    topics = outgroup.DocumentClustering.load(tmp_path / "model").topics
    assert (list(topics["trust"]), list(topics["found_again"])) == (["", ""], [0, 0])
    assert list(topics["example"]) == examples


def test_a_loaded_model_reads_tables_as_the_fit_did(tmp_path):
    rows = [{"head": f"{i}", "body": text} for i, text in enumerate(TEXTS)]
    groups = outgroup.DocumentClustering(n_clusters=2, random_state=0).fit(rows, text="body", title="head")
    groups.save(tmp_path / "model")
    loaded = outgroup.DocumentClustering.load(tmp_path / "model")
    assert loaded.predict(rows).tolist() == groups.labels_.tolist()
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again" / "model.json").read_bytes() == (tmp_path / "model" / "model.json").read_bytes()


def test_a_corrected_version_is_saved_with_the_words_of_its_groups(groups, tmp_path):
    first = groups.session.begin()
    version = groups.session.fit([Merge((0, 1)), Split(0), Rename(0, "kitchen")], start=first)
    shown = DocumentClustering.of(version)
    shown.save(tmp_path / "model")
    loaded = outgroup.DocumentClustering.load(tmp_path / "model")
    for column in ("group", "name", "words"):
        assert list(loaded.topics[column]) == list(shown.topics[column])
    assert "kitchen" in list(loaded.topics["name"])
    assert loaded.explain(TEXTS[0]).group in version.numbers
    with pytest.raises(OutputError):
        shown.save(tmp_path / "model")
    shown.save(tmp_path / "model", replace=True)


def test_the_model_of_a_version_is_saved_without_words_of_groups(groups, tmp_path):
    groups.session.begin().model.save(tmp_path / "model")
    loaded = outgroup.DocumentClustering.load(tmp_path / "model")
    with pytest.raises(NoDocumentsError, match="saved without"):
        _ = loaded.topics
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again" / "model.json").read_bytes() == (tmp_path / "model" / "model.json").read_bytes()


def test_an_explanation_sums_nothing_up(groups, monkeypatch):
    monkeypatch.setattr("outgroup.document_clustering.summary_of", lambda *_, **__: 1 / 0)
    fresh = outgroup.DocumentClustering(n_clusters=2, random_state=0).fit(RECORDS)
    assert fresh.explain("green tea") == groups.explain("green tea")


def test_completion_sums_nothing_up(monkeypatch):
    groups = outgroup.DocumentClustering(n_clusters=2, random_state=0).fit(RECORDS)
    monkeypatch.setattr("outgroup.document_clustering.summary_of", lambda *_, **__: 1 / 0)
    assert {"topics", "session", "labels_"} <= set(dir(groups))


def test_the_columns_of_scores_are_called_after_the_groups():
    seeded = outgroup.DocumentClustering(n_clusters=2, random_state=0).fit(TEXTS, seeds={"tea": ["0"]})
    assert seeded.get_feature_names_out().tolist() == ["tea", "1"]
    both = FeatureUnion([("groups", clone(seeded)), ("words", outgroup.Vectorizer())])
    assert both.fit_transform(TEXTS).shape[1] == len(both.get_feature_names_out())
    with pytest.raises(NotFittedError):
        clone(seeded).get_feature_names_out()


def test_a_table_of_texts_and_numbers_is_one_of_named_columns():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"text": TEXTS, "size": range(10)})
    both = make_column_transformer(
        (outgroup.DocumentClustering(n_clusters=2, random_state=0), "text"), ("passthrough", ["size"])
    )
    found = both.set_output(transform="pandas").fit_transform(table)
    assert found.columns.tolist() == ["documentclustering__0", "documentclustering__1", "passthrough__size"]


def test_a_vectorizer_without_words_groups_texts_and_cannot_tell_of_them():
    hashed = outgroup.DocumentClustering(n_clusters=2, vectorizer=HashingVectorizer(), random_state=0).fit(TEXTS)
    assert len(set(hashed.labels_)) == 2
    for ask in (lambda: hashed.topics, lambda: hashed.explain(TEXTS[0])):
        with pytest.raises(InputError, match=r"^HashingVectorizer does not name its columns"):
            ask()


def test_what_finds_no_groups_is_told():
    with pytest.raises(InputError, match=r"^NMF is not a clusterer: .*labels_"):
        outgroup.DocumentClustering(clusterer=NMF(2)).fit(TEXTS)


# --- Decisions on a fitted model

MIXED = [*TEXTS, "red roses", "roses in the garden", "garden roses, red", "a garden of red roses"]


@pytest.fixture(scope="module")
def three():
    return DocumentClustering(n_clusters=3, random_state=0).fit(MIXED, ids=[f"d{i}" for i in range(len(MIXED))])


def test_a_merge_returns_a_new_model_and_leaves_this_one(three):
    before = three.labels_.copy()
    tea, rails = int(before[0]), int(before[5])
    merged = three.merge(tea, rails)
    assert merged.numbers_.tolist() == sorted({0, 1, 2} - {rails})
    assert set(merged.labels_[:10].tolist()) == {tea}
    assert merged.labels_[10:].tolist() == before[10:].tolist()
    assert np.array_equal(three.labels_, before)
    assert merged.get_params()["n_clusters"] == 2
    assert sorted(merged.topics["size"]) == [4, 10]
    assert list(merged.documents["group"]) == merged.labels_.tolist()
    assert merged.predict(["hot tea", "roses"]).tolist() == [tea, int(before[10])]


def test_decisions_follow_each_other_and_names_are_groups(three):
    tea, rails, roses = (int(three.labels_[row]) for row in (0, 5, 10))
    found = three.rename(tea, "drinks").assign("d5", "drinks").assign(6, tea)
    assert found.names_[found.numbers_.tolist().index(tea)] == "drinks"
    assert found.labels_[[5, 6]].tolist() == [tea, tea]
    again = found.merge("drinks", roses).split("drinks")
    assert set(again.numbers_.tolist()) == {0, 1, 2, 3} - {roses}
    assert len(set(again.labels_.tolist())) == 3
    assert [each.kind for each in again.session.begin().decisions] == ["rename", "label", "label", "merge", "split"]
    assert rails in again.numbers_.tolist()


def test_a_group_is_named_by_its_shown_name(three):
    names = dict(zip(three.topics["group"], three.topics["name"], strict=True))
    number = int(three.labels_[0])
    assert three.rename(names[number], "drinks").names_[number] == "drinks"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda model: model.merge(0, 7),
        lambda model: model.merge(0),
        lambda model: model.split("nothing"),
        lambda model: model.split(True),
        lambda model: model.rename(-1, "x"),
        lambda model: model.rename(0, ""),
        lambda model: model.assign("d99", 0),
        lambda model: model.assign(99, 0),
        lambda model: model.assign("d1", 2.5),
    ],
)
def test_a_decision_on_something_missing_is_an_input_error(three, wrong):
    with pytest.raises(InputError):
        wrong(three)


def test_a_name_is_given_once(three):
    with pytest.raises(InputError, match="group 0"):
        three.rename(0, "same").rename(1, "same")


def test_a_loaded_model_takes_no_decision(three, tmp_path):
    three.merge(0, 1).save(tmp_path / "model")
    loaded = DocumentClustering.load(tmp_path / "model")
    assert loaded.numbers_.tolist() == [0, 2]
    assert sorted(loaded.topics["size"]) == sorted(three.merge(0, 1).topics["size"])
    with pytest.raises(NoDocumentsError):
        loaded.merge(0, 2)
    with pytest.raises(NoDocumentsError):
        loaded.explain(3)


def test_decisions_keep_seeds_and_off_topic_labels():
    seeds = Seeds({"drinks": Cluster(("0",), ()), "rails": Cluster(("5",), ())}, ("4",))
    model = DocumentClustering(n_clusters=3, random_state=0).fit(MIXED, seeds=seeds)
    assert model.labels_[4] == -1
    split = model.split("rails")
    assert split.labels_[4] == -1
    assert split.labels_[0] == 0
    assert list(split.documents["name"])[4] == "labelled off-topic"


# --- Explanations of documents


def test_a_document_is_explained_by_id_and_by_position(three):
    tea = int(three.labels_[0])
    found = three.explain("d2")
    assert found == three.explain(2) == three.explain(np.int64(2))
    assert found.group == tea
    assert "d2" not in found.nearest
    assert set(found.nearest) <= {"d0", "d1", "d3", "d4"}
    assert {word for word, _ in found.words} <= {"milk", "tea"}


def test_an_id_of_words_is_not_explained_as_a_text():
    ids = ["roses", *map(str, range(1, len(MIXED)))]
    model = DocumentClustering(n_clusters=3, random_state=0).fit(MIXED, ids=ids)
    assert model.explain("roses").group == model.labels_[0]
    assert model.explain("red roses").group == model.labels_[10]


def test_a_labelled_document_is_explained_in_its_group(three):
    roses = int(three.labels_[10])
    assert three.assign("d0", roses).explain("d0").group == roses


@pytest.mark.parametrize("wrong", [14, -1, True, None, 2.0, ["d1"]])
def test_what_is_no_document_is_not_explained(three, wrong):
    with pytest.raises(InputError):
        three.explain(wrong)


def test_a_skipped_document_is_explained_by_its_reason():
    model = DocumentClustering(n_clusters=2, random_state=0).fit([*TEXTS, "..."])
    assert model.explain(10).group == -1
    assert dict(model.skipped_)[10] in str(model.explain(10))


# --- Tables of groups and documents


def test_words_have_weights(three):
    words = three.words(int(three.labels_[10]), most=2)
    assert set(words["word"]) == {"roses", "red"} or set(words["word"]) == {"roses", "garden"}
    weights = list(words["weight"])
    assert weights == sorted(weights, reverse=True)
    assert weights[0] > 0


def test_representatives_are_members_with_full_texts(three):
    group = int(three.labels_[10])
    found = three.representatives(group, n=3)
    assert len(found) == 3
    rows = [int(each[1:]) for each in found["id"]]
    assert set(three.labels_[rows].tolist()) == {group}
    assert [MIXED[row] for row in rows] == list(found["text"])
    cosines = list(found["similarity"])
    assert cosines == sorted(cosines, reverse=True)
    assert len(three.representatives(group, n=99)) == 4
    with pytest.raises(InputError):
        three.representatives(group, n=0)
    with pytest.raises(InputError):
        three.representatives(9)


def test_find_lists_the_nearest_groups_and_documents(three):
    table = three.find("red roses", n=2)
    kinds = list(table["kind"])
    assert kinds == sorted(kinds, reverse=True)
    assert kinds.count("document") == 2
    assert next(iter(table["group"])) == three.labels_[10]
    first = kinds.index("document")
    assert list(table["id"])[first] == "d10"
    assert list(table["similarity"])[first] == pytest.approx(1.0, abs=1e-6)
    assert len(three.find("zzz")) == 0
    with pytest.raises(InputError):
        three.find(["roses"])
    with pytest.raises(InputError):
        three.find("roses", n=0)


def test_documents_come_with_texts_and_fields_on_request():
    records = [
        {"text": text, "author": "Ann" if i < 6 else "Bob", "when": f"2024-0{1 + i // 5}-01"}
        for i, text in enumerate(TEXTS)
    ]
    model = DocumentClustering(n_clusters=2, random_state=0).fit(records)
    table = model.documents_with("text", "author")
    assert list(table["text"]) == TEXTS
    assert list(table["author"]) == ["Ann"] * 6 + ["Bob"] * 4
    assert "text" not in list(model.documents.columns)
    with pytest.raises(InputError, match="author"):
        model.documents_with("editor")
    by, tea = model.by("author"), int(model.labels_[0])
    cells = zip(by["value"], by["group"], by["documents"], strict=True)
    assert set(cells) == {("Ann", tea, 5), ("Ann", 1 - tea, 1), ("Bob", tea, 0), ("Bob", 1 - tea, 4)}
    classes = DocumentClustering(n_clusters=2, random_state=0).fit(
        [record | {"label": record["author"]} for record in records]
    )
    assert list(classes.by("label")["documents"]) == list(model.by("author")["documents"])
    months = model.over_time("when")
    assert sum(months["documents"]) == 10
    assert next(iter(months["share"])) in (0.0, 1.0)
    assert next(iter(months["period"])).startswith("2024-01")


def test_counts_by_values_need_one_value_per_document(three):
    with pytest.raises(InputError, match="2 values for 14"):
        three.by(["a", "b"])
    with pytest.raises(InputError, match="no date is valid"):
        three.over_time(["soon"] * 14)
    for wrong in ("author", 5, None):
        with pytest.raises(InputError):
            three.by(wrong)
    unknown = three.by(["a", None] * 7)
    assert set(unknown["value"]) == {"a", ""}
    assert sum(unknown["documents"]) == 14


def test_a_table_without_a_library_is_written_as_csv_and_dictionaries(three, monkeypatch, tmp_path):
    monkeypatch.setattr(notebook, "_LIBRARIES", ())
    topics = three.topics
    assert topics.to_dicts()[0]["size"] == 5
    assert topics.to_csv().splitlines()[0].startswith("group,code,name,size")
    assert topics.to_csv(tmp_path / "topics.csv") is None
    assert (tmp_path / "topics.csv").read_bytes().decode() == topics.to_csv()
    assert notebook.Table({"name": ["=1+1", "tea, hot"], "size": [-2, 3]}).to_csv().splitlines() == [
        "name,size",
        "=1+1,-2",
        '"tea, hot",3',
    ]


def test_a_version_is_summed_up_once(monkeypatch):
    model = DocumentClustering(n_clusters=2, random_state=0).fit(TEXTS)
    shown, calls, summary_of = DocumentClustering.of(model.session.begin()), [], document_clustering.summary_of
    monkeypatch.setattr(
        document_clustering, "summary_of", lambda *given, **more: calls.append(1) or summary_of(*given, **more)
    )
    assert len(shown.topics) == 2
    assert len(shown.documents) == 10
    assert len(model.topics) + len(model.documents) == 12
    assert len(calls) == 2  # one for the version, one for the model


def test_weights_of_documents_give_the_shares(groups):
    values = ["a"] * 5 + ["b"] * 5
    plain, weighed = groups.by(values), groups.by(values, weights=[3] * 9 + [0])
    assert list(plain["documents"]) == list(weighed["documents"])
    assert list(weighed["weight"]) == [15, 0, 0, 12] or list(weighed["weight"]) == [0, 15, 12, 0]
    assert "weight" not in list(plain.columns)
    repeated = DocumentClustering(2, random_state=0).fit(TEXTS)
    assert list(repeated.by(["x"] * 10, weights=range(1, 11))["share"]) == pytest.approx(
        [sum(w for w, g in zip(range(1, 11), repeated.labels_, strict=True) if g == number) / 55 for number in (0, 1)],
        abs=1e-6,
    )
    for wrong in (
        [1],
        [1] * 9 + [-1],
        [0] * 10,
        [1e-200] * 10,
        [1e200] * 10,
        [float("nan")] * 10,
        ["many"] * 10,
        "no such field",
    ):
        with pytest.raises(InputError):
            groups.by(values, weights=wrong)
