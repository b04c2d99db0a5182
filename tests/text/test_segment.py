"""Words by dictionaries, where the extra is installed; a plain error where it is not or knows no such language."""

import sys

import pytest

from outgroup.errors import InputError, MissingExtraError
from outgroup.text.tokenizer import segmenter, tokenise
from outgroup.text.vectorizer import Vectorizer


@pytest.mark.parametrize(
    ("language", "library", "text", "word"),
    [
        ("zh", "rjieba", "我们讨论市场经济的发展。", "讨论"),
        ("japanese", "sudachipy", "新しい電車の時刻表を確認する。", "電車"),
        ("thai", "pythainlp", "รถไฟไปเชียงใหม่ออกตอนเช้า", "รถไฟ"),
    ],
)
@pytest.mark.filterwarnings("ignore")  # of the libraries' own
def test_words_of_a_dictionary(language: str, library: str, text: str, word: str) -> None:
    pytest.importorskip(library, reason="needs the extra segmentation", exc_type=ImportError)
    cut = segmenter(language)
    assert word in tokenise(text, cut=cut)
    assert "".join(cut(text)) == text
    vectorizer = Vectorizer(language=language, segmentation="words", min_df=1, max_df=1.0).fit([text, "tea"])
    assert {word, "tea"} <= set(vectorizer.vocabulary_)


def test_a_segmenter_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="no segmenter for khmer"):
        segmenter("km")
    monkeypatch.setitem(sys.modules, "rjieba", None)
    with pytest.raises(MissingExtraError, match=r"\.\[segmentation\]"):
        segmenter("chinese")
