"""An explanation in words: short sentences, in which a number knows where it is seen.

Computes nothing.
"""

from __future__ import annotations

from mcts_viz.analysis.choice.data import (
    BestNode,
    ExplanationData,
    LineMove,
    MoveEstimate,
    Rejection,
    SelectionCounts,
    SelectionPeriod,
)
from mcts_viz.analysis.choice.decision import BY_VISITS, Decision
from mcts_viz.analysis.history.siblings import MOST_BY_STEPS, RUNS
from mcts_viz.analysis.node.branch import amount
from mcts_viz.analysis.phrase import Paragraph, Paragraphs, Phrase, capitalised, number

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
    "tie": "as the first of equals",
    "against": "against the score",
    "unknown": "by a score that is not in the trace",
}


def paragraphs(told: ExplanationData) -> Paragraphs:
    """All paragraphs, the choice first."""
    if told.decision is None or told.chosen is None:
        found = [_nothing(told)]
    else:
        found = [_choice(told, told.decision, told.chosen), _values(told, told.chosen), _line(told)]
    if told.derived:
        found.append(Paragraph([Phrase(DERIVED)]))
    if told.best is not None:
        found.append(_best(told.best, told.chosen))
    if told.selections.total and not told.by_chance:
        found.append(_selections(told.selections, told.node))
    if told.rejected is not None:
        found.append(_why_not(told, told.rejected))
    return tuple(tuple(paragraph) for paragraph in found)


DERIVED = (
    "The log has no visits: they are derived, one for each record at its node and all nodes above it, and values are "
    "means of the records' scores."
)


def _best(best: BestNode, chosen: MoveEstimate | None) -> Paragraph:
    """The best node by the scores of the nodes themselves, and what all of them cost."""
    text = Paragraph([Phrase("By the nodes' own scores the best is ")])
    text.say(f"node {best.node:,}", node=best.node).say(
        f", {best.label}, with {best.score:.4g}, made in "
    )
    text.say(f"iteration {best.iteration:,}", iteration=best.iteration)
    if best.child != best.node:
        text.say("; it lies below ").say(best.move, node=best.child)
    if chosen is not None:
        text.say(", the same move" if best.child == chosen.node else ", another move")
    if best.spent:
        spent = ", ".join(f"{name} {amount(name, n)}" for name, n in best.spent.items())
        text.say(f". All nodes here together: {spent}")
    return text.say(".")


def _nothing(told: ExplanationData) -> Paragraph:
    here = Phrase("the root" if told.node == 0 else f"node {told.node:,}", node=told.node)
    if told.by_chance:
        return Paragraph([Phrase("Chance decides at "), here]).say(": there is no move to explain.")
    if told.over:
        return Paragraph([Phrase("The game is over at "), here]).say(
            ": there is no move to explain."
        )
    return Paragraph([Phrase("No move yet: no child of "), here]).say(" has been visited.")


def _choice(told: ExplanationData, decided: Decision, chosen: MoveEstimate) -> Paragraph:
    text = Paragraph()
    if told.node:
        text.say(f"At node {told.node:,}", node=told.node).say(
            f", after {', '.join(told.line_to)}: "
        )
    last = told.iteration == told.n_iterations and told.node == 0
    verb = " was chosen" if last else " would be chosen"
    if not decided.rule_is_known:
        verb = f" {decided.rule_verb}"
        if decided.was_played:
            verb = f" was played, and {decided.rule_verb}"
    elif decided.was_played:
        verb = " was played"
    elif decided.played is not None:
        verb = " would be chosen"
    text.say(capitalised(chosen.move), node=chosen.node).say(verb)
    _reason(text, told, decided, chosen)
    _lead(text, told)
    if decided.played is not None and not decided.was_played:
        text.say(" But ").say(str(decided.played_label), node=decided.played)
        text.say(" was played, as the search told.")
    _rules(text, told, chosen)
    return text


def _reason(
    text: Paragraph, told: ExplanationData, decided: Decision, chosen: MoveEstimate
) -> None:
    other = told.runner_up
    visits = _visits(chosen, told)
    noun = " visit" if told.visits == 1 else " visits"
    if chosen.standing > 0:
        if not decided.rule_is_known:  # said already
            text.say(" (").say(visits, node=chosen.node, number="visits").say(f"{noun}).")
            return
        text.say(" because it is proven to win").say(" (").say(
            visits, node=chosen.node, number="visits"
        )
        text.say(f"{noun}), which comes before any rule.")
        return
    if other is None:
        text.say(": no other move was visited (").say(
            visits, node=chosen.node, number="visits"
        ).say(f"{noun}).")
        return
    if other.standing < 0 and chosen.standing == 0:
        because = " because" if decided.rule_is_known else ", and"
        text.say(f"{because} every other visited move is proven to lose (")
        text.say(visits, node=chosen.node, number="visits").say(f"{noun}).")
        return
    if not told.collects and decided.rule not in BY_VISITS:
        text.say(
            f" as the first one made: moves{_of(told.player)} collect no values in this search, so all"
        )
        text.say(" of them look alike (").say(visits, node=chosen.node, number="visits").say(
            f"{noun})."
        )
        return
    text.say(f" because it has the {decided.rule_words} (" if decided.rule_is_known else " (")
    if decided.rule in BY_VISITS:
        text.say(visits, node=chosen.node, number="visits")
        runner_up, shown = f"{other.visits:,}", "visits"
    else:
        text.say(number(decided.chosen_score), node=chosen.node)
        text.say(" from ").say(visits, node=chosen.node, number="visits").say(noun)
        runner_up, shown = number(decided.runner_up_score or 0.0), "mean_value"
    text.say(f"; runner-up {other.move}: ").say(runner_up, node=other.node, number=shown)
    if decided.margin == 0:
        higher = chosen.mean is not None and other.mean is not None and chosen.mean > other.mean
        by_mean = (
            ", a tie that the higher mean decides" if higher else ", a tie: the first one made"
        )
        text.say(
            ", a tie that the higher selection score decides" if decided.ties_by_score else by_mean
        )
    text.say(").")


def _lead(text: Paragraph, told: ExplanationData) -> None:
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


def _rules(text: Paragraph, told: ExplanationData, chosen: MoveEstimate) -> None:
    """What the four other rules would choose."""
    others = [choice for choice in told.rules if choice.rule != told.final_move]
    if told.decision is not None and not told.decision.rule_is_known:
        text.say(" How the search chooses its move is not known.")
    same = [RULE_NAMES[choice.rule] for choice in others if choice.node == chosen.node]
    if len(same) == len(others):
        is_known = told.decision is None or told.decision.rule_is_known
        others_too = " All other final-move rules would choose it, too."
        text.say(others_too if is_known else " All final-move rules would choose it.")
        return
    if same:
        text.say(f" By {_and(same)} it would be chosen, too.")
    for node in dict.fromkeys(choice.node for choice in others if choice.node != chosen.node):
        rules = [choice for choice in others if choice.node == node]
        text.say(f" By {_and([RULE_NAMES[choice.rule] for choice in rules])} it would be ")
        text.say(rules[0].move, node=node).say(".")


def _values(told: ExplanationData, chosen: MoveEstimate) -> Paragraph:
    text = Paragraph()
    if not told.collects:
        return text.say(
            f"Moves{_of(told.player)} have no mean value: only visits are counted there."
        )
    if chosen.mean is None:
        why = "The search keeps no value for it" if chosen.visits else "It was never visited"
        return text.say(f"{why}, so it has no mean value.")
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


def _mean(text: Paragraph, move: MoveEstimate) -> None:
    assert move.mean is not None
    text.say(number(move.mean), node=move.node, number="mean_value")
    if move.low is None or move.high is None:
        text.say(f" (no interval: {move.no_interval})")
    else:
        text.say(" (95 % interval ")
        text.say(f"{number(move.low)} to {number(move.high)}", node=move.node).say(")")


def _line(told: ExplanationData) -> Paragraph:
    views = (
        ", each value for the player who moves"
        if any(map(_for, (step.player for step in told.line)))
        else ""
    )
    text = Paragraph([Phrase(f"Expected line{views}: ")])
    for place, step in enumerate(told.line[:MOST_STEPS]):
        if place:
            text.say(", ")
        _step(text, step)
    more = len(told.line) - MOST_STEPS
    if more > 0:
        text.say(" and ").say(f"{more:,} more", node=told.line[MOST_STEPS].node)
    return text.say(".")


def _step(text: Paragraph, step: LineMove) -> None:
    text.say(step.move, node=step.node).say(" (")
    if step.mean is not None:
        text.say(number(step.mean), node=step.node, number="mean_value").say(
            f"{_for(step.player)}, "
        )
    text.say(_plural(step.visits, "visit"), node=step.node, number="visits").say(")")


def _selections(found: SelectionCounts, node: int) -> Paragraph:
    text = Paragraph()
    text.say(f"{_plural(found.total, 'selection')}", node=node).say(" among existing children here")
    if found.step > 1:
        text.say(", of which ").say(f"{found.looked_at:,}", node=node)
        text.say(f" were looked at, one in {found.step:,}")
        if found.total > MOST_BY_STEPS:
            text.say(f" (neighbours, in {RUNS} runs)")
    compared = found.looked_at - found.alone
    if found.workers:
        return text.say(
            f". Each of {found.workers} workers has chosen by its own tree: trace.of_worker(0).explain() says by which "
            "term one of them did."
        )
    if found.reasons.keys() == {"unknown"}:
        return text.say(
            ". Their scores are not in the trace, so it is not known which term decided."
        )
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


def _counts(text: Paragraph, counts: dict[str, int], first: dict[str, int]) -> None:
    """How often each term decided, with the first iteration in which it did."""
    for i, (reason, n) in enumerate(counts.items()):
        if i:
            text.say(" and " if i == len(counts) - 1 else ", ")
        text.say(f"{n:,} {BY_TERM[reason]}", iteration=first[reason])


def _of(player: str) -> str:
    """The player whose moves they are, as `_for`."""
    return f" of {player}" if _for(player) else ""


def _visits(move: MoveEstimate, told: ExplanationData) -> str:
    """Its own, of those of the node; where nodes are shared a move's may be more, as some came another way."""
    more = move.visits > told.visits
    return f"{move.visits:,}" if more else f"{move.visits:,} of {told.visits:,}"


def _for(player: str) -> str:
    """The player in whose view a value is; nothing with one player, chance, or an unknown player."""
    return "" if player in ("", "chance") else f" for {player}"


def _stretch(text: Paragraph, stretch: SelectionPeriod) -> None:
    reason = max(stretch.reasons, key=lambda found: stretch.reasons[found])
    text.say(f"{stretch.first:,}", iteration=stretch.first).say(" to ")
    text.say(f"{stretch.last:,}", iteration=stretch.last).say(f": {BY_TERM[reason]} (")
    text.say(f"{stretch.reasons[reason]:,} of {stretch.looked_at:,}", iteration=stretch.last)
    text.say(")")


def _why_not(told: ExplanationData, asked: Rejection) -> Paragraph:
    text = Paragraph([Phrase("Why not ")])
    mine = asked.candidate
    text.say(asked.move, node=None if mine is None else mine.node).say("? ")
    if mine is None:
        text.say("It has no node here after iteration ")
        return text.say(f"{told.iteration:,}", iteration=told.iteration).say(": it was not tried.")
    if asked.is_chosen:
        known = told.decision is None or told.decision.rule_is_known
        return text.say(f"It is the move {'chosen' if known else 'most visited'}.")
    text.say("It got ").say(_visits(mine, told), node=mine.node, number="visits").say(" visits")
    if told.chosen is not None:
        text.say(f", {told.chosen.move} ")
        text.say(f"{told.chosen.visits:,}", node=told.chosen.node, number="visits")
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


def _course(text: Paragraph, told: ExplanationData, asked: Rejection) -> None:
    """How often the move was selected, when it began to starve, and by which terms it lost."""
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


def _needs(text: Paragraph, asked: Rejection) -> None:
    if asked.value_needed is not None and asked.value is not None:
        text.say(" For the highest selection score now it would need a value above ")
        mine = None if asked.candidate is None else asked.candidate.node
        text.say(number(asked.value_needed), node=mine).say("; it has ")
        text.say(number(asked.value), node=mine, number="value_term").say(".")
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
