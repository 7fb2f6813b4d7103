"""HTML attributes that are not Python names."""

from __future__ import annotations

from typing import Any

HIDDEN: dict[str, Any] = {"aria-hidden": "true"}  # decoration: nothing for a screen reader
POLITE: dict[str, Any] = {"aria-live": "polite"}  # read out when it changes
AUTOFOCUS: dict[str, Any] = {"data-autofocus": True}  # a dialog's first field


def data(name: str, value: str) -> dict[str, Any]:
    """`data-name`, for the page's scripts to read."""
    return {f"data-{name}": value}


def aria(label: str) -> dict[str, Any]:
    """The name of a control for a screen reader."""
    return {"aria-label": label}
