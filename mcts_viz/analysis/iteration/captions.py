"""A phase of an iteration in one line of words. Numbers that the trace lacks are named, never guessed."""

from __future__ import annotations

from mcts_viz.analysis.iteration.phases import Change, Choice, PhaseStory
from mcts_viz.trace.words import HUGE, signed

FEWEST_DIGITS, MOST_DIGITS = 2, 4
NAMED_AT_MOST = 3  # of several moves; the others are counted


def caption(told: PhaseStory, phase: str) -> str:
    """What happens in that phase; one of `PHASES`."""
    return CAPTIONS[phase](told)


def _select(told: PhaseStory) -> str:
    if not told.choices:
        if len(told.path) == 1:
            return "Nothing to select: the iteration stayed at the root."
        return f"Nothing to compare: the path goes from the root straight to {told.leaf}, which is new."
    way = [choice.level.move for choice in told.choices[1:]]
    then = f"; then {', '.join(way)}" if way else ""
    return f"{choice_caption(told.choices[0])}{then}."


def choice_caption(choice: Choice) -> str:
    """One level of the selected path: the child taken, its score, and what it was ahead of."""
    level = choice.level
    if level.by_chance:
        return f"{level.move}, by chance"
    selected = f"{level.move} selected"
    chosen = next(each for each in choice.candidates if each.is_chosen)
    if level.comes_first:
        if level.ties:
            return f"{selected}: the first of {len(level.ties) + 1:,} not visited yet"
        return f"{selected}: not visited yet, so it comes first"
    if level.score is None or level.value_term is None or level.exploration_term is None:
        return f"{selected}; the scores are not in the trace"
    score = score_text(level.value_term, level.exploration_term, level.score, level.margin)
    if chosen.result_competes:
        score = f"proven, {chosen.proven}: {level.score:.{FEWEST_DIGITS}f}"
    elif chosen.has_urgency:
        score += " (not visited: first-play urgency)"
    return f"{selected}: {score}, {_against(choice)}"


def _against(choice: Choice) -> str:
    level = choice.level
    if level.ties:
        why = f": {level.tie_words}" if level.tie_words else ""
        return f"tied with {several(level.ties)}{why}"
    if level.runner_up is None or level.margin is None:
        if len(choice.candidates) == 1:
            return "the only child"
        is_dropped = all(each.visits for each in choice.candidates)  # by sequential halving
        return "the others are out of this phase" if is_dropped else "ahead of what was not visited"
    if level.margin < 0:
        told = any(each.proven is not None for each in choice.candidates)
        which = ", which does not see the proven results" if told else ""
        behind = f"behind {level.runner_up} by {_margin(-level.margin)}"
        return f"{behind}: against the recorded formula{which}"
    return f"ahead of {level.runner_up} by {_margin(level.margin)}"


def score_text(value: float, exploration: float, score: float, margin: float | None = None) -> str:
    """`0.61 + 0.22 = 0.83`, with so many decimals that the sum adds up to the eye too and, if it can
    be, no part and no margin looks like 0."""
    small = [abs(each) for each in (value, exploration, margin or 0.0)]
    smallest = MOST_DIGITS if any(0 < each < 0.01 for each in small) else FEWEST_DIGITS
    for digits in range(smallest, MOST_DIGITS + 1):
        scale = 10**digits
        if round(value * scale) + round(exploration * scale) == round(score * scale):
            break
    sign = "−" if exploration < 0 else "+"
    first, last = (signed(f"{each:.{digits}f}") for each in (value, score))
    return f"{first} {sign} {abs(exploration):.{digits}f} = {last}"


def _expand(told: PhaseStory) -> str:
    if not told.added:
        if told.is_leaf_over is not None:
            return f"Nothing added: the game is over at {told.leaf}, {told.is_leaf_over}."
        return f"Nothing added: {told.leaf} stays a leaf in this iteration."
    names = several([each.move for each in told.added])
    nodes = "1 node" if len(told.added) == 1 else f"{len(told.added):,} nodes"
    below = sorted({each.position for each in told.added})
    where = f" below {below[0]}" if len(below) == 1 else ""
    return f"{nodes} added{where}: {names}."


def _simulate(told: PhaseStory) -> str:
    story = told.story
    if story.is_over:
        result = told.is_leaf_over or story.result
        return f"No simulation: the game is over at {told.leaf}, {result}."
    if story.by_evaluator:
        return f"No rollout: {told.leaf} was {story.result}."
    if story.rollouts is None and story.outcome is None:
        return "The trace has neither the moves of the simulation nor its outcome."
    if story.rollouts is None:
        return f"Outcome: {story.result}. The moves of the simulation were not recorded."
    if story.outcome is None:
        n_moves = sum(map(len, story.rollouts))
        return f"A simulation of {n_moves:,} moves from {told.leaf}; its outcome was not recorded."
    return f"From {told.leaf}: {story.result}."


def _backpropagate(told: PhaseStory) -> str:
    updated = [each for each in told.changes if each.added is not None]
    if not updated:
        return "Nothing was updated."
    nodes = "1 node" if len(updated) == 1 else f"{len(updated):,} nodes"
    shown = [each for each in told.changes if each.node in (told.path[0], told.path[-1])]
    told_of = "; ".join(_change(each) for each in shown)
    line = f"{nodes} updated. {told_of[:1].upper()}{told_of[1:]}."
    proven = [f"{each.move} ({each.proven})" for each in told.changes if each.proven is not None]
    return f"{line} Proven: {several(proven)}." if proven else line


def _change(change: Change) -> str:
    visits, mean = change.visits, [_mean(each) for each in change.mean_value]
    if change.added is None:
        return f"{change.move}: not updated"
    return f"{change.move}: visits {visits[0]:,} → {visits[1]:,}, mean {mean[0]} → {mean[1]}"


CAPTIONS = {
    "select": _select,
    "expand": _expand,
    "simulate": _simulate,
    "backpropagate": _backpropagate,
}


def several(names: list[str] | tuple[str, ...]) -> str:
    """`a, b and c`, the rest counted."""
    rest = len(names) - NAMED_AT_MOST
    if rest > 0:
        return f"{', '.join(names[:NAMED_AT_MOST])} and {rest:,} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _margin(margin: float) -> str:
    return signed(f"{margin:.2f}" if margin >= 0.01 else f"{margin:.2g}")


def _mean(value: float | None) -> str:
    if value is None:
        return "–"
    return signed(f"{value:.4f}" if abs(value) < HUGE else f"{value:.4e}")
