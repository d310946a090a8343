"""An episode as the language-model agent would have had it: what it is asked at each step, and what was answered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import ValidationError

from riskchain_gym.agents.asking import AskedModel
from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.llm.forms import FORMS, Form
from riskchain_gym.agents.llm.investigator import LLMInvestigator
from riskchain_gym.agents.llm.options import LLMOptions
from riskchain_gym.agents.llm.record import Record
from riskchain_gym.agents.llm.restorer import LLMRestorer
from riskchain_gym.evaluation.exports.observations import observations
from riskchain_gym.evaluation.records import RunManifest
from riskchain_gym.evaluation.settings import options_in
from riskchain_gym.llm.reading import read_completion
from riskchain_gym.llm.reply import Reply
from riskchain_gym.llm.request import ChatRequest
from riskchain_gym.protocol.action import ActionStatus, BrowserAction
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.model import Frozen, canonical_json
from riskchain_gym.protocol.report import Report
from riskchain_gym.protocol.trajectory import Phase, Step, Trajectory

Answers = Literal["form", "sent"]
"""How answers are written: in the form that the question asks for, or as the action was sent."""

TEXT_ONLY = {"images": False, "marks": False, "repair": False}
"""Options that are switched off: a frozen action tells of no second question, and exports hold text."""

_ACTIONS: dict[Phase, type[Frozen]] = {Phase.RESTORE: Commit, Phase.BROWSE: BrowserAction, Phase.REPORT: Report}
_WORDS = frozenset({"quote", "observation", "risk_reason", "note"})
"""Fields of a report that hold words of pages or about them."""


@dataclass(frozen=True)
class Turn:
    """One question and its answer.

    Attributes:
        index: The step of the trajectory.
        phase: Its phase.
        browse_step: Number of the page that was shown, ``None`` outside of the browse phase.
        system: What the agent is told.
        question: What it is asked: the observation as text.
        answer: What was answered.
        valid: Whether the environment took the answer; ``False`` for a strike.
    """

    index: int
    phase: Phase
    browse_step: int | None
    system: str
    question: str
    answer: str
    valid: bool


def options_of(manifest: RunManifest) -> LLMOptions:
    """Return the options that an agent's questions are written with: its own if it asks a model, else the usual ones.

    Those that text alone cannot follow are switched off.
    """
    own = [each for each in options_in(manifest.agent_config) if each.keys() <= LLMOptions.model_fields.keys()]
    return LLMOptions.model_validate({**(own[-1] if own else {}), **TEXT_ONLY})


class Questioner:
    """Puts the questions of the language-model agent for the episodes of runs, whoever has played them.

    Args:
        options: The options of that agent.
        answers: How answers are written.
    """

    def __init__(self, options: LLMOptions, answers: Answers = "form") -> None:
        self._answers = answers
        self._model = _Recorded()
        given = dict(options)
        self._restorer = LLMRestorer(AskedModel(self._model), **given)
        self._investigator = LLMInvestigator(AskedModel(self._model), **given)

    @property
    def identity(self) -> dict[str, Any]:
        """Prompts by hash, forms, layout and options of the questions, as JSON values."""
        return {"restore": self._restorer.identity, "investigate": self._investigator.identity}

    def turns(self, trajectory: Trajectory, manifest: RunManifest, message: Message) -> Iterator[Turn]:
        """Yield the turns of an episode.

        Args:
            trajectory: The episode; none that was lost to infrastructure.
            manifest: Its run.
            message: The message that was shown.
        """
        config = manifest.environment
        instructions = build_instructions(max_steps=config.max_steps)
        self._restorer.reset(instructions)
        self._investigator.reset(instructions)
        shown = 0
        for each in observations(trajectory, config, message):
            step = each.step
            valid = step.result.status is not ActionStatus.INVALID
            fields = _fields(step) if valid else None
            self._model.next = _said(step, fields)
            if step.phase is Phase.RESTORE:
                self._restorer.answer(each.observation)
            else:
                self._investigator.investigate(each.observation)
            system, question = self._model.asked
            yield Turn(
                index=step.index,
                phase=step.phase,
                browse_step=shown if step.phase is Phase.BROWSE else None,
                system=system,
                question=question,
                answer=step.action if fields is None else self._answer(step, fields),
                valid=valid,
            )
            shown = shown if step.browse_step is None else step.browse_step

    def _answer(self, step: Step, fields: dict[str, Any]) -> str:
        if self._answers == "sent":
            return step.action
        record = self._investigator.record
        if step.phase is Phase.REPORT and record is not None:
            fields = _as_told(fields, record)
        return json.dumps(fields, ensure_ascii=False)


class _Recorded:
    """A model that says what it is told to, and keeps what it was asked."""

    model = "recorded"

    def __init__(self) -> None:
        self.next = Reply()
        self.asked = ("", "")

    def complete(self, request: ChatRequest) -> Reply:
        system, question = request.messages
        self.asked = system.text, question.text
        return self.next


def _fields(step: Step) -> dict[str, Any] | None:
    """Return an action in the form of its phase, in the order of its fields; ``None`` where it has no such form."""
    form = FORMS[step.phase]
    try:
        action = _ACTIONS[step.phase].model_validate_json(step.action).model_dump(mode="json")
        return form.model_validate(_kept(action, _shape(form))).model_dump(mode="json")
    except ValidationError:
        return None


@cache
def _shape(form: type[Form]) -> dict[str, Any]:
    return form.model_json_schema()


def _kept(value: Any, schema: dict[str, Any]) -> Any:
    """Return a value without the fields that a form does not ask for, however deep they are in it."""
    definitions = schema.get("$defs", {})

    def kept(value: Any, shape: dict[str, Any]) -> Any:
        shape = definitions.get(shape.get("$ref", "").removeprefix("#/$defs/"), shape)
        if isinstance(value, dict) and "properties" in shape:
            return {name: kept(value[name], each) for name, each in shape["properties"].items() if name in value}
        if isinstance(value, list) and "items" in shape:
            return [kept(each, shape["items"]) for each in value]
        return value

    return kept(value, schema)


def _said(step: Step, fields: dict[str, Any] | None) -> Reply:
    """Return a step's action as a model's reply; what the environment refused is read as a model's words would be."""
    if fields is not None:
        return Reply(text=step.action, parsed=fields, answers=1)
    body = {"choices": [{"message": {"content": step.action}, "finish_reason": "stop"}]}
    return read_completion(canonical_json(body), FORMS[step.phase])


def _as_told(fields: dict[str, Any], record: Record) -> dict[str, Any]:
    """Return a report in the words of the record that it is asked for with, where addresses and the like are masked."""
    mask = record.redactor.mask

    def told(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: mask(each) if name in _WORDS else told(each) for name, each in value.items()}
        return [told(each) for each in value] if isinstance(value, list) else value

    return {name: told({name: each})[name] for name, each in fields.items()}
