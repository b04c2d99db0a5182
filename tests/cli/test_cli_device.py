"""`outgroup cluster --device`: the same groups, and plain words where there is no card."""

import json
from importlib.util import find_spec

import pytest
from factories import CARD, KITCHEN, TRAINS
from typer.testing import CliRunner

from outgroup.cli.main import app
from outgroup.rows import device

pytestmark = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed: extra gpu")


TEXTS = [*KITCHEN, *TRAINS]


@pytest.fixture
def docs(tmp_path):
    path = tmp_path / "docs" / "all.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps({"id": f"d{i}", "text": text}) + "\n" for i, text in enumerate(TEXTS)))
    return path


def outgroup(*words):
    return CliRunner().invoke(app, ["cluster", *(str(word) for word in words), "--quiet"])


def test_the_groups_are_those_of_the_processor(docs, tmp_path, monkeypatch):
    made, rows = [], device.DeviceRows
    monkeypatch.setattr(device, "DeviceRows", lambda *given: made.append(given[1].type) or rows(*given))
    for name, more in (("here", []), ("there", ["--device", CARD])):
        result = outgroup(docs, "-k", 2, "--quick", "--out", tmp_path / name, *more)
        assert result.exit_code == 0, result.output
        assert made == [CARD] * (name == "there")
    found = [[line.split(",")[2] for line in (tmp_path / name / "assignments.csv").read_text().splitlines()[1:]]
             for name in ("here", "there")]  # fmt: skip
    assert found[0] == found[1]
    assert json.loads((tmp_path / "there" / "run.json").read_bytes())["parameters"]["device"] == CARD


def test_without_a_card_nothing_is_begun(docs, tmp_path, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    result = outgroup(docs, "-k", 2, "--device", "cuda", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "finds no graphics card" in result.output
    assert not (tmp_path / "out").exists()
