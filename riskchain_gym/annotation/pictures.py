"""Pictures of what a person saw: lossless WebP files named by their bytes, and the last ones kept in memory."""

from __future__ import annotations

import io
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.evaluation.images import media_name
from riskchain_gym.protocol.errors import InputFileError, MissingExtraError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.report import Region

if TYPE_CHECKING:
    from PIL.Image import Image

MEDIA = "media"
"""The folder of pictures and thumbnails in a labelling project."""

PICTURE_TYPE = "image/webp"
"""Content type of pictures and thumbnails."""

THUMBNAIL_WIDTH = 480
"""Widest thumbnail, in pixels."""

MARGIN = 24
"""What a thumbnail shows around the pinned place, in CSS pixels."""


class Pictures:
    """The ``media/`` folder of a labelling project.

    Args:
        folder: The folder; made with the first picture.
        remember: How many pictures to keep in memory; all are on disk.
    """

    def __init__(self, folder: Path, remember: int = 64) -> None:
        self._folder = folder
        self._remember = remember
        self._known: OrderedDict[str, bytes] = OrderedDict()

    def keep(self, pixels: NDArray[np.uint8]) -> str:
        """Store a picture and return its file name.

        Args:
            pixels: uint8 of shape (height, width, 3).

        Raises:
            MissingExtraError: Pillow is not installed.
            OSError: It cannot be written.
        """
        try:
            from PIL import Image
        except ImportError as error:
            raise MissingExtraError("annotate", "Storing pictures") from error
        return self._store(Image.fromarray(np.ascontiguousarray(pixels)))

    def read(self, name: str) -> bytes:
        """Return the bytes of a picture, WebP.

        Raises:
            InputFileError: Its file is missing, or is not what was stored.
        """
        if name in self._known:
            self._known.move_to_end(name)
            return self._known[name]
        path = self._folder / name
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InputFileError(path, "", f"cannot be read ({error.strerror}): restart the visit") from error
        if media_name(data) != name:
            raise InputFileError(path, "", "was changed after it was written: its name is not that of its bytes")
        self._note(name, data)
        return data

    def thumbnail(self, name: str, box: Region) -> str:
        """Store the part of a picture around a box, at most :data:`THUMBNAIL_WIDTH` wide; return its file name.

        Args:
            name: File name of the picture.
            box: The place in the picture, in pixels; it touches the picture.

        Raises:
            InputFileError: The picture is missing.
            OSError: The thumbnail cannot be written.
        """
        from PIL import Image

        with Image.open(io.BytesIO(self.read(name))) as picture:
            width, height = picture.size
            cut = picture.crop(
                (
                    max(int(box.x - MARGIN), 0),
                    max(int(box.y - MARGIN), 0),
                    min(int(box.x + box.width + MARGIN) + 1, width),
                    min(int(box.y + box.height + MARGIN) + 1, height),
                )
            )
        # A thumbnail of full size is as sharp as the page was.
        if cut.width > THUMBNAIL_WIDTH:
            size = (THUMBNAIL_WIDTH, max(1, round(cut.height * THUMBNAIL_WIDTH / cut.width)))
            cut = cut.resize(size, Image.Resampling.LANCZOS)
        return self._store(cut)

    def _store(self, image: Image) -> str:
        buffer = io.BytesIO()
        image.save(buffer, "WEBP", lossless=True, quality=30, method=1)
        data = buffer.getvalue()
        name = media_name(data)
        if name not in self._known and not (self._folder / name).exists():
            write_atomically(self._folder / name, data)
        self._note(name, data)
        return name

    def _note(self, name: str, data: bytes) -> None:
        self._known[name] = data
        self._known.move_to_end(name)
        while len(self._known) > self._remember:
            self._known.popitem(last=False)
