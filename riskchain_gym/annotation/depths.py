"""How far from the landing page the evidence of people's answers lies, as the paths that they walked have it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from riskchain_gym.annotation.visit_store import VisitStore
from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.protocol.gold import Depth
from riskchain_gym.protocol.report import Citation
from riskchain_gym.protocol.trajectory import Trajectory


def evidence_depth(trajectory: Trajectory, evidence: Sequence[Citation]) -> Depth | None:
    """Return how far the farthest cited view lies from the landing view, in steps that changed the page.

    The shortest way that the visit shows counts, so that a detour adds nothing; scrolling changes no page. Whether a
    gate stood on the way (``D3``) a path does not tell.

    Args:
        trajectory: The visit.
        evidence: What was cited of it.

    Returns:
        ``D0`` to ``D2``; ``None`` where nothing is cited, or a view that the visit does not have.
    """
    views = {0: trajectory.landing}
    views |= {step.browse_step: step.page for step in trajectory.steps if step.browse_step is not None}
    cited = [views.get(citation.step) for citation in evidence]
    steps = _steps_from_landing([views[number] for number in sorted(views)])
    if not cited or any(page not in steps for page in cited):
        return None
    farthest = max(steps[page] for page in cited)
    return "D0" if farthest == 0 else "D1" if farthest == 1 else "D2"


def depths(project: Path, events: Sequence[Event]) -> dict[str, Depth]:
    """Return the depth of the evidence of every answer that has any and was browsed for, by the event's hash.

    Args:
        project: Folder of the labelling project.
        events: The answers.

    Raises:
        InputFileError: A visit is missing, or is not the one that its answer rests on.
    """
    found: dict[str, Depth] = {}
    for event in events:
        answer, kept = event.site_answer, event.visit_file
        if answer is None or kept is None:
            continue
        depth = evidence_depth(VisitStore(project, event.worker).read(kept).trajectory, answer.evidence)
        if depth is not None:
            found[event.hash] = depth
    return found


def _steps_from_landing(pages: Sequence[str | None]) -> dict[str | None, int]:
    """Return the fewest steps from the first page to each, walking only from a page to one that came right after it."""
    leads: dict[str | None, set[str | None]] = {page: set() for page in pages}
    for page, after in pairwise(pages):
        leads[page].add(after)
    steps, reached = {pages[0]: 0}, [pages[0]]
    for page in reached:
        for after in leads[page] - steps.keys():
            steps[after] = steps[page] + 1
            reached.append(after)
    return steps
