"""The protocol validator V(τ,E): legal actions, an unbroken hash chain, citations that resolve. No label."""

from __future__ import annotations

from collections.abc import Iterator

from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.outcome import ValidatorResult
from riskchain_gym.protocol.trajectory import GENESIS, Phase, Trajectory
from riskchain_gym.scoring.citations import citation_problem

_ORDER = {phase: i for i, phase in enumerate(Phase)}


def validate(trajectory: Trajectory, *, max_steps: int | None = None) -> ValidatorResult:
    """Check a trajectory and its report against the protocol.

    Args:
        trajectory: The episode.
        max_steps: Browse budget to check against, or ``None`` to leave it unchecked.
    """
    problems = tuple(_problems(trajectory, max_steps))
    return ValidatorResult(valid=not problems, problems=problems)


def _problems(trajectory: Trajectory, max_steps: int | None) -> Iterator[str]:
    previous, reached, browsed = GENESIS, 0, 0
    for i, step in enumerate(trajectory.steps):
        if step.index != i:
            yield f"steps.{i}: index is {step.index}"
        if step.previous != previous or step.hash != step.expected_hash():
            yield f"steps.{i}: the hash chain is broken"
        if _ORDER[step.phase] < reached:
            yield f"steps.{i}: phase '{step.phase}' after a later phase"
        reached = max(reached, _ORDER[step.phase])
        if step.browse_step is not None:
            browsed += 1
            if step.browse_step != browsed:
                yield f"steps.{i}: browse step is {step.browse_step}, expected {browsed}"
        if step.page is not None and step.page not in trajectory.pages:
            yield f"steps.{i}: its page is not stored"
        previous = step.hash
    for key, page in trajectory.pages.items():
        if page.state_hash() != key:
            yield f"pages.{key[:12]}: the page does not have that state hash"
    if max_steps is not None and browsed > max_steps:
        yield f"steps: {browsed} browse steps, the budget is {max_steps}"
    if (trajectory.report is not None) != (trajectory.status is EpisodeStatus.REPORTED):
        yield f"report: present is {trajectory.report is not None}, but the status is '{trajectory.status}'"
    if trajectory.report is not None:
        pages = trajectory.browse_steps()
        for name, cited in (("evidence", trajectory.report.evidence), ("counter", trajectory.report.counterevidence)):
            for i, citation in enumerate(cited):
                if (problem := citation_problem(citation, pages)) is not None:
                    yield f"report.{name}.{i}: {problem}"
