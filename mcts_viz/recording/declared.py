"""The policies that the author of a search declares when it is recorded."""

from __future__ import annotations

import math
import numbers
from typing import Any

from mcts_viz.errors import SearchError
from mcts_viz.formulas.final_move import FINAL_MOVE_RULES
from mcts_viz.formulas.selection import SELECTION_FORMULAS
from mcts_viz.recording.values import Values

UNVISITED = ("first", "parent", "loss", "win")
COUNTS = ("parent", "children")
OWN_WEIGHT = {"ucb1_tuned": 1.0}  # formulas that have no weight: Auer et al. 2002
BACKUPS = ("mean", "max", "minimax")


def declared_policies(
    selection: str | None,
    c: float | None,
    unvisited: float | str | None,
    n: str | None,
    backup: str | None,
    final_move: str | None,
    values: Values,
) -> dict[str, dict[str, Any]]:
    """By phase, nothing for what is not declared; raises SearchError naming what makes no sense."""
    declared: dict[str, dict[str, Any]] = {}
    if selection is not None:
        declared["selection"] = _selection(selection, c, unvisited, n, values)
    else:
        for name, given in (("c", c), ("unvisited", unvisited), ("n", n)):
            if given is not None:
                raise SearchError(
                    f"{name}={given!r} belongs to a formula; name it as well: selection='ucb1'"
                )
    if backup is not None:
        declared["backpropagation"] = {"backup": _choice("backup", backup, BACKUPS)}
    if final_move is not None:
        if not isinstance(final_move, str) or not final_move:
            raise SearchError(
                f"final_move={final_move!r} is no name; write one of {', '.join(FINAL_MOVE_RULES)}, or a "
                "name of your own"
            )
        declared["final_move"] = {"name": final_move}
    return declared


def _selection(
    name: str, c: float | None, unvisited: float | str | None, n: str | None, values: Values
) -> dict[str, Any]:
    if not isinstance(name, str) or not name:
        raise SearchError(
            f"selection={name!r} is no name; write one of {', '.join(SELECTION_FORMULAS)}, or a name of your own"
        )
    policy: dict[str, Any] = {"name": name}
    if c is not None or name in SELECTION_FORMULAS:
        policy["c"] = _number(name, OWN_WEIGHT.get(name) if c is None else c)
    if isinstance(unvisited, str):
        _choice("unvisited", unvisited, UNVISITED)
        ends = {"loss": values.low, "win": values.high}
        policy["unvisited"] = ends.get(unvisited, unvisited)
    elif unvisited is not None:
        if isinstance(unvisited, bool) or not isinstance(unvisited, numbers.Real):
            raise SearchError(
                f"unvisited={unvisited!r} is neither a number nor one of {', '.join(UNVISITED)}"
            )
        policy["unvisited"] = float(unvisited)
    if n is not None:
        policy["n"] = _choice("n", n, COUNTS)
    return policy


def _number(name: str, c: Any) -> float:
    if isinstance(c, bool) or not isinstance(c, numbers.Real) or not math.isfinite(c):
        raise SearchError(
            f"selection={name!r} with c={c!r}: give the exploration weight that your search uses, such as c=1.4"
        )
    return float(c)


def _choice(name: str, given: Any, choices: tuple[str, ...]) -> str:
    if given not in choices:
        raise SearchError(f"{name}={given!r} is not known; choose one of: {', '.join(choices)}")
    return str(given)
