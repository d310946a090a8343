"""Serving one side of episodes over a channel, a call at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from riskchain_gym.evaluation.engine.channel import Channel, ChannelClosedError, Part, unpacked
from riskchain_gym.evaluation.engine.told import Told, told

CLOSE = "close"
"""The last call."""


def serve(
    channel: Channel, answer: Callable[[str, Sequence[Any]], Any], write: Callable[[Any], Sequence[Part]]
) -> None:
    """Answer calls until the last one, or until nobody asks any more; the channel is closed then, however that came.

    Args:
        channel: Where calls come from.
        answer: Called with name and arguments; what it raises is told to who has asked.
        write: Makes a message of an answer.
    """
    name = ""
    try:
        while name != CLOSE:
            name, *arguments = unpacked(channel.receive())
            try:
                message = write({"value": answer(name, arguments)})
            except BaseException as error:  # noqa: BLE001 - the boundary to code of others: whoever asked gets it
                message = write({"error": _told(error)})
            channel.send(message)
    except ChannelClosedError:
        return
    finally:
        channel.close()


def _told(error: BaseException) -> Told:
    """Return an error as data; of one that cannot be told of, that."""
    try:
        return told(error)
    except BaseException as broken:  # noqa: BLE001 - code of others; an error that cannot be read is one still
        said = f"{type(error).__name__} was raised, and reading it raised {type(broken).__name__}"
        return told(RuntimeError(said))
