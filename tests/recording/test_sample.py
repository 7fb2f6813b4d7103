"""The sample that README points to: short, and what it says it is."""

import subprocess
import sys
from pathlib import Path

import mcts_viz as mv

SAMPLE = Path(__file__).parents[2] / "samples" / "watch_your_own_search.py"


def test_the_sample_records_its_own_search(tmp_path: Path) -> None:
    path = tmp_path / "mine.mcts"
    finished = subprocess.run(
        [sys.executable, str(SAMPLE), str(path)], capture_output=True, text=True, check=True
    )
    assert str(path) in finished.stdout
    assert len(finished.stdout.splitlines()) == 1
    trace = mv.open(path)
    assert (trace.n_iterations, trace.complete) == (1_000, True)
    assert trace.best_action_name == "b2"
    assert trace.at(1_000).uct[1:].min() > 0


def test_the_sample_is_short_and_its_search_knows_nothing_of_us() -> None:
    text = SAMPLE.read_text(encoding="utf-8")
    search = text[text.index("class Node") : text.index("search = Search(")]
    assert len(text.splitlines()) <= 90
    assert "mv" not in search
