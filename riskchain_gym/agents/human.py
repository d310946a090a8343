"""A person at a terminal as an agent: short commands in, action JSON out."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from riskchain_gym.agents.base import Instructions, Observation
from riskchain_gym.protocol.codebook import PSEUDO_TYPES, Decision
from riskchain_gym.protocol.message import Message

BROWSE_HELP = (
    "click e1 · fill e1 · check e1 · select e1 OPTION · submit e1 · press e1 Enter · "
    "back · reload · scroll_down · scroll_up · stop"
)

_DIGITS = 18
"""Longest text that is read as a number; Python refuses to read thousands of digits."""


class HumanAgent:
    """Asks a person for every action; any answer may also be the action's JSON.

    Args:
        ask: Shows a prompt and returns the person's line.
        show: Shows text.
    """

    def __init__(self, ask: Callable[[str], str], show: Callable[[str], None]) -> None:
        self._ask = ask
        self._show = show

    def reset(self, instructions: Instructions) -> None:
        """Show what the game is."""
        budget = f"{instructions.max_steps} actions" if instructions.max_steps else "some actions"
        self._show(f"Restore the message and its entry, look at the site with at most {budget}, then report.\n")

    def act(self, observation: Observation) -> str:
        """Show the observation and return the person's action."""
        if observation["feedback"]:
            self._show(f"» {observation['feedback']}\n")
        phase = int(observation["phase"])
        return (self._restore, self._browse, self._report)[phase](observation)

    def close(self) -> None:
        """Nothing to release."""

    def _restore(self, observation: Observation) -> str:
        message = Message.model_validate_json(observation["text"])
        self._show(f"[{message.platform} · {message.surface}]")
        restored = []
        for part in message.messages:
            self._show(part.content)
            answer = self._ask("plain text (or the action as JSON)")
            if answer.lstrip().startswith("{"):
                return answer
            restored.append({"message_id": part.message_id, "text": answer})
        entry = self._ask("entry, e.g. name.zone.test (empty: none)").strip()
        candidates = [{"rank": 1, "value": entry, "confidence": 1.0}] if entry else []
        commit = {
            "reconstructed_messages": restored,
            "intent": self._ask("intent (OPEN_SITE, ADD_ACCOUNT, SEARCH_QUERY, ENTER_CODE, CONTACT_SERVICE, UNKNOWN)"),
            "platform": message.platform,
            "entry_candidates": candidates,
            "abstain": not entry,
        }
        return json.dumps(commit, ensure_ascii=False)

    def _browse(self, observation: Observation) -> str:
        inventory: dict[str, Any] = json.loads(observation["elements"])
        self._show(f"── step {inventory['step']} · {inventory['title']} · {inventory['path']}")
        self._show(observation["text"])
        for element in inventory["elements"]:
            can = ",".join(name for name, able in element["capabilities"].items() if able)
            self._show(f"  {element['element_id']:>4}  {element['role']:<9} {element['name']}  ({can})")
        return _browser_action(self._ask(BROWSE_HELP))

    def _report(self, observation: Observation) -> str:
        seen = json.loads(observation["elements"])["observed_steps"]
        self._show("Seen: " + ", ".join(f"{s['step']} {s['title']}" for s in seen))
        decision = self._ask("decision (VIOLATION, NON_VIOLATION, INSUFFICIENT_EVIDENCE), or the report as JSON")
        if decision.lstrip().startswith("{"):
            return decision
        pseudo = next((kind for d, kind in PSEUDO_TYPES.items() if d == decision), None)
        citation = {"step": _number(self._ask("step you cite")), "quote": self._ask("quote, exactly as shown")}
        report = {
            "environment_status": "COMPLETE",
            "decision": decision,
            "primary_violation_type": pseudo or self._ask("violation type"),
            "evidence": [{**citation, "anchor_type": "OTHER_OBSERVED_EVIDENCE"}],
            "risk_reason": self._ask("reason"),
            "confidence": _number(self._ask("confidence 1-5")),
            "evidence_sufficiency": "INSUFFICIENT" if decision == Decision.INSUFFICIENT_EVIDENCE else "SUFFICIENT",
            "note": self._ask("note (may be empty)"),
        }
        return json.dumps(report, ensure_ascii=False)


def _number(text: str) -> int | str:
    """Return the integer in a text; the text itself otherwise, for the environment to explain."""
    return int(text) if text.strip().isdecimal() and len(text) <= _DIGITS else text


def _browser_action(line: str) -> str:
    if line.lstrip().startswith("{"):
        return line
    words = line.split(maxsplit=2)
    action: dict[str, Any] = {"action": words[0] if words else ""}
    if action["action"] == "stop":
        action["stop_status"] = "COMPLETE"
    if len(words) > 1:
        action["element_id"] = words[1]
    if len(words) > 2:
        action["key" if action["action"] == "press" else "option"] = words[2]
    return json.dumps(action, ensure_ascii=False)
