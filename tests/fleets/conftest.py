from __future__ import annotations

from pathlib import Path

import pytest

from tests.fleets.folders import make_folder


@pytest.fixture(scope="session")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with searches, whose traces no test may change; `copy_of` makes one of which it may."""
    return make_folder(tmp_path_factory.mktemp("fleet") / "runs")
