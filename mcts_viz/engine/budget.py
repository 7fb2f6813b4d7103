"""Budgets: when a search stops. Seconds and memory are checked between chunks, the rest after every
iteration."""

from __future__ import annotations

import os
from typing import NamedTuple

from mcts_viz.errors import SearchError
from mcts_viz.types import is_real, is_whole

MOST_ITERATIONS = 2**31 - 2  # visits are counted in int32
MOST_NODES = 2**31 - 2  # node ids are int32
MOST_SECONDS = 10**9
MEGABYTE = 1 << 20
SHARE_OF_MEMORY = 0.6  # of the machine's, where no limit is given


class Budget(NamedTuple):
    """The first limit reached ends the search; None is no limit, and at least one of iterations and
    seconds is set."""

    iterations: int | None
    seconds: float | None
    nodes: int | None = None  # of the tree
    memory: int | None = None  # megabytes, of the tree and its recording
    decided: bool = False  # stop when the runner-up can no longer overtake the leading move

    def left(self, done: int) -> int:
        """Iterations that may still run after `done`."""
        return (MOST_ITERATIONS if self.iterations is None else self.iterations) - done

    def share(self, iterations: int, seconds: float, nodes: int) -> float:
        """How much of it is used up, in [0, 1], by the limit that is nearest; memory is not looked
        at."""
        shares = [0.0]
        if self.iterations is not None:
            shares.append(iterations / self.iterations)
        if self.seconds is not None:
            shares.append(seconds / self.seconds)
        if self.nodes is not None:
            shares.append(nodes / self.nodes)
        return min(1.0, max(shares))

    def as_json(self) -> dict[str, int | float | bool | None]:
        """The budget as a trace's metadata have it."""
        return self._asdict()

    @property
    def memory_bytes(self) -> int:
        """Bytes at which the search stops; without a limit, before the machine runs out of memory."""
        if self.memory is not None:
            return self.memory * MEGABYTE
        return int(SHARE_OF_MEMORY * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


def budget(
    iterations: int | None,
    seconds: float | None,
    default: tuple[int | None, float | None],
    nodes: int | None = None,
    memory: int | None = None,
    decided: bool = False,
) -> Budget:
    """A checked budget: `default` iterations and seconds where neither is given; raises
    SearchError for values that make no sense."""
    if iterations is None and seconds is None:
        iterations, seconds = default
    if iterations is not None:
        iterations = _whole("iterations", iterations, 1, MOST_ITERATIONS, "give one, or seconds")
    if seconds is not None:
        if not is_real(seconds) or not 0 < seconds <= MOST_SECONDS:  # nan is neither
            raise SearchError(
                f"seconds = {seconds!r} is not a number of seconds above 0, at most {MOST_SECONDS:,}; "
                "give one, or iterations"
            )
        seconds = float(seconds)
    if nodes is not None:
        nodes = _whole("nodes", nodes, 2, MOST_NODES, "give one, or leave it out")
    if memory is not None:
        memory = _whole("memory", memory, 1, 10**9, "give megabytes, or leave it out")
    if not isinstance(decided, bool):
        raise SearchError(f"decided = {decided!r} is neither True nor False; give one of them")
    if decided and iterations is None:
        raise SearchError(
            "decided = True needs a number of iterations, for only of those is it known how many are "
            "left; give iterations too"
        )
    return Budget(iterations, seconds, nodes, memory, decided)


def _whole(name: str, value: object, least: int, most: int, remedy: str) -> int:
    if not is_whole(value) or not least <= value <= most:
        raise SearchError(
            f"{name} = {value!r} is not a whole number from {least} to {most:,}; {remedy}"
        )
    return int(value)
