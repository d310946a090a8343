"""Both sides of an episode in other processes, called from here; the parent enforces every deadline."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

from riskchain_gym.agents.base import Instructions, Observation
from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.evaluation.engine.agent_process import OPEN, AgentPlan
from riskchain_gym.evaluation.engine.channel import ChannelClosedError, NoMessageError, Part, packed, unpacked
from riskchain_gym.evaluation.engine.process import Child
from riskchain_gym.evaluation.engine.said import from_data
from riskchain_gym.evaluation.engine.serving import CLOSE
from riskchain_gym.evaluation.engine.sides import SideLostError, Taken
from riskchain_gym.evaluation.engine.told import rebuilt
from riskchain_gym.protocol.gold import GoldChain

CLOSING_S = 10.0
"""Seconds that closing a side may take."""

_ASKED_S, _LOOK_EVERY_S = 30.0, 1.0


class EnvironmentLink(Protocol):
    """Leads to environments somewhere else."""

    @property
    def dead(self) -> bool:
        """Whether what it leads to is known to be gone."""

    def call(self, name: str, *arguments: Any, seconds: float | None = None) -> Any:
        """Return what a call gives, see :meth:`Link.call`."""

    def cut(self) -> None:
        """End what it leads to at once."""

    def end(self, seconds: float) -> None:
        """Let what it leads to end by itself, after the last call; end it if it does not in time."""


class Link:
    """Calls of one seat to a process.

    Args:
        child: The process.
        seat: Which of its connections this is.
        read: Makes an answer of a message.
        seconds: Longest wait for an answer.
    """

    def __init__(self, child: Child, seat: int, read: Callable[[Sequence[Part]], Any], seconds: float) -> None:
        self.child = child
        self._channel = child.channels[seat]
        self._seat = seat
        self._read = read
        self._seconds = seconds

    def call(self, name: str, *arguments: Any, seconds: float | None = None) -> Any:
        """Return what a call gives.

        Args:
            name: What is called.
            arguments: What with.
            seconds: Longest wait, in place of the usual one.

        Raises:
            SideLostError: The process is gone, or was killed because it took too long.
            Exception: What was raised there.
        """
        limit = self._seconds if seconds is None else seconds
        message = packed((name, *arguments))
        self.child.begin_call(self._seat)
        try:
            self._channel.send(message, limit)
            reply = self._read(self._received(limit))
            error = rebuilt(reply["error"]) if "error" in reply else None
        except TimeoutError as late:
            raise self.child.lost(late=limit) from late
        except NoMessageError as broken:
            raise self.child.lost(said=f"was killed: {broken}") from broken
        except ChannelClosedError as gone:
            raise self.child.lost() from gone
        except (ValueError, TypeError, LookupError, RecursionError) as broken:
            raise self.child.lost(said="has sent what is no answer, and was killed") from broken
        self.child.end_call(self._seat)
        if error is not None:
            raise error
        return reply["value"]

    def _received(self, seconds: float) -> Sequence[Part]:
        """Wait for an answer, and look now and then for the process: a child of it may hold its connection open."""
        end = time.monotonic() + seconds
        while not self._channel.ready(min(_LOOK_EVERY_S, max(end - time.monotonic(), 0))):
            if time.monotonic() >= end:
                raise TimeoutError
            if self.child.ended and not self._channel.ready(0):
                raise ChannelClosedError("the process has ended")
        return self._channel.receive(max(end - time.monotonic(), _LOOK_EVERY_S))

    @property
    def dead(self) -> bool:
        """Whether the process is known to be gone."""
        return self.child.dead

    def cut(self) -> None:
        """End the process at once."""
        self.child.cut()

    def end(self, seconds: float) -> None:
        """Let the process end by itself, after the last call; it is killed if it does not in time."""
        self.child.wait(seconds)
        self.close()

    def close(self) -> None:
        """Let go of the connection."""
        self._channel.close()


class RemoteEnvironment:
    """Environments in a process of their own, see :class:`~riskchain_gym.evaluation.engine.sides.EnvironmentSide`.

    Args:
        link: Leads to them.
    """

    def __init__(self, link: EnvironmentLink) -> None:
        self.link = link

    def reset(self, chain: str, variant: str) -> Observation:
        """Begin an episode and return its first observation."""
        return cast(Observation, self.link.call("reset", chain, variant))

    def step(self, action: str, passed: bool | None = None) -> tuple[Observation, bool]:
        """Send an action; return the observation, and whether the episode has ended."""
        return cast(tuple[Observation, bool], self.link.call("step", action, passed))

    def taken(self) -> Taken:
        """Return what there is of the current or last episode."""
        return cast(Taken, self.link.call("taken"))

    def close(self) -> None:
        """Close them, and end the process."""
        _close(self.link)
        self.link.end(CLOSING_S)


class RemoteAgent:
    """An agent in a process of its own, see :class:`~riskchain_gym.evaluation.engine.sides.AgentSide`.

    Args:
        link: Leads to it.
        plan: What it is.
    """

    def __init__(self, link: Link, plan: AgentPlan) -> None:
        self.link = link
        self._plan = plan
        self._opened = False

    @property
    def asks_model(self) -> bool:
        """Whether it asks a model at all."""
        return self._plan.asks_model

    @property
    def is_oracle(self) -> bool:
        """Whether it is given gold."""
        return self._plan.is_oracle

    def begin(self, gold: GoldChain | None) -> None:
        """Begin an episode; the agent is made with the first one."""
        if not self._opened:
            self.link.call(OPEN)
            self._opened = True
        self.link.call("begin", gold)

    def reset(self, instructions: Instructions) -> None:
        """Forget the last episode and get ready for a new one."""
        self.link.call("reset", instructions)

    def act(self, observation: Observation) -> str:
        """Return the next action as JSON text."""
        said = self.link.call("act", observation)
        try:
            return cast(str, from_data(said))  # what is no text, the environment tells the agent
        except ValueError as broken:
            raise self.link.child.lost(said="has sent what is no action, and was killed") from broken

    def asked(self) -> tuple[CallRecord, ...]:
        """Return what it has asked of a model in the episode."""
        if not self.asks_model:
            return ()
        said = self.link.call("asked", seconds=_ASKED_S)
        try:
            return tuple(CallRecord.model_validate(each) for each in said or ())
        except (ValueError, TypeError) as broken:
            raise self.link.child.lost(said="has sent what is no account of calls, and was killed") from broken

    def close(self) -> None:
        """Close the agent; its process ends once all of its seats have done so.

        Raises:
            AgentUnclosedError: It raised.
        """
        try:
            _close(self.link)
        finally:
            self.link.close()


def read_json(parts: Sequence[Part]) -> Any:
    """Return what an agent's process has sent.

    Raises:
        ValueError: It is no answer.
    """
    try:
        reply = json.loads(b"".join(parts))
    except RecursionError as error:
        raise ValueError("that is nested too deeply for an answer") from error
    if not isinstance(reply, dict) or not ("value" in reply or isinstance(reply.get("error"), dict)):
        raise ValueError("that is no answer")
    return reply


def read_pickle(parts: Sequence[Part]) -> Any:
    """Return what an environment's process has sent, which runs no code of others.

    Raises:
        ValueError: It cannot be read.
    """
    return unpacked(parts)


def _close(link: EnvironmentLink) -> None:
    if link.dead:
        return
    try:
        link.call(CLOSE, seconds=CLOSING_S)
    except SideLostError:
        return  # then it is closed
