"""The language "auto": detected from the texts, the same in every door."""

import numpy as np
import pytest

from outgroup import DocumentClustering, Vectorizer
from outgroup.errors import OutgroupWarning

GERMAN = [
    "Die Lieferung ist nicht da, und sie ist schon eine Woche zu spät.",
    "Ich warte auf die Lieferung, die seit einer Woche nicht kommt.",
    "Der Preis ist zu hoch, und er steigt mit jeder Rechnung.",
    "Die Rechnung ist falsch, weil der Preis nicht stimmt.",
] * 15


ENGLISH = ["The parcel is late and it is lost.", "The price of the bill is too high."] * 30


def words(vectorizer, texts):
    vectorizer.fit(texts)
    return set(vectorizer.get_feature_names_out())


def test_german_texts_are_read_as_german():
    with pytest.warns(OutgroupWarning, match="German"):
        auto = words(Vectorizer(language="auto"), GERMAN)
    assert auto == words(Vectorizer(language="german"), GERMAN)
    assert not auto & {"die", "und", "ist", "sie"}


def test_english_texts_and_unknown_ones_are_read_as_english():
    for texts in (ENGLISH, ["x1 x2 abc", "abc def"] * 30):
        vectorizer = Vectorizer(language="auto").fit(texts)
        assert vectorizer.language_ == "english"
        assert words(Vectorizer(), texts) == set(vectorizer.get_feature_names_out())


def test_the_default_of_document_clustering_detects():
    with pytest.warns(OutgroupWarning, match="German"):
        groups = DocumentClustering(2, encoder=None, random_state=0).fit(GERMAN)
    assert groups.vectorizer_.language_ == "german"
    named = DocumentClustering(2, language="german", encoder=None, random_state=0).fit(GERMAN)
    assert np.array_equal(groups.labels_, named.labels_)
