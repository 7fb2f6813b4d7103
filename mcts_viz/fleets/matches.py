"""What a match's folder says of the searches in it: the game they are moves of, its result, and each move's number."""

from __future__ import annotations

import json
from functools import lru_cache

from mcts_viz.fleets.place import Folder, Store
from mcts_viz.fleets.summary import Row
from mcts_viz.runs.match_files import DOCUMENT
from mcts_viz.types import Document


class MatchFolders:
    """The folders of matches at a place."""

    def __init__(self, at: Folder | Store) -> None:
        self._document = lru_cache(maxsize=64)(lambda folder: _document(at, folder))

    def is_match(self, folder: str) -> bool:
        """Whether the folder is that of a match."""
        return self._document(folder) is not None

    def run_of(self, name: str, fleet: str) -> str:
        """The run that a file is of: the fleet's folder that it is in, that of a match aside."""
        folders = name.split("/")[:-1]
        if folders and self.is_match("/".join(folders)):
            folders.pop()
        return folders[0] if folders else fleet

    def about(self, name: str, search: Row) -> Row:
        """Columns of the search in a file, where that is of a match."""
        folder, _, file = name.rpartition("/")
        match = self._document(folder)
        if match is None:
            return {}
        played = any(move.get("trace") == file for move in _dicts(match.get("moves")))
        row: Row = {"game_id": folder or "."}
        low, high, player = -1.0, 1.0, search.get("player")
        outcome = match.get("outcome")
        if (
            played
            and isinstance(outcome, (int, float))
            and player in (0, 1)
            and low <= outcome <= high
        ):
            row["result"] = float(-outcome if player == 1 else outcome)
        return row


def _dicts(found: object) -> list[Document]:
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _document(at: Folder | Store, folder: str) -> Document | None:
    content = at.read(f"{folder}/{DOCUMENT}" if folder else DOCUMENT)
    try:
        found = None if content is None else json.loads(content)
    except (ValueError, RecursionError):
        return None
    is_match = isinstance(found, dict) and found.get("kind") == "match"
    return found if is_match else None
