"""Questions about what searches cost and what their settings are worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcts_viz.fleets.questions.question import (
    BUDGET,
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

SLOWER = 3.0  # times as long for each level, of a deep tree in place of a shallow one
DEPTH_FROM = "floor(depth / 5) * 5"
FEW = 10  # searches
OF_STRENGTH = {
    "fleet-c-weaker": Check(
        "warning",
        "The c that is used most is as good as any other one at the same budget.",
        "A constant that was tuned at another budget, or for values on another scale.",
        "Play a series of games between both, with the budget of these searches.",
    )
}
OF_TIME = {
    "fleet-time-by-depth": Check(
        "warning",
        "An iteration in a deep tree takes longer only by the length of its path.",
        "The position replayed from the start, copied or hashed whole at every level, or a list searched from its "
        "beginning.",
        "Profile one iteration at the end of a deep search.",
    )
}


def _judge_strength(rows: Sequence[AnswerRow]) -> Iterator[Finding]:
    """What a c is worth depends on the formula that it stands in, and on the rest of the search."""
    groups: dict[tuple[str, float, str], list[AnswerRow]] = {}
    for row in rows:
        of = (str(row["game"]), number(row, "budget"), f"{row['preset']} {row['selection']}")
        groups.setdefault(of, []).append(row)
    for (game, budget, _), alike in sorted(groups.items(), key=lambda group: group[0]):
        used = max(alike, key=lambda row: number(row, "n"))
        best = max(alike, key=lambda row: number(row, "strength"))
        apart = _apart(best, used)
        if (
            best is not used
            and min(number(row, "games") for row in (best, used)) >= FEW
            and apart > SURE
        ):
            yield finding(
                OF_STRENGTH, "fleet-c-weaker",
                f"{game} with some {budget:,.0f} iterations: c = {number(used, 'c'):g} scores "
                f"{number(used, 'strength'):.2f} in {number(used, 'n'):,.0f} searches, c = {number(best, 'c'):g} "
                f"{number(best, 'strength'):.2f} in {number(best, 'n'):,.0f}",
                game=game, budget=budget, c=used["c"], strength=used["strength"], better_c=best["c"],
                better_strength=best["strength"], deviations=min(apart, 1e9),
            )  # fmt: skip


def _apart(one: AnswerRow, other: AnswerRow) -> float:
    told = [number(row, name) for row in (one, other) for name in ("strength", "spread", "games")]
    return deviations(*told)


def _judge_time(rows: Sequence[AnswerRow]) -> Iterator[Finding]:
    for game in sorted({str(row["game"]) for row in rows}):
        known = [row for row in rows if row["game"] == game and number(row, "n") >= FEW]
        if len(known) < 2:
            continue
        shallow, deep = known[0], known[-1]
        longer = number(deep, "microseconds") / max(number(shallow, "microseconds"), 1e-9)
        deeper = number(deep, "depth") / max(number(shallow, "depth"), 1.0)
        if deeper >= 1.5 and longer / deeper > SLOWER:
            yield finding(
                OF_TIME, "fleet-time-by-depth",
                f"{game}: an iteration takes {number(deep, 'microseconds'):,.1f} µs in trees of depth "
                f"{number(deep, 'depth'):.0f}, {longer:.0f} times as long as in those of depth "
                f"{number(shallow, 'depth'):.0f}",
                game=game, depth=deep["depth"], microseconds=deep["microseconds"], shallow_depth=shallow["depth"],
                shallow_microseconds=shallow["microseconds"],
            )  # fmt: skip


BUDGETS = (
    Question(
        "c-against-strength",
        "Which c is strongest at each budget, to a power of two, by results of games or by regret, from −1 to 1?",
        f"""
with scored as (
    select game, preset, selection, c, {BUDGET} as budget,
           coalesce(result, 1 - 2 * regret) as score, coalesce(run || ' ' || game_id, search_id) as played
    from searches where c is not null and coalesce(result, regret) is not null
)
select game, preset, selection, budget, c, count(*) as n, count(distinct played) as games, avg(score) as strength,
       coalesce(stddev_pop(score), 0) as spread, concat_ws(' ', preset, selection, cast(budget as bigint)) as line
from scored group by game, preset, selection, budget, c order by game, preset, selection, budget, c limit 5000
""",
        PictureSpec("line", "c", ("strength",), "c", "strength", group="line"),
        _judge_strength,
        OF_STRENGTH,
        {**same("game", "preset", "selection", "c"), "budget": f"{BUDGET} = ?"},
    ),
    Question(
        "time-by-depth",
        "Does an iteration take longer the deeper the tree is, beyond the length of its path?",
        f"""
select game, {DEPTH_FROM} as depth_from, avg(depth) as depth, count(*) as n,
       1e6 * sum(seconds) / sum(iterations) as microseconds
from searches where seconds > 0 and iterations > 0 group by game, depth_from order by game, depth_from
""",
        PictureSpec(
            "line", "depth", ("microseconds",), "depth of the tree", "µs an iteration", group="game"
        ),
        _judge_time,
        OF_TIME,
        {**same("game"), "depth_from": f"{DEPTH_FROM} = ?"},
    ),
)
