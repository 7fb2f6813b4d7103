"""The first line of a stream of events: the trace's metadata, whose missing keys have defaults.

Knows the trace format; a built-in game's facts come in from above.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from typing import TypeGuard

from mcts_viz.errors import ImportFormatError
from mcts_viz.games.position import StartPosition
from mcts_viz.importing.event_types import INT32
from mcts_viz.recording.metadata import PLAYERS
from mcts_viz.trace.format import FORMAT_VERSION, NEWEST_VERSION
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.states import STATE_FORMATS
from mcts_viz.types import Document, ReadDocument

MARK = "format_version"  # what makes a line the header
MOST_SHOWN = 60  # characters of a bad value
MEND = "see docs/trace-format.md, or leave it out"
NULLABLE = ("seed", "inherited", "action_labels")  # null means something: there is none
NOT_RECORDED = {
    "updates": "What backpropagation added is not recorded: it is taken to be one visit, and the outcome in the view "
    "of the player who moved there, for every node from the root to the leaf."
}


# (name, start moves) -> the game; None for one that is not built in; MctsVizError for bad moves
GameFinder = Callable[[str, Sequence[str | int]], StartPosition | None]


def is_header(line: object) -> TypeGuard[ReadDocument]:
    """Whether a line is one, and not an event."""
    return isinstance(line, dict) and MARK in line


def metadata(
    header: ReadDocument,
    first: ReadDocument,
    find_game: GameFinder,
    software: Mapping[str, str],
) -> TraceMeta:
    """The whole metadata of the trace; raises ImportFormatError naming the field and what to write.

    first: the first event, which tells what all of them have. What the header says is kept as it is,
    also what is not known here.
    """
    _check(header)
    named = header.get("game", {})
    game = {"name": named} if isinstance(named, str) else dict(named or {})
    game.setdefault("name", "unknown game")
    found = find_game(str(game["name"]), list(header.get("start") or []))
    if found is not None:
        game = {**found.game.facts, **game}
    root = dict(header.get("root") or {})
    if root.get("to_move") is None:
        root["to_move"] = -1 if found is None else found.to_move(found.state())
    rewards = list(
        header.get("reward_range") or (found.game.reward_range if found else (-1.0, 1.0))
    )
    left_out = [name for name in ("updates", "rollout", "elapsed") if first.get(name) is None]
    meta: Document = {
        "kind": "trace",
        "action_labels": None if found is None else list(found.game.action_labels),
        "players": list(PLAYERS if found is None else found.game.players),
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
    meta |= {
        "game": {"parameters": {}, "n_actions": None, **game},
        MARK: max(FORMAT_VERSION, int(header[MARK])),
        "root": root,
        "start": list(header.get("start") or []) if found is None else found.actions,
        "reward_range": rewards,
    }
    return TraceMeta(meta, error=ImportFormatError, remedy=MEND)


def _check(header: ReadDocument) -> None:
    """Refuse what the page could not show."""
    version = whole(MARK, header[MARK], 1, INT32, f"write {FORMAT_VERSION}")
    if version > NEWEST_VERSION:
        raise ImportFormatError(
            f"{MARK}: {version}, and this version of mcts_viz reads up to {NEWEST_VERSION}; update mcts_viz"
        )
    named = {"game": {"name": header["game"]}} if isinstance(header.get("game"), str) else {}
    moves = header.get("start")
    TraceMeta({**header, **named, "start": None}, error=ImportFormatError, remedy=MEND)
    if moves is not None:
        _check_moves(moves)
    state_format = header.get("state_format")
    if state_format is not None and state_format not in STATE_FORMATS:
        raise ImportFormatError(
            f"state_format: {shown(state_format)} is not known; write one of: {', '.join(STATE_FORMATS)}"
        )


def _check_moves(found: object) -> None:
    if type(found) is not list:
        raise ImportFormatError(f"start: {shown(found)} is not a list; write [4, 0, …]")
    for place, move in enumerate(found):
        if not isinstance(move, str):
            whole(
                f"start[{place}]",
                move,
                0,
                INT32,
                "write action ids, or a built-in game's names of moves",
            )


def whole(field: str, found: object, least: int, most: int, remedy: str) -> int:
    """The value as an int; raises ImportFormatError."""
    if type(found) is float and found.is_integer():  # JavaScript has no other numbers
        found = int(found)
    if type(found) is not int:
        raise ImportFormatError(f"{field}: {shown(found)} is not a whole number; {remedy}")
    if not least <= found <= most:
        raise ImportFormatError(f"{field}: {found} is not from {least} to {most}; {remedy}")
    return found


def shown(found: object) -> str:
    """A bad value, not too long."""
    words = {None: "null", True: "true", False: "false"}
    text = words[found] if found is None or isinstance(found, bool) else repr(found)
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"
