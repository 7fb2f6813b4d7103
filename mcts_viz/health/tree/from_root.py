"""Whether children are made from their parents' positions: where the moves on the way down are not played on the board,
each child is the root's position with one move made, however deep it stands."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.replays import sample
from mcts_viz.health.tree.fields import TOKEN
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Ints

FEW_NODES = 20
FEW_MOVES = 3  # of the root, with different positions
FEW_FIELDS = 3
ALIKE = 0.5  # share of its fields that a position has in common with the one before
FEW_PARTS = 2
NEARLY_ALL = 0.95  # of the nodes
MOST_TEXTS = 2_000
# moves below the root, and nodes there: one player may be several opponents who move in turn
DEEP, FEW_DEEP = 3, 10
DEEPER = 4


def check_from_root(search: CheckedSearch) -> Iterator[Finding]:
    """A finding where the positions below the root's children are those of the root's children again; without
    positions, where the player to move does not change any more below them."""
    by_position = list(_by_position(search))
    yield from by_position or _by_player(search)


def _by_position(search: CheckedSearch) -> Iterator[Finding]:
    states = search.trace.columns.nodes.state
    if states is None or search.same_as is not None or states[0] is None:
        return
    first = {
        int(search.action[node]): node
        for node in np.flatnonzero(search.parent == 0).tolist()
        if states[node] is not None
    }
    texts = {states[node] or "" for node in first.values()}
    if len(texts) < FEW_MOVES or not _are_boards(states[0], texts):
        return
    of_chance = search.to_move[search.parent] == CHANCE
    deep = (search.topology.depth[: search.N] > 1) & ~of_chance
    known = [
        node
        for node in sample(np.flatnonzero(deep), MOST_TEXTS)
        if states[node] is not None and int(search.action[node]) in first
    ]
    again = [node for node in known if states[node] == states[first[int(search.action[node])]]]
    if len(known) < FEW_NODES or len(again) < NEARLY_ALL * len(known):
        return
    node = again[0]
    other = first[int(search.action[node])]
    finding = found(
        "expansion-from-root", int(search.born[node]), node,
        f"node {node:,}, {int(search.topology.depth[node])} moves below the root, has the position of node {other:,}, "
        f"to which the same move leads from the root; so it is with {len(again):,} of {len(known):,} nodes looked at. "
        "Children are made from the root's position, not from their parent's: the moves on the way down are not "
        "played on the board",
        nodes=len(again), of=len(known),
    )  # fmt: skip
    anywhere = f"{finding.message}. Right where a move leads to the same position from anywhere"
    yield finding.as_warning(anywhere) if search.alone else finding


def _are_boards(root: str, texts: set[str]) -> bool:
    """Whether each move changes a part of the text, and other moves another part: a text of the last move, or of the
    place that it leads to, is the same wherever that move is made."""
    before = TOKEN.findall(root)
    boards = [TOKEN.findall(text) for text in texts]
    if len(before) < FEW_FIELDS or any(len(board) != len(before) for board in boards):
        return False
    changed = np.array([[a != b for a, b in zip(board, before)] for board in boards])
    own = changed[
        :, ~changed.all(axis=0)
    ]  # without the player to move, and whatever always changes
    parts = {tuple(each.tolist()) for each in own if each.any()}
    return bool(changed.mean() <= 1 - ALIKE) and len(parts) >= FEW_PARTS


def _by_player(search: CheckedSearch) -> Iterator[Finding]:
    """A warning, or a note in a flat tree: one player moves once, and then the other one for good."""
    to_move, depth = search.to_move, search.topology.depth[: search.N]
    if search.meta.n_players != 2 or (to_move < 0).any():
        return
    below: Ints = np.unique(to_move[1:])
    deep, deeper = int((depth > 1).sum()), int((depth >= DEEP).sum())
    surely = int((depth >= DEEPER).sum()) >= FEW_DEEP
    if len(below) != 1 or below[0] == to_move[0] or deep < FEW_NODES or deeper < FEW_DEEP:
        return
    names = search.meta.player_names
    node = int(np.argmax(depth > 1))
    finding = found(
        "expansion-from-root", int(search.born[node]), node,
        f"{names[to_move[0]]} is to move at the root, and {names[below[0]]} at each of the {search.N - 1:,} nodes "
        f"below it, {deep:,} of which stand two moves below or deeper. So it is where children are made from the "
        "root's position, and the moves on the way down are not played on the board. Right where one player moves "
        "once, and then the other one alone, or others who are one here",
        nodes=deep,
    )  # fmt: skip
    yield finding.as_warning() if surely else finding.as_note()
