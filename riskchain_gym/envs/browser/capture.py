"""Screenshots as arrays."""

from __future__ import annotations

import base64
import io

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.protocol.errors import InfrastructureError


def pixels(png_base64: str, width_px: int, height_px: int) -> NDArray[np.uint8]:
    """Decode a PNG into uint8 of shape (height, width, 3).

    Raises:
        InfrastructureError: The picture has another size (cause ``screenshot``).
    """
    from PIL import Image

    with Image.open(io.BytesIO(base64.b64decode(png_base64))) as image:
        array: NDArray[np.uint8] = np.asarray(image.convert("RGB"), dtype=np.uint8)
    if array.shape != (height_px, width_px, 3):
        raise InfrastructureError(
            "screenshot", f"The browser drew {array.shape[1]}x{array.shape[0]} pixels, not {width_px}x{height_px}."
        )
    return array
