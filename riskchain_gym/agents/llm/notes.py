"""What the investigator keeps of an episode: pages by step, what was done, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from riskchain_gym.agents.base import Observation
from riskchain_gym.agents.llm.page import described
from riskchain_gym.agents.view import Sighting
from riskchain_gym.protocol.action import ActionKind, ActionStatus
from riskchain_gym.protocol.feedback import result_of

MAX_REASON = 300
"""Code points of an earlier reason that a prompt tells again."""

MAX_RESULT = 500
"""Code points of what the environment said of an earlier action."""


@dataclass
class Deed:
    """One action: on which page, what, why, and what came of it.

    Attributes:
        step: Step of the page that was shown.
        action: The action's fields but for the reason; empty where the answer was none.
        element: The element that it meant, in words; ``""`` if it means none.
        reason: The model's reason.
        result: ``executed``, ``no_state_change``, ``error:KIND``, or ``invalid:`` and all that the environment said.
    """

    step: int
    action: dict[str, Any]
    element: str = ""
    reason: str = ""
    result: str = ""

    def told(self) -> dict[str, Any]:
        """Return it as browse prompts tell it."""
        return {**self.masked(str), "reason": self.reason}

    def masked(self, mask: Callable[[str], str]) -> dict[str, Any]:
        """Return it without the reason, every text in it masked, and only then cut."""
        named = {"element": mask(self.element)} if self.element else {}
        result = mask(self.result)[:MAX_RESULT]
        return {"step": self.step, "action": _each(self.action, mask), **named, "result": result}


@dataclass
class Notes:
    """The notes of one episode.

    Attributes:
        pages: What was shown, by step.
        deeds: What was done, in order.
    """

    pages: dict[int, Sighting] = field(default_factory=dict)
    deeds: list[Deed] = field(default_factory=list)

    def see(self, page: Sighting) -> None:
        """Take down a page, and with it what the last action came to."""
        self._settle(page.step, page.feedback)
        self.pages[page.step] = page

    def end(self, observation: Observation) -> None:
        """Take down what the first report observation says: the last action's result, and the page that it led to."""
        shown = json.loads(observation["elements"] or "{}")
        observed = shown.get("observed_steps", [])
        last: dict[str, Any] = observed[-1] if observed else {}
        step = int(last.get("step", max(self.pages, default=0)))
        self._settle(step, str(observation.get("feedback", "")), stopped=True)
        if last and step not in self.pages:
            text = str(observation["text"])
            # Where a restoration may be revised, message and restoration stand above the page.
            above = int(shown.get("revision", {}).get("lines", 0))
            lines = tuple(text.split("\n"))[above:] if text else ()
            self.pages[step] = Sighting(step, str(last["path"]), str(last["title"]), lines, ())

    def do(self, step: int, fields: Mapping[str, Any] | None) -> None:
        """Take down what is done with the page of a step; ``None`` for an answer that is no action."""
        said = {name: value for name, value in (fields or {}).items() if value is not None}
        reason = str(said.pop("reason", ""))[:MAX_REASON]
        elements = self.pages[step].elements
        target = next((each for each in elements if each.element_id == said.get("element_id")), None)
        self.deeds.append(Deed(step, said, described(target) if target else "", reason))

    def _settle(self, step: int, feedback: str, *, stopped: bool = False) -> None:
        """Say of the last deed what came of it: a page more, or not, and the environment's words."""
        if not self.deeds or self.deeds[-1].result:
            return
        deed = self.deeds[-1]
        result = result_of(feedback)
        if step == deed.step and not (stopped and _is_stop(deed.action)):
            deed.result = f"{ActionStatus.INVALID.value}: {feedback}"
        elif result is None:
            deed.result = ActionStatus.EXECUTED.value
        else:
            deed.result = f"{result.status.value}:{result.error.value}" if result.error else result.status.value


def _each(value: Any, mask: Callable[[str], str]) -> Any:
    """Return a value whose texts are masked, however deep they are in it."""
    if isinstance(value, dict):
        return {name: _each(inner, mask) for name, inner in value.items()}
    if isinstance(value, list):
        return [_each(inner, mask) for inner in value]
    return mask(value) if isinstance(value, str) else value


def _is_stop(action: Mapping[str, Any]) -> bool:
    return action.get("action") == ActionKind.STOP and "stop_status" in action
