"""Small files that would unpack to gigabytes: opened, and uploaded to a page."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

import mcts_viz as mv
from benchmarks.figures import forget_peak, in_process, resident_megabytes
from mcts_viz import page
from mcts_viz.trace.batches import BATCH_CRC_KEY, checksum, to_batch
from mcts_viz.trace.format import schema
from mcts_viz.web.access import Access
from tests.trace.test_file import META
from tests.trace.test_unpacking import alike

SIZES = [(12_000_000, 1), (3_000_000, 20), (500_000, 200)]  # iterations of a batch, batches


def bombs(folder: Path) -> tuple[int, int, float]:
    """How many are refused, of how many, and the most memory that this took, in megabytes."""
    paths = [folder / f"bomb-{number}.mcts" for number in range(len(SIZES))]
    for path, (n, batches) in zip(paths, SIZES):
        write_bomb(path, n, batches)
    refused, peak = in_process("benchmarks.hardening.bombs", *paths)
    return refused, 2 * len(paths), peak


def write_bomb(path: Path, n: int, batches: int) -> None:
    """A trace of n iterations a batch that did nothing, with checksums that are right."""
    rows, columns = alike(n), schema(META)
    crc = b"%08x" % checksum(rows, 2)
    batch = to_batch(rows, columns)
    with pa.ipc.new_stream(
        path, columns, options=pa.ipc.IpcWriteOptions(compression="zstd")
    ) as out:
        for _ in range(batches):
            out.write_batch(batch, custom_metadata={BATCH_CRC_KEY: crc})


def refuse(paths: Sequence[Path]) -> tuple[int, float]:
    """How often a bomb is refused, opened or uploaded, and the memory that this takes at most."""
    store = paths[0].parent / "uploads"
    store.mkdir(exist_ok=True)
    client = page.make_app([], store=store, access=Access()).server.test_client()
    client.get("/api/start")
    forget_peak()
    before, _ = resident_megabytes()
    refused = 0
    for path in paths:
        try:
            mv.open(path)
        except mv.MctsVizError:
            refused += 1
        answer = client.post(f"/api/upload?name={path.name}", data=path.read_bytes())
        refused += answer.status_code == 400
    _, most = resident_megabytes()
    return refused, most - before


if __name__ == "__main__":
    print(json.dumps(refuse([Path(name) for name in sys.argv[1:]])))
