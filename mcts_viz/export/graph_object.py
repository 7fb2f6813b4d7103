"""The `graph` object of a snapshot's JSON: is it our format, and may the metadata in it be trusted?

A table says what each key may hold; keys that it does not list are kept as they are. Knows nothing
of nodes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from mcts_viz.errors import ImportFormatError
from mcts_viz.export.node_columns import shown
from mcts_viz.export.node_link import FORMAT, VERSION
from mcts_viz.trace.surrogates import without_lone_surrogates

MAX_DEPTH = 64  # of lists and objects
PHASES = ("selection", "expansion", "simulation", "backpropagation", "final_move")

Test: TypeAlias = Callable[[Any], bool]


def is_whole(value: object) -> bool:
    """Whether the value is an int, and not a bool."""
    return type(value) is int


def is_number(value: Any) -> bool:
    """Whether the value is a number that a float can hold, and not a bool."""
    return type(value) in (int, float) and abs(value) < 1e300


def is_text(value: object) -> bool:
    """Whether the value is a str."""
    return type(value) is str


def is_object(value: object) -> bool:
    """Whether the value is a JSON object."""
    return type(value) is dict


def is_list_of(test: Test) -> Test:
    """A test for lists whose every item passes `test`."""
    return lambda value: type(value) is list and all(test(item) for item in value)


def or_null(test: Test) -> Test:
    """A test that null passes too."""
    return lambda value: value is None or test(value)


def is_range(value: Any) -> bool:
    """Whether the value is [least, greatest]."""
    return is_list_of(is_number)(value) and len(value) == 2 and bool(value[0] <= value[1])


def is_policies(value: Any) -> bool:
    """Whether the value names policies by phase, so that the selection formula can be applied."""
    if not is_object(value):
        return False
    policies = [value[phase] for phase in PHASES if phase in value]
    return all(
        is_object(policy) and is_text(policy.get("name", "")) and is_number(policy.get("c", 0))
        for policy in policies
    )


def is_game(value: Any) -> bool:
    """Whether the value names a game."""
    return is_object(value) and is_text(value.get("name"))


class GraphKey(NamedTuple):
    """What a key of the `graph` object may hold."""

    accepts: Test
    expected: str
    required: bool = False


GRAPH_KEYS: dict[str, GraphKey] = {
    "game": GraphKey(is_game, 'an object with a "name"', required=True),
    "policies": GraphKey(
        is_policies, 'an object with one {"name": text, …} a phase, "c" a number', required=True
    ),
    "iteration": GraphKey(
        lambda v: is_whole(v) and 0 <= v < 2**31, "a whole number from 0", required=True
    ),
    "players": GraphKey(
        lambda v: is_list_of(is_text)(v) and len(v) in (1, 2),
        "a list of one name or two",
        required=True,
    ),
    "reward_range": GraphKey(is_range, "[least, greatest], two numbers in order", required=True),
    "value_range": GraphKey(is_range, "[least, greatest], two numbers in order", required=True),
    "start": GraphKey(is_list_of(is_whole), "a list of action ids"),
    "root": GraphKey(is_object, "an object"),
    "action_labels": GraphKey(or_null(is_list_of(is_text)), "a list of texts, or null"),
    "seed": GraphKey(or_null(is_whole), "a whole number, or null"),
    "software": GraphKey(is_object, "an object"),
    "recorded_by": GraphKey(or_null(is_text), "a text, or null"),
    "not_observed": GraphKey(is_list_of(is_text), "a list of texts"),
}


def check_format(graph: Any, source: str) -> dict[str, Any]:
    """The `graph` object itself; raises ImportFormatError when it is not ours or too new."""
    if type(graph) is not dict or graph.get("format") != FORMAT:
        raise ImportFormatError(
            f'{source}: its "graph" does not say "format": "{FORMAT}", so it is not a snapshot of '
            "mcts_viz; export one as .json"
        )
    version = graph.get("version")
    if type(version) is not int or version < 1:
        raise ImportFormatError(
            f'{source}: graph: "version" is {shown(version)}; it must be a version number from 1'
        )
    if version > VERSION:
        raise ImportFormatError(
            f"{source}: written in snapshot format {version}, and this version of mcts_viz reads "
            f"up to {VERSION}; update mcts_viz to open it"
        )
    return graph


def checked_metadata(graph: dict[str, Any], source: str) -> dict[str, Any]:
    """The metadata, checked, with the keys that describe the snapshot still in it."""
    _check_depth(graph, source)
    for name, key in GRAPH_KEYS.items():
        if name not in graph:
            if key.required:
                raise ImportFormatError(f'{source}: graph has no "{name}"; it needs {key.expected}')
        elif not key.accepts(graph[name]):
            raise ImportFormatError(
                f'{source}: graph: "{name}" is {shown(graph[name])}; it must be {key.expected}'
            )
    try:  # 1e999 is read as infinity
        text = json.dumps(graph, ensure_ascii=False, allow_nan=False)
    except ValueError as err:
        raise ImportFormatError(
            f"{source}: graph holds a number that is too large; write null or a finite number"
        ) from err
    meta: dict[str, Any] = json.loads(without_lone_surrogates(text))
    return meta


def _check_depth(graph: dict[str, Any], source: str) -> None:
    level: list[Any] = [graph]
    for _ in range(MAX_DEPTH):
        level = [
            item
            for value in level
            for item in (value.values() if type(value) is dict else value)
            if type(item) in (dict, list)
        ]
        if not level:
            return
    raise ImportFormatError(
        f"{source}: graph nests lists and objects more than {MAX_DEPTH} deep; flatten it"
    )
