"""Whether the nodes of the tree are the positions that the moves lead to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import RANGE_ROWS, CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.occurrences import Occurrences
from mcts_viz.health.outcomes.replays import MOST_NODES, sample
from mcts_viz.health.positions import ReplayedPosition
from mcts_viz.health.tree.below_lines import check_below_lines
from mcts_viz.health.tree.boards import FEW_FIELDS, check_boards
from mcts_viz.health.tree.decay import check_decay
from mcts_viz.health.tree.depth_limit import check_depth_limit
from mcts_viz.health.tree.duplicate_moves import check_duplicate_moves
from mcts_viz.health.tree.empty_moves import check_empty_moves
from mcts_viz.health.tree.equal_positions import check_equal_positions
from mcts_viz.health.tree.every_second import check_every_second
from mcts_viz.health.tree.expanded_again import check_expanded_again
from mcts_viz.health.tree.fields import TOKEN
from mcts_viz.health.tree.from_root import check_from_root
from mcts_viz.health.tree.kept_rollouts import check_kept_rollouts
from mcts_viz.health.tree.masked_in_place import check_masked_in_place
from mcts_viz.health.tree.missing import PRIOR_SLACK, missing_moves
from mcts_viz.health.tree.moves_in_turn import check_moves_in_turn
from mcts_viz.health.tree.moves_left import NEARLY_ALL, all_have_children
from mcts_viz.health.tree.moves_of_others import moves_of_others
from mcts_viz.health.tree.one_deck import check_one_deck
from mcts_viz.health.tree.one_mover import check_one_mover
from mcts_viz.health.tree.only_moves import check_only_moves
from mcts_viz.health.tree.popped_moves import check_popped_moves
from mcts_viz.health.tree.pruning import is_full
from mcts_viz.health.tree.same_priors import check_same_priors
from mcts_viz.health.tree.stuck_leaves import check_stuck_leaves
from mcts_viz.health.values.of_visits import values_of
from mcts_viz.trace.memory import roomy
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Bools, Ints

FEW_NODES = 5
MOST_TEXTS = 300
MANY_VISITS = 8  # of one leaf
MANY_ITERATIONS = 50
MANY_CHILDREN = 20
DEEP_LIMIT = 3  # moves; a tree that goes nowhere deeper looks like one of limited depth
IDLE = 0.9  # share of iterations
MOST_SHOWN = 60  # characters of a position
ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")
EMPTY_FIELD = re.compile(r"(?<==)(?:None|\[\]|\(\)|\{\}|set\(\))")

NOT_OF_THE_MOVES = (
    "so it is where a policy of all moves is masked and not normalised again; or where it is read by the place in the "
    "list of legal moves, zip(legal, probs) in place of probs[legal]: then moves get the priors of others, and its "
    "last entries are left out"
)
STATE_PLAYED_ON = (
    ". Each visit of one of them is worth the same as its first: so it is where a rollout is played on the node's own "
    "state, and not on a copy, which is the end of a game from then on"
)


def check_expansion(search: CheckedSearch) -> Iterator[Finding]:
    """Findings about expansion."""
    yield from check_expanded_again(search)
    yield from check_duplicate_moves(search)
    yield from _below_the_end(search)
    yield from check_below_lines(search)
    yield from _equal_states(search)
    yield from _changed_states(search)
    yield from check_from_root(search)
    yield from _stops(search)
    causes = [*check_every_second(search), *check_kept_rollouts(search)]
    yield from causes
    if search.rules is not None:
        told = _against_the_rules(search)
        yield from (one for one in told if not causes or one.check != "expansion-missing")
    else:
        yield from _priors_of_families(search)
        yield from check_one_mover(search)
    yield from _no_probabilities(search)
    yield from check_same_priors(search)
    yield from check_masked_in_place(search)
    yield from check_equal_positions(search)
    yield from moves_of_others(search)
    yield from check_popped_moves(search)
    yield from check_one_deck(search)
    yield from check_empty_moves(search)


def _below_the_end(search: CheckedSearch) -> Iterator[Finding]:
    seen = Occurrences()
    for rows in search.blocks(1, search.N):
        ended = ~np.isnan(search.outcome[search.parent[rows]])
        seen.add(ended, search.born[rows].astype(np.int64), np.arange(rows.start, rows.stop))
    _, node, nodes = seen
    if nodes:
        yield _grown_after_the_end(search, node, nodes)


def _grown_after_the_end(search: CheckedSearch, node: int, nodes: int) -> Finding:
    return found(
        "expansion-below-end", int(search.born[node]), node,
        f"node {int(search.parent[node]):,} ends the game and has the child {node:,}; "
        f"{nodes:,} nodes stand below an end",
        nodes=nodes,
    )  # fmt: skip


def _equal_states(search: CheckedSearch) -> Iterator[Finding]:
    columns = search.trace.columns
    states = columns.nodes.state
    if states is None:
        return
    several, alike = 0, 0  # families with two texts or more, and with equal ones
    first = (search.N, -1, 0)  # oldest child with a text of such a family, its parent, how many
    for parent, begin, children in search.families.parts(RANGE_ROWS):
        for node, family in zip(parent.tolist(), np.split(children, begin[1:])):
            if search.to_move[node] == CHANCE:
                continue  # what was thrown need not show in the position
            # before chance has answered, moves may look all the same: afterstates
            with_text = [
                child for child in family.tolist()
                if states[child] is not None and search.to_move[child] != CHANCE
            ]  # fmt: skip
            several += len(with_text) > 1
            if len(with_text) > 1 and len({states[child] for child in with_text}) == 1:
                alike += 1
                first = min(first, (with_text[0], node, len(with_text)))
    if alike >= FEW_NODES and alike > several / 2:
        _, node, n = first
        yield found(
            "expansion-equal-states", int(search.born[node]), node,
            f"all {n} children of node {node:,} are recorded with the same position; "
            f"this holds for {alike:,} of {several:,} nodes: so it is where children share one board of which no copy "
            "is made, or where moves on a board that serves all nodes are not taken back completely (undo)",
            nodes=alike, of=several,
        )  # fmt: skip


def _changed_states(search: CheckedSearch) -> Iterator[Finding]:
    """Positions that were not what they had been when the recorder looked at them again, or that
    ended in their own rollout."""
    columns = search.trace.columns
    states = columns.nodes.state
    changes = [
        (row + 1, node, "" if states is None else states[node] or "", state)
        for row, node, state in columns.asides.changed_states
    ]
    changes = [change for change in changes if not shows_the_same(*change[2:])]
    if not changes:
        told = [*_ended_by_rollouts(search)] or [*_too_full(search)] or [*check_decay(search)]
        yield from told or [*check_moves_in_turn(search)] or check_boards(search)
        return
    t, node, before, after = changes[0]
    nodes = len({change[1] for change in changes})
    yield found(
        "expansion-state-changes", t, node,
        f"the position of node {node:,} was {_short(before)} when it was first seen, and is "
        f"{_short(after)} after iteration {t:,}; {nodes:,} nodes were seen to change",
        nodes=nodes, times=len(changes), before=before, after=after,
    )  # fmt: skip


def _ended_by_rollouts(search: CheckedSearch) -> Iterator[Finding]:
    """Nodes that were first seen after the rollout of the iteration that made them, and are finished
    games by then: the rollout was played on their own board."""
    columns = search.trace.columns
    moves = columns.rollout.offset
    if moves is None:
        return
    seen, n_moves = Occurrences(), 0
    for rows in search.blocks(search.base, search.T):
        leaf = search.leaf[rows].astype(np.int64)
        length = np.diff(moves[rows.start : rows.stop + 1])
        iteration = np.arange(rows.start, rows.stop) + 1
        ended = (search.outcome[leaf] == columns.outcome[rows]) & (length > 0)
        ended &= search.born[leaf] == iteration
        if (
            search.rules is not None
        ):  # where the game is over a rollout of other moves began elsewhere
            for row in np.flatnonzero(ended).tolist():
                ended[row] = search.positions[int(leaf[row])].outcome is None
        if ended.any() and not seen.times:
            n_moves = int(length[np.argmax(ended)])
        seen.add(ended, iteration, leaf)
    t, node, times = seen
    if times >= FEW_NODES:
        yield found(
            "expansion-state-changes", t, node,
            f"node {node:,} is recorded as a finished game, with the result of the rollout of {n_moves} "
            f"moves that was played from it in iteration {t:,}, which made it: the rollout has changed "
            f"its position. This happened to {times:,} nodes",
            nodes=times, moves=n_moves,
        )  # fmt: skip


def _too_full(search: CheckedSearch) -> Iterator[Finding]:
    """Positions on which more was played than the moves that lead to them: fewer empty fields than by the
    rules, in what is recorded of most nodes. What stands for an empty field is told by its number at the
    root, in games where there is a move to each of them."""
    states = search.trace.columns.nodes.state
    if states is None or search.rules is None:
        return
    empty = len(search.positions[0].legal)
    tokens = Counter(TOKEN.findall(states[0] or ""))
    words = [word for word, n in tokens.items() if n == empty]
    if len(words) != 1 or empty < FEW_FIELDS:
        return
    too_full, first, looked_at = 0, 0, 0
    for node in sample(range(1, search.N), MOST_TEXTS):
        place, text = search.positions[node], states[node]
        if text is None or place.illegal is not None or place.outcome is not None:
            continue
        looked_at += 1
        if TOKEN.findall(text).count(words[0]) < len(place.legal) - 1:
            too_full, first = too_full + 1, first or node
    if too_full >= FEW_NODES and too_full > looked_at / 2:
        yield found(
            "expansion-state-changes", int(search.born[first]), first,
            f"more was played on the position of node {first:,}, {_short(states[first] or '')}, than the moves "
            f"that lead there; so it is with {too_full:,} of {looked_at:,} nodes looked at. Rollouts seem to be "
            "played on the node's own board",
            nodes=too_full, looked_at=looked_at,
        )  # fmt: skip


def shows_the_same(before: str, after: str) -> bool:
    """Whether two texts show the same position: where objects lie in memory says nothing, nor do
    fields that are filled in late, such as `moves=None`."""
    before, after = ADDRESS.sub("", before), ADDRESS.sub("", after)
    first, *rest = EMPTY_FIELD.split(before)
    if not rest:
        return before == after
    if not after.startswith(first) or not after.endswith(rest[-1]):
        return False
    at, end = len(first), len(after) - len(rest[-1])
    for part in rest[:-1]:
        place = after.find(part, at, end)
        if place < 0:
            return False
        at = place + len(part)
    return at <= end


def _short(text: str) -> str:
    """On one line, and not too long for a message."""
    line = " ".join(text.split())
    return f"“{line}”" if len(line) <= MOST_SHOWN else f"“{line[:MOST_SHOWN]}…”"


def _against_the_rules(search: CheckedSearch) -> Iterator[Finding]:
    told = [search.positions[node] for node in sample(range(search.N), MOST_NODES)]
    illegal = [place for place in told if place.illegal is not None]
    reached = [place for place in told if place.illegal is None]
    above = {p.illegal: search.positions[int(search.parent[p.illegal or 0])] for p in illegal}
    below = [p for p in illegal if above[p.illegal].outcome is not None]
    ends = sum(1 for p in below if np.isnan(search.outcome[search.parent[p.illegal or 0]]))
    if below and ends == len(below):
        nodes = {place.illegal or 0 for place in below}
        yield _grown_after_the_end(search, min(nodes), len(nodes))
    never = search.statistics_after(search.T).visits == 0
    never &= (
        search.trace.columns.nodes.prior[: search.N] == 0
    )  # masked: a child for each action, and some without use
    wrong = [place for place in illegal if place not in below and not never[place.illegal or 0]]
    if wrong and _are_unmasked(search, wrong):
        node = wrong[0].illegal or 0
        name = search.move_into(node)
        prior = float(search.trace.columns.nodes.prior[node])
        yield found(
            "expansion-priors", int(search.born[node]), node,
            f"the move {name} into node {node:,} is not legal and has the prior {prior:.3g}; "
            f"{len(wrong):,} of {len(told):,} nodes looked at are such moves, none of which was ever selected: the "
            "policy is not masked, or not normalised over the legal moves",
            nodes=len(wrong), looked_at=len(told),
        )  # fmt: skip
    elif wrong:
        node = wrong[0].illegal or 0
        name = search.move_into(node)
        yield found(
            "expansion-illegal", int(search.born[node]), node,
            f"the move {name} into node {node:,} is not legal; {len(wrong):,} of {len(told):,} nodes "
            "looked at stand below such a move",
            nodes=len(wrong), looked_at=len(told),
        )  # fmt: skip
    yield from _priors(search, reached)
    yield from missing_moves(search, {place.node: place for place in reached})
    yield from check_only_moves(search)
    yield from _players(search, reached)
    yield from _outcomes(search, reached)


def _are_unmasked(search: CheckedSearch, illegal: list[ReplayedPosition]) -> bool:
    """Whether illegal moves have priors, and no visits."""
    nodes = np.array([place.illegal or 0 for place in illegal])
    prior = search.trace.columns.nodes.prior[nodes]
    return bool((prior > 0).all()) and not search.statistics_after(search.T).visits[nodes].any()


def _priors(search: CheckedSearch, reached: list[ReplayedPosition]) -> Iterator[Finding]:
    """Priors of all legal moves of a node together are 1."""
    prior = search.trace.columns.nodes.prior[: search.N]
    if np.isnan(prior[1:]).all() or np.nanmax(prior[1:]) == np.nanmin(prior[1:]):
        return  # none, or a constant that is no distribution
    if np.nanmin(prior[1:]) < 0:
        return  # logits, which are named as such
    sums = []
    for place in reached:
        parents = np.array([place.node])
        children = search.children(parents)
        if len(children) and len(children) == len(place.legal):
            sums.append((place.node, float(prior[children].sum())))
    bad = [(node, total) for node, total in sums if not abs(total - 1.0) <= PRIOR_SLACK]
    if len(bad) >= FEW_NODES and len(bad) > len(sums) / 10:
        node, total = bad[0]
        yield found(
            "expansion-priors", int(search.born[node]), node,
            f"the priors of the legal moves of node {node:,} add up to {total:.4g}, not to 1; so it is with "
            f"{len(bad):,} of {len(sums):,} nodes looked at: {NOT_OF_THE_MOVES}",
            nodes=len(bad), looked_at=len(sums), total=total,
        )  # fmt: skip
    elif len(bad) == 1 and not bad[0][0] and len(sums) > FEW_NODES:
        total = bad[0][1]
        yield found(
            "expansion-priors", 0, 0,
            f"the priors of the root's legal moves add up to {total:.4g}, and those of {len(sums) - 1:,} other nodes "
            "looked at to 1: noise was added to illegal moves, too, whose share is lost, or was not weighed against "
            "the priors",
            nodes=1, looked_at=len(sums), total=total,
        )  # fmt: skip


def _no_probabilities(search: CheckedSearch) -> Iterator[Finding]:
    """Priors below 0: a policy's logits, or the logarithms of its probabilities."""
    prior = search.trace.columns.nodes.prior[: search.N]
    known = prior[~np.isnan(prior)]
    below = np.flatnonzero(prior < 0)
    if len(below) < FEW_NODES:
        return
    node = int(below[0])
    what = "logarithms of probabilities" if known.max() <= 0 else "logits"
    finding = found(
        "expansion-priors", int(search.born[node]), node,
        f"the prior of node {node:,} is {float(prior[node]):.4g}, and {len(below):,} of {len(known):,} are below 0: "
        f"these are no probabilities, but {what}, of which no softmax was taken: a score with them as P drives the "
        "search away from what it has not tried",
        nodes=len(below), looked_at=len(known),
    )  # fmt: skip
    # with a score of its own a search may take the softmax there
    yield finding if search.meta.policies.selection.name == "puct" else finding.as_note()


def _of_events(search: CheckedSearch, node: int, total: float, times: int) -> Finding:
    """Nodes of chance whose probabilities are less than 1 together."""
    return found(
        "expansion-priors", int(search.born[node]), node,
        f"the probabilities of the events of node {node:,}, which were made together, add up to {total:.4g}, not to 1; "
        f"so it is with {times:,} nodes of chance: an event is missing, as where the last one of a range is left out, "
        "or the probabilities are wrong. Right where improbable events are left out on purpose",
        nodes=times, total=total,
    ).as_note()  # fmt: skip


def _priors_of_families(search: CheckedSearch) -> Iterator[Finding]:
    """A note where the priors of children that were made together are not 1 together, though the rules are not known:
    a search may keep the best moves alone."""
    prior = search.trace.columns.nodes.prior[: search.N]
    bad, looked_at, first, total = 0, 0, 0, 0.0
    of_chance = 0  # of the bad ones
    more, root = 0, 0.0  # families whose priors are more than 1 together, and the root's sum
    for parent, begin, children in search.families.parts(RANGE_ROWS):
        born, size = search.born[children], np.diff(begin, append=len(children))
        together = np.minimum.reduceat(born, begin) == np.maximum.reduceat(born, begin)
        p = prior[children].astype(np.float64)
        sums, equal = (
            np.add.reduceat(p, begin),
            np.maximum.reduceat(p, begin) == np.minimum.reduceat(p, begin),
        )
        known = together & (size > 1) & ~np.isnan(sums) & ~equal
        less = np.flatnonzero(known & (sums < 1.0 - PRIOR_SLACK) & (sums > 0))
        looked_at += int(known.sum())
        above = np.flatnonzero(known & (sums > 1.0 + PRIOR_SLACK))
        more += len(above)
        if len(above) and not parent[above[0]]:
            root = float(sums[above[0]])
        if len(less) and not bad:
            first, total = int(parent[less[0]]), float(sums[less[0]])
        bad += len(less)
        of_chance += int((search.to_move[parent[less]] == CHANCE).sum())
    if bad >= FEW_NODES and of_chance == bad:
        yield _of_events(search, first, total, bad)
        return
    if bad >= FEW_NODES and bad > looked_at / 2:
        what = (
            f"the priors of the children of node {first:,}, made together, add up to {total:.4g}, not to 1; so it "
            f"is with {bad:,} of {looked_at:,} nodes"
        )
        whole = all_have_children(search) if bad >= NEARLY_ALL * looked_at else None
        if whole is not None:
            yield found(
                "expansion-priors", int(search.born[first]), first,
                f"{what}, though no move is missing there: at nearly all nodes looked at each of the {whole.what} has "
                "a child. So it is where the policy is a softmax over all moves, and illegal ones, as those to "
                "occupied fields, are set to 0 (masked) and the rest is not normalised again: the fuller the board, "
                "the less is explored; or where it is read by the place in the list of legal moves, zip(legal, probs) "
                "in place of probs[legal]. Right where the policy has a further move, such as a pass, that is left out",
                nodes=bad, looked_at=looked_at, total=total,
            ).as_warning()  # fmt: skip
            return
        yield found(
            "expansion-priors", int(search.born[first]), first,
            f"{what}: {NOT_OF_THE_MOVES}. Right where some of the legal moves have no children",
            nodes=bad, looked_at=looked_at, total=total,
        ).as_note()  # fmt: skip
    too_small = bad == 1 and not first
    if more + bad == 1 and (root or too_small) and looked_at > FEW_NODES:
        why = (
            "the noise that is mixed with the root's priors does not add up to 1, as where one number of it is taken "
            "for all moves, or some of it falls to moves that have no child"
            if too_small
            else "noise was added to the root's priors and not weighed against them, (1 − ε)·P + ε·noise, or is no "
            "distribution"
        )
        root = total if too_small else root
        yield found(
            "expansion-priors", 0, 0,
            f"the priors of the root's children add up to {root:.4g}, and those of {looked_at - 1:,} other nodes "
            f"to 1: {why}",
            nodes=1, looked_at=looked_at, total=root,
        ).as_note()  # fmt: skip


def _stops(search: CheckedSearch) -> Iterator[Finding]:
    """Iterations that add no node below a leaf where the game goes on, again and again."""
    if search.rules is None:
        yield from _never_wider(search)
        yield from check_stuck_leaves(search)
        yield from check_depth_limit(search)
        return  # it is not known where the game is over
    stops = search.childless() & ~search.ended
    visits, n_idle, n_late = roomy(search.N, np.int32), 0, 0
    later = search.base + (search.T - search.base) // 2
    for rows in search.blocks(search.base, search.T):
        leaf, idle = _idle(search, stops, rows)
        np.add.at(visits, leaf[idle], 1)
        n_idle += int(idle.sum())
        n_late += int(idle[max(later - rows.start, 0) :].sum())
    node = int(visits.argmax())
    share = n_late / max(search.T - later, 1)
    if visits[node] >= MANY_VISITS and share > IDLE:
        t = _second_time(search, stops, node)
        depth = search.topology.depth[: search.N]
        deepest = int(depth.max())
        flat = deepest == 1
        of_root = ". It has the root's moves alone, as flat UCB has, or as nodes that share one list of untried moves"
        finding = found(
            "expansion-stops", t, node,
            f"the tree no longer grows: {share:.0%} of the later half of the iterations add no node, "
            f"though the game goes on at their leaves; node {node:,} was a leaf {int(visits[node]):,} times"
            f"{of_root if flat else ''}",
            times=n_idle, node_visits=int(visits[node]),
        )  # fmt: skip
        limited = deepest >= DEEP_LIMIT and bool((depth[visits > 0] == deepest).all())
        if limited:
            text = f"{finding.message}. All of these are at depth {deepest}: so it is where the depth is limited"
            finding = replace(finding, message=text)
        full = is_full(search)
        if full:
            text = (
                f"{finding.message}. It grew until iteration {int(search.born[: search.N].max()):,}, when it had "
                f"{search.N:,} nodes: so it is where its size is limited"
            )
            finding = replace(finding, message=text)
        yield finding.as_note() if flat or full or limited else finding


def _never_wider(search: CheckedSearch) -> Iterator[Finding]:
    """Notes on trees of a strange shape: one line of nodes, or new nodes at one depth alone."""
    depth = search.topology.depth[: search.N].astype(np.int64)
    deepest = int(depth.max())
    if search.N < 3 or search.T < MANY_ITERATIONS:
        return
    if deepest == search.N - 1:
        yield _of_shape(
            0,
            f"no node has more than one child, after {search.T:,} iterations: there is nothing to choose, as where the "
            "selection goes on down from a node that has any child, though other moves are untried, or where a limit "
            "to the number of children never grows",
        )
        return
    later = search.base + (search.T - search.base) // 2
    new = np.flatnonzero(search.born > later)
    if deepest == 1 and not len(new):
        yield from _flat(search)
        return
    if len(new) < MANY_ITERATIONS or (depth[new] != deepest).any():
        return
    parents = np.unique(search.parent[new]).astype(np.int64)
    children = search.n_children(parents)
    if children.max() < MANY_CHILDREN or len(new) < MANY_CHILDREN / 2 * len(parents):
        return
    node = int(parents[children.argmax()])
    twice = bool((search.statistics_after(search.T).visits[new] > 1).any())
    text = f"all {len(new):,} nodes of the later half of the iterations are made at depth {deepest}"
    if deepest == 1 and not twice:
        text += ": each iteration tries another move of the root, and none is tried twice"
    else:
        text += (
            f", below {len(parents):,} nodes, of which node {node:,} has {int(children.max()):,} children: the "
            "selection never goes on to these"
        )
    yield _of_shape(node, f"{text}. Right for a search that samples at a node as long as it likes")


def _flat(search: CheckedSearch) -> Iterator[Finding]:
    """A tree of the root's children alone, that are visited again and again."""
    visits = search.statistics_after(search.T).visits[1 : search.N]
    node = int(visits.argmax()) + 1
    if visits[node - 1] >= MANY_ITERATIONS and not search.ended[1 : search.N].any():
        yield _of_shape(
            node,
            f"no node is ever made below the root's {search.N - 1:,} children, of which node {node:,} has "
            f"{int(visits[node - 1]):,} visits: every iteration ends at one of them. Right for flat UCB, or where all "
            "is over after one move; else the selection stops at the root's children, or only the root is expanded"
            + (STATE_PLAYED_ON if _worth_the_same(search) else ""),
        )


def _worth_the_same(search: CheckedSearch) -> bool:
    """Whether all visits of a node are worth the same, as those of a finished game are."""
    least, most = np.full(search.N, np.inf), np.full(search.N, -np.inf)
    for part in search.ranges():
        values = values_of(search, part)
        np.minimum.at(least, values.node, values.value)
        np.maximum.at(most, values.node, values.value)
    return bool((most - least <= search.slack)[1:].all())


def _of_shape(node: int, text: str) -> Finding:
    return found("expansion-stops", None, node, text).as_note()


def _idle(search: CheckedSearch, stops: Bools, rows: slice) -> tuple[Ints, Bools]:
    """The leaves of these iterations, and whether each made no node where it could; stops: [N] childless nodes where
    the game goes on."""
    leaf = search.leaf[rows].astype(np.int64)
    return leaf, (search.new_nodes(rows) == 0) & stops[leaf]


def _second_time(search: CheckedSearch, stops: Bools, node: int) -> int:
    """The second of the iterations that made no node below this one."""
    before = 0
    for rows in search.blocks(search.base, search.T):
        leaf, idle = _idle(search, stops, rows)
        at = np.flatnonzero(idle & (leaf == node))
        if before + len(at) > 1:
            return int(rows.start) + int(at[1 - before]) + 1
        before += len(at)
    raise AssertionError("the node was counted in several iterations")


def _players(search: CheckedSearch, reached: list[ReplayedPosition]) -> Iterator[Finding]:
    bad = [
        place for place in reached
        if place.outcome is None and search.to_move[place.node] not in (-1, place.to_move)
    ]  # fmt: skip
    if bad:
        node = bad[0].node
        yield found(
            "expansion-player", int(search.born[node]), node,
            f"player {int(search.to_move[node])} is recorded to move at node {node:,}; by the rules it is "
            f"player {bad[0].to_move}. This holds for {len(bad):,} of {len(reached):,} nodes looked at",
            nodes=len(bad), looked_at=len(reached),
        )  # fmt: skip


def _outcomes(search: CheckedSearch, reached: list[ReplayedPosition]) -> Iterator[Finding]:
    bad = []
    told = "terminal" not in search.meta.not_observed
    visited = (
        search.statistics_after(search.T).visits > 0
    )  # a search need not know what it has not come to
    for place in reached:
        recorded = float(search.outcome[place.node])
        if np.isnan(recorded):
            wrong = place.outcome is not None and told and visited[place.node]
        else:
            wrong = place.outcome is None or abs(place.outcome - recorded) > 1e-6
        if wrong:
            bad.append((place, recorded))
    if bad:
        place, recorded = bad[0]
        says = "goes on" if np.isnan(recorded) else f"ends with {recorded:g}"
        truth = "it goes on" if place.outcome is None else f"it ends with {place.outcome:g}"
        finding = found(
            "expansion-outcome", int(search.born[place.node]), place.node,
            f"at node {place.node:,} the game {says} for the search; by the rules {truth} (view of "
            f"player 0). {len(bad):,} such nodes in all",
            nodes=len(bad),
        )  # fmt: skip
        if all(_has_same_winner(place.outcome, told) for place, told in bad):
            text = f"{finding.message}, with the same winner each: so it is where a search goes by how much is won"
            finding = finding.as_note(text)
        elif all(_is_lost_draw(search, place, told) for place, told in bad):
            text = (
                f"{finding.message}: all of them are draws, and count as lost for who would move next, as where the "
                "end of a game is asked for the one player alone, and what he has not won is lost"
            )
            finding = replace(finding, message=text)
            if search.told_game is not None:
                finding = finding.as_warning(
                    f"{text}. Right where who moves last wins a full board"
                )
        yield finding


def _is_lost_draw(search: CheckedSearch, place: ReplayedPosition, told: float) -> bool:
    """Whether the rules have a draw there, and it was told as the win of who moved last."""
    low, high = search.meta.reward_range
    mover = int(search.mover[place.node])
    return place.outcome == (low + high) / 2 and mover >= 0 and told == (high, low)[mover]


def _has_same_winner(outcome: float | None, told: float) -> bool:
    return outcome is not None and outcome * told > 0
