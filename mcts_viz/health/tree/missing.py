"""Legal moves that never got a child, though the search chose among the others: a mistake, or left out on purpose."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.games.rules import State
from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.positions import ReplayedPosition
from mcts_viz.health.tree.pruning import drops_now_and_then, is_full, keeps_best, keeps_likely
from mcts_viz.trace.words import plural
from mcts_viz.types import Ints

FEW_NODES = 5
FEW_LENGTHS = 3  # different numbers of moves
PRIOR_SLACK = 0.01  # of their sum, for rounding
SOME_LATE = 0.05  # share of nodes


def missing_moves(search: CheckedSearch, reached: dict[int, ReplayedPosition]) -> Iterator[Finding]:
    """A finding about nodes that lack some. reached: positions by node."""
    bad = _unmade(search, reached)
    if not bad or (search.rules is not None and (is_full(search) or search.is_pruned)):
        return  # none, or the tree has no room for them
    node, n = bad[0]
    nodes = [each for each, _ in bad]
    if _stop_short(search, bad, reached):
        yield found(
            "expansion-missing", None, node,
            f"{plural(n, 'legal move')} of node {node:,} {'has' if n == 1 else 'have'} no child, and so it is at all "
            f"{len(bad):,} nodes that the search chooses at, however many moves they have: no node gets all of its "
            f"children. So it is where the test for a fully expanded node counts wrong, as len(children) >= "
            f"len(legal) - {n}, or a loop over the moves ends too early",
            nodes=len(bad), moves=n,
        )  # fmt: skip
        return
    in_all = f"{len(bad):,} such nodes in all"
    why = _on_purpose(search, nodes, reached, len(reached[node].legal) - n, in_all)
    by_design = why is not None
    if why is None:
        # in a batch choices cannot be compared, which would tell a rule over moves that have no node yet
        leaves = search.trace.columns.leaves
        by_design = leaves is not None and bool((leaves > 1).any())
        by_design = by_design or _come_by_priors(search, nodes) or _come_by_own_rule(search, nodes)
        why = f", and the search chooses among the others; {in_all}{_which(search, bad, reached)}"
        if by_design:
            why += ". Where nodes are made when they are first selected (minigo) that is so"
        if node == 0 and search.meta.is_foreign and not search.meta.start and not search.told_game:
            why += ". Where the root is not the game's first position, give start= to the recording"
    missing = found(
        "expansion-missing", None, node,
        f"{plural(n, 'legal move')} of node {node:,} {'has' if n == 1 else 'have'} no child{why}",
        nodes=len(bad), moves=n,
    )  # fmt: skip
    yield missing.as_note() if by_design else missing


def _which(
    search: CheckedSearch, bad: list[tuple[int, int]], reached: dict[int, ReplayedPosition]
) -> str:
    """More words, where it is the first or the last legal move at each of these nodes."""
    if len(bad) < FEW_NODES or any(n != 1 for _, n in bad):
        return ""
    places = set()
    for node, _ in bad:
        made = set(search.action[search.topology.children(node, search.N)].tolist())
        legal = list(reached[node].legal)
        (missing,) = (place for place, move in enumerate(legal) if move not in made)
        places.add("first" if missing == 0 else "last" if missing == len(legal) - 1 else "")
    if len(places) > 1 or "" in places:
        return ""
    return f". It is the {places.pop()} of the legal moves at each: a loop over them begins or ends one too early"


def _stop_short(
    search: CheckedSearch, bad: list[tuple[int, int]], reached: dict[int, ReplayedPosition]
) -> bool:
    """Whether the same number of moves is missing at each of these nodes, now these, now others, which have different
    numbers of moves, and none has all of several."""
    lengths = {len(reached[node].legal) for node, _ in bad}
    numbers = {n for _, n in bad}
    if len(numbers) > 1 or len(bad) < FEW_NODES or len(lengths) < FEW_LENGTHS:
        return False
    moves = {
        move
        for node, _ in bad
        for move in set(reached[node].legal)
        - set(search.action[search.topology.children(node, search.N)].tolist())
    }
    if len(moves) == max(numbers):
        return False  # as where the position at the root is another one
    return not any(
        len(place.legal) > 1 and len(search.topology.children(node, search.N)) == len(place.legal)
        for node, place in reached.items()
    )


def _unmade(search: CheckedSearch, reached: dict[int, ReplayedPosition]) -> list[tuple[int, int]]:
    """Nodes whose children were chosen from although some moves never got one, and how many moves these are."""
    parents = np.array(sorted(reached), np.int64)
    n_children = search.n_children(parents).tolist()
    lacking = {
        node: len(reached[node].legal) - k
        for node, k in zip(parents.tolist(), n_children)
        if 0 < k < len(reached[node].legal)
    }
    nodes = np.array(list(lacking), np.int64)
    lacks, chose = np.zeros(search.N, np.bool_), np.zeros(search.N, np.bool_)
    lacks[nodes] = True
    for part in search.ranges() if lacking else ():
        choices = search.choices(part)
        here = np.flatnonzero(lacks[choices.parent])
        if len(here):
            # not the first visit of a child that a descent under way had made
            before = part.visits_before(choices.node[here], choices.iteration[here])
            chose[choices.parent[here[before > 0]]] = True
            if chose[nodes].all():
                break
    bad = [(node, n) for node, n in lacking.items() if chose[node]]
    decisive = _with_a_win(search, [node for node, _ in bad])
    return [each for each in bad if each[0] not in decisive]


def _on_purpose(
    search: CheckedSearch,
    nodes: list[int],
    reached: dict[int, ReplayedPosition],
    kept: int,
    in_all: str,
) -> str | None:
    """Why the search leaves moves of these nodes out, as it seems, to follow "have no child"; None where it does not.
    kept: moves of the first one that have a child. in_all: how many nodes there are, in words."""
    best = keeps_best(search, nodes, reached)
    if not best and drops_now_and_then(search, nodes, reached):
        return (
            f"; {in_all}. Each move is made at some of them and left out at others: so it is where a heuristic says "
            "which moves are worth a look"
        )
    if _leave_out_blunders(search, nodes, reached):
        return (
            f": after each of them the opponent can win at once, and so it is at all {len(nodes):,} such nodes: the "
            "search prevents what is lost in one move"
        )
    if _are_mirror_images(search, nodes, reached):
        return f": they lead to mirror images of positions that have one; {in_all}"
    if best:
        return (
            f". Of every node with more than {kept} legal moves {kept} have one, now these, now others, and of all "
            f"others each: so it is where a search keeps the {kept} best and leaves out the rest on purpose; {in_all}"
        )
    if keeps_likely(search, nodes, reached):
        return (
            "; priors of those that have one add up to less than 1 there, and to 1 where none is missing: so it is "
            f"where a search leaves out on purpose what its policy thinks unlikely; {in_all}"
        )
    return None


def _are_mirror_images(
    search: CheckedSearch, nodes: list[int], reached: dict[int, ReplayedPosition]
) -> bool:
    """Whether each move of these nodes without a child leads to the mirror image of a child's position, or to one that
    is turned: searches that leave out equal moves make one of them."""
    rules = search.rules
    if rules is None or rules.board_text() is None:
        return False
    for node in nodes:
        path = [int(search.action[each]) for each in search.topology.path(node)[1:]]
        made = {int(search.action[each]) for each in search.topology.children(node, search.N)}
        boards = {action: rules.board_text([*path, action]) for action in reached[node].legal}
        known = {boards.get(action) for action in made}
        missing = [board for action, board in boards.items() if action not in made]
        if not all(board and _images(board) & known for board in missing):
            return False
    return True


def _images(board: str) -> set[str | None]:
    """A board as in a mirror; a square one turned, too."""
    rows = board.split("\n")
    images = [rows, [row[::-1] for row in rows]]
    if len(rows) == len(rows[0]):
        for _ in range(3):
            images += [["".join(row) for row in zip(*each[::-1])] for each in images[-2:]]
    return {"\n".join(each) for each in images}


def _with_a_win(search: CheckedSearch, nodes: list[int]) -> set[int]:
    """Those of the nodes whose one child wins at once for who chooses there: the other moves need no look (decisive
    moves, Teytaud and Teytaud 2010)."""
    below = {node: search.topology.children(node, search.N) for node in nodes}
    return {
        node for node, children in below.items()
        if len(children) == 1
        and bool((search.share(search.known_outcome[children], search.mover[children]) >= 1.0).all())
    }  # fmt: skip


def _leave_out_blunders(
    search: CheckedSearch, nodes: list[int], reached: dict[int, ReplayedPosition]
) -> bool:
    """Whether each move of these nodes without a child lets the opponent win at once (anti-decisive moves)."""
    if search.rules is None or len(nodes) < FEW_NODES:
        return False
    rules = search.positions.rules
    for node in nodes:
        place = reached[node]
        made = {int(search.action[each]) for each in search.topology.children(node, search.N)}
        for move in (move for move in place.legal if move not in made):
            after = rules.child(place.state, move)
            if rules.outcome(after) is not None or not _can_end(search, after, 1 - place.to_move):
                return False
    return True


def _can_end(search: CheckedSearch, state: State, player: int) -> bool:
    """Whether a player who is to move in a position can win at once."""
    rules = search.positions.rules
    if rules.to_move(state) != player:
        return False
    ends = (rules.outcome(rules.child(state, move)) for move in rules.legal_actions(state))
    return any(end is not None and float(search.share(end, player)) >= 1.0 for end in ends)


def _come_by_priors(search: CheckedSearch, nodes: list[int]) -> bool:
    """Whether children leave room for others by their priors, and were not made together: nodes are made when their
    moves are first selected."""
    prior = search.trace.columns.nodes.prior

    def have_room(children: Ints) -> bool:
        return float(prior[children].sum()) < 1.0 - PRIOR_SLACK

    return _are_made_late(
        search, [node for node in nodes if have_room(_below(search, node))], len(nodes)
    )


def _come_by_own_rule(search: CheckedSearch, nodes: list[int]) -> bool:
    """The same by a rule that the author names and that is not known here, as one with a first-play urgency."""
    own = search.meta.is_foreign and search.meta.policies.selection.name and not search.meta.formula
    return bool(own) and _are_made_late(search, nodes, len(nodes))


def _are_made_late(search: CheckedSearch, nodes: list[int], of: int) -> bool:
    """Whether the children of these nodes were not made together; a loop over the moves makes all at once."""
    late = sum(len(np.unique(search.born[_below(search, node)])) > 1 for node in nodes)
    return late > SOME_LATE * of


def _below(search: CheckedSearch, node: int) -> Ints:
    return search.children(np.array([node]))
