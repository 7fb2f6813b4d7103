"""Files that another program has packed: they are named, and never unpacked here."""

from __future__ import annotations

from mcts_viz.errors import ImportFormatError

# how they begin, by whom they are, and what unpacks them
PACKED = (
    (b"\x1f\x8b", "gzip", "gunzip"),
    (b"PK\x03\x04", "zip", "unzip"),
    (b"\x28\xb5\x2f\xfd", "zstd", "zstd -d"),
    (b"\xfd7zXZ", "xz", "unxz"),
    (b"BZh", "bzip2", "bunzip2"),
)


def check_unpacked(name: str, head: bytes) -> None:
    """Raises ImportFormatError for what begins like a packed file."""
    for begin, packer, command in PACKED:
        if head.startswith(begin):
            raise ImportFormatError(
                f"{name}: packed by {packer}; unpack it first: {command} {name}"
            )
