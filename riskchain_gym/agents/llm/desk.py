"""The desk: puts questions to the model, once more where it is told to, and makes the answer an action."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from riskchain_gym.agents.asking import AskedModel
from riskchain_gym.agents.llm.forms import FORMS_VERSION, action_text
from riskchain_gym.agents.llm.options import LLMOptions
from riskchain_gym.agents.llm.prompts import Prompts
from riskchain_gym.agents.llm.question import Question
from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.reply import Reply
from riskchain_gym.protocol.action import BrowserAction
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.report import Report
from riskchain_gym.protocol.trajectory import Phase

LAYOUT_VERSION = "agent-layout/2"
"""Version of what of an observation goes into the prompts and how it is laid out and cut; part of the identity."""

REPAIRED = frozenset({CallFailure.INVALID_JSON, CallFailure.SCHEMA, CallFailure.TRUNCATED})
"""Failures that another call may mend: an answer was meant, and its form is wrong."""

MAX_SENT = 4_000
"""Code points of a wrong answer that are sent to the environment, which refuses them."""

_ACTIONS: dict[Phase, type[Frozen]] = {Phase.RESTORE: Commit, Phase.BROWSE: BrowserAction, Phase.REPORT: Report}


@dataclass(frozen=True)
class Answered:
    """What the model made of a question.

    Attributes:
        fields: The filled-in form, or ``None`` for no usable answer.
        words: What is sent to the environment then: the model's words, which are no action.
        problem: What was wrong with the answer, ``""`` for a usable one.
    """

    fields: dict[str, Any] | None
    words: str = ""
    problem: str = ""

    @property
    def action(self) -> str:
        """The action that is sent."""
        return self.words if self.fields is None else action_text(self.fields)


class Desk:
    """One half of an agent at its model.

    Args:
        model: The half's own way to the model.
        options: The options.
        files: Names of the prompt files that this half uses.
    """

    def __init__(self, model: AskedModel, options: LLMOptions, files: tuple[str, ...]) -> None:
        self.model = model
        self.options = options
        self.prompts = Prompts(options.language)
        self._hash = self.prompts.sha256(files)

    @property
    def identity(self) -> dict[str, Any]:
        """What makes answers comparable, as JSON values: prompts, forms, layout and options."""
        return {
            "prompts": self.options.language,
            "prompts_version": self.prompts.words("version"),
            "prompts_sha256": self._hash,
            "forms": FORMS_VERSION,
            "layout": LAYOUT_VERSION,
            "options": self.options.model_dump(mode="json"),
        }

    def ask(self, question: Question) -> Answered:
        """Return the model's answer; with ``repair``, a wrong one is asked for once more.

        Raises:
            ConfigError: The model cannot be asked at all.
            InfrastructureError: No answer could be had.
        """
        request = question.request(self.prompts)
        reply = self.model.ask(request, phase=question.phase, step=question.step)
        if self.options.repair and reply.failure in REPAIRED:
            request = question.request(self.prompts, reply.text, _problem(reply))
            again = self.model.ask(request, phase=question.phase, step=question.step, repair=True)
            reply = again if again.failure is None else reply
        if reply.failure is None and reply.parsed is not None:
            return Answered(reply.parsed)
        return Answered(None, _words(reply, question.phase), _problem(reply))


def said_of(feedback: str, problem: str) -> str:
    """Return what the model is told of its last answer: the environment's words, then what was wrong with the form."""
    return "\n".join(said for said in (feedback, problem) if said)


def _problem(reply: Reply) -> str:
    return f"{reply.failure or CallFailure.SCHEMA}: {reply.detail}"


def _words(reply: Reply, phase: Phase) -> str:
    """Return a wrong answer as it came, cut; nothing at all where the environment would take it for an action."""
    # Filters, and the wire's own field for a refusal, decline without the words that the environment knows them by.
    said = reply.text or (f"I cannot answer: {reply.detail}" if reply.failure is CallFailure.REFUSED else "")
    words = said[:MAX_SENT]
    try:
        _ACTIONS[phase].model_validate_json(words)
    except ValidationError:
        return words
    return ""
