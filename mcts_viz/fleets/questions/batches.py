"""Questions about what searches leave behind in others, what the rules forbid, and what cannot be read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcts_viz.fleets.questions.question import (
    SURE,
    AnswerRow,
    PictureSpec,
    Question,
    deviations,
    finding,
    number,
    same,
)
from mcts_viz.health.finding import Check, Finding

MEASURES = ("root_value", "visit_entropy", "nodes", "depth")
FEW = 4  # games, or searches of none, of a slot
LEAST = 0.5  # of the spread: what is nearer is no leak, however many searches there are
OF_SLOTS = {
    "fleet-slot-differs": Check(
        "error",
        "A search does not depend on its place in the batch.",
        "Arrays that are not cleared between batches, an index that is off by one, or padding that is searched: one "
        "tree leaks into the next.",
        "Run the same positions in another order, and compare the searches by `mcts-viz fleet diff`.",
    )
}
OF_RULES = {
    "fleet-illegal-visits": Check(
        "error",
        "Only legal moves are visited.",
        "A mask of legal moves that is missing, of the other player, or of the position before.",
        "Open the search, and look at the position at its root.",
    )
}
OF_FILES = {
    "fleet-unreadable": Check(
        "warning",
        "Every search can be read to its end.",
        "Files that were cut off or damaged, or programs that were killed while they wrote.",
        "Open the file by itself; `mcts-viz recover` saves what can be.",
    )
}


def _judge_slots(rows: Sequence[AnswerRow]) -> Iterator[Finding]:
    """The slot that is farthest from the others, then, without it, the next one: it would set others apart."""
    for run in sorted({str(row["run"]) for row in rows}):
        left = [row for row in rows if row["run"] == run]
        while len(left) > 1:
            apart = [_farthest(slot, left) for slot in left]
            worst = max(apart, key=lambda one: (abs(one.off), one.share))
            if abs(worst.off) <= SURE + 1:
                break
            left.remove(worst.slot)
            how = (
                f"{abs(worst.off):.0f} standard deviations apart"
                if math.isfinite(worst.off)
                else "without any spread"
            )
            slot, name = worst.slot["slot"], worst.name
            yield finding(
                OF_SLOTS, "fleet-slot-differs",
                f"run {run}: the mean of {name} is {worst.own:.3g} in slot {slot} and {worst.mean:.3g} in the others, "
                f"{how}",
                run=run, slot=slot, measure=name, mean=worst.own,
                deviations=worst.off if math.isfinite(worst.off) else None, searches=worst.slot["n"],
            )  # fmt: skip


class _Apart(NamedTuple):
    """How far a slot is from the others, by the measure by which it is farthest."""

    slot: AnswerRow
    name: str
    off: float  # standard deviations
    own: float
    mean: float  # of the others

    @property
    def share(self) -> float:
        """The difference as a share of the numbers."""
        return abs(self.own - self.mean) / max(abs(self.own) + abs(self.mean), 1e-300)


def _farthest(slot: AnswerRow, slots: Sequence[AnswerRow]) -> _Apart:
    others = [row for row in slots if row is not slot]
    found = [
        _Apart(slot, name, _apart(slot, others, name), number(slot, name), _mean(others, name))
        for name in MEASURES
    ]
    return max(found, key=lambda one: abs(one.off))


def _mean(rows: Sequence[AnswerRow], name: str) -> float:
    known = [row for row in rows if not math.isnan(number(row, name))]
    n = sum(number(row, "n") for row in known)
    return sum(number(row, "n") * number(row, name) for row in known) / n if n else math.nan


def _apart(slot: AnswerRow, others: Sequence[AnswerRow], name: str) -> float:
    """How many standard deviations a slot's mean is from that of the others together. Searches of one game are alike,
    and count as one."""
    known = [row for row in others if not math.isnan(number(row, name))]
    n, games = (sum(number(row, each) for row in known) for each in ("n", "games"))
    own = number(slot, "games")
    if math.isnan(number(slot, name)) or games < 4 * FEW or own < FEW:
        return 0.0
    mean = _mean(known, name)
    variance = sum(number(row, "n") * number(row, f"{name}_spread") ** 2 for row in known) / n
    spread = max(number(slot, f"{name}_spread"), math.sqrt(variance))
    off = abs(number(slot, name) - mean)
    if off <= max(LEAST * spread, 1e-9 * abs(mean)):  # or the rounding of a sum
        return 0.0
    return deviations(number(slot, name), spread, own, mean, math.sqrt(variance), games)


def _judge_rules(rows: Sequence[AnswerRow]) -> Iterator[Finding]:
    for row in rows:
        yield finding(
            OF_RULES, "fleet-illegal-visits",
            f"run {row['run']}: {number(row, 'visits'):,.0f} visits to illegal moves in {number(row, 'n'):,.0f} "
            f"searches; {row['move']} in {row['example']}",
            run=row["run"], visits=row["visits"], searches=row["n"], move=row["move"], example=row["example"],
        )  # fmt: skip


def _judge_files(rows: Sequence[AnswerRow]) -> Iterator[Finding]:
    n = sum(number(row, "n") for row in rows)
    if n:
        yield finding(
            OF_FILES, "fleet-unreadable",
            f"{n:,.0f} searches cannot be read, or not to their end; such as {rows[0]['example']}: {rows[0]['error']}",
            searches=n, example=rows[0]["example"], error=rows[0]["error"],
        )  # fmt: skip


_MEASURED = ",\n       ".join(
    f"avg({name}) as {name}, coalesce(stddev_pop({name}), 0) as {name}_spread" for name in MEASURES
)
BATCHES = (
    Question(
        "slots",
        "Are searches the same in every place of their batch?",
        f"""
select run, slot, count(*) as n, count(distinct coalesce(game_id, search_id)) as games,
       sum(errors)::bigint as errors,
       {_MEASURED}
from searches where slot is not null group by run, slot order by run, slot
""",
        PictureSpec(
            "dots",
            "slot",
            ("root_value",),
            "place in the batch",
            "mean value of the root",
            group="run",
        ),
        _judge_slots,
        OF_SLOTS,
        same("run", "slot"),
    ),
    Question(
        "illegal-visits",
        "Which searches visit moves that the rules forbid?",
        """
select run, count(distinct search_id) as n, sum(visits)::bigint as visits, arg_max(name, visits) as move,
       arg_max(search_id, visits) as example
from moves where not legal and visits > 0 group by run order by visits desc
""",
        PictureSpec("bars", "run", ("visits",), "run", "visits to illegal moves"),
        _judge_rules,
        OF_RULES,
        {
            "run": "search_id in (select search_id from all_moves where run = ? and not legal and visits > 0)"
        },
        only_faults=True,
    ),
    Question(
        "unreadable",
        "Which searches cannot be read, or not to their end?",
        """
select run, error, count(*) as n, min(search_id) as example
from searches where error is not null group by run, error order by n desc limit 100
""",
        PictureSpec("bars", "run", ("n",), "run", "searches"),
        _judge_files,
        OF_FILES,
        same("run", "error"),
        only_faults=True,
    ),
)
