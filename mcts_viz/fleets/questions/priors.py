"""Questions about priors: whether they let winning moves be found, what becomes of them, and whether noise is noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mcts_viz.fleets.questions.question import (
    SURE,
    AnswerRow,
    PictureSpec,
    Question,
    finding,
    number,
    rate_deviations,
    same,
)
from mcts_viz.health.finding import Check, Finding
from mcts_viz.trace.words import plural

FEW = 20  # searches from which on a share is evidence
POWER = "greatest(floor(log2(greatest(prior, 1e-6))), -12)"
LOW = -4  # powers of two: a prior below 1/16 is low
OF_PRIORS = {
    "fleet-prior-too-low": Check(
        "warning",
        "Winning moves are found whatever their prior.",
        "A prior near 0 for a winning move, with a c or a budget that never gets there: no noise at the root, a "
        "policy that was trained on few games, or a softmax that is too sharp.",
        "Open a search of a solved position whose winning move has no visits, and compare the priors there.",
    )
}
OF_ENTROPY = {
    "fleet-policy-collapsed": Check(
        "warning",
        "The visits at the root are spread over several moves.",
        "A c that is too small, values outside of their range, or noise that is missing: the target teaches what the "
        "prior says already.",
        "Compare the entropies of visits and priors, and the visits of a search with its scores.",
    ),
    "fleet-policy-flat": Check(
        "warning",
        "The visits at the root favour some moves.",
        "A c that is too large for the range of values, or values that are all the same: the target is uniform.",
        "Look at the two terms of the root's scores in a search.",
    ),
}
OF_NOISE = {
    "fleet-noise-repeats": Check(
        "warning",
        "Noise at the root is drawn anew for every search.",
        "A random generator that is made anew with the same seed in every worker, or one draw for a whole batch.",
        "Compare the root's priors of two searches of the same position.",
    ),
    "fleet-noise-missing": Check(
        "note",
        "Searches of one position have priors of their own, where noise is drawn at the root.",
        "No noise, as is right in a match; in self-play, noise that was left out, or drawn once for all searches.",
        "Compare the root's priors with what the network says of the position.",
    ),
    "fleet-seed-ignored": Check(
        "error",
        "Searches with other seeds are other searches.",
        "The seed is not handed on, or a generator is copied with its state: all games are the same game.",
        "Compare two of the searches: they are alike in every iteration.",
    ),
}


def _judge_priors(rows: Sequence[AnswerRow]) -> Iterator[Finding]:
    low = [row for row in rows if number(row, "prior_power") < LOW]
    high = [row for row in rows if number(row, "prior_power") >= LOW]
    (low_won, low_found), (high_won, high_found) = (
        (sum(number(r, "winning") for r in each), sum(number(r, "found") for r in each))
        for each in (low, high)
    )
    if low_won < FEW or low_found / low_won >= 0.5:
        return
    is_known = high_won >= FEW  # how often a win is found whose prior is no hindrance
    if not is_known or rate_deviations(high_found, high_won, low_found, low_won) > SURE:
        beside = (
            f", of {high_won:,.0f} with a higher one {high_found / high_won:.0%}"
            if high_won
            else ""
        )
        yield finding(
            OF_PRIORS, "fleet-prior-too-low",
            f"of {low_won:,.0f} positions whose winning moves all have a prior below 1/16, {low_found / low_won:.0%} "
            f"were won by the move played{beside}",
            winning=low_won, found=low_found, winning_above=high_won, found_above=high_found,
        )  # fmt: skip


def _judge_entropy(rows: Sequence[AnswerRow]) -> Iterator[Finding]:
    for row in rows:
        n, share = number(row, "n"), number(row, "share")
        if n < FEW:
            continue
        where = f"run {row['run']}: {n:,.0f} searches"
        if share < 0.02:
            check, words = "fleet-policy-collapsed", "nearly all visits are on one move"
        elif share > 0.999 and number(row, "iterations") > 20 * number(row, "moves"):
            check, words = "fleet-policy-flat", "all moves have the same visits"
        else:
            continue
        yield finding(
            OF_ENTROPY, check, f"{where}, {words}: the entropy is {share:.1%} of the greatest",
            run=row["run"], searches=n, share=share,
        )  # fmt: skip


def _judge_noise(rows: Sequence[AnswerRow]) -> Iterator[Finding]:
    """Each check once for a run, at the position with the most searches."""
    for run in sorted({str(row["run"]) for row in rows}):
        own = sorted((row for row in rows if row["run"] == run), key=lambda row: -number(row, "n"))
        for check, words, is_so in _NOISE:
            if found := [row for row in own if is_so(row)]:
                row = found[0]
                others = (
                    f", and so in {plural(len(found) - 1, 'more position')}" if found[1:] else ""
                )
                told = {name: row[name] for name in ("n", "seeds", "trees")}
                at = f"position {row['position']!r}" if row["position"] else "the first position"
                told["sets"] = plural(int(number(row, "priors")), "set")
                yield finding(
                    OF_NOISE, check,
                    f"run {run}, {row['game']}, {at}: {words.format(**told)}{others}",
                    run=run, game=row["game"], position=row["position"], searches=row["n"], priors=row["priors"],
                    seeds=row["seeds"], trees=row["trees"], positions=len(found), example=row["example"],
                )  # fmt: skip


def _repeats(row: AnswerRow) -> bool:
    n, priors = number(row, "n"), number(row, "priors")
    return n >= 4 and (priors > 1 or bool(row["has_gumbel"])) and priors < 0.9 * n


def _is_missing(row: AnswerRow) -> bool:
    """A search that has no noise of its own is sound where it is meant to, so that this is a note."""
    few = number(row, "n") < FEW or row["has_gumbel"]
    return not few and row["priors"] == 1 and number(row, "prior_share") < 0.999


def _ignores_seeds(row: AnswerRow) -> bool:
    by_chance = row["simulation"] == "random" and number(row, "nodes") > 50
    return by_chance and number(row, "seeds") > number(row, "trees")


_NOISE: tuple[tuple[str, str, Callable[[AnswerRow], bool]], ...] = (
    ("fleet-noise-repeats", "{n:,} searches have {sets} of priors among them", _repeats),
    ("fleet-noise-missing", "{n:,} searches have the same priors", _is_missing),
    ("fleet-seed-ignored", "{seeds:,} seeds made {trees:,} trees", _ignores_seeds),
)
PRIORS = (
    Question(
        "prior-against-visits",
        "Do moves get the visits that their priors ask for, and are winning moves found whatever their prior?",
        f"""
with won as (  -- each position with a winning move: the highest prior of these, and whether one of them was played
    select hash(search_id) as k, max(prior) as prior, bool_or(best) as is_found
    from moves where exact_value = 1 and prior is not null group by k
), wins as (
    select {POWER} as prior_power, count(*) as winning, count(*) filter (is_found) as found
    from won group by prior_power
), shares as (
    select {POWER} as prior_power, count(*) as moves, avg(policy) as visited_share
    from moves where prior is not null group by prior_power
)
select prior_power, moves, visited_share, coalesce(winning, 0) as winning, coalesce(found, 0) as found
from shares left join wins using (prior_power) order by prior_power
""",
        PictureSpec(
            "line", "prior_power", ("visited_share",), "prior, as a power of two", "share of visits"
        ),
        _judge_priors,
        OF_PRIORS,
        {"prior_power": f"search_id in (select search_id from all_moves where {POWER} = ?)"},
    ),
    Question(
        "policy-entropy",
        "How spread are the visits that a policy is trained on, from 0, one move, to 1, all moves equally?",
        """
select run, count(*) as n, avg(visit_entropy / ln(moves)) as share,
       avg(prior_entropy / ln(moves)) as prior_share,
       avg(kl_visits_prior) as kl_visits_prior, avg(iterations) as iterations, avg(moves) as moves
from searches where moves > 1 and visit_entropy is not null group by run order by run
""",
        PictureSpec("bars", "run", ("share", "prior_share"), "run", "entropy, of the greatest"),
        _judge_entropy,
        OF_ENTROPY,
        same("run"),
    ),
    Question(
        "noise-that-repeats",
        "Do searches of the same position have priors and trees of their own?",
        """
with keyed as (
    select hash(run, game, position, simulation, preset, c, iterations) as k, hash(prior_digest) as p, hash(digest) as d
    from searches where digest is not null
), often as (  -- whole numbers first, which is quick: texts of the few positions that are left
    select k, count(*) as n, count(distinct p) as priors, count(distinct d) as trees
    from keyed group by k having count(*) > 1
    order by count(*) - count(distinct d) desc, count(*) - count(distinct p) desc, n desc limit 1000
)
select any_value(run) as run, any_value(game) as game, any_value(position) as position,
       any_value(simulation) as simulation, any_value(often.n) as n,
       case when count(prior_digest) > 0 then any_value(priors) else 0 end as priors, any_value(trees) as trees,
       min(case when moves > 1 then prior_entropy / ln(moves) else 1 end) as prior_share,
       coalesce(bool_and(prior_digest like 'g%'), false) as has_gumbel, count(distinct seed) as seeds,
       min(nodes) as nodes, min(search_id) as example
from often join searches on k = hash(run, game, position, simulation, preset, c, iterations)
where digest is not null group by k
order by any_value(often.n) - any_value(often.trees) desc, any_value(often.n) - any_value(often.priors) desc, n desc
""",
        PictureSpec("dots", "n", ("trees", "priors"), "searches of a position", "different ones"),
        _judge_noise,
        OF_NOISE,
        same("run", "game", "position", "simulation"),
    ),
)
