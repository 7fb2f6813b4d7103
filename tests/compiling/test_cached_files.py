"""Compiled code that was kept in files is checked before it is run, and made anew where it is damaged."""

from __future__ import annotations

import errno
import os
import types
import warnings
from collections.abc import Callable
from pathlib import Path

import numba
import pytest

from mcts_viz import cli
from mcts_viz.compiling import jit
from mcts_viz.compiling.cached_files import CheckedFiles
from mcts_viz.errors import CacheWarning


def _twice(n: int) -> int:
    return 2 * n


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    return tmp_path


def asked() -> tuple[int, int]:
    """An answer of a fresh dispatcher, as of a new process, and how often it found its code in the files."""
    dispatcher = jit.jit_entry(types.FunctionType(_twice.__code__, globals(), "_twice"))
    return dispatcher(21), sum(dispatcher.stats.cache_hits.values())


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "half": lambda content: content[: len(content) // 2],
    "zeros": lambda content: bytes(len(content)),
    "one bit": lambda content: content[:-500] + bytes([content[-500] ^ 4]) + content[-499:],
    "rubbish": lambda content: b"\x80\x04\x95" + b"\xff" * 300,
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_what_is_damaged_is_compiled_anew_and_said(damage: str, suffix: str, folder: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert asked() == (42, 0)
        assert asked() == (42, 1)
    (file,) = folder.rglob(f"*{suffix}")
    content = file.read_bytes()
    file.write_bytes(DAMAGES[damage](content.rjust(600, b"x")))
    with pytest.warns(CacheWarning, match="was damaged; it is compiled anew"):
        assert asked() == (42, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert asked() == (42, 1)  # mended


@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EMFILE])
def test_code_that_cannot_be_kept_runs_all_the_same(
    reason: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: CheckedFiles, path: str) -> None:
        raise OSError(reason, os.strerror(reason))

    monkeypatch.setattr(CheckedFiles, "_open_for_write", fails)
    assert asked() == (42, 0)
    assert list(folder.rglob("*.nb?")) == []


@pytest.mark.filterwarnings("default")
def test_the_command_line_says_it_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def warned(*arguments: object, **named: object) -> None:
        warnings.warn("a.nbi: compiled code kept there was damaged", CacheWarning, stacklevel=3)
        raise KeyboardInterrupt

    monkeypatch.setattr("mcts_viz.cli.record.record_search", warned)
    assert cli.main(["record", "tic_tac_toe", "-o", str(tmp_path / "a.mcts")]) == 130
    said = capsys.readouterr().err
    assert said == "mcts-viz: a.nbi: compiled code kept there was damaged\nmcts-viz: stopped\n"
