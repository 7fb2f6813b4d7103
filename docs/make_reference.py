"""Writes docs/reference.md from the docstrings of the public API: `python -m docs.make_reference`."""

from __future__ import annotations

import ast
import inspect
import io
import textwrap
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mcts_viz
from mcts_viz import testing, types

PAGE = Path(__file__).parent / "reference.md"
HEAD = """# API reference
The public API: every name of `mcts_viz.__all__` and `mcts_viz.testing.__all__`. Nothing else is promised. Written by
`python -m docs.make_reference` from the docstrings; a test compares. [From Python](python.md) shows
them at work, and the [glossary](glossary.md) has the words.
"""
KINDS = ("Functions", "Classes", "Errors")
ALIASES = {  # our own names for types, as readers know them
    node.target.id: node.value
    for node in ast.parse(inspect.getsource(types)).body
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
}


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for title, module in (("mcts_viz", mcts_viz), ("mcts_viz.testing", testing)):
        named = {name: getattr(module, name) for name in sorted(module.__all__, key=str.casefold)}
        for kind in KINDS:
            found = {name: each for name, each in named.items() if kind_of(each) == kind}
            if found:
                parts.append(f"## `{title}`: {kind.lower()}\n")
                parts += [entry(name, each) for name, each in found.items()]
    return "\n".join(parts)


def kind_of(thing: Any) -> str:
    """One of KINDS."""
    if not inspect.isclass(thing):
        return "Functions"
    return "Errors" if issubclass(thing, Exception) else "Classes"


def entry(name: str, thing: Any) -> str:
    """The part of the page about one name."""
    if not inspect.isclass(thing):
        return f"### `{name}`\n{code(signature(definition(thing)))}{text_of(thing)}\n"
    if issubclass(thing, Exception):
        return f"- `{name}` ({thing.__bases__[0].__name__}): {text_of(thing)}"
    members = "".join(member(*found) for found in members_of(thing))
    return f"### `{name}`\n{text_of(thing)}\n{fields(thing)}{members}"


def member(name: str, thing: Any) -> str:
    """A method or property of a class."""
    if isinstance(thing, property) or hasattr(thing, "attrname"):
        function = thing.fget if isinstance(thing, property) else thing.func
        returns = definition(function).returns
        of_type = f" → `{written(returns)}`" if returns is not None else ""
        return f"\n#### `.{name}`{of_type}\n{text_of(function)}\n"
    return f"\n#### `.{name}()`\n{code(signature(definition(thing)))}{text_of(thing)}\n"


def members_of(thing: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties with a docstring, those of bases of this package behind."""
    seen = {"as_tuple", "count", "index"}  # of NamedTuples
    for base in thing.__mro__:
        if not base.__module__.startswith("mcts_viz"):
            continue
        for name, found in vars(base).items():
            plain = found.__func__ if isinstance(found, (classmethod, staticmethod)) else found
            known = inspect.isfunction(plain) or isinstance(plain, property)
            if name.startswith("_") or name in seen or not (known or hasattr(plain, "attrname")):
                continue
            seen.add(name)
            yield name, plain


def fields(thing: type) -> str:
    """Table of the annotated attributes, with the comments beside or above them."""
    rows = [
        f"| `{name}` | `{kind}` | {comment} |".replace("  |", " |")
        for base in reversed(thing.__mro__)
        if base.__module__.startswith("mcts_viz")
        for name, kind, comment in annotated(base)
    ]
    return "\n".join(["\n| field | type | |", "|---|---|---|", *rows, ""]) if rows else ""


def annotated(thing: type) -> Iterator[tuple[str, str, str]]:
    """(name, type, comment) of each public annotated attribute of a class body."""
    source = textwrap.dedent(inspect.getsource(thing))
    comments = {
        token.start[0]: (token.string.lstrip("# "), token.line.lstrip().startswith("#"))
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    (body,) = ast.parse(source).body
    assert isinstance(body, ast.ClassDef)
    for statement in body.body:
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        if statement.target.id.startswith("_"):
            continue
        found = []
        above = statement.lineno - 1
        while above in comments and comments[above][1]:
            found.insert(0, comments[above][0])
            above -= 1
        last = statement.end_lineno or statement.lineno
        found += [
            comments[line][0] for line in range(statement.lineno, last + 1) if line in comments
        ]
        kind = " ".join(written(statement.annotation).split()).replace("|", "\\|")
        yield statement.target.id, kind, " ".join(found).replace("|", "\\|")


def definition(function: Any) -> ast.FunctionDef:
    """The function's own definition in the source."""
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
    (found,) = ast.parse(source).body
    assert isinstance(found, ast.FunctionDef)
    return found


def signature(function: ast.FunctionDef) -> str:
    """Name, arguments and result; an argument a line where one line is too short."""
    function.args.args = [each for each in function.args.args if each.arg not in ("self", "cls")]
    returns = "" if function.returns is None else f" -> {written(function.returns)}"
    whole = f"{function.name}({', '.join(arguments(function.args))}){returns}"
    if len(whole) <= 100:
        return whole
    lines = [f"    {each}," for each in arguments(function.args)]
    return "\n".join([f"{function.name}(", *lines, f"){returns}"])


def arguments(of: ast.arguments) -> list[str]:
    """Each argument with its type and default."""
    positional = [*of.posonlyargs, *of.args]
    defaults = [None] * (len(positional) - len(of.defaults)) + list(of.defaults)
    found = [argument(each, default) for each, default in zip(positional, defaults)]
    if of.vararg is not None:
        found.append(f"*{written(of.vararg)}")
    elif of.kwonlyargs:
        found.append("*")
    found += [argument(each, default) for each, default in zip(of.kwonlyargs, of.kw_defaults)]
    if of.kwarg is not None:
        found.append(f"**{written(of.kwarg)}")
    return found


def argument(of: ast.arg, default: ast.expr | None) -> str:
    """`name: type = default`."""
    return written(of) + ("" if default is None else f" = {written(default)}")


def written(of: ast.AST) -> str:
    """As in the source, but for our own names for types, which are spelt out."""
    return ast.unparse(SpeltOut().visit(of)).replace("lambda :", "lambda:")  # as Python 3.10 has it


class SpeltOut(ast.NodeTransformer):
    """Puts in the place of each alias what it stands for."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ALIASES.get(node.id) or node


def code(text: str) -> str:
    """A fenced block."""
    return f"```\n{text}\n```\n"


def text_of(thing: Any) -> str:
    """The docstring; lists of arguments in it, which are indented, stand as they are."""
    paragraphs = (inspect.getdoc(thing) or "").split("\n\n")
    return "\n\n".join(
        f"```\n{each}\n```" if "\n    " in each or each.startswith("    ") else each
        for each in paragraphs
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
