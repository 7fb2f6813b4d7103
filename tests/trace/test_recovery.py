"""What `mcts-viz recover` saves of a damaged file, and what it says of the rest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz import cli
from mcts_viz.errors import TraceWriteError
from mcts_viz.trace.recovery import Recovered, recover
from mcts_viz.trace.writer import TraceWriter
from tests.indexed import in_memory
from tests.trace.files import END_MARK, messages, record, same_columns
from tests.trace.test_file import META, cut
from tests.variants import few


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> mv.Trace:
    return record(tmp_path_factory.mktemp("recovery") / "whole.mcts", iterations=250)


def parts(trace: mv.Trace) -> list[bytes]:
    assert trace.path is not None
    return messages(trace.path.read_bytes())


def saved(tmp_path: Path, content: bytes) -> tuple[Recovered, mv.Trace]:
    told = recover(cut(tmp_path / "in", content), tmp_path / "out.mcts")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["in", "out.mcts"]
    return told, mv.open(tmp_path / "out.mcts")


@pytest.mark.parametrize("damage", ["zeros", "half", "bit", "rubbish"])
def test_whole_batches_before_the_damage_are_saved(
    damage: str, whole: mv.Trace, tmp_path: Path
) -> None:
    header, first, second, third, end = parts(whole)
    bad = bytearray(third)
    bad[-100] ^= 4
    tail = {
        "zeros": bytes(4_096),
        "half": third[: len(third) // 2],
        "bit": bytes(bad) + end,
        "rubbish": np.random.default_rng(1).bytes(5_000),
    }[damage]
    told, trace = saved(tmp_path, header + first + second + tail)
    assert (told.n_iterations, told.n_nodes) == (200, trace.n_nodes)
    assert (told.lost, told.complete) == (len(tail), False)
    assert told.kept == len(header + first + second) == (tmp_path / "out.mcts").stat().st_size
    assert (trace.n_iterations, trace.complete, trace.damage) == (200, False, None)
    assert same_columns(trace.columns, whole.columns, 200)


def test_of_a_file_with_more_behind_its_end_the_whole_search_is_saved(
    whole: mv.Trace, tmp_path: Path
) -> None:
    told, trace = saved(tmp_path, b"".join(parts(whole)) + b"rubbish")
    assert (told.lost, told.complete, trace.complete) == (7, True, True)
    assert same_columns(trace.columns, whole.columns, 250)


def test_a_healthy_file_is_copied_byte_by_byte(whole: mv.Trace, tmp_path: Path) -> None:
    content = b"".join(parts(whole))
    told, _ = saved(tmp_path, content)
    assert (told.lost, told.damage, told.complete) == (0, None, True)
    assert (tmp_path / "out.mcts").read_bytes() == content


def test_where_nothing_can_be_saved_no_file_is_made(whole: mv.Trace, tmp_path: Path) -> None:
    header, first, *_ = parts(whole)
    for content, message in (
        (header, "no whole iteration"),
        (header + bytes(100), "no message begins"),
        (header[:500], "cut off inside its header"),
        (header + first[:-50], "no whole iteration"),
        (END_MARK, "its header"),
        (bytes(100), "not a trace file"),
    ):
        with pytest.raises(mv.TraceError, match=message):
            recover(cut(tmp_path / "in", content), tmp_path / "out.mcts")
        assert not (tmp_path / "out.mcts").exists()


def test_a_file_is_not_saved_over_itself_nor_while_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "a.mcts")
    with TraceWriter(tmp_path / "a.mcts", META):
        with pytest.raises(mv.TraceError, match="read and written at once"):
            recover(tmp_path / "a.mcts", tmp_path / "link")
        with pytest.raises(mv.TraceError, match="still being recorded"):
            recover(tmp_path / "a.mcts", tmp_path / "b.mcts")


def test_a_target_that_cannot_be_written_leaves_what_is_there(
    whole: mv.Trace, tmp_path: Path
) -> None:
    source = cut(tmp_path / "in", b"".join(parts(whole)))
    (tmp_path / "folder").mkdir()
    for target in (tmp_path / "no" / "out.mcts", tmp_path / "folder"):
        with pytest.raises(TraceWriteError, match="cannot be written"):
            recover(source, target)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["folder", "in"]


def test_the_command_says_how_much_was_lost_and_what_was_wrong(
    whole: mv.Trace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header, first, second, *_ = parts(whole)
    source = cut(tmp_path / "in.mcts", header + first + second + bytes(1_000))
    target = tmp_path / "out.mcts"
    assert cli.main(["recover", str(source), "-o", str(target)]) == 0
    said = capsys.readouterr().out
    assert "saved 200 iterations and " in said
    assert f"1,000 of {source.stat().st_size:,} bytes (" in said
    assert "The end of the search is missing. Look at it: " in said
    assert "no message begins at byte" in said


@pytest.mark.parametrize("command", few(["explain", "check", "export", "truth", "compare"], 2))
def test_every_command_says_of_a_damaged_file_how_far_it_is_good(
    command: str, whole: mv.Trace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header, first, second, *_ = parts(whole)
    source = str(cut(tmp_path / "in.mcts", header + first + second + bytes(1_000)))
    more = {"export": ["-o", str(tmp_path / "a.json")], "compare": [source]}.get(command, [])
    if command == "truth":
        more = ["--limit", "100"]
    assert cli.main([command, source, *more]) in (0, 1)
    said = capsys.readouterr().err
    assert said.startswith(f"mcts-viz: {source}: complete up to iteration 200; no message begins")
    assert "1,000 bytes from byte" in said
    assert said.count("\n") == 1


@in_memory
@pytest.mark.parametrize("command", few(["explain", "check", "export"]))
def test_memory_says_what_a_trace_may_take(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = str(tmp_path / "in.mcts")
    mv.search("tic_tac_toe", iterations=15_000, seed=1, path=source, compile=False)
    more = ["-o", str(tmp_path / "a.json")] if command == "export" else []
    assert cli.main([command, source, *more, "--memory", "1"]) == 2
    assert "1 MB are allowed here" in capsys.readouterr().err
    assert cli.main([command, source, *more, "--memory", "100"]) in (0, 1)
