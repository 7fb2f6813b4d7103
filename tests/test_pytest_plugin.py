"""The pytest plugin, in the tests of a project of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mcts_viz as mv
from mcts_viz import testing  # loaded before pytester notes which modules there are  # noqa: F401
from mcts_viz.web.one_file import single_trace  # noqa: F401
from tests.docs.examples import examples

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parent.parent
PLUGIN = ("--disable-plugin-autoload", "-p", "mcts_viz.pytest_plugin")
SEARCH = """
import pytest
from my_search import FIELDS, Search

def searched(mcts_record, iterations=60):
    search = Search(seed=1)
    with mcts_record(root=search.root, **FIELDS) as rec:
        for _ in rec.steps(search.step, iterations):
            pass
    return rec
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    shutil.copy(ROOT / "samples/bench/my_search.py", pytester.path)
    return pytester


def run(project: pytest.Pytester, tests: str, *options: str) -> pytest.RunResult:
    project.makepyfile(test_it=SEARCH + tests)
    return project.runpytest_inprocess(*PLUGIN, "--strict-markers", *options)


def kept(project: pytest.Pytester) -> list[str]:
    return sorted(path.name for path in (project.path / "kept").glob("*"))


def test_only_the_searches_of_failed_tests_are_kept(project: pytest.Pytester) -> None:
    tests = """
def test_good(mcts_record):
    assert searched(mcts_record).trace.n_iterations == 60

@pytest.mark.parametrize("text", ["a/b", "a_b"])
def test_bad(mcts_record, text):
    rec = searched(mcts_record)
    searched(mcts_record, 30)
    assert rec.trace.best_action_name == "nowhere"

@pytest.mark.xfail
def test_expected(mcts_record):
    searched(mcts_record)
    assert False
"""
    result = run(project, tests, "--mcts-artifacts=kept")
    result.assert_outcomes(passed=1, failed=2, xfailed=1)
    names = kept(project)
    assert len(names) == 8  # of each of the two tests two searches, each with its page
    assert all(name.startswith("test_it.py_test_bad_a_b") for name in names)
    traces = [project.path / "kept" / name for name in names if name.endswith(".mcts")]
    assert sorted(mv.open(path).n_iterations for path in traces) == [30, 30, 60, 60]
    assert mv.open(traces[0]).status == "complete"
    page = traces[0].with_suffix(".html").read_text(encoding="utf-8")
    assert "<html" in page
    result.stdout.fnmatch_lines(
        ["*mcts_viz*", f"*{traces[0].name} (mcts-viz show, check, explain)"]
    )


def test_a_search_that_was_broken_off_is_kept_as_far_as_it_came(project: pytest.Pytester) -> None:
    tests = """
def test_bad(mcts_record):
    search = Search(seed=1)
    rec = mcts_record(root=search.root, **FIELDS)
    for number in rec.steps(search.step, 60):
        assert number < 20
"""
    run(project, tests, "--mcts-artifacts=kept").assert_outcomes(failed=1)
    trace = mv.open(project.path / "kept/test_it.py_test_bad_1.mcts")
    assert trace.n_iterations == 20


def test_without_the_option_nothing_is_written(project: pytest.Pytester) -> None:
    result = run(project, "def test_bad(mcts_record):\n    assert not searched(mcts_record)\n")
    result.assert_outcomes(failed=1)
    assert not list(project.path.rglob("*.mcts"))
    result.stdout.fnmatch_lines(["*--mcts-artifacts=DIR keeps what was searched here (1)*"])


def test_a_trace_that_is_not_healthy_fails_the_test_and_is_kept(project: pytest.Pytester) -> None:
    tests = """
import mcts_viz as mv

def test_bad(assert_healthy):
    assert_healthy(mv.search("tic_tac_toe", "rhu2001", iterations=300, seed=1))

def test_good(assert_healthy):
    assert_healthy(mv.search("tic_tac_toe", iterations=300, seed=1))
"""
    result = run(project, tests, "--mcts-artifacts=kept")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*AssertionError: the search is not healthy:*"])
    assert kept(project) == ["test_it.py_test_bad_1.kept.html", "test_it.py_test_bad_1.kept.mcts"]
    assert mv.open(project.path / "kept/test_it.py_test_bad_1.kept.mcts").n_iterations == 300


def test_a_search_over_its_budget_fails_the_test(project: pytest.Pytester) -> None:
    tests = """
pytestmark = pytest.mark.mcts_budget(nodes=1000)

@pytest.mark.mcts_budget(iterations=59, nodes=10)
def test_over(mcts_record, mcts_budget):
    assert mcts_budget == (59, 10, None)
    searched(mcts_record)

def test_within(mcts_record):
    searched(mcts_record)

@pytest.mark.mcts_budget(iterations="many")
def test_wrong(mcts_record):
    pass

@pytest.mark.mcts_budget(iterations=5)
def test_unused():
    pass
"""
    result = run(project, tests)
    result.assert_outcomes(passed=1, failed=1, errors=2)
    said = result.stdout.str()
    assert "over the budget: search 1 took 60 iterations, and 59 are allowed; " in said
    assert "search 1 took 61 nodes, and 10 are allowed" in said
    assert "{'iterations': 'many'}: give numbers above 0 by the names" in said
    assert "limits the searches of mcts_record, which this test does not use" in said


def test_a_folder_that_cannot_be_one_is_refused(project: pytest.Pytester) -> None:
    (project.path / "kept").write_text("", encoding="utf-8")
    result = run(project, "def test_good():\n    pass\n", "--mcts-artifacts=kept")
    result.stderr.fnmatch_lines(["*--mcts-artifacts=kept: is a file; name a folder*"])


def test_the_example_of_the_page_runs(project: pytest.Pytester) -> None:
    (example,) = (e for e in examples(ROOT / "docs/pytest.md") if e.language == "python")
    project.makepyfile(test_my_search=example.code)
    result = project.runpytest_inprocess(*PLUGIN)
    result.assert_outcomes(passed=1)


def test_a_project_that_does_not_use_it_loads_nothing_of_it() -> None:
    code = (
        "import sys, pytest, mcts_viz.pytest_plugin; "
        "print([name for name in sys.modules if name.split('.')[0] in ('mcts_viz', 'numpy', 'pyarrow')])"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert loaded.stdout.strip() == "['mcts_viz', 'mcts_viz.pytest_plugin']"
