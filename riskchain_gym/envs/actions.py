"""What an agent may send: JSON schemas, and a random valid action."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import TypeAdapter

from riskchain_gym.envs.browsergym_actions import call_of
from riskchain_gym.envs.browsergym_calls import EXPECTED as CALLS
from riskchain_gym.envs.config import EnvConfig, Kind
from riskchain_gym.envs.machine import Machine
from riskchain_gym.envs.parsing import MODELS
from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.codebook import AnchorType, Decision, EnvironmentStatus, Intent, ViolationType
from riskchain_gym.protocol.commit import Commit, EntryCandidate, RestoredMessage
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.report import Citation, Region, Report
from riskchain_gym.protocol.trajectory import Phase

PHASES_OF: dict[Kind, tuple[Phase, ...]] = {
    "chain": (Phase.RESTORE, Phase.BROWSE, Phase.REPORT),
    "restore": (Phase.RESTORE,),
    "browse": (Phase.BROWSE, Phase.REPORT),
}
"""The phases of each environment, in order."""

_STOP_ONE_IN = 12
_CALLED = (ActionKind.BACK, ActionKind.SCROLL_DOWN, ActionKind.SCROLL_UP)
_FREE = (ActionKind.RELOAD, *_CALLED)


def action_schema(kind: Kind, config: EnvConfig) -> dict[str, dict[str, Any]]:
    """Return the JSON schema of the action of each phase, by phase name.

    Where browse actions are calls, theirs says that they are text, and which functions there are; where a revised
    commit is taken, the report phase's has both.
    """
    schemas = {phase.value: MODELS[phase].model_json_schema() for phase in PHASES_OF[kind]}
    if Phase.BROWSE in schemas and config.actions == "browsergym":
        schemas[Phase.BROWSE] = {"type": "string", "description": CALLS}
    if Phase.REPORT in schemas and config.revision != "none":
        schemas[Phase.REPORT] = TypeAdapter(Report | Commit).json_schema()
    return schemas


def sample_action(machine: Machine, rng: np.random.Generator) -> str:
    """Return a random action, as text, that is valid in the machine's current state.

    Args:
        machine: The running episode.
        rng: Where the draws come from.
    """
    match machine.phase:
        case Phase.RESTORE:
            action: Commit | BrowserAction | Report = _sample_commit(machine, rng)
        case Phase.BROWSE:
            if machine.config.actions == "browsergym":
                return call_of(_sample_browse(machine.recorder.pages, rng, _CALLED))
            action = _sample_browse(machine.recorder.pages, rng, _FREE)
        case Phase.REPORT:
            action = _sample_report(machine.recorder.pages, rng)
    return action.model_dump_json(exclude_none=True)


def _sample_commit(machine: Machine, rng: np.random.Generator) -> Commit:
    case = machine.episode.case
    message = case.chain.variants[case.variant]
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    labels = ["".join(letters[int(i)] for i in rng.integers(len(letters), size=size)) for size in (6, 2)]
    return Commit(
        reconstructed_messages=tuple(
            RestoredMessage(message_id=m.message_id, text=m.content[:8000]) for m in message.messages
        ),
        intent=list(Intent)[int(rng.integers(len(Intent)))],
        platform=message.platform,
        entry_candidates=(EntryCandidate(rank=1, value=f"{labels[0]}.{labels[1]}.test"),),
    )


def _sample_browse(
    pages: dict[int, ObservedPage], rng: np.random.Generator, free: tuple[ActionKind, ...]
) -> BrowserAction:
    if not pages or int(rng.integers(_STOP_ONE_IN)) == 0:
        return BrowserAction(action=ActionKind.STOP, stop_status="COMPLETE")
    targeted = [
        BrowserAction(action=ActionKind(name), element_id=element.element_id)
        for element in pages[max(pages)].elements
        for name, able in element.capabilities
        if able
    ]
    choices = [*targeted, *(BrowserAction(action=kind) for kind in free)]
    return choices[int(rng.integers(len(choices)))]


def _sample_report(pages: dict[int, ObservedPage], rng: np.random.Generator) -> Report:
    step = list(pages)[int(rng.integers(len(pages)))]
    page = pages[step]
    lines = [line.text[:1000] for line in page.lines if line.text.strip()]
    quote = lines[int(rng.integers(len(lines)))] if lines else ""
    element_id = page.elements[0].element_id if page.elements and not quote else None
    region = None if quote or element_id else Region(x=0, y=0, width=1, height=1)
    return Report(
        environment_status=EnvironmentStatus.PARTIAL,
        decision=Decision.INSUFFICIENT_EVIDENCE,
        primary_violation_type=ViolationType.UNKNOWN,
        evidence=(
            Citation(
                step=step,
                quote=quote,
                element_id=element_id,
                region=region,
                anchor_type=AnchorType.OTHER_OBSERVED_EVIDENCE,
            ),
        ),
        risk_reason="A random walk proves nothing.",
        confidence=1,
        evidence_sufficiency="INSUFFICIENT",
    )
