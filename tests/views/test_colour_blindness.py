"""Colours that stand for different things can be told apart with the common kinds of colour blindness."""

from __future__ import annotations

import itertools
import re

import numpy as np
import numpy.typing as npt
import pytest

from mcts_viz.views.board import PLAYER_COLOURS
from mcts_viz.views.searched_board import BADGE
from mcts_viz.views.theme import DIVERGING, PAPER, SEQUENTIAL, THEMES
from mcts_viz.web.scripts import ASSETS

# Machado, Oliveira, Fernandes 2009, severity 1, on linear RGB
BLIND = {
    "nobody": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}  # fmt: skip
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)  # fmt: skip
WHITE = np.array([0.95047, 1.0, 1.08883])
APART = 16.0  # distance in CIELAB of colours that stand for different things
STEP = 5.0  # and of two neighbours of a scale


def lab(colour: str, kind: str) -> npt.NDArray[np.float64]:
    """Lightness and two colour axes, as somebody sees it."""
    rgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(BLIND[kind] @ linear, 0, 1) / WHITE
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(one: str, other: str, kind: str) -> float:
    return float(np.linalg.norm(lab(one, kind) - lab(other, kind)))


def marks(theme: str) -> dict[str, str]:
    """Colours of the marks of the tree, from its style sheet."""
    text = (ASSETS / "tree/tree.css").read_text(encoding="utf-8")
    block = text.split('html[data-mcts-theme="dark"] {')[theme == "dark"].split("}")[0]
    found = dict(re.findall(r"--mcts-(\w+): (#\w{6});", block))
    return {name: found[name] for name in ("path", "new", "chosen", "selected", "paper")}


def groups(theme: str) -> dict[str, list[str]]:
    scale = DIVERGING[theme]
    leaders = re.search(r"MOVES = .*", (ASSETS / "timeline/chart.js").read_text(encoding="utf-8"))
    assert leaders is not None
    return {
        "good for one and for the other": [scale[0], scale[len(scale) // 2], scale[-1]],
        "half good": [scale[1], scale[len(scale) // 2], scale[-2]],
        "players": [*PLAYER_COLOURS, PAPER[theme]],
        "by perfect play": list(BADGE.values()),
        "marks": list(marks(theme).values()),
        "moves that led": re.findall(r"#\w{6}", leaders.group()),
        "much and little": [SEQUENTIAL[theme][0], SEQUENTIAL[theme][4], SEQUENTIAL[theme][-1]],
    }


@pytest.mark.parametrize("kind", BLIND)
@pytest.mark.parametrize("theme", THEMES)
def test_what_stands_for_different_things_can_be_told_apart(theme: str, kind: str) -> None:
    close = {
        f"{name}: {one} and {other}": round(distance(one, other, kind), 1)
        for name, colours in groups(theme).items()
        for one, other in itertools.combinations(colours, 2)
        if distance(one, other, kind) < APART
    }
    assert close == {}


@pytest.mark.parametrize("kind", BLIND)
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("scale", [DIVERGING, SEQUENTIAL], ids=["diverging", "sequential"])
def test_a_scale_goes_in_steps_that_can_be_seen_in_one_direction_of_lightness(
    scale: dict[str, tuple[str, ...]], theme: str, kind: str
) -> None:
    colours = scale[theme]
    assert min(distance(*pair, kind) for pair in itertools.pairwise(colours)) >= STEP
    light = [lab(colour, kind)[0] for colour in colours]
    middle = len(colours) // 2
    sides = [light[: middle + 1], light[middle:]] if scale is DIVERGING else [light]
    for side in sides:
        steps = np.diff(side)
        assert (steps > -1).all() or (steps < 1).all()


def test_the_simulation_takes_green_and_red_for_alike_as_people_do() -> None:
    assert distance("#c00000", "#5a7000", "nobody") > 60
    assert distance("#c00000", "#5a7000", "deuteranopia") < 30
