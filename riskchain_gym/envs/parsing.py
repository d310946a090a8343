"""Action text to action: every way it can be wrong is one sentence that helps."""

from __future__ import annotations

import re
from typing import Any

from pydantic import ValidationError

from riskchain_gym.envs.recorder import ACTION_LIMIT
from riskchain_gym.envs.suggest import did_you_mean, one_line, shown
from riskchain_gym.llm.refusals import declines
from riskchain_gym.protocol.action import BrowserAction
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.failures import FailureKind
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.report import Report
from riskchain_gym.protocol.revision import reads_as_commit
from riskchain_gym.protocol.trajectory import Phase

_NAME_LIMIT = 60
_QUOTING_LIMIT = 240

PhaseAction = Commit | BrowserAction | Report

MODELS: dict[Phase, type[Commit] | type[BrowserAction] | type[Report]] = {
    Phase.RESTORE: Commit,
    Phase.BROWSE: BrowserAction,
    Phase.REPORT: Report,
}
"""The action of each phase."""

EXPECTED: dict[Phase, str] = {
    Phase.RESTORE: "This is the restore phase: send one JSON object with "
    "reconstructed_messages, intent, platform, entry_candidates, abstain and uncertainties.",
    Phase.BROWSE: "This is the browse phase: send one JSON object with "
    'action and, where the action needs them, element_id, option or stop_status, e.g. {"action":"scroll_down"}.',
    Phase.REPORT: "This is the report phase: send one JSON object with environment_status, decision, "
    "primary_violation_type, evidence, risk_reason, confidence and evidence_sufficiency.",
}
"""What each phase takes, in a sentence."""

_EXPECTED_REVISION = (
    "A revised restoration is one JSON object with reconstructed_messages, intent, platform, entry_candidates, abstain "
    "and uncertainties."
)


class InvalidActionError(Exception):
    """An action that cannot be carried out as sent; becomes feedback and a strike, never leaves the machine.

    Attributes:
        kind: The failure it is recorded as.
        sentence: What was wrong and what is allowed.
    """

    def __init__(self, kind: FailureKind, sentence: str) -> None:
        self.kind = kind
        self.sentence = one_line(sentence)
        super().__init__(self.sentence)


def parse_action(phase: Phase, text: Any, *, revises: bool = False) -> PhaseAction:
    """Read the action of a phase.

    Args:
        phase: The current phase.
        text: What the agent sent; anything but JSON text of at most 20,000 code points is an invalid action: what is
            carried out is also written down, whole.
        revises: Whether the report phase takes a commit, too.

    Raises:
        InvalidActionError: It is not the phase's action.
    """
    kind = FailureKind.INVALID_REPORT if phase is Phase.REPORT else FailureKind.MALFORMED_ACTION
    if not isinstance(text, str):
        raise InvalidActionError(kind, f"An action is JSON text, got {type(text).__name__[:60]}. {EXPECTED[phase]}")
    if len(text) > ACTION_LIMIT:
        raise InvalidActionError(
            kind, f"An action has at most {ACTION_LIMIT:,} characters, got {len(text):,}: say it in fewer."
        )
    model, expected = MODELS[phase], EXPECTED[phase]
    if revises and phase is Phase.REPORT and reads_as_commit(text):
        model, expected, kind = Commit, _EXPECTED_REVISION, FailureKind.MALFORMED_ACTION
    try:
        return model.model_validate_json(text)
    except UnicodeEncodeError:
        raise InvalidActionError(kind, f"The text holds half a surrogate pair. {expected}") from None
    except ValidationError as error:
        in_prose = error.errors(include_url=False, include_input=False)[0]["type"] == "json_invalid"
        kind = FailureKind.REFUSAL if in_prose and declines(text) else kind
        raise InvalidActionError(kind, _explain(model, expected, text, error)) from None


def check_message_ids(commit: Commit, message: Message) -> None:
    """Refuse a restoration of messages that were not shown.

    Raises:
        InvalidActionError: A message id is unknown.
    """
    known = [m.message_id for m in message.messages]
    for restored in commit.reconstructed_messages:
        if restored.message_id not in known:
            raise InvalidActionError(
                FailureKind.MALFORMED_ACTION,
                f"reconstructed_messages: there is no message {shown(restored.message_id)}."
                f"{did_you_mean(restored.message_id, known)} Message ids: {', '.join(known)}.",
            )


def _explain(model: type[PhaseAction], expected: str, text: str, error: ValidationError) -> str:
    errors = error.errors(include_url=False)
    first = next((e for e in errors if e["type"] == "extra_forbidden"), errors[0])
    where = ".".join(str(part)[:_NAME_LIMIT] for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ").replace("Input should", "must")
    if first["type"] == "json_invalid":
        fence = " without ``` fences" if "```" in text else ""
        return f"That is not one JSON object{fence} ({message.removeprefix('Invalid JSON: ')}). {expected}"
    if first["type"] == "value_error":
        message = message if len(message) <= _QUOTING_LIMIT else f"{message[: _QUOTING_LIMIT - 1]}…"
        return f"{where}: {message}." if where else f"{message}."
    if not where:
        return f"That is not a JSON object. {expected}"
    if first["type"] == "extra_forbidden":
        near = did_you_mean(str(first["loc"][-1]), model.model_fields)
        return f"There is no field '{where}'." + (f"{near} {expected}" if len(first["loc"]) == 1 else " Drop it.")
    if first["type"] == "missing":
        return f"The field '{where}' is missing. {expected}"
    given = first["input"]
    near = did_you_mean(given, re.findall(r"'([^']*)'", message)) if isinstance(given, str) else ""
    return f"{where}: {message}, got {shown(given)}.{near}"
