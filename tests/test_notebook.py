"""Groups as a notebook has them: tables in and out, explanations, a page, pictures, a session that goes on."""

import json
from dataclasses import replace

import numpy as np
import pytest
from factories import RAILS, TEA
from sklearn.base import clone
from sklearn.decomposition import NMF
from sklearn.feature_extraction.text import HashingVectorizer

import outgroup
from outgroup import notebook
from outgroup.decisions import Label, Merge, Rename
from outgroup.demo import documents_path, off_topic_path
from outgroup.document_clustering import DocumentClustering
from outgroup.errors import InputError, OutputError

TEXTS = [*TEA, *RAILS]
RECORDS = [{"id": f"d{i}", "title": f"{i} < 9 & more", "text": text} for i, text in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def groups():
    return outgroup.DocumentClustering(n_clusters=2, random_state=0).fit(RECORDS)


def test_topics_and_documents_are_tables(groups):
    topics, documents = groups.topics, groups.documents
    assert list(topics["size"]) == [5, 5]
    assert {word for words in topics["words"] for word in words.split(", ")} >= {"tea", "train"}
    assert list(documents["id"]) == [f"d{i}" for i in range(10)]
    assert list(documents["group"]) == groups.labels_.tolist()
    assert list(documents["second"]) == (1 - groups.labels_).tolist()
    assert all(name in set(topics["name"]) for name in documents["name"])


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


def test_an_off_topic_text_is_explained_by_what_pulled_it_out():
    documents, examples = (
        [json.loads(line) for line in path().read_text(encoding="utf-8").splitlines()]
        for path in (documents_path, off_topic_path)
    )
    groups = DocumentClustering(5, encoder=None, random_state=0).fit(documents, universum=examples)
    found = groups.explain(examples[0]["text"])
    assert found.off_topic is True
    assert str(found).startswith(f"off-topic; nearest to group {found.group} (")
    assert found.words == [pair for pair in found.words if pair[1] > 0] != []
    row = int(np.flatnonzero(groups.labels_ >= 0)[0])
    own = groups.explain(documents[row]["text"])
    assert own.off_topic is False
    assert str(own).startswith(f"group {groups.labels_[row]} (")


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


def test_scores(groups):
    scores = clone(groups).fit_transform(TEXTS)
    assert scores.shape == (10, 2)
    assert groups.score(TEA) > groups.score(["tea in town", "the milk train"])
    assert groups.score(TEA) == groups.clusterer_.score(groups.represent(TEA)[0].space)
    assert np.isnan(groups.score(["zzz"]))


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


def test_a_vectorizer_without_words_groups_texts_and_cannot_tell_of_them():
    hashed = outgroup.DocumentClustering(
        n_clusters=2, vectorizer=HashingVectorizer(n_features=256), random_state=0
    ).fit(TEXTS)
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


@pytest.mark.parametrize(
    "wrong",
    [
        lambda model: model.merge(0, 7),
        lambda model: model.split("nothing"),
        lambda model: model.rename(0, ""),
        lambda model: model.assign("d99", 0),
        lambda model: model.assign("d1", 2.5),
        lambda model: model.representatives(0, n=0),
        lambda model: model.representatives(9),
        lambda model: model.find(["roses"]),
        lambda model: model.find("roses", n=0),
        lambda model: model.by("author"),
        lambda model: model.by(5),
    ],
)
def test_something_missing_is_an_input_error(three, wrong):
    with pytest.raises(InputError):
        wrong(three)


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
    unknown = three.by(["a", None] * 7)
    assert set(unknown["value"]) == {"a", ""}
    assert sum(unknown["documents"]) == 14


def test_a_table_without_a_library_has_rows(three, monkeypatch):
    monkeypatch.setattr(notebook, "_LIBRARIES", ())
    topics = three.topics
    assert [row["size"] for row in topics] == topics["size"] == [5, 5, 4]
    assert len(str(topics).splitlines()) == 1 + len(topics)
