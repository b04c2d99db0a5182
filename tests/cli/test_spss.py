"""SPSS files in and out, with value labels."""

from pathlib import Path

import numpy as np
import pytest
from commands import loaded, printed
from factories import KITCHEN, TRAINS

from outgroup.errors import CorpusError
from outgroup.readers.corpus import read_corpus

TEXTS = (KITCHEN + TRAINS) * 5


@pytest.fixture
def spss():
    pytest.importorskip("pandas")
    return pytest.importorskip("pyreadstat")


def saved(spss, name="wave.sav", **options):
    import pandas

    n = len(TEXTS)
    columns = {"case": np.arange(n, dtype=float), "answer": TEXTS, "region": np.arange(n) % 2 + 1.0}
    columns["w"] = np.where(np.arange(n) % 4, 1.0, np.nan if options.pop("gap", False) else 2.5)
    labels = {"region": {1.0: "North", 2.0: "South"}}
    spss.write_sav(pandas.DataFrame(columns), name, variable_value_labels=labels, **options)


@pytest.mark.parametrize("name", ["wave.sav", "wave.zsav"])
def test_values_have_their_labels_and_numbers_stay(spss, name):
    saved(spss, name, compress=name == "wave.zsav", gap=True)
    corpus = read_corpus(name, text="answer", id="case")
    assert corpus.texts == TEXTS
    assert corpus.ids[:3] == ["0", "1", "2"]
    assert corpus.columns["region"][:3] == ["North", "South", "North"]
    assert corpus.columns["w"][:3] == ["", "1", "1"]


def test_a_survey_comes_back_with_labelled_groups(spss):
    saved(spss)
    options = ("-k", 2, "--quick", "--text", "answer", "--id", "case", "--by", "region", "--weight", "w")
    printed("cluster", "wave.sav", *options, "--table", "sav", "--out", "out")
    found, about = spss.read_sav("out/assignments.sav")
    groups = {group["cluster"]: group["name"] for group in loaded("out/clusters.json")}
    assert about.variable_value_labels["cluster"] == {-1.0: "off-topic", **groups}
    assert about.variable_value_labels["code"] == groups
    assert found["code"].tolist() == found["cluster"].tolist()
    assert found["id"].tolist() == [str(i) for i in range(len(TEXTS))]
    assert sorted(found["cluster"].value_counts()) == [20, 20]
    assert found["w"].tolist() == [1.0 if i % 4 else 2.5 for i in range(len(TEXTS))]
    assert set(found["region"]) == {"North", "South"}
    again = read_corpus("out/assignments.sav", text="snippet", id="id")
    assert set(again.columns["cluster"]) == set(groups.values())


def test_several_codes_of_a_document_are_a_multiple_response_set(spss):
    saved(spss)
    Path("codes.csv").write_text("number,name,keywords\n7,Kitchen,bread\n9,Trains,train\n98,Nothing,\n")
    options = ("--quick", "--text", "answer", "--id", "case", "--codebook", "codes.csv", "--multi", 0.001)
    printed("cluster", "wave.sav", *options, "--table", "sav", "--out", "out")
    found, about = spss.read_sav("out/assignments.sav")
    held = {f"group_{group['cluster']}": group["name"] for group in loaded("out/clusters.json")}
    assert {about.column_names_to_labels[name] for name in held} == {"Kitchen", "Trains"}
    assert {name: about.column_names_to_labels[name] for name in held} == held
    assert all(about.variable_value_labels[name] == {0.0: "no", 1.0: "yes"} for name in held)
    listed = found["groups"].astype(str).str.replace(".0", "").str.split("; ")
    assert max(map(len, listed)) == 2
    for number, name in enumerate(held):
        assert found[name].tolist() == [float(str(number) in groups) for groups in listed]
    assert about.variable_value_labels["code"] == {7.0: "Kitchen", 9.0: "Trains", 98.0: "Nothing"}


def test_a_full_disk_leaves_no_result(spss, monkeypatch):
    def full(*_, **__):
        raise spss.ReadstatError("Unable to write data")

    saved(spss)
    monkeypatch.setattr(spss, "write_sav", full)
    options = ("-k", 2, "--quick", "--text", "answer", "--table", "sav", "--out", "out")
    assert "cannot write" in printed("cluster", "wave.sav", *options, code=2)
    assert not Path("out").exists()


def test_a_file_that_is_cut_off_or_lacks_the_field_is_named(spss):
    saved(spss)
    with pytest.raises(CorpusError, match="'body'"):
        read_corpus("wave.sav", text="body")
    Path("cut.sav").write_bytes(Path("wave.sav").read_bytes()[:200])
    with pytest.raises(CorpusError, match="readable SPSS file"):
        read_corpus("cut.sav", text="answer")
