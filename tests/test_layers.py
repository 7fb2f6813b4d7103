"""The layers of docs/architecture.md, whose table is the rule, and the shape of every module."""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import mcts_viz

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "mcts_viz"
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
CATCH_ALL = {"utils", "util", "helpers", "helper", "common", "misc", "tools", "shared"}


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


class Layer(NamedTuple):
    """A row of the table."""

    parts: frozenset[str]
    may_import: frozenset[str]  # other parts
    libraries: frozenset[str]


class Import(NamedTuple):
    """One imported module, absolute, with the place of the import."""

    module: str
    line: int
    in_function: bool
    for_types_only: bool  # under `if TYPE_CHECKING:`
    by_name: bool = False  # by `importlib.import_module`


def layers() -> list[Layer]:
    """The rows of the table "Layers", top first."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\|(.*)\|(.*)\|(.*)\|(.*)\|$", text.split("\n## Layers\n")[1], re.MULTILINE)
    parts = [frozenset(re.findall(r"`(\w+)`", row[0])) for row in rows[2:]]
    everything = frozenset().union(*parts)
    return [
        Layer(
            part,
            everything if "everything" in row[2] else frozenset(re.findall(r"`(\w+)`", row[2])),
            frozenset(re.findall(r"`(\w+)`", row[3])),
        )
        for part, row in zip(parts, rows[2:])
    ]


LAYERS = layers()


def part_of(module: str) -> str:
    """The part that a module of the package belongs to: "games" for mcts_viz.games.rules."""
    names = module.split(".")
    return names[1] if len(names) > 1 else "__init__"


@cache
def layer_of(module: str) -> Layer:
    found = [layer for layer in LAYERS if part_of(module) in layer.parts]
    assert len(found) == 1, f"{module} belongs to no part, or two, of the table in architecture.md"
    return found[0]


@cache
def imports(module: str) -> tuple[Import, ...]:
    """Every import of a module, relative ones resolved; `from a import b` as a.b for a module b."""
    is_package = MODULES[module].name == "__init__.py"
    by_name = "import_module(" in MODULES[module].read_text(encoding="utf-8")

    def walk(node: ast.AST, in_function: bool, for_types: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                for alias in child.names:
                    yield Import(alias.name, child.lineno, in_function, for_types)
            elif isinstance(child, ast.Call) and (named := imported_by_name(child)):
                yield Import(named, child.lineno, in_function, for_types, by_name=True)
            elif isinstance(child, ast.ImportFrom):
                names = module.split(".")
                anchor = names[: len(names) + is_package - child.level] if child.level else []
                base = ".".join([*anchor, *([child.module] if child.module else [])])
                for alias in child.names:
                    inner = f"{base}.{alias.name}"
                    name = inner if inner in MODULES else base
                    yield Import(name, child.lineno, in_function, for_types)
            elif by_name or not isinstance(child, ast.expr):  # which imports by name alone
                is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                types = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
                yield from walk(child, in_function or is_function, for_types or types)

    return tuple(walk(tree_of(module), False, False))


def imported_by_name(call: ast.Call) -> str | None:
    """The module of `importlib.import_module("…")`; None for another call, or a name worked out."""
    called = (
        call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    )
    first = call.args[0] if call.args else None
    if called != "import_module" or not isinstance(first, ast.Constant):
        return None
    return str(first.value)


def is_ours(name: str) -> bool:
    return name.split(".")[0] == "mcts_viz"


def test_the_table_of_layers_goes_down_only() -> None:
    above: set[str] = set()
    for layer in LAYERS:
        upwards = layer.may_import & (above - layer.parts)
        assert not upwards or "cli" in layer.parts, f"{set(layer.parts)} may import {upwards} above"
        above |= layer.parts
    assert len(LAYERS) >= 10


def test_engine_and_trace_do_not_know_each_other() -> None:
    assert "trace" not in layer_of("mcts_viz.engine").may_import
    assert "engine" not in layer_of("mcts_viz.trace").may_import


def test_dash_lives_in_web_only() -> None:
    knows_dash = {part for layer in LAYERS for part in layer.parts if "dash" in layer.libraries}
    assert knows_dash == {"web"}


def imports_where(wrong: Callable[[str, Import], bool]) -> list[str]:
    """Those that break a rule, each with its place."""
    return [
        f"{module}:{found.line} imports {found.module}"
        for module in MODULES
        for found in imports(module)
        if wrong(module, found)
    ]


def test_imports_go_down_the_layers() -> None:
    def goes_up(module: str, found: Import) -> bool:
        layer = layer_of(module)
        return is_ours(found.module) and part_of(found.module) not in layer.may_import | layer.parts

    assert all(layer_of(module) for module in MODULES)
    assert imports_where(goes_up) == []


def test_a_module_imports_only_the_libraries_of_its_layer() -> None:
    def is_strange(module: str, found: Import) -> bool:
        library = found.module.split(".")[0]
        return not (
            is_ours(found.module)
            or found.for_types_only
            or library in layer_of(module).libraries | sys.stdlib_module_names
        )

    assert imports_where(is_strange) == []


def test_no_import_inside_a_function() -> None:
    """Except an adapter's own library, which most users do not have."""

    def is_hidden(module: str, found: Import) -> bool:
        is_adapters = part_of(module) in ("recording", "importing") and not is_ours(found.module)
        return found.in_function and not found.by_name and not is_adapters

    assert imports_where(is_hidden) == []


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    """Not even for types alone, or late by `importlib.import_module`."""
    uses = {
        module: {
            found.module
            for found in imports(module)
            if found.module in MODULES and found.module != module
        }
        for module in MODULES
    }
    while uses:
        leaves = {module for module, used in uses.items() if not used & uses.keys()}
        assert leaves, f"these import each other: {sorted(uses)}"
        uses = {module: used for module, used in uses.items() if module not in leaves}


def test_a_module_says_what_it_is_for() -> None:
    words = {module: (ast.get_docstring(tree_of(module)) or "").split() for module in MODULES}
    assert [module for module, said in words.items() if len(said) < 3] == []


def test_no_module_is_named_for_being_useful() -> None:
    assert not [name for name in MODULES if CATCH_ALL & set(name.split("."))]


def test_nothing_on_the_top_level_has_the_name_of_a_function_of_the_api() -> None:
    """`import mcts_viz.search` would else mean two things."""
    top = {name.split(".")[1] for name in MODULES if "." in name}
    assert not top & set(mcts_viz.__all__)
    loose = {path.stem for path in PACKAGE.glob("*.py")}
    assert loose == {
        *(
            "__init__",
            "__main__",
            "api",
            "arguments",
            "errors",
            "many",
            "notebook",
            "page",
            "pytest_plugin",
        ),
        *("testing", "types"),
    }


# what users get is the class below with more methods
EXTENDED = {"mcts_viz.api.Snapshot", "mcts_viz.api.Trace"}


def test_no_class_name_stands_twice() -> None:
    classes = Counter(
        node.name
        for module in MODULES
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.ClassDef) and f"{module}.{node.name}" not in EXTENDED
    )
    assert not {name for name, n in classes.items() if n > 1}


MOST_ANY = 260  # times that `Any` is written, which no check looks behind: fewer, not more


def test_types_say_what_things_are() -> None:
    """Where there are fewer, the number above is to be lowered."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in MODULES.values())
    assert len(re.findall(r"\bAny\b", text)) <= MOST_ANY


SIDE_EFFECTS = r"""
import importlib, sys, threading

libraries, modules = sys.argv[1].split(","), sys.argv[2].split(",")
for name in libraries:
    importlib.import_module(name)


class Untouchable(list):
    def refuse(self, *arguments):
        raise AssertionError("reads the command line")

    __getitem__ = __iter__ = __len__ = refuse


def hear(event, arguments):
    if event == "open" and not (isinstance(arguments[1], str) and set(arguments[1]) & set("wax+")):
        return
    if event in CHANGES or event.split(".")[0] in ("socket", "subprocess", "shutil", "webbrowser"):
        found.append((event, repr(arguments)[:100]))


CHANGES = {"open", "os.mkdir", "os.remove", "os.rename", "os.system", "os.fork", "os.putenv"}
found = []
threads = threading.active_count()
sys.argv = Untouchable()
sys.addaudithook(hear)
for name in modules:
    found.clear()
    importlib.import_module(name)
    if found:
        raise SystemExit(f"importing {name} does something: {found}")
    if threading.active_count() != threads:
        raise SystemExit(f"importing {name} starts a thread")
"""


def test_importing_a_module_does_nothing(tmp_path: Path) -> None:
    """No file, process, thread or connection; no argument read, no line printed."""
    libraries = {
        found.module
        for module in MODULES
        for found in imports(module)
        if not is_ours(found.module) and not found.in_function and not found.for_types_only
    }
    modules = [name for name in MODULES if not name.endswith("__main__")]
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{SIDE_EFFECTS}"
    finished = subprocess.run(
        [sys.executable, "-B", "-c", code, ",".join(sorted(libraries)), ",".join(modules)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr[-2_000:]
    assert finished.stdout == ""
    assert not list(tmp_path.iterdir())
