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
from mcts_viz.errors import MctsVizError, PageError
from mcts_viz.export.events import event_chunks
from mcts_viz.page import make_app
from mcts_viz.runs.match import Match
from mcts_viz.runs.options import SearchOptions
from mcts_viz.trace.index.opening import SWITCH
from mcts_viz.trace.reader import END_MARK, TraceFile
from mcts_viz.trace.rows import split
from mcts_viz.trace.trace import Trace
from mcts_viz.trace.writer import TraceWriter
from mcts_viz.web.jobs.searches import Job, Jobs, SearchRequest
from mcts_viz.web.library import Library
from mcts_viz.web.panels.tree.tree import trace_note
from tests.importing import make_agent_logs
from tests.indexed import in_memory
from tests.web.recordings import INTERRUPTED, SNAPSHOT, TIC_TAC_TOE

LLM_LOG = Path(__file__).parents[1] / "importing/llm_reasoners_log.json"
SMALL = SearchRequest("tic_tac_toe", SearchOptions("uct", 50, seed=1))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def library(recordings: Path, store: Path) -> Library:
    return Library([recordings], store)


def pieces(path: Path, size: int = 1_000) -> list[bytes]:
    content = path.read_bytes()
    return [content[i : i + size] for i in range(0, len(content), size)]


def test_keys_are_stable_distinct_and_safe_in_an_address(recordings: Path, store: Path) -> None:
    first = Library([recordings], store).entries()
    again = Library([recordings], store).entries()
    assert first == again
    assert len({entry.key for entry in first}) == len(first) == 5
    assert all(set(entry.key) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-") for entry in first)


def test_while_a_trace_is_opened_others_are_there(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index takes minutes to make; who looks at another trace does not wait for it."""
    slow, other = [entry.key for entry in library.entries() if entry.name != SNAPSHOT][:2]
    begun, go_on, opened = threading.Event(), threading.Event(), library._opened

    def slowly(entry: Any, state: Any) -> Trace:
        if entry.key == slow:
            begun.set()
            assert go_on.wait(20)
        return opened(entry, state)

    monkeypatch.setattr(library, "_opened", slowly)
    found: list[Trace] = []
    waiting = [
        threading.Thread(target=lambda: found.append(library.trace(slow)), daemon=True)
        for _ in range(2)
    ]
    for thread in waiting:
        thread.start()
    assert begun.wait(20)
    asked = threading.Thread(target=library.trace, args=(other,), daemon=True)
    asked.start()
    asked.join(20)
    is_there = not asked.is_alive()
    go_on.set()
    for thread in waiting:
        thread.join(20)
    assert is_there
    assert found[0] is found[1]  # opened once


@in_memory  # there is none to be made where all have one
@pytest.mark.parametrize("indexed", [True, False])
def test_it_is_told_how_far_the_opening_of_a_trace_is(
    indexed: bool, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SWITCH, "1" if indexed else "off")
    key = next(entry.key for entry in library.entries() if entry.name == TIC_TAC_TOE)
    told: list[float | None] = []

    class Noting(dict[str, float]):
        def __setitem__(self, which: str, share: float) -> None:
            super().__setitem__(which, share)
            told.append(library.share_opened(key))

    monkeypatch.setattr(library, "_shares", Noting())
    assert library.share_opened(key) is None
    assert (library.trace(key).columns.tree is not None) == indexed
    assert library.share_opened(key) is None
    shares = [share for share in told if share is not None]
    assert shares == sorted(shares) == told
    assert 0 < shares[0] <= shares[-1] == 1.0 if indexed else 0.99 < shares[-1] <= 1.0


def test_a_file_named_twice_is_listed_once_and_equal_names_get_their_folder(
    recordings: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    shutil.copy(recordings / f"{TIC_TAC_TOE}.mcts", other)
    file = recordings / f"{TIC_TAC_TOE}.mcts"
    library = Library([file, recordings, file, other], other)
    names = [entry.name for entry in library.entries()]
    assert names.count(TIC_TAC_TOE) == 2
    assert len(names) == 6
    groups = page_choices(library)
    assert [group["group"] for group in groups] == [recordings.name, "other"]
    labels = [item["label"] for group in groups for item in group["items"]]
    assert f"{TIC_TAC_TOE} (other)" in labels
    assert len(set(labels)) == len(labels)


def page_choices(library: Library) -> list[dict[str, Any]]:
    from mcts_viz.web.panels.bar import choices  # noqa: PLC0415 (named like the fixture otherwise)

    return choices(library)


def test_the_traces_of_a_match_stand_together_behind_the_others(
    library: Library, store: Path
) -> None:
    before = page_choices(library)
    played = Match("tic_tac_toe", [SearchOptions(iterations=5)] * 2, store / "my_match", seed=1)
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
    played = Match("tic_tac_toe", [SearchOptions(iterations=5)] * 2, tmp_path / "my_match", seed=1)
    played.think()
    snapshot = tmp_path / "snapshots" / "game.json"  # has only the name
    snapshot.parent.mkdir()
    mv.search("tic_tac_toe", iterations=5).at(5).to_json(snapshot)
    library = Library([played.folder, snapshot.parent], tmp_path / "store")
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


@in_memory
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


@in_memory
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


@in_memory
def test_what_another_program_wrote_becomes_a_trace(
    library: Library, recordings: Path, store: Path, tmp_path: Path
) -> None:
    trace = mv.open(recordings / f"{TIC_TAC_TOE}.mcts")
    events = b"".join(event_chunks(trace))
    for name in ("run.ndjson", "run.log", "run.mcts"):
        found = library.trace(library.add(name, [events]))
        assert found.at(300).visits.tolist() == trace.at(300).visits.tolist()
    log = LLM_LOG.read_bytes()
    assert library.trace(library.add("reasons.json", [log])).n_nodes > 10
    names = {path.name for path in store.iterdir()}
    assert names == {"run.mcts", "run-2.mcts", "run-3.mcts", "reasons.mcts"}


def test_logs_of_agents_are_imported_when_they_are_dropped(
    library: Library, tmp_path: Path
) -> None:
    make_agent_logs.write(tmp_path)
    paths = [path for path in sorted(tmp_path.iterdir()) if path.is_file()]
    assert len(paths) == 4
    for path in paths:
        trace = library.trace(library.add(path.name, [path.read_bytes()]))
        assert trace.n_nodes > 20


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.ndjson", b'{"leaf": "x"}\n', r"a\.ndjson.*line 1"),
        ("b.log", b'{"hello": 1}\n', r"b\.log: not a format that is known"),
        ("c.json", b'{"logs": 5}', r"c\.json"),
    ],
)
def test_a_log_that_cannot_be_imported_is_refused_in_words_and_leaves_nothing(
    library: Library, store: Path, name: str, content: bytes, said: str
) -> None:
    with pytest.raises(mv.MctsVizError, match=said):
        library.add(name, [content])
    assert not list(store.iterdir())


@pytest.mark.parametrize("name", ["", "trace", "x.txt", "x.mcts.exe", "..", "/", ".mcts"])
def test_a_name_without_a_suffix_of_ours_is_refused(
    library: Library, store: Path, name: str
) -> None:
    with pytest.raises(
        PageError,
        match=r"not a trace by its name; open a \.mcts, .* or \.log file",
    ):
        library.add(name, [b"x"])
    assert not store.exists() or not list(store.iterdir())


def test_a_file_whose_beginning_is_damaged_is_listed_and_says_what_is_wrong(
    store: Path, recordings: Path
) -> None:
    """Not opened first, though it is the first by name."""
    store.mkdir(exist_ok=True)
    shutil.copy(recordings / f"{TIC_TAC_TOE}.mcts", store / "whole.mcts")
    (store / "damaged.mcts").write_bytes(bytes(8) + (store / "whole.mcts").read_bytes()[8:])
    (store / "damaged.many").write_bytes(bytes(400))
    library = Library([], store)
    assert sorted(entry.path.name for entry in library.entries()) == [
        "damaged.many", "damaged.mcts", "whole.mcts",
    ]  # fmt: skip
    for name in ("damaged.mcts", library.key_of(store / "damaged.mcts")):
        with pytest.raises(MctsVizError, match=r"damaged\.mcts: not a trace file"):
            library.trace(name)
    client = make_app([store], store=store).server.test_client()
    start = client.get("/api/start").get_json()["key"]
    assert start == library.key_of(store / "whole.mcts")
    for name in ("damaged.mcts", "damaged.many"):
        key = library.key_of(store / name)
        told = client.get(f"/api/trace/{key}/summary").get_json()
        assert told["iterations"].startswith("cannot be opened: "), told
        assert client.get(f"/api/trace/{key}/file").status_code == 400


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
    assert list(store.glob("*")) == []
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


@in_memory
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


@in_memory
def test_searches_started_in_the_same_second_get_a_file_each(library: Library, store: Path) -> None:
    jobs = Jobs(library)
    numbers = [jobs.start(SMALL) for _ in range(4)]
    running = [found for n in numbers if (found := jobs.job(n)) is not None]
    assert len({job.path for job in running}) == 4
    wait_for(running)
    assert [job.error for job in running] == [None] * 4
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
        Jobs(library).start(SMALL._replace(options=SearchOptions(start=("0", "0"))))
    assert not store.exists() or list(store.iterdir()) == []


def test_an_error_of_the_program_in_a_search_is_told_by_its_job(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **named: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("mcts_viz.web.jobs.searches.record_search", fail)
    jobs = Jobs(library)
    job = jobs.job(jobs.start(SMALL))
    assert job is not None
    wait_for([job])
    assert job.error == "the search stopped with an error of the program: ZeroDivisionError: oh"


def test_an_unknown_key_and_a_deleted_file_are_told_apart_from_a_trace(
    library: Library, recordings: Path
) -> None:
    with pytest.raises(PageError, match="there is no trace 'nowhere' here"):
        library.trace("nowhere")
    library.store.mkdir(exist_ok=True)
    library.store.joinpath("broken.mcts").write_bytes(b"hello, no trace")
    for name in ("broken", "broken.mcts"):
        with pytest.raises(MctsVizError, match=r"broken\.mcts: not a"):
            library.trace(name)
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


@in_memory  # nobody holds this file: by an index it is one that was interrupted
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
    assert "follow the end of the trace" in library.trace(key).status
    mv.search("tic_tac_toe", iterations=20, seed=3, path=path)
    assert library.trace(key).n_iterations == 20


def test_a_question_about_what_was_read_does_not_read_a_growing_recording_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would wait for iterations that it does not ask about."""
    whole = mv.search("tic_tac_toe", iterations=300, seed=1, path=tmp_path / "whole.mcts")
    batches = [split(whole.columns.as_rows(), i, i + 100) for i in (0, 100, 200)]
    path = tmp_path / "growing.mcts"
    read: list[int] = []
    refresh = Trace.refresh

    def noted(trace: Trace) -> int:
        read.append(refresh(trace))
        return read[-1]

    monkeypatch.setattr(Trace, "refresh", noted)
    with TraceWriter(path, whole.meta) as writer:
        writer.append(batches[0])
        writer.flush()
        client = make_app([path], store=tmp_path / "store").server.test_client()
        key = Library([path], tmp_path / "store").key_of(path)
        asked = f"/api/trace/{key}"
        assert client.get(f"{asked}/live").json["n_iterations"] == 100
        writer.append(batches[1])
        writer.flush()
        for question in ("view?", "timeline?", "marks?", "window?from=0&to=9&"):
            assert client.get(f"{asked}/{question}n_iterations=100").status_code == 200
        assert client.get(f"{asked}/board/0.svg?t=100").status_code == 200
        assert client.get(f"{asked}/timeline?n_iterations=100&t=").status_code == 200
        assert sum(read) == 0
        assert client.get(f"{asked}/view?n_iterations=150").status_code == 200
        assert sum(read) == 100
        writer.append(batches[2])
        writer.flush()
        assert client.get(f"{asked}/live").json["n_iterations"] == 300


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


def test_a_damaged_trace_is_shown_with_a_word_on_what_is_lost(store: Path) -> None:
    store.mkdir()
    trace = mv.search("tic_tac_toe", iterations=20, seed=1, path=store / "a.mcts")
    assert trace.path is not None
    content = trace.path.read_bytes().removesuffix(END_MARK)
    trace.path.write_bytes(content + bytes(4_096))
    library = Library([], store)
    note = trace_note(library.trace(library.key_of(trace.path)))
    assert note.startswith("This trace is complete up to iteration 20; no message begins")
    assert "4,096 bytes from byte" in note


def test_a_server_can_be_told_what_memory_a_trace_may_take(store: Path) -> None:
    store.mkdir()
    mv.search("tic_tac_toe", iterations=20, seed=1, path=store / "a.mcts")
    key = Library([], store).key_of(store / "a.mcts")
    with pytest.raises(mv.TraceError, match=r"0 MB are allowed here; .*--memory"):
        Library([], store, memory=0).trace(key)
    with pytest.raises(mv.TraceError, match="0 MB are allowed here"):
        make_app([store / "a.mcts"], store, memory=0)
    assert Library([], store, memory=10).trace(key).n_iterations == 20


def test_a_plain_name_in_the_address_means_the_only_trace_that_has_it(
    recordings: Path, store: Path
) -> None:
    client = make_app([recordings], store).server.test_client()
    (key,) = [
        each.key for each in Library([recordings], store).entries() if each.name == TIC_TAC_TOE
    ]
    for name in (TIC_TAC_TOE, f"{TIC_TAC_TOE}.mcts", key):
        assert client.get("/api/start", query_string={"trace": name}).get_json() == {"key": key}
    store.mkdir(exist_ok=True)
    shutil.copy(recordings / f"{TIC_TAC_TOE}.mcts", store)
    answer = client.get("/api/start", query_string={"trace": TIC_TAC_TOE})
    assert "2 traces have the name" in answer.get_json()["error"]
