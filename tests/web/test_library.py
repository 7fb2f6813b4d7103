"""The library: what it lists, how it names, and what an upload leaves behind."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz import page
from mcts_viz.errors import MctsVizError, PageError
from mcts_viz.match import Engine, Match
from mcts_viz.trace.reader import END_MARK, TraceFile
from mcts_viz.web.jobs import Job, Jobs
from mcts_viz.web.library import Library
from mcts_viz.web.services import SearchRequest
from tests.web.recordings import INTERRUPTED, SNAPSHOT, TIC_TAC_TOE

SMALL = SearchRequest("tic_tac_toe", "uct", 50, seed=1)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def library(recordings: Path, store: Path) -> Library:
    return Library(page.services(), [recordings], store)


def pieces(path: Path, size: int = 1_000) -> list[bytes]:
    content = path.read_bytes()
    return [content[i : i + size] for i in range(0, len(content), size)]


def test_keys_are_stable_distinct_and_safe_in_an_address(recordings: Path, store: Path) -> None:
    first = Library(page.services(), [recordings], store).entries()
    again = Library(page.services(), [recordings], store).entries()
    assert first == again
    assert len({entry.key for entry in first}) == len(first) == 5
    assert all(set(entry.key) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-") for entry in first)


def test_a_file_named_twice_is_listed_once_and_equal_names_get_their_folder(
    recordings: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    shutil.copy(recordings / f"{TIC_TAC_TOE}.mcts", other)
    file = recordings / f"{TIC_TAC_TOE}.mcts"
    library = Library(page.services(), [file, recordings, file, other], other)
    names = [entry.name for entry in library.entries()]
    assert names.count(TIC_TAC_TOE) == 2
    assert len(names) == 6
    labels = [choice["label"] for choice in page_choices(library)]
    assert f"{TIC_TAC_TOE} (other)" in labels
    assert len(set(labels)) == len(labels)


def page_choices(library: Library) -> list[dict[str, Any]]:
    from mcts_viz.web.panels.bar import choices  # noqa: PLC0415 (named like the fixture otherwise)

    return choices(library)


def test_the_traces_of_a_match_stand_together_behind_the_others(
    library: Library, store: Path
) -> None:
    before = page_choices(library)
    played = Match("tic_tac_toe", [Engine(iterations=5)] * 2, store / "my_match", seed=1)
    first, second = played.think(), played.think()
    (store / "other").mkdir()
    shutil.copy(played.folder / str(first.trace), store / "other")  # a folder, and no match
    added = [choice for choice in page_choices(library) if choice not in before]
    assert [choice["group"] for choice in added] == ["my_match"]
    assert [item["label"] for item in added[0]["items"]] == [
        str(move.trace).removesuffix(".mcts") for move in (first, second)
    ]
    key = added[0]["items"][0]["value"]
    assert library.trace(key).best_action == first.action
    assert library.entry(key).match == "my_match"


def test_the_folder_of_a_match_lists_its_traces_and_not_its_document(tmp_path: Path) -> None:
    played = Match("tic_tac_toe", [Engine(iterations=5)] * 2, tmp_path / "my_match", seed=1)
    played.think()
    snapshot = tmp_path / "snapshots" / "game.json"  # has only the name
    snapshot.parent.mkdir()
    mv.search("tic_tac_toe", iterations=5).at(5).to_json(snapshot)
    library = Library(page.services(), [played.folder, snapshot.parent], tmp_path / "store")
    assert [entry.path.name for entry in library.entries()] == [
        played.standing.moves[0].trace, "game.json",
    ]  # fmt: skip


def test_a_trace_that_was_found_once_is_found_until_it_is_gone(
    library: Library, recordings: Path
) -> None:
    key = library.add("mine.mcts", pieces(recordings / f"{TIC_TAC_TOE}.mcts"))
    path = library.entry(key).path
    path.unlink()
    with pytest.raises(PageError, match=r"^mine\.mcts: the file is gone"):
        library.entry(key)


def test_an_upload_becomes_a_file_of_its_name_and_a_second_one_gets_a_number(
    library: Library, recordings: Path, store: Path
) -> None:
    source = recordings / f"{TIC_TAC_TOE}.mcts"
    keys = [library.add("mine.mcts", pieces(source)) for _ in range(3)]
    assert sorted(path.name for path in store.iterdir()) == [
        "mine-2.mcts", "mine-3.mcts", "mine.mcts",
    ]  # fmt: skip
    assert len(set(keys)) == 3
    assert library.trace(keys[2]).n_iterations == 300
    assert (store / "mine.mcts").read_bytes() == source.read_bytes()


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("../../evil.mcts", "evil.mcts"),
        ("/etc/evil.mcts", "evil.mcts"),
        ("..\\..\\evil.mcts", "evil.mcts"),
        ("<img src=x onerror=alert(1)>.mcts", "img_src_x_onerror_alert_1.mcts"),
        (".mcts.mcts", "mcts.mcts"),
        ("a b\tc\n.mcts", "a_b_c.mcts"),
        ("x\0y.mcts", "x_y.mcts"),
        ("партия ①.MCTS", "партия_①.mcts"),
        ("….mcts", "trace.mcts"),
        ("con%2f..%2fx.mcts", "con_2f.._2fx.mcts"),
        ("n" * 300 + ".mcts", "n" * 150 + ".mcts"),
        ("名" * 200 + ".mcts", "名" * 50 + ".mcts"),
    ],
)
def test_an_upload_lands_in_the_store_whatever_its_name(
    library: Library, recordings: Path, store: Path, name: str, stored: str
) -> None:
    library.add(name, pieces(recordings / f"{TIC_TAC_TOE}.mcts"))
    assert [path.name for path in store.iterdir()] == [stored]
    assert [path.name for path in store.parent.iterdir()] == ["store"]


@pytest.mark.parametrize("name", ["", "trace", "x.txt", "x.mcts.exe", "..", "/", ".mcts"])
def test_a_name_without_a_suffix_of_ours_is_refused(
    library: Library, store: Path, name: str
) -> None:
    with pytest.raises(PageError, match=r"not a trace by its name; open a \.mcts or \.json file"):
        library.add(name, [b"x"])
    assert not store.exists() or not list(store.iterdir())


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.mcts", []),
        ("text.mcts", [b"not a trace"]),
        ("text.json", [b"{"]),
        ("empty.json", []),
        ("list.json", [b"[1, 2]"]),
    ],
)
def test_a_broken_upload_names_the_file_and_leaves_nothing_behind(
    library: Library, store: Path, name: str, content: list[bytes]
) -> None:
    with pytest.raises(MctsVizError) as told:
        library.add(name, content)
    assert name in str(told.value)
    assert ".part" not in str(told.value)
    assert str(store) not in str(told.value)
    assert list(store.iterdir()) == []
    with pytest.raises(MctsVizError):
        library.add(name, content)  # the name is free again


def test_an_upload_that_breaks_off_leaves_nothing_behind(
    library: Library, recordings: Path, store: Path
) -> None:
    def breaking_off() -> Iterator[bytes]:
        yield from pieces(recordings / f"{TIC_TAC_TOE}.mcts")[:3]
        raise ConnectionResetError("gone")

    with pytest.raises((PageError, ConnectionResetError)):
        library.add("mine.mcts", breaking_off())
    assert list(store.iterdir()) == []


def test_uploads_of_one_name_at_the_same_time_become_two_files(
    library: Library, recordings: Path, store: Path
) -> None:
    both = threading.Barrier(2)

    def upload(name: str) -> None:
        def slowly() -> Iterator[bytes]:
            both.wait(10)
            yield from pieces(recordings / f"{name}.mcts")
            both.wait(10)

        library.add("same.mcts", slowly())

    threads = [threading.Thread(target=upload, args=(n,)) for n in (TIC_TAC_TOE, INTERRUPTED)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sizes = sorted(path.stat().st_size for path in store.iterdir())
    assert sizes == sorted(
        (recordings / f"{name}.mcts").stat().st_size for name in (TIC_TAC_TOE, INTERRUPTED)
    )


def test_searches_started_in_the_same_second_get_a_file_each(library: Library, store: Path) -> None:
    jobs = Jobs(library)
    numbers = [jobs.start(SMALL) for _ in range(4)]
    running = [found for n in numbers if (found := jobs.job(n)) is not None]
    assert len({job.path for job in running}) == 4
    wait_for(running)
    assert {mv.open(job.path).n_iterations for job in running} == {50}
    assert len(list(store.iterdir())) == 4


def wait_for(running: list[Job]) -> None:
    deadline = time.monotonic() + 30
    while not all(job.finished for job in running):
        assert time.monotonic() < deadline
        threading.Event().wait(0.01)


def test_a_search_that_cannot_run_is_refused_before_a_file_is_made(
    library: Library, store: Path
) -> None:
    with pytest.raises(MctsVizError, match="move"):
        Jobs(library).start(SMALL._replace(start=("0", "0")))
    assert not store.exists() or list(store.iterdir()) == []


def test_an_error_of_the_program_in_a_search_is_told_by_its_job(library: Library) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("oh")

    failing = Library(
        type(library.services)(**{**vars(library.services), "search": fail}), [], library.store
    )
    jobs = Jobs(failing)
    job = jobs.job(jobs.start(SMALL))
    assert job is not None
    wait_for([job])
    assert job.error == "the search stopped with an error of the program: ZeroDivisionError: oh"


def test_an_unknown_key_and_a_deleted_file_are_told_apart_from_a_trace(
    library: Library, recordings: Path
) -> None:
    with pytest.raises(PageError, match="there is no trace 'nowhere' here"):
        library.trace("nowhere")
    key = library.add("mine.mcts", pieces(recordings / f"{TIC_TAC_TOE}.mcts"))
    library.trace(key)
    library.entry(key).path.unlink()
    with pytest.raises(PageError, match=r"mine|no trace"):
        library.trace(key)


def test_a_file_that_has_changed_is_read_anew(library: Library, recordings: Path) -> None:
    key = library.add("mine.mcts", pieces(recordings / f"{TIC_TAC_TOE}.mcts"))
    path = library.entry(key).path
    assert library.trace(key) is library.trace(key)
    shutil.copy(recordings / "connect_four.mcts", path)
    os.utime(path, (1, 1))
    assert library.trace(key).n_iterations == 2_000


def test_a_recording_that_ends_while_it_is_followed_is_not_read_again(
    library: Library, recordings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long one would take longer to read than it took to follow."""
    content = (recordings / f"{TIC_TAC_TOE}.mcts").read_bytes()
    key = library.add("mine.mcts", [content[: -len(END_MARK)]])
    path, trace = library.entry(key).path, library.trace(key)
    assert not trace.complete
    os.utime(path, (1, 1))  # something seems to have come
    unread = TraceFile._unread

    def ends_now(self: TraceFile) -> memoryview:
        path.write_bytes(content)  # between our asking how long the file is and our reading it
        return unread(self)

    with monkeypatch.context() as patch:
        patch.setattr(TraceFile, "_unread", ends_now)
        assert library.trace(key) is trace
    assert trace.complete
    for moment in (1, 2):
        assert library.trace(key) is trace
        os.utime(path, (moment, moment))  # touched, with nothing new in it
    path.write_bytes(content + b"more")
    with pytest.raises(MctsVizError, match="follow the end of the trace"):
        library.trace(key)
    mv.search("tic_tac_toe", iterations=20, seed=3, path=path)
    assert library.trace(key).n_iterations == 20


def test_boards_are_drawn_for_games_known_here_and_only_for_them(
    library: Library, recordings: Path
) -> None:
    known = library.key_of(recordings / f"{TIC_TAC_TOE}.mcts")
    svg = library.board_svg(known, 1)
    assert svg is not None
    assert svg.startswith("<svg")
    assert library.board_svg(library.key_of(recordings / "foreign.mcts"), 1) is None
    assert library.board_svg(library.key_of(recordings / f"{SNAPSHOT}.json"), 1) is not None
    with pytest.raises(PageError, match="node 9999 is not in this trace"):
        library.board_svg(known, 9999)
    assert library.n_legal(library.trace(known), 0) == 9
