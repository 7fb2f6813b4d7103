"""How Mantine's components look on every page."""

from __future__ import annotations

import dash_mantine_components as dmc

# the shade: dark enough for white text on it, and for text of it on white
MANTINE_THEME: dmc.MantineProvider.Theme = {
    "primaryColor": "blue",
    "primaryShade": {"light": 9, "dark": 8},
    "defaultRadius": "sm",
}
