"""Whether the results that a solver has proven follow from the children and the legal moves, and whether
those that follow are there (MCTS-Solver, Winands, Björnsson and Saito 2008)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.levels import NEVER
from mcts_viz.health.outcomes.replays import sample
from mcts_viz.health.values.early_proofs import check_early_proofs
from mcts_viz.trace.words import plural
from mcts_viz.types import Floats, Ints

MOST_PARENTS = 3_000  # nodes whose legal moves are asked for
FEW_MISSING = 3  # nodes
MANY_MISSING = 5  # the same, where finished games alone are proven
FEW_WINS, FEW_LOST = 5, 2  # nodes above finished games
LATE, LATE_SHARE = 10, 0.05  # iterations before the end, at least, and their share
SAME = 1e-6


def check_proofs(search: CheckedSearch) -> Iterator[Finding]:
    """Findings about proven results of games of two players without chance."""
    proven = search.trace.columns.proven
    if search.alone or not len(proven.node) or search.has_chance:
        return
    since, result = _results(search)
    looked_at = _looked_at(search, result)
    goes_up = bool(np.isnan(search.known_outcome[proven.node]).any())
    wrong: list[int] = []
    missing: list[int] = []
    for node in sample(_parents_of_proven(search, result), MOST_PARENTS):
        forced = _forced(search, node, result)
        own = (
            None
            if np.isnan(result[node])
            else float(search.share(result[node], search.to_move[node]))
        )
        if own is None and _forced(search, node, looked_at) is not None:
            missing.append(node)
        elif own is not None and _contradicts(search, node, own, forced, since, result):
            wrong.append(node)
    if wrong:
        node = min(wrong)
        share = float(search.share(result[node], search.to_move[node]))
        word = {1.0: "won", 0.0: "drawn", -1.0: "lost"}.get(share, f"worth {result[node]:g}")
        yield found(
            "proof-wrong", int(since[node]), node,
            f"node {node:,} is proven {word} for the player to move, which does not follow from the proven "
            f"results of its children; {len(wrong):,} such nodes",
            nodes=len(wrong),
        )  # fmt: skip
    else:
        yield from check_early_proofs(search, since, result)
    if not goes_up:
        yield from _never_carried(search, missing)
    elif len(missing) >= FEW_MISSING:
        yield _missing(search, missing)
    else:
        yield from _no_losses(search, missing, since, result)


def _missing(search: CheckedSearch, missing: list[int]) -> Finding:
    node, proven = missing[0], search.trace.columns.proven
    one = found(
        "proof-missing", None, node,
        f"the proven results of the children of node {node:,} force its own, and it has none at the end; "
        f"{len(missing):,} such nodes",
        nodes=len(missing),
    )  # fmt: skip
    at_leaves = not (search.n_children(proven.node.astype(np.int64)) > 0).any()
    words = (
        ". No node with children is proven: right for results that are known of positions, of endgame tables, and "
        "are not carried up"
    )
    return one.as_note(one.message + words) if at_leaves else one


def _never_carried(search: CheckedSearch, missing: list[int]) -> Iterator[Finding]:
    """A note where nothing is proven but finished games: a recording may mark by it where the game is over. A warning
    where a solver is declared."""
    backup = search.meta.policies.backpropagation
    if len(missing) < MANY_MISSING or not backup.carried:
        return
    node, told = missing[0], len(search.trace.columns.proven.node)
    one = found(
        "proof-missing", None, node,
        f"the {plural(told, 'proven result')} are those of finished games alone, and force results of nodes above "
        f"them, which have none at the end: node {node:,} and {len(missing) - 1:,} more. Results are not carried up "
        "from the node where the game is over",
        nodes=len(missing),
    )  # fmt: skip
    if backup.solver:
        yield one
    else:
        yield one.as_note(
            f"{one.message}. Right where proven= marks where the game is over, and there is no solver"
        )


def _no_losses(
    search: CheckedSearch, missing: list[int], since: Ints, result: Floats
) -> Iterator[Finding]:
    """Where wins are carried up, and no loss is, though some are forced, and were long before the end: a search may
    carry a result up when it comes by again."""
    proven = search.trace.columns.proven
    above = proven.node[np.isnan(search.known_outcome[proven.node])].astype(np.int64)
    share = np.asarray(search.share(result[above], search.to_move[above]))
    if (share <= -1 + SAME).any() or int((share >= 1 - SAME).sum()) < FEW_WINS:
        return
    before = search.T - max(LATE, LATE_SHARE * search.T)
    old = [node for node in missing if since[search.children(np.array([node]))].max() < before]
    lost = [node for node in old if _forced(search, node, result) == -1.0]
    if len(lost) < FEW_LOST:
        return
    yield found(
        "proof-missing", None, lost[0],
        f"no loss is proven above finished games, and {plural(len(above), 'other result')} are: all moves of node "
        f"{lost[0]:,} have a child that is proven lost for the player to move there, and the node has no result at the "
        f"end; {len(lost):,} such nodes. A win needs one child, and a loss all of them: the solver seems to look for "
        "the former alone",
        nodes=len(lost),
    )  # fmt: skip


def _results(search: CheckedSearch) -> tuple[Ints, Floats]:
    """[N] the iteration that proved each node's result, and the result, view of player 0; nan: not proven."""
    proven = search.trace.columns.proven
    result = search.known_outcome.copy()
    since = np.where(np.isnan(result), NEVER, search.born.astype(np.int64))
    result[proven.node], since[proven.node] = proven.outcome, proven.at
    return since, result


def _looked_at(search: CheckedSearch, result: Floats) -> Floats:
    """[N] the same without finished games that the search has not visited yet: it need not know that they are over."""
    new = ~np.isnan(search.known_outcome) & (search.statistics_after(search.T).visits == 0)
    new[search.trace.columns.proven.node] = False
    return np.where(new, np.nan, result)


def _parents_of_proven(search: CheckedSearch, result: Floats) -> Ints:
    """Visited nodes, not over, with a proven child."""
    known = np.flatnonzero(~np.isnan(result))
    parents = np.unique(search.parent[known[known > 0]]).astype(np.int64)
    return parents[np.isnan(search.known_outcome[parents]) & (search.to_move[parents] >= 0)]


def _forced(search: CheckedSearch, node: int, result: Floats) -> float | None:
    """What the children force, from −1, a loss, to 1, a win, for the player to move: a win by one of them,
    a loss by all. Draws are left alone, as some solvers do not carry them."""
    children, shares = _shares(search, node, result)
    if (shares >= 1 - SAME).any():
        return 1.0
    if len(children) and (shares <= -1 + SAME).all() and _complete(search, node, len(children)):
        return -1.0
    return None


def _shares(search: CheckedSearch, node: int, result: Floats) -> tuple[Ints, Floats]:
    """The children of a node, and what their proven results are worth to the player to move there."""
    parents = np.array([node])
    children = search.children(parents)
    return children, np.asarray(search.share(result[children], search.to_move[node]))


def _complete(search: CheckedSearch, node: int, n_children: int) -> bool:
    """Whether every legal move is known to have a child."""
    if search.rules is None:
        return False
    place = search.positions[node]
    return place.illegal is None and n_children >= len(place.legal)


def _contradicts(
    search: CheckedSearch,
    node: int,
    own: float,
    forced: float | None,
    since: Ints,
    result: Floats,
) -> bool:
    """Whether a proven result of a node is another than its children force, or forced by none."""
    if forced is not None:
        return abs(own - forced) > SAME
    children, shares = _shares(search, node, result)
    if search.rules is None:
        # a loss needs all children: one that was there and has no proof of it is enough
        open_ = np.isnan(shares) & (search.born[children] < since[node])
        return own <= -1 + SAME and bool((shares <= -1 + SAME).any() and open_.any())
    if search.positions[node].illegal is not None:
        return False
    if own >= 1 - SAME:  # no child is won; a move without a child may win
        return not _wins_at_once(search, node)
    open_ = np.isnan(shares)
    if open_.any() and own > -1 + SAME:
        # bounds may prove a draw (Cazenave and Saffidine 2010): of an open child it is known that it is no better
        return bool((shares > own + SAME).any())
    best = -np.inf if open_.any() else float(shares.max())
    return not _complete(search, node, len(shares)) or abs(best - own) > SAME


def _wins_at_once(search: CheckedSearch, node: int) -> bool:
    """Whether a legal move ends the game with a win of the player to move."""
    rules, place = search.positions.rules, search.positions[node]
    ends = [rules.outcome(rules.play(rules.copy(place.state), move)) for move in place.legal]
    mover = place.to_move
    return any(end is not None and float(search.share(end, mover)) >= 1 - SAME for end in ends)
