"""Reads an explanation's words and computes every number in them again, from snapshots, iterations and updates alone.

Knows nothing of `mcts_viz.analysis`: each sentence is matched whole, and no digit is passed over but in a move's name.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from functools import cached_property
from typing import Any

import numpy as np

import mcts_viz as mv
from mcts_viz.formulas.final_move import FINAL_MOVE_RULES, ranking

RULES = {
    "most visits": "most_visits",
    "highest mean": "highest_mean",
    "highest total": "highest_total",
    "robust max": "robust_max",
    "highest lower bound": "secure",
}
REASON = {
    "most visits": "most_visits", "highest mean": "highest_mean", "highest total": "highest_total",
    "most visits and highest mean": "robust_max", "most visits (not the highest mean)": "robust_max",
    "highest lower bound": "secure",
}  # fmt: skip
WON = {
    "by value": "value", "by exploration": "exploration", "by the prior": "prior",
    "by value and exploration": "both", "by a first visit": "first", "as the first of equals": "tie",
    "against the score": "against", "by a score that is not in the trace": "unknown",
}  # fmt: skip
N = r"(-?\d+(?:,\d{3})*(?:\.\d+)?)"
METHOD = (
    " Intervals are normal approximations, mean ± 1.96·s/√n, s from the values of the single visits (Wald); "
    "visits are not independent of one another, so they prove nothing."
)


class Story:
    """What happened at a node up to iteration t, by the trace's plainest questions."""

    def __init__(self, trace: mv.Trace, t: int, node: int) -> None:
        self.trace, self.t, self.node = trace, t, node
        self.tree = trace.at(t)
        self.children = self.tree.children(node)
        self.ranked = self.tree.ranked_children(node)
        self.step = 1  # every so many selections are looked at

    def collects(self, node: int) -> bool:
        """Whether the moves made at a node collect values."""
        policies = self.trace.meta.get("policies") or {}
        both = policies.get("backpropagation", {}).get("collect", "both") == "both"
        return both or bool(self.tree.to_move[node] == self.tree.to_move[0])

    @cached_property
    def leaders(self) -> list[int | None]:
        found: list[int | None] = []
        for u in range(self.t + 1):
            tree = self.trace.at(u)
            ranked = tree.ranked_children(self.node) if self.node < tree.n_nodes else []
            found.append(ranked[0] if ranked else None)
        return found

    @cached_property
    def selections(self) -> list[tuple[int, Any]]:
        """(iteration, comparison) of each at the node."""
        return [
            (u, each)
            for u in range(1, self.t + 1)
            for each in self.trace.iteration(u).comparisons
            if each.node == self.node
        ]

    @property
    def looked_at(self) -> list[tuple[int, Any]]:
        return self.selections[:: self.step]

    def won(self, comparison: Any, other: int | None = None) -> str | None:
        """By what the chosen child beat the best other one, or `other`; None without it."""
        at = comparison.children.index(comparison.chosen)
        rest = [i for i in range(len(comparison.children)) if i != at]
        if other is not None:
            rest = [i for i in rest if comparison.children[i] == other]
        if not rest:
            return None
        if np.isnan(comparison.scores).any():
            return "unknown"
        best = max(rest, key=lambda i: comparison.scores[i])
        if np.isinf(comparison.exploration_terms[at]):
            return "first"
        if comparison.scores[at] == comparison.scores[best]:
            return "tie"
        if comparison.scores[at] < comparison.scores[best]:
            return "against"
        value = comparison.value_terms[at] > comparison.value_terms[best]
        width = comparison.exploration_terms[at] > comparison.exploration_terms[best]
        if value and width:
            return "both"
        if value:
            return "value"
        name = self.trace.meta["policies"]["selection"]["name"]
        by_prior = name == "puct" and comparison.visits[at] >= comparison.visits[best]
        return "prior" if by_prior else "exploration"

    def values(self, child: int) -> list[float] | None:
        """Of the single visits to a child; None where the trace does not have them one by one."""
        columns = self.trace.columns
        if columns.updates.node[: columns.updates.offset[0]].tolist().count(child):
            return None
        found = []
        for u in range(1, self.t + 1):
            for update in self.trace.iteration(u).updates:
                if update.node == child:
                    if update.visits != 1:
                        return None
                    found.append(update.value)
        return found

    def interval(self, child: int) -> tuple[float, float] | None:
        values = self.values(child)
        low, high = self.trace.meta["value_range"]
        if self.trace.meta.get("kind") == "snapshot" or values is None or len(values) < 2:
            return None
        if min(values) < low or max(values) > high or min(values) == max(values):
            return None
        half = 1.96 * float(np.std(values, ddof=1)) / math.sqrt(len(values))
        mean = self.tree.mean_value[child]
        return float(max(mean - half, low)), float(
            min(mean + half, high)
        )  # within the range of values

    def chosen_by(self, rule: str) -> int:
        ids = np.array(self.children)
        visits, sums = self.tree.visits[ids], self.tree.value_sum[ids]
        known = self.tree.standing(ids.astype(np.int32))
        return int(
            ids[ranking(FINAL_MOVE_RULES[rule], visits, sums, self.tree.value_width, known)[0]]
        )

    def standing(self, child: int) -> int:
        return int(self.tree.standing(np.array([child], np.int32))[0])

    def score(self, child: int) -> float:
        tree, width = self.tree, self.tree.value_width
        mean = tree.mean_value[child]
        return {
            "highest_mean": mean, "highest_total": tree.value_sum[child],
            "secure": mean - width / math.sqrt(tree.visits[child]) if tree.visits[child] else mean,
        }.get(tree.final_move, tree.visits[child])  # fmt: skip


class Reader:
    """The words, read from the front."""

    def __init__(self, text: str, story: Story, why_not: int | None) -> None:
        self.rest, self.story, self.why_not = text, story, why_not
        names = sorted({story.tree.label(v) for v in range(story.tree.n_nodes)}, key=len)[::-1]
        self.move = "(?i:(" + "|".join(map(re.escape, names)) + "))"

        self.view = " for .+?" if story.tree.to_move[story.node] >= 0 else ""

    # ---- reading ---------------------------------------------------------------------------------

    def take(self, pattern: str) -> tuple[str, ...] | None:
        pattern = pattern.replace("<n>", N).replace("<m>", self.move)
        found = re.match(pattern, self.rest)
        if found is None:
            return None
        self.rest = self.rest[found.end() :]
        return found.groups() or ("",)

    def must(self, pattern: str) -> tuple[str, ...]:
        found = self.take(pattern)
        assert found is not None, f"{pattern!r} is not next in: {self.rest[:300]!r}"
        return found

    def is_move(self, said: str, child: int) -> None:
        assert said.casefold() == self.story.tree.label(child).casefold()

    def read(self) -> None:
        story = self.story
        if not story.ranked:
            self.must(
                r"No move yet: no child of (?:the root|node <n>) has been visited\."
                r"|The game is over at (?:the root|node <n>): there is no move to explain\."
            )
        else:
            self.choice()
            self.must("\n")
            self.means()
            line = [story.node, *self.expected()]
            known = any(story.tree.to_move[v] >= 0 for v in line[:-1])
            view = ", each value for the player who moves" if known else ""
            self.must(f"\nExpected line{view}: ")
            self.line()
        self.selections()
        if self.why_not is not None:
            self.must("\n")
            self.rejection()
        assert self.rest == ""

    # ---- the choice ------------------------------------------------------------------------------

    def choice(self) -> None:
        story, tree = self.story, self.story.tree
        chosen = story.ranked[0]
        other = story.ranked[1] if len(story.ranked) > 1 else None
        if story.node:
            node, line = self.must(r"At node <n>, after (.*?): ")
            same(node, story.node, 0)
            assert line == ", ".join(tree.label(v) for v in tree.path(story.node)[1:])
        self.rule_is_known = tree.meta.policies.final_move.is_known
        verb = "(?:was|would be) chosen" if self.rule_is_known else "is most visited"
        (said,) = self.must(f"<m> {verb}")
        self.is_move(said, chosen)
        of = (tree.visits[chosen], tree.visits[story.node])
        if found := self.take(
            r" because it is proven to win \(<n> of <n> visits?\), which comes before any rule\."
        ):
            assert story.standing(chosen) == 1
        elif found := self.take(r": no other move was visited \(<n> of <n> visits?\)\."):
            assert other is None
        elif found := self.take(
            r" because every other visited move is proven to lose \(<n> of <n> visits?\)\."
        ):
            assert [story.standing(v) for v in story.ranked[1:]] == [-1] * (len(story.ranked) - 1)
        elif found := self.take(
            r" as the first one made: moves of . collect no values in this search, so all of them look alike "
            r"\(<n> of <n> visits?\)\."
        ):
            assert not story.collects(story.node)
            assert tree.final_move not in ("most_visits", "robust_max")
        else:
            assert other is not None
            found = self.by_rule(chosen, other)
        same(found[0], of[0], 0)
        same(found[1], of[1], 0)
        self.lead()
        self.rules(chosen)

    def by_rule(self, chosen: int, other: int) -> tuple[str, ...]:
        story, tree = self.story, self.story.tree
        if not self.rule_is_known:
            self.must(r" \(")
            return self.rule_and_runner_up(chosen, other)
        (words,) = self.must(r" because it has the (\D+?) \((?=\d|-)")
        words, lost, _ = words.partition(", though all are proven losses")
        assert bool(lost) == (story.standing(chosen) == -1)
        words, among, _ = words.partition(" among moves not proven lost")
        if among:
            assert -1 in [story.standing(v) for v in story.ranked]
        assert REASON[words] == tree.final_move
        return self.rule_and_runner_up(chosen, other)

    def rule_and_runner_up(self, chosen: int, other: int) -> tuple[str, ...]:
        story, tree = self.story, self.story.tree
        if tree.final_move in ("most_visits", "robust_max"):
            found = self.must("<n> of <n>; ")
            digits = 0
        else:
            score, *found = self.must("<n> from <n> of <n> visits?; ")
            same(score, story.score(chosen), 4)
            digits = 4
        said, score = self.must("runner-up <m>: <n>")
        self.is_move(said, other)
        same(score, story.score(other), digits)
        tie = self.take(", a tie(?:: the first one made| that (the higher mean) decides)")
        assert (tie is not None) == (story.score(chosen) == story.score(other))
        if tie is not None:
            assert bool(tie[0]) == bool(tree.mean_value[chosen] > tree.mean_value[other])
        self.must(r"\)\.")
        return tuple(found)

    def lead(self) -> None:
        leaders, t = self.story.leaders, self.story.t
        since = next(u for u in range(t, -1, -1) if u == 0 or leaders[u - 1] != leaders[t])
        if since == 0:
            self.must(" It has led since before the first iteration; ")
        else:
            same(self.must(" It has led since iteration <n>; ")[0], since, 0)
        pairs = [(a, b) for a, b in itertools.pairwise(leaders) if a is not None and b is not None]
        changes = sum(a != b for a, b in pairs)
        found = self.must(r"the lead (?:(never) changed|changed (once)|changed <n> times)\.")
        assert {"never": 0, "once": 1}.get(found[0] or found[1], -1) in (changes, -1)
        if found[2]:
            same(found[2], changes, 0)

    def rules(self, chosen: int) -> None:
        expected = {
            rule: self.story.chosen_by(rule)
            for rule in FINAL_MOVE_RULES
            if rule != self.story.tree.final_move
        }
        if not self.rule_is_known:
            self.must(r" How the search chooses its move is not known\.")
        all_ = r" All other final-move rules would choose it, too\."
        if not self.rule_is_known:
            all_ = r" All final-move rules would choose it\."
        if self.take(all_):
            assert set(expected.values()) == {chosen}
            return
        while found := self.take(r" By ([a-z, ]+?) it would be (?:(chosen, too)|<m>)\."):
            for name in re.split(", | and ", found[0]):
                v = expected.pop(RULES[name])
                if found[1]:
                    assert v == chosen
                else:
                    self.is_move(found[2], v)
        assert not expected

    # ---- values ----------------------------------------------------------------------------------

    def means(self) -> None:
        story, tree = self.story, self.story.tree
        chosen = story.ranked[0]
        if not story.collects(story.node):
            self.must(r"Moves of . have no mean value: only visits are counted there\.")
            return
        if self.take(r"It was never visited, so it has no mean value\."):
            assert tree.visits[chosen] == 0
            return
        self.must(f"Its mean value{self.view} is (?=[-0-9])")
        intervals = [self.mean(chosen)]
        if found := self.take(", that of <m> "):
            self.is_move(found[0], story.ranked[1])
            intervals.append(self.mean(story.ranked[1]))
        self.must(r"\.")
        if len(intervals) == 2 and intervals[0] and intervals[1]:
            (a, b), (c, d) = intervals
            self.must(f" The intervals {'do not overlap' if a > d or c > b else 'overlap'}\\.")
        if any(intervals):
            self.must(re.escape(METHOD))

    def mean(self, child: int) -> tuple[float, float] | None:
        same(self.must("<n>")[0], self.story.tree.mean_value[child], 4)
        expected = self.story.interval(child)
        found = self.must(r" \((?:95 % interval <n> to <n>|no interval: [a-z' ]+)\)")
        assert (found[0] is None) == (expected is None)
        if expected:
            same(found[0], expected[0], 4)
            same(found[1], expected[1], 4)
        return expected

    def expected(self) -> list[int]:
        node, steps = self.story.node, []
        while ranked := self.story.tree.ranked_children(node):
            node = ranked[0]
            steps.append(node)
        return steps

    def line(self) -> None:
        steps = self.expected()
        for place, step in enumerate(steps[:6]):
            if place:
                self.must(", ")
            self.step(step)
        if len(steps) > 6:
            same(self.must(r" and <n> more\.")[0], len(steps) - 6, 0)
        else:
            self.must(r"\.")

    def step(self, v: int) -> None:
        tree = self.story.tree
        said, *_ = self.must(r"<m> \(")
        self.is_move(said, v)
        if tree.visits[v] and self.story.collects(int(tree.parent[v])):
            view = " for .+?" if tree.to_move[tree.parent[v]] >= 0 else ""
            same(self.must(f"<n>{view}, ")[0], tree.mean_value[v], 4)
        same(self.must(r"<n> visits?\)")[0], tree.visits[v], 0)

    # ---- selections ------------------------------------------------------------------------------

    def selections(self) -> None:
        story = self.story
        if not story.selections:
            return
        same(
            self.must("\n<n> selections? among existing children here")[0], len(story.selections), 0
        )
        if found := self.take(", of which <n> were looked at, one in <n>"):
            story.step = int(found[1])
            same(found[0], len(story.looked_at), 0)
        reasons = [story.won(each) for _, each in story.looked_at]
        compared = Counter(reason for reason in reasons if reason is not None)
        if self.take(
            r"\. Their scores are not in the trace, so it is not known which term decided\."
        ):
            assert compared.keys() == {"unknown"}
            return
        if self.take(r", each of an only child\."):
            assert not compared
            return
        self.must(r"\. Against the best other child the chosen one won ")
        self.counts(compared)
        alone = self.take("; <n> had no other child")
        same(alone[0] if alone else "0", reasons.count(None), 0)
        self.must(r"\.")
        if not (
            found := self.take(
                r" Most often in iterations <n> to <n>: ([a-z ]+) \(<n> of <n>\); in iterations "
            )
        ):
            return
        self.stretch(found)
        self.stretch(self.must(r"<n> to <n>: ([a-z ]+) \(<n> of <n>\)\."))

    def stretch(self, said: tuple[str, ...]) -> None:
        first, last = (int(text.replace(",", "")) for text in said[:2])
        found = [self.story.won(each) for u, each in self.story.looked_at if first <= u <= last]
        counts = Counter(reason for reason in found if reason is not None)
        same(said[3], counts[WON[said[2]]], 0)
        assert counts[WON[said[2]]] == max(counts.values())
        same(said[4], counts.total(), 0)

    def counts(self, expected: Counter[str]) -> None:
        said: dict[str, int] = {}
        for by in sorted(WON, key=len)[::-1]:  # the longest first
            if found := re.search(rf"{N} {by}(?= and \d|, \d|\.|;)", self.rest.split("\n")[0]):
                if found.start() > len(self.sentence()):
                    continue
                said[WON[by]] = int(found[1].replace(",", ""))
        words = "|".join(sorted(WON, key=len)[::-1])
        self.must(rf"{N} (?:{words})(?:(?:, | and ){N} (?:{words}))*")
        assert said == dict(expected)

    def sentence(self) -> str:
        return re.split(r"[.;](?:\s|$)", self.rest)[0]

    # ---- the rejected ----------------------------------------------------------------------------

    def rejection(self) -> None:
        story, tree = self.story, self.story.tree
        mine = next((v for v in story.children if tree.action[v] == self.why_not), None)
        if mine is None:
            (t,) = self.must(
                r"Why not .+?\? It has no node here after iteration <n>: it was not tried\."
            )
            same(t, story.t, 0)
            return
        self.is_move(self.must(r"Why not <m>\? ")[0], mine)
        if self.take(r"It is the move (chosen|most visited)\."):
            assert story.ranked[0] == mine
            return
        visits, of = self.must("It got <n> of <n> visits")
        same(visits, tree.visits[mine], 0)
        same(of, tree.visits[story.node], 0)
        if story.ranked:
            said, visits = self.must(", <m> <n>")
            self.is_move(said, story.ranked[0])
            same(visits, tree.visits[story.ranked[0]], 0)
        self.must(r"\.")
        if tree.visits[mine] and story.collects(story.node):
            self.must(f" Its mean value{self.view} is (?=[-0-9])")
            self.mean(mine)
            self.must(r"\.")
        if found := self.take(r" It is proven to (win|lose)\."):
            assert story.standing(mine) == {"win": 1, "lose": -1}[found[0]]
        if story.selections:
            self.starving(mine)
        replies = tree.ranked_children(mine)
        assert bool(replies) == bool(self.take(" The best reply to it is "))
        if replies:
            self.step(replies[0])
            self.must(r"\.")
        self.needs(mine)

    def starving(self, mine: int) -> None:
        story = self.story
        taken = [each.chosen == mine for _, each in story.selections]
        times = [u for (u, _), took in zip(story.selections, taken) if took]
        same(self.must(" It was selected <n> times?")[0], len(times), 0)
        if times:
            same(self.must(", the last time in iteration <n>")[0], times[-1], 0)
        self.must(r"\.")
        k, n = len(story.children), len(taken)
        start = next(
            (i for i in range(n) if n - i >= 2 * k and 2 * k * sum(taken[i:]) < n - i), None
        )
        pattern = (
            r" It has been starved since iteration <n>: <n> of <n> selections, "
            r"less than half of an equal share, <n>\."
        )
        found = self.take(pattern)
        assert (found is None) == (start is None)
        if found and start is not None:
            same(found[0], story.selections[start][0], 0)
            same(found[1], sum(taken[start:]), 0)
            same(found[2], n - start, 0)
            same(found[3], (n - start) / k, 1)
        lost = Counter(
            reason
            for i, (_, each) in enumerate(story.selections)
            if i >= (start or 0) and i % story.step == 0
            if each.chosen != mine and (reason := story.won(each, mine)) is not None
        )
        if lost and lost.keys() != {"unknown"}:
            (said,) = self.must(
                " Of the <n> selections(?: looked at)?(?: since then)? that others won, it lost "
            )
            same(said, lost.total(), 0)
            self.counts(lost)
            self.must(r"\.")

    def needs(self, mine: int) -> None:
        story, tree = self.story, self.story.tree
        pattern = (
            r" For the highest selection score now it would need a value above <n>; it has <n>\."
        )
        if found := self.take(pattern):
            best = max(tree.uct[v] for v in story.children if v != mine)
            same(found[0], best - tree.exploration_term[mine], 4)
            same(found[1], tree.value_term[mine], 4)
        if found := self.take(r" To be chosen it would need more than <n> visits\."):
            assert tree.final_move in ("most_visits", "robust_max")
            same(found[0], tree.visits[story.ranked[0]], 0)
        elif found := self.take(
            r" To be chosen it would need a (mean value|value sum) above <n>\."
        ):
            needed = story.score(story.ranked[0])
            if tree.final_move == "secure":
                needed += tree.value_width / math.sqrt(tree.visits[mine])
            assert (found[0] == "value sum") == (tree.final_move == "highest_total")
            same(found[1], needed, 4)


def same(said: str, value: Any, digits: int) -> None:
    """Whether a number says a value to that many decimals."""
    assert abs(float(said.replace(",", "")) - float(value)) <= 0.500001 * 10**-digits + 1e-12 * abs(
        value
    )
