"""One question to the model: its data between fences, its pictures, and the request that it becomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from riskchain_gym.agents.llm.forms import FORMS, FORMS_VERSION
from riskchain_gym.agents.llm.prompts import Prompts
from riskchain_gym.llm.fence import fenced
from riskchain_gym.llm.request import ChatRequest, Message
from riskchain_gym.protocol.trajectory import Phase

_ANNOUNCED = ("pinyin", "history", "feedback")
"""Blocks that come with words of their own, where they are there."""

_AGAIN = ("answer", "problem")
"""Blocks of a question that is put once more."""

MAX_AGAIN = 2_000
"""Code points of a wrong answer that are shown to the model again."""


@dataclass(frozen=True)
class Question:
    """What the model is asked.

    Attributes:
        phase: The phase that the answer is for.
        system: The system prompt, filled in.
        template: Name of the file with the question.
        blocks: Data, by the name of its block: JSON values, which stand between fences.
        sections: Words that were filled in already, by their name in the template; they hold no data.
        images: Pictures, whole files.
        step: The browse step that is answered.
    """

    phase: Phase
    system: str
    template: str
    blocks: Mapping[str, Any]
    sections: Mapping[str, str] = field(default_factory=dict)
    images: tuple[bytes, ...] = ()
    step: int | None = None

    def request(self, prompts: Prompts, answer: str | None = None, problem: str = "") -> ChatRequest:
        """Return the question as a request.

        Args:
            prompts: The prompts.
            answer: What was answered before, if the question is put once more.
            problem: What was wrong with that.
        """
        again = {} if answer is None else {"answer": answer[:MAX_AGAIN], "problem": problem}
        fences = fenced({**self.blocks, **again})
        sections = {name: prompts.section(name, block=fences[name]) if name in fences else "" for name in _ANNOUNCED}
        asked_again = "\n".join(fences[name] for name in _AGAIN if name in fences)
        values = {
            **fences,
            **sections,
            **self.sections,
            "repair": prompts.section("repair", blocks=asked_again) if asked_again else "",
        }
        user = Message(role="user", text=prompts.filled(self.template, **values), images=self.images)
        messages = (Message(role="system", text=self.system), user)
        return ChatRequest(messages=messages, form=FORMS[self.phase], parser=FORMS_VERSION)
