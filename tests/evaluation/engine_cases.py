"""What tests of the engine share: errors that cannot be told of, and patience that ends."""

from __future__ import annotations

import threading
from collections.abc import Callable

PATIENCE_S = 30.0


class SpeechlessError(Exception):
    """What it says cannot be read."""

    def __str__(self) -> str:
        raise ValueError("no text")


class NotableError(Exception):
    """Nothing can be noted on it."""

    def add_note(self, note: str) -> None:
        raise TypeError("no notes")


def soon(does: Callable[[], object]) -> BaseException | None:
    """Do something that might wait for ever; return what it raised."""
    raised: list[BaseException] = []

    def work() -> None:
        try:
            does()
        except BaseException as error:  # noqa: BLE001 - it is looked at
            raised.append(error)

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(PATIENCE_S)
    assert not worker.is_alive(), "it waits for ever"
    return raised[0] if raised else None
