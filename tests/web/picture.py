"""Pictures of the page, small enough to keep, and what tells two of them apart.

Two pictures are compared as one sees them from afar: the window in 32 × 18 blocks, of each its mean colour and its
contrast. A panel that is missing, unstyled, in the wrong place or in the wrong colours changes many blocks by much;
another font, or a smoother edge, changes many by little. Knows nothing of what the pictures show.
"""

from __future__ import annotations

import base64
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from playwright.sync_api import Page

COLUMNS, ROWS = 32, 18  # blocks
KEPT = (640, 360)  # pixels of a kept picture: half of the window's
COLOUR = 14.0  # of 255: mean colours further apart than this differ
CONTRAST = 16.0  # of 255: and so do standard deviations of the brightness
ASIDE = 2  # blocks to the left and right among which a like one is looked for: words of another font end elsewhere
MOST_TAKEN, PAUSE = 60, 250  # pictures until two in a row are the same, milliseconds between them
MOST = 0.035  # share of blocks that may have no like one

SHRINK = """async ({picture, size: [width, height], columns, rows}) => {
    const blob = new Blob([Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0))], {type: "image/png"});
    const bitmap = await createImageBitmap(blob);
    const canvas = Object.assign(document.createElement("canvas"), {width, height});
    const pen = canvas.getContext("2d", {willReadFrequently: true});
    pen.imageSmoothingQuality = "high";
    pen.drawImage(bitmap, 0, 0, width, height);
    const pixels = pen.getImageData(0, 0, width, height);
    const sums = Array.from({length: rows * columns}, () => [0, 0, 0, 0, 0, 0]);
    for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
        const [r, g, b] = pixels.data.subarray(4 * (y * width + x));
        const light = 0.299 * r + 0.587 * g + 0.114 * b;
        const sum = sums[Math.floor(y * rows / height) * columns + Math.floor(x * columns / width)];
        [r, g, b, light, light * light, 1].forEach((value, i) => { sum[i] += value; });
    }
    for (let i = 0; i < pixels.data.length; i++) pixels.data[i] &= i % 4 === 3 ? 255 : 248; // compresses better
    pen.putImageData(pixels, 0, 0);
    const [, kept] = canvas.toDataURL("image/png").split(",");
    return {kept, blocks: sums.map(([r, g, b, light, square, n]) =>
        [r / n, g / n, b / n, Math.sqrt(Math.max(0, square / n - (light / n) ** 2))])};
}"""


class Picture(NamedTuple):
    """A picture made small."""

    png: bytes
    blocks: npt.NDArray[
        np.float64
    ]  # [ROWS, COLUMNS, 4] mean red, green, blue; contrast; all in [0, 255]


class Difference(NamedTuple):
    """Where two pictures differ."""

    blocks: npt.NDArray[np.bool_]  # [ROWS, COLUMNS]

    @property
    def share(self) -> float:
        """Of the blocks, in [0, 1]."""
        return float(self.blocks.mean())

    @property
    def is_large(self) -> bool:
        """Whether somebody would notice."""
        return self.share > MOST

    def __str__(self) -> str:
        rows = "\n".join("".join("#" if each else "·" for each in row) for row in self.blocks)
        return f"{self.share:.1%} of the blocks differ, at most {MOST:.0%} may:\n{rows}"


def take(page: Page) -> bytes:
    """The window once it is still, as a PNG: two pictures in a row are the same."""
    before = b""
    for _ in range(MOST_TAKEN):
        taken = page.screenshot(animations="disabled", caret="hide")
        if taken == before:
            return taken
        before = taken
        page.wait_for_timeout(PAUSE)
    raise AssertionError("the page does not come to rest")


def shrink(page: Page, png: bytes) -> Picture:
    """A picture made small by a page's browser; the page itself stays as it is."""
    found = page.evaluate(
        SHRINK,
        {"picture": base64.b64encode(png).decode(), "size": KEPT, "columns": COLUMNS, "rows": ROWS},
    )
    blocks = np.array(found["blocks"]).reshape(ROWS, COLUMNS, 4)
    return Picture(base64.b64decode(found["kept"]), blocks)


def difference(one: Picture, other: Picture) -> Difference:
    """Where two pictures of the same size differ."""
    return Difference(_unlike(one.blocks, other.blocks) | _unlike(other.blocks, one.blocks))


def _unlike(
    blocks: npt.NDArray[np.float64], others: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    """The blocks that have no like one among the others, near by in the same row."""
    wide = np.pad(others, ((0, 0), (ASIDE, ASIDE), (0, 0)), mode="edge")
    near = np.stack([wide[:, i : i + COLUMNS] for i in range(2 * ASIDE + 1)])
    apart = np.abs(near - blocks)
    unlike = (apart[..., :3].max(axis=-1) > COLOUR) | (apart[..., 3] > CONTRAST)
    return np.asarray(unlike.all(axis=0))
