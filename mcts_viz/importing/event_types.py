"""What a line of a stream of events may hold, as types that msgspec checks; docs/trace-format.md specifies them.

Knows JSON, no trace and no stream.
"""

from __future__ import annotations

import base64
from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta, Struct

from mcts_viz.errors import ImportFormatError
from mcts_viz.trace.players import EVERYBODY, MOST_PLAYERS
from mcts_viz.trace.strict_json import decoded

INT32, INT64 = 2**31 - 1, 2**63 - 1
FLOAT32 = float(np.finfo(np.float32).max)
NodeId = Annotated[int, Meta(ge=0, le=INT32)]
Single = Annotated[float, Meta(ge=-FLOAT32, le=FLOAT32)]  # fits float32


class NewNode(Struct, forbid_unknown_fields=True, gc=False):
    """A node that the iteration made."""

    parent: NodeId
    action: Annotated[int, Meta(ge=-INT32, le=INT32)] | str | None = None
    to_move: Annotated[int, Meta(ge=EVERYBODY, le=MOST_PLAYERS - 1)] | None = None
    node: Annotated[int, Meta(ge=1, le=INT32)] | None = None  # its own id
    prior: Single | None = None
    outcome: Single | None = None  # view of player 0, where the game is over
    label: str | None = None
    state: str | None = None
    reward: Single | None = None  # of the move into it, view of who made it
    same_as: NodeId | None = None  # the node that it is a further way to


class NodeUpdate(Struct, forbid_unknown_fields=True, gc=False):
    """What backpropagation added to a node."""

    node: NodeId
    value: float
    visits: Annotated[int, Meta(ge=-INT32, le=INT32)] = 1
    # the node's sum of values for each player after it, in that player's own view
    player_sums: list[float] | None = None


class ProvenOutcome(Struct, forbid_unknown_fields=True, gc=False):
    """A result that the search's solver backed up, view of player 0."""

    node: NodeId
    outcome: Single


class ChangedState(Struct, forbid_unknown_fields=True, gc=False):
    """The position of a node, where it was seen to be another one than before."""

    node: NodeId
    state: str


class ToldValueGap(Struct, forbid_unknown_fields=True):
    """From here on a visited node has no value in the search; or it has one."""

    node: NodeId
    is_open: bool


class ToldMiss(Struct, forbid_unknown_fields=True):
    """A choice that the author's own scores do not explain; a score of None is infinite."""

    node: NodeId
    child: NodeId
    best: NodeId
    score: float | None = None
    best_score: float | None = None


class ToldRemark(Struct, forbid_unknown_fields=True):
    """A remark of the recorder at a node."""

    node: NodeId
    text: str


class ToldNumber(Struct, forbid_unknown_fields=True):
    """A number of a node that is no statistic of the search."""

    node: NodeId
    name: str
    value: float


class ToldDocument(Struct, forbid_unknown_fields=True):
    """Something to read of a node; of a picture, base64."""

    node: NodeId
    name: str
    content: str
    kind: Literal["text", "markdown", "code", "diff", "image", "json"] = "text"
    size: Annotated[int, Meta(ge=0, le=INT64)] | None = None  # bytes, where content is cut


class ToldMove(Struct, forbid_unknown_fields=True):
    """The move really played after the search."""

    action: Annotated[int, Meta(ge=0, le=INT32)] | str
    node: NodeId = 0


class SearchEvent(Struct, forbid_unknown_fields=True):
    """One iteration."""

    new_nodes: list[NewNode] | None = None
    leaf: NodeId | None = None
    updates: list[NodeUpdate] | None = None
    outcome: Single | None = None  # view of player 0
    rollout: list[Annotated[int, Meta(ge=-1, le=INT32)] | str] | None = None
    elapsed: Annotated[int, Meta(ge=0, le=INT64)] | None = None  # nanoseconds
    proven: list[ProvenOutcome] | None = None
    player_outcomes: list[float] | None = (
        None  # for each player; empty: not given for this iteration
    )
    changed_states: list[ChangedState] | None = None
    value_gaps: list[ToldValueGap] | None = None
    misses: list[ToldMiss] | None = None
    remarks: list[ToldRemark] | None = None
    numbers: list[ToldNumber] | None = None
    documents: list[ToldDocument] | None = None
    played: list[ToldMove] | None = None
    leaves: NodeId | None = None  # evaluated
    worker: NodeId | None = None  # that made the iteration
    virtual: NodeId | None = None  # visits of virtual losses that nodes still carry
    compared: NodeId | None = None  # choices compared with the author's own scores
    unexplained: NodeId | None = None  # those of them that the scores do not explain


FIELDS = SearchEvent.__struct_fields__
EVENT = msgspec.json.Decoder(SearchEvent)
REMEDY = "see docs/trace-format.md"
NODE_ID = "write the id of a node: 0 is the root, the first new one is 1"
ADDED = "write what was added in this iteration, such as"
REMEDIES = {
    "": "write one object a line, with fields such as new_nodes, updates and outcome",
    "new_nodes": 'write [{"parent": 0}, …]',
    "new_nodes[].parent": 'write the id of an older node, such as "parent": 0 for the root',
    "new_nodes[].node": "write the new node's own id, or leave it out",
    "new_nodes[].action": "write an action id, or a name",
    "new_nodes[].to_move": (
        "write a player from 0 on, -1 where it is not known, -2 where chance decides, or -3 where all choose at once"
    ),
    "new_nodes[].prior": "write a probability, such as 0.25, or null",
    "new_nodes[].outcome": "write the result of the game, or null",
    "new_nodes[].label": "write it in quotes, or null",
    "new_nodes[].state": "write it in quotes, or null",
    "new_nodes[].reward": "write what the move into it brings, such as 0.5, or null",
    "new_nodes[].same_as": "write the id of the node that it is a further way to, or null",
    "leaf": NODE_ID,
    "updates": 'write [{"node": 0, "visits": 1, "value": 0.5}, …]',
    "updates[].node": NODE_ID,
    "updates[].visits": f'{ADDED} "visits": 1',
    "updates[].value": f'{ADDED} "value": 0.5',
    "updates[].player_sums": "write the node's sum for each player after the update, such as [1.0, 0.0, 2.0]",
    "outcome": "write the result, such as 1.0, or null",
    "player_outcomes": "write the result for each player, such as [1.0, 0.0, 0.5], or []",
    "rollout": "write [4, 7, …]",
    "rollout[]": "write an action id, or a name",
    "elapsed": "write nanoseconds since the start",
    "proven": 'write [{"node": 3, "outcome": 1.0}, …]',
    "proven[].node": NODE_ID,
    "proven[].outcome": "write the result, view of player 0",
    "changed_states": 'write [{"node": 3, "state": "XO. .X. ..."}, …]',
    "compared": "write a number of choices",
    "value_gaps": 'write [{"node": 3, "is_open": true}, …]',
    "misses": 'write [{"node": 0, "child": 3, "best": 2, "score": 0.1, "best_score": 0.4}, …]',
    "remarks": 'write [{"node": 3, "text": "…"}, …]',
    "numbers": 'write [{"node": 3, "name": "cost", "value": 0.02}, …]',
    "documents": 'write [{"node": 3, "name": "plan", "content": "…", "kind": "text"}, …]',
    "played": 'write [{"action": 3}] in the last event',
    "played[].action": "write an action id, or a name",
    "documents[].kind": "write text, markdown, code, diff, image or json",
    "documents[].content": "write the text, or a picture as base64",
    "leaves": "write a number of leaves",
    "worker": "write the worker's number, from 0",
    "virtual": "write a number of visits",
    "unexplained": "write a number of choices",
    "changed_states[].node": NODE_ID,
    "changed_states[].state": "write the position as a text",
}
FIELDS_OF = {
    "": FIELDS,
    "new_nodes[]": NewNode.__struct_fields__,
    "updates[]": NodeUpdate.__struct_fields__,
    "proven[]": ProvenOutcome.__struct_fields__,
    "changed_states[]": ChangedState.__struct_fields__,
    "value_gaps[]": ToldValueGap.__struct_fields__,
    "misses[]": ToldMiss.__struct_fields__,
    "remarks[]": ToldRemark.__struct_fields__,
    "numbers[]": ToldNumber.__struct_fields__,
    "documents[]": ToldDocument.__struct_fields__,
    "played[]": ToldMove.__struct_fields__,
}


def event_of(line: bytes) -> SearchEvent:
    """The event in a line; raises ImportFormatError naming its field, the value there and the remedy."""
    return decoded(line, EVENT, "", REMEDY, remedies=REMEDIES, fields=FIELDS_OF)


def missing(field: str, remedy: str) -> ImportFormatError:
    """The error for a field that is not there."""
    return ImportFormatError(f"{field}: missing; {remedy}")


def document_content(field: str, document: ToldDocument) -> str | bytes:
    """A document's text, or the bytes of its picture; raises ImportFormatError for what is no base64."""
    if document.kind != "image":
        return document.content
    try:
        return base64.b64decode(document.content, validate=True)
    except ValueError as err:
        raise ImportFormatError(f"{field}: {REMEDIES['documents[].content']}") from err
