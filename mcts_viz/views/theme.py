"""The colours of every picture, in a light and a dark theme. Names and hex numbers only."""

from __future__ import annotations

THEMES = ("light", "dark")
PAPER = {"light": "#ffffff", "dark": "#1a1c20"}
INK = {"light": "#1f2933", "dark": "#e6e8eb"}
EDGE = {"light": "#b4bcc6", "dark": "#4d545e"}
MUTED = {"light": "#66707c", "dark": "#a3abb6"}
CHOSEN = {"light": "#9a6700", "dark": "#f2c14e"}  # the move that would be played
UNVISITED = {"light": "#ffffff", "dark": "#1f2226"}
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"

# from bad to good, and from little to much
DIVERGING: dict[str, tuple[str, ...]] = {
    "light": (
        "#b35806", "#e08214", "#fdb863", "#fee0b6", "#f4f4f2", "#cfe1f2", "#93c4de", "#4a90c4", "#135a9c",
    ),
    "dark": (
        "#ffab4f", "#e2852a", "#b0661f", "#754a22", "#43464b", "#2c5676", "#3579ad", "#55a0dc", "#8fcbff",
    ),
}  # fmt: skip
SEQUENTIAL: dict[str, tuple[str, ...]] = {
    "light": (
        "#f3f0e2", "#d7e3c4", "#aed3b3", "#7fbfaa", "#52a7a5", "#338b9c", "#246c8d", "#1f4c77", "#1c2c5b",
    ),
    "dark": (
        "#2b3044", "#2f4462", "#2f5d7c", "#2f778f", "#3a929b", "#58ac9f", "#85c59e", "#bcdba0", "#f5eeb0",
    ),
}  # fmt: skip
