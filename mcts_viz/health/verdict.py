"""One verdict on the move of a search, the same wherever it is shown: whether the move is right, how sure the search
was, and the likeliest cause where it is wrong or the vote was close."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np

from mcts_viz.analysis.choice.decision import BY_VISITS, Decision, decision
from mcts_viz.analysis.game_value.data import MoveValue
from mcts_viz.analysis.game_value.prose import RESULTS, in_plies
from mcts_viz.analysis.game_value.values import GameValues
from mcts_viz.analysis.node.positions import untried_moves
from mcts_viz.analysis.phrase import capitalised, number
from mcts_viz.health.acceptance import outstanding
from mcts_viz.health.finding import Finding
from mcts_viz.trace.snapshot import Snapshot, standing
from mcts_viz.trace.words import plural
from mcts_viz.types import Document

# a vote is undecided when the runner-up has this share of the chosen move's visits, or when the margin is within the
# square root of their sum, which chance alone would give two equal moves
CLOSE = 0.8
FEW = 10  # iterations for each move of the root; a search with fewer has hardly looked at them
# how sure it was; ALONE: no other was tried, and whether there is one is not known
PROVEN, ONLY, ALONE, CLEAR, UNDECIDED = "proven", "only move", "only move tried", "clear", "undecided"  # fmt: skip
NOT_KNOWN = "not known"
CLOSE_VOTE = "undecided vote"  # as a cause
SAID = {
    "error": "found a mistake in how the search was done",
    "warning": "gave a warning about how the search was done",
}
# what would show whether a cause is the right one: a longer search, others like it, a look at the check
LONGER, SEEDS, CONSTANTS, HEALTH = "iterations", "seeds", "c", "health"


@dataclass(frozen=True)
class LikelyCause:
    """Why the move is wrong, or why the vote was close, as far as the trace shows."""

    kind: str  # "finding", "too few iterations", "misleading prior", "misleading values", "undecided vote", "not seen"
    text: str  # a sentence
    test: str  # LONGER, SEEDS, CONSTANTS or HEALTH
    node: int | None = None
    iteration: int | None = None


@dataclass(frozen=True)
class Verdict:
    """The move that leads at the root after an iteration, and what is to be thought of it."""

    iteration: int
    n_iterations: int  # of the trace
    move: str | None  # None: no move yet
    node: int | None
    verb: str  # "would be played" at the end, before it "leads so far"
    right: bool | None  # whether no move has a better result with perfect play; None: not known
    all_lose: bool  # then no choice is a mistake
    judgement: str  # the same as a sentence
    sureness: str  # PROVEN, ONLY, ALONE, CLEAR or UNDECIDED; empty without a move
    vote: str  # what it rests on, in words
    cause: LikelyCause | None  # of a mistake or of an undecided vote

    @property
    def is_mistake(self) -> bool:
        """Whether another move is known to be better."""
        return self.right is False

    @property
    def word(self) -> str:
        """The judgement in a word or two."""
        if self.move is None:
            return "no move yet"
        if self.all_lose:
            return "every move loses"
        return {True: "right", False: "mistake", None: NOT_KNOWN}[self.right]

    def __str__(self) -> str:
        if self.move is None:
            return self.judgement
        lines = [f"{capitalised(self.move)} {self.verb}. {self.judgement}"]
        is_vote = self.sureness in (CLEAR, UNDECIDED)
        lines.append(
            f"The vote is {self.sureness}: {self.vote}."
            if is_vote
            else f"{capitalised(self.vote)}."
        )
        if self.cause is not None and self.cause.kind != CLOSE_VOTE:
            lines.append(f"Likeliest cause: {self.cause.text}")
        return " ".join(lines)

    def as_json(self) -> Document:
        """All of it as plain data for `json.dumps`, the words as "text"."""
        return {**asdict(self), "word": self.word, "text": str(self)}


class _Vote(NamedTuple):
    """What the search went by."""

    sureness: str
    words: str


def verdict(
    snapshot: Snapshot,
    n_iterations: int,
    values: GameValues | str | None,
    findings: Callable[[], Sequence[Finding]] = tuple,
) -> Verdict:
    """The verdict on the tree after an iteration of a trace of `n_iterations`. `values`: the game-theoretic values at
    the root beside the answer of that iteration, or why there are none, or None while they are being solved.
    `findings`: checks the search; is asked only where a cause is looked for, as that takes long for a long one."""
    t = snapshot.iteration
    decided = decision(snapshot)
    known = values if isinstance(values, GameValues) and values.moves else None
    if decided is None:
        return Verdict(
            t, n_iterations, None, None, "", None, False,
            "No move yet: no move of the root has been visited.", "", "", None,
        )  # fmt: skip
    all_lose = known.result == -1 if known is not None else _is_lost(snapshot)
    right, judgement = _judged(decided, known, all_lose, _unknown(values))
    n_moves = _n_moves(snapshot, known)
    vote = _vote(snapshot, decided, n_moves)
    wrong = right is False
    cause = None
    if wrong or vote.sureness == UNDECIDED:
        better = known.moves[0] if wrong and known is not None else None
        cause = _cause(snapshot, decided, vote, n_moves, better, findings())
    return Verdict(
        iteration=t,
        n_iterations=n_iterations,
        move=decided.chosen_label,
        node=decided.chosen,
        verb=decided.verb if t >= n_iterations else "leads so far",
        right=right,
        all_lose=all_lose,
        judgement=judgement,
        sureness=vote.sureness,
        vote=vote.words,
        cause=cause,
    )


def _is_lost(snapshot: Snapshot) -> bool:
    """Whether the search's own solver has proven that whatever is played at the root loses."""
    if snapshot.proven is None or not snapshot.shows_proofs:
        return False
    mover = snapshot.to_move[:1]
    return bool(
        mover[0] >= 0 and standing(snapshot.proven[:1], mover, snapshot.meta.reward_range)[0] < 0
    )


def _n_moves(snapshot: Snapshot, known: GameValues | None) -> int | None:
    """How many moves the root has; None where only those with a child are known."""
    if known is not None:
        return len(known.moves)
    untried = untried_moves(snapshot, 0)
    return None if untried is None else len(snapshot.children(0)) + len(untried)


def _unknown(values: GameValues | str | None) -> str:
    """Why nothing is known, to follow "not known"; empty while it is being solved."""
    if isinstance(values, GameValues):
        return values.unknown or ""
    return values or ""


def _judged(
    decided: Decision, known: GameValues | None, all_lose: bool, why: str
) -> tuple[bool | None, str]:
    if known is None or known.chosen is None or known.mistake is None:
        if all_lose:
            return (
                True,
                "Every move loses, as the search itself has proven: no choice is a mistake.",
            )
        if decided.standing > 0:
            return True, "It is right: the search itself has proven that it wins."
        reached = "" if known is None or known.chosen is None else _reached(known.chosen)
        reason = f": {why}" if why else ""
        return None, f"{reached}Whether it is right is not known{reason}."
    chosen = known.chosen
    if all_lose:
        return (
            True,
            f"Every move loses, so no choice is a mistake; this one loses{in_plies(chosen.plies)}.",
        )
    if known.mistake:
        best = known.moves[0]
        return False, f"It is a mistake: it {_does(chosen)}, and {best.move} {_does(best)}."
    return True, f"It is right: it {_does(chosen)}, and no move has a better result."


def _reached(chosen: MoveValue) -> str:
    return "" if chosen.result is None else f"It {_does(chosen)}. "


def _does(move: MoveValue) -> str:
    assert move.result is not None
    return f"{RESULTS[move.result]}{in_plies(move.plies)}"


def _vote(snapshot: Snapshot, decided: Decision, n_moves: int | None) -> _Vote:
    visits = f"{decided.chosen_visits:,} of {plural(decided.iterations, 'visit')}"
    if decided.standing > 0:
        return _Vote(PROVEN, f"a proven win, after {visits}")
    if n_moves == 1:
        return _Vote(ONLY, f"there is no other move, after {visits}")
    if decided.runner_up is None:
        several = n_moves is not None or len(snapshot.children(0)) > 1
        return _Vote(UNDECIDED if several else ALONE, f"{visits}, and no other move was visited")
    assert decided.runner_up_visits is not None
    if decided.ties_by_score:
        # the last two of sequential halving have the same visits; scores are logarithms of what they weigh
        first, second = snapshot.uct[[decided.chosen, decided.runner_up]].tolist()
        if np.isfinite(first) and np.isfinite(second):
            scores = f"selection score {number(first)}, {decided.runner_up_label} {number(second)}"
            return _Vote(UNDECIDED if first - second < math.log(2) else CLEAR, scores)
    if decided.rule in BY_VISITS or decided.margin is None or decided.runner_up_score is None:
        chosen, other = decided.chosen_visits, decided.runner_up_visits
        close = decided.margin is not None and (
            other >= CLOSE * chosen or chosen - other <= math.sqrt(chosen + other)
        )
        vote = f"{visits}, {decided.runner_up_label} {decided.runner_up_visits:,}"
    else:
        # the standard error of a mean of n values within a range is at most half its width over the root of n
        errors = (
            1 / math.sqrt(max(n, 1)) for n in (decided.chosen_visits, decided.runner_up_visits)
        )
        close = decided.margin < snapshot.value_width / 2 * sum(errors)
        score = number(decided.chosen_score)
        vote = f"{decided.rule_words} {score}, {decided.runner_up_label} {number(decided.runner_up_score)}"
    return _Vote(UNDECIDED if close else CLEAR, vote)


def _cause(
    snapshot: Snapshot,
    decided: Decision,
    vote: _Vote,
    n_moves: int | None,
    better: MoveValue | None,  # the best move, where the choice is a mistake
    findings: Sequence[Finding],
) -> LikelyCause:
    """The first that applies; those that spoil everything come first."""
    for finding in outstanding(findings):
        if finding.severity in SAID:
            text = f"the check {finding.check} {SAID[finding.severity]}."
            return LikelyCause("finding", text, HEALTH, finding.node, finding.iteration)
    n_moves = n_moves or len(snapshot.children(0))
    if decided.iterations < FEW * n_moves:
        text = f"too few iterations: {decided.iterations:,} for {plural(n_moves, 'move')}."
        return LikelyCause("too few iterations", text, LONGER)
    if better is not None and better.node is not None:
        found = _misled(snapshot, decided, better, better.node)
        if found is not None:
            return found
    if vote.sureness == UNDECIDED and decided.margin is not None:
        return LikelyCause(CLOSE_VOTE, "the vote was close.", SEEDS)
    untried = "" if better is None or better.node is not None else f"{better.move} was never tried"
    text = untried or "the search had not seen the answer that refutes it"
    return LikelyCause("not seen", f"{text}.", LONGER)


def _misled(
    snapshot: Snapshot, decided: Decision, best: MoveValue, node: int
) -> LikelyCause | None:
    """What made the better move look worse: its prior, or the values that came back."""
    prior = snapshot.prior
    if prior is not None and prior[node] < prior[decided.chosen]:
        text = (
            f"a misleading prior: {number(float(prior[decided.chosen]))} for {decided.chosen_label}, "
            f"{number(float(prior[node]))} for {best.move}."
        )
        return LikelyCause("misleading prior", text, CONSTANTS, node)
    mean = float(snapshot.mean_values([node])[0])
    if snapshot.visits[node] and mean < decided.chosen_mean:
        text = (
            f"values that mislead: the mean of {decided.chosen_label} is {number(decided.chosen_mean)}, "
            f"of {best.move} {number(mean)} after {plural(int(snapshot.visits[node]), 'visit')}."
        )
        return LikelyCause("misleading values", text, LONGER, node)
    return None
