"""A log of what a scripted endpoint was asked, a line of JSON a request."""

from __future__ import annotations

import json
import threading
from contextlib import AbstractContextManager
from dataclasses import asdict
from io import FileIO
from pathlib import Path

from riskchain_gym.llm.fake import FakeRequest
from riskchain_gym.llm.fake_agent import asked_for
from riskchain_gym.llm.fake_replies import FakeReply
from riskchain_gym.llm.fake_zoo import Troubled
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.line_file import LineFile, write_line


class LoggedScript:
    """A script whose requests are appended to a file; threads may share it.

    A line has the number of the request, what it asks for, its model, texts and pictures (type, hash and size), and the
    failure that was played, ``""`` for none. It has no header of the request, and so no key.

    Args:
        script: The script.
        file: The file; lines are added to what it holds.

    Raises:
        InputFileError: Another endpoint writes to the file.
    """

    def __init__(self, script: Troubled, file: Path) -> None:
        self._script = script
        self._lines = LineFile(file)
        self._held: AbstractContextManager[FileIO] = self._lines.locked(wait=False)
        try:
            self._file = self._held.__enter__()
        except BlockingIOError:
            raise InputFileError(file, "", "another endpoint writes to it, give another file") from None
        self._lines.mend(self._file)
        self._count = 0
        self._lock = threading.Lock()

    def __call__(self, request: FakeRequest) -> FakeReply:
        """Return what comes of the next request, and write both down."""
        with self._lock:  # one at a time, so that numbers are those that failures go by
            self._count += 1
            reply, failure = self._script.next(request)
            line = {
                "request": self._count,
                "asks_for": asked_for(request),
                "failure": failure,
                "model": request.model,
                "texts": request.texts,
                "images": [asdict(image) for image in request.images],
            }
            write_line(self._file, json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        return reply

    def close(self) -> None:
        """Let go of the file."""
        self._held.__exit__(None, None, None)
