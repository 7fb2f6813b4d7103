"""Plumbing that all tests share: a real browser, and a page whose console has to stay empty."""

import os
import re
import signal
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Playwright,
    expect,
    sync_playwright,
)
from playwright.sync_api import Error as PlaywrightError

from mcts_viz.trace.index.opening import SWITCH
from tests import chromium
from tests.indexed import force
from tests.members import leave_to_thorough
from tests.scheduling import pytest_xdist_auto_num_workers, pytest_xdist_make_scheduler
from tests.time_limit import pytest_timeout_set_timer

__all__ = [  # hooks
    "pytest_timeout_set_timer",
    "pytest_xdist_auto_num_workers",
    "pytest_xdist_make_scheduler",
]

REPORTS = pytest.StashKey[dict[str, pytest.TestReport]]()
CONSOLE = pytest.StashKey["Console"]()
PICTURES = Path(__file__).parent.parent / "test-results"
CONTEXT: Any = {
    "viewport": {"width": 1280, "height": 720},
    "accept_downloads": True,
    "reduced_motion": "reduce",  # nothing moves by itself: a test looks at a page at rest
}
# that a test marked `thorough` may take, in place of the `timeout` of pyproject.toml
THOROUGH_SECONDS = 900
TIMEOUT = 60_000  # milliseconds to wait for a condition; generous, as a machine may be busy
expect.set_options(timeout=TIMEOUT)
# how many examples Hypothesis makes up for a rule
settings.register_profile("quick", max_examples=10, deadline=None)
settings.register_profile("thorough", max_examples=150, deadline=None)


class Console:
    """What a page complained about: errors and warnings, among them every request that was refused
    (Chromium writes these to the console), and uncaught errors."""

    def __init__(self, page: Page) -> None:
        self._complaints: list[str] = []
        self._allowed: list[str] = []
        self._ears: dict[Any, Any] = {
            "console": self._hear,
            "pageerror": lambda error: self._complaints.append(f"uncaught: {error}"),
        }
        self._page = page
        for event, ear in self._ears.items():
            page.on(event, ear)

    def leave(self) -> None:
        """Hear no more: the page goes on to another test."""
        for event, ear in self._ears.items():
            self._page.remove_listener(event, ear)

    def allow(self, pattern: str) -> None:
        """Expect complaints that match this regular expression: the test provokes them."""
        self._allowed.append(pattern)

    @property
    def complaints(self) -> list[str]:
        """Those that no `allow` covers."""
        return [
            complaint
            for complaint in self._complaints
            if not any(re.search(pattern, complaint) for pattern in self._allowed)
        ]

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            place = message.location.get("url", "")
            self._complaints.append(f"{message.type}: {message.text} ({place})")


def pytest_configure(config: pytest.Config) -> None:
    """Hypothesis tries few examples in `make test`, many in `make test-thorough`. Ctrl+C is heard also where a shell
    runs the tests in the background, and has it ignored: tests send it to themselves and to what they start."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    is_quick = config.option.markexpr == "not thorough"
    settings.load_profile("quick" if is_quick else "thorough")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Name a test that failed at once: of a run that is stopped, nobody sees the summary."""
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    if report.failed and not is_worker:
        reason = getattr(getattr(report.longrepr, "reprcrash", None), "message", "")
        print(f"\n{report.when} of {report.nodeid} failed: {reason[:300]}", flush=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep each phase's report with its test, for fixtures to see whether it failed."""
    report = yield
    item.stash.setdefault(REPORTS, {})[report.when] = report
    return report


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that only CI gives."""
    parser.addoption(
        "--browser-retries",
        type=int,
        default=0,
        help="how often a test that drives a browser may be run again when it fails; each is listed at the end",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that drive a browser: `-m "browser and not thorough"` selects by it. Modules that share a
    page come one after the other, so that it stays open."""
    leave_to_thorough(items)
    items.sort(key=lambda item: getattr(getattr(item, "module", None), "ONE_PAGE", False))
    retries = config.getoption("--browser-retries")
    for item in items:
        if item.get_closest_marker("thorough") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(THOROUGH_SECONDS))
        if "playwright" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
            if retries:
                item.add_marker(pytest.mark.flaky(reruns=retries))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how a test failed that was run again, whatever came of it then: that is a fault to find."""
    for report in terminalreporter.stats.get("rerun", []):
        terminalreporter.write_sep("_", f"{report.nodeid}, before it was run again")
        terminalreporter.write_line(report.longreprtext)


@pytest.fixture(autouse=bool(os.environ.get(SWITCH)))
def indexed(monkeypatch: pytest.MonkeyPatch) -> None:
    """`MCTS_VIZ_INDEX=1 pytest …` looks at every trace that can have an index by it."""
    force(monkeypatch)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """What drives browsers."""
    with sync_playwright() as started:
        yield started


@contextmanager
def chromium_needed() -> Iterator[None]:
    """Never skipped: without a Chromium, the tests that need one fail, and say how to get it."""
    try:
        yield
    except PlaywrightError as error:
        pytest.fail(f"No Chromium could be started. {chromium.REMEDY}\n{error}", pytrace=False)


@pytest.fixture(scope="session")
def context(
    playwright: Playwright, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BrowserContext]:
    """The Chromium in which all tests of a process open their pages. Its cache stays; of its storage,
    `page` leaves nothing to the next test."""
    with chromium_needed():
        profile = tmp_path_factory.mktemp("profile")
        context = chromium.launch_with_profile(playwright, profile, **CONTEXT)
    context.set_default_timeout(TIMEOUT)
    yield context
    context.close()


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """Another Chromium, for a test that needs a context of somebody else's."""
    with chromium_needed():
        started = chromium.launch(playwright)
    yield started
    started.close()


@contextmanager
def new_context(browser: Browser) -> Iterator[BrowserContext]:
    """A context of its own, closed at the end."""
    context = browser.new_context(**CONTEXT)
    context.set_default_timeout(TIMEOUT)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext, request: pytest.FixtureRequest) -> Iterator[Page]:
    """An empty page. The test fails if its console is not empty at the end."""
    page = context.new_page()
    try:
        with watched(page, request):
            yield page
    finally:
        page.close()


@contextmanager
def watched(page: Page, request: pytest.FixtureRequest) -> Iterator[None]:
    """A page in the hands of a test: its console has to stay empty, its failure leaves a picture, and
    of what it stored and opened beside the page nothing is left to the next test."""
    others = page.context.pages
    console = Console(page)
    request.node.stash[CONSOLE] = console
    yield
    if has_failed(request):
        _take_picture(page, request.node.nodeid)
    if page.url.startswith("http") and not page.is_closed():
        page.evaluate("localStorage.clear()")
    for each in page.context.pages:
        if each not in others:
            each.close()
    page.context.clear_cookies()
    console.leave()
    if console.complaints:
        pytest.fail("The console is not empty:\n" + "\n".join(console.complaints), pytrace=False)


def has_failed(request: pytest.FixtureRequest) -> bool:
    """Whether this test has, its own part of it."""
    report = request.node.stash.get(REPORTS, {}).get("call")
    return report is not None and report.failed


@pytest.fixture
def console(page: Page, request: pytest.FixtureRequest) -> Console:
    """The console of this test's page, for a test that provokes a complaint and says so."""
    found: Console = request.node.stash[CONSOLE]
    return found


def _take_picture(page: Page, test: str) -> None:
    PICTURES.mkdir(exist_ok=True)
    try:
        page.screenshot(path=PICTURES / f"{re.sub(r'[^A-Za-z0-9_-]+', '_', test)}.png")
    except PlaywrightError as error:
        print(f"no picture of the failure: {error}")
