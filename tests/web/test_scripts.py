"""The lists of our scripts and style sheets, and the HTML that is made of them."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from mcts_viz.page import make_app
from mcts_viz.web.scripts import (
    ASSETS,
    CARTESIAN,
    DRAWING,
    FLEET_SCRIPTS,
    PAGE_ONLY,
    STYLES,
    plotly_script,
)


def test_every_file_stands_in_the_lists_once() -> None:
    fleet = [name for name in FLEET_SCRIPTS if name.startswith("fleet/")]  # the others are in both
    listed = [*DRAWING, *PAGE_ONLY, *fleet, *STYLES]
    there = [path.relative_to(ASSETS).as_posix() for path in ASSETS.rglob("*.*")]
    assert sorted(listed) == sorted(name for name in there if name.endswith((".js", ".css")))


def test_our_scripts_are_one_file_before_those_of_dash(tmp_path: Path) -> None:
    client: FlaskClient = make_app([], tmp_path).server.test_client()
    html = client.get("/").text
    sources = re.findall(r'<script src="([^"]+)"', html)
    assert [source.partition("?")[0] for source in sources if "/assets/" in source] == [
        "/assets/mcts_viz.js",
        "/assets/plotly-cartesian.min.js",
    ]
    assert sources[0].startswith("/assets/")
    scripts = client.get(sources[0])
    assert scripts.mimetype == "text/javascript"
    assert "immutable" in scripts.headers["Cache-Control"]
    assert scripts.text.startswith('"use strict";')
    places = [
        scripts.text.index((ASSETS / name).read_text("utf-8")) for name in (*DRAWING, *PAGE_ONLY)
    ]
    assert places == sorted(places)


def test_the_small_plotly_has_the_version_of_the_one_that_dash_would_load(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert CARTESIAN.stem in plotly_script("/assets/")
    monkeypatch.setattr("mcts_viz.web.scripts.get_plotlyjs_version", lambda: "4.0.0")
    assert plotly_script("/assets/") == ""


def test_our_style_sheets_are_one_file(tmp_path: Path) -> None:
    client: FlaskClient = make_app([], tmp_path).server.test_client()
    (address,) = re.findall(r'<link rel="stylesheet" href="(/assets/[^"]+)"', client.get("/").text)
    styles = client.get(address)
    assert styles.mimetype == "text/css"
    assert all((ASSETS / name).read_text("utf-8") in styles.text for name in STYLES)


@pytest.mark.parametrize("accepted", ["gzip, br, zstd", "identity"])
def test_plotly_comes_packed_where_the_browser_can_unpack_it(tmp_path: Path, accepted: str) -> None:
    client: FlaskClient = make_app([], tmp_path).server.test_client()
    answer = client.get(f"/assets/{CARTESIAN.stem}", headers={"Accept-Encoding": accepted})
    packed = answer.headers.get("Content-Encoding")
    assert packed == ("gzip" if "gzip" in accepted else None)
    text = gzip.decompress(answer.data) if packed else answer.data
    assert text.startswith(b"/**\n* plotly.js (cartesian")
    assert answer.mimetype == "text/javascript"
