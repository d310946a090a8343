"""The process of an agent: it sees observations, and of gold only what an oracle is given.

What it says is JSON, which nothing is carried out of by reading it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riskchain_gym.evaluation.engine.channel import Channel, Part
from riskchain_gym.evaluation.engine.child import Lifeline
from riskchain_gym.evaluation.engine.local import LocalAgent
from riskchain_gym.evaluation.engine.said import as_data
from riskchain_gym.evaluation.engine.serving import serve
from riskchain_gym.evaluation.run_models import Asking, RunModels

OPEN = "open"
"""The first call: the agent is made."""


@dataclass(frozen=True)
class AgentPlan:
    """What an agent's process is told.

    Attributes:
        name: The agent, as it was asked for.
        asks_model: Whether it asks a model.
        is_oracle: Whether it is given gold.
        asking: How it asks its models.
        run: The run folder, where answers are kept; nothing else is written there by this process.
        workers: Episodes side by side in the whole run.
        repeat: Which repeat of the run it is.
    """

    name: str
    asks_model: bool
    is_oracle: bool
    asking: Asking
    run: Path
    workers: int
    repeat: int = 0


def serve_agents(channels: Sequence[Channel], plan: AgentPlan, lifeline: Lifeline) -> None:
    """Serve one agent over several connections, each with an instance and a thread of its own.

    So that the models of a run are asked from one place, where budget, cache and concurrency are one thing.

    Args:
        channels: Where calls come from.
        plan: What the agent is.
        lifeline: Says when it is over, and when calls in flight are to be ended.
    """
    models = _Models(plan)
    lifeline.on_end_calls = models.opened.close
    first, *others = (_Seat(plan, models) for _ in channels)
    threads = [
        threading.Thread(target=serve, args=(channel, seat.answer, written), name="riskchain-agent", daemon=True)
        for channel, seat in zip(channels[1:], others, strict=True)
    ]
    for thread in threads:
        thread.start()
    serve(channels[0], first.answer, written)
    for thread in threads:
        thread.join()
    models.opened.close()


class _Models:
    """The models of the run; what was paid before is counted once, before the first agent is made."""

    def __init__(self, plan: AgentPlan) -> None:
        self.opened = RunModels(plan.asking, plan.run, plan.workers, plan.repeat)
        self._counted = False
        self._lock = threading.Lock()

    def load(self, name: str) -> LocalAgent:
        with self._lock:
            if not self._counted:
                self.opened.count_earlier()
                self._counted = True
        return LocalAgent(self.opened.load(name), self.opened.count)


class _Seat:
    """Answers the calls of one connection."""

    def __init__(self, plan: AgentPlan, models: _Models) -> None:
        self._plan = plan
        self._models = models
        self._agent: LocalAgent | None = None

    def answer(self, name: str, arguments: Sequence[Any]) -> Any:
        if name == OPEN:
            self._agent = self._models.load(self._plan.name)
            return None
        if self._agent is None:
            return None  # it is closed, or asked for its calls, before it could be made
        said = getattr(self._agent, name)(*arguments)
        if name == "act":
            return as_data(said)
        return [call.model_dump(mode="json") for call in said] if name == "asked" else said


def written(reply: dict[str, Any]) -> list[Part]:
    """Return an answer as a message: JSON, whatever an agent has returned.

    What is no JSON is no action either: the environment is told its type, as it tells the agent.
    """
    try:
        text = json.dumps(reply, default=_type_of)
    except (ValueError, TypeError, RecursionError):  # it holds itself, or is nested too deeply
        text = json.dumps({name: _type_of(value) for name, value in reply.items()})
    return [text.encode("ascii")]


def _type_of(value: Any) -> str:
    return f"<{type(value).__name__}>"
