"""Two fleets compared: which searches of the same positions differ, worst first, and where each pair parts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

from mcts_viz.fleets.parting import Parting
from mcts_viz.fleets.query import Source, connection, fetched, query_made
from mcts_viz.fleets.questions.question import AnswerRow
from mcts_viz.trace.words import in_a_sentence, plural

ALWAYS = ("game", "position", "seed")  # what a pair of searches has in common
WHERE_SAME = (
    "iterations",
    "preset",
    "c",
    "slot",
    "game_id",
    "ply",
)  # and, where both fleets have the same ones
DETAILS = 10  # pairs that are opened
USED = ("digest", "best_action", "value_low", "value_high")
TOLD = (
    "search_id",
    "best_action_name",
    "root_value",
    "regret",
    "visit_margin",
    "iterations",
    "errors",
)


class DifferentPair(NamedTuple):
    """A pair of searches that differ."""

    row: AnswerRow
    parting: Parting | None  # None: not looked at, or one cannot be opened
    problem: str = ""  # why it cannot


@dataclass(frozen=True, eq=False)
class FleetDifference:
    """Fleet A beside fleet B. `str` says it in words, `markdown()` in a form small enough for a pull request."""

    names: tuple[str, str]
    matched_by: tuple[str, ...]  # columns
    n_a: int  # searches
    n_b: int
    n_pairs: int
    # A row for each pair that differs, worst first: what is the same for both, columns of each with _a and _b, and
    # `harm`: regret that B has beyond A's, a win worth 1; where that is not known, 0 for the same move
    table: pa.Table
    pairs: tuple[DifferentPair, ...]  # the first of them, with where they part

    @property
    def n_other_moves(self) -> int:
        """Pairs that would play different moves."""
        return sum(self.table["other_move"].to_pylist())

    @property
    def sentences(self) -> list[str]:
        """What the comparison says, without the pairs."""
        n = self.table.num_rows
        told = [
            f"{plural(self.n_pairs, 'pair')} of searches of the same {', '.join(self.matched_by)}: "
            f"{self.n_pairs - n:,} alike, {n:,} different, {self.n_other_moves:,} of them with another move."
        ]
        alone = (self.n_a - self.n_pairs, self.n_b - self.n_pairs)
        if any(alone):
            told.append(f"{alone[0]:,} searches are only in A, {alone[1]:,} only in B.")
        regret = [row for row in self._regrets() if not math.isnan(row)]
        if regret:
            mean = sum(regret) / len(regret)
            told.append(
                f"Regret, where it is known of both: {mean:+.4f} in B, on average of {len(regret):,}."
            )
        return told

    def _regrets(self) -> list[float]:
        both = zip(self.table["regret_a"].to_pylist(), self.table["regret_b"].to_pylist())
        return [math.nan if a is None or b is None else b - a for a, b in both]

    def __str__(self) -> str:
        heads = [f"A: {self.names[0]}", f"B: {self.names[1]}", *self.sentences]
        return "\n".join([*heads, *(line for pair in self.pairs for line in _lines(pair))])

    def markdown(self) -> str:
        """A heading, what the comparison says, and a table of the worst pairs."""
        short = [name.rstrip("/").rpartition("/")[2] for name in self.names]
        told = [f"### Searches: {short[0]} → {short[1]}", "", *self.sentences]
        if self.pairs:
            told += [
                "",
                "| position | A plays | B plays | harm | they part in | by |",
                "|---|---|---|---|---|---|",
            ]
            told += [_row(pair) for pair in self.pairs]
            left = self.table.num_rows - len(self.pairs)
            told += [f"\n… and {left:,} more."] if left else []
        return "\n".join(told) + "\n"


def difference_rows(
    a: Mapping[str, Source], b: Mapping[str, Source]
) -> tuple[tuple[str, ...], int, pa.Table]:
    """What pairs have in common, how many there are, and a row for each that differs."""
    made = connection({"a": a["searches"], "b": b["searches"]}, safe=False)
    same = [
        name
        for name in WHERE_SAME
        if fetched(query_made(made, _SAME.format(name=name)))["same"][0].as_py()
    ]
    keys = (*ALWAYS, *same)
    used = ", ".join(dict.fromkeys((*keys, *TOLD, *USED)))
    turn = f'row_number() over (partition by {", ".join(keys)} order by file, "offset") as turn'
    numbered = ", ".join(
        f"{side} as (select {used}, {turn} from {table} where error is null)"
        for side, table in (("one", "a"), ("other", "b"))
    )
    joined = " and ".join(f"one.{key} is not distinct from other.{key}" for key in (*keys, "turn"))
    begun = f"with {numbered} select {{}} from one join other on {joined}"
    n = fetched(query_made(made, begun.format("count(*) as n")))["n"][0].as_py()
    sides = ", ".join(
        f"{side}.{name} as {name}_{mark}"
        for name in TOLD
        for side, mark in (("one", "a"), ("other", "b"))
    )
    columns = f"one.game as game, one.position as position, one.seed as seed, {sides}, {_HARM}"
    rows = (
        begun.format(columns) + " where one.digest is distinct from other.digest order by " + _WORST
    )
    return keys, n, fetched(query_made(made, rows))


_SAME = (
    "select (select list_sort(list(distinct {name})) from a) is not distinct from "
    "(select list_sort(list(distinct {name})) from b) "
    "and (select count({name}) from a) > 0 as same"
)
_HARM = (
    "one.best_action is distinct from other.best_action as other_move, "
    "coalesce(other.regret - one.regret, 0) as harm, "
    "abs(one.root_value - other.root_value) / (one.value_high - one.value_low) as value_apart"
)
# another move by a clear margin weighs more than one by a hair
_WORST = (
    "harm desc, other_move desc, case when other_move then least(one.visit_margin, other.visit_margin) else 0 end "
    "desc, value_apart desc nulls last, search_id_a"
)


def _lines(pair: DifferentPair) -> list[str]:
    row, found = pair.row, pair.parting
    moves = f"A plays {row['best_action_name_a']}, B {row['best_action_name_b']}"
    told = [f"{row['search_id_a']} and {row['search_id_b']}: {moves}{_harm(row)}"]
    if found is not None and found.iteration is not None:
        told.append(
            f"    from iteration {found.iteration:,} on, at {found.line}: {found.what}; {found.by}"
        )
    elif pair.problem:
        told.append(f"    cannot be opened: {pair.problem}")
    return told


def _harm(row: AnswerRow) -> str:
    return (
        f", which gives away {float(row['harm'] or 0):.2g}" if float(row["harm"] or 0) > 0 else ""
    )


def _row(pair: DifferentPair) -> str:
    row, found = pair.row, pair.parting
    position = in_a_sentence(str(row["position"] or "start"))
    cells: Sequence[object] = (
        f"{row['game']} {position}, seed {row['seed']}",
        row["best_action_name_a"],
        row["best_action_name_b"],
        f"{float(row['harm'] or 0):.2g}",
        "–"
        if found is None or found.iteration is None
        else f"iteration {found.iteration:,}, at {found.line}",
        pair.problem if found is None else found.by or found.what,
    )
    return f"| {' | '.join(str(cell).replace('|', '/') for cell in cells)} |"
