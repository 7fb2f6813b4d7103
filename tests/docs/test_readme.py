"""Every example of README.md runs as it stands there and gives what it says; every link leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.docs.commands import ROOT, run_page, serve, use_our_commands
from tests.docs.examples import examples, run_python

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")


def a_search_of_ones_own() -> Any:
    """With the fields that the page names: the search of the tutorial, which makes its steps itself."""
    names: dict[str, Any] = {}
    run_python(examples(ROOT / "docs/tutorial.md")[0], names)

    class Search:
        root = names["Node"](10, 0)

        def step(self) -> None:
            names["iterate"](self.root)

    names["Node"].move = property(lambda node: node.taken)
    return Search()


def test_the_examples_run_from_top_to_bottom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of "Record your own" with a search that is there already."""
    names = {"search": a_search_of_ones_own()}
    assert run_page(README, tmp_path, monkeypatch, names) == {"python", "sh"}


def test_the_page_is_short() -> None:
    assert len(README.read_bytes()) <= 6_000


def test_the_plain_way_to_start_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_our_commands(tmp_path, monkeypatch)
    assert "`pip install -r requirements.txt && python app.py`" in TEXT
    assert (ROOT / "requirements.txt").is_file()
    serve("python app.py", ROOT, "README.md")


def test_the_first_screen_is_a_picture_a_sentence_and_two_commands() -> None:
    first_screen = TEXT.split("```")
    assert first_screen[1] == "sh\nmake run\nmake test\n"
    assert re.search(r"^!\[.{20,}\]\(docs/page\.png\)$", first_screen[0], re.MULTILINE)


@pytest.mark.parametrize(
    "document", ["README.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
)
def test_every_link_leads_to_a_file_of_the_project(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)
    missing = [
        link
        for link in links
        if "://" not in link and not ((ROOT / document).parent / link).is_file()
    ]
    assert not missing


def test_every_file_that_the_architecture_names_is_there() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w./]+(?:\.py|\.js|/))`", text))
    folders = (ROOT, ROOT / "mcts_viz", ROOT / "mcts_viz/web")
    assert len(named) > 20
    assert not {name for name in named if not any((folder / name).exists() for folder in folders)}
