"""Logs of chunks that are kept stay what they are; memory is not much more than they use."""

from __future__ import annotations

from typing import Any

import numpy as np

from mcts_viz.search.iterations import Log
from mcts_viz.search.log_room import GROWTH, LogRoom

MOVES = 9


def filled(room: LogRoom, n: int, draw: np.random.Generator) -> dict[str, Any]:
    """Write a log of n iterations as a search does, keep it, and give what was written."""
    log = room.log(n)
    assert log.update_offset[0] == log.rollout_offset[0] == log.proven_offset[0] == 0
    ran = int(draw.integers(1, n + 1))
    updates, moves = draw.integers(1, MOVES + 2, ran), draw.integers(0, MOVES + 1, ran)
    log.update_offset[1 : ran + 1] = np.cumsum(updates)
    log.rollout_offset[1 : ran + 1] = np.cumsum(moves)
    log.proven_offset[1 : ran + 1] = 0
    for name in (
        "node_count",
        "leaf",
        "result",
        "elapsed",
        "update_node",
        "update_value",
        "rollout_action",
    ):
        column = getattr(log, name)
        column[:] = draw.integers(0, 1_000, len(column))  # to its end, as far as it may be written
    room.keep(log, ran)
    told = part(log, ran)
    return {"log": log, "n": ran, "told": {name: values.copy() for name, values in told.items()}}


def part(log: Log, n: int) -> dict[str, Any]:
    updates, moves = int(log.update_offset[n]), int(log.rollout_offset[n])
    return {
        "node_count": log.node_count[: n + 1],
        "update_offset": log.update_offset[: n + 1],
        "rollout_offset": log.rollout_offset[: n + 1],
        "leaf": log.leaf[:n],
        "result": log.result[:n],
        "elapsed": log.elapsed[:n],
        "update_node": log.update_node[:updates],
        "update_value": log.update_value[:updates],
        "rollout_action": log.rollout_action[:moves],
    }


def test_what_is_kept_is_never_written_again() -> None:
    room, draw = LogRoom(MOVES), np.random.default_rng(1)
    kept = [filled(room, int(draw.integers(1, 3_000)), draw) for _ in range(40)]
    for each in kept:
        for name, values in part(each["log"], each["n"]).items():
            np.testing.assert_array_equal(values, each["told"][name])


def test_what_is_not_kept_is_used_again() -> None:
    room = LogRoom(MOVES)
    assert np.shares_memory(room.log(100).update_node, room.log(100).update_node)


def test_small_searches_take_little_memory_and_large_ones_come_in_large_pieces() -> None:
    room, draw = LogRoom(MOVES), np.random.default_rng(1)
    first = filled(room, 1_000, draw)
    small = first["log"]
    assert all(base(column).nbytes <= 8 * 1_000 * (MOVES + 1) for column in small)
    used, largest = len(part(small, first["n"])["update_value"]), 0
    for _ in range(60):
        each = filled(room, 2_000, draw)
        used += len(part(each["log"], each["n"])["update_value"])
        largest = max(largest, len(base(each["log"].update_value)))
        assert len(base(each["log"].update_value)) <= max(2_000 * (MOVES + 1), GROWTH * used)
    assert largest >= 1 << 19  # of 8 bytes each: what numpy asks large pages for


def base(column: Any) -> Any:
    return column if column.base is None else column.base
