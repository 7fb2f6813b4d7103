"""The examples of a Markdown page, taken from the page itself: fenced code with its place."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any, NamedTuple

CLAIM = re.compile(r"  # → (.+)$")


class Example(NamedTuple):
    """One fenced block."""

    page: Path
    line: int  # of its first line of code, from 1
    language: str
    code: str

    @property
    def place(self) -> str:
        """For messages and test names."""
        return f"{self.page.name}:{self.line}"

    @property
    def commands(self) -> list[str]:
        """Lines of a shell block, without comments; none of another one."""
        if self.language != "sh":
            return []
        lines = [re.sub(r"(^|\s)#\s.*", "", line).strip() for line in self.code.splitlines()]
        return [line for line in lines if line]


def examples(page: Path) -> list[Example]:
    """All fenced blocks with a language, from top to bottom."""
    text = page.read_text(encoding="utf-8")
    return [
        Example(page, text.count("\n", 0, found.start(2)) + 1, found[1], found[2])
        for found in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    ]


def run_python(example: Example, names: dict[str, Any]) -> None:
    """Run a block in a namespace. Where a line says `  # → text`, its value has to look like that.

    The value looks like its `str`, or its `repr` where it is a text of its own.
    """
    claims = {
        number: found[1]
        for number, line in enumerate(example.code.splitlines(), start=1)
        if (found := CLAIM.search(line)) is not None
    }
    module = ast.parse(example.code)
    ast.increment_lineno(module, example.line - 1)
    for statement in module.body:
        assert statement.end_lineno is not None
        claim = claims.pop(statement.end_lineno - example.line + 1, None)
        if claim is None:
            block = ast.Module([statement], [])
            exec(compile(block, str(example.page), "exec"), names)
            continue
        where = f"{example.page.name}:{statement.lineno}"
        assert isinstance(statement, ast.Expr), f"{where}: only an expression has a value"
        value = eval(compile(ast.Expression(statement.value), str(example.page), "eval"), names)
        assert claim in (str(value), repr(value)), f"{where}: {value!r}, not {claim}"
    assert not claims, f"{example.place}: no statement ends where these claims are: {claims}"
