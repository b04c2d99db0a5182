"""Bytes of every kind become text, and none raises."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outgroup.readers.encoding import decode, is_noise, plain

WORDS = "Crème brûlée – 5 €\nfür Łukasz"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_encodings(encoding: str) -> None:
    assert decode(WORDS.encode(encoding)) == WORDS
    assert not is_noise(WORDS.encode(encoding))


@pytest.mark.parametrize("length", [60, 200, 20_000])
def test_bytes_by_chance_are_no_text_and_texts_of_every_encoding_are_some(length: int) -> None:
    chance = np.random.default_rng(0).integers(1, 256, length, dtype=np.uint8).tobytes()
    assert b"\0" not in chance
    assert is_noise(chance)
    assert is_noise(chance)
    for text, encoding in [
        ("żółć i chrząszcz", "cp1250"),
        ("Мой заказ", "koi8-r"),
        ("東京から帰る", "shift-jis"),
        ("茶", "gb18030"),
    ]:
        assert not is_noise((text * length)[:length].encode(encoding))
    assert not is_noise("crème ".encode() * 50 + b"\0\xc3")  # a zero in a text, and a sign that is cut


def test_single_byte_encodings() -> None:
    assert decode("Crème – 5 €".encode("cp1252")) == "Crème – 5 €"
    assert decode(b"caf\xe9 \x81") == "café \x81"  # 0x81 is no sign of Windows-1252
    assert decode("чай".encode("koi8-r"), "koi8-r") == "чай"
    assert decode("Crème très légère".encode()[:-4] + b"\xffr") == "Crème très lég\ufffdr"  # a broken sign alone


@pytest.mark.parametrize("kind", ["<i2", "<f4", ">i2"])
def test_numbers_are_no_text(kind: str) -> None:
    numbers = np.random.default_rng(0).normal(scale=90, size=3000)
    assert is_noise(numbers.astype(kind).tobytes())
    assert is_noise(np.arange(600).astype(kind).tobytes())


@given(st.binary())
def test_any_bytes_become_text_that_can_be_written(raw: bytes) -> None:
    is_noise(raw)
    assert "\r" not in decode(raw)
    decode(raw).encode()


@given(st.text())
def test_utf8_is_kept_but_for_line_ends(text: str) -> None:
    if not text.startswith("\ufeff"):
        assert decode(text.encode()) == plain(text) == re.sub("\r\n?", "\n", text.replace("\0", ""))
