"""Choices of players who move at once, each by the sums of its own moves, whatever the others do: decoupled UCT
(Finnsson and Björnsson 2008; Tak, Lanctot and Winands 2014). And two mistakes: a player who chooses by another one's
values, and a player who sees the move that another one has just chosen."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.selection.fit import Bounds, most_overlap
from mcts_viz.trace.joint_moves import moves_in
from mcts_viz.trace.players import EVERYBODY
from mcts_viz.types import Floats

MOST_CHOICES = 5_000  # looked at, the first ones
FEW_CHOICES = 100
WHOLE = 0.999  # share of the choices that a rule explains
FEW = 0.9  # the same of the right rule, where a mistake is named
SLACK = 1e-9
Moves = tuple[str, ...]  # one for each player


class _Choice(NamedTuple):
    """What was known of a player's moves when it chose one."""

    of_node: int  # visits
    visits: Floats  # [M] of its own moves, whatever the others did
    sums: Floats  # [M, P] of each player's values
    beside: Floats  # [M] visits, with what all others took this time
    beside_sums: Floats  # [M] of its own values, likewise
    taken: int


class _Rule(NamedTuple):
    """How many of the choices that a rule can be asked about it explains."""

    n: int
    of: int
    c: float

    @property
    def share(self) -> float:
        return self.n / self.of if self.of >= FEW_CHOICES else 0.0


def check_decoupled(search: CheckedSearch) -> Iterator[Finding]:
    """What explains the choices of each player; nothing where the rule is another one than UCB1."""
    if not search.trace.columns.player_sums.recorded or not (search.to_move == EVERYBODY).any():
        return
    moves = _joint_moves(search)
    if not moves:
        return
    choices = _choices(search, moves)
    right = [_explained(each, [one.sums[:, p] for one in each]) for p, each in enumerate(choices)]
    if all(rule.share >= WHOLE for rule in right):
        c = ", ".join(f"{rule.c:.4g}" for rule in right)
        yield found(
            "selection-rule", None, None,
            "the players choose at once, each by UCB1 on the sums of its own moves (decoupled UCT): with c near "
            f"{c} that explains {' and '.join(f'{rule.n:,}' for rule in right)} choices",
        )  # fmt: skip
        return
    for p, each in enumerate(choices):
        if right[p].share < FEW and right[p].of >= FEW_CHOICES:
            yield from _mistake(search, p, each, right[p])


def _mistake(
    search: CheckedSearch, p: int, choices: Sequence[_Choice], right: _Rule
) -> Iterator[Finding]:
    name = player_name(search.meta, p)
    missed = f"{right.of - right.n:,} of {right.of:,} choices of {name} fit no c of UCB1 on the sums of its own moves"
    for other in range(search.meta.n_players):
        rule = _explained(choices, [one.sums[:, other] for one in choices])
        if other != p and rule.share >= WHOLE:
            whose = player_name(search.meta, other)
            yield found(
                "selection-wrong-view", None, None,
                f"all players choose at once; {missed}, and this explains {rule.n:,}: {name} chooses what is best "
                f"for {whose}, with c near {rule.c:.4g}. The sums by which it chooses have the payoff of the wrong "
                "player",
                share=rule.share,
            )  # fmt: skip
            return
    seen = _explained(
        choices, [one.beside_sums for one in choices], [one.beside for one in choices]
    )
    if seen.share >= WHOLE:
        yield found(
            "selection-wrong-view", None, None,
            f"all players choose at once; {missed}, and this explains {seen.n:,}: {name} chooses among the children "
            f"below what the others have just chosen, with c near {seen.c:.4g}. It sees their move, which is hidden "
            "from it, and each choice depends on the one before: no decoupled UCT. Right where the search lets one "
            "player move after the other on purpose",
            share=seen.share,
        ).as_note()  # fmt: skip


def _joint_moves(search: CheckedSearch) -> dict[int, Moves]:
    """The moves of all players that lead to each node below joint choices; empty where names do not tell them."""
    labels = search.trace.columns.nodes.label
    below = np.flatnonzero(search.to_move[np.maximum(search.parent, 0)] == EVERYBODY)
    known: dict[int, Moves] = {}
    for node in below[below > 0].tolist():
        told = search.move_into(node) if labels is None else labels[node]
        parts = None if told is None else moves_in(told, search.meta.n_players)
        if parts is None:
            return {}
        known[node] = tuple(parts)
    return known


def _choices(search: CheckedSearch, moves: dict[int, Moves]) -> list[list[_Choice]]:
    """The choices of each player, in their order, the first ones of a long search; empty where iterations are no
    paths."""
    columns, n = search.trace.columns, search.meta.n_players
    end = int(columns.updates.offset[search.T])
    table = columns.player_sums.value[: end * n].reshape(end, n)
    so_far = _SoFar(search, moves)
    for part in search.ranges():
        if not part.are_paths:
            return [[] for _ in range(n)]
        row_of = int(columns.updates.offset[part.first - 1])
        steps = part.steps
        node, is_leaf, visits = steps.node.tolist(), steps.is_leaf.tolist(), steps.visits.tolist()
        for row, at in enumerate(node):
            if not is_leaf[row] and node[row + 1] in moves:
                so_far.note(at, node[row + 1])
            so_far.add(at, visits[row], table[row_of + row])
        if len(so_far.choices[0]) >= MOST_CHOICES:
            break
    return so_far.choices


class _SoFar:
    """The joint choices up to an iteration, and what is known of the nodes then."""

    def __init__(self, search: CheckedSearch, moves: dict[int, Moves]) -> None:
        self.choices: list[list[_Choice]] = [[] for _ in range(search.meta.n_players)]
        self._parent, self._moves, self._n = search.parent, moves, search.meta.n_players
        self._visits: dict[int, int] = defaultdict(int)
        self._sums: dict[int, Floats] = {}  # [P] of each player's values
        self._children: dict[int, list[int]] = defaultdict(list)
        # of each node, all moves of each player, by the end
        self._own: dict[int, list[list[str]]] = {}
        for node, parts in moves.items():
            here = self._own.setdefault(int(self._parent[node]), [[] for _ in parts])
            for mine, move in zip(here, parts):
                if move not in mine:
                    mine.append(move)

    def add(self, node: int, visits: int, sums: Floats) -> None:
        """A node has more visits. sums: [P] of each player's values from now on."""
        if node not in self._sums and node in self._moves:
            self._children[int(self._parent[node])].append(node)
        self._visits[node] += visits
        self._sums[node] = sums

    def note(self, node: int, child: int) -> None:
        """The choice that each player makes at a node, of those that have one."""
        taken = self._moves[child]
        for p, mine in enumerate(self._own[node]):
            if len(mine) < 2:
                continue
            place = {move: k for k, move in enumerate(mine)}
            visits, sums = np.zeros(len(mine)), np.zeros((len(mine), self._n))
            beside, beside_sums = np.zeros(len(mine)), np.zeros(len(mine))
            for each in self._children[node]:
                parts, k = self._moves[each], place[self._moves[each][p]]
                visits[k] += self._visits[each]
                sums[k] += self._sums[each]
                if all(parts[q] == taken[q] for q in range(self._n) if q != p):
                    beside[k] += self._visits[each]
                    beside_sums[k] += self._sums[each][p]
            self.choices[p].append(
                _Choice(self._visits[node], visits, sums, beside, beside_sums, place[taken[p]])
            )


def _explained(
    choices: Sequence[_Choice],
    sums: Sequence[Floats],
    visits: Sequence[Floats] | None = None,
) -> _Rule:
    """UCB1 on sums of moves, one array a choice, moves without visits first; N: of all moves, or of the node."""
    tried = [one.visits for one in choices] if visits is None else visits
    taken = [one.taken for one in choices]
    of_moves = _with(tried, sums, taken, [float(each.sum()) for each in tried])
    if visits is not None:
        return of_moves
    return max(of_moves, _with(tried, sums, taken, [float(one.of_node) for one in choices]))


def _with(
    visits: Sequence[Floats], sums: Sequence[Floats], taken: Sequence[int], of_all: Sequence[float]
) -> _Rule:
    low, high = list[float](), list[float]()
    for tried, total, at, n in zip(visits, sums, taken, of_all):
        if not (tried > 0).all():
            if tried[at] > 0:  # another one would have come first
                low.append(1.0)
                high.append(0.0)
            continue
        mean, width = total / tried, np.sqrt(math.log(max(n, 1.0)) / tried)
        value, more = mean[at] - mean, width[at] - width
        # value + c·more ≥ 0 beside each of the others
        rises, falls = more > SLACK, more < -SLACK
        low.append(max([0.0, *(-(value[rises] + SLACK) / more[rises])]))
        most = min([math.inf, *((value[falls] + SLACK) / -more[falls])])
        high.append(-1.0 if (value[~rises & ~falls] < -SLACK).any() else most)
    begin, end, n_explained = most_overlap(Bounds(np.array(low), np.array(high)))
    c = begin if math.isinf(end) else (begin + end) / 2
    return _Rule(n_explained, len(low), c)
