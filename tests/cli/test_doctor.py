"""`outgroup doctor`: its findings, its exit code, and one screen of text."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from commands import outgroup

import outgroup.cli.doctor as doctor
from outgroup.errors import installing

HERE = Path(__file__).resolve().parents[2] / "pyproject.toml"
WELL = {
    "kernels": "native kernels (AVX2)",
    "threads": 4,
    "processors": 4,
    "free_gb": 8.0,
    "self_test": {"passed": True, "seconds_words": 0.2, "seconds_groups": 0.2},
}


@pytest.fixture(scope="module")
def found():
    return json.loads(outgroup("doctor", "--json").stdout)


def test_the_findings_have_versions_and_a_passed_test(found):
    assert found["self_test"]["passed"] is True
    assert {"outgroup", "python", "numpy", "scipy", "scikit-learn"} <= set(found["versions"])
    assert "missing" not in found["versions"].values()
    assert found["threads"] >= 1
    assert found["processors"] >= 1


def test_the_extras_are_those_of_the_package(found):
    extras = tomllib.loads(HERE.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(found["extras"]) == set(extras) - {"bench", "docs", "test", "test-all", "dev"}


def test_the_text_fits_on_a_screen(monkeypatch):
    monkeypatch.setattr(doctor, "find_spec", lambda name: None)
    shown = outgroup("doctor").stdout.splitlines()
    assert len(shown) <= 24
    assert any(installing("io") in line for line in shown)


def test_a_failed_test_ends_with_code_one(monkeypatch):
    monkeypatch.setattr("outgroup.metrics.nmi", lambda *given: 0.5)
    assert "FAILED" in outgroup("doctor", code=1).stdout


@pytest.mark.parametrize(
    ("change", "reasons"),
    [
        ({}, 0),
        ({"kernels": "SciPy (installed without kernels)"}, 1),
        ({"kernels": "native kernels (no vector extension assumed)"}, 1),
        ({"threads": 1}, 1),
        ({"threads": 2}, 1),
        ({"free_gb": 0.5}, 1),
        ({"free_gb": None}, 0),
        ({"self_test": {"seconds_words": 30.0, "seconds_groups": 1.0}}, 1),
    ],
)
def test_each_cause_of_slow_runs_is_named(change, reasons):
    assert len(doctor.reasons(WELL | change)) == reasons
