"""A model for tests: what it says is a list or a function, what it was asked is kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from riskchain_gym.agents.asking import AskedModel
from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.fence import blocks_in
from riskchain_gym.llm.reading import read_completion
from riskchain_gym.llm.reply import Reply
from riskchain_gym.llm.request import ChatRequest

Said = str | dict[str, Any] | CallFailure


class StubModel:
    """Says what it is told to; a string or an object is its words, a failure is one."""

    model = "stub"

    def __init__(self, says: Sequence[Said] | Callable[[ChatRequest], Said]) -> None:
        self._says = says if callable(says) else iter(says).__next__
        self._asks = callable(says)
        self.requests: list[ChatRequest] = []
        self._asked: list[AskedModel] = []

    def complete(self, request: ChatRequest) -> Reply:
        self.requests.append(request)
        said = self._says(request) if self._asks else self._says()  # type: ignore[call-arg]
        if isinstance(said, CallFailure):
            return Reply(failure=said, detail="as the test wants it")
        text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        choice = {"message": {"content": text}, "finish_reason": "stop"}
        return read_completion(json.dumps({"choices": [choice]}), request.form)

    def asked(self) -> AskedModel:
        self._asked.append(AskedModel(self))
        return self._asked[-1]

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """What was asked by way of :meth:`asked` since the last reset, in the order of those."""
        return tuple(call for asked in self._asked for call in asked.calls)

    def prompt(self, number: int = -1) -> str:
        """Return the words of a request, system and question."""
        return "\n".join(message.text for message in self.requests[number].messages)


def blocks(request: ChatRequest) -> dict[str, Any]:
    """Return the data of a request by the name of its block."""
    return blocks_in(request.messages[-1].text)


def restored(entry: str = "abc.de.test", message_id: str = "m001") -> dict[str, Any]:
    return {
        "reconstructed_messages": [{"message_id": message_id, "text": "打开看看"}],
        "intent": "OPEN_SITE",
        "platform": "weibo",
        "entry_candidates": [{"rank": 1, "value": entry, "confidence": 0.9}],
        "abstain": False,
        "uncertainties": [],
    }


def browsed(action: str = "stop", element_id: str | None = None, **others: Any) -> dict[str, Any]:
    fields = {"reason": "why not", "action": action, "element_id": element_id, "option": None, "key": None}
    return {**fields, "stop_status": "COMPLETE" if action == "stop" else None, **others}


def reported(step: int, quote: str, **others: Any) -> dict[str, Any]:
    cited = {
        "step": step,
        "quote": quote,
        "element_id": None,
        "anchor_type": "BENIGN_SERVICE_CONSISTENCY",
        "observation": "An ordinary line.",
    }
    return {
        "environment_status": "COMPLETE",
        "evidence": [cited],
        "counterevidence": [],
        "risk_reason": "Nothing else was seen.",
        "decision": "NON_VIOLATION",
        "primary_violation_type": "NONE",
        "secondary_violation_types": [],
        "evidence_sufficiency": "SUFFICIENT",
        "confidence": 3,
        "note": "",
        **others,
    }


def playing(request: ChatRequest) -> Said:
    """Play a whole episode: click what was not clicked yet, four times, then report the first line that was seen."""
    data = blocks(request)
    if "message" in data:
        return restored(message_id=data["message"]["messages"][0]["message_id"])
    if "page" in data:
        page, done = data["page"], [deed["action"].get("element_id") for deed in data.get("history", [])]
        clickable = [e["element_id"] for e in page["elements"] if "click" in e["can"] and not e.get("disabled")]
        left = [element for element in clickable if element not in done]
        return browsed("click", left[0]) if left and page["step"] < 4 else browsed("stop")
    page = next(page for page in data["seen"]["pages"] if page["lines"])
    return reported(page["step"], page["lines"][0])
