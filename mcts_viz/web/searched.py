"""A node's legal moves with what the search knows of each at an iteration, and as pictures: on the board, or the line
that is expected from there. The numbers are those of the table of children."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts_viz.analysis.node.facts import NodeRow, child_rows
from mcts_viz.analysis.point_of_view import Viewpoint
from mcts_viz.games.position import StartPosition, board_after, position_after
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.trace import Trace
from mcts_viz.views.colours import Scale, colour_of
from mcts_viz.views.searched_board import SearchedMove, line_svg, searched_board_svg
from mcts_viz.views.view_nodes import principal_line
from mcts_viz.web.library import Library
from mcts_viz.web.words import number

LONGEST_LINE = 12  # moves that are numbered on a board
RECORDED = Viewpoint()  # view of the player who moved


class Legal(NamedTuple):
    """A legal move at a node."""

    action: int
    name: str
    cell: int | None  # of the board; None for a game without one
    row: NodeRow | None  # of the table of children; None: not tried
    truth: str = ""  # "W", "D" or "L" for the player who chooses; "" where not known
    fill: str = ""  # colour of its mean value


def legal_moves(
    library: Library,
    key: str,
    snapshot: Snapshot,
    node: int,
    theme: str,
    viewpoint: Viewpoint = RECORDED,
) -> list[Legal]:
    """The children, most visits first, then the moves that were not tried, where the game is known."""
    trace = library.trace(key, snapshot.iteration)
    start = position_after(
        trace.meta.game.name, library.actions(trace, node), trace.meta.players or ()
    )
    rows = child_rows(snapshot, node, library.n_legal(trace, node), viewpoint)
    fills = _fills(library.scale_of(key, trace), rows, theme)
    truths = _truths(library, key, trace, snapshot, node)
    tried = [
        Legal(
            action := int(snapshot.action[row.node]),
            row.move,
            _cell(start, action),
            row,
            truths.get(row.node, ""),
            fill,
        )
        for row, fill in zip(rows, fills)
    ]
    allowed = trace.meta.root_actions if node == 0 else None
    legal = [] if start is None else start.legal if allowed is None else allowed
    known = {move.action for move in tried}
    return tried + [
        Legal(action, trace.action_name(action), _cell(start, action), None)
        for action in legal
        if action not in known
    ]


def moves_svg(
    library: Library,
    key: str,
    node: int,
    t: int,
    theme: str,
    numbers: bool,
    viewpoint: Viewpoint = RECORDED,
) -> str | None:
    """The board with the moves; None where the game has none, or is not known here."""
    trace = library.trace(key, t)
    actions = library.actions(trace, node)
    board = board_after(trace.meta.game.name, actions, trace.meta.players)
    snapshot = trace.at(t)
    if board is None or node >= len(snapshot):
        return library.board_svg(key, node, theme)
    moves = [
        SearchedMove(
            move.cell,
            share=(move.row.share or 0.0) if move.row else 0.0,
            fill=move.fill,
            lines=_lines(move.row) if move.row else (),
            is_next=bool(move.row and move.row.next_selected),
            is_chosen=bool(move.row and move.row.chosen),
            truth=move.truth,
        )
        for move in legal_moves(library, key, snapshot, node, theme, viewpoint)
        if move.cell is not None
    ]
    title = f"{trace.meta.game.readable} after {len(actions)} moves, with what the search knows of each move"
    return searched_board_svg(board, moves, title, trace.meta.players, theme, numbers)


def expected_line_svg(library: Library, key: str, node: int, t: int, theme: str) -> str | None:
    """The board at the end of the expected line, its moves numbered; None where there is no board or no such line."""
    trace = library.trace(key, t)
    line = expected_line(trace.at(t), node)
    begin = library.actions(trace, node)
    actions = [int(trace.columns.nodes.action[v]) for v in line]
    boards = [
        board_after(trace.meta.game.name, [*begin, *actions[: n + 1]], trace.meta.players)
        for n in range(len(actions))
    ]
    cells = [board.last for board in boards if board is not None and board.last is not None]
    if not boards or boards[-1] is None or len(cells) < len(boards):
        return None
    title = f"the line expected: {', '.join(trace.action_name(a) for a in actions)}"
    return line_svg(boards[-1], cells, title, trace.meta.players, theme)


def expected_line(snapshot: Snapshot, node: int) -> list[int]:
    """The nodes of the line expected from a node on, without it: the final-move rule's choice at each."""
    if node >= len(snapshot):
        return []
    return principal_line(snapshot, node)[1 : LONGEST_LINE + 1]


def _cell(start: StartPosition | None, action: int) -> int | None:
    """The cell that a move fills."""
    text = None if start is None else start.board_text()
    if start is None or text is None or start.game.cell_in_text is None:
        return None
    place = start.game.cell_in_text(text, action)
    return place - place // (text.index("\n") + 1)


def _fills(scale: Scale, rows: list[NodeRow], theme: str) -> list[str]:
    if not rows:
        return []
    mean = np.array([np.nan if row.mean_value is None else row.mean_value for row in rows])
    return colour_of(scale, theme, mean)


def _lines(row: NodeRow) -> tuple[str, ...]:
    """Mean, visits and prior, as short as a cell needs them."""
    prior = () if row.prior is None else (f"p {row.prior:.2f}",)
    return (number(row.mean_value, 2), short_count(row.visits), *prior)


def short_count(n: int) -> str:
    """`907`, `12k`, `3.4M`."""
    if n < 10_000:
        return str(n)
    return f"{n / 1e3:.0f}k" if n < 1_000_000 else f"{n / 1e6:.1f}M"


def _truths(
    library: Library, key: str, trace: Trace, snapshot: Snapshot, node: int
) -> dict[int, str]:
    """What is known by perfect play, for the player who chooses at the node."""
    values = library.truths.known(key, trace)
    if values is None:
        return {}
    sign = -1 if int(snapshot.to_move[node]) == 1 else 1
    return {
        child: "D" if result == 0 else "W" if sign * result > 0 else "L"
        for child, result in zip(values.nodes.tolist(), values.results.tolist())
        if result == result
    }
