"""A script that plays a whole agent from its prompts alone: no model, the same answer to the same request."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from riskchain_gym.llm.fake import FakeRequest
from riskchain_gym.llm.fake_browse import browse
from riskchain_gym.llm.fake_replies import FakeReply, say_json
from riskchain_gym.llm.fake_report import report
from riskchain_gym.llm.fake_restore import restore
from riskchain_gym.llm.fence import blocks_in

Blocks = Mapping[str, Any]

_PICTURE_TOKENS = 1_600


def judge(_: Blocks) -> dict[str, Any]:
    """Say of a claim that it is true."""
    return {"answer": "yes", "why": "It is there."}


def compare(_: Blocks) -> dict[str, Any]:
    """Prefer neither of two reports."""
    return {"better": "tie", "why": "Both cite what they claim."}


_ANSWERS: dict[str, tuple[str, Callable[[Blocks], dict[str, Any]]]] = {
    "message": ("restore", restore),
    "page": ("browse", browse),
    "seen": ("report", report),
    "A report": ("compare", compare),
    "claim": ("judge", judge),
}
"""What is asked for, and what answers, by a block that only such a prompt has."""


def scripted_agent(request: FakeRequest) -> FakeReply:
    """Answer a request of the language-model agent, or of a judge.

    What is asked for, it tells by the blocks of data in the last message that has some, in whatever language the words
    around them are. Its counts of tokens are estimates by length.
    """
    blocks = blocks_of(request)
    answer = next((answer for name, (_, answer) in _ANSWERS.items() if name in blocks), judge)
    said = answer(blocks)
    made = tokens_of(json.dumps(said, ensure_ascii=False))
    given = sum(tokens_of(text) for text in request.texts) + _PICTURE_TOKENS * len(request.images)
    return say_json(said, usage=(max(1, given), 0, made))


def asked_for(request: FakeRequest) -> str:
    """Return what a request asks for: ``restore``, ``browse``, ``report``, ``compare`` or ``judge``."""
    blocks = blocks_of(request)
    return next((what for name, (what, _) in _ANSWERS.items() if name in blocks), "judge")


def blocks_of(request: FakeRequest) -> dict[str, Any]:
    """Return the blocks of data in the last message that has some, by their names."""
    return next(filter(None, map(blocks_in, reversed(request.texts))), {})


def tokens_of(text: str) -> int:
    """Estimate the tokens of a text: four ASCII characters are one, and so is any other character."""
    ascii_count = sum(character.isascii() for character in text)
    return -(-ascii_count // 4) + len(text) - ascii_count
