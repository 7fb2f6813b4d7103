"""The writers for other languages: whole searches that use them, whose traces say what they themselves say."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.importing.formats import import_trace

WRITERS = Path(__file__).parents[2] / "samples/writers"
ITERATIONS = 600


def tool(*names: str) -> str:
    """The path of the first of these programs that is here; without one the test is skipped."""
    found = next((path for name in names if (path := shutil.which(name))), None)
    return found or pytest.skip(f"no {names[0]} here")


def built_cpp(source: Path, folder: Path) -> list[str]:
    options = ["-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{WRITERS}"]
    subprocess.run([tool("c++", "g++"), *options, "-o", folder / "a.out", source], check=True)
    return [str(folder / "a.out")]


def built_rust(source: Path, folder: Path) -> list[str]:
    command = [tool("rustc"), "-D", "warnings", "-o", folder / "a.out", source]
    subprocess.run(command, check=True)
    return [str(folder / "a.out")]


def built_java(source: Path, folder: Path) -> list[str]:
    sources = [WRITERS / "MctsViz.java", source]
    subprocess.run([tool("javac"), "-Xlint:all", "-Werror", "-d", folder, *sources], check=True)
    return [tool("java"), "-cp", str(folder), source.stem]


def built_javascript(source: Path, folder: Path) -> list[str]:
    return [tool("node"), str(source)]


BUILDS: dict[str, Callable[[Path, Path], list[str]]] = {
    ".cpp": built_cpp, ".rs": built_rust, ".java": built_java, ".mjs": built_javascript,
}  # fmt: skip


@pytest.mark.parametrize(
    "name", ["tic_tac_toe.cpp", "tic_tac_toe.rs", "TicTacToe.java", "tic_tac_toe.mjs"]
)
def test_a_trace_is_what_its_search_counted(name: str, tmp_path: Path) -> None:
    run = [*BUILDS[Path(name).suffix](WRITERS / name, tmp_path), str(ITERATIONS), "-", "counts"]
    told = subprocess.run(run, capture_output=True, check=True, timeout=120)
    (tmp_path / "run.ndjson").write_bytes(told.stdout)
    import_trace(tmp_path / "run.ndjson", tmp_path / "run.mcts")
    trace, own = mv.open(tmp_path / "run.mcts"), json.loads(told.stderr)
    last = trace.at(trace.n_iterations)
    assert trace.complete
    assert trace.n_iterations == ITERATIONS
    assert last.visits.tolist() == own["visits"]
    assert last.value_sum.tolist() == own["value_sum"]
    assert trace.best_action_name == "b2"
    assert {finding.severity for finding in trace.check()} <= {"note"}
    to_file = [*run[:-2], str(tmp_path / "file.ndjson"), "counts"]
    again = json.loads(subprocess.run(to_file, capture_output=True, check=True).stderr)
    assert subprocess.run(run[:-1], capture_output=True, check=True).stderr == b""
    assert again["visits"] == own["visits"]
    lines = (tmp_path / "file.ndjson").read_text(encoding="utf-8").splitlines()
    assert len(lines) == ITERATIONS + 1


# one program a language that writes what is odd: names, texts, priors, no outcome, several visits
ODD = {
    "odd.cpp": """
#include "mcts_viz.hpp"
int main() {
  mcts_viz::Writer out("-", "{}");
  mcts_viz::Node known;
  known.to_move = 1; known.prior = 0.1; known.label = "a \\"b\\"\\n\\xc3\\xa9"; known.state = "x\\ty";
  int child = out.node(0, "left", known);
  out.update(0, 1.0 / 3, 2);
  out.update(child, -1e-9);
  out.iteration(child);
}""",
    "odd.rs": """
mod mcts_viz;
use mcts_viz::*;
fn main() -> std::io::Result<()> {
    let mut out = Writer::create("-", "{}")?;
    let label = Some("a \\"b\\"\\né");
    let known = Node { to_move: Some(1), prior: Some(0.1), label, state: Some("x\\ty"), ..Node::default() };
    let child = out.node(0, Action::Name("left"), &known);
    out.update(0, 1.0 / 3.0, 2);
    out.update(child, -1e-9, 1);
    out.iteration(child, None)?;
    out.finish()
}""",
    "Odd.java": """
final class Odd {
    public static void main(String[] given) throws java.io.IOException {
        try (MctsViz out = new MctsViz("-", "{}")) {
            MctsViz.Node known = new MctsViz.Node();
            known.toMove = 1; known.prior = 0.1; known.label = "a \\"b\\"\\n\\u00e9"; known.state = "x\\ty";
            int child = out.node(0, "left", known);
            out.update(0, 1.0 / 3, 2);
            out.update(child, -1e-9);
            out.iteration(child, MctsViz.NONE);
        }
    }
}""",
    "odd.mjs": """
import {Writer} from "./mcts_viz.mjs";
const out = new Writer((text) => process.stdout.write(text));
const child = out.node(0, "left", {to_move: 1, prior: 0.1, label: 'a "b"\\né', state: "x\\ty"});
out.update(0, 1 / 3, 2);
out.update(child, -1e-9);
out.iteration(child);
out.close();
""",
}


@pytest.mark.parametrize("name", ODD)
def test_what_is_odd_comes_through(name: str, tmp_path: Path) -> None:
    for writer in WRITERS.glob("[mM]cts*"):
        shutil.copy(writer, tmp_path)
    (tmp_path / name).write_text(ODD[name], encoding="utf-8")
    run = BUILDS[Path(name).suffix](tmp_path / name, tmp_path)
    told = subprocess.run(run, capture_output=True, check=True, timeout=120).stdout
    first, line = (json.loads(each) for each in told.decode().splitlines())
    assert first == {"format_version": 2}
    expected: dict[str, Any] = {
        "leaf": 1,
        "new_nodes": [
            {"parent": 0, "action": "left", "to_move": 1, "prior": 0.1, "label": 'a "b"\né', "state": "x\ty"}
        ],
        "updates": [{"node": 0, "visits": 2, "value": 1 / 3}, {"node": 1, "value": -1e-9}],
    }  # fmt: skip
    assert line.pop("elapsed") >= 0
    assert line == expected
