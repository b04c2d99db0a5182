"""What the Vectorizer finds in the texts: their language, and lines that stand in many of them."""

import numpy as np
import pytest

from outgroup import DocumentClustering, Vectorizer
from outgroup.errors import OutgroupWarning
from outgroup.text.tokens import Tokens, repeated_lines
from outgroup.text.vectorizer import digest, without_lines

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


SIGNATURE = "Sent from my telephone"
KINDS = ("small", "green", "big", "old")
TEXTS = [f"{a} {b} wheels\n\n  Sent  from my telephone\n" for a in ("red", "blue") for b in KINDS]
TEXTS += [f"{a} {b} cups\n{SIGNATURE}" for a in ("tea", "milk") for b in ("hot", "cold", "fresh")]
ALL = [*TEXTS, *(f"{a} {b} {c}" for a in ("dog", "cat", "cow") for b in ("eats", "runs") for c in KINDS)]


def test_a_line_in_many_texts_is_found_once_a_text():
    assert repeated_lines(Tokens.of(TEXTS)) == [(SIGNATURE, len(TEXTS))]
    assert repeated_lines(Tokens.of([*TEXTS, f"{SIGNATURE}\n{SIGNATURE}\ntea"])) == [(SIGNATURE, len(TEXTS) + 1)]


@pytest.mark.parametrize(
    "texts",
    [
        [],
        TEXTS[: 10 - 1],
        TEXTS[:1] * 50,  # equal texts
        [SIGNATURE] * 50,
        [f"tea {number}\nBye" for number in range(50)],  # a short line
        [*(f"{number}\n{SIGNATURE}" for number in range(10)), *map(str, range(2_000))],  # fewer than 1 %
    ],
)
def test_others_are_not(texts):
    assert repeated_lines(Tokens.of(texts)) == []


def test_their_words_are_left_out_of_old_and_new_texts():
    plain, without = Vectorizer().fit(ALL), Vectorizer(drop_repeated_lines=True).fit(ALL)
    assert set(plain.vocabulary_) - set(without.vocabulary_) == {"sent", "telephon"}
    assert (without.transform(ALL) != without.transform([text.split("\n")[0] for text in ALL])).nnz == 0
    assert (Vectorizer(drop_repeated_lines=True).fit_transform(ALL) != without.transform(ALL)).nnz == 0
    assert without.transform([f"a letter was sent\n{SIGNATURE}"]).nnz == 0
    assert without_lines(SIGNATURE, {digest(SIGNATURE)}) == SIGNATURE  # a text of one line
