"""Verdicts on documents, and their rows: whatever the words, and where there is nothing to say."""

import csv
import io

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import CountVectorizer

from outgroup.cli import assignments
from outgroup.cluster.max_margin import MaxMarginClustering
from outgroup.cluster.spherical import SphericalKMeans
from outgroup.document_clustering import DocumentClustering
from outgroup.readers.documents import Corpus, Skip
from outgroup.session.version import judge

TEXTS = ["tea cup", "cup tea tea", "tea milk", "car road", "road car car", "car wheel"]
NASTY = ["=cmd()", "@sum", "-1", "+2", "\N{FULLWIDTH EQUALS SIGN}x", '"quoted,"', "<script>"]


def rows(verdicts, ids, skipped=()):
    out = io.StringIO()
    corpus = Corpus(ids, [""] * len(ids), [""] * len(ids), skipped=[Skip(*each) for each in skipped])
    assignments.write(assignments.assignments(corpus, verdicts, "no word"), out)
    return list(csv.DictReader(io.StringIO(out.getvalue())))


def model(words=()):
    """A model of documents with some words, told to call off-topic whatever scores above 0."""
    given = CountVectorizer(token_pattern=r"[^ ]+", lowercase=False, dtype=np.float64)
    clusterer = MaxMarginClustering(2, n_init=2, random_state=0)
    texts = [*TEXTS, " ".join(words)] if words else TEXTS
    junk = [f"{' '.join(words)} zzz"] * 9
    fitted = DocumentClustering(2, vectorizer=given, clusterer=clusterer).fit(texts, universum=junk)
    fitted.clusterer_.off_topic_["value"] = 0.0
    return fitted


@pytest.mark.filterwarnings("ignore:.*non-answers")
@pytest.mark.parametrize("word", NASTY)
def test_words_that_would_be_formulas_or_markup_stay_words(word):
    fitted = model([word])
    spaces, kept = fitted.represent([word, "tea", ""])
    verdicts = judge(fitted, spaces, kept)
    assert verdicts.off_topic.tolist() == [True, False, False]
    assert verdicts.words == [word, "", ""]
    first, second, third = rows(verdicts, ["a", "b", "c"])
    assert first["off_topic_words"] == word
    assert float(second["off_topic_score"]) < 0 < float(first["off_topic_score"])
    assert (first["off_topic"], second["off_topic"], third["off_topic"]) == ("yes", "no", "")
    assert third["skipped"] == "no word"


def test_words_add_up_to_the_score():
    fitted = model(["spam", "offer"])
    groups = fitted.clusterer_
    spaces, kept = fitted.represent(["spam offer offer", "spam"])
    X = spaces.words
    best = (X @ groups.reject_coef_[:-1].T + groups.reject_intercept_[:-1]).argmax(axis=1)
    by_hand = X @ groups.reject_coef_[-1] - np.einsum("ij,ij->i", X.toarray(), groups.reject_coef_[best])
    shift = groups.reject_intercept_[-1] - groups.reject_intercept_[best]
    np.testing.assert_allclose(groups.off_topic_score(X), by_hand + shift, rtol=1e-6)
    assert judge(fitted, spaces, kept).words == ["offer spam", "spam"]


class Plain(BaseEstimator):
    """A clusterer of somebody else's, that knows groups and nothing of off-topic documents."""

    def fit(self, X, y=None):
        self.groups_ = SphericalKMeans(2, n_init=1, random_state=0).fit(X)
        self.labels_ = self.groups_.labels_
        return self

    def decision_function(self, X):
        return self.groups_.decision_function(X)

    def predict(self, X):
        return self.decision_function(X).argmax(axis=1)


def test_a_clusterer_that_knows_no_off_topic_leaves_the_columns_empty():
    fitted = DocumentClustering(clusterer=Plain()).fit(TEXTS)
    spaces, kept = fitted.represent(TEXTS[:2])
    for row in rows(judge(fitted, spaces, kept), ["a", "b"]):
        assert (row["off_topic_score"], row["off_topic"], row["off_topic_words"]) == ("", "", "")
        assert row["cluster"] in "01"
