"""Every method on a collection by path."""

import json

import pytest

pytest.importorskip("bench.papers.corpus", reason="the measurements are not part of an installed package")

from bench.papers import corpus

WORDS = {
    "food": "bread butter oven flour salt yeast dough bake",
    "rail": "train station track rail ticket platform wagon signal",
    "moon": "moon orbit crater rocket lunar eclipse crust track",
}


@pytest.fixture
def path(tmp_path):
    rows = []
    for label, words in WORDS.items():
        words = words.split()
        rows += [{"text": " ".join(words[i % 8 :] + words[: i % 4]), "label": label} for i in range(20)]
    file = tmp_path / "notes.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return file


def table(capsys, *argv):
    corpus.main([str(a) for a in argv])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    return {line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[2:-1]] for line in lines[1:]}


def test_all_methods_get_a_line_and_those_for_two_groups_say_so(path, capsys):
    lines = table(capsys, path, "--starts", 1)
    assert set(lines) == set(corpus.COMPARED)
    assert lines["M2DCU"][-1] == "n/a: needs universum"
    assert lines["MMC"][-1] == "n/a: two groups only"
    assert lines["M2DCU-0"][0] == lines["CPM3C"][0] == "1"


def test_universum_labels_are_taken_out_of_the_classes(path, capsys):
    lines = table(capsys, path, "--universum-labels", "moon", "--starts", 2, "--methods", "M2DCU,iterative SVR")
    assert lines["M2DCU"][0] == lines["iterative SVR"][0] == "1"
