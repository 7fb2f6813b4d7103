"""An explanation in words: short sentences, each number a phrase that knows where it is seen.

Says only what the explanation carries; computes nothing itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from mcts_viz.analysis.decision import BY_VISITS, Decision

if TYPE_CHECKING:
    from mcts_viz.analysis.explanation import (
        Candidate,
        Explanation,
        Rejection,
        Selections,
        Step,
        Stretch,
    )

MOST_STEPS = 6  # of the line of play
RULE_NAMES = {
    "most_visits": "most visits",
    "highest_mean": "highest mean",
    "highest_total": "highest total",
    "robust_max": "robust max",
    "secure": "highest lower bound",
}
BY_TERM = {
    "value": "by value",
    "exploration": "by exploration",
    "prior": "by the prior",
    "both": "by value and exploration",
    "first visit": "by a first visit",
    "tie": "by age after a tie",
    "against": "against the score",
    "unknown": "by a score that the trace does not tell",
}


class Phrase(NamedTuple):
    """A piece of text, and the iteration or the node that shows what it says."""

    text: str
    iteration: int | None = None
    node: int | None = None


class _Text(list[Phrase]):
    """A paragraph that is being written."""

    def say(self, text: str, iteration: int | None = None, node: int | None = None) -> _Text:
        self.append(Phrase(text, iteration, node))
        return self


def paragraphs(told: Explanation) -> tuple[tuple[Phrase, ...], ...]:
    """What there is to say, the choice first."""
    if told.decision is None or told.chosen is None:
        found = [_nothing(told)]
    else:
        found = [_choice(told, told.decision, told.chosen), _values(told, told.chosen), _line(told)]
    if told.selections.total and not told.by_chance:
        found.append(_selections(told.selections, told.node))
    if told.rejected is not None:
        found.append(_why_not(told, told.rejected))
    return tuple(tuple(paragraph) for paragraph in found)


def number(value: float) -> str:
    """Four decimals, thousands apart."""
    text = f"{value:,.4f}"
    return "0.0000" if text == "-0.0000" else text


def name(label: str) -> str:
    """A move at the beginning of a sentence: words get a capital, names such as c4 stay."""
    return label[0].upper() + label[1:] if re.match("[a-z]{3}", label) else label


def _nothing(told: Explanation) -> _Text:
    here = Phrase("the root" if told.node == 0 else f"node {told.node:,}", node=told.node)
    if told.by_chance:
        return _Text([Phrase("Chance decides at "), here]).say(": there is no move to explain.")
    if told.over:
        return _Text([Phrase("The game is over at "), here]).say(": there is no move to explain.")
    return _Text([Phrase("No move yet: no child of "), here]).say(" has been visited.")


def _choice(told: Explanation, decided: Decision, chosen: Candidate) -> _Text:
    text = _Text()
    if told.node:
        text.say(f"At node {told.node:,}", node=told.node).say(
            f", after {', '.join(told.line_to)}: "
        )
    last = told.iteration == told.n_iterations and told.node == 0
    text.say(name(chosen.move), node=chosen.node).say(" was chosen" if last else " would be chosen")
    _reason(text, told, decided, chosen)
    _lead(text, told)
    _rules(text, told, chosen)
    return text


def _reason(text: _Text, told: Explanation, decided: Decision, chosen: Candidate) -> None:
    other = told.runner_up
    visits = f"{chosen.visits:,} of {told.visits:,}"
    if chosen.standing > 0:
        text.say(" because it is proven to win").say(" (").say(visits, node=chosen.node)
        text.say(" visits), which comes before any rule.")
        return
    if other is None:
        text.say(": no other move was visited (").say(visits, node=chosen.node).say(" visits).")
        return
    if other.standing < 0 and chosen.standing == 0:
        text.say(" because every other visited move is proven to lose (")
        text.say(visits, node=chosen.node).say(" visits).")
        return
    text.say(f" because it has the {decided.rule_words} (")
    if decided.rule in BY_VISITS:
        text.say(visits, node=chosen.node)
        runner_up = f"{other.visits:,}"
    else:
        text.say(number(decided.chosen_score), node=chosen.node)
        text.say(" from ").say(visits, node=chosen.node).say(" visits")
        runner_up = number(decided.runner_up_score or 0.0)
    text.say(f"; runner-up {other.move}: ").say(runner_up, node=other.node)
    if decided.margin == 0:
        higher = chosen.mean is not None and other.mean is not None and chosen.mean > other.mean
        text.say(", a tie that the higher mean decides" if higher else ", a tie that age decides")
    text.say(").")


def _lead(text: _Text, told: Explanation) -> None:
    if told.leads_since is None:
        return
    if told.leads_since == 0:
        text.say(" It has led since before the first iteration").say("; the lead ")
    else:
        text.say(" It has led since iteration ")
        text.say(f"{told.leads_since:,}", iteration=told.leads_since).say("; the lead ")
    changes = told.lead_changes
    if changes == 0:
        text.say("never changed.")
    else:
        words = "once" if changes == 1 else f"{changes:,} times"
        text.say("changed ").say(words, iteration=told.leads_since).say(".")


def _rules(text: _Text, told: Explanation, chosen: Candidate) -> None:
    """What the four other rules would choose."""
    others = [choice for choice in told.rules if choice.rule != told.final_move]
    same = [RULE_NAMES[choice.rule] for choice in others if choice.node == chosen.node]
    if len(same) == len(others):
        text.say(" All other final-move rules would choose it, too.")
        return
    if same:
        text.say(f" By {_and(same)} it would be chosen, too.")
    for node in dict.fromkeys(choice.node for choice in others if choice.node != chosen.node):
        rules = [choice for choice in others if choice.node == node]
        text.say(f" By {_and([RULE_NAMES[choice.rule] for choice in rules])} it would be ")
        text.say(rules[0].move, node=node).say(".")


def _values(told: Explanation, chosen: Candidate) -> _Text:
    text = _Text()
    if chosen.mean is None:
        return text.say("It was never visited, so it has no mean value.")
    text.say(f"Its mean value{_for(told.player)} is ")
    _mean(text, chosen)
    other = told.runner_up
    if other is not None and other.mean is not None:
        text.say(f", that of {other.move} ")
        _mean(text, other)
        text.say(".")
        if chosen.low is not None and other.low is not None:
            assert chosen.high is not None
            assert other.high is not None
            apart = chosen.low > other.high or other.low > chosen.high
            text.say(" The intervals do not overlap." if apart else " The intervals overlap.")
    else:
        text.say(".")
    if chosen.low is not None or (other is not None and other.low is not None):
        text.say(f" {told.method}")
    return text


def _mean(text: _Text, move: Candidate) -> None:
    assert move.mean is not None
    text.say(number(move.mean), node=move.node)
    if move.low is None or move.high is None:
        text.say(f" (no interval: {move.no_interval})")
    else:
        text.say(" (95 % interval ")
        text.say(f"{number(move.low)} to {number(move.high)}", node=move.node).say(")")


def _line(told: Explanation) -> _Text:
    views = (
        ", each value for the player who moves"
        if any(map(_for, (step.player for step in told.line)))
        else ""
    )
    text = _Text([Phrase(f"Expected line{views}: ")])
    for place, step in enumerate(told.line[:MOST_STEPS]):
        if place:
            text.say(", ")
        _step(text, step)
    more = len(told.line) - MOST_STEPS
    if more > 0:
        text.say(" and ").say(f"{more:,} more", node=told.line[MOST_STEPS].node)
    return text.say(".")


def _step(text: _Text, step: Step) -> None:
    text.say(step.move, node=step.node).say(" (")
    if step.mean is not None:
        text.say(number(step.mean), node=step.node).say(f"{_for(step.player)}, ")
    text.say(_plural(step.visits, "visit"), node=step.node).say(")")


def _selections(found: Selections, node: int) -> _Text:
    text = _Text()
    text.say(f"{_plural(found.total, 'selection')}", node=node).say(" among existing children here")
    if found.step > 1:
        text.say(", of which ").say(f"{found.looked_at:,}", node=node)
        text.say(f" were looked at, one in {found.step:,}")
    compared = found.looked_at - found.alone
    if found.reasons.keys() == {"unknown"}:
        return text.say(". The trace does not tell their scores, so not which term decided.")
    if not compared:
        return text.say(", each of an only child.")
    text.say(". Against the best other child the chosen one won ")
    _counts(text, found.reasons, found.first)
    if found.alone:
        text.say("; ").say(f"{found.alone:,}", node=node).say(" had no other child")
    text.say(".")
    told = [stretch for stretch in found.stretches if stretch.looked_at]
    if len(told) > 1:
        text.say(" Most often in iterations ")
        _stretch(text, told[0])
        text.say("; in iterations ")
        _stretch(text, told[-1])
        text.say(".")
    return text


def _counts(text: _Text, counts: dict[str, int], first: dict[str, int]) -> None:
    """How often each term decided, with the first iteration in which it did."""
    for i, (reason, n) in enumerate(counts.items()):
        if i:
            text.say(" and " if i == len(counts) - 1 else ", ")
        text.say(f"{n:,} {BY_TERM[reason]}", iteration=first[reason])


def _for(player: str) -> str:
    """Whose view a value is; nothing where one plays alone, or nobody knows; chance has none."""
    return "" if player in ("", "chance") else f" for {player}"


def _stretch(text: _Text, stretch: Stretch) -> None:
    reason = max(stretch.reasons, key=lambda found: stretch.reasons[found])
    text.say(f"{stretch.first:,}", iteration=stretch.first).say(" to ")
    text.say(f"{stretch.last:,}", iteration=stretch.last).say(f": {BY_TERM[reason]} (")
    text.say(f"{stretch.reasons[reason]:,} of {stretch.looked_at:,}", iteration=stretch.last)
    text.say(")")


def _why_not(told: Explanation, asked: Rejection) -> _Text:
    text = _Text([Phrase("Why not ")])
    mine = asked.candidate
    text.say(asked.move, node=None if mine is None else mine.node).say("? ")
    if mine is None:
        text.say("It has no node here after iteration ")
        return text.say(f"{told.iteration:,}", iteration=told.iteration).say(": it was not tried.")
    if asked.is_chosen:
        return text.say("It is the move chosen.")
    text.say("It got ").say(f"{mine.visits:,} of {told.visits:,}", node=mine.node).say(" visits")
    if told.chosen is not None:
        text.say(f", {told.chosen.move} ").say(f"{told.chosen.visits:,}", node=told.chosen.node)
    text.say(".")
    if mine.mean is not None:
        text.say(f" Its mean value{_for(told.player)} is ")
        _mean(text, mine)
        text.say(".")
    if mine.standing:
        text.say(" It is proven to win." if mine.standing > 0 else " It is proven to lose.")
    _course(text, told, asked)
    if asked.best_reply is not None:
        text.say(" The best reply to it is ")
        _step(text, asked.best_reply)
        text.say(".")
    _needs(text, asked)
    return text


def _course(text: _Text, told: Explanation, asked: Rejection) -> None:
    """How often it was selected, since when hardly, and what it lost by."""
    if not told.selections.total:
        return
    mine = None if asked.candidate is None else asked.candidate.node
    text.say(" It was selected ").say(_plural(asked.selected, "time"), node=mine)
    if asked.last_selected is not None:
        text.say(", the last time in iteration ")
        text.say(f"{asked.last_selected:,}", iteration=asked.last_selected)
    text.say(".")
    if asked.starved_since is not None:
        text.say(" It has been starved since iteration ")
        text.say(f"{asked.starved_since:,}", iteration=asked.starved_since)
        since = asked.starved_since
        text.say(": ")
        text.say(f"{asked.selected_since:,} of {asked.selections_since:,}", iteration=since)
        text.say(" selections, less than half of an equal share, ")
        text.say(f"{asked.equal_share:,.1f}", iteration=since).say(".")
    if asked.lost_by and asked.lost_by.keys() != {"unknown"}:
        looked = " looked at" if told.selections.step > 1 else ""
        text.say(" Of the ").say(f"{asked.lost_looked_at:,}", node=mine).say(f" selections{looked}")
        text.say(" since then" if asked.starved_since is not None else "").say(
            " that others won, it lost "
        )
        _counts(text, asked.lost_by, asked.lost_first)
        text.say(".")


def _needs(text: _Text, asked: Rejection) -> None:
    if asked.value_needed is not None and asked.value is not None:
        text.say(" For the highest selection score now it would need a value above ")
        mine = None if asked.candidate is None else asked.candidate.node
        text.say(number(asked.value_needed), node=mine).say("; it has ")
        text.say(number(asked.value), node=mine).say(".")
    if asked.rule_needs is not None:
        needed = asked.rule_needs
        amount = f"{needed:,.0f}" if asked.rule_needs_what == "visits" else number(needed)
        mine = None if asked.candidate is None else asked.candidate.node
        if asked.rule_needs_what == "visits":
            text.say(" To be chosen it would need more than ").say(amount, node=mine)
            text.say(" visits.")
        else:
            text.say(f" To be chosen it would need a {asked.rule_needs_what} above ")
            text.say(amount, node=mine).say(".")


def _and(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _plural(n: int, one: str) -> str:
    return f"{n:,} {one}" if n == 1 else f"{n:,} {one}s"
