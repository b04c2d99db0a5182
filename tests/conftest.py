"""Fixtures that every room's tests share."""

from pathlib import Path

import pytest
from hypothesis import settings

# a shared machine may stall for any length of time; no test is about time
settings.register_profile("outgroup", deadline=None)
settings.load_profile("outgroup")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of research collections beside a developer's checkout; users do not have it."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"needs the research collections in {folder}, which are not part of the project")
    return folder
