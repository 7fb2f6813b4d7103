"""What a style sheet costs the page at every change: a rule that asks what an element has (`:has`) is looked at again
when anything in it changes, and with it all elements that the rule could be about."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import mcts_viz.web

ASSETS = Path(mcts_viz.web.__file__).parent / "assets"
NAMED = re.compile(r"[.#\[]")  # by a class, an id or an attribute


def selectors(sheet: Path) -> list[str]:
    """Those of a style sheet, one by one."""
    text = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
    heads = re.findall(r"([^{};]+)\{", text)
    return [each.strip() for head in heads if "@" not in head for each in parts(head, ",")]


def parts(text: str, separators: str) -> list[str]:
    """The text cut at separators that are in no brackets."""
    found, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if depth == 0 and letter in separators:
            found.append("")
        else:
            found[-1] += letter
    return [each for each in found if each.strip()]


def is_about_any_element(selector: str) -> bool:
    """Whether it ends, below an element with `:has`, in an element of which no class, id or attribute is told."""
    *above, last = parts(selector, " >+~")
    if not any(":has(" in each for each in above):
        return False
    one_of = re.fullmatch(r":is\((.*)\)", last.strip())
    ends = parts(one_of.group(1), ",") if one_of else [last]
    return not all(NAMED.search(re.sub(r":not\(.*?\)", "", parts(end, " >+~")[-1])) for end in ends)


@pytest.mark.parametrize(
    ("selector", "is_so"),
    [
        (".side:has(.documents) .tabs", False),
        (".side:has(.documents) *", True),
        (".side:has(.documents) > :not(.tabs)", True),
        ("html:has(.match) :is(.tree > *, .side)", True),
        ("html:has(.match) :is(.tree, .side)", False),
        (".menu:has(.glyph) .words span:last-child", True),
        (".side:has(> *)", False),
    ],
)
def test_a_rule_about_any_element_is_recognized(selector: str, is_so: bool) -> None:
    assert is_about_any_element(selector) == is_so


def test_no_rule_has_the_whole_page_looked_at_again_whenever_a_word_changes() -> None:
    sheets = list(ASSETS.rglob("*.css"))
    assert sum(":has(" in each for sheet in sheets for each in selectors(sheet)) > 20
    assert [
        each for sheet in sheets for each in selectors(sheet) if is_about_any_element(each)
    ] == []
