"""The first line of a stream of events: the trace's metadata, of which all that is left out has a default.

Knows the trace format; a built-in game's facts come in from above.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from mcts_viz.adapters.event_fields import INT32, listed, number, number_or_none, shown, whole
from mcts_viz.adapters.metadata import PLAYERS
from mcts_viz.errors import ImportFormatError
from mcts_viz.trace.format import FORMAT_VERSION, NEWEST_VERSION
from mcts_viz.trace.players import CHANCE
from mcts_viz.trace.states import STATE_FORMATS

MARK = "format_version"  # what makes a line the header
NULLABLE = ("seed", "inherited", "action_labels")  # null means something: there is none
NOT_RECORDED = {
    "updates": "What backpropagation added is not recorded: it is taken to be one visit, and the outcome in the view "
    "of the player who moved there, for every node from the root to the leaf."
}


class Game(NamedTuple):
    """What a built-in game says about itself."""

    game: Mapping[str, Any]  # name, title, parameters, n_actions
    start: list[int]  # action ids from the first position to the root
    to_move: int  # at the root
    action_labels: list[str]
    players: tuple[str, str]
    reward_range: tuple[float, float]


# (name, start moves) -> the game; None for one that is not built in; MctsVizError for bad moves
GameFinder = Callable[[str, list[Any]], "Game | None"]


def is_header(line: Any) -> bool:
    """Whether a line is one, and not an event."""
    return isinstance(line, dict) and MARK in line


def metadata(
    header: Mapping[str, Any],
    first: Mapping[str, Any],
    find_game: GameFinder,
    software: Mapping[str, str],
) -> dict[str, Any]:
    """The whole metadata of the trace; raises ImportFormatError naming the field and what to write.

    first: the first event, which tells what all of them have. What the header says is kept as it is,
    also what is not known here.
    """
    _check(header)
    named = header.get("game", {})
    game = {"name": named} if isinstance(named, str) else dict(named)
    game.setdefault("name", "unknown game")
    found = find_game(str(game["name"]), list(header.get("start") or []))
    if found is not None:
        game = {**found.game, **game}
    root = dict(header.get("root") or {})
    root.setdefault("to_move", -1 if found is None else found.to_move)
    rewards = list(header.get("reward_range") or (found.reward_range if found else (-1.0, 1.0)))
    left_out = [name for name in ("updates", "rollout", "elapsed") if first.get(name) is None]
    meta: dict[str, Any] = {
        "kind": "trace",
        "action_labels": None if found is None else found.action_labels,
        "players": list(PLAYERS if found is None else found.players),
        "value_range": rewards,
        "policies": {},
        "seed": None,
        "inherited": None,
        "budget": {"iterations": None, "seconds": None},
        "recorded_by": "mcts-viz import",
        "recorded_at": datetime.datetime.now(datetime.timezone.utc).isoformat(),
        "software": dict(software),
        "not_observed": left_out,
    }
    notes = [NOT_RECORDED[name] for name in left_out if name in NOT_RECORDED]
    meta |= {"notes": notes} if notes else {}
    meta |= {name: value for name, value in header.items() if value is not None or name in NULLABLE}
    meta["game"] = {"parameters": {}, "n_actions": None, **game}
    return meta | {
        MARK: max(FORMAT_VERSION, int(header[MARK])),
        "root": root,
        "start": list(header.get("start") or []) if found is None else found.start,
        "reward_range": rewards,
    }


def _check(header: Mapping[str, Any]) -> None:
    """Refuse what the page could not show."""
    version = whole(MARK, header[MARK], 1, INT32, f"write {FORMAT_VERSION}")
    if version > NEWEST_VERSION:
        raise ImportFormatError(
            f"{MARK}: {version}, and this version of mcts_viz reads up to {NEWEST_VERSION}; update mcts_viz"
        )
    for name, check in CHECKS.items():
        if header.get(name) is not None:
            check(name, header[name])
    kept = header.get("inherited")
    if kept is not None and not {"visits", "nodes"} <= set(kept):
        raise ImportFormatError('inherited: write {"visits": 812, "nodes": 640}, or leave it out')


def _object(name: str, found: Any) -> None:
    if not isinstance(found, dict):
        raise ImportFormatError(
            f"{name}: {shown(found)} is not an object; write {{…}}, or leave it out"
        )


def _objects(name: str, found: Any) -> None:
    _object(name, found)
    for key, value in found.items():
        if value is not None and key not in ("preset", "keep_tree"):
            _object(f"{name}.{key}", value)
            if "name" in value and not isinstance(value["name"], str):
                raise ImportFormatError(
                    f"{name}.{key}.name: {shown(value['name'])} is not a text; write a policy's name"
                )


def _game(name: str, found: Any) -> None:
    if isinstance(found, str):
        return
    _object(name, found)
    if not isinstance(found.get("name", ""), str):
        raise ImportFormatError(
            f"{name}.name: {shown(found['name'])} is not a text; write the game's name"
        )
    if found.get("n_actions") is not None:
        whole(
            f"{name}.n_actions", found["n_actions"], 1, INT32, "write how many action ids there are"
        )


def _root(name: str, found: Any) -> None:
    _object(name, found)
    to_move = found.get("to_move", -1)
    whole(
        f"{name}.to_move",
        to_move,
        CHANCE,
        1,
        "write who moves at the root: 0, 1, -1 where it is not known, -2 for chance",
    )
    number_or_none(
        f"{name}.outcome", found.get("outcome"), "write the result of the game where it is over"
    )
    for key in ("label", "state"):
        if not isinstance(found.get(key, ""), (str, type(None))):
            raise ImportFormatError(
                f"{name}.{key}: {shown(found[key])} is not a text; write it in quotes"
            )


def _range(name: str, found: Any) -> None:
    pair = listed(name, found, "-1.0, 1.0")
    if len(pair) != 2:
        raise ImportFormatError(f"{name}: {shown(found)} is not a pair; write [least, greatest]")
    low, high = (
        number(f"{name}[{i}]", each, "write [least, greatest]") for i, each in enumerate(pair)
    )
    if not low < high:
        raise ImportFormatError(f"{name}: {shown(found)} is empty; write [least, greatest]")


def _texts(name: str, found: Any) -> None:
    for place, text in enumerate(listed(name, found, '"a1"')):
        if not isinstance(text, str):
            raise ImportFormatError(
                f"{name}[{place}]: {shown(text)} is not a text; write it in quotes"
            )


def _moves(name: str, found: Any) -> None:
    for place, move in enumerate(listed(name, found, "4, 0")):
        if not isinstance(move, str):
            whole(
                f"{name}[{place}]",
                move,
                0,
                INT32,
                "write action ids, or a built-in game's names of moves",
            )


def _state_format(name: str, found: Any) -> None:
    if found not in STATE_FORMATS:
        raise ImportFormatError(
            f"{name}: {shown(found)} is not known; write one of: {', '.join(STATE_FORMATS)}"
        )


CHECKS: dict[str, Callable[[str, Any], None]] = {
    "game": _game,
    "root": _root,
    "start": _moves,
    "action_labels": _texts,
    "players": _texts,
    "reward_range": _range,
    "value_range": _range,
    "state_format": _state_format,
    "policies": _objects,
    "budget": _object,
    "inherited": _object,
    "software": _object,
    "not_observed": _texts,
    "notes": _texts,
}
