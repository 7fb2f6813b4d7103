"""One source, two speeds: the compiled run gives the very bits of the interpreted one, and waits
only where that pays."""

import json
import os
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import event

import mcts_viz as mv
from mcts_viz.compiling import jit
from mcts_viz.engine import compilation
from mcts_viz.engine import search as engine
from mcts_viz.engine.search import run
from mcts_viz.formulas.selection import SELECTION_FORMULAS
from mcts_viz.games import FlatGame, game
from mcts_viz.games.rules import Rules
from tests.engine.live import same
from tests.searches import prepare, tree_columns
from tests.trace.files import columns_by_name
from tests.variants import few, in_turn

ROOT = Path(__file__).parent.parent.parent
GAMES = ["tic_tac_toe", "connect_four"]
LONG = 8_000  # iterations: beyond the first chunks, and the first room for nodes


def assert_same_trace(a: mv.Trace, b: mv.Trace) -> None:
    """Every column but the time, bit for bit."""
    mine, theirs = columns_by_name(a.columns), columns_by_name(b.columns)
    assert len(mine) >= 15
    for name in mine.keys() - {"elapsed"}:
        assert (mine[name] is None) == (theirs[name] is None)
        assert same(mine[name], theirs[name]), name
    different = {"recorded_at"}
    assert {k: v for k, v in a.meta.items() if k not in different} == {
        k: v for k, v in b.meta.items() if k not in different
    }


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", few([2**40, 0, 1]))
@pytest.mark.parametrize("rollouts", [True, False])
@pytest.mark.parametrize("c", few([1.4142135623730951, 0.0, 0.3, 7], 2))
def test_compiled_and_interpreted_traces_are_bit_identical(
    name: str, seed: int, rollouts: bool, c: float
) -> None:
    options: Any = {"iterations": 700, "seed": seed, "rollouts": rollouts, "c": c}
    fast = mv.search(name, compile=True, **options)
    slow = mv.search(name, compile=False, **options)
    assert_same_trace(fast, slow)
    assert fast.columns.rollout.recorded == rollouts


@pytest.mark.thorough  # test_kinds_of_search has each formula once
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("selection", SELECTION_FORMULAS)
def test_so_are_those_of_every_selection_formula(name: str, selection: str) -> None:
    options: Any = {"iterations": 2_000, "seed": 6, "selection": selection}
    options["expansion"] = "all_children"
    fast = mv.search(name, compile=True, **options)
    assert_same_trace(fast, mv.search(name, compile=False, **options))
    assert fast.meta["policies"]["selection"]["name"] == selection


@pytest.mark.parametrize(
    ("name", "start"),
    [("tic_tac_toe", [4]), ("tic_tac_toe", [0, 4, 8, 2, 6]), ("connect_four", [3, 3, 3, 3, 2])],
)
def test_so_are_those_from_a_start_position(name: str, start: list[str | int]) -> None:
    options: Any = {"iterations": 3_000, "seed": 5, "start": start, "win": 1, "draw": 0.3}
    options["loss"] = -0.7
    fast = mv.search(name, compile=True, **options)
    assert_same_trace(fast, mv.search(name, compile=False, **options))
    assert fast.meta["start"] == start
    assert fast.meta["root"]["to_move"] == len(start) % 2


@pytest.mark.parametrize(
    "name",
    few([*GAMES, "mnk:5,4,4", "connect_four:7,7", "sudo_tic_tac_toe", "ultimate_tic_tac_toe"], 2),
)
def test_so_are_long_ones(name: str) -> None:
    fast = mv.search(name, iterations=LONG, seed=9, compile=True)
    assert_same_trace(fast, mv.search(name, iterations=LONG, seed=9, compile=False))


@pytest.mark.parametrize(("name", "compiled"), in_turn(GAMES, [True, False]))
@pytest.mark.parametrize("rollouts", [True, False])
def test_a_recorded_run_equals_an_unrecorded_one(
    name: str, compiled: bool, rollouts: bool, tmp_path: Path
) -> None:
    options: Any = {"iterations": 2_500, "seed": 3, "rollouts": rollouts, "compile": compiled}
    unwatched = tree_columns(run(prepare(name, **options)))
    final = mv.search(name, path=tmp_path / "watched.mcts", **options).at(2_500)
    for column in ("parent", "action", "to_move", "outcome", "prior", "visits", "value_sum"):
        assert same(getattr(final, column), unwatched[column]), column


@pytest.mark.parametrize(("chunk", "compiled"), in_turn([7, 1, 1_000], [True, False]))
def test_the_size_of_chunks_does_not_matter(
    compiled: bool, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: Any = {"iterations": 1_500, "seed": 4, "compile": compiled}
    usual = mv.search("connect_four", **options)
    monkeypatch.setattr(engine, "MOST_CHUNK", chunk)
    monkeypatch.setattr(engine, "FIRST_CHUNK", chunk)
    assert_same_trace(mv.search("connect_four", **options), usual)


@pytest.fixture
def compiling() -> Iterator[list[Any]]:
    """What numba compiles, or fetches compiled from disk, during the test."""
    with event.install_recorder("numba:compile") as recorder:
        yield recorder.buffer


@pytest.fixture
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine where nothing has been compiled."""
    monkeypatch.setattr(engine, "is_cached", lambda name, functions: False)


@pytest.mark.filterwarnings("ignore:1,000,000,000 iterations:UserWarning")  # of their memory
@pytest.mark.parametrize("name", [*GAMES, "connect_four:5,6"])
def test_a_small_budget_never_compiles(
    name: str, compiling: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: Any) -> Any:
        raise AssertionError("a small search compiles")

    monkeypatch.setattr(engine, "compiled", refuse)
    mv.search(name, seed=1)
    mv.search(name, iterations=3_000, seed=1)
    mv.search(name, iterations=10**9, seconds=0.05, seed=1)
    assert compiling == []


def test_what_is_large_depends_on_what_is_compiled_already(no_cache: None) -> None:
    assert not prepare("tic_tac_toe", iterations=20_000).worth_compiling()
    assert not prepare("tic_tac_toe", seconds=5).worth_compiling()
    assert prepare("tic_tac_toe", iterations=1_000_000).worth_compiling()
    assert prepare("tic_tac_toe", seconds=60).worth_compiling()
    assert not prepare("tic_tac_toe", iterations=1_000_000, seconds=1).worth_compiling()
    assert prepare("tic_tac_toe", iterations=1, compile=True).worth_compiling()
    assert not prepare("tic_tac_toe", iterations=10**9, compile=False).worth_compiling()


def test_a_large_search_of_a_compiled_game_uses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "is_cached", lambda name, functions: True)
    assert prepare("tic_tac_toe", iterations=20_000).worth_compiling()
    assert prepare("tic_tac_toe", seconds=5).worth_compiling()


def test_a_second_search_compiles_nothing(compiling: list[Any]) -> None:
    mv.search("tic_tac_toe", iterations=10, seed=1, compile=True)
    compiling.clear()
    mv.search("tic_tac_toe", iterations=500, seed=2, start=[4], c=0.1, compile=True)
    assert compiling == []


COUNT = """
import json
from tests.searches import prepare
from mcts_viz.engine.compilation import compiled, is_cached
from mcts_viz.engine.search import run

plan = prepare("tic_tac_toe", iterations=100, seed=1, compile=True)
before = is_cached(plan.compiled_name, plan.functions)
run(plan)
stats = compiled(plan.compiled_name, plan.functions).stats
hits, misses = sum(stats.cache_hits.values()), sum(stats.cache_misses.values())
print(json.dumps([before, is_cached(plan.compiled_name, plan.functions), hits, misses]))
"""


@pytest.mark.thorough  # compiles twice what is compiled already
def test_a_second_process_loads_what_the_first_one_compiled(tmp_path: Path) -> None:
    def process() -> Any:
        finished = subprocess.run(
            [sys.executable, "-c", COUNT],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )
        return json.loads(finished.stdout)

    def files() -> dict[Path, int]:
        return {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.nb[ci]")}

    assert process() == [False, True, 0, 1]  # compiles
    compiled_once = files()
    assert compiled_once
    assert process() == [True, True, 1, 0]  # loads
    assert files() == compiled_once


def edited(module: types.ModuleType, folder: Path) -> types.ModuleType:
    """The module with one more comment at the end of its source."""
    assert module.__file__ is not None
    copy = types.ModuleType(module.__name__)
    copy.__file__ = str(folder / "edited.py")
    source = Path(module.__file__).read_text(encoding="utf-8")
    Path(copy.__file__).write_text(source + "# edited\n", encoding="utf-8")
    return copy


@pytest.mark.parametrize("place", range(len(compilation.COMPILED_MODULES)))
def test_editing_a_source_makes_compiled_code_stale(
    place: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    functions = prepare("tic_tac_toe").functions
    before = jit.sources_digest(compilation.COMPILED_MODULES, functions)
    modules = list(compilation.COMPILED_MODULES)
    modules[place] = edited(modules[place], tmp_path)
    monkeypatch.setattr(compilation, "COMPILED_MODULES", tuple(modules))
    assert jit.sources_digest(compilation.COMPILED_MODULES, functions) != before


def test_so_does_editing_the_rules_or_the_formula(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    functions = prepare("tic_tac_toe").functions
    before = jit.sources_digest(compilation.COMPILED_MODULES, functions)
    for function in (functions.play, functions.child_terms):
        module = edited(sys.modules[function.__module__], tmp_path)
        names = dict(vars(sys.modules[function.__module__]))
        code = compile(Path(str(module.__file__)).read_text(), str(module.__file__), "exec")
        names["__name__"] = function.__module__
        exec(code, names)
        copy = names[function.__name__]
        changed = functions._replace(
            **{"play" if function is functions.play else "child_terms": copy}
        )
        assert jit.sources_digest(compilation.COMPILED_MODULES, changed) != before


def test_games_of_different_sizes_do_not_share_compiled_code() -> None:
    plans = [prepare(name) for name in ("connect_four", "connect_four:7,7", "tic_tac_toe")]
    names = {compilation._entry_name(plan.compiled_name, plan.functions) for plan in plans}
    assert len(names) == 3


def test_a_game_under_the_same_name_with_other_numbers_in_it_does_not_share_it_either() -> None:
    """A user's game may keep its parameters in a closure and its name."""
    small, large = game("connect_four:4,4"), game("connect_four:5,5")
    disguised = FlatGame(**{**vars(large), "name": small.name})
    assert isinstance(disguised.rules, Rules)
    names = {
        compilation._entry_name(plan.compiled_name, plan.functions)
        for plan in (prepare(small), prepare(disguised))
    }
    assert len(names) == 2


@pytest.mark.thorough
def test_without_a_folder_for_the_cache_it_compiles_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = numba.njit

    def no_place(*arguments: Any, **options: Any) -> Any:
        if options.pop("cache", False):
            raise RuntimeError("cannot cache function: no locator available")
        return real(*arguments, **options)

    monkeypatch.setattr(numba, "njit", no_place)
    compilation.compiled.cache_clear()
    plan = prepare("tic_tac_toe", iterations=50, seed=1, compile=True)
    assert not compilation.is_cached(plan.compiled_name, plan.functions)
    assert np.array_equal(
        tree_columns(run(plan))["visits"],
        mv.search("tic_tac_toe", iterations=50, seed=1, compile=False).at(50).visits,
    )
    compilation.compiled.cache_clear()


def test_compiled_code_of_two_games_of_one_source_is_kept_apart() -> None:
    """Of Ultimate and Sudo Tic-Tac-Toe one function differs, which stands beside the other's."""
    digests = {
        jit.sources_digest((), [one.rules.play, one.rules.outcome])
        for one in map(game, ("ultimate_tic_tac_toe", "sudo_tic_tac_toe"))
    }
    assert len(digests) == 2
