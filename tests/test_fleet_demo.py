"""`make fleet-demo`: a stored question leads to the fault that was planted in one of two engines."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

import mcts_viz as mv
from mcts_viz import page
from mcts_viz.health.finding import Finding
from scripts import fleet_demo


@pytest.mark.thorough
def test_the_whole_demo_ends_at_the_fault(tmp_path: Path) -> None:
    said: list[str] = []
    clicks = fleet_demo.main(["--folder", str(tmp_path), "--no-page"], said.append)
    assert any("fleet-value-miscalibrated: engine B" in words for words in said)
    assert not any("engine A" in words for words in said)
    assert len(clicks) == 3
    opened = leads_to_engine_b(tmp_path, clicks)
    fleet = mv.Fleet(tmp_path, scanned=False)
    checks = [each.check for each in fleet.open(opened).check()]
    assert fleet_demo.CHECK in checks
    # whichever of the searches one opens, Health names the fault, and that of no sound one
    found = fleet.sql("SELECT engine, search_id FROM searches USING SAMPLE 40 ROWS (reservoir, 1)")
    for engine, search in found.fetchall():
        named = {each.check for each in fleet.open(search).check()}
        assert ("value-win-below-loss" in named) == (engine == "B"), search


@pytest.mark.thorough
def test_each_click_leads_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With few games, in one process, and a finding that so few do not give."""
    monkeypatch.setattr(fleet_demo, "WORKERS", 1)
    fleet_demo.play(tmp_path, 4)
    fleet = mv.fleet(tmp_path)
    (row, *_) = [each for each in fleet.ask(fleet_demo.QUESTION).rows if each["engine"] == "B"]
    evidence = {"engine": "B", "expected": row["expected"], "example": row["worst"]}
    finding = Finding("fleet-value-miscalibrated", "warning", None, None, "", evidence)
    leads_to_engine_b(tmp_path, fleet_demo.the_clicks(fleet, [finding]))
    assert len(fleet_demo.the_clicks(fleet, [])) == 1


def leads_to_engine_b(folder: Path, clicks: list[fleet_demo.Click]) -> str:
    """The search that is opened in the end."""
    client = page.make_app([folder], store=folder).server.test_client()
    question, mark, search = (urlsplit(f"/{each.address}") for each in clicks)
    assert parse_qs(question.query) == {"question": ["value-calibration"]}
    brush = json.loads(parse_qs(mark.query)["brush"][0])
    asked = {"question": "value-calibration", "brush": brush, "columns": ["engine", "result"]}
    found = client.post(
        "/api/fleet/rows", json={"first": 0, "last": 500, "asked": asked}
    ).get_json()["rows"]
    assert {(each["engine"], each["result"]) for each in found} == {("B", -1)}
    opened = parse_qs(search.query)["search"][0]
    assert opened in {each["search_id"] for each in found}
    answer = client.get(f"{search.path}?{search.query}")
    assert parse_qs(urlsplit(answer.headers["Location"]).query)["tab"] == ["health"]
    return opened
