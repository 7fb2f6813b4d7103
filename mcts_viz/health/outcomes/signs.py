"""Whether what a visit adds at a leaf where the game goes on agrees with random play from there.

From each leaf of a sample two independent sets of games are played at random: one weighs the leaf, the
other says what is expected, so that neither biases the other. A correct search's values agree with them
in sign, however well its rollouts play; values that are turned disagree by many standard deviations, and
are the mirror image of what is expected, or are high where it is low. (Values that are wrong in another way,
such as a constant, are neither.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.games.random_play import LONGEST
from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.leaf_statistics import (
    FEW_LEAVES,
    LIMIT_OF_HALF,
    SUSPICIOUS,
    Leaf,
    Sign,
    are_evaluations,
    behind_random_play,
    games_of,
    sign_of,
    signs_of,
    turned_of,
    who_begins,
)
from mcts_viz.health.outcomes.playouts import Playouts
from mcts_viz.health.outcomes.replays import sample
from mcts_viz.types import Floats, Ints

FIRST_LOOK = (200, 4, 2)  # leaves, games in each of the two sets, seed of their random numbers
SECOND_LOOK = (1_000, 8, 3)
THIRD_LOOK = (1_000, 32, 4)
QUICK_LOOK = (1_000, 128, 4)  # of a game that can be compiled
CLEAR = 2.0  # standard deviations, from which on values are right
BEYOND_DOUBT = 8.0  # the same, from which on those of either player are
DOUBTFUL = -2.5  # after the second look
LIMIT_OF_MEAN = 6.0  # of what simulations bring one player more than random play
MORE_DRAWS = 0.25  # share of simulations, than in random play
MUCH = 0.3  # of that, where a win is 1 and a loss −1
BOTH_SIDES = 0.2  # share of leaves
SEED = 2
PLAYOUTS = 6  # from each of two equal positions
ONE_PLACE = 0.98  # share of simulations, which always play the first legal move
MOST_BY_CHANCE = 0.85  # of random ones that end alike
MOST_PAIRS = 200
MOST_ITERATIONS = 2_000_000  # whose leaves are looked at
MOST_HEAVY = 60  # leaves
MOST_COMPARED = 2_000  # visits of leaves
UNLIKELY_AT_BEST = -9.0  # the same where immediate wins are taken: one in eight thousand
LOG_OF_BILLION = 20.72
UNLIKELY = -15.0  # ln of the chance that rollouts agree so often: one in three million
LEARNT = ". Rollouts by a policy that learns may stray so far"


class Signs:
    """What is known of the values at leaves."""

    def __init__(self, search: CheckedSearch, thorough: bool = True) -> None:
        """thorough: whether evaluations are worth a third look."""
        self.search, self.thorough = search, thorough

    @cached_property
    def leaves(self) -> list[Leaf]:
        """A sample of leaves; empty where the rules are not known. More of them, and more games from each,
        where a first look is suspicious."""
        if self.search.rules is None or self.search.alone:
            return []
        leaves = self._sample(*FIRST_LOOK)
        signs, evaluated = signs_of(leaves), are_evaluations(leaves)
        clear = signs[0].rises > CLEAR if evaluated else signs[0].agrees > CLEAR
        clear &= all(min(sign.apart, sign.rises) > SUSPICIOUS for sign in signs)
        quick = Playouts(self.search, SEED).are_quick
        if clear and (signs[0].agrees > BEYOND_DOUBT or not quick):
            return leaves
        if quick and self.thorough:
            return self._sample(*QUICK_LOOK)
        leaves = self._sample(*SECOND_LOOK)
        evaluated, signs = are_evaluations(leaves), signs_of(leaves)
        least = min(sign.rises if evaluated else sign.apart for sign in signs)
        if not self.thorough or least > DOUBTFUL:
            return leaves
        return self._sample(*THIRD_LOOK)

    def _sample(self, most: int, playouts: int, seed: int) -> list[Leaf]:
        iteration, node, value = self.visits_of_leaves
        games = Playouts(self.search, seed)
        leaves = [
            self._leaf(int(iteration[i]), int(node[i]), float(value[i]), games, playouts)
            for i in sample(np.arange(len(node)), most)
        ]
        return [leaf for leaf in leaves if leaf is not None]

    @cached_property
    def visits_of_leaves(self) -> tuple[Ints, Ints, Floats]:
        """Iteration, node and value (view of player 0, −1 to 1) of visits of one leaf below the root
        where the game goes on; of a long search those of some iterations, evenly spread."""
        search = self.search
        every = -(-search.T // MOST_ITERATIONS)
        low, high = search.value_range
        parts: list[tuple[Ints, Ints, Floats]] = []
        for part in search.ranges():
            steps = part.steps
            use = steps.is_leaf & (steps.visits == 1) & (steps.node > 0) & ~search.ended[steps.node]
            use &= steps.iteration % every == 0
            node = steps.node[use]
            share = (2 * steps.value[use] - low - high) / (high - low)
            share = np.where(search.mover[node] == 0, share, -share)
            parts.append((steps.iteration[use], node, share))
        if not parts:
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
        iteration, node, value = (np.concatenate(column) for column in zip(*parts))
        return iteration, node, value

    def _leaf(
        self,
        iteration: int,
        node: int,
        value: float,
        games: Playouts,
        playouts: int,
    ) -> Leaf | None:
        place = self.search.positions[node]
        if place.illegal is not None or place.outcome is not None:
            return None
        outcomes = games.ends(place.state, 2 * playouts)
        if outcomes is None:
            return None
        return Leaf(iteration, node, place.to_move, value, outcomes[:playouts], outcomes[playouts:])

    def sign(self, to_move: int | None = None) -> Sign:
        """How values agree with random play, at leaves where that player is to move."""
        return sign_of([leaf for leaf in self.leaves if to_move in (None, leaf.to_move)])

    @property
    def _moves_are_told(self) -> bool:
        """Whether rollouts are told with their results, and looked at themselves, from the leaf on."""
        return self.search.has_results and self.search.trace.columns.rollout.recorded

    @property
    def evaluated(self) -> bool:
        """Whether values are evaluations, not outcomes of games."""
        return are_evaluations(self.leaves)

    def findings(self, ends_are_right: bool) -> Iterator[Finding]:
        """Values that are turned, and rollouts that depend on one another; ends_are_right: whether values
        of finished games are known to have the right sign."""
        if len(self.leaves) < FEW_LEAVES:
            return
        whole, by_player = self.sign(), (self.sign(0), self.sign(1))
        of_means = games_of(self.leaves)
        if of_means or self.evaluated:
            turned = [*self._of_sign(whole, by_player, ends_are_right)] if of_means else []
            yield from [self._as_means(one, of_means) for one in turned] or (
                self._opposite_evaluations(whole, by_player)
            )
            yield from self._one_sided(ends_are_right)
            yield from self._mover_behind(of_means) if of_means and not turned else ()
            return
        one_sided = [*self._one_role()]
        one_sided = one_sided or [*self._no_wins()]
        if one_sided:
            yield from one_sided
            return
        turned = [*self._of_sign(whole, by_player, ends_are_right)]
        yield from turned
        ignored = [*self._no_draws()]
        # rollouts that are not independent stray further than chance allows
        dependent = [*self._dependent()]
        is_turned = bool(turned) or turned_of(by_player) != [] or whole.turned()
        cut = [] if is_turned else [*self._cut_short()]
        ahead = ignored or cut or [*self._one_player_ahead()]
        yield from ahead or ([] if dependent or is_turned else self._mover_behind())
        yield from dependent

    def _of_sign(
        self, whole: Sign, by_player: tuple[Sign, Sign], ends_are_right: bool
    ) -> Iterator[Finding]:
        """Results that are turned, at all leaves or at those of one player."""
        turned = turned_of(by_player)
        if len(turned) == 1 and by_player[1 - turned[0]].right:
            name = player_name(self.search.meta, turned[0])
            where = f"at leaves where {name} is to move, and not at others,"
            yield self._turned(by_player[turned[0]], where)
        elif whole.turned():
            told = self.search.has_results
            if told or ends_are_right:
                yield self._turned(whole, "at leaves where the game goes on")
            else:  # all values that there are
                yield found(
                    "value-wrong-view", self.leaves[0].iteration, self.leaves[0].node,
                    "values are high for the player who loses in random play from there, and low for the one "
                    f"who wins: {-whole.apart:.1f} standard deviations apart, at {len(self.leaves):,} leaves "
                    "looked at. Each node seems to get the value of the other player",
                    deviations=whole.apart, looked_at=len(self.leaves),
                )  # fmt: skip

    def _as_means(self, one: Finding, games: int) -> Finding:
        """Of values that seem to be means of some games; numbers that are counted in another way may look like it."""
        told = self.search.meta.policies.simulation.rollouts
        words = f"{one.message}. Values are as of the means of {told or games:,} games"
        return replace(one, message=words) if told else one.as_warning(words)

    def _mover_behind(self, games: int = 1) -> Iterator[Finding]:
        """Results that are worse than random play for the player to move at the leaf, whoever that is: the other one
        moves first in the rollouts. games: of how many each value is the mean."""
        if self._moves_are_told:
            return
        if games == 1:
            drawn = (np.abs(self.visits_of_leaves[2]) < 1e-6).mean()
            due = np.mean([(np.abs(ends) < 1e-6).mean() for _, ends in self._games[0]])
            if drawn > due + MORE_DRAWS / 2:
                return  # games are cut short: whoever moves next is the first who can win
        behind = behind_random_play(self.leaves, games)
        suspicious = behind is None or min(behind.apart) < SUSPICIOUS / 2
        if suspicious and len(self.leaves) < SECOND_LOOK[0]:
            behind = behind_random_play(self._sample(*SECOND_LOOK), games)
        if behind is None:
            return
        words = who_begins(behind, [player_name(self.search.meta, player) for player in (0, 1)])
        if words is None:
            return
        finding = found(
            "simulation-first-move", self.leaves[0].iteration, None,
            f"simulations bring the player to move at their leaf less than random play from there does, {words}",
            looked_at=behind.of, less=behind.less, deviations=min(behind.whole, *behind.apart),
        )  # fmt: skip
        yield finding if behind.sure else finding.as_note(f"{finding.message}{LEARNT}")

    def _cut_short(self) -> Iterator[Finding]:
        """Far more draws than in random play, and where immediate wins are taken; where nobody told the outcomes, which
        are compared themselves."""
        if self.search.has_results:
            return
        every = self.visits_of_leaves[2]
        drawn = np.abs(every) < 1e-6
        if not (drawn | (np.abs(every) > 1 - 1e-6)).all() or drawn.all():
            return
        due = [
            float(np.mean([(np.abs(ends) < 1e-6).mean() for _, ends in games]))
            for games in self._games
        ]
        if drawn.mean() < max(due) + MORE_DRAWS:
            return
        first = self.leaves[0]
        yield found(
            "simulation-unfinished", first.iteration, None,
            f"{drawn.mean():.0%} of {len(every):,} visits of leaves bring a draw, and {due[0]:.0%} of the games "
            "would in random play from there: simulations seem to be cut short, and those that have no winner yet "
            "count as draws. Right if you mean it, and for a value function that knows who wins at the end alone",
            share=float(drawn.mean()), due=due[0],
        ).as_note()  # fmt: skip

    def _one_player_ahead(self) -> Iterator[Finding]:
        """Results that are better for one player than random play, whoever is to move at the leaf; where nobody told
        the outcomes, which are compared themselves."""
        if self.search.has_results:
            return
        more: list[float] = []
        apart: list[float] = []
        for to_move in (0, 1):
            own = [leaf for leaf in self.leaves if leaf.to_move == to_move]
            if len(own) < FEW_LEAVES:
                return
            ends = np.array([np.concatenate((leaf.first, leaf.second)) for leaf in own])
            value = np.array([leaf.value for leaf in own])
            spread = ends.var(axis=1, ddof=1).sum() * (1 + 1 / ends.shape[1])
            more.append(float((value - ends.mean(axis=1)).mean()))
            apart.append(float((value - ends.mean(axis=1)).sum() / np.sqrt(spread + 1.0)))
        side = 0 if more[0] > 0 else 1
        sign = 1 - 2 * side
        if sign * more[1] <= 0 or min(sign * each for each in more) < MUCH:
            return
        if min(sign * each for each in apart) < LIMIT_OF_MEAN / np.sqrt(2.0):
            return
        name = player_name(self.search.meta, side)
        first = self.leaves[0]
        yield found(
            "simulation-not-random", first.iteration, None,
            f"simulations bring {name} more than random play from the same leaves, {abs(more[0]):.2f} and "
            f"{abs(more[1]):.2f} on average where each player is to move (a win is 1, a loss −1): games that are cut "
            f"short, or draws, seem to count as wins of {name}, or rollouts play well for {name} alone",
            looked_at=len(self.leaves), player=side,
        )  # fmt: skip

    def _one_role(self) -> Iterator[Finding]:
        """Outcomes that are never good for the player to move at the leaf, whoever that is, or never bad."""
        _, node, value = self.visits_of_leaves
        value = np.where(self.search.mover[node] == 0, -value, value)  # as if players took turns
        if any(self.search.mover[leaf.node] == leaf.to_move for leaf in self.leaves):
            return
        draws = np.mean([(np.abs(ends) < 1e-6).mean() for _, ends in self._games[0]])
        if (np.abs(value) < 1e-6).mean() > draws + MORE_DRAWS:
            return  # games are cut short: whoever moves next is the first who can win
        for side, word in ((1.0, "won"), (-1.0, "lost")):
            if (side * value > 0).any() or np.abs(value).max() < 1 - 1e-6:
                continue
            due = [
                np.mean([(side * (1 - 2 * leaf.to_move) * ends > 0).mean() for leaf, ends in games])
                for games in self._games
            ]
            if not self._never(len(value), *due):
                continue
            first = self.leaves[0]
            yield found(
                "simulation-flipped", first.iteration, first.node,
                f"no simulation is {word} by the player to move at its leaf, in {len(value):,} visits of leaves, where "
                f"random play is in {due[0]:.0%} of the games: the outcome is that of the game's winner, or of who "
                "is to move at its end, and not in the view of a player of the leaf",
                looked_at=len(value), share=float(due[0]),
            )  # fmt: skip

    def _no_wins(self) -> Iterator[Finding]:
        """Wins of one player that never come, though they do in random play, and where immediate wins are taken."""
        every = self.visits_of_leaves[2]
        names = [player_name(self.search.meta, player) for player in (0, 1)]
        for player, side in ((0, 1.0), (1, -1.0)):
            value = side * every
            if (value > 1e-6).any() and not (value >= 0).all():
                continue
            if (value < 0).any() == (value > 0).any() or np.abs(value).max() < 1 - 1e-6:
                continue
            never = player if not (value > 0).any() else 1 - player
            sign = 1.0 if never == 0 else -1.0
            due = [
                float(np.mean([(sign * ends > 0).mean() for _, ends in games]))
                for games in self._games
            ]
            if not self._never(len(every), *due):
                continue
            due_other = np.mean([(sign * ends < 0).mean() for _, ends in self._games[0]])
            if (sign * every <= -1 + 1e-6).mean() < due_other / 2:
                continue  # nor does the other one win as often: games are cut short
            kinds = ", ".join(f"{kind:g}" for kind in np.unique(np.round(-sign * every, 6))[:4])
            first = self.leaves[0]
            yield found(
                "value-one-side", first.iteration, first.node,
                f"no simulation is won by {names[never]}, in {len(every):,} visits of leaves, where random play is in "
                f"{due[0]:.0%} of the games; on a scale from −1 to 1 they bring {names[1 - never]} {kinds}: wins of "
                f"{names[never]} count as draws, or as the other player's",
                player=never, looked_at=len(every), share=due[0],
            )  # fmt: skip
            return

    def _no_draws(self) -> Iterator[Finding]:
        """Draws that count as wins of one player, and as losses of the other."""
        every = self.visits_of_leaves[2]
        value = np.array([leaf.value for leaf in self.leaves])
        if (np.abs(every) < 1 - 1e-6).any():
            return
        due = [
            float(np.mean([(np.abs(ends) < 1e-6).mean() for _, ends in games]))
            for games in self._games
        ]
        if not self._never(len(every), due[0], due[0]):
            return
        if sure := self._never(len(every), *due):
            instead = ""
        else:
            instead = ". Or simulations take wins where they can, which leaves few draws"
        turn = np.array([1 - 2 * leaf.to_move for leaf in self.leaves])
        more = value - np.array(
            [np.concatenate((leaf.first, leaf.second)).mean() for leaf in self.leaves]
        )
        names = [player_name(self.search.meta, player) for player in (0, 1)]
        sums = {
            names[0]: more.sum(),
            names[1]: -more.sum(),
            "the player to move at the leaf": (turn * more).sum(),
            "the player who moved into the leaf": -(turn * more).sum(),
        }
        who = max(sums, key=sums.__getitem__)
        first = self.leaves[0]
        yield replace(
            found(
                "value-draw-as-win", first.iteration, first.node,
                f"no simulation ends in a draw, in {len(every):,} visits of leaves, where random play does in "
                f"{due[0]:.0%} of the games: a draw seems to count as a win of {who}{instead}",
                looked_at=len(value), share=due[0],
            ),
            severity="warning" if sure else "note",
        )  # fmt: skip

    def _never(self, n: int, at_random: float, with_wins: float) -> bool:
        """Whether what comes with these chances in games at random, and in those in which immediate wins are taken,
        is too likely never to come in n games. The chances are those of a sample: two standard errors less."""
        games = [sum(len(ends) for _, ends in each) for each in self._games]
        chances = []
        for share, of in zip((at_random, with_wins), games):
            least = max(0.0, share - 2 * float(np.sqrt(share * (1 - share) / of)))
            chances.append(n * np.log1p(-min(least, 0.999)))
        return bool(chances[0] < UNLIKELY and chances[1] < UNLIKELY_AT_BEST)

    @cached_property
    def _games(self) -> list[list[tuple[Leaf, Floats]]]:
        """Games from each leaf at random, and from some in which immediate wins are taken; view of player 0."""
        games = Playouts(self.search, SEED)
        plain = [(leaf, np.concatenate((leaf.first, leaf.second))) for leaf in self.leaves]
        heavy = []
        for i in sample(np.arange(len(self.leaves)), MOST_HEAVY):
            state = self.search.positions[self.leaves[i].node].state
            ends = games.ends(state, 2, True)
            heavy.append((self.leaves[i], np.full(2, np.nan) if ends is None else ends))
        return [plain, heavy]

    def _turned(self, sign: Sign, where: str) -> Finding:
        first = self.leaves[0]
        return found(
            "simulation-flipped", first.iteration, first.node,
            f"outcomes of simulations {where} are the opposite of what random play from there gives: "
            f"{-sign.apart:.1f} standard deviations apart, at {len(self.leaves):,} leaves looked at",
            deviations=sign.apart, looked_at=len(self.leaves),
        )  # fmt: skip

    def _opposite_evaluations(self, whole: Sign, by_player: tuple[Sign, Sign]) -> Iterator[Finding]:
        """Evaluations that are high where random play says low; those of one player alone where those of
        the other are right."""
        wrong = [player for player in (0, 1) if by_player[player].opposite(LIMIT_OF_HALF)]
        sign, where = whole, ""
        if len(wrong) == 1 and not whole.opposite(LIMIT_OF_HALF):
            sign = by_player[wrong[0]]
            where = f" where {player_name(self.search.meta, wrong[0])} is to move"
        elif not whole.opposite(LIMIT_OF_HALF):
            return
        first = self.leaves[0]
        yield found(
            "simulation-flipped", first.iteration, first.node,
            f"evaluations of leaves{where} are low where random play from there wins, and high where it "
            f"loses: their correlation with it is {sign.correlation:.2f}, {-sign.rises:.1f} standard "
            "deviations from none. So does the value of a network for the player to move, taken for the "
            "other player's",
            correlation=sign.correlation, deviations=sign.rises, looked_at=len(self.leaves),
        ).as_warning()  # fmt: skip

    def _one_sided(self, ends_are_right: bool) -> Iterator[Finding]:
        """Evaluations that are never bad for the player to move, or never good, though finished games are
        both, and random play, too: a scale from 0 to 1 beside one from −1 to 1."""
        sign = np.array([1.0 if leaf.to_move == 0 else -1.0 for leaf in self.leaves])
        value = sign * np.array([leaf.value for leaf in self.leaves])
        due = sign * np.array([leaf.first.mean() for leaf in self.leaves])
        low, high = (float((side * due > 0).mean()) for side in (-1, 1))
        if not ends_are_right or min(low, high) < BOTH_SIDES or np.ptp(value) == 0:
            return
        if not (value >= 0).all() and not (value <= 0).all():
            return
        word = "bad" if (value >= 0).all() else "good"
        first = self.leaves[0]
        yield found(
            "simulation-not-random", first.iteration, None,
            f"no evaluation is {word} for the player to move, at {len(self.leaves):,} leaves looked at: "
            f"they lie from {value.min():.3g} to {value.max():.3g}, where −1 is a loss and 1 a win, as the "
            f"finished games of the tree count. Random play loses {low:.0%} of them and wins {high:.0%}. So "
            "do evaluations from 0 to 1 beside results from −1 to 1",
            looked_at=len(self.leaves), least=float(value.min()), greatest=float(value.max()),
        ).as_warning()  # fmt: skip

    def _dependent(self) -> Iterator[Finding]:
        """Rollouts from equal positions that have the same end far too often."""
        if self.evaluated or abs(self.sign().apart) > LIMIT_OF_HALF:
            return
        if self.search.meta.policies.simulation.name == "value":
            return  # an evaluator says the same of the same position
        same = [*self._one_place()]
        if same:
            yield from same
            return
        pairs = self._pairs()
        _, often = np.unique(np.round(self.visits_of_leaves[2], 6), return_counts=True)
        own = float(((often / often.sum()) ** 2).sum())  # chance of any two to be alike
        if any(one.value != other.value for one, other in pairs):
            return
        games = Playouts(self.search, SEED)
        for takes_wins, limit in ((True, UNLIKELY_AT_BEST), (False, UNLIKELY)):
            chance = sum(
                np.log(max(own, self._alike(one.state, games, takes_wins))) for one, _ in pairs
            )
            if chance >= limit:
                return
        yield found(
            "simulation-repeats", pairs[0][1].iteration, None,
            f"all {len(pairs):,} pairs of simulations from equal positions end alike; random ones would "
            f"do so with a chance of {_one_in(-chance)}: the same random numbers are "
            "drawn again, as where a generator is seeded anew for each rollout, or none are, as where the "
            "position alone decides how its rollout goes on: only the first is a mistake. Moves of rollouts that "
            "are told (rollout=) show which",
            pairs=len(pairs),
        ).as_note()  # fmt: skip

    def _one_place(self) -> Iterator[Finding]:
        """Every simulation ends as where always the first, or always the last, of the legal moves is played."""
        if self._moves_are_told:
            return
        at_random = np.mean([(leaf.first == leaf.value).mean() for leaf in self.leaves])
        for place, word in ((0, "first"), (-1, "last")):
            ends = [self._end_by_place(leaf, place) for leaf in self.leaves]
            alike = np.mean([end == leaf.value for end, leaf in zip(ends, self.leaves)])
            if alike < ONE_PLACE or at_random > MOST_BY_CHANCE or len(set(ends)) < 2:
                continue
            yield found(
                "simulation-repeats", self.leaves[0].iteration, None,
                f"{alike:.0%} of {len(ends):,} simulations looked at end as where always the {word} of the legal moves "
                f"is played; {at_random:.0%} of random ones do: the move is not drawn",
                looked_at=len(ends), share=float(alike),
            )  # fmt: skip
            return

    def _end_by_place(self, leaf: Leaf, place: int) -> float | None:
        """View of player 0."""
        rules = self.search.positions.rules
        state = rules.copy(self.search.positions[leaf.node].state)
        for _ in range(LONGEST):
            legal = rules.legal_actions(state)
            if not legal:
                break
            state = rules.play(state, legal[place])
        outcome = rules.outcome(state)
        return None if outcome is None else float(self.search.share(outcome, 0))

    def _pairs(self) -> list[tuple[_Visit, _Visit]]:
        """Neighbouring visits of leaves with equal positions."""
        search = self.search
        iteration, node, value = self.visits_of_leaves
        seen: dict[Any, _Visit] = {}
        pairs = []
        for i in sample(np.arange(len(node)), MOST_COMPARED):
            place = search.positions[int(node[i])]
            state = place.state
            if (
                place.illegal is not None
                or place.outcome is not None
                or not isinstance(state, list)
            ):
                continue
            visit = _Visit(int(iteration[i]), round(float(value[i]), 6), state)
            before = seen.get(tuple(state))
            if before is not None:
                pairs.append((before, visit))
            seen[tuple(state)] = visit
        return pairs[:MOST_PAIRS]

    def _alike(self, state: Any, games: Playouts, takes_wins: bool) -> float:
        """The chance that two games from a position have the same end, always below 1."""
        ends = games.ends(state, 2 * PLAYOUTS, takes_wins)
        if ends is None:
            return 1.0
        one, other = ends[:PLAYOUTS], ends[PLAYOUTS:]
        return min(float((one[:, None] == other).mean()) + 0.02, 1.0)


class _Visit(NamedTuple):
    iteration: int
    value: float
    state: Any


def _one_in(log: float) -> str:
    """How small a chance is, from minus its logarithm."""
    return f"1 in {np.exp(log):,.0f}" if log < LOG_OF_BILLION else "less than 1 in 1,000,000,000"
