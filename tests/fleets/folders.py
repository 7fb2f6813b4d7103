"""Folders with searches of all kinds, whole and not."""

from __future__ import annotations

import shutil
from pathlib import Path

import mcts_viz as mv
from mcts_viz.runs.match import Match
from mcts_viz.runs.options import SearchOptions

N_MANY, ITERATIONS = 30, 40


def make_folder(folder: Path) -> Path:
    """30 searches in a file of many, three with a file of their own, a match, a torn trace and a hostile one."""
    folder.mkdir()
    plain = {"game": "tic_tac_toe", "iterations": ITERATIONS, "compile": False}
    mv.search_many([{**plain, "seed": seed} for seed in range(N_MANY)], folder / "a.many")
    run = folder / "second"
    run.mkdir()
    for seed in range(3):
        mv.search(
            "tic_tac_toe",
            "alphazero",
            iterations=30,
            seed=seed,
            start=[4],
            path=run / f"{seed}.mcts",
        )
    whole = (run / "0.mcts").read_bytes()
    (run / "torn.mcts").write_bytes(whole[: len(whole) * 2 // 3])
    (run / "hostile.mcts").write_bytes(b"\xff\xff\xff\xff\x00\x00\x10\x00" + bytes(range(256)) * 20)
    engine = SearchOptions("uct", iterations=20)
    match = Match("tic_tac_toe", [engine, engine], folder / "game", seed=5)
    while match.engine is not None:
        match.think()
    return folder


def copy_of(folder: Path, to: Path) -> Path:
    """The same traces without tables."""
    shutil.copytree(
        folder, to, ignore=shutil.ignore_patterns("fleet-tables"), copy_function=shutil.copy2
    )
    return to
