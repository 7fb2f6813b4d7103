"""docs/timeline-and-notes.md says what the program does."""

import json
import re
from pathlib import Path

import pytest

import mcts_viz as mv
from mcts_viz.analysis.history.events import KINDS, MOST
from mcts_viz.analysis.history.sibling_history import BUCKETS, POINTS
from mcts_viz.web.routes.events import QUICKLY_CHECKED
from mcts_viz.web.routes.notes_file import LONGEST_TEXT, VERSION, note_of

PAGE = (Path(__file__).parents[2] / "docs/timeline-and-notes.md").read_text(encoding="utf-8")


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    trace = mv.search("tic_tac_toe", iterations=200, seed=1, path="run.mcts")
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names = {"mv": mv}
    exec(example, names)
    assert len(list(trace.events(node=17, threshold=0.6))) > 5


def test_every_kind_of_event_has_its_row() -> None:
    rows = re.findall(r"^\| (\w+) \|", PAGE.split("## History")[0], re.MULTILINE)
    assert set(rows) == {"mark", "finding", "note", *KINDS}


def test_the_note_in_it_is_one_and_its_numbers_are_the_programs() -> None:
    (document,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    told = json.loads(document)
    assert told["format_version"] == VERSION
    note = note_of(told["notes"][0])
    assert set(told["notes"][0]) == set(vars(note))
    for number in (MOST, BUCKETS, POINTS, QUICKLY_CHECKED, LONGEST_TEXT):
        assert f"{number:,}" in PAGE
