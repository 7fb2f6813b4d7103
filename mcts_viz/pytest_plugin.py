"""What pytest finds by itself where mcts_viz is installed: fixtures that record and check a search in a test, a marker
for its budget, and the searches of failed tests as files.

Loads nothing of the package before a test asks for it: pytest loads this in every project.
"""

from __future__ import annotations

import importlib
import re
import zlib
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

import mcts_viz as mv

if TYPE_CHECKING:
    from mcts_viz.api import Trace
    from mcts_viz.recording.recording import Recording

OPTION = "--mcts-artifacts"
MARKER = "mcts_budget"
MARKER_WORDS = (
    f"{MARKER}(iterations=None, nodes=None, seconds=None): what each search of the test may take; a search that "
    "`mcts_record` has recorded and that took more fails the test"
)
LONGEST = 120  # characters of a file's name


class SearchLimits(NamedTuple):
    """What `@pytest.mark.mcts_budget` says; None: no limit."""

    iterations: int | None = None
    nodes: int | None = None
    seconds: float | None = None

    def exceeded(self, trace: Trace) -> list[str]:
        """What the search took too much of, in words."""
        elapsed = trace.columns.elapsed
        took = (trace.n_iterations, trace.n_nodes, elapsed[-1] / 1e9 if len(elapsed) else 0.0)
        return [
            f"{used:,.6g} {name}, and {limit:,.6g} are allowed"
            for name, used, limit in zip(self._fields, took, self)
            if limit is not None and used > limit
        ]


class SearchRecorder:
    """The fixture `mcts_record` of one test: called as `mcts_viz.record`; `keep` takes a trace that came about in
    another way. Where the test fails, the traces become files, each with a page that steps through it."""

    def __init__(self, stem: str, folder: Path | None, limits: SearchLimits) -> None:
        self._stem, self._folder, self.limits = stem, folder, limits
        self._recordings: list[tuple[Recording[Trace], Path | None]] = []
        self._others: list[Trace] = []
        self._saved: list[Trace] = []
        self._told: list[str] = []  # where they are

    def __call__(self, path: str | Path | None = None, **fields: object) -> Recording[Trace]:
        """A recording, as `mcts_viz.record` gives it. Without a path it is written to --mcts-artifacts while the
        search runs, so that a test that kills Python leaves it, too."""
        own = None
        if path is None and self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            path = own = self._folder / f"{self._stem}_{len(self._recordings) + 1}.mcts"
        record: Callable[..., Recording[Trace]] = mv.record
        recording = record(path, **fields)
        self._recordings.append((recording, own))
        return recording

    def keep(self, trace: Trace) -> Trace:
        """Take a trace of `mcts_viz.search` or another one; returns it."""
        if not any(trace is each for each in self._others):
            self._others.append(trace)
        return trace

    @property
    def traces(self) -> list[Trace]:
        """All that there are so far."""
        recorded = [each for recording, _ in self._recordings for each in _traces_of(recording)]
        return [*recorded, *(each for each in self._others if not any(each is r for r in recorded))]

    def save(self) -> str:
        """Write what is not written yet; returns what there is, in words."""
        if self._folder is None:
            n = len(self.traces)
            return f"{OPTION}=DIR keeps what was searched here ({n}): trace and page" if n else ""
        self._end()
        for trace in self.traces:
            if any(trace is each for each in self._saved):
                continue
            path = trace.path
            if path is None or path.parent != self._folder:
                self._folder.mkdir(parents=True, exist_ok=True)
                path = self._folder / f"{self._stem}_{len(self._told) + 1}.kept.mcts"
                importlib.import_module("mcts_viz.trace.saving").save_trace(trace, path)
            page = path.with_suffix(".html")
            if trace.n_iterations:
                trace.to_html(page)
            self._saved.append(trace)
            self._told.append(f"{path} (mcts-viz show, check, explain)\n{page} (any browser)")
        return "\n".join(self._told)

    def discard(self) -> None:
        """Delete what was written: the test has passed."""
        self._end()
        for recording, path in self._recordings:
            for number in range(1, len(_traces_of(recording)) + 1):
                if path is not None:
                    name = path if number == 1 else path.with_stem(f"{path.stem}-{number}")
                    name.unlink(missing_ok=True)

    def _end(self) -> None:
        """End recordings that the test has left open."""
        for recording, _ in self._recordings:
            recording.__exit__(InterruptedError)


def _traces_of(recording: Recording[Trace]) -> list[Trace]:
    try:
        return recording.traces
    except mv.TraceError:  # the search has never had a root
        return []


RECORDER = pytest.StashKey[SearchRecorder]()
FAILED = pytest.StashKey[list[bool]]()  # of each phase of a test


@pytest.fixture
def mcts_record(request: pytest.FixtureRequest) -> SearchRecorder:
    """Record a search as `mcts_viz.record` does; trace and page of a failed test stay in --mcts-artifacts."""
    given = request.config.getoption(OPTION)
    folder = None if given is None else request.config.invocation_params.dir / given
    found = SearchRecorder(_stem(request.node.nodeid), folder, _limits(request.node))
    request.node.stash[RECORDER] = found
    return found


@pytest.fixture(name=MARKER)
def _mcts_budget(request: pytest.FixtureRequest) -> SearchLimits:
    """What `@pytest.mark.mcts_budget` says of this test: `.iterations`, `.nodes`, `.seconds`."""
    return _limits(request.node)


@pytest.fixture
def assert_healthy(mcts_record: SearchRecorder) -> Callable[..., None]:
    """`mcts_viz.testing.assert_healthy`, which also keeps the trace of a failed test."""
    testing = importlib.import_module("mcts_viz.testing")

    def check(trace: Trace, **options: object) -> None:
        __tracebackhide__ = True
        testing.assert_healthy(mcts_record.keep(trace), **options)

    return check


def pytest_addoption(parser: pytest.Parser) -> None:
    """The folder of what failed tests leave."""
    parser.getgroup("mcts_viz").addoption(
        OPTION, metavar="DIR", help="keep trace and page (HTML) of the searches of failed tests"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known; refuse a folder that cannot be one."""
    config.addinivalue_line("markers", MARKER_WORDS)
    given = config.getoption(OPTION)
    if given is not None and (config.invocation_params.dir / given).is_file():
        raise pytest.UsageError(f"{OPTION}={given}: is a file; name a folder")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Refuse a budget that no search is compared with: it would pass silently."""
    own = any(mark.name == MARKER for mark in item.own_markers)
    used = {"mcts_record", "assert_healthy", MARKER} & set(getattr(item, "fixturenames", ()))
    if own and not used:
        pytest.fail(
            f"@pytest.mark.{MARKER} limits the searches of mcts_record, which this test does not use; add it to the "
            "test's arguments",
            pytrace=False,
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Compare the searches of a test with its budget."""
    yield
    found = item.stash.get(RECORDER, None)
    if found is not None and any(limit is not None for limit in found.limits):
        over = [
            f"search {number} took {words}"
            for number, trace in enumerate(found.traces, start=1)
            for words in found.limits.exceeded(trace)
        ]
        if over:
            pytest.fail("over the budget: " + "; ".join(over), pytrace=False)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Save the searches of a test that failed, and delete those of one that passed."""
    report = yield
    found = item.stash.get(RECORDER, None)
    if found is None:
        return report
    failed = item.stash.setdefault(FAILED, [])
    failed.append(report.failed)
    try:
        if report.failed and (told := found.save()):
            report.sections.append(("mcts_viz", told))
        elif report.when == "teardown" and not any(failed):
            found.discard()
    except Exception as err:  # noqa: BLE001 (a hook that raises ends all of pytest)
        report.sections.append(("mcts_viz", f"the searches could not be kept: {err}"))
    return report


def _limits(node: pytest.Item) -> SearchLimits:
    marker = node.get_closest_marker(MARKER)
    if marker is None:
        return SearchLimits()
    numbers = [each for each in marker.kwargs.values() if each is not None]
    known = set(marker.kwargs) <= set(SearchLimits._fields) and not marker.args
    if not known or any(isinstance(n, str) or not n > 0 for n in numbers):
        pytest.fail(
            f"@pytest.mark.{MARKER}{marker.args}{marker.kwargs}: give numbers above 0 by the names iterations, nodes, "
            "seconds, such as iterations=500",
            pytrace=False,
        )
    return SearchLimits(**marker.kwargs)


def _stem(test: str) -> str:
    """A file's name for a test, which no other one has."""
    _, _, parameters = test.partition("[")
    plain = re.sub(r"[^\w.-]+", "_", test).strip("_")
    if len(plain) <= LONGEST and not re.search(r"[^\w.\]-]", parameters):
        return plain
    return f"{plain[:LONGEST]}-{zlib.crc32(test.encode('utf-8', 'replace')):08x}"
