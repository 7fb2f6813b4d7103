"""Colours and sizes by the numbers of nodes that are no statistics: scores, costs, tokens, seconds.

The names differ from trace to trace, so a view names a place in the list: "number_0" is the first. Knows no browser.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.node.branch import ERROR, SCORE, spent_names
from mcts_viz.types import Floats
from mcts_viz.views.colours import Scale
from mcts_viz.views.theme import SEQUENTIAL

NUMBER_MODES = tuple(f"number_{place}" for place in range(8))


def number_names(names: Iterable[str]) -> list[str]:
    """The numbers that a picture can show, in the order of the list: the score, what nodes cost, the others."""
    costs = set(spent_names(names := list(names)))
    order = sorted(
        (name for name in names if name != ERROR),
        key=lambda name: (name != SCORE, name not in costs),
    )
    return order[: len(NUMBER_MODES)]


def number_scales(numbers: Mapping[str, Floats]) -> dict[str, Scale]:
    """The scales by mode, each from the least to the greatest number of the trace."""
    found = {}
    for mode, name in zip(NUMBER_MODES, number_names(numbers)):
        values = numbers[name][np.isfinite(numbers[name])]
        low, high = float(values.min(initial=np.inf)), float(values.max(initial=-np.inf))
        if not low < high:
            low, high = (low - 0.5, low + 0.5) if low == high else (0.0, 1.0)
        found[mode] = Scale(mode, low, high, False, SEQUENTIAL, name, f"{low:.4g}", f"{high:.4g}")
    return found


def number_columns(
    numbers: Mapping[str, Floats], nodes: npt.NDArray[np.integer]
) -> dict[str, npt.NDArray[np.float32]]:
    """[k] of some nodes, by mode, and whether they failed."""
    names = dict(zip(NUMBER_MODES, number_names(numbers)))
    with np.errstate(over="ignore"):  # beyond single precision is infinite
        columns = {mode: numbers[name][nodes].astype(np.float32) for mode, name in names.items()}
    if ERROR in numbers:
        columns["failed"] = (numbers[ERROR][nodes] > 0).astype(np.float32)
    return columns
