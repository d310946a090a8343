"""The protocol validator V(τ,E): legal actions, an unbroken hash chain, citations that resolve. No label."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import ValidationError

from riskchain_gym.protocol.action import TARGETED, ActionKind, ActionStatus, BrowserAction
from riskchain_gym.protocol.commit import EMPTY_COMMIT, Commit
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.outcome import ValidatorResult
from riskchain_gym.protocol.report import Citation, Report
from riskchain_gym.protocol.revision import reads_as_commit
from riskchain_gym.protocol.trajectory import GENESIS, Phase, Step, Trajectory
from riskchain_gym.scoring.citations import citation_problem, is_unverifiable

_MODELS: dict[Phase, type[Frozen]] = {Phase.RESTORE: Commit, Phase.BROWSE: BrowserAction, Phase.REPORT: Report}
_ORDER = {phase: i for i, phase in enumerate(Phase)}


def validate(trajectory: Trajectory, *, max_steps: int | None = None, strikes: int | None = None) -> ValidatorResult:
    """Check a trajectory and its report against the protocol.

    Args:
        trajectory: The episode.
        max_steps: Browse budget to check against, or ``None`` to leave it unchecked.
        strikes: How many invalid actions in a row end a phase, or ``None`` to leave it unchecked.
    """
    checks = (_chain(trajectory, strikes), _pages(trajectory, max_steps), _actions(trajectory), _report(trajectory))
    problems = tuple(problem for check in checks for problem in check)
    pages = trajectory.browse_steps()
    unverifiable = tuple(place for place, cited in _citations(trajectory) if is_unverifiable(cited, pages))
    return ValidatorResult(valid=not problems, problems=problems, unverifiable=unverifiable)


def _chain(trajectory: Trajectory, strikes: int | None) -> Iterator[str]:
    previous, reached = GENESIS, 0
    before: Step | None = None
    for i, step in enumerate(trajectory.steps):
        if step.index != i:
            yield f"steps.{i}: index is {step.index}"
        if step.previous != previous or step.hash != step.expected_hash():
            yield f"steps.{i}: the hash chain is broken"
        if _ORDER[step.phase] < reached:
            yield f"steps.{i}: phase '{step.phase}' after a later phase"
        invalid = step.result.status is ActionStatus.INVALID
        run = before.strikes if before is not None and before.phase is step.phase else 0
        if step.strikes != (run + 1 if invalid else 0):
            yield f"steps.{i}: {step.strikes} strikes do not follow from the actions before"
        if strikes is not None and run >= strikes:
            yield f"steps.{i}: the phase went on after {run} strikes, {strikes} end it"
        previous, reached, before = step.hash, max(reached, _ORDER[step.phase]), step


def _pages(trajectory: Trajectory, max_steps: int | None) -> Iterator[str]:
    browsed = 0
    if trajectory.landing is not None and trajectory.landing not in trajectory.pages:
        yield "landing: its page is not stored"
    for i, step in enumerate(trajectory.steps):
        if step.browse_step is not None:
            browsed += 1
            if step.browse_step != browsed:
                yield f"steps.{i}: browse step is {step.browse_step}, expected {browsed}"
        if step.page is not None and step.page not in trajectory.pages:
            yield f"steps.{i}: its page is not stored"
    for key, page in trajectory.pages.items():
        if page.state_hash() != key:
            yield f"pages.{key[:12]}: the page does not have that state hash"
    if max_steps is not None and browsed > max_steps:
        yield f"steps: {browsed} browse steps, the budget is {max_steps}"


def _actions(trajectory: Trajectory) -> Iterator[str]:
    """Check that every accepted action was one, and that the commit and the report are what was sent."""
    current = trajectory.landing
    committed, reported, revised = None, None, None
    for i, step in enumerate(trajectory.steps):
        if step.result.status is ActionStatus.INVALID:
            continue
        try:
            revises = step.phase is Phase.REPORT and reads_as_commit(step.action)
            sent = (Commit if revises else _MODELS[step.phase]).model_validate_json(step.action)
        except ValidationError:
            yield f"steps.{i}: what was accepted is no action of the {step.phase} phase"
            continue
        if isinstance(sent, Commit) and revises:
            if revised is not None:
                yield f"steps.{i}: a second revision was accepted"
            revised = sent
        elif isinstance(sent, Commit):
            committed = sent
        elif isinstance(sent, Report):
            reported = sent
        elif isinstance(sent, BrowserAction) and sent.action in TARGETED:
            page = trajectory.pages.get(current or "")
            able = [e.capabilities for e in page.elements if e.element_id == sent.element_id] if page else []
            if not any(sent.action is ActionKind.PRESS or getattr(it, sent.action) for it in able):
                yield f"steps.{i}: the page had no element '{sent.element_id}' that takes '{sent.action}'"
        current = step.page or current
    if trajectory.commit not in (committed, EMPTY_COMMIT):
        yield "commit: it is not the one that was sent"
    if trajectory.revised_commit != revised:
        yield "revised_commit: it is not the one that was sent"
    if trajectory.report != reported:
        yield "report: it is not the one that was sent"


def _report(trajectory: Trajectory) -> Iterator[str]:
    if (trajectory.report is not None) != (trajectory.status is EpisodeStatus.REPORTED):
        yield f"report: present is {trajectory.report is not None}, but the status is '{trajectory.status}'"
    pages = trajectory.browse_steps()
    for place, citation in _citations(trajectory):
        if (problem := citation_problem(citation, pages)) is not None:
            yield f"{place}: {problem}"


def _citations(trajectory: Trajectory) -> Iterator[tuple[str, Citation]]:
    for name in ("evidence", "counterevidence") if trajectory.report is not None else ():
        for i, citation in enumerate(getattr(trajectory.report, name)):
            yield f"report.{name}.{i}", citation
