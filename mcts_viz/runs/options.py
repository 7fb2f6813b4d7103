"""What a search is asked for: one value for scripts, the command line, the forms of the page and the
sides of a match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from mcts_viz.engine.presets import name_of
from mcts_viz.types import ReadDocument


@dataclass(frozen=True)
class SearchOptions:
    """Options as a user gives them, not checked yet: `runs.search.prepare` does that. None is the
    default: of the preset for a new search, of the trace for one that is run again."""

    preset: str | None = None  # None: uct, or that of the trace
    iterations: int | None = None
    seconds: float | None = None
    nodes: int | None = None  # of the tree
    memory: int | None = None  # megabytes
    decided: bool = False  # stop when the runner-up can no longer overtake
    seed: int | None = None  # None: drawn, or that of the trace
    start: Sequence[str | int] = ()  # moves up to the start position, as ids or names
    force: str | int | None = None  # the only move at the root
    forbid: Sequence[str | int] | None = None  # moves that the root may not get; (): none
    rollouts: bool = True  # record the moves of every simulation
    compile: bool | None = None  # None: when the budget is worth it
    workers: int | None = None  # that search side by side; None: one, or as many as the trace had
    # parameters that differ from the preset: {"c": 0.5}
    overrides: ReadDocument = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The preset and what was changed in it: "uct, c = 0.5"."""
        changes = (
            f"{name} = {name_of(value) if callable(value) else value}"
            for name, value in self.overrides.items()
        )
        return ", ".join([self.preset or "uct", *changes])

    @property
    def restricts(self) -> bool:
        """Whether moves at the root are forced or forbidden."""
        return self.force is not None or self.forbid is not None


def search_options(preset: str | None = None, **given: Any) -> SearchOptions:
    """The options in the keywords of `mcts_viz.search`: what is no field overrides a parameter of the
    preset."""
    known = {each.name: given.pop(each.name) for each in OPTIONS if each.name in given}
    return SearchOptions(preset, **known, overrides=given)


OPTIONS = fields(SearchOptions)[1:-1]  # without preset and overrides
