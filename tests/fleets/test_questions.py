"""Each stored question shows the fault that was planted for it, and passes a healthy fleet."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

import mcts_viz as mv
from mcts_viz.cli import main
from mcts_viz.fleets.questions.registry import FLEET_CHECKS, QUESTIONS
from mcts_viz.health.finding import SEVERITIES
from tests.fleets.synthetic import fleet_of

Row = Mapping[str, object]


class Fault(NamedTuple):
    """Rows of `searches` and `moves` with it."""

    question: str
    check: str
    searches: list[Row]
    moves: list[Row]


def games(n: int, sign: float = 1.0, scale: float = 1.0) -> list[Row]:
    """Games whose results go with their values, `sign` −1: against them."""
    numbers = random.Random(1)
    rows: list[Row] = []
    for number in range(n):
        value = numbers.uniform(-0.9, 0.9)
        result = 1.0 if numbers.uniform(-1, 1) < sign * value * scale else -1.0
        rows.append({"root_value": value, "result": result, "game_id": str(number)})
    return rows


def inverted_in_few(n: int) -> list[Row]:
    """Games of eight searches each, whose values go loosely against the results."""
    numbers = random.Random(4)
    return [
        {"game_id": str(number // 8), "result": (result := 1.0 if number // 8 % 2 else -1.0),
         "root_value": -0.4 * result + numbers.uniform(-0.6, 0.6)}
        for number in range(8 * n)
    ]  # fmt: skip


def solved(n: int, wrong: int) -> list[Row]:
    return [{"regret": 0.5 if number < wrong else 0.0, "ply": number % 4} for number in range(n)]


def winning(found_below: float, below: int = 2) -> list[Row]:
    """Positions with two winning moves, of which the second has a prior near 0; one of `below` has a low prior for the
    first, too, and of these that share is won."""
    rows: list[Row] = []
    for number in range(100):
        low = number % below == 0
        played = number % 100 < 100 * found_below or not low
        for action, prior in ((0, 0.01 if low else 0.5), (1, 0.002)):
            rows.append(
                {"search_id": f"a.many#{number}", "run": "a", "action": action, "name": "x", "exact_value": 1.0,
                 "visits": 10, "policy": 0.5, "prior": prior, "best": played and action == 0, "legal": True}
            )  # fmt: skip
    return rows


def slots(leak: float) -> list[Row]:
    """Eight slots of a batch; `leak` is added to the values of slot 3."""
    numbers = random.Random(2)
    return [
        {"slot": n % 8, "root_value": numbers.gauss(0.0, 0.2) + (leak if n % 8 == 3 else 0.0)}
        for n in range(240)
    ]


def by_c(weak: float) -> list[Row]:
    """Searches at two budgets with two c's; at the smaller one, c = 4 scores `weak` lower."""
    rows: list[Row] = []
    for number in range(400):
        c, iterations = (4.0 if number % 4 else 1.4), (100 if number % 8 < 4 else 1600)
        lost = weak if c == 4.0 and iterations == 100 else 0.0
        rows.append({"c": c, "iterations": iterations, "result": 0.4 - lost + 0.1 * (number % 3)})
    return rows


def deep(microseconds: float) -> list[Row]:
    return [
        {
            "depth": depth,
            "iterations": 1000,
            "seconds": (10.0 if depth < 20 else microseconds) / 1000,
        }
        for depth in (6, 7, 41, 42)
        for _ in range(20)
    ]


def noisy(n_priors: int, n: int = 40) -> list[Row]:
    return [{"prior_digest": f"{number % n_priors:x}"} for number in range(n)]


def moves_of(legal: bool) -> list[Row]:
    return [
        {
            "search_id": "a.many#0",
            "run": "a",
            "action": 3,
            "name": "d4",
            "visits": 7,
            "legal": legal,
        }
    ]


PLAIN: list[Row] = [{}] * 30
FAULTS = [
    Fault("prior-against-visits", "fleet-prior-too-low", PLAIN, winning(0.1)),
    Fault("prior-against-visits", "fleet-prior-too-low", PLAIN, winning(0.1, below=1)),
    Fault("policy-entropy", "fleet-policy-collapsed", [{"visit_entropy": 0.001}] * 30, []),
    Fault("policy-entropy", "fleet-policy-flat", [{"visit_entropy": math.log(5)}] * 30, []),
    Fault("noise-that-repeats", "fleet-noise-repeats", noisy(5), []),
    Fault("noise-that-repeats", "fleet-noise-repeats", [{"prior_digest": "gsame"}] * 30, []),
    Fault("noise-that-repeats", "fleet-noise-missing",
          [{"prior_digest": "same", "prior_entropy": 1.0}] * 30, []),
    Fault("noise-that-repeats", "fleet-seed-ignored", [{"digest": "same", "simulation": "random"}] * 30, []),
    Fault("value-calibration", "fleet-value-inverted", games(400, -1.0), []),
    Fault("value-calibration", "fleet-value-inverted", inverted_in_few(24), []),
    Fault("value-calibration", "fleet-value-miscalibrated",
          [{"root_value": 0.8, "result": -0.5, "game_id": str(n)} for n in range(400)], []),
    Fault("blunders", "fleet-blunders", solved(100, 30), []),
    Fault("undecided-votes", "fleet-undecided", [{"visit_margin": 0.001}] * 30, []),
    Fault("slots", "fleet-slot-differs", slots(0.8), []),
    Fault("slots", "fleet-slot-differs", slots(0.8)[:32], []),
    Fault("illegal-visits", "fleet-illegal-visits", PLAIN, moves_of(legal=False)),
    Fault("unreadable", "fleet-unreadable", [*PLAIN, {"error": "is cut off", "visit_entropy": None}], []),
    Fault("c-against-strength", "fleet-c-weaker", by_c(0.5), []),
    Fault("time-by-depth", "fleet-time-by-depth", deep(600.0), []),
]  # fmt: skip
HEALTHY: dict[str, tuple[list[Row], list[Row]]] = {
    "prior-against-visits": (PLAIN, winning(0.96)),
    "policy-entropy": (PLAIN, []),
    "noise-that-repeats": (noisy(40), []),
    "value-calibration": (games(400), []),
    "blunders": (solved(100, 4), []),
    "undecided-votes": (PLAIN, []),
    "slots": (slots(0.0), []),
    "illegal-visits": (PLAIN, moves_of(legal=True)),
    "unreadable": (PLAIN, []),
    "c-against-strength": (by_c(0.0), []),
    "time-by-depth": (deep(60.0), []),
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.check)
def test_a_planted_fault_shows(fault: Fault, tmp_path: Path) -> None:
    fleet = fleet_of(tmp_path, fault.searches, fault.moves)
    answer = fleet.ask(fault.question)
    assert fault.check in {each.check for each in answer.findings}
    found = [each for each in fleet.check() if each.check == fault.check]
    assert found
    assert found[0].severity == FLEET_CHECKS[fault.check].severity
    json.dumps(found[0].evidence, allow_nan=False)
    assert len(answer.figure().data) >= 1
    assert answer.question.sentence in str(answer)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_healthy_fleet_passes(name: str, tmp_path: Path) -> None:
    searches, moves = HEALTHY[name]
    answer = fleet_of(tmp_path, searches, moves).ask(name)
    assert answer.findings == []
    answer.figure("dark")


def test_every_check_of_a_fleet_has_a_planted_fault() -> None:
    assert {fault.check for fault in FAULTS} == set(FLEET_CHECKS)
    assert set(HEALTHY) == set(QUESTIONS)
    assert {check.severity for check in FLEET_CHECKS.values()} <= set(SEVERITIES)


def test_searches_of_one_game_count_as_one_result(tmp_path: Path) -> None:
    lost = [{"root_value": 0.9, "result": -1.0, "game_id": "1"} for _ in range(300)]
    assert fleet_of(tmp_path, lost).ask("value-calibration").findings == []


def test_a_c_is_weighed_against_others_of_the_same_kind_of_search(tmp_path: Path) -> None:
    rows = by_c(0.5)
    kinds = [
        {**row, "preset": "uct" if row["c"] == 4.0 else "mctspy", "selection": "ucb1"}
        for row in rows
    ]
    assert fleet_of(tmp_path / "presets", kinds).ask("c-against-strength").findings == []
    formulas = [{**row, "selection": f"of {row['c']}"} for row in rows]
    assert fleet_of(tmp_path / "formulas", formulas).ask("c-against-strength").findings == []
    few = [{**row, "game_id": f"{number % 8}"} for number, row in enumerate(rows)]
    assert fleet_of(tmp_path / "games", few).ask("c-against-strength").findings == []


def test_searches_of_one_game_do_not_set_a_slot_apart(tmp_path: Path) -> None:
    alike = [
        {"slot": n % 8, "game_id": f"{n % 8}-{n % 3}", "root_value": 0.9 if n % 8 == 3 else 0.1 * (n % 5)}
        for n in range(240)
    ]  # fmt: skip
    assert fleet_of(tmp_path, alike).ask("slots").findings == []


def test_one_slot_that_leaks_sets_no_other_apart(tmp_path: Path) -> None:
    rows = [
        {"slot": n % 4, "nodes": 13 if n % 4 == 0 else 121, "root_value": 0.1} for n in range(200)
    ]
    (found,) = fleet_of(tmp_path, rows).ask("slots").findings
    words = "the mean of nodes is 13 in slot 0 and 121 in the others, without any spread"
    assert words in found.message


def test_rounding_sets_no_slot_apart(tmp_path: Path) -> None:
    same = [{"slot": 0 if n < 31 else 1 + n % 3, "root_value": 0.1} for n in range(200)]
    assert fleet_of(tmp_path, same).ask("slots").findings == []


def test_a_check_of_many_positions_is_one_finding_of_a_run(tmp_path: Path) -> None:
    rows = [{"prior_digest": f"{n % 7}", "position": str(n % 5)} for n in range(240)]
    (found,) = fleet_of(tmp_path, rows).ask("noise-that-repeats").findings
    assert "and so in 4 more positions" in found.message


def test_budgets_of_time_are_judged_together(tmp_path: Path) -> None:
    level = [{"visit_margin": 0.001, "iterations": 1000 + n} for n in range(30)]
    (found,) = fleet_of(tmp_path, level).ask("undecided-votes").findings
    assert "30 of 30" in found.message


def test_findings_of_searches_are_counted_by_check(tmp_path: Path) -> None:
    told = {
        "run": "a",
        "check": "visits-root",
        "severity": "error",
        "iteration": 3,
        "node": 0,
        "message": "m",
    }
    findings = [{**told, "search_id": f"a.many#{number}"} for number in (4, 2, 7)]
    (found,) = fleet_of(tmp_path, PLAIN, findings=findings).check()
    assert str(found) == "error: visits-root: in 3 of 30 searches; in a.many#2: m"
    assert found.evidence["searches"] == 3


def test_a_fleet_of_our_own_searches_has_no_errors(traces: Path) -> None:
    found = mv.fleet(traces).check()
    assert [str(each) for each in found if each.severity == "error"] == []
    assert [each.check for each in found if each.severity == "warning"] == ["fleet-unreadable"]


def test_a_question_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        mv.TraceError, match="there is no stored question 'c'; there are prior-against-visits, "
    ):
        fleet_of(tmp_path, PLAIN).ask("c")


def test_the_commands_ask_and_check(
    traces: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fleet", "ask", str(traces)]) == 0
    assert f"blunders: {QUESTIONS['blunders'].sentence}\n" in capsys.readouterr().out
    page = tmp_path / "votes.html"
    assert main(["fleet", "ask", str(traces), "undecided-votes", "-o", str(page)]) == 0
    assert "tic_tac_toe  32 " in capsys.readouterr().out
    assert "mean margin" in page.read_text(encoding="utf-8")
    assert main(["fleet", "check", str(traces)]) == 0
    assert "warning: fleet-unreadable: 2 searches" in capsys.readouterr().out
    assert main(["fleet", "check", str(traces), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told[0]["confirm"] == FLEET_CHECKS["fleet-unreadable"].confirm
