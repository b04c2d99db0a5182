"""The files of a result's folder, by name."""

from __future__ import annotations

RUN, SESSION, GROUPS, PAGE, MODEL = "run.json", "session.json", "clusters.json", "report.html", "model"
TABLES = {"csv": "assignments.csv", "parquet": "assignments.parquet", "xlsx": "assignments.xlsx"}
"""The table of assignments, by its kind."""
