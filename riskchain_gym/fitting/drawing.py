"""Makes the drawn look-alikes: ``python -m riskchain_gym.fitting.drawing FONT``.

Every Chinese character with a reading is drawn in a font and described by where its strokes run in which direction;
``drawn_alike.txt`` lists, for each, those characters of the restorer's words that are described most alike. No message
takes part. The table that ships was drawn with Noto Sans CJK SC Regular 2.004 and Pillow 13; another font or version
gives slightly other rows. Needs Pillow (``pip install 'riskchain-gym[browser]'``).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.agents.restore.sounds import syllables
from riskchain_gym.agents.restore.vocabulary import characters
from riskchain_gym.fitting.words import DATA
from riskchain_gym.protocol.files import write_atomically

Array = NDArray[np.float32]

SIDE = 48
"""Size that characters are drawn in, and side of the square they are then fitted into, in pixels."""

_CELL = 6
_DIRECTIONS = 4
_LEAST_EXTENT = 0.7
"""Share of the square that a character fills at least in each direction, so that 一 stays flat."""
_AXES = 200
_KEPT_COMMON, _LEAST_COMMON = 6, 0.4
_KEPT_RARE, _LEAST_RARE = 3, 0.5
"""Most look-alikes and least likeness (a cosine), for characters of GB 2312 and for others."""
_BATCH = 1000
_ITEMS_A_LINE = 20


def drawn_table(font: Any) -> bytes:
    """Return the content of ``drawn_alike.txt``.

    Args:
        font: A Pillow font with Chinese characters.
    """
    written = [char for char in map(chr, range(0x4E00, 0x9FA6)) if syllables(char)]
    wanted = sorted(set(characters()) & set(written))
    vectors = _whitened(np.concatenate([_described(font, part) for part in _batches(written)]), written, wanted)
    own = vectors[[written.index(char) for char in wanted]]
    items = []
    for start, part in enumerate(_batches(written)):
        likeness = vectors[start * _BATCH :][: len(part)] @ own.T
        for char, row in zip(part, likeness, strict=True):
            kept, least = (_KEPT_COMMON, _LEAST_COMMON) if _is_common(char) else (_KEPT_RARE, _LEAST_RARE)
            best = [i for i in np.argsort(-row, kind="stable") if wanted[i] != char and row[i] >= least][:kept]
            if best:
                items.append(char + "".join(wanted[i] for i in best))
    lines = [
        "# Characters that are drawn alike: one as it may be written, then those of common words it may stand for.",
        "# Made by `python -m riskchain_gym.fitting.drawing` with Noto Sans CJK SC; no outline is in it.",
        "",
        *(" ".join(items[i : i + _ITEMS_A_LINE]) for i in range(0, len(items), _ITEMS_A_LINE)),
        "",
    ]
    return "\n".join(lines).encode()


def _batches(chars: Sequence[str]) -> list[Sequence[str]]:
    return [chars[start : start + _BATCH] for start in range(0, len(chars), _BATCH)]


def _is_common(char: str) -> bool:
    try:
        char.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return True


def _whitened(described: Array, written: Sequence[str], wanted: Sequence[str]) -> Array:
    """Return unit vectors along the main axes of the wanted characters, each axis divided by the root of its spread."""
    centred = described - described.mean(axis=0)
    own = centred[[written.index(char) for char in wanted]]
    spreads, axes = np.linalg.eigh(own.T @ own)
    vectors = centred @ axes[:, ::-1][:, :_AXES] / spreads[::-1][:_AXES] ** 0.25
    unit: Array = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def _described(font: Any, chars: Sequence[str]) -> Array:
    """Return, for each character, the square roots of its strokes' weight by direction and cell, softly binned."""
    images = np.stack([_drawn(font, char) for char in chars])
    down, across = np.gradient(images, axis=(1, 2))
    weight = np.hypot(across, down)
    turn = np.mod(np.arctan2(down, across), np.pi) / np.pi * _DIRECTIONS
    first = np.floor(turn).astype(int) % _DIRECTIONS
    share = turn - np.floor(turn)
    cells = _cells()
    parts = []
    for direction in range(_DIRECTIONS):
        own = np.where(first == direction, 1 - share, 0.0) + np.where(
            (first + 1) % _DIRECTIONS == direction, share, 0.0
        )
        parts.append((weight * own).reshape(len(chars), -1) @ cells)
    described: Array = np.sqrt(np.concatenate(parts, axis=1)).astype(np.float32)
    return described


def _cells() -> Array:
    """Return how much each pixel counts for each crossing of the grid."""
    places = np.arange(SIDE) / _CELL
    near = np.maximum(0.0, 1 - np.abs(places[:, None] - np.arange(SIDE // _CELL + 1)[None, :]))
    cells: Array = np.asarray(np.einsum("ya,xb->yxab", near, near).reshape(SIDE * SIDE, -1), dtype=np.float32)
    return cells


def _drawn(font: Any, char: str) -> Array:
    """Return a character, white on black, that fills the square in its longer direction."""
    image_module, draw_module = import_module("PIL.Image"), import_module("PIL.ImageDraw")
    sheet = image_module.new("L", (2 * SIDE, 2 * SIDE), 0)
    draw_module.Draw(sheet).text((SIDE // 6, 0), char, font=font, fill=255)
    square = image_module.new("L", (SIDE, SIDE), 0)
    box = sheet.getbbox()
    if box:
        width, height = box[2] - box[0], box[3] - box[1]
        longer = max(width, height)
        size = [int(max(length, _LEAST_EXTENT * longer) / longer * SIDE) for length in (width, height)]
        filled = sheet.crop(box).resize(size, image_module.Resampling.BILINEAR)
        square.paste(filled, tuple((SIDE - length) // 2 for length in size))
    pixels: Array = np.asarray(square, dtype=np.float32)
    return pixels / np.float32(255)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the table; return the exit code.

    Args:
        arguments: The command line without the program's name; that of the process by default.
    """
    parser = argparse.ArgumentParser(prog="python -m riskchain_gym.fitting.drawing", description="Draw look-alikes.")
    parser.add_argument("font", type=Path, help="a font file with Chinese characters")
    parser.add_argument("--face", type=int, default=0, help="which face of a collection (default: the first)")
    options = parser.parse_args(arguments)
    font = import_module("PIL.ImageFont").truetype(str(options.font), SIDE, index=options.face)
    path = DATA / "drawn_alike.txt"
    write_atomically(path, drawn_table(font))
    sys.stderr.write(f"{path} written with {' '.join(font.getname())}.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
