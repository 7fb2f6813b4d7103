"""The bundled emitters: whole searches in other languages, whose traces say what they themselves say."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import mcts_viz as mv
from mcts_viz.importing import import_trace

EMITTERS = Path(__file__).parents[2] / "samples/emitters"
ITERATIONS = 1_000


def command(name: str, folder: Path) -> list[str]:
    """How to run an emitter; skips the test where there is nothing to run it with."""
    if name.endswith(".js"):
        node = shutil.which("node") or pytest.skip("no node here")
        return [node, str(EMITTERS / name)]
    compiler = shutil.which("cc") or shutil.which("gcc") or pytest.skip("no C compiler here")
    program = folder / "emitter"
    options = ["-O2", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([compiler, *options, "-o", program, EMITTERS / name, "-lm"], check=True)
    return [str(program)]


@pytest.mark.parametrize(("name", "best"), [("nim.c", "2 from heap 1"), ("tic_tac_toe.js", "b2")])
def test_a_trace_is_what_its_emitter_counted(name: str, best: str, tmp_path: Path) -> None:
    run = [*command(name, tmp_path), str(ITERATIONS)]
    told = subprocess.run(run, capture_output=True, check=True, timeout=120)
    (tmp_path / "run.ndjson").write_bytes(told.stdout)
    import_trace(tmp_path / "run.ndjson", tmp_path / "run.mcts")
    trace, own = mv.open(tmp_path / "run.mcts"), json.loads(told.stderr)
    last = trace.at(trace.n_iterations)
    assert trace.complete
    assert (trace.n_iterations, trace.n_nodes) == (ITERATIONS, own["nodes"])
    assert last.visits.tolist() == own["visits"]
    assert last.value_sum.tolist() == own["value_sum"]
    assert trace.best_action_name == best
    assert {finding.severity for finding in trace.check()} <= {"note"}
