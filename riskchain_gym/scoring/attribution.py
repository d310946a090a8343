"""First-failure attribution: where a case first went wrong, and what it was (protocol C.10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from riskchain_gym.protocol.action import ActionStatus
from riskchain_gym.protocol.failures import EpisodeStatus, Failure, FailureKind, FailureStage
from riskchain_gym.protocol.gold import EvidenceAtom, SiteGold
from riskchain_gym.protocol.outcome import LabelResult
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.trajectory import Phase, Trajectory
from riskchain_gym.scoring.sight import Sight, picture_of

_BUDGETS = frozenset({FailureKind.STEP_BUDGET, FailureKind.TIME_BUDGET})
_NOT_LOOKED_FOR = (FailureKind.GATE_NOT_PASSED, FailureKind.EARLY_STOP)


def first_failure(
    trajectory: Trajectory, label: LabelResult, events: Sequence[Failure], *, saw_all: bool = False
) -> tuple[FailureStage, Failure | None]:
    """Return the stage at which an ended case first went wrong, and the event that it is put down to.

    The stages are decided in the published order: execution failure, missing report, decision wrong, type wrong,
    success. A case is a success exactly if decision and type are right, so the share of successes is H-EM; strikes or
    an exhausted budget on the way to a right report stay events. Otherwise it is an execution failure if it ended
    as ⊥, or if its investigation was cut short by strikes or a budget. A wrong report after an investigation that the
    agent ended by itself is put down to a gate of the site that stayed closed before deciding evidence, or else to
    having stopped at the landing view, where one of them is among the events and evidence was left unseen.

    Args:
        trajectory: An ended episode that was not lost to infrastructure.
        label: Its report against the label.
        events: Everything that went wrong in it, closed gates included.
        saw_all: Whether the agent was shown all deciding evidence.
    """
    if label.exact:
        return FailureStage.SUCCESS, None
    ended = _cut_short(trajectory, events)
    if trajectory.status is EpisodeStatus.BOTTOM or ended is not None:
        return FailureStage.EXECUTION_FAILURE, _last(f for f in events if f.terminal) or ended
    if label.predicted_decision is None:
        return FailureStage.MISSING_REPORT, _last(f for f in events if f.terminal)
    missed = () if saw_all else (f for kind in _NOT_LOOKED_FOR for f in events if f.kind is kind)
    return stage_of_report(label), next(iter(missed), None)


def stage_of_report(label: LabelResult) -> FailureStage:
    """Return the stage at which a case went wrong of which nothing but its report is known."""
    if label.predicted_decision is None:
        return FailureStage.MISSING_REPORT
    if not label.decision_correct:
        return FailureStage.DECISION_WRONG
    return FailureStage.SUCCESS if label.exact else FailureStage.TYPE_WRONG


def closed_gates(pages: Mapping[int, ObservedPage], gold: SiteGold, sight: Sight, step: int) -> tuple[Failure, ...]:
    """Return the gates of a site that an agent came to and that kept deciding evidence from it.

    A gate that sends visitors to a page of its own stayed closed if that page was seen, the one behind it was not, and
    some deciding evidence stands on a page that was not seen either. One that changes its page stayed closed if the
    page was seen, but none of the deciding lines on it.

    Args:
        pages: Observed pages by browse step.
        gold: The site's gold: gates, their pages, and the atoms.
        sight: What the agent was given of the pages.
        step: The trajectory step at which browsing ended.

    Returns:
        One event a gate, its kind as the detail.
    """
    visited = {page.path.partition("?")[0] for page in pages.values()}
    came_to = {atom: _was_there(atom, pages.values(), sight) for atom in gold.deciding_atoms()}
    hidden = {atom.path for atom, was_there in came_to.items() if not was_there}
    shown = {atom.path for atom, was_there in came_to.items() if was_there}
    closed: list[Failure] = []
    # Bundles that were written before gates had pages name kinds only: nothing can be said of those.
    for kind, behind, entry in zip(gold.gates, gold.gate_pages, gold.gate_entries, strict=False):
        if entry:
            stayed = entry in visited and behind not in visited and not hidden <= visited
        else:
            stayed = behind in visited and behind in hidden and behind not in shown
        if stayed:
            closed.append(Failure(kind=FailureKind.GATE_NOT_PASSED, step=step, detail=kind))
    return tuple(closed)


def _was_there(atom: EvidenceAtom, pages: Iterable[ObservedPage], sight: Sight) -> bool:
    """Say whether a page showed an atom, or the picture it is drawn in, be it legible to the agent or not."""
    return any(
        sight.shows(page, atom) or (page.path.partition("?")[0] == atom.path and picture_of(page, atom.picture or None))
        for page in pages
    )


def last_browse_step(trajectory: Trajectory) -> int | None:
    """Return the index of the last step of the browse phase, or ``None`` if nothing was sent there."""
    return next((step.index for step in reversed(trajectory.steps) if step.phase is Phase.BROWSE), None)


def _cut_short(trajectory: Trajectory, events: Sequence[Failure]) -> Failure | None:
    """Return what ended the browse phase, if it was not the agent."""
    last = last_browse_step(trajectory)
    spent = next((f for f in events if f.kind in _BUDGETS), None)
    if spent is not None or last is None:
        return spent
    struck = trajectory.steps[last].result.status is ActionStatus.INVALID
    return _last(f for f in events if f.step == last) if struck else None


def _last(events: Iterable[Failure]) -> Failure | None:
    return next(iter(reversed(list(events))), None)
