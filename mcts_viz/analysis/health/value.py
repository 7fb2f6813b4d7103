"""Whether backpropagation adds what the simulation was worth, to each node in the view of the player
who moved into it.

A value is judged visit by visit. Values outside the range are put aside first, with all nodes that
ever got one, so that one mistake is not told as several.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mcts_viz.analysis.health.catalogue import found
from mcts_viz.analysis.health.course import Bools, Course, Floats, Ints
from mcts_viz.analysis.health.finding import Finding

FEW = 10  # iterations that say too little
MOST = 0.95  # share that counts as always, where chance may do the rest


class _Values(NamedTuple):
    """Steps with visits below the root, and what each visit there was worth."""

    iteration: Ints
    node: Ints
    player: Ints  # who moved into the node
    is_leaf: Bools
    value: Floats  # of one visit, view of `player`
    visits_before: Ints
    sum_before: Floats

    def where(self, mask: Any) -> _Values:
        return _Values(*(column[mask] for column in self))


def check_value(course: Course, results: Floats) -> Iterator[Finding]:
    """Findings about values. results: [T + 1] outcome of each iteration, view of player 0, nan where
    not known."""
    values = _values(course)
    if not len(values.node):
        return
    beyond = _beyond(course, values)
    if not course.players_known or course.meta.get("step_rewards"):
        # what a node gets need not be what another one gets
        if beyond.any():
            yield _out_of_range(course, values, beyond)
        yield from _root_left_out(course)
        return
    if course.discount != 1.0:
        yield from _discounted(course, values)
        return
    kept = list(_kept_wrongly(course, values))
    if kept:
        yield from kept
        return
    if beyond.any():
        yield _out_of_range(course, values, beyond)
        spoilt = np.zeros(course.N, np.bool_)
        spoilt[values.node[beyond]] = True
        values = values.where(~spoilt[values.node])
    leaf_left_out = list(_leaf_left_out(course, values))
    if leaf_left_out:
        yield from leaf_left_out
        values = values.where(~values.is_leaf)
    uneven = list(_uneven(course, values))
    if uneven:
        yield from uneven
        return
    views = [] if course.alone else list(_views(course, values, results))
    yield from views
    if not views:
        yield from _against_results(course, values, results)
    yield from _root_left_out(course)


def _values(course: Course) -> _Values:
    steps = course.steps
    use = (steps.node > 0) & (steps.visits > 0)
    iteration, node = steps.iteration[use], steps.node[use]
    visits_before, sum_before, _ = course.before(node, iteration)
    return _Values(
        iteration, node, course.mover[node], steps.is_leaf[use],
        steps.value[use] / steps.visits[use], visits_before, sum_before,
    )  # fmt: skip


def _spread(course: Course, values: _Values, numbers: Floats) -> tuple[Floats, Ints]:
    """For each iteration and player, how far apart the numbers of that player's nodes on the path
    are, and how many nodes they are."""
    key = 2 * values.iteration + values.player
    size = 2 * (course.T + 1)
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, key, numbers)
    np.maximum.at(high, key, numbers)
    count = np.bincount(key, minlength=size)
    return np.where(count > 1, high - low, 0.0), count


def _kept_wrongly(course: Course, values: _Values) -> Iterator[Finding]:
    """Sums that are overwritten, or are means: seen where several nodes of one player on a path
    agree on what they have afterwards, but not on what was added."""
    added, count = _spread(course, values, values.value)
    several = count > 1
    disagree = several & (added > course.tolerance)
    if disagree.sum() < FEW or disagree.sum() < 0.05 * several.sum():
        return
    visits_after = values.visits_before + 1
    after = values.sum_before + values.value
    as_mean = values.value * visits_after + values.sum_before
    for check, numbers, what in (
        ("value-overwritten", after, "is the last result alone"),
        ("value-mean", as_mean, "moves like a mean of the results, not like their sum"),
    ):
        spread, _ = _spread(course, values, numbers)
        agree = spread <= 1e3 * course.tolerance
        if np.mean(agree[disagree]) >= MOST:
            t = int(np.flatnonzero(disagree)[0] // 2)
            node = int(values.node[values.iteration == t][0])
            yield found(
                check, t, node,
                f"the value sum {what}: so it is at {np.mean(agree[several]):.0%} of "
                f"{int(several.sum()):,} paths",
                paths=int(several.sum()),
            )  # fmt: skip
            return


def _beyond(course: Course, values: _Values) -> Bools:
    low, high = course.value_range
    slack = 1e3 * course.tolerance
    return (values.value < low - slack) | (values.value > high + slack)


def _out_of_range(course: Course, values: _Values, beyond: Bools) -> Finding:
    low, high = course.value_range
    worst = np.flatnonzero(beyond)[np.abs(values.value[beyond]).argmax()]
    first = np.flatnonzero(beyond)[0]
    return found(
        "value-out-of-range", int(values.iteration[first]), int(values.node[first]),
        f"one visit adds {values.value[first]:,.6g} to node {int(values.node[first]):,}; it may add "
        f"{low:g} to {high:g}. This happens at {int(beyond.sum()):,} of {len(beyond):,} steps; the "
        f"farthest is {values.value[worst]:,.6g}",
        times=int(beyond.sum()), steps=len(beyond), farthest=float(values.value[worst]),
    )  # fmt: skip


def _leaf_left_out(course: Course, values: _Values) -> Iterator[Finding]:
    leaf = values.where(values.is_leaf)
    if not len(leaf.node) or np.any(leaf.value != 0):
        return
    above = values.where(~values.is_leaf)
    leaf_player = np.full(course.T + 1, -1)
    leaf_player[leaf.iteration] = leaf.player
    credited = (leaf_player[above.iteration] == above.player) & (above.value != 0)
    n = len(np.unique(above.iteration[credited]))
    if n >= FEW:
        t = int(above.iteration[credited][0])
        yield found(
            "value-leaf", t, int(course.leaf[t - 1]),
            f"the leaf gets its visit, but never a value; {n:,} times a node above it that the same "
            "player moved into gets one",
            times=n,
        )  # fmt: skip


def _uneven(course: Course, values: _Values) -> Iterator[Finding]:
    """Nodes of one player on a path that get different values."""
    spread, count = _spread(course, values, values.value)
    bad = spread > 1e3 * course.tolerance
    if not bad.any():
        return
    key = 2 * values.iteration + values.player
    part = values.where(bad[key])
    key = key[bad[key]]
    order = np.lexsort((part.node, key))  # towards the leaf
    value, key, node = part.value[order], key[order], part.node[order]
    next_down = np.flatnonzero(key[1:] == key[:-1])
    upper, lower = value[next_down], value[next_down + 1]
    shrinking = (np.abs(upper) <= np.abs(lower) + course.tolerance) & (upper * lower >= 0)
    t = int(key[0] // 2)
    share = f"{int(bad.sum()):,} of {int((count > 1).sum()):,} paths"
    if np.mean(shrinking) >= 0.99 and bad.sum() >= FEW:
        ratio = upper[lower != 0] / lower[lower != 0]
        even = float(np.median(ratio)) if len(ratio) else 1.0
        constant = bool(len(ratio)) and np.mean(np.abs(ratio - even) < 1e-6) > 0.9
        by = f", by {even:.4g} from one node of a player to the next" if constant else ""
        yield found(
            "value-discount", t, int(node[0]),
            f"values shrink on the way from the leaf to the root{by}: on {share}",
            times=int(bad.sum()), ratio=even if constant else None,
        )  # fmt: skip
        return
    yield found(
        "value-uneven", t, int(node[0]),
        f"nodes of the same player on the same path get different values, first in iteration {t:,}: "
        f"{value[0]:.6g} and {value[1]:.6g}; on {share}",
        times=int(bad.sum()),
    )  # fmt: skip


def _discounted(course: Course, values: _Values) -> Iterator[Finding]:
    """Whether values shrink by the declared discount from each node to its parent."""
    discount, (low, high) = course.discount, course.value_range
    if discount is None or (low != -high and not course.alone):
        return
    below = np.flatnonzero(values.iteration[1:] == values.iteration[:-1])
    upper, lower = values.value[below], values.value[below + 1]
    due = lower * discount
    if not course.alone:
        due = np.where(values.player[below] == values.player[below + 1], due, -due)
    bad = np.abs(upper - due) > 1e-5 * (1.0 + np.abs(due))
    if bad.any():
        i = int(below[np.argmax(bad)])
        t, node = int(values.iteration[i]), int(values.node[i])
        yield found(
            "value-not-discounted", t, node,
            f"node {node:,} gets {values.value[i]:.6g} in iteration {t:,}, the node below it "
            f"{values.value[i + 1]:.6g}; by the declared discount {discount:g} it should be "
            f"{float(due[np.argmax(bad)]):.6g}. So it is at {int(bad.sum()):,} of {len(bad):,} steps",
            times=int(bad.sum()), discount=discount,
        )  # fmt: skip


def _by_player(course: Course, values: _Values) -> Floats:
    """[T + 1, 2] what the nodes of each player got; nan where there was none."""
    each = np.full((course.T + 1, 2), np.nan)
    each[values.iteration, values.player] = values.value
    return each


def _views(course: Course, values: _Values, results: Floats) -> Iterator[Finding]:
    """What the two players get in the same iteration."""
    each = _by_player(course, values)
    both = each[~np.isnan(each).any(axis=1)]
    t_of = np.flatnonzero(~np.isnan(each).any(axis=1))
    if len(both) < FEW:
        return
    kinds = [np.unique(np.round(both[:, p], 9)) for p in (0, 1)]
    same = np.abs(both[:, 0] - both[:, 1]) <= course.tolerance
    if np.mean(same) >= MOST and len(np.unique(np.round(both[same, 0], 9))) > 1:
        t = int(t_of[np.argmax(same)])
        yield found(
            "value-same-view", t, None,
            f"the nodes of both players get the same value in {int(same.sum()):,} of {len(same):,} "
            "iterations, so what one side wins the other is credited with too",
            times=int(same.sum()), of=len(same),
        )  # fmt: skip
        return
    for player in (0, 1):
        if len(kinds[player]) != 1 or len(kinds[1 - player]) < 2:
            continue
        share = course.share(results[t_of], player)
        known = share[~np.isnan(share)]
        if len(known) and not (known.max() > 0 and known.min() < known.max()):
            continue  # that player has won nothing, or everything was the same to him
        if not len(known) and len(kinds[1 - player]) < 3 and np.mean(same) > 0:
            continue  # nothing but draws and the other's wins, perhaps
        names = course.meta.get("players") or ["player 0", "player 1"]
        yield found(
            "value-one-side", int(t_of[0]), None,
            f"nodes that {names[player]} moved into always get {kinds[player][0]:g}, in all "
            f"{len(both):,} iterations; nodes of {names[1 - player]} get "
            f"{', '.join(f'{kind:g}' for kind in kinds[1 - player][:5])}. So the moves of "
            f"{names[player]} are never told apart",
            player=player, iterations=len(both),
        )  # fmt: skip


def _against_results(course: Course, values: _Values, results: Floats) -> Iterator[Finding]:
    """What a node gets, against how the iteration ended for its player."""
    if course.policy("backpropagation").get("collect") == "searcher":
        values = values.where(values.player == course.to_move[0])
    share = course.share(results[values.iteration], values.player)
    mid = 1e-6
    won = values.value[share >= 1 - mid]
    lost = values.value[share <= -1 + mid]
    drawn = values.value[np.abs(share) < mid]
    declared = _declared(course, share)
    if declared is not None:
        bad = np.abs(values.value - declared) > 1e-6 * max(1.0, *map(abs, course.value_range))
        if bad.any():
            i = int(np.flatnonzero(bad)[0])
            yield _not_the_result(values, i, int(bad.sum()), float(declared[i]))
        return
    if len(won) + len(lost) < FEW:
        return
    if len(won) and len(lost):
        win, loss = float(np.median(won)), float(np.median(lost))
        if win < loss:
            where = share >= 1 - mid
            yield found(
                "value-wrong-view", int(values.iteration[where][0]), int(values.node[where][0]),
                f"a node gets {win:g} where its player has won and {loss:g} where that player has "
                f"lost: {len(won) + len(lost):,} times",
                win=win, loss=loss,
            )  # fmt: skip
            return
    for name, part, at in (("won", won, share >= 1 - mid), ("lost", lost, share <= -1 + mid)):
        usual = float(np.median(part)) if len(part) else 0.0
        odd = np.abs(part - usual) > 1e3 * course.tolerance
        if odd.any():
            i = int(np.flatnonzero(at)[np.argmax(odd)])
            yield _not_the_result(values, i, int(odd.sum()), usual, f"where its player has {name}")
            return
    yield from _draws(course, values, won, lost, drawn, np.abs(share) < mid)


def _declared(course: Course, share: Floats) -> Floats | None:
    """What the declared scores make of results; nan-free only where results are known. None where no
    scores are declared, or a mean of several rollouts does not tell what they add up to."""
    scores = course.policy("backpropagation")
    if not {"win", "draw", "loss"} <= set(scores) or np.isnan(share).any():
        return None
    win, draw, loss = (float(scores[name]) for name in ("win", "draw", "loss"))
    straight = abs(win + loss - 2 * draw) < 1e-12
    if course.policy("simulation").get("rollouts", 1) > 1 and not straight:
        return None
    return np.asarray(
        np.where(share >= 0, draw + share * (win - draw), draw - share * (loss - draw))
    )


def _not_the_result(
    values: _Values, i: int, times: int, expected: float, when: str = "by its result"
) -> Finding:
    t, node = int(values.iteration[i]), int(values.node[i])
    return found(
        "value-not-the-result", t, node,
        f"node {node:,} gets {values.value[i]:.6g} in iteration {t:,}, and {expected:.6g} is due "
        f"{when}; so it is at {times:,} of {len(values.node):,} steps",
        times=times, expected=expected, value=float(values.value[i]),
    )  # fmt: skip


def _draws(
    course: Course, values: _Values, won: Floats, lost: Floats, drawn: Floats, at: Bools
) -> Iterator[Finding]:
    if not len(drawn) or not len(won) or not len(lost):
        return
    draw, win, loss = (float(np.median(part)) for part in (drawn, won, lost))
    for check, like, word in (
        ("value-draw-as-win", win, "win"),
        ("value-draw-as-loss", loss, "loss"),
    ):
        if abs(draw - like) <= course.tolerance and win != loss:
            yield found(
                check, int(values.iteration[at][0]), int(values.node[at][0]),
                f"a draw adds {draw:g} to a node, as much as a {word}: {len(drawn):,} times",
                draw=draw, win=win, loss=loss,
            )  # fmt: skip


def _root_left_out(course: Course) -> Iterator[Finding]:
    if "value of the root" in course.not_observed:
        return
    steps = course.steps
    root = steps.node == 0
    if root.any() and not steps.value[root].any() and np.mean(steps.value[~root] != 0) > 0.2:
        yield found(
            "value-root",
            int(steps.iteration[0]),
            0,
            "the root collects visits but no value; no choice depends on it",
        )
