"""Many searches of one position, over a grid of exploration constants and seeds, in several
processes: ties searches to `analysis.sensitivity`."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import joblib
import numpy as np

from mcts_viz import games
from mcts_viz.analysis.choice.sensitivity import NO_MOVE, Sensitivity, gathered
from mcts_viz.analysis.comparison.trees import search_words
from mcts_viz.arguments import names_wrong_arguments
from mcts_viz.engine.search import Search, run
from mcts_viz.errors import SearchError
from mcts_viz.runs.engine_move import best_actions
from mcts_viz.runs.jobs import check_jobs, deaf_to_interrupts, killed_in_words
from mcts_viz.runs.options import SearchOptions, search_options
from mcts_viz.runs.progress import Told, bar_of_searches
from mcts_viz.runs.recorder import search_meta
from mcts_viz.runs.rerun import game_of, prepare_again, recorded_policies
from mcts_viz.runs.search import prepare
from mcts_viz.trace import trace as traces
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.words import plural
from mcts_viz.types import is_real, is_whole

FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)  # multiples of the search's own c, where none are given
WITHOUT_ONE = (0.0, 0.5, 1.0, 1.4, 2.0)  # where that is 0
SEEDS = 10
IN_THIS_PROCESS = 20_000  # iterations in all, below which other processes start too slowly
MOST_SEARCHES = 10_000


class Grid(NamedTuple):
    """The searches to run, checked."""

    first: Search  # one of them, for what they have in common
    own_c: float | None
    iterations: int
    c: list[float]
    seeds: list[int]
    task: Callable[[float, int], _Task]

    @property
    def n_searches(self) -> int:
        """K × S."""
        return len(self.c) * len(self.seeds)


class _Task(NamedTuple):
    """One search, small enough to be sent to another process."""

    game: games.AnyGame
    options: SearchOptions
    root_actions: tuple[int, ...] | None


@names_wrong_arguments
def sensitivity(
    what: traces.Trace | games.AnyGame,
    preset: str | None = None,
    *,
    c: Sequence[float] | None = None,
    seeds: int | Sequence[int] = SEEDS,
    iterations: int | None = None,
    start: Sequence[str | int] = (),
    game: games.Game | games.FlatGame | None = None,
    jobs: int | None = None,
    progress: bool = False,
    told: Told | None = None,
    stop: Callable[[], bool] = lambda: False,
    **overrides: Any,
) -> Sensitivity:
    """How sure is this choice? Searches one position with each c and each seed, and counts how
    often each move is chosen.

    what: a trace, whose position, policies and number of iterations are taken, or a game. preset,
    start, overrides: as for `search`. game: the rules of a trace's game that is not built in. c:
    constants to try, by default a quarter to four times the search's own. seeds: the seeds, or how
    many (1, 2, …). iterations: of each search. jobs: processes, by default one a core where that
    pays; 1 for none but this. progress: show a bar in the terminal; told: called after each search.
    stop: asked after each; what has run by then is returned.

    Raises SearchError, GameError for what cannot be searched.
    """
    check_jobs(jobs)
    wanted = grid(
        what, preset, c=c, seeds=seeds, iterations=iterations, start=start, game=game, **overrides
    )
    with bar_of_searches(wanted.n_searches, progress) as advance:

        def tell(done: int, total: int) -> None:
            advance(done, total)
            if told is not None:
                told(done, total)

        return run_grid(wanted, jobs, tell, stop)


def grid(
    what: traces.Trace | games.AnyGame,
    preset: str | None = None,
    *,
    c: Sequence[float] | None = None,
    seeds: int | Sequence[int] = SEEDS,
    iterations: int | None = None,
    start: Sequence[str | int] = (),
    game: games.Game | games.FlatGame | None = None,
    **overrides: Any,
) -> Grid:
    """The searches that `sensitivity` runs, checked; raises SearchError, GameError."""
    options = search_options(preset, iterations=iterations, **overrides)
    if isinstance(what, traces.Trace):
        if start:
            raise SearchError(
                f"start={start!r}: a trace's searches begin where it began; leave it out, or name the game in "
                "place of the trace"
            )
        first, own = prepare_again(what, options, game=game).search, game_of(what.meta, game)
    else:
        seed = 0 if options.seed is None else options.seed
        first, own = prepare(what, replace(options, start=start, seed=seed)), what
    own_c = first.policies.c
    _, parameters = recorded_policies(TraceMeta(search_meta(first)))
    # of a function of the user's the metadata have but the name
    parameters |= {name: one for name, one in options.overrides.items() if callable(one)}
    chosen_c = _constants(c, own_c)
    chosen_seeds = _seeds(seeds)
    n = first.budget.iterations
    if n is None:
        raise SearchError("these searches end by the clock; give each a number of iterations")
    if len(chosen_c) * len(chosen_seeds) > MOST_SEARCHES:
        raise SearchError(
            f"{len(chosen_c):,} constants × {len(chosen_seeds):,} seeds are more than {MOST_SEARCHES:,} "
            "searches; give fewer"
        )
    common = SearchOptions(first.policies.preset, iterations=n, start=first.start)

    def task(constant: float, seed: int) -> _Task:
        options = replace(common, seed=seed, overrides={**parameters, "c": constant})
        return _Task(own, options, first.root_actions)

    return Grid(first, own_c, n, chosen_c, chosen_seeds, task)


def processes(wanted: Grid) -> int:
    """How many searches of a grid are worth running at once."""
    small = wanted.n_searches * wanted.iterations <= IN_THIS_PROCESS
    return 1 if small else min(os.cpu_count() or 1, wanted.n_searches)


def run_grid(
    wanted: Grid,
    jobs: int | None = None,
    told: Told = lambda done, total: None,
    stop: Callable[[], bool] = lambda: False,
) -> Sensitivity:
    """Run the searches, and gather what they chose."""
    places = [(i, k) for k in range(len(wanted.seeds)) for i in range(len(wanted.c))]
    n_jobs = processes(wanted) if jobs is None else jobs
    work = joblib.Parallel(
        n_jobs=n_jobs,
        return_as="generator_unordered",
        batch_size=1,
    )
    with deaf_to_interrupts(n_jobs):  # begins the processes
        searches = work(
            joblib.delayed(_search)(place, wanted.task(wanted.c[place[0]], wanted.seeds[place[1]]))
            for place in places
        )
    results: dict[tuple[int, int], tuple[int, dict[int, int]]] = {}
    with killed_in_words(
        lambda: f"{len(results):,} of {plural(len(places), 'search', 'searches')} were done"
    ):
        for place, result in searches:
            results[place] = result
            told(len(results), len(places))
            if stop():
                searches.close()
                break
    game, root = wanted.first.game, wanted.first.root_actions
    legal = game.legal(game.position(wanted.first.start)[0]) if root is None else root
    names = {action: game.action_labels[action] for action in legal}
    policies = {"preset": wanted.first.policies.preset}
    meta = TraceMeta({**search_meta(wanted.first), "seed": None, "policies": policies})
    return gathered(
        search_words(meta), wanted.iterations, wanted.own_c, wanted.c, wanted.seeds, names, results
    )


def _search(
    place: tuple[int, int], task: _Task
) -> tuple[tuple[int, int], tuple[int, dict[int, int]]]:
    """The action that one search plays, and the visits of each of the root's moves."""
    plan = prepare(task.game, task.options)
    plan = plan if task.root_actions is None else replace(plan, root_actions=task.root_actions)
    tree = run(plan)
    ranked = best_actions(plan, tree)
    children = np.flatnonzero(tree.parent[: int(tree.size[0])] == 0)
    visits = dict(zip(tree.action[children].tolist(), tree.visits[children].tolist()))
    return place, (ranked[0] if ranked else NO_MOVE, visits)


def _constants(given: Sequence[float] | None, own: float) -> list[float]:
    if given is None:
        given = WITHOUT_ONE if own == 0 else [factor * own for factor in FACTORS]
    found = []
    for each in given:
        if not is_real(each) or not math.isfinite(each) or each < 0:
            raise SearchError(f"c = {each!r} is not a number from 0 up; give a list of such")
        found.append(float(each))
    if not found:
        raise SearchError("no c is given; give at least one")
    return sorted(set(found))


def _seeds(given: int | Sequence[int]) -> list[int]:
    if is_whole(given):
        if given < 1:
            raise SearchError(f"seeds = {given} is no number of seeds; give 1 or more")
        given = range(1, int(given) + 1)
    if isinstance(given, (bool, str)) or not isinstance(given, Sequence) or not len(given):
        raise SearchError(f"seeds = {given!r} is neither a list of seeds nor how many; give one")
    return list(dict.fromkeys(given))
