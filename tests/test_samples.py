"""The bundled traces open, are whole, and are what their script would record again; the scripts run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import mcts_viz as mv
from mcts_viz.engine.presets import PRESETS
from samples import beyond_two_players, misleading_prior
from samples.make_samples import HERE, MISLEADING_PRIOR, SAMPLES, Sample, record
from tests.complaints import complaints
from tests.indexed import in_memory
from tests.trace.files import same_columns
from tests.variants import few

# what differs from one recording to the next
TIMES_AND_VERSIONS = {"recorded_at", "software"}
SCRIPTS = sorted(path.name for path in HERE.glob("*.py"))

each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)


def test_every_bundled_trace_has_its_script() -> None:
    assert {path.name for path in HERE.glob("*.mcts")} == {
        MISLEADING_PRIOR,
        *beyond_two_players.RECORDS,
        *(sample.name for sample in SAMPLES),
    }


@in_memory
def test_there_is_a_trace_of_every_preset_and_all_are_small() -> None:
    assert {sample.preset for sample in SAMPLES} == set(PRESETS)
    assert sum(path.stat().st_size for path in HERE.iterdir() if path.is_file()) < 2_000_000


def test_every_file_is_explained() -> None:
    explained = re.findall(r"^\| `([\w.]+)` \|", (HERE / "README.md").read_text("utf-8"), re.M)
    there = {path.name for path in HERE.iterdir() if path.suffix in (".mcts", ".py")}
    assert set(explained) == there


@each_sample
def test_a_bundled_trace_is_whole_and_says_how_it_was_made(sample: Sample) -> None:
    trace = mv.open(HERE / sample.name)
    assert trace.complete
    assert trace.n_iterations == sample.iterations
    assert trace.meta["game"]["name"] == sample.game
    assert trace.meta["seed"] == sample.seed
    assert trace.meta["policies"]["preset"] == sample.preset
    if sample.preset == "uct" and not sample.start:
        assert trace.best_action == {"tic_tac_toe": 4, "connect_four": 3}[sample.game]  # the middle


def test_too_few_iterations_lose_a_game_that_more_would_hold() -> None:
    """O must take a corner, as its next move otherwise is forced and X then has two threats."""
    sample = next(sample for sample in SAMPLES if sample.name == "too_few_iterations.mcts")
    few = mv.open(HERE / sample.name).best_action
    more = mv.search(
        sample.game, iterations=2_000, seed=sample.seed, start=sample.start, compile=False
    ).best_action
    assert few not in (2, 6)
    assert more in (2, 6)


def test_a_misleading_prior_hides_the_only_move_at_first() -> None:
    trace = mv.open(HERE / MISLEADING_PRIOR)
    cover = misleading_prior.COVER
    assert trace.n_iterations == 600
    assert trace.at(600).best_action == cover
    assert all(trace.at(t).best_action != cover for t in (10, 100, 400))
    priors = trace.at(600).prior[1:8]
    assert priors.argmin() == cover


def test_that_trace_equals_a_new_recording(tmp_path: Path) -> None:
    assert_equal(mv.open(HERE / MISLEADING_PRIOR), misleading_prior.record(tmp_path / "a.mcts"))


@pytest.mark.parametrize("name", beyond_two_players.RECORDS)
def test_a_search_beyond_two_players_is_healthy_and_equals_a_new_recording(
    name: str, tmp_path: Path
) -> None:
    bundled = mv.open(HERE / name)
    again = beyond_two_players.RECORDS[name](tmp_path / name)
    assert_equal(bundled, again)
    assert bundled.columns.nodes.state == again.columns.nodes.state
    assert complaints(bundled) == []


@each_sample
def test_a_bundled_trace_equals_a_new_recording(sample: Sample, tmp_path: Path) -> None:
    """But for the clock. If the search or the format has changed on purpose: make_samples.py."""
    assert_equal(mv.open(HERE / sample.name), record(sample, tmp_path))


def assert_equal(bundled: mv.Trace, again: mv.Trace) -> None:
    """But for the clock."""
    assert same_columns(bundled.columns, again.columns, but=("elapsed",))
    assert bundled.meta.keys() == again.meta.keys()
    for key in bundled.meta.keys() - TIMES_AND_VERSIONS:
        assert bundled.meta[key] == again.meta[key], key


@pytest.mark.parametrize("script", few(sorted(set(SCRIPTS) - {"make_samples.py"}, reverse=True), 2))
def test_a_script_runs_from_a_checkout_and_leaves_a_trace(script: str, tmp_path: Path) -> None:
    finished = subprocess.run(
        [sys.executable, str(HERE / script), "run.mcts"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    assert mv.open(tmp_path / "run.mcts").complete
    assert "run.mcts" in finished.stdout
