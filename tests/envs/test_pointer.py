"""Mouse and keyboard: what becomes of an event whose document goes before it was acknowledged."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import pytest

from riskchain_gym.envs.browser.input_events import InputEvents
from riskchain_gym.envs.browser.keyboard import Keyboard
from riskchain_gym.envs.browser.pointer import Pointer

R = TypeVar("R")

FRAME = "main"


class Session:
    """A protocol session of a browser that acknowledges only what ``answers`` lets through."""

    def __init__(self, answers: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        self._answers = answers
        self._handlers: dict[str, Callable[[dict[str, Any]], None]] = {}
        self._impl_obj = self
        self._loop = asyncio.new_event_loop()
        self.sent: list[tuple[Any, ...]] = []

    def on(self, event: str, handler: Callable[[dict[str, Any]], None]) -> None:
        self._handlers[event] = handler

    def navigated(self, frame: str) -> None:
        self._handlers["Page.frameNavigated"]({"frame": {"id": frame}})

    async def send(self, method: str, params: dict[str, Any]) -> None:
        assert method == ("Input.dispatchKeyEvent" if "key" in params else "Input.dispatchMouseEvent")
        self.sent.append((params["type"], *[params[name] for name in ("key", "x", "y") if name in params]))
        await self._answers(params)

    def _sync(self, job: Coroutine[Any, Any, R]) -> R:
        return self._loop.run_until_complete(asyncio.wait_for(job, 5))

    def go_on(self) -> None:
        """Let what was sent without waiting be sent."""
        self._sync(asyncio.sleep(0))

    def __del__(self) -> None:
        self._loop.close()


CLICK = [("mouseMoved", 3, 4), ("mousePressed", 3, 4), ("mouseReleased", 3, 4)]
LEAVE = ("mouseMoved", -1, -1)


async def _at_once(_: dict[str, Any]) -> None:
    return


async def _never(_: dict[str, Any]) -> None:
    await asyncio.Event().wait()


def test_a_click_moves_presses_releases_and_leaves_once():
    session = Session(_at_once)
    pointer = Pointer(InputEvents(session, FRAME, 1_000))
    pointer.click(3, 4)
    pointer.leave()
    assert session.sent == [*CLICK, LEAVE]


@pytest.mark.parametrize("lost", [LEAVE, CLICK[1]], ids=["leaving", "pressing"])
def test_a_document_that_is_replaced_ends_the_wait_and_the_next_one_is_left_too(lost):
    async def answer(event: dict[str, Any]) -> None:
        if (event["type"], event["x"], event["y"]) == lost and session.sent.count(lost) == 1:
            asyncio.get_running_loop().call_soon(session.navigated, FRAME)
            await _never(event)

    session = Session(answer)
    pointer = Pointer(InputEvents(session, FRAME, 60_000))
    pointer.click(3, 4)
    pointer.leave()
    pointer.leave()
    session.go_on()
    assert session.sent[:4] == [*CLICK, LEAVE]
    assert session.sent[4:] == ([LEAVE] if lost == LEAVE else [])


def test_a_frame_within_that_is_replaced_does_not_end_the_wait():
    async def answer(event: dict[str, Any]) -> None:
        session.navigated("inner")
        await asyncio.sleep(0)

    session = Session(answer)
    pointer = Pointer(InputEvents(session, FRAME, 1_000))
    pointer.click(3, 4)
    pointer.leave()
    assert session.sent == [*CLICK, LEAVE]


def test_a_document_that_never_acknowledges_is_waited_for_so_long_only():
    session = Session(_never)
    Pointer(InputEvents(session, FRAME, 1)).click(3, 4)
    assert session.sent == [*CLICK, LEAVE]


def test_a_refusal_of_the_browser_is_raised_and_no_other_is_left_to_be_complained_of(caplog):
    async def refuse(_: dict[str, Any]) -> None:
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError, match="gone"):
        Pointer(InputEvents(Session(refuse), FRAME, 1_000)).click(3, 4)
    gc.collect()
    assert not caplog.records


def test_a_key_goes_down_and_up_and_a_document_that_goes_meanwhile_ends_the_wait():
    async def answer(event: dict[str, Any]) -> None:
        if event["type"] == "keyUp":
            asyncio.get_running_loop().call_soon(session.navigated, FRAME)
            await _never(event)

    session = Session(answer)
    Keyboard(InputEvents(session, FRAME, 60_000)).press("Enter")
    assert session.sent == [("keyDown", "Enter"), ("keyUp", "Enter")]
