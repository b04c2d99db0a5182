"""Headers, quotes and signatures, on small mails."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outgroup.errors import InputError
from outgroup.readers.corpus import read_corpus
from outgroup.readers.documents import STRIPPERS, strip_headers, strip_parts, strip_quotes, strip_signature

MAIL = """\
From: Kim <kim@example.org>
Subject: Re: Tents
References: <1@example.org>
\t<2@example.org>

In article <2@example.org>
lee@example.org (Lee) writes:
> Which tent is light?
>> And which is cheap?
The green one: it is both.

--\x20
Kim, by the lake
"""


def test_each_part() -> None:
    assert strip_headers(MAIL).startswith("In article")
    assert "Lee" not in strip_quotes(MAIL)
    assert "light?" not in strip_quotes(MAIL)
    assert strip_signature(MAIL).endswith("both.\n\n")


@pytest.mark.parametrize(
    "quote",
    [
        "Den 3. maj 2024 kl. 10.15 skrev Kim:\n> milk\n",
        "Am 3. Mai um 10:15 schrieb Kim Lee:\n> milk\n",
        "Le 3 mai 2024 à 10:15, Kim a écrit\xa0:\n> milk\n",
        "-----Original Message-----\nFrom: Kim\n\nmilk\n",
        "----- Ursprüngliche Nachricht -----\nmilk\n",
    ],
)
def test_quotes_of_other_programs_and_languages(quote: str) -> None:
    assert strip_quotes(f"Tea, please, without any milk.\n{quote}").strip() == "Tea, please, without any milk."


@pytest.mark.parametrize("above", ["", "FYI\n"])
def test_a_message_that_was_forwarded_stays(above: str) -> None:
    assert "milk" in strip_quotes(f"{above}-----Original Message-----\nFrom: Kim\n\nmilk\n")


@pytest.mark.parametrize("line", ["Als ich das schrieb war mir klar:", "Voici ce que ma banque m'a écrit :"])
def test_a_line_that_announces_no_quote_stays(line: str) -> None:
    assert strip_quotes(f"{line}\nTea.") == f"{line}\nTea."


def test_a_part_may_be_given_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "> milk\\nTea."}\n')
    assert read_corpus(path, strip="quotes").texts == ["Tea."]
    with pytest.raises(InputError, match="headers,quotes"):
        read_corpus(path, strip="headers,quotes")


@pytest.mark.parametrize(
    "text",
    [
        "Dear all,\nnote: the lake is cold\n\nKim",
        "https://example.org\n\nis a good page",
        "One line",
        "To do: swim\nA line without a name\n\nBody",
    ],
)
def test_what_is_no_header_stays(text: str) -> None:
    assert strip_headers(text) == text


@given(st.text(st.sampled_from("a:> -_|\n\t"), max_size=60))
def test_stripping_only_takes_away(text: str) -> None:
    for stripper in STRIPPERS.values():
        kept = iter(text)
        assert all(sign in kept for sign in stripper(text))  # a subsequence


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "a: b\n",
        "> ",
        ">\n",
        "\n",
        "In article\n",
        "writes:",
        "--\n",
        " ",
        "a:\n \n",
        "wrote \t",
        "1 schrieb ",
        "--",
    ],
)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    start = time.process_time()
    strip_parts(text, STRIPPERS)
    assert time.process_time() - start < 2  # a quadratic expression would take minutes
