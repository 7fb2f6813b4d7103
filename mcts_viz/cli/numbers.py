"""Numbers of the command line that have a least value; argparse takes these as types."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def whole_from(least: int) -> Callable[[str], int]:
    """Reads a whole number that is not less."""

    def read(text: str) -> int:
        number = int(text)  # argparse says of a ValueError what `read` is called
        if number < least:
            raise argparse.ArgumentTypeError(f"{text}: give a whole number from {least} up")
        return number

    read.__name__ = "int"
    return read
