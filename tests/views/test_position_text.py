"""Recorded positions as parts: what Markdown becomes, and that nothing takes long or gets lost."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.states import grid_rows, grid_text, rows_of
from mcts_viz.views.position_text import (
    MOST_CELLS,
    MOST_PARSED,
    Span,
    TextBlock,
    as_json,
    markdown_blocks,
    position_blocks,
    spans_of,
)

MARKDOWN = TraceMeta({"state_format": "markdown"})
TEXT = """# Plan *one*

Take **3** and `8`,
then [divide](javascript:alert(1)) ![x](http://x.invalid/y.png)

- first
- _second_
2. third

> said
> so
---
```python
<b>**not bold**</b>
```
| a | b |
|---|:-:|
| 1 | **2** |
"""


def test_markdown_is_taken_apart_and_its_links_are_told() -> None:
    assert markdown_blocks(TEXT) == [
        TextBlock("heading", [Span("", "Plan "), Span("em", "one")], level=1),
        TextBlock(
            "paragraph",
            [
                Span("", "Take "), Span("strong", "3"), Span("", " and "), Span("code", "8"),
                Span("", ",\nthen "), Span("", "divide (javascript:alert(1)"), Span("", ") "),
                Span("", "x (http://x.invalid/y.png)"),
            ],
        ),
        TextBlock("list", items=[[Span("", "first")], [Span("em", "second")]]),
        TextBlock("numbers", items=[[Span("", "third")]]),
        TextBlock("quote", [Span("", "said\nso")]),
        TextBlock("rule"),
        TextBlock("code", [Span("", "<b>**not bold**</b>")]),
        TextBlock("grid", rows=[["a", "b"], ["1", "2"]]),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["snake_case_name", "2 * 3 * 4", "a ** b", "**", "[a] (b)", "<b>"])
def test_what_is_no_markdown_stays_as_it_is(text: str) -> None:
    assert "".join(span.text for span in spans_of(text)) == text
    assert {span.style for span in spans_of(text)} == {""}


@given(st.text(alphabet="#*_>|-ab1. \n\t[]()!", max_size=200))
def test_no_letter_of_a_text_is_lost(text: str) -> None:
    told = "".join(
        "".join(span.text for spans in (block.spans, *block.items) for span in spans)
        + "".join(cell for row in block.rows for cell in row)
        for block in markdown_blocks(text)
    )
    assert [c for c in told if c in "ab"] == [c for c in text if c in "ab"]


@pytest.mark.parametrize(
    "piece", ["*", "**", "_", "`", "[", "[](", "![", "> ", "|", "- ", "#", "1. "]
)
def test_no_text_takes_long(piece: str) -> None:
    began = time.process_time()
    markdown_blocks(piece * (3 * MOST_PARSED))
    markdown_blocks((piece + "a\n") * MOST_PARSED)
    assert time.process_time() - began < 5


def test_a_long_text_is_shown_to_its_end() -> None:
    blocks = markdown_blocks("a" * MOST_PARSED + "**end**")
    assert blocks[-1] == TextBlock("paragraph", [Span("", "**end**")])


def test_a_grid_has_its_cells_and_a_large_one_is_text() -> None:
    meta = TraceMeta({"state_format": "grid"})
    text = grid_text([["X", None], ["a\tb\nc", 0]])
    assert grid_rows(text) == [["X", ""], ["a b c", "0"]]
    assert position_blocks(meta, text) == [TextBlock("grid", rows=[["X", ""], ["a b c", "0"]])]
    assert position_blocks(meta, "\n" * MOST_CELLS) is None
    assert position_blocks(meta, "\t" * MOST_CELLS) is None


@pytest.mark.parametrize("found", [None, "html", 5, ["markdown"], {}])
def test_an_unknown_format_is_plain_text(found: object) -> None:
    meta = TraceMeta({"state_format": found})
    assert meta.states_are_in == "text"
    assert position_blocks(meta, "# a") is None


def test_without_a_text_there_is_nothing() -> None:
    assert position_blocks(MARKDOWN, None) is None
    assert position_blocks(MARKDOWN, "") is None
    assert as_json(None) is None


@pytest.mark.parametrize("found", ["ab", [], ["ab", "cd"], [1, 2], {"a": [1]}, None, 3])
def test_only_rows_of_cells_are_a_grid(found: object) -> None:
    assert rows_of(found) is None
