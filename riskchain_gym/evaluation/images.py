"""Screenshots as small files named by their pixels, so that the same view is encoded and stored once."""

from __future__ import annotations

import hashlib
import io

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.protocol.errors import MissingExtraError

Image = tuple[str, bytes]
"""File name and encoded bytes."""

QUALITY = 70


class ScreenshotEncoder:
    """Encodes screenshots as WebP and remembers the ones it has seen.

    Args:
        remember: How many encoded screenshots to keep in memory.
    """

    def __init__(self, remember: int = 512) -> None:
        self._remember = remember
        self._known: dict[str, bytes] = {}

    def encode(self, pixels: NDArray[np.uint8]) -> Image:
        """Return a file name made from the pixels' SHA-256, and the encoded bytes.

        Args:
            pixels: uint8 of shape (height, width, 3).

        Raises:
            MissingExtraError: Pillow is not installed.
        """
        raw = np.ascontiguousarray(pixels)
        name = f"{hashlib.sha256(raw.data).hexdigest()[:32]}.webp"
        data = self._known.get(name)
        if data is None:
            data = _webp(raw)
            if len(self._known) >= self._remember:
                self._known.clear()
            self._known[name] = data
        return name, data


def _webp(pixels: NDArray[np.uint8]) -> bytes:
    try:
        from PIL import Image as Pillow
    except ImportError as error:
        raise MissingExtraError("browser", "Storing screenshots") from error
    buffer = io.BytesIO()
    Pillow.fromarray(pixels).save(buffer, "WEBP", quality=QUALITY, method=2)
    return buffer.getvalue()
