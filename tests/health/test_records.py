"""Searches of agents: each mistake is named, and searches without it are let pass."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from tests.importing import make_agent_logs

Records = list[dict[str, Any]]


def healthy() -> Records:
    """Two levels of three children, each with code and a score of its own; the best one is chosen."""
    records: Records = [
        {
            "id": 0,
            "parent": None,
            "score": 0.1,
            "code": "start",
            "question": "What is 6 × 7?",
            "cost": 1.0,
        }
    ]
    for parent in (0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3):
        n = len(records)
        records.append({
            "id": n, "parent": parent, "score": 0.1 + n / 20, "code": f"version {n}", "cost": 1.0,
            "question": "What is 6 × 7?", "ended": n == 12,
        })  # fmt: skip
    records[-1]["chosen"] = True
    return records


def checked(records: Records, folder: Path) -> dict[str, mv.Finding]:
    log = folder / "log.jsonl"
    log.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    mv.import_trace(log, folder / "run.mcts", fields={"text": "code+question"})
    return {found.check: found for found in mv.open(folder / "run.mcts").check()}


def test_a_search_without_a_mistake_has_no_finding(tmp_path: Path) -> None:
    assert [
        found.check for found in checked(healthy(), tmp_path).values() if found.severity != "note"
    ] == []


def same_siblings(records: Records) -> None:
    records[5]["code"] = records[4]["code"]


def same_as_parents(records: Records) -> None:
    for n in (4, 8):
        records[n]["code"] = records[records[n]["parent"]]["code"]


def another_question(records: Records) -> None:
    for record in records[7:]:
        record["question"] = "What is 2 + 2?"


def judge_of_the_parent(records: Records) -> None:
    for record in records[1:]:
        record["score"] = 0.3 + record["parent"] / 10


def last_is_taken(records: Records) -> None:
    records[9] |= {"score": 0.99, "ended": True}


def partial_is_better(records: Records) -> None:
    """A step on the way is judged, not an answer."""
    records[9]["score"] = 0.99


def failed_is_better(records: Records) -> None:
    records[9] |= {"score": 0.99, "ended": True, "error": "wrong"}


def below_an_end(records: Records) -> None:
    records[1]["ended"] = True


def goes_on(records: Records) -> None:
    records[6] |= {"score": 2.0, "ended": True}
    records[12]["ended"] = False


@pytest.mark.parametrize(
    ("spoil", "check", "words"),
    [
        (same_siblings, "record-duplicate", "1 node has the same code as an older sibling: node 5 as node 4"),
        (same_as_parents, "record-no-effect", "2 of 12 iterations change nothing: node 4 has the same code"),
        (another_question, "record-other-problem", "6 nodes have another question than the root"),
        (judge_of_the_parent, "record-constant-score", "the 12 children of 4 nodes"),
        (last_is_taken, "record-best-left", "took node 12 with the score 0.7, and node 9, made in iteration 10,"),
        (below_an_end, "expansion-below-end", "node 1"),
        (goes_on, "record-spent-after", "6 of 13 nodes came after it, with cost 6.00 of 13.00"),
    ],
)  # fmt: skip
def test_each_mistake_is_named(
    spoil: Callable[[Records], None], check: str, words: str, tmp_path: Path
) -> None:
    records = healthy()
    spoil(records)
    found = checked(records, tmp_path)
    assert check in found
    assert words in str(found[check])
    others = {name for name, each in found.items() if each.severity != "note"} - {check}
    assert not {name for name in others if name.startswith("record-")} - {"record-best-left"}


@pytest.mark.parametrize("name", ["thought", "response", "completion"])
def test_thoughts_and_responses_of_siblings_are_compared(name: str, tmp_path: Path) -> None:
    records = healthy()
    for each in records:
        each[name] = each.pop("code")
    records[5][name] = records[4][name]
    fields = {"value": "score", "text": name}
    (tmp_path / "log.json").write_text(json.dumps(records))
    mv.import_trace(tmp_path / "log.json", tmp_path / "log.mcts", fields=fields)
    found = {each.check: each for each in mv.open(tmp_path / "log.mcts").check()}
    assert f"the same {name} as an older sibling: node 5" in str(found["record-duplicate"])


@pytest.mark.parametrize(("name", "severity"), [("code", "warning"), ("answer", "note")])
def test_an_answer_may_be_said_again(name: str, severity: str, tmp_path: Path) -> None:
    records = healthy()
    same_as_parents(records)
    for each in records:
        each[name] = each.pop("code")
    (tmp_path / "log.json").write_text(json.dumps(records))
    fields = {"value": "score", "text": name}
    mv.import_trace(tmp_path / "log.json", tmp_path / "log.mcts", fields=fields)
    found = {each.check: each for each in mv.open(tmp_path / "log.mcts").check()}
    assert found["record-no-effect"].severity == severity


def test_a_problem_is_held_against_the_first_of_its_branch_where_a_root_was_added(
    tmp_path: Path,
) -> None:
    """A log of two problems is right; a tree of one that goes on with the other is not."""
    records = healthy()
    for record in records:
        record["question"] = "What is 2 + 2?" if record["id"] % 2 else "What is 3 + 3?"
        record["parent"] = record["id"] - 2 if record["id"] >= 2 else None
    assert "record-other-problem" not in checked(records, tmp_path)
    records[9]["question"] = "What is 2 + 2?" if records[9]["id"] % 2 == 0 else "What is 3 + 3?"
    told = str(checked(records, tmp_path)["record-other-problem"])
    assert "1 node has another question than the first node of its branch, node" in told


@pytest.mark.parametrize("better", [partial_is_better, failed_is_better])
def test_what_could_not_be_taken_was_not_left(
    better: Callable[[Records], None], tmp_path: Path
) -> None:
    records = healthy()
    better(records)
    assert "record-best-left" not in checked(records, tmp_path)


def test_logs_of_programs_have_no_false_finding(tmp_path: Path) -> None:
    make_agent_logs.write(tmp_path)
    for path in [each for each in tmp_path.iterdir() if each.suffix.startswith(".json")]:
        mv.import_trace(path, tmp_path / f"{path.stem}.mcts")
        found = mv.open(tmp_path / f"{path.stem}.mcts").check()
        assert [each.check for each in found if each.severity != "note"] == [], path.name
