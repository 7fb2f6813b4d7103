"""Whether a node has two children for the same move.

Where actions are drawn, from a continuous space or from a language model, a draw may come again. Numbers come again
where they are cut off at the bounds of their space, or rounded; then the same number stands below other nodes as well.
All digits of a number never come again by chance, and a child that was made twice by mistake has a number that is found
below no other node."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import RANGE_ROWS, CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.tree.equal_names import equal_names
from mcts_viz.trace.players import CHANCE
from mcts_viz.trace.words import in_a_sentence
from mcts_viz.types import Bools, Floats, Ints, Numbers

DECIMAL = re.compile(r"\d*\.\d+|\de-\d")
MOST_NAMES = 2_000  # nodes whose names are looked at
MOSTLY = 0.5  # of these; a number that is cut off may be a whole one
WIDE = 2  # times as many actions as the largest family has: a list of moves has few more
DIGITS, EXACT = (
    5,
    3e-7,
)  # after the point: a number that has more, in float32 as well, was not rounded
# share of the nodes, and how many: so many twins whose action no other family has are copies
COPIES, FEW_COPIES = 0.1, 10
DIFFERENT = (
    0.75  # share of the moves of the whole tree: a list of legal moves has them again and again
)
UNEVEN = 4.0  # times as many pairs as of even draws: a normal distribution within its least and greatest number has 2
DEVIATIONS = 4.0  # of how many come
FLOAT32 = 6e-8  # relative
FEW_CHILDREN = 3  # of a family that is looked at for a single action
MOST_NAMED = 200_000  # nodes of a trace whose names are compared
FEW_NAMED, NAMED = 10, 0.1  # nodes with two children of one name, and their share
SENTENCE = 20  # characters of a name that is a text


def is_sentence(name: str | None) -> bool:
    """Whether a name is a text, as of a thought or a step of an answer, and not that of a move."""
    return name is not None and len(name) >= SENTENCE and " " in name


def check_duplicate_moves(search: CheckedSearch) -> Iterator[Finding]:
    """At most one finding: of moves rather than of events."""
    again = _again(search, search.action)
    if not len(again):
        yield from _of_names(search)
        return
    chosen = again[search.to_move[search.parent[again]] != CHANCE]
    if len(chosen):
        yield _of_moves(search, chosen)
        return
    first = int(again.min())
    event = found(
        "expansion-duplicate", int(search.born[first]), first,
        f"chance has two children for {_name(search, first)} at node {int(search.parent[first]):,}; this happens "
        f"{len(again):,} times. An outcome that is drawn again may have a node of its own, but the two share no visits",
        times=len(again),
    )  # fmt: skip
    yield event.as_note()


def _of_names(search: CheckedSearch) -> Iterator[Finding]:
    """A note where many siblings have one name, and are told apart by their places alone."""
    labels = search.trace.columns.nodes.label
    if labels is None or search.N > MOST_NAMED or not _are_places(search):
        return
    number: dict[str, int] = {}
    named = [None if text is None else text.strip() or None for text in labels[: search.N]]
    # a node without a name is no other's twin
    codes = [number.setdefault(text or f"\0{at}", len(number)) for at, text in enumerate(named)]
    again = _again(search, np.array(codes, np.int32))
    again = again[search.to_move[search.parent[again]] != CHANCE]
    above, parents = np.unique(search.parent[again]), np.unique(search.parent[1:])
    several = int((search.n_children(parents.astype(np.int64)) > 1).sum())
    if len(above) < FEW_NAMED or len(above) < NAMED * several:
        return
    first = int(again.min())
    yield found(
        "expansion-duplicate", int(search.born[first]), first,
        f"node {int(search.parent[first]):,} has two children named {in_a_sentence(labels[first] or '')}; so do "
        f"{len(above):,} of {several:,} nodes with several children. Where the name is the move, as of a token that a "
        "model draws, what was drawn again needs no node of its own: the two lead to the same position, and share no "
        "visits. Right where names are no moves",
        times=len(again), nodes=len(above),
    ).as_note()  # fmt: skip


def _are_places(search: CheckedSearch) -> bool:
    """Whether the moves of all nodes are numbers from 0 on, as where nobody told any."""
    for _, begin, children in search.families.parts(RANGE_ROWS):
        place = np.arange(len(children)) - np.repeat(begin, np.diff(begin, append=len(children)))
        if (search.action[children] != place).any():
            return False
    return True


def _again(search: CheckedSearch, action: Numbers) -> Ints:
    """Nodes with an older sibling of the same action. action: [N] a number for each."""
    parts: list[Ints] = [np.zeros(0, np.int64)]
    for _, begin, children in search.families.parts(RANGE_ROWS):
        family = np.repeat(np.arange(len(begin)), np.diff(begin, append=len(children)))
        own = action[children]
        order = np.lexsort((children, own, family))
        same = (np.diff(family[order]) == 0) & (np.diff(own[order]) == 0)
        parts.append(children[order[np.flatnonzero(same) + 1]])
    return np.concatenate(parts)


def _of_moves(search: CheckedSearch, twins: Ints) -> Finding:
    first = int(twins.min())
    times = "once" if len(twins) == 1 else f"{len(twins):,} times"
    twice = found(
        "expansion-duplicate", int(search.born[first]), first,
        f"node {int(search.parent[first]):,} has two children for the move {_name(search, first)}; this happens "
        f"{times}",
        times=len(twins),
    )  # fmt: skip
    if search.is_pruned:
        return twice.as_note(
            f"{twice.message}: children that were taken out of the tree are made again"
        )
    if search.rules is None and _may_be_drawn(search, twins):
        return twice.as_note(
            f"{twice.message}. So it may be where actions are drawn, as from a continuous space, whose bounds and "
            "rounding bring the same one again, or from a language model: each child has visits of its own. Else "
            "moves are not taken off the list of untried ones"
        )
    names = None if search.rules is not None else equal_names(search, twins)
    if names is not None:
        return twice.as_note(
            f"{twice.message}, and {names.twice:,} of {names.nodes:,} nodes that have all their children have such "
            "moves. Right where a position has two equal things, as cards or numbers, that give moves of one name: "
            "each has visits of its own. Else the list of legal moves has a move twice. Were moves not taken off the "
            "list of untried ones, it would be so at nearly all nodes"
        )
    return twice


def _name(search: CheckedSearch, node: int) -> str:
    """Of the move into the node."""
    labels = search.trace.columns.nodes.label
    told = None if labels is None else labels[node]
    named = told is not None and told.strip()
    return in_a_sentence(told or "") if named else search.move_into(node)


def _may_be_drawn(search: CheckedSearch, twins: Ints) -> bool:
    """Whether these nodes may be draws that came again."""
    labels = search.trace.columns.nodes.label
    if labels is None:
        return False
    if _come_again_seldom(search, twins):
        return True
    if not _is_wide(search):
        return False
    if search.alone and all(is_sentence(labels[node]) for node in twins.tolist()):
        return True
    moves = _moves(search)  # what chance decides has names of its own
    places = np.linspace(0, len(moves) - 1, min(len(moves), MOST_NAMES)).astype(np.int64)
    some = moves[places]
    numbers = [DECIMAL.search(labels[node] or "") is not None for node in some.tolist()]
    return float(np.mean(numbers)) > MOSTLY and not _are_copies(search, twins)


def _is_wide(search: CheckedSearch) -> bool:
    """Whether there are many more actions than the children of any node have, and not one alone in most families."""
    largest, families, alike = 0, 0, 0
    for parent, begin, children in search.families.parts(RANGE_ROWS):
        size = np.diff(begin, append=len(children))
        chosen = search.to_move[parent] != CHANCE
        if not chosen.any():
            continue
        children, size = children[np.repeat(chosen, size)], size[chosen]
        family = np.repeat(np.arange(len(size)), size)
        pairs = np.unique(np.stack([family, search.action[children]]), axis=1)
        kinds = np.bincount(pairs[0])
        largest = max(largest, int(kinds.max()))
        families += int((size >= FEW_CHILDREN).sum())
        alike += int(((size >= FEW_CHILDREN) & (kinds == 1)).sum())
    actions = np.unique(search.action[_moves(search)])
    return len(actions) > WIDE * largest and alike <= MOSTLY * families


def _moves(search: CheckedSearch) -> Ints:
    """Nodes that a move of a player led to."""
    below = search.parent[1 : search.N]
    return np.flatnonzero(search.to_move[below] != CHANCE).astype(np.int64) + 1


def _are_copies(search: CheckedSearch, twins: Ints) -> bool:
    """Whether most twins have a number with all its digits that is no bound, or an action that no other family has."""
    told = search.trace.columns.numbers(search.T)
    vectors = [each for name, each in told.items() if name.split("[")[0] == "action"]
    if vectors and np.mean(np.any([_is_exact(each, twins) for each in vectors], axis=0)) > MOSTLY:
        return True
    pairs = np.unique(np.stack([search.action[1:], search.parent[1:]]).astype(np.int64), axis=1)
    action, families = np.unique(pairs[0], return_counts=True)
    copies = int((families[np.searchsorted(action, search.action[twins])] == 1).sum())
    return copies > MOSTLY * len(twins) and copies >= max(FEW_COPIES, COPIES * search.N)


def _come_again_seldom(search: CheckedSearch, twins: Ints) -> bool:
    """Whether moves are rounded numbers, nearly all of them different, and siblings are the same no more often than
    draws from so many numbers would be."""
    moves = _moves(search)
    if len(np.unique(search.action[moves])) < DIFFERENT * len(moves):
        return False
    pairs = 0.0
    for parent, begin, children in search.families.parts(RANGE_ROWS):
        size = np.diff(begin, append=len(children))[search.to_move[parent] != CHANCE]
        pairs += float((size * (size - 1) / 2).sum())
    due = UNEVEN * pairs / _n_numbers(search, moves)
    return bool(len(twins) <= due + DEVIATIONS * np.sqrt(due))


def _n_numbers(search: CheckedSearch, moves: Ints) -> float:
    """How many different actions there are between the least and the greatest, as they are rounded."""
    told = search.trace.columns.numbers(search.T)
    n = 1.0
    for each in (each[moves] for name, each in told.items() if name.split("[")[0] == "action"):
        if np.isnan(each).any():
            return np.inf
        digits = next((d for d in range(DIGITS + 1) if _are_rounded(each, d)), None)
        if digits is None:
            return np.inf
        n *= float(np.ptp(each)) * 10.0**digits + 1
    return n if n > 1 else np.inf


def _are_rounded(numbers: Floats, digits: int) -> bool:
    """Whether all have no more digits after the point, as far as float32 tells."""
    slack = np.maximum(EXACT, FLOAT32 * np.abs(numbers))
    return bool((np.abs(numbers - np.round(numbers, digits)) <= slack).all())


def _is_exact(numbers: Floats, twins: Ints) -> Bools:
    """Whether the number of each was neither rounded nor cut off. numbers: [N], nan: none."""
    own = numbers[twins]
    within = (own > np.nanmin(numbers)) & (own < np.nanmax(numbers))
    exact: Bools = within & (np.abs(own - np.round(own, DIGITS)) > EXACT)
    return exact
