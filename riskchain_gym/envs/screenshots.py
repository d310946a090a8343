"""Screenshots as small files; the same view is encoded once."""

from __future__ import annotations

import hashlib
import io

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.protocol.errors import MissingExtraError

QUALITY = 70


class ScreenshotEncoder:
    """Encodes screenshots as WebP and remembers the ones it has seen.

    Args:
        remember: How many encoded screenshots to keep in memory.
    """

    def __init__(self, remember: int = 512) -> None:
        self._remember = remember
        self._known: dict[bytes, bytes] = {}

    def encode(self, pixels: NDArray[np.uint8]) -> bytes:
        """Return the WebP bytes of a screenshot.

        Args:
            pixels: uint8 of shape (height, width, 3).

        Raises:
            MissingExtraError: Pillow is not installed.
        """
        raw = np.ascontiguousarray(pixels)
        key = hashlib.sha256(f"{raw.shape}".encode() + raw.tobytes()).digest()
        data = self._known.get(key)
        if data is None:
            data = _webp(raw)
            if len(self._known) >= self._remember:
                self._known.clear()
            self._known[key] = data
        return data


def _webp(pixels: NDArray[np.uint8]) -> bytes:
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingExtraError("browser", "Encoding screenshots") from error
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "WEBP", quality=QUALITY, method=2)
    return buffer.getvalue()
