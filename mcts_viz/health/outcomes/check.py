"""Whether the outcome of a simulation is one that the game can have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import SEVERITIES, Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.occurrences import Occurrences
from mcts_viz.health.outcomes.beginner import always_begun_by
from mcts_viz.health.outcomes.begun_elsewhere import begun_elsewhere
from mcts_viz.health.outcomes.other_begins import begun_by_other
from mcts_viz.health.outcomes.outcomes_of_ends import OutcomesOfEnds
from mcts_viz.health.outcomes.played_on import check_played_on
from mcts_viz.health.outcomes.replays import (
    MOST_ROLLOUTS,
    ReplayedRollout,
    rollouts,
    sample,
)
from mcts_viz.health.outcomes.told_moves import check_told_moves
from mcts_viz.trace.words import plural
from mcts_viz.types import Floats, Ints

FEW = 8  # rollouts, too few to judge chance
SAME = 0.98
ROUNDING = 1e-5  # of a result, as it is recorded
LEAST_MOVES = 200  # of rollouts, for a judgement of how they are drawn
LIMIT = 5.0  # standard deviations: once in 1.7 million searches by chance
MANY_DUE = 30.0  # moves; that one of this many is missing by chance happens once in 10¹³


class KnownOutcomes:
    """Outcome of each iteration, view of player 0, as far as it is known: recorded, or that of the
    finished game at the leaf; where there is neither, the rules are asked about some leaves."""

    def __init__(self, search: CheckedSearch) -> None:
        self._course = search
        self._asked: LeafOutcomes | None = None
        if search.rules is not None and not self._recorded():
            self._asked = LeafOutcomes(search)

    def _recorded(self) -> bool:
        return any(
            not np.isnan(self._known(rows)).all()
            for rows in self._course.blocks(self._course.base, self._course.T)
        )

    def _known(self, rows: slice) -> Floats:
        result = self._course.trace.columns.outcome[rows].astype(np.float64)
        end = self._course.outcome[self._course.leaf[rows]]
        return np.asarray(np.where(np.isnan(result), end, result))

    def during(self, part: IterationRange) -> Floats:
        """[n] those of the range; nan where not known."""
        if self._asked is not None:
            return self._asked.at(part.leaf)
        return self._known(slice(part.first - 1, part.last))


class LeafOutcomes:
    """What the rules say of leaves where the game is over, for a sample of them."""

    def __init__(self, search: CheckedSearch) -> None:
        was_leaf = np.zeros(search.N, np.bool_)
        for rows in search.blocks(search.base, search.T):
            was_leaf[search.leaf[rows]] = True
        leaves = sample(np.flatnonzero(was_leaf), MOST_ROLLOUTS)
        told = [search.positions[node] for node in leaves]
        over = [(place.node, place.outcome) for place in told if place.outcome is not None]
        self._node = np.array([node for node, _ in over], np.int64)  # ascending
        self._outcome = np.array([outcome for _, outcome in over], np.float64)

    def at(self, nodes: Ints) -> Floats:
        """View of player 0; nan where the game goes on, or the rules were not asked."""
        if not len(self._node):
            return np.full(len(nodes), np.nan)
        place = np.minimum(np.searchsorted(self._node, nodes), len(self._node) - 1)
        return np.where(self._node[place] == nodes, self._outcome[place], np.nan)


def check_simulation(search: CheckedSearch) -> Iterator[Finding]:
    """Findings about simulations."""
    yield from _finished_games(search)
    moves = search.trace.columns.rollout
    if not moves.recorded or not len(moves):
        return
    if search.rules is None:
        yield from check_told_moves(search)
        yield from check_played_on(search)
        return
    if search.meta.policies.simulation.by_evaluator:
        return
    iterations = sample(range(search.base + 1, search.T + 1), MOST_ROLLOUTS)
    told = rollouts(search, iterations)
    findings, told = _by_the_rules(search, told)
    yield from findings
    yield from _repeated(told)
    ignored = list(_never_played(told))
    yield from ignored
    if not ignored and search.meta.policies.simulation.name != "decisive":
        yield from _uneven(told)


def _finished_games(search: CheckedSearch) -> Iterator[Finding]:
    """Leaves where the game is over: there is one result."""
    result = search.trace.columns.outcome
    ends = None if _ends_recorded(search) or not search.has_results else _asked(search)
    seen, given, due, visits = Occurrences(), 0.0, 0.0, OutcomesOfEnds()
    for rows in search.blocks(search.base, search.T):
        leaf, outcome = search.leaf[rows].astype(np.int64), result[rows].astype(np.float64)
        end = search.outcome[leaf].astype(np.float64) if ends is None else ends.at(leaf)
        bad = np.abs(outcome - end) > 1e-6
        if bad.any() and not seen.times:
            given, due = float(outcome[bad][0]), float(end[bad][0])
        seen.add(bad, np.arange(rows.start, rows.stop) + 1, leaf)
        visits.look(leaf, outcome, bad, ~np.isnan(outcome - end))
    t, node, times = seen
    if times:
        yield found(
            "simulation-terminal", t, node,
            f"the game is over at node {node:,} with {due:g}, and iteration {t:,} gives it the "
            f"outcome {given:g} (view of player 0); this happens in {plural(times, 'iteration')}{visits.why()}",
            times=times,
        )  # fmt: skip


def _ends_recorded(search: CheckedSearch) -> bool:
    return any(
        not np.isnan(search.outcome[search.leaf[rows]]).all() for rows in search.blocks(0, search.T)
    )


def _asked(search: CheckedSearch) -> LeafOutcomes | None:
    return None if search.rules is None else LeafOutcomes(search)


def _by_the_rules(
    search: CheckedSearch, told: list[ReplayedRollout]
) -> tuple[list[Finding], list[ReplayedRollout]]:
    """Rollouts that do not go by the rules; one finding, where one mistake explains all of them. And the rollouts as
    they were played, as far as that is known."""
    result = search.trace.columns.outcome
    findings = [*_illegal(search, told), *_unfinished(search, told), *_results(search, told)]
    if not findings:
        return [], told
    wrong = np.array([not _is_right(one, float(result[one.iteration - 1])) for one in told])
    elsewhere = begun_elsewhere(search, told, wrong)
    if elsewhere is not None and isinstance(elsewhere.what, Finding):
        return [elsewhere.what], elsewhere.told
    as_played = told if elsewhere is None else elsewhere.told
    words = always_begun_by(search, told, wrong) if elsewhere is None else elsewhere.what
    if words is None:
        other = begun_by_other(search, told, wrong)
        return (findings if other is None else [other]), told
    one = min(findings, key=lambda each: SEVERITIES.index(each.severity))
    return [replace(one, message=f"{one.message}. {words}")], as_played


def _is_right(one: ReplayedRollout, recorded: float) -> bool:
    return one.illegal is None and not one.unfinished and not _is_another(one, recorded)


def _is_another(one: ReplayedRollout, recorded: float) -> bool:
    """Whether another outcome is recorded than that of the rollout's game; not asked where it was over at the leaf."""
    return one.outcome is not None and bool(one.firsts) and abs(one.outcome - recorded) > ROUNDING


def _illegal(search: CheckedSearch, told: list[ReplayedRollout]) -> Iterator[Finding]:
    bad = [one for one in told if one.illegal is not None]
    if bad and all(one.after_end for one in bad):
        yield _after_end(search, told, bad)
    elif bad:
        t, move = bad[0].iteration, bad[0].illegal
        yield found(
            "simulation-illegal", t, int(search.leaf[t - 1]),
            f"the rollout of iteration {t:,} plays {search.trace.action_name(move or 0)}, which is not "
            f"legal there; {len(bad):,} of {len(told):,} rollouts looked at have an illegal move",
            times=len(bad), looked_at=len(told),
        )  # fmt: skip


def _after_end(
    search: CheckedSearch, told: list[ReplayedRollout], bad: list[ReplayedRollout]
) -> Finding:
    """Of rollouts that go on after the game is over."""
    result = search.trace.columns.outcome
    due = np.array([one.outcome for one in bad], np.float64)
    off = np.array([result[one.iteration - 1] for one in bad], np.float64) - due
    t = bad[0].iteration
    words = (
        f"the rollout of iteration {t:,} goes on after the game is over, and so do {len(bad):,} of {len(told):,} "
        "rollouts looked at"
    )
    finding = found(
        "simulation-illegal", t, int(search.leaf[t - 1]),
        f"{words}. Ask after every move whether the game is over, and who has won it: what stands on a board that was "
        "played on does not say that",
        times=len(bad), looked_at=len(told),
    )  # fmt: skip
    if (np.abs(off) <= ROUNDING).all():
        return finding.as_note(
            f"{words}. Right where moves after the end change no result, as here"
        )
    other = off[np.abs(off) > ROUNDING]
    if not len(other):
        return finding  # results were not told
    said = f"{finding.message}; {len(other):,} have another result than at their end"
    for player, in_favour in zip(search.meta.player_names, (other > 0, other < 0)):
        if in_favour.all():
            said += f", all of them in favour of {player}"
    return replace(finding, message=said)


def _unfinished(search: CheckedSearch, told: list[ReplayedRollout]) -> Iterator[Finding]:
    cut = [one for one in told if one.illegal is None and one.unfinished]
    if cut:
        t = cut[0].iteration
        yield found(
            "simulation-unfinished", t, int(search.leaf[t - 1]),
            f"the rollout of iteration {t:,} stops before the game is over, as do {len(cut):,} of "
            f"{len(told):,} looked at",
            times=len(cut), looked_at=len(told),
        )  # fmt: skip


def _results(search: CheckedSearch, told: list[ReplayedRollout]) -> Iterator[Finding]:
    result = search.trace.columns.outcome
    bad = [
        one for one in told
        if one.illegal is None and _is_another(one, float(result[one.iteration - 1]))
    ]  # fmt: skip
    if bad:
        t = bad[0].iteration
        yield found(
            "simulation-outcome", t, int(search.leaf[t - 1]),
            f"the rollout of iteration {t:,} ends with {bad[0].outcome:g} by the rules, and "
            f"{float(result[t - 1]):g} is recorded (view of player 0); this holds for {len(bad):,} of "
            f"{len(told):,} rollouts looked at",
            times=len(bad), looked_at=len(told),
        )  # fmt: skip


def _never_played(told: list[ReplayedRollout]) -> Iterator[Finding]:
    """Rollouts that never play the first, or the last, of the legal moves."""
    moves = [
        (place, n) for one in told for place, n in (*one.firsts, *one.later) if n > 1
    ]  # fmt: skip
    due = sum(1 / n for _, n in moves)
    kept = [place for place, _ in moves]
    for word, times in (
        ("first", kept.count(0)), ("last", sum(place == n - 1 for place, n in moves)),
    ):  # fmt: skip
        if due >= MANY_DUE and not times:
            yield found(
                "simulation-ignored-move", None, None,
                f"no rollout ever plays the {word} of the legal moves: of {len(moves):,} moves of rollouts, random "
                f"ones would be it {due:,.0f} times",
                moves=len(moves), due=due,
            )  # fmt: skip
            return


def _uneven(told: list[ReplayedRollout]) -> Iterator[Finding]:
    """Rollouts whose moves are not drawn evenly from the list of legal moves: too near one end of it on average, or too
    near its middle or its ends. Each draw of a random rollout is independent of those before it."""
    places = np.array(
        [each for one in told for each in (*one.firsts, *one.later)], np.float64
    ).reshape(-1, 2)
    place, n = places[places[:, 1] > 1].T
    if len(n) < LEAST_MOVES:
        return
    at = (place + 0.5) / n - 0.5  # from −0.5, the first of the list, to 0.5
    spread = (n**2 - 1) / (12 * n**2)
    of_spread = (n**2 - 1) * (3 * n**2 - 7) / (240 * n**4) - spread**2
    shift = at.sum() / np.sqrt(spread.sum())
    wide = (at**2 - spread).sum() / np.sqrt(max(of_spread.sum(), 1e-12))
    if max(abs(shift), abs(wide)) < LIMIT:
        return
    if abs(shift) >= abs(wide):
        where = f"nearer the {'end' if shift > 0 else 'beginning'} of the list of legal moves"
    else:
        where = f"nearer the {'ends' if wide > 0 else 'middle'} of the list of legal moves"
    apart = max(abs(shift), abs(wide))
    yield found(
        "simulation-not-random", None, None,
        f"{len(n):,} moves of rollouts stand {where} than evenly drawn ones would, by {apart:.1f} standard "
        f"deviations{_too_often(place, n)}",
        moves=len(n), apart=float(apart),
    )  # fmt: skip


def _too_often(place: Floats, n: Floats) -> str:
    """In words: which place in the list comes far more often than it would, where one does."""
    use = n > 2  # else the places are the same
    place, n = place[use], n[use]
    due = (1 / n).sum()
    spread = np.sqrt(max(float((1 / n - 1 / n**2).sum()), 1e-12))
    places = {
        "the first of them, `legal[0]`,": 0 * n,
        "the last of them, `legal[-1]`,": n - 1,
        "the one in the middle, `legal[len(legal) // 2]`,": n // 2,
    }
    often = {words: int((place == each).sum()) for words, each in places.items()}
    words = max(often, key=often.__getitem__)
    if not len(n) or often[words] - due < LIMIT * spread:
        return ""
    return (
        f": where there are three or more, {words} is played {often[words]:,} times, and {due:,.0f} are due. "
        "Right in heavy rollouts; else a move is taken by its place in the list"
    )


def _repeated(told: list[ReplayedRollout]) -> Iterator[Finding]:
    """Rollouts that always begin with the same one of n legal moves."""
    places: dict[int, list[int]] = defaultdict(list)
    for one in told:
        for place, n in one.firsts:
            if n > 1:
                places[n].append(place)
    enough = [group for group in places.values() if len(group) >= FEW]
    total = sum(map(len, enough))
    same = sum(max(group.count(place) for place in set(group)) for group in enough)
    if total >= 3 * FEW and same >= SAME * total:
        yield found(
            "simulation-repeats", None, None,
            f"{same:,} of {total:,} rollouts begin with the same one of the legal moves, whatever the "
            "position: they are not random",
            times=same, of=total,
        )  # fmt: skip
