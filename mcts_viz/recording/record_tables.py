"""Records a search that keeps tables by state and action in place of nodes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mcts_viz.errors import TraceError
from mcts_viz.recording.record import record
from mcts_viz.recording.recording import AnyTrace, Recording, TraceMaker
from mcts_viz.recording.tables import (
    Edge,
    Entry,
    Given,
    GivenTables,
    Next,
    State,
    Tables,
    ToldOfStates,
)


def record_tables(
    trace: TraceMaker[AnyTrace],
    /,
    path: str | Path | None = None,
    *,
    Nsa: Given,
    Qsa: Given,
    root: State | Callable[[], State],
    next: Next,
    Ns: Given | None = None,
    Ps: Given | None = None,
    Es: Given | None = None,
    to_move: Callable[[Entry], int | None] | int | None = None,
    state: Callable[[Entry], Entry] | None = None,
    label: Callable[[Entry, Entry], str] | None = None,
    value_kind: str = "mean",
    **options: Entry,
) -> Recording[AnyTrace]:
    """Watch a search that keeps its numbers in dicts by state and action, as alpha-zero-general does;
    docs/watch-your-own-search.md shows how.

        with mcts_viz.record_tables("az.mcts", Nsa=mcts.Nsa, Qsa=mcts.Qsa, Ns=mcts.Ns, Ps=mcts.Ps,
                                    root=game.stringRepresentation(board), next=next_key) as rec:
            for _ in rec.steps(lambda: mcts.search(board), 1000):
                pass
        rec.trace

    path: the file to write; None keeps the trace in memory. Each table is a dict, or a function that gives it where the
    search replaces it. Nsa: visits, by (state, action), or by state of dicts or arrays by action. Qsa: values,
    likewise; value_kind: "mean" or "sum". Ns: visits of states, for the root; without, those of its actions together.
    Ps: by state an array or a dict of priors; actions whose prior is not 0 are there before their first visit. Es: by
    state 0 or nothing while the game goes on, else its result in the view of the player to move, which needs `to_move`.

    root: the key of the root's state, or a function that gives it; where it becomes another one, the next trace begins.
    next: the key of the state that an action leads to, a function of state and action or a table of them; asked once
    for each action that was visited. to_move: the player to move at the root, 0 or 1, where players take turns; or a
    function of a state. state: the position as a text or rows of cells, a function of a state's key. label: a readable
    name of a move, a function of state and action.

    A state that several actions lead to has its own actions below the first of them; each of the others is a node that
    leads there, with visits and value of its own: `snapshot.same_as`.

    options: as for `record`: value_view, value_range, players, selection, c, unvisited, n, final_move, game, start, …
    Raises TraceError, GameError or SearchError naming what is wrong and what to write instead.
    """
    of_fields = sorted(
        {*options}
        & {
            "children",
            "visits",
            "value",
            "action",
            "prior",
            "outcome",
            "shared",
            "score",
            "documents",
            "evaluation",
            "gumbel",
            "phase",
        }
    )
    if of_fields:
        raise TraceError(
            f"{of_fields[0]}= is a field of nodes, and record_tables reads tables: give Nsa=, Qsa=, Ns=, Ps=, Es= and "
            "next=, or record a tree of nodes with mcts_viz.record"
        )
    if not (to_move is None or callable(to_move) or to_move in (0, 1)):
        raise TraceError(
            f"to_move={to_move!r} is no player; give the one to move at the root, 0 or 1, where players take turns, or "
            "a function of a state: to_move=lambda s: …"
        )
    alone = len(options.get("players") or ()) == 1
    if Es is not None and to_move is None and not alone:
        raise TraceError(
            "Es= holds results in the view of the player to move; say who that is at the root: to_move=0"
        )
    told = ToldOfStates(0 if alone and to_move is None else to_move, state, label)
    tables = Tables(GivenTables(Nsa, Qsa, Ns, Ps, Es), next, told)

    def edge_at_root() -> Edge | None:
        tables.refresh()
        found = root() if callable(root) else root
        return None if found is None else tables.root(found)

    def field(given: object, name: str) -> str | None:
        return None if given is None else name

    return record(
        trace,
        path,
        root=edge_at_root,
        children="children",
        visits="visits",
        value="value",
        action="action",
        shared="leads_to",
        to_move=field(to_move, "player"),
        prior=field(Ps, "prior"),
        state=field(state, "text"),
        label=field(label, "label"),
        outcome=field(Es, "outcome"),
        value_kind=value_kind,
        **options,
    )
