"""What the canvas is sent: the geometry of a view, windows of iterations, the timeline, a node's card.

Numbers and texts of a trace, each as a JSON part and columns; knows no request.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.iteration.phases import has_phases
from mcts_viz.analysis.point_of_view import mover_into
from mcts_viz.errors import PageError
from mcts_viz.games.position import built_in
from mcts_viz.runs.rerun import no_rerun
from mcts_viz.trace.players import CHANCE, EVERYBODY, movers_into, root_player
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Document, Numbers
from mcts_viz.views.colours import Scale, colour_modes
from mcts_viz.views.hidden_ends import hidden_ends
from mcts_viz.views.icicle import Icicle
from mcts_viz.views.layout import Layout
from mcts_viz.views.node_numbers import NUMBER_MODES, number_columns
from mcts_viz.views.position_text import as_json, position_blocks
from mcts_viz.views.proofs import proofs
from mcts_viz.views.theme import UNVISITED
from mcts_viz.views.timeline import RootReplay
from mcts_viz.views.true_value import TRUE_VALUE, has_true_value, true_value_scale
from mcts_viz.views.view_spec import VIEWPOINTS
from mcts_viz.views.visible import Visible
from mcts_viz.views.window import Recent, VisibleReplay, Window
from mcts_viz.web.routes.workers import n_workers

SCORES = ("uct", "exploration")  # colours
Message: TypeAlias = tuple[Document, dict[str, Numbers]]


class Final(NamedTuple):
    """What is the same for all views of a trace."""

    trace: Trace
    snapshot: Snapshot  # after the last iteration, or the last one when the view was opened on a growing trace
    root_moves: RootReplay
    recent: Recent
    scales: dict[str, Scale]


class View(NamedTuple):
    """One picture of a trace."""

    trace: Trace
    replay: VisibleReplay
    layout: Layout


def view_message(final: Final, view: View) -> Message:
    visible, snapshot, trace = view.replay.visible, final.snapshot, final.trace
    columns = trace.columns
    labels, about = _about_nodes(final, visible)
    spec, meta = visible.spec, trace.meta
    # the scores that a search compares are in the view of who chooses, and the picture has one player's values
    has_values = snapshot.player_sums is not None
    of_one = has_values and VIEWPOINTS[spec.viewpoint].player is not None
    # nor can the browser add up siblings that it does not show
    known = meta.knows_scores and meta.policies.selection.is_plain
    scored = known and not of_one and not np.any(snapshot.to_move[:1] == EVERYBODY)
    built = built_in(meta.game.name)
    message: Document = {
        "n_iterations": snapshot.iteration,
        "n_nodes": len(snapshot),
        "complete": bool(trace.complete),
        "recording": trace.recording,
        "n_visible": visible.n_nodes,
        "view": spec.to_query(),
        "focus_path": [
            {"node": node, "label": snapshot.label(node)} for node in snapshot.path(spec.focus)
        ],
        "labels": labels,
        "players": meta.player_names,
        "value_range": meta.value_range,
        # null where the trace does not tell enough for scores
        "selection": meta.policies.selection.as_json() if scored else None,
        "mirrors": meta.mirrors,
        "player_values": has_values,
        "collects": None if meta.policies.backpropagation.all_collect else int(snapshot.to_move[0]),
        "colour_modes": [
            mode for mode in colour_modes(meta, columns.nodes.prior) if scored or mode not in SCORES
        ],
        "shared": meta.shared,
        "has_results": meta.policies.simulation.gives_results and meta.n_players <= 2,
        "noun": _noun(trace),
        "has_phases": has_phases(trace),
        "first": int(meta.is_snapshot),  # iteration; a snapshot was never empty
        "no_rerun": no_rerun(meta),
        "game": None if built is None else {"name": built.name, "title": built.title},
        "final_move": {
            "name": meta.policies.final_move.rule,
            "known": meta.policies.final_move.is_known,
        },
        "scales": {mode: scale._asdict() for mode, scale in final.scales.items()},
        "unvisited": UNVISITED,
    }
    if has_true_value(meta):
        message["colour_modes"].append(TRUE_VALUE)
        message["scales"][TRUE_VALUE] = true_value_scale(meta)._asdict()
    message["colour_modes"] += [mode for mode in NUMBER_MODES if mode in final.scales]
    numbers: dict[str, Numbers] = {
        **about,
        "x": view.layout.x,
        "depth": view.layout.depth,
        "order": view.layout.order,
        "level_start": view.layout.level_start,
        "born": columns.nodes.born[visible.node[: visible.n_nodes]].astype(np.int32),
        "n_children": visible.n_children,
        "final_visits": np.concatenate(
            [
                snapshot.visits[visible.node[: visible.n_nodes]],
                visible.hidden_visits.astype(np.int32),
            ]
        ),
        "hidden_children": np.concatenate(
            [np.zeros(visible.n_nodes, np.int32), visible.hidden_children]
        ),
    }
    return message, numbers


def _noun(trace: Trace) -> str:
    """What a node is: a position of a game, a state of who acts alone, a step of an agent."""
    if trace.meta.n_players > 1:
        return "position"
    return "step" if trace.columns.asides.documents else "state"


def _about_nodes(final: Final, visible: Visible) -> tuple[list[str], dict[str, Numbers]]:
    """Texts of moves, and what never changes about the items: the same for tree and icicle."""
    columns, snapshot = final.trace.columns, final.snapshot
    nodes = visible.node[: visible.n_nodes]
    labels, label_code = _interned([snapshot.label(node) for node in nodes.tolist()])
    about: dict[str, Numbers] = {
        "node": visible.node,
        "parent": visible.parent,
        "mover": movers_into(
            nodes, columns.nodes.parent, columns.nodes.to_move, final.trace.meta.n_players
        ),
        "chance": (columns.nodes.to_move[nodes] == CHANCE).astype(np.int8),
        "together": (columns.nodes.to_move[nodes] == EVERYBODY).astype(np.int8),
        "outcome": columns.nodes.outcome[nodes],
        "prior": columns.nodes.prior[nodes],
        "label": label_code,
    }
    about |= number_columns(snapshot.numbers, nodes)
    if snapshot.same_as is not None:
        about["same_as"] = snapshot.same_as[nodes]
    if snapshot.shows_proofs:
        found = vars(proofs(columns, snapshot, nodes))
        about |= {name: values for name, values in found.items() if values is not None}
    return labels, about


def icicle_message(final: Final, found: Icicle) -> Message:
    labels, about = _about_nodes(final, found.visible)
    window = _window_columns(found.window)
    del window["outcome"]  # of the iterations; here the name is the nodes'
    message = {
        "from": found.window.first,
        "to": found.window.last,
        "n_visible": found.visible.n_nodes,
        "labels": labels,
        "least": found.least,
    }
    return message, {
        **about,
        **window,
        "order": found.order,
        "level_start": found.level_start,
        "n_below": found.n_below,
    }


def _window_columns(window: Window) -> dict[str, Numbers]:
    return {
        name: column
        for name, column in vars(window).items()
        if name not in ("first", "last") and column is not None
    }


def window_message(final: Final, replay: VisibleReplay, first: int, last: int) -> Message:
    columns = _window_columns(replay.window(first, last))
    columns["chosen"] = final.root_moves.leaders(first, last)
    labels, ends = _hidden_ends(final, replay.visible, first, last)
    meta = {"from": first, "to": last, "view": replay.visible.spec.to_query(), "end_labels": labels}
    return meta, columns | ends


def _hidden_ends(
    final: Final, visible: Visible, first: int, last: int
) -> tuple[list[str], dict[str, Numbers]]:
    """The ends of the paths that no item shows: texts of their moves, and their columns."""
    trace = final.trace
    ends = hidden_ends(trace.columns, visible, final.recent.known(first), first, last)
    if final.snapshot.recorded_labels is None:  # then nodes of one action have one name
        _, example, of = np.unique(
            final.snapshot.action[ends.node], return_index=True, return_inverse=True
        )
        named = ends.node[example]
    else:
        named, of = np.unique(ends.node, return_inverse=True)
    nodes = trace.columns.nodes
    more: dict[str, Numbers] = {
        "label": of.astype(np.int32),
        "mover": movers_into(ends.node, nodes.parent, nodes.to_move, trace.meta.n_players),
        "prior": nodes.prior[ends.node],
        "result": nodes.outcome[ends.node],
    }
    columns = {f"end_{name}": column for name, column in (ends._asdict() | more).items()}
    return [final.snapshot.label(node) for node in named.tolist()], columns


def timeline_message(final: Final) -> Message:
    timeline = final.root_moves.timeline()
    children = final.root_moves.children
    meta = {
        "n_iterations": final.snapshot.iteration,
        "value_range": final.trace.meta.value_range,
        "n_workers": n_workers(final.trace.columns),
        "view_text": timeline.view_text,
        "root_player": root_player(mover_into(final.snapshot, 0), final.trace.meta.n_players),
        "mirrors": final.trace.meta.mirrors,
        "players": final.trace.meta.player_names,
        "moves": [
            {"node": node, "label": final.snapshot.label(node)} for node in children.tolist()
        ],
    }
    return meta, {
        "iteration": timeline.iteration,
        "root_value": timeline.root_value,
        "leader": timeline.leader,
    }


def card(trace: Trace, node: int, t: int, board_svg: str | None) -> Document:
    """What the hover card shows; numbers that do not exist yet are null."""
    if not 0 <= t <= trace.n_iterations:
        raise PageError(f"t={t}: this trace has iterations 0 to {trace.n_iterations}")
    if not 0 <= node < trace.n_nodes:
        raise PageError(
            f"node {node}: no such node in this trace, whose nodes are 0 to {trace.n_nodes - 1}"
        )
    snapshot = trace.at(t)
    card: Document = {"node": node, "iteration": t, "exists": node < len(snapshot)}
    if not card["exists"]:
        return card
    here = np.array([node], np.int32)
    mover = int(movers_into(here, snapshot.parent, snapshot.to_move, trace.meta.n_players)[0])
    names = trace.meta.player_names
    value_term, exploration_term, uct = snapshot.scores([node])
    card |= {
        "label": snapshot.label(node),
        "path": snapshot.path(node),
        "player": names[mover] if mover >= 0 else None,
        "visits": int(snapshot.visits[node]),
        "value_sum": _finite(snapshot.value_sum[node]),
        "mean_value": _finite(snapshot.mean_values([node])[0]),
        "value_term": _finite(value_term[0]),
        "exploration_term": _finite(exploration_term[0]),
        "uct": _finite(uct[0]),
        "outcome": _finite(snapshot.outcome[node]),
        "state": snapshot.state(node),
        "blocks": as_json(position_blocks(trace.meta, snapshot.state(node))),
        "board_svg": board_svg,
    }
    return card


def _interned(texts: list[str]) -> tuple[list[str], npt.NDArray[np.int32]]:
    code: dict[str, int] = {}
    codes = [code.setdefault(text, len(code)) for text in texts]
    return list(code), np.array(codes, np.int32)


def _finite(value: float) -> float | None:
    number = float(value)
    return number if math.isfinite(number) else None
