"""`outgroup cluster --device`: the same groups, and plain words where there is no card."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from commands import loaded, outgroup, records, table
from factories import CARD, KITCHEN, TRAINS

from outgroup.rows import device

pytestmark = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed: extra gpu")


@pytest.fixture(autouse=True)
def docs(here):
    records("docs.jsonl", [*KITCHEN, *TRAINS])


def test_the_groups_are_those_of_the_processor(monkeypatch):
    made, rows = [], device.DeviceRows
    monkeypatch.setattr(device, "DeviceRows", lambda *given: made.append(given[1].type) or rows(*given))
    for name, more in (("here", []), ("there", ["--device", CARD])):
        outgroup("cluster", "docs.jsonl", "-k", 2, "--quick", "--out", name, *more)
        assert made == [CARD] * (name == "there")
    found = [[row["cluster"] for row in table(f"{name}/assignments.csv")] for name in ("here", "there")]
    assert found[0] == found[1]
    assert loaded("there/run.json")["parameters"]["device"] == CARD


def test_without_a_card_nothing_is_begun(monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    said = outgroup("cluster", "docs.jsonl", "-k", 2, "--device", "cuda", "--out", "out", code=2).output
    assert "finds no graphics card" in said
    assert not Path("out").exists()
