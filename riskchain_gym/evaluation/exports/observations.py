"""The observations of an episode, made again from what was frozen of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from riskchain_gym.envs.config import PICTURES, EnvConfig
from riskchain_gym.envs.observation import PHASES, elements_text
from riskchain_gym.protocol.action import ActionStatus
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.revision import reads_as_commit
from riskchain_gym.protocol.trajectory import Phase, Step, Trajectory


@dataclass(frozen=True)
class Observed:
    """What was shown before one step.

    Attributes:
        step: The step that answered it.
        observation: The text of the observation by its keys; pictures stand there by name, without a pixel.
    """

    step: Step
    observation: dict[str, Any]


def observations(trajectory: Trajectory, config: EnvConfig, message: Message) -> Iterator[Observed]:
    """Yield what was shown before each step of an episode.

    A revision of the restoration is left out, with all that is shown for its sake: the language-model agent, in whose
    words exports are, sends none.

    Args:
        trajectory: The episode; one that was lost to infrastructure may lack the view that an action answered.
        config: The settings of its environment.
        message: The message that was shown.
    """
    views = trajectory.browse_steps()
    pictures: dict[str, Any] = {name: None for name in config.observe if name in PICTURES}
    feedback = ""
    seen: dict[int, ObservedPage] = {0: views[0]} if 0 in views else {}
    for step in trajectory.steps:
        if _revises(step):
            continue
        taken = max(len(seen) - 1, 0)
        shown = {
            "phase": PHASES.index(step.phase),
            "text": _text(step.phase, config, message, list(seen.values())),
            "elements": elements_text(step.phase, config, seen, actions=taken, states=_states(trajectory, seen)),
            "feedback": feedback,
            "steps_left": config.max_steps - taken,
        }
        yield Observed(step, {**pictures, **shown})
        feedback = step.feedback
        if step.browse_step is not None and step.browse_step in views:
            seen[step.browse_step] = views[step.browse_step]


def _revises(step: Step) -> bool:
    accepted = step.result.status is not ActionStatus.INVALID
    return accepted and step.phase is Phase.REPORT and reads_as_commit(step.action)


def _text(phase: Phase, config: EnvConfig, message: Message, seen: Sequence[ObservedPage]) -> str:
    if phase is Phase.RESTORE:
        return canonical_json(message)
    return seen[-1].shown_text if seen and config.page_text else ""


def _states(trajectory: Trajectory, seen: dict[int, ObservedPage]) -> int:
    """Return how many different pages were seen: what is at a browse step, the steps name by its hash."""
    named = {step.page for step in trajectory.steps if step.browse_step in seen and step.page is not None}
    return len(named | ({trajectory.landing} if trajectory.landing is not None else set()))
