"""The tables of a fleet: each column's name, type, meaning, unit and point of view, written down once. Files, queries
and docs/fleet.md follow from it.
"""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

VERSION = 3  # of these columns; tables of another one are built anew
VERSION_KEY = b"mcts_viz.fleet.version"

TEXT, WHOLE, SHORT, REAL, YES = pa.string(), pa.int64(), pa.int32(), pa.float64(), pa.bool_()
MOVER = "the player to move at the root"  # the point of view of all values here


class Fact(NamedTuple):
    """What a column says. Null in a row: not known, or there is none."""

    name: str
    type: pa.DataType
    meaning: str
    unit: str = ""
    view: str = ""  # whose view a value is in


SEARCH_ID = Fact("search_id", TEXT, "The search: its file, and behind # its number there.")
RUN = Fact(
    "run", TEXT, "The folder of the fleet that its file is in; of a file in none, the fleet's name."
)
GAME = Fact("game", TEXT, "The game's name, with its size where it has several.")

SEARCHES = (
    SEARCH_ID,
    Fact("file", TEXT, "File of the trace, from the fleet's folder on."),
    Fact("offset", SHORT, "Number of the search in its file, from 0."),
    RUN,
    Fact("commit", TEXT, "Commit of the program that searched, where its metadata say it."),
    GAME,
    Fact("position", TEXT, "What was searched: action ids to it from the game's first position, or its text."),
    Fact("game_id", TEXT, "The game that the search was a move of: folder of the match, or as recorded."),
    Fact("engine", TEXT, "The engine that searched, where its metadata name one, as those of a series do: A or B."),
    Fact("ply", SHORT, "Moves before the position.", "moves"),
    Fact("slot", SHORT, "Place in the batch of searches that it was run in, where its metadata say it."),
    Fact("seed", WHOLE, "Seed of its random numbers, where 64 bits hold it."),
    Fact("preset", TEXT, "The preset of its policies."),
    Fact("selection", TEXT, "Name of the selection policy."),
    Fact("simulation", TEXT, "Name of the simulation policy, or of the evaluator in its place."),
    Fact("final_move", TEXT, "Rule that picks the move."),
    Fact("recorded_by", TEXT, "The program that recorded it."),
    Fact("c", REAL, "Exploration weight of the selection formula."),
    Fact("iterations", WHOLE, "Iterations recorded.", "iterations"),
    Fact("nodes", WHOLE, "Nodes in the end, the root included.", "nodes"),
    Fact("depth", SHORT, "Depth of the deepest node.", "moves"),
    Fact("seconds", REAL, "Time of the search, as it recorded it.", "seconds"),
    Fact("complete", YES, "Whether the recording came to its end."),
    Fact("player", SHORT, "The player to move at the root, 0 or 1."),
    Fact("moves", SHORT, "Moves at the root that have a node.", "moves"),
    Fact("best_action", SHORT, "Action id of the move that would be played."),
    Fact("best_action_name", TEXT, "Its readable name."),
    Fact("best_prior", REAL, "Its prior.", "probability"),
    Fact("best_prior_rank", SHORT, "Its place among the root's moves by prior, 1 the highest."),
    Fact("value_low", REAL, "The least value of a visit.", "value"),
    Fact("value_high", REAL, "The greatest value of a visit.", "value"),
    Fact("root_value", REAL, "Mean value of the root.", "value", MOVER),
    Fact("evaluator_value", REAL, "What the network or another evaluator said of the root.", "value", MOVER),
    Fact("visit_entropy", REAL, "Entropy of the visits of the root's moves: the policy target.", "nats"),
    Fact("prior_entropy", REAL, "Entropy of the priors of the root's moves.", "nats"),
    Fact("kl_visits_prior", REAL, "KL(visits ‖ prior) of the root's moves: how far it moved off its prior.", "nats"),
    Fact("margin", REAL, "Score of the move less that of the runner-up, as the final-move rule compares them.",
           "visits or value", MOVER),
    Fact("visit_margin", REAL, "Visits of the most visited move less those of the next one, of those of all moves.",
           "share"),
    Fact("lead_since", WHOLE, "Iteration from which on the move leads.", "iterations"),
    Fact("lead_changes", WHOLE, "How often another move took the lead.", "changes"),
    Fact("result", REAL, "Result of the game that it was a move of: 1 a win, 0 a draw, −1 a loss.", "result", MOVER),
    Fact("exact_value", REAL, "Result of the position with best play, where it is solved.", "result", MOVER),
    Fact("regret", REAL, "What the move gives away, a win worth 1, a draw ½, a loss 0, where that is solved.",
           "share of a win", MOVER),
    Fact("prior_digest", TEXT, "Digest of the priors of the root's moves, noise included; g before it: Gumbel noise."),
    Fact("digest", TEXT, "Digest of the whole tree: nodes, visits, values and the order of leaves."),
    Fact("errors", SHORT, "Findings that are errors.", "findings"),
    Fact("warnings", SHORT, "Findings that are warnings.", "findings"),
    Fact("notes", SHORT, "Findings that are notes.", "findings"),
    Fact("tier", TEXT, "Which checks ran: quick, or full."),
    Fact("error", TEXT, "Why the search cannot be read, whole or from some iteration on."),
    Fact("file_searches", SHORT, "Searches in the file.", "searches"),
    Fact("file_bytes", WHOLE, "Size of the file when it was scanned.", "bytes"),
    Fact("file_state", TEXT, "Time of its last change, or its tag in a store."),
)  # fmt: skip

MOVES = (
    SEARCH_ID,
    RUN,
    Fact("action", SHORT, "Action id of a move at the root."),
    Fact("name", TEXT, "Its readable name."),
    Fact("node", WHOLE, "Its node."),
    Fact("visits", WHOLE, "Visits in the end.", "visits"),
    Fact("mean", REAL, "Mean value of its visits.", "value", MOVER),
    Fact("prior", REAL, "Its prior.", "probability"),
    Fact("policy", REAL, "Its share of the visits of all moves: the improved policy.", "probability"),
    Fact("best", YES, "Whether it is the move that would be played."),
    Fact("exact_value", REAL, "Result with best play after it, where it is solved.", "result", MOVER),
    Fact("legal", YES, "Whether the rules allow it, where they are known."),
)  # fmt: skip

FINDINGS = (
    SEARCH_ID,
    RUN,
    Fact("check", TEXT, "Name of the check, as in docs/health.md."),
    Fact("severity", TEXT, "error, warning or note."),
    Fact("iteration", WHOLE, "The first iteration in which it shows.", "iterations"),
    Fact("node", WHOLE, "The node at which it shows."),
    Fact("message", TEXT, "What is wrong, in words."),
    Fact("evidence", TEXT, "Its numbers, as JSON."),
)

TABLES = {"searches": SEARCHES, "moves": MOVES, "findings": FINDINGS}


def schema(table: str) -> pa.Schema:
    """The schema of a table's files; each column's metadata say what it means."""
    fields = [pa.field(each.name, each.type, metadata=_told(each)) for each in TABLES[table]]
    return pa.schema(fields, metadata={VERSION_KEY: str(VERSION).encode()})


def _told(column: Fact) -> dict[str, str]:
    told = {"meaning": column.meaning, "unit": column.unit, "view": column.view}
    return {key: words for key, words in told.items() if words}
