"""A snapshot as a small table for notebooks: the root's moves, what would be played, and the expected line.

All text of a trace is escaped; colours are those of the text around it, so that it can be read on any background.
"""

from __future__ import annotations

import html
from collections.abc import Iterator

import numpy as np

from mcts_viz.analysis.choice.decision import decision
from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.words import plural

ROWS = 12  # moves at most
LINE = 12  # moves of the expected line at most
CELL = "padding:2px 10px 2px 0;text-align:right;background:none;border:0"
FIRST = CELL.replace("right;", "left;")


def snapshot_html(snapshot: Snapshot) -> str:
    """The table."""
    return "".join(_parts(snapshot))


def _parts(snapshot: Snapshot) -> Iterator[str]:
    title = html.escape(snapshot.meta.game.readable)
    yield '<div style="font-variant-numeric:tabular-nums">'
    yield f"<b>{title} after {plural(snapshot.iteration, 'iteration')}</b>, {plural(snapshot.n_nodes, 'node')}"
    ranked = snapshot.ranked_children(0)
    moves = [*ranked, *(node for node in snapshot.children(0) if node not in set(ranked))]
    if moves:
        yield from _table(snapshot, moves)
    yield f"<div>{_decision(snapshot)}</div>"
    line = [
        html.escape(snapshot.short_label(node)) for node in snapshot.principal_path[1 : LINE + 1]
    ]
    if line:
        yield f"<div>Expected line: {', '.join(line)}</div>"
    yield "</div>"


def _table(snapshot: Snapshot, moves: list[int]) -> Iterator[str]:
    has_priors = not bool(np.isnan(snapshot.prior[moves]).all())
    viewer = html.escape(player_name(snapshot.meta, int(snapshot.to_move[0])))
    heads = ["move", "visits", "share", f"mean value, view of {viewer}"]
    heads += ["prior"] if has_priors else []
    yield '<table style="border-collapse:collapse;margin:6px 0;font-size:inherit"><thead><tr>'
    yield "".join(
        f'<th scope="col" style="{CELL if i else FIRST};font-weight:400;opacity:.75">{head}</th>'
        for i, head in enumerate(heads)
    )
    yield "</tr></thead><tbody>"
    total = max(int(snapshot.visits[0]), 1)
    chosen = decision(snapshot)
    for node in moves[:ROWS]:
        star = "★ " if chosen is not None and node == chosen.chosen else ""
        cells = [
            f"{int(snapshot.visits[node]):,}",
            _bar(int(snapshot.visits[node]) / total),
            _number(snapshot.mean_value[node], 4),
        ]
        cells += [_number(snapshot.prior[node], 3)] if has_priors else []
        move = html.escape(snapshot.short_label(node))
        yield f'<tr><th scope="row" style="{FIRST};font-weight:600">{star}{move}</th>'
        yield "".join(f'<td style="{CELL}">{cell}</td>' for cell in cells) + "</tr>"
    yield "</tbody></table>"
    if len(moves) > ROWS:
        hidden = int(snapshot.visits[moves[ROWS:]].sum())
        yield f"<div>+{len(moves) - ROWS:,} more moves with {hidden:,} visits</div>"


def _bar(share: float) -> str:
    width = f"{100 * share:.1f}"
    fill = f"linear-gradient(to right,rgba(27,108,168,.45) {width}%,transparent {width}%)"
    return f'<div style="min-width:96px;padding:0 4px;background:{fill}">{width} %</div>'


def _number(value: float, digits: int) -> str:
    return "–" if np.isnan(value) else f"{value:.{digits}f}"


def _decision(snapshot: Snapshot) -> str:
    chosen = decision(snapshot)
    if chosen is None:
        return "No move yet: no child of the root has been visited."
    played = f"★ <b>{html.escape(chosen.chosen_label)}</b> {chosen.verb}: {html.escape(chosen.rule_words)}"
    if chosen.runner_up_label is None:
        return played
    return f"{played}; runner-up {html.escape(chosen.runner_up_label)}"
