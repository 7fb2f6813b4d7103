"""What a match leaves in its folder, beside the traces."""

from __future__ import annotations

DOCUMENT = "game.json"
MARK = '"kind": "match"'  # near the beginning of it
