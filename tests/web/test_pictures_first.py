"""Work that takes long beside pictures of a recording that is followed."""

from __future__ import annotations

import threading

import pytest

from mcts_viz.web.routes import pictures_first
from mcts_viz.web.routes.pictures_first import PicturesFirst
from tests.waiting import wait_until


def test_work_waits_for_the_pictures_that_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures_first, "LONGEST", 60.0)
    pictures, gone_on = PicturesFirst(), threading.Event()
    pictures.let_by()  # none is made

    def work() -> None:
        pictures.let_by()
        gone_on.set()

    with pictures.picture():
        with pictures.picture():
            threading.Thread(target=work, daemon=True).start()
        assert not gone_on.wait(0.1)
    wait_until(gone_on.is_set)


def test_work_comes_to_its_end_beside_pictures_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures_first, "LONGEST", 0.01)
    pictures = PicturesFirst()
    with pictures.picture():
        pictures.let_by()


def test_a_picture_that_fails_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures_first, "LONGEST", 60.0)
    pictures = PicturesFirst()
    with pytest.raises(ValueError, match="no such node"), pictures.picture():
        raise ValueError("no such node")
    pictures.let_by()
