"""What a page that follows a fast recording is told at each look is what it would be told of these iterations alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.trace import statistics
from mcts_viz.trace.index.loops import compiled
from mcts_viz.trace.path_loops import COMPILED, LOOPS
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.rows import joined, split
from mcts_viz.trace.writer import TraceWriter
from mcts_viz.web.app import create_app, library_of
from mcts_viz.web.routes import views
from tests.indexed import in_memory

LOOKS = (300, 700, 1_800, 2_000, 4_000, 4_096)  # iterations that there are at each of them
Ask = Callable[[str], Any]  # a question about a trace, to an app


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "a.mcts"
    mv.search("connect_four", iterations=LOOKS[-1], seed=7, path=path, rollouts=False)
    return path


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    LOOPS.load().join()
    monkeypatch.setattr(LOOPS, "are_ready", True)
    monkeypatch.setattr(statistics, "MUCH", 1 << 20)
    monkeypatch.setattr(views, "RECENT", 100)


def growing(recorded: Path, path: Path) -> Iterator[None]:
    """Write the recording to that path, as far as it has come by each look."""
    file = TraceFile(recorded)
    rows = joined(list(file.rows(write_out=False)))
    with TraceWriter(path, file.meta) as writer:
        for before, n in zip((0, *LOOKS), LOOKS):
            writer.append(split(rows, before, n))
            writer.flush()
            yield


def asking(path: Path) -> Ask:
    """Of a server of its own."""
    app = create_app([path], path.parent / "store", follow=True)
    client, key = app.server.test_client(), library_of(app).entries()[0].key

    def ask(what: str) -> Any:
        answer = client.get(f"/api/trace/{key}/{what}", headers={"Host": "127.0.0.1"})
        assert answer.status_code == 200
        return answer.get_json() or answer.data

    return ask


def look(ask: Ask) -> list[bytes]:
    """The pictures of the last iterations, and of some before."""
    live = ask("live")
    n, place = live["n_iterations"], "wide=751&high=228"
    room = f"{place}&n_iterations={n}"
    return [
        ask(f"end?{place}&known=0&recording={live['recording']}"),
        ask(f"view?{room}&t={n}"),
        ask(f"window?{room}&from={n - 63}&to={n}"),
        ask(f"window?{room}&from=20&to=90"),
        ask(f"timeline?n_iterations={n}"),
        ask(f"window?{room}&opened=3,9&closed=2&from={n - 63}&to={n}"),
        ask(f"window?{room}&focus=4&budget=50&from={n - 63}&to={n}"),
        ask(f"icicle?n_iterations={n}&from={n - 63}&to={n}&last=1"),
    ]


@pytest.mark.thorough
@in_memory
def test_each_look_tells_the_same_as_a_first_one_without_compiled_loops(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, follower = tmp_path / "a.mcts", None
    for _ in growing(recorded, path):
        follower = follower or asking(path)
        monkeypatch.setattr(LOOPS, "are_ready", True)
        found = look(follower)
        monkeypatch.setattr(LOOPS, "are_ready", False)
        assert found == look(asking(path))


@in_memory
def test_a_look_compiles_nothing(recorded: Path, tmp_path: Path) -> None:
    before = [signatures(each) for each in COMPILED]
    path, follower = tmp_path / "a.mcts", None
    for _ in growing(recorded, path):
        follower = follower or asking(path)
        look(follower)
    assert all(before)
    assert before == [signatures(each) for each in COMPILED]


def signatures(loop: Callable[..., None]) -> list[object]:
    """The types of columns that it is compiled for."""
    return [*compiled(loop).signatures]  # type: ignore[attr-defined]
