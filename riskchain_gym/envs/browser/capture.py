"""Screenshots as arrays."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.envs.browser.settings import ScreenshotFormat
from riskchain_gym.protocol.errors import InfrastructureError

JPEG_QUALITY = 80
"""Quality of screenshots that are encoded with loss, from 0 to 100."""


def capture_request(picture_format: ScreenshotFormat) -> dict[str, Any]:
    """Return the arguments of ``Page.captureScreenshot`` for a picture of the viewport."""
    quality = {"quality": JPEG_QUALITY} if picture_format == "jpeg" else {}
    return {"format": picture_format, "optimizeForSpeed": True, **quality}


def pixels(picture_base64: str, width_px: int, height_px: int) -> NDArray[np.uint8]:
    """Decode a PNG or a JPEG into uint8 of shape (height, width, 3).

    Raises:
        InfrastructureError: The picture has another size (cause ``screenshot``).
    """
    from PIL import Image

    with Image.open(io.BytesIO(base64.b64decode(picture_base64))) as image:
        coloured = image if image.mode == "RGB" else image.convert("RGB")
        array: NDArray[np.uint8] = np.asarray(coloured, dtype=np.uint8)
    if array.shape != (height_px, width_px, 3):
        raise InfrastructureError(
            "screenshot", f"The browser drew {array.shape[1]}x{array.shape[0]} pixels, not {width_px}x{height_px}."
        )
    return array
