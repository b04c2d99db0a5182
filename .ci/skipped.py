"""A plugin of pytest that writes what was skipped, one test or file a line, to the file that OUTGROUP_SKIPPED names."""

import os

import pytest


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _note(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    _note(report)


def _note(report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.skipped and not hasattr(report, "wasxfail"):
        with open(os.environ["OUTGROUP_SKIPPED"], "a", encoding="utf-8") as file:
            file.write(f"{report.nodeid}\n")
