"""Text made of phrases: a phrase with a number knows the iteration or the node that shows it."""

from __future__ import annotations

import html
import re
from typing import NamedTuple, TypeAlias


class Phrase(NamedTuple):
    """A piece of text, and the iteration or the node that shows what it says."""

    text: str
    iteration: int | None = None
    node: int | None = None
    number: str | None = None  # of the node, as `analysis.origin` names it: what the text says


Paragraphs: TypeAlias = tuple[tuple[Phrase, ...], ...]


class Paragraph(list[Phrase]):
    """A paragraph while it is being written."""

    def say(
        self,
        text: str,
        iteration: int | None = None,
        node: int | None = None,
        number: str | None = None,
    ) -> Paragraph:
        """Add a phrase."""
        self.append(Phrase(text, iteration, node, number))
        return self


def as_text(prose: Paragraphs) -> str:
    """A line for each paragraph."""
    return "\n".join("".join(phrase.text for phrase in paragraph) for paragraph in prose)


def as_html(prose: Paragraphs) -> str:
    """A `<p>` for each paragraph."""
    return "".join(f"<p>{html.escape(line)}</p>" for line in as_text(prose).split("\n"))


def number(value: float) -> str:
    """Four decimals, thousands apart."""
    text = f"{value:,.4f}"
    return "0.0000" if text == "-0.0000" else text


def capitalised(label: str) -> str:
    """A move at the beginning of a sentence: words get a capital, names such as c4 stay."""
    return label[0].upper() + label[1:] if re.match("[a-z]{3}", label) else label
