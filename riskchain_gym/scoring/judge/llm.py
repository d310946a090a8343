"""The judge that is a language model: one call a question, fenced data, a strict form for the answer."""

from __future__ import annotations

from typing import Literal

from riskchain_gym.llm.client import ChatModel
from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.fence import fenced
from riskchain_gym.llm.request import ChatRequest, Message
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.scoring.judge.bundle import Bundle
from riskchain_gym.scoring.judge.llm_material import MATERIAL_VERSION, images_of, material_for, shown_views
from riskchain_gym.scoring.judge.llm_prompts import filled, guidance, prompt, prompts_hash, rule
from riskchain_gym.scoring.judge.questions import Answer, Question, Ruling

PARSER_VERSION = "judge-answer/1"
"""Version of the answer's form and of how it is read."""


class JudgeAnswer(Frozen):
    """What the model has to answer, and nothing else."""

    answer: Literal["yes", "no", "cannot_tell"]
    why: str


class LLMJudge:
    """Puts each question to a language model; knows nothing of the case but the bundle.

    A failed call, a refusal or an answer of another form is a ruling without an answer, whose ``error`` is a
    :class:`CallFailure` and whose ``why`` the detail: it lowers the coverage and nothing else. Calls are made at
    temperature 0; whether they are repeated or cached is the client's matter.

    Args:
        client: The model.
        images: Whether the screenshots of the bundle are sent along.
    """

    def __init__(self, client: ChatModel, *, images: bool = False) -> None:
        self._client = client
        self._images = images
        self._name = f"llm/{client.model}/{prompts_hash(PARSER_VERSION, MATERIAL_VERSION, images)[:8]}"

    @property
    def name(self) -> str:
        """``llm/MODEL/`` and the start of the hash of prompts, form, material and switches."""
        return self._name

    def rule(self, bundle: Bundle, question: Question) -> Ruling:
        """Answer one question, or say why there is no answer."""
        reply = self._client.complete(self.request(bundle, question))
        raw = reply.text or reply.raw
        if reply.failure or reply.parsed is None:
            error = reply.failure or CallFailure.SCHEMA
            return Ruling(key=question.key, answer=None, why=reply.detail, error=error.value, raw=raw)
        said = JudgeAnswer.model_validate(reply.parsed)
        return Ruling(key=question.key, answer=Answer(said.answer), why=said.why, raw=raw)

    def request(self, bundle: Bundle, question: Question) -> ChatRequest:
        """Return what the model is asked."""
        pictures = images_of(bundle, shown_views(bundle, question)) if self._images else {}
        *material, claim = fenced({**material_for(bundle, question), "claim": question.claim}).values()
        text = filled(
            "judge_question.txt",
            decision=bundle.report.decision.value,
            type=bundle.report.primary_violation_type.value,
            rule=rule(bundle.report.primary_violation_type),
            material="\n\n".join(material),
            attached=attached(pictures),
            claim=claim,
            guidance=guidance(question.kind),
        )
        system = Message(role="system", text=prompt("judge_system.txt"))
        user = Message(role="user", text=text, images=tuple(pictures.values()))
        return ChatRequest(messages=(system, user), form=JudgeAnswer, parser=PARSER_VERSION, temperature=0.0)


def attached(pictures: dict[int, bytes], of: str = "") -> str:
    """Return the line that says which screenshots come with a prompt, ``""`` if none do."""
    if not pictures:
        return ""
    return f"\nAttached, in this order{of}: screenshots of the views {', '.join(map(str, pictures))}.\n"
