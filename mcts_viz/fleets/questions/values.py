"""Questions about values and choices: whether values predict results, which moves lost a game, and which searches
ended undecided."""

from __future__ import annotations

import math
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

FEW = 20  # searches from which on a share is evidence
VALUE = "least(greatest(2 * (root_value - value_low) / (value_high - value_low) - 1, -1), 1)"  # from −1 to 1
EXPECTED = f"round({VALUE} * 5) / 5"
OFF = 0.3  # of results from −1 to 1, on average over all values
OF_VALUES = {
    "fleet-value-inverted": Check(
        "error",
        "The higher the root's value, the better the game ends.",
        "A value in the view of the other player: of the network, of the back-up, or of the result that was kept.",
        "Look at a search late in a won game: its root's value should be near that of a win.",
    ),
    "fleet-value-miscalibrated": Check(
        "warning",
        "The root's value is the mean result of the games that go on from there.",
        "Values that are discounted, scaled or clipped; rollouts whose end is not the game's; opponents far stronger "
        "or weaker than the search itself.",
        "Compare values and results by the ply of the game.",
    ),
}
OF_BLUNDERS = {
    "fleet-blunders": Check(
        "warning",
        "Solved positions are played without giving anything away.",
        "A budget or a c that does not fit these positions; a fault in the search: look at its findings.",
        "Open the worst of them and ask for its verdict.",
    )
}
OF_VOTES = {
    "fleet-undecided": Check(
        "note",
        "Most searches end with a clear choice.",
        "Budgets that end before the vote does, a c that is too large, or values that do not differ.",
        "Open a search with a small margin, and ask how sure its choice is.",
    )
}


def _judge_values(rows: Sequence[AnswerRow]) -> Iterator[Finding]:
    """Each engine by itself: the faults of two that play each other cancel out."""
    engines = list(dict.fromkeys(row["engine"] for row in rows))
    found = [
        each for name in engines for each in _judge_engine([r for r in rows if r["engine"] == name])
    ]
    yield from sorted(found, key=lambda each: -number(each.evidence, "gap"))


def _judge_engine(rows: Sequence[AnswerRow]) -> Iterator[Finding]:
    engine = rows[0]["engine"]
    whose = "" if engine is None else f"engine {engine}, "
    several = [row for row in rows if number(row, "n") >= FEW / 2] or rows
    worst = max(several, key=lambda row: abs(number(row, "expected") - number(row, "result")))
    named = {"engine": engine, "expected": worst["expected"], "example": worst["worst"]}
    n = sum(number(row, "n") for row in rows)
    games = max(number(row, "games") for row in rows)  # searches of one have one result
    all_games = number(rows[0], "all_games")
    if all_games < FEW:
        return
    weights = [number(row, "n") / n for row in rows]
    expected, result = ([number(row, name) for row in rows] for name in ("expected", "result"))
    mean_x, mean_y = (sum(w * v for w, v in zip(weights, values)) for values in (expected, result))
    over = sum(w * (x - mean_x) ** 2 for w, x in zip(weights, expected))
    slope = sum(w * (x - mean_x) * (y - mean_y) for w, x, y in zip(weights, expected, result)) / (
        over or math.inf
    )
    gap = sum(w * abs(x - y) for w, x, y in zip(weights, expected, result))
    agreement = deviations(
        number(rows[0], "agreement"),
        number(rows[0], "agreement_spread"),
        all_games,
        0.0,
        0.0,
        all_games,
    )  # of values and results, a number for each game
    if agreement < -SURE and slope < 0:
        yield finding(
            OF_VALUES, "fleet-value-inverted",
            f"{whose}over {n:,.0f} searches: results fall by {-slope:.2f} where values rise by 1",
            **named, searches=n, games=games, gap=gap, slope=slope, deviations=max(agreement, -1e9),
        )  # fmt: skip
    elif gap > max(OFF, SURE * math.sqrt(len(rows) / games)):
        yield finding(
            OF_VALUES, "fleet-value-miscalibrated",
            f"{whose}over {n:,.0f} searches: values and results are {gap:.2f} apart on average, on a scale from −1 "
            f"to 1; most of all where the value is {_signed(worst, 'expected')}, and the mean result "
            f"{_signed(worst, 'result')}",
            **named, searches=n, games=games, gap=gap, slope=slope,
        )  # fmt: skip


def _signed(row: AnswerRow, column: str) -> str:
    return f"{number(row, column):+.2f}".replace("-", "−")


def _judge_blunders(rows: Sequence[AnswerRow]) -> Iterator[Finding]:
    n = sum(number(row, "solved") for row in rows)
    lost = sum(number(row, "blunders") for row in rows)
    if n >= FEW and lost > 0.1 * n:
        worst = max(rows, key=lambda row: (number(row, "regret"), number(row, "blunders")))
        yield finding(
            OF_BLUNDERS, "fleet-blunders",
            f"{lost:,.0f} of {n:,.0f} solved positions were not played right, most of all after {worst['ply']} moves "
            f"of {worst['game']}; such as {worst['worst']}",
            solved=n, blunders=lost, ply=worst["ply"], game=worst["game"], example=worst["worst"],
        )  # fmt: skip


def _judge_votes(rows: Sequence[AnswerRow]) -> Iterator[Finding]:
    for row in rows:
        n, tied = number(row, "n"), number(row, "undecided")
        if n >= FEW and tied > 0.5 * n:
            yield finding(
                OF_VOTES, "fleet-undecided",
                f"{row['game']} with some {number(row, 'iterations'):,.0f} iterations: in {tied:,.0f} of {n:,.0f} "
                f"searches the first two moves are less than 2 % of the visits apart; such as {row['example']}",
                game=row["game"], budget=row["budget"], searches=n, undecided=tied, example=row["example"],
            )  # fmt: skip


VALUES = (
    Question(
        "value-calibration",
        "Do values of the root foretell how the games end?",
        f"""
with known as (
    select engine, search_id, coalesce(game_id, search_id) as game, {VALUE} as value, {EXPECTED} as expected, result
    from searches where result is not null and root_value is not null
), whole as (
    select engine as whose, avg(value) as mean_value, avg(result) as mean_result from known group by engine
), by_game as (  -- above 0: in this game high values went with good results
    select whose, avg((value - mean_value) * (result - mean_result)) as agreement
    from known join whole on engine is not distinct from whose group by whose, game
), agreements as (
    select whose, count(*) as all_games, avg(agreement) as agreement,
           coalesce(stddev_pop(agreement), 0) as agreement_spread
    from by_game group by whose
)
select engine, expected, count(*) as n, count(distinct game) as games, avg(result) as result,
       arg_max(search_id, abs(value - result)) as worst, any_value(all_games) as all_games,
       any_value(agreement) as agreement, any_value(agreement_spread) as agreement_spread
from known join agreements on engine is not distinct from whose
group by engine, expected order by engine, expected
""",
        PictureSpec(
            "line", "expected", ("result",), "value of the root, −1 to 1", "mean result", group="engine"
        ),
        _judge_values,
        OF_VALUES,
        {**same("engine"), "expected": f"result is not null and {EXPECTED} = ?"},
    ),
    Question(
        "blunders",
        "Which solved positions were not played right, and how far into the game?",
        """
select game, ply, count(*) as solved, count(*) filter (regret > 0) as blunders, avg(regret) as regret,
       arg_max(search_id, regret) as worst
from searches where regret is not null group by game, ply order by game, ply
""",
        PictureSpec("bars", "ply", ("regret",), "moves before the position", "mean regret", group="game"),
        _judge_blunders,
        OF_BLUNDERS,
        {**same("game"), "ply": "regret > 0 and ply is not distinct from ?"},
    ),
    Question(
        "undecided-votes",
        "How often are the first two moves nearly level in visits when the budget ends?",
        f"""
select game, {BUDGET} as budget, round(avg(iterations)) as iterations, count(*) as n,
       count(*) filter (visit_margin < 0.02) as undecided,
       count(*) filter (lead_since > 0.9 * iterations) as late, avg(visit_margin) as visit_margin,
       arg_min(search_id, visit_margin) as example
from searches where visit_margin is not null and moves > 1 group by game, budget order by game, budget limit 1000
""",
        PictureSpec("dots", "iterations", ("visit_margin",), "iterations", "mean margin, share of visits",
                    group="game", size="n", log_x=True),
        _judge_votes,
        OF_VOTES,
        {**same("game"), "budget": f"{BUDGET} = ?"},
    ),
)  # fmt: skip
