"""A test that hangs is named, the others still run, and the run has failed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SUITE = """
import threading, pytest

@pytest.mark.timeout(1)
def test_that_hangs():
    threading.Event().wait()

@pytest.mark.browser
@pytest.mark.timeout(1)
def test_that_hangs_like_one_with_a_browser():
    threading.Event().wait()

@pytest.mark.parametrize("n", range(3))
def test_that_ends(n):
    pass
"""
HOOKS = """
from tests.scheduling import pytest_xdist_make_scheduler
from tests.time_limit import pytest_timeout_set_timer
"""


@pytest.fixture
def hanging(tmp_path: Path) -> Path:
    """A suite of two tests that hang and three that do not."""
    path = tmp_path / "test_suite.py"
    path.write_text(SUITE, encoding="utf-8")
    (tmp_path / "conftest.py").write_text(HOOKS, encoding="utf-8")
    return path


def run(suite: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", "--rootdir", suite.parent,
         "-p", "no:cacheprovider", *options, suite],
        cwd=suite.parent, capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


@pytest.mark.thorough
def test_a_test_that_hangs_is_named_and_the_others_run(hanging: Path) -> None:
    ended = run(hanging, "-n", "1", "--dist", "loadfile")
    assert ended.returncode == 1
    assert "FAILED test_suite.py::test_that_hangs - Failed: Timeout (>1.0s)" in ended.stdout
    assert "crashed while running 'test_suite.py::test_that_hangs_like" in ended.stdout
    assert "with_a_browser hangs: it has taken 1 seconds" in ended.stderr
    assert "2 failed, 3 passed" in ended.stdout, "the rest of the file runs, and nothing twice"


def test_without_processes_the_run_ends_in_words(hanging: Path) -> None:
    ended = run(hanging)
    assert ended.returncode == 1
    assert "test_suite.py::test_that_hangs_like_one_with_a_browser hangs" in ended.stderr


def test_every_test_has_its_time(request: pytest.FixtureRequest) -> None:
    assert float(request.config.getini("timeout")) == 300
    for item in request.session.items:
        limit = item.get_closest_marker("timeout")
        assert limit is None or limit.args[0] <= 1_200, item.nodeid
        assert limit is not None or item.get_closest_marker("thorough") is None, item.nodeid
