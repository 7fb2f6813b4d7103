"""A page beside a search that is being recorded: it grows, and says what becomes of the recording."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Route, expect

import mcts_viz as mv
from mcts_viz.engine.search import run
from mcts_viz.export.events import event_chunks
from mcts_viz.importing.formats import import_trace
from mcts_viz.page import make_app
from mcts_viz.runs.recorder import Recorder
from mcts_viz.trace.liveness import is_held
from mcts_viz.trace.path_loops import LOOPS
from mcts_viz.trace.rows import split
from mcts_viz.trace.writer import TraceWriter
from mcts_viz.web.library import Library
from mcts_viz.web.routes.live import look
from tests.conftest import Console
from tests.games.nim import Nim
from tests.searches import prepare
from tests.web.screen import NOTE_THE_PANELS, Screen, Site, served

ROOT = Path(__file__).parents[2]
LIVE = "live"
NOTE, LIVE_NOTE, FOLLOW = "trace-note", "live-note", "follow-button"


class Recorded:
    """A search that another process records: it goes on as far as it is told to."""

    def __init__(self, path: Path, seed: int = 1, iterations: int = 400) -> None:
        searched = mv.search("tic_tac_toe", iterations=iterations, seed=seed)
        header, *self._events = b"".join(event_chunks(searched)).splitlines(keepends=True)
        self.path, self.n = path, 0
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mcts_viz", "import", "-", "-o", str(path)],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._write(header.replace(b'"recorded_at"', b'"searched_at"'))

    def _write(self, lines: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(lines)
        self._process.stdin.flush()

    def to(self, n: int) -> Recorded:
        """Go on to iteration n, and wait until it can be read."""
        self._write(b"".join(self._events[self.n : n]))
        self.n = n
        deadline = time.monotonic() + 60
        while True:
            try:
                if mv.open(self.path).n_iterations == n and is_held(self.path):
                    return self
            except mv.TraceError:
                pass  # its header is being written
            assert time.monotonic() < deadline, "the recorder does not write"
            time.sleep(0.01)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with served(tmp_path) as site:
        yield site


@pytest.mark.parametrize(("game", "loads"), [("connect_four", True), (Nim(), False)])
def test_what_a_fast_recording_needs_is_loaded_once_it_is_looked_at(
    game: Any, loads: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[bool] = []
    monkeypatch.setattr(LOOPS, "load", lambda: loaded.append(True))
    path = tmp_path / f"{LIVE}.mcts"
    plan = prepare(game, iterations=20, seed=1, rollouts=False, compile=False)
    library = Library([tmp_path], tmp_path)
    with Recorder(plan, path) as recorder:
        run(plan, recorder)
        assert look(library, library.key_of(path))["state"] == "recording"
    assert loaded == [True] * loads
    assert look(library, library.key_of(path))["state"] == "complete"
    assert loaded == [True] * loads  # a trace that is whole grows no more


@pytest.mark.parametrize("follows", [True, False])
def test_what_a_fast_recording_needs_is_loaded_before_a_page_that_follows_it_asks(
    follows: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[bool] = []
    monkeypatch.setattr(LOOPS, "load", lambda: loaded.append(True))
    path = tmp_path / f"{LIVE}.mcts"
    plan = prepare("connect_four", iterations=20, seed=1, rollouts=False, compile=False)
    with Recorder(plan, path):  # nothing is in it yet
        make_app([path], tmp_path, follow=follows)
    assert loaded == [True] * follows


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[Recorded]:
    """A recording of which 40 iterations have been made."""
    recorded = Recorded(tmp_path / f"{LIVE}.mcts").to(40)
    yield recorded
    recorded.kill()


# of the controls, with other words in the readout
RIGHT_END = """(words) => {
  const readout = document.getElementById("iteration-readout"), before = readout.textContent;
  readout.textContent = words;
  const ends = [...document.querySelectorAll(".controls > *")].map((each) => each.getBoundingClientRect().right);
  readout.textContent = before;
  return Math.max(...ends);
}"""


def follow(screen: Screen, t: int = 0) -> Screen:
    """Open the recording at an iteration and ride at its end."""
    address = f"{screen.site.address}?trace={screen.site.key(LIVE)}&iteration={t}&follow=1"
    screen.page.goto(address)
    return screen


def wait_for(screen: Screen, t: int, n: int) -> None:
    """Until the picture shows iteration t of n, the timeline included."""
    screen.wait_for(
        """d.t === arg[0] && d.n_iterations === arg[1] && d.paint.t === arg[0]
            && document.querySelector(".mcts-scrubber").max === String(arg[1])""",
        [t, n],
    )


def expect_tree(screen: Screen, t: int) -> None:
    """The picture's numbers are those of the trace at iteration t."""
    snapshot = screen.site.trace(LIVE).at(t)
    items = screen.items()
    assert items[0]["visits"] == t
    for node, item in items.items():
        assert item["visits"] == snapshot.visits[node]
        assert item["value_sum"] == snapshot.value_sum[node]


def test_the_cursor_rides_at_the_end_of_a_growing_trace(screen: Screen, recorded: Recorded) -> None:
    follow(screen)
    wait_for(screen, 40, 40)
    expect(screen.text(NOTE)).to_contain_text("This search is being recorded")
    for n in (41, 120, 300):
        recorded.to(n)
        wait_for(screen, n, n)
        expect_tree(screen, n)
    screen.expect_facts(visits="300")
    for width in (1280, 1100):  # there is room for all controls, also at millions of iterations
        screen.page.set_viewport_size({"width": width, "height": 720})
        assert screen.page.evaluate(RIGHT_END, "12345678 / 12345678") <= width
    recorded.end()
    expect(screen.text(LIVE_NOTE)).to_contain_text("complete, with 300 iterations")
    expect(screen.text(NOTE)).not_to_contain_text("being recorded")


def test_a_view_chosen_while_the_end_of_a_recording_is_on_its_way_stays(
    screen: Screen, recorded: Recorded
) -> None:
    follow(screen)
    wait_for(screen, 40, 40)
    with screen.held(r"/end\?") as end:
        recorded.to(200)
    screen.page.evaluate("() => mcts.app.focus(1)")
    screen.page.wait_for_function(
        "() => mcts.app.cursor().view.focus === 1 && !mcts.app.isLoading()"
    )
    end()
    wait_for(screen, 200, 200)
    assert screen.page.evaluate("mcts.app.cursor().view.focus") == 1
    assert 0 not in screen.items()
    visits = screen.site.trace(LIVE).at(200).visits
    assert screen.items()[1]["visits"] == visits[1]


@pytest.mark.thorough
def test_the_timeline_grows_after_a_view_that_was_made_of_a_longer_trace(
    screen: Screen, recorded: Recorded
) -> None:
    screen.open(LIVE, 25)
    wait_for(screen, 25, 40)
    with screen.held(r"/live$") as live:
        pass
    recorded.to(200)
    screen.page.evaluate("() => mcts.app.focus(1)")
    screen.page.wait_for_function(
        "() => mcts.app.cursor().view.focus === 1 && !mcts.app.isLoading()"
    )
    with screen.page.expect_request("**/timeline?n_iterations=200"):
        live()
    wait_for(screen, 25, 200)


def test_panels_come_along_while_a_search_is_played_whose_recording_ended_meanwhile(
    screen: Screen, recorded: Recorded
) -> None:
    screen.open(LIVE, 0)
    held: list[Route] = []
    with screen.page.expect_request("**/live"):
        screen.page.route("**/live", lambda route: held.append(route))
    recorded.to(400).end()
    screen.page.unroute("**/live")
    for route in held:  # one look finds the last iterations, and that no more come
        route.continue_()
    expect(screen.text(LIVE_NOTE)).to_contain_text("complete, with 400 iterations")
    screen.wait(0).expect_facts(visits="0")
    screen.page.evaluate(NOTE_THE_PANELS)
    screen.press("Space")
    screen.page.wait_for_function("() => new Set(noted.visits).size >= 4")


@pytest.mark.thorough
def test_without_following_only_the_timeline_grows(screen: Screen, recorded: Recorded) -> None:
    screen.open(LIVE, 25)
    wait_for(screen, 25, 40)
    before = {node: item["position"] for node, item in screen.items().items()}
    recorded.to(200)
    wait_for(screen, 25, 200)
    assert {node: item["position"] for node, item in screen.items().items()} == before
    expect(screen.text("iteration-readout")).to_have_text("25 / 200")
    screen.press("Control+ArrowRight")  # beyond what the view had when it was opened
    wait_for(screen, 125, 200)
    expect_tree(screen, 125)


@pytest.mark.thorough
def test_following_ends_when_the_person_looks_elsewhere_and_begins_again_by_key(
    screen: Screen, recorded: Recorded
) -> None:
    follow(screen)
    wait_for(screen, 40, 40)
    switch = screen.text(FOLLOW)
    expect(switch).to_have_attribute("aria-pressed", "true")
    screen.press("ArrowLeft")
    wait_for(screen, 39, 40)
    expect(switch).to_have_attribute("aria-pressed", "false")
    recorded.to(60)
    wait_for(screen, 39, 60)
    screen.press("g")
    wait_for(screen, 60, 60)
    expect(switch).to_have_attribute("aria-pressed", "true")
    assert "follow=1" in screen.page.url


@pytest.mark.thorough
def test_who_goes_elsewhere_is_not_taken_back_by_what_was_on_its_way(
    screen: Screen, tmp_path: Path
) -> None:
    recorded = Recorded(tmp_path / f"{LIVE}.mcts", iterations=2600).to(2400)
    try:
        follow(screen, 2400)
        wait_for(screen, 2400, 2400)
        recorded.to(2500)  # the page fetches the end, perhaps some before it, not the beginning
        wait_for(screen, 2500, 2500)
        held: list[Route] = []
        screen.page.route("**/window?*from=0&*", lambda route: held.append(route))  # a slow server
        screen.press("Home")
        expect(screen.text(FOLLOW)).to_have_attribute("aria-pressed", "false")
        recorded.to(2600)
        wait_for(screen, 2500, 2600)
        while not held:  # the test ends by its own time limit
            screen.page.wait_for_timeout(20)
        for route in held:
            route.continue_()
        wait_for(screen, 0, 2600)
    finally:
        recorded.kill()


@pytest.mark.thorough
def test_who_steps_back_while_another_view_of_the_end_is_on_its_way_stays_there(
    screen: Screen, recorded: Recorded
) -> None:
    follow(screen)
    wait_for(screen, 40, 40)
    with screen.held(r"/view\?") as view:
        screen.page.evaluate("() => { mcts.app.focus(1); }")
    screen.press("ArrowLeft")
    wait_for(screen, 39, 40)
    expect(screen.text(FOLLOW)).to_have_attribute("aria-pressed", "false")
    recorded.to(200)
    view()
    screen.page.wait_for_function("() => mcts.app.cursor().view.focus === 1")
    wait_for(screen, 39, 200)


@pytest.mark.thorough
def test_who_steps_back_while_a_view_with_what_has_come_is_on_its_way_stays_there(
    screen: Screen, recorded: Recorded
) -> None:
    screen.open(LIVE, 25)
    recorded.to(100)
    wait_for(screen, 25, 100)
    with screen.held(r"/view\?") as view:
        screen.press("End")
    screen.press("Home")
    wait_for(screen, 0, 100)
    view()
    screen.wait(0)
    assert screen.page.evaluate("mcts.live.debug().shown.n") == 100


@pytest.mark.thorough
def test_who_goes_on_while_a_view_with_what_has_come_is_on_its_way_arrives_there(
    screen: Screen, recorded: Recorded
) -> None:
    screen.open(LIVE, 25)
    recorded.to(100)
    wait_for(screen, 25, 100)
    with screen.held(r"/view\?") as view:
        screen.page.evaluate("() => { mcts.app.seek(60); }")
    screen.page.evaluate("() => { mcts.app.seek(90); mcts.app.collapse(1); }")
    view()
    wait_for(screen, 90, 100)
    screen.wait_for("d.cursor.view.closed.includes(1)")
    expect_tree(screen, 90)


@pytest.mark.thorough
def test_another_trace_that_is_on_its_way_is_not_stopped_where_this_ones_file_is_taken(
    screen: Screen, recorded: Recorded, tmp_path: Path, console: Console
) -> None:
    console.allow("400|404")
    mv.search("tic_tac_toe", iterations=60, seed=3, path=tmp_path / "other.mcts")
    screen.open(LIVE, 25)
    wait_for(screen, 25, 40)
    with screen.held(r"/view\?") as view:
        screen.choose("trace-select", "other")
    recorded.kill()
    again = Recorded(recorded.path, seed=2).to(30)
    try:
        for _ in range(2):  # also a look that knows of it
            screen.page.wait_for_event("requestfinished", lambda found: "/live" in found.url)
        view()
        wait_for(screen, 60, 60)
        expect(screen.text("trace-select")).to_have_value("other")
        expect(screen.text(LIVE_NOTE)).to_be_empty()
    finally:
        again.kill()


@pytest.mark.thorough
@pytest.mark.parametrize("follows", [True, False])
def test_following_begun_or_ended_while_another_view_is_on_its_way_is_heeded(
    follows: bool, screen: Screen, recorded: Recorded
) -> None:
    if follows:
        follow(screen)
    else:
        screen.open(LIVE, 25)
    wait_for(screen, 40 if follows else 25, 40)
    with screen.held(r"/view\?") as view:
        screen.page.evaluate("() => { mcts.app.focus(1); }")
    screen.press("g")
    expect(screen.text(FOLLOW)).to_have_attribute("aria-pressed", str(not follows).lower())
    recorded.to(200)
    view()
    screen.page.wait_for_function("() => mcts.app.cursor().view.focus === 1")
    wait_for(screen, 40 if follows else 200, 200)
    expect(screen.text(FOLLOW)).to_have_attribute("aria-pressed", str(not follows).lower())


@pytest.mark.thorough
def test_following_goes_on_where_the_recording_outruns_the_picture_of_its_end(
    screen: Screen, recorded: Recorded
) -> None:
    screen.open(LIVE, 25)
    wait_for(screen, 25, 40)
    recorded.to(100)
    wait_for(screen, 25, 100)
    with screen.held(r"/view\?") as view:
        screen.press("g")
    recorded.to(200)
    view()
    wait_for(screen, 200, 200)
    expect(screen.text(FOLLOW)).to_have_attribute("aria-pressed", "true")


@pytest.mark.thorough
def test_a_killed_recorder_is_told_and_what_it_wrote_stays(
    screen: Screen, recorded: Recorded
) -> None:
    follow(screen)
    wait_for(screen, 40, 40)
    recorded.kill()
    expect(screen.text(NOTE)).to_contain_text(
        "This recording broke off: it is complete up to iteration 40."
    )
    expect(screen.text(NOTE)).to_contain_text("killed, or crashed")
    screen.press("ArrowLeft")
    wait_for(screen, 39, 40)
    expect_tree(screen, 39)


@pytest.mark.thorough
def test_another_recording_at_the_same_path_is_shown_as_another_one(
    screen: Screen, recorded: Recorded, console: Console
) -> None:
    console.allow("400|404")  # a question about the old one may still be on its way
    follow(screen)
    wait_for(screen, 40, 40)
    recorded.kill()
    again = Recorded(recorded.path, seed=2).to(30)
    try:
        wait_for(screen, 30, 30)
        expect(screen.text(LIVE_NOTE)).to_contain_text("A new recording has begun in this file")
        expect_tree(screen, 30)
        again.to(90)
        wait_for(screen, 90, 90)
        expect_tree(screen, 90)
    finally:
        again.kill()
    expect(screen.text(NOTE)).to_contain_text("broke off")
    expect(screen.text(LIVE_NOTE)).to_be_empty()  # its beginning is told no longer


@pytest.mark.thorough
def test_a_recording_that_took_a_complete_ones_file_is_looked_at_once_a_view_shows_it(
    screen: Screen, tmp_path: Path, console: Console
) -> None:
    console.allow("400|404")
    path = tmp_path / f"{LIVE}.mcts"
    mv.search("tic_tac_toe", iterations=60, seed=1, path=path)
    screen.open(LIVE, 60)
    screen.page.wait_for_function("() => mcts.live.debug().known?.state === 'complete'")
    screen.page.wait_for_load_state("networkidle")  # it is looked at no more
    again = Recorded(path, seed=2).to(30)
    try:
        screen.page.evaluate("() => mcts.app.focus(1)")
        expect(screen.text(LIVE_NOTE)).to_contain_text("A new recording has begun in this file")
        expect(screen.text(NOTE)).to_contain_text("This search is being recorded")
        again.to(90)
        screen.page.wait_for_function("() => mcts.app.debug().n_iterations === 90")
    finally:
        again.kill()


@pytest.mark.thorough
def test_a_file_that_goes_away_is_told(
    screen: Screen, recorded: Recorded, console: Console
) -> None:
    console.allow("400|404")
    follow(screen)
    wait_for(screen, 40, 40)
    recorded.kill()
    recorded.path.unlink()
    expect(screen.text(LIVE_NOTE)).to_contain_text(f"{recorded.path.name}: the file is gone")
    expect(screen.text(NOTE)).to_be_empty()  # that it broke off is of no use any more


@pytest.mark.thorough
def test_a_server_that_is_gone_is_not_said_to_record(
    screen: Screen, recorded: Recorded, console: Console
) -> None:
    console.allow("Failed to fetch|ERR_FAILED|did not respond")
    follow(screen)
    wait_for(screen, 40, 40)
    expect(screen.text(NOTE)).to_contain_text("is being recorded")
    screen.page.route("**/api/**", lambda route: route.abort())
    expect(screen.text("connection")).to_contain_text("The server does not answer")
    expect(screen.text(NOTE)).to_be_empty()
    screen.page.unroute("**/api/**")
    expect(screen.text("connection")).to_be_hidden()
    expect(screen.text(NOTE)).to_contain_text("is being recorded")


@pytest.mark.thorough
def test_a_server_that_is_gone_is_asked_ever_more_seldom(
    screen: Screen, recorded: Recorded, console: Console
) -> None:
    console.allow("Failed to fetch|ERR_FAILED|did not respond")
    follow(screen)
    wait_for(screen, 40, 40)
    asked: list[float] = []

    def refuse(route: Route) -> None:
        asked.append(time.monotonic())
        route.abort()

    screen.page.route("**/live", refuse)
    while len(asked) < 3:
        screen.page.wait_for_event("requestfailed")
    screen.page.unroute("**/live", refuse)
    assert asked[1] - asked[0] > 0.9
    assert asked[2] - asked[1] > 1.8


@pytest.mark.thorough
def test_several_tabs_over_several_servers_see_the_same(
    screen: Screen, recorded: Recorded, tmp_path: Path
) -> None:
    other = screen.page.context.new_page()
    with served(tmp_path) as second:
        follow(screen)
        other_screen = follow(Screen(other, second))
        for n in (40, 150):
            recorded.to(n)
            for each in (screen, other_screen):
                wait_for(each, n, n)
                expect_tree(each, n)
        other.close()


@pytest.mark.thorough
def test_a_trace_that_is_complete_is_not_asked_about_again(screen: Screen, tmp_path: Path) -> None:
    mv.search("tic_tac_toe", iterations=60, seed=1, path=tmp_path / "done.mcts")
    asked: list[str] = []
    screen.page.on("request", lambda request: asked.append(request.url))
    screen.open("done", 10)
    screen.page.wait_for_function("() => mcts.live.debug().known !== null")
    expect(screen.text(FOLLOW)).to_be_hidden()
    screen.press("ArrowRight").wait(11)
    screen.page.wait_for_load_state("networkidle")
    assert len([url for url in asked if url.endswith("/live")]) == 1


@pytest.mark.thorough
def test_a_search_of_ours_can_be_followed_as_well(screen: Screen, tmp_path: Path) -> None:
    plan = prepare("tic_tac_toe", iterations=50, seed=1, compile=False)
    with Recorder(plan, tmp_path / f"{LIVE}.mcts") as recorder:
        follow(screen)
        wait_for(screen, 0, 0)
        run(plan, recorder)
        wait_for(screen, 50, 50)  # also before the file is closed
        expect(screen.text(NOTE)).to_contain_text("This search is being recorded")
    expect(screen.text(LIVE_NOTE)).to_contain_text("complete, with 50 iterations")


# notes, of each look at the recording, whether it was asked for while a picture that was told of before it is drawn
NOTE_LOOKS = """() => {
  const plain = window.fetch;
  let told = 0;
  window.early = 0;
  window.fetch = async (...asked) => {
    if (!String(asked[0]).includes("/end?")) return plain(...asked);
    if (mcts.app.painted() < told) window.early += 1;
    const answer = await plain(...asked), message = mcts.binary.unpack(await answer.clone().arrayBuffer());
    told = Math.max(told, message.meta.n_iterations);
    return answer;
  };
}"""


@pytest.mark.parametrize("n", [400, 60_000])
def test_of_a_fast_search_the_server_reads_on_while_the_page_draws(
    n: int, screen: Screen, tmp_path: Path
) -> None:
    plan = prepare("tic_tac_toe", iterations=n, seed=1, compile=n > 1_000)
    with Recorder(plan, tmp_path / f"{LIVE}.mcts") as recorder:
        follow(screen)
        wait_for(screen, 0, 0)
        screen.page.evaluate(NOTE_LOOKS)
        run(plan, recorder)
        wait_for(screen, n, n)
    expect(screen.text(LIVE_NOTE)).to_contain_text(f"complete, with {n:,} iterations")
    assert (screen.page.evaluate("early") > 0) == (n > 1_000)


@pytest.mark.thorough
def test_that_a_recording_has_ended_is_said_also_where_the_server_failed_at_its_end(
    screen: Screen, recorded: Recorded, console: Console
) -> None:
    console.allow("Failed to fetch|ERR_FAILED|did not respond")
    follow(screen)
    wait_for(screen, 40, 40)
    with screen.held(r"/live$") as live:
        pass
    recorded.to(200).end()
    screen.page.route("**/end?*", lambda route: route.abort(), times=1)
    live()
    wait_for(screen, 200, 200)
    expect(screen.text(LIVE_NOTE)).to_contain_text("complete, with 200 iterations")


@pytest.mark.thorough
@pytest.mark.parametrize("seen_first", [False, True])
def test_a_file_made_anew_with_the_same_header_is_opened_once(
    seen_first: bool, screen: Screen, tmp_path: Path, console: Console
) -> None:
    console.allow("400|404")
    whole = mv.search("tic_tac_toe", iterations=60, seed=1)

    def write(n: int) -> None:
        path = tmp_path / "made.mcts"
        with TraceWriter(path, whole.meta) as writer:
            writer.append(split(whole.columns.as_rows(), 0, n))
        path.rename(tmp_path / f"{LIVE}.mcts")

    write(60)
    follow(screen)
    wait_for(screen, 60, 60)
    recording = screen.page.evaluate("mcts.live.debug().shown.recording")
    if seen_first:  # by a view, before the page looks again
        with screen.held(r"/live$") as live:
            pass
        write(20)
        screen.page.evaluate("() => mcts.app.focus(1)")
        live()
    else:
        write(20)
    wait_for(screen, 20, 20)
    expect(screen.text(LIVE_NOTE)).to_contain_text("A new recording has begun")
    assert screen.cursor()["view"]["focus"] == 0
    assert screen.page.evaluate("mcts.live.debug().shown.recording") == recording
    opened: list[str] = []
    screen.page.on("request", lambda request: opened.append(request.url))
    for _ in range(2):  # however often it is looked at
        screen.page.wait_for_event("request", lambda request: request.url.endswith("/live"))
    assert not [url for url in opened if "/view?" in url]


@pytest.mark.thorough
def test_importing_over_a_file_that_is_shown_is_noticed_when_followed(
    screen: Screen, tmp_path: Path, console: Console
) -> None:
    console.allow("400|404")
    path = tmp_path / f"{LIVE}.mcts"
    first = mv.search("tic_tac_toe", iterations=60, seed=1, path=path)
    (tmp_path / "in.ndjson").write_bytes(b"".join(event_chunks(first, 20)))
    follow(screen)
    wait_for(screen, 60, 60)
    import_trace(
        tmp_path / "in.ndjson", path
    )  # the same metadata, so only its length tells them apart
    wait_for(screen, 20, 20)
    expect(screen.text(LIVE_NOTE)).to_contain_text("A new recording has begun")
