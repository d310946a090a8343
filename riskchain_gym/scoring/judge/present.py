"""From a trajectory to what a judge is shown of it: redacted, audited, and without anything that says who or where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import ValidationError

from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.failures import FailureKind
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.report import Citation, Region, Report
from riskchain_gym.protocol.trajectory import Phase, Trajectory
from riskchain_gym.scoring.judge.bundle import (
    Bundle,
    CitedItem,
    Control,
    JudgedReport,
    LedgerEntry,
    Picture,
    View,
)
from riskchain_gym.scoring.redaction.audit import RedactionError, audit_redaction
from riskchain_gym.scoring.redaction.quotes import mask_quote
from riskchain_gym.scoring.redaction.text import Redactor
from riskchain_gym.scoring.sight import overlap

MIN_FRAMED = 0.5
"""Share of a line that must lie in a region for the region to frame it."""


def present(trajectory: Trajectory, images: Mapping[int, bytes] | None = None) -> Bundle | None:
    """Return what a judge is shown of an episode, or ``None`` if there is no report to ask about.

    A view holds all lines of its page, also those that a screenshot at that scroll offset or the 20,000 code points of
    an observation's text leave out: what an agent can have seen is the evidence score's question. Hosts, paths, hashes,
    the message, the commit, feedback, the agent's reasons and its confidence are left out. The text of pages and report
    is redacted with one table of tokens, a quote as the page that it is found on.

    Args:
        trajectory: The episode.
        images: Screenshots of views by browse step, as the agent was given them; they are redacted.

    Raises:
        RedactionError: The audit found something left to mask; nothing is handed over.
        MissingExtraError: There are images, and Pillow is not installed.
    """
    report = trajectory.report
    if report is None:
        return None
    pages = trajectory.browse_steps()
    keys = {0: trajectory.landing or ""} | {s.browse_step: s.page or "" for s in trajectory.steps if s.browse_step}
    distinct = {keys[step]: page for step, page in pages.items()}
    redactor = Redactor(
        (text for page in distinct.values() for text in _texts(page)),
        (page.title for page in distinct.values()),
        _words(report),
    )
    states = {key: i for i, key in enumerate(distinct)}
    shown = {key: _view(page, states[key], redactor) for key, page in distinct.items()}
    views = tuple(shown[keys[step]].model_copy(update={"step": step}) for step in pages)
    bundle = Bundle(
        views=views,
        ledger=tuple(_ledger(trajectory, pages, redactor)),
        ending=_ending(trajectory),
        report=JudgedReport(
            environment_status=report.environment_status,
            decision=report.decision,
            primary_violation_type=report.primary_violation_type,
            secondary_violation_types=report.secondary_violation_types,
            citations=tuple(
                _cited(f"{side}.{i}", citation, pages.get(citation.step), redactor)
                for side in ("evidence", "counterevidence")
                for i, citation in enumerate(getattr(report, side))
            ),
            risk_reason=redactor.mask(report.risk_reason),
            evidence_sufficiency=report.evidence_sufficiency,
            note=redactor.mask(report.note),
        ),
        masked=redactor.masked,
    )
    if left := audit_redaction(bundle, redactor.names):
        raise RedactionError(f"Redaction left something at {', '.join(left[:5])}: the episode is not shown to a judge.")
    if not images:
        return bundle
    from riskchain_gym.scoring.redaction.pictures import grey_out, masked_boxes

    known = {step: data for step, data in images.items() if step in pages}
    drawn = {step: grey_out(data, masked_boxes(pages[step], redactor)) for step, data in known.items()}
    return bundle.model_copy(update={"images": drawn})


def _texts(page: ObservedPage) -> Iterator[str]:
    yield from (line.text for line in page.lines)
    for picture in page.pictures:
        yield from picture.alt.split("\n")
    yield from (element.name for element in page.elements)


def _words(report: Report) -> Iterator[str]:
    yield from (report.risk_reason, report.note)
    for cited in (*report.evidence, *report.counterevidence):
        yield from (cited.element_id or "", cited.quote, cited.observation)


def _view(page: ObservedPage, state: int, redactor: Redactor) -> View:
    return View(
        step=0,
        state=state,
        title=redactor.mask(page.title),
        lines=tuple(redactor.mask(line.text) for line in page.lines),
        controls=tuple(
            Control(element_id=e.element_id, role=e.role, name=redactor.mask(e.name), disabled=e.disabled)
            for e in page.elements
        ),
        pictures=tuple(Picture(key=picture.key, alt=redactor.mask(picture.alt)) for picture in page.pictures),
    )


def _ledger(trajectory: Trajectory, pages: Mapping[int, ObservedPage], redactor: Redactor) -> Iterator[LedgerEntry]:
    """Yield the actions that could be read as one, each with the view that it was done on."""
    current = 0
    for step in trajectory.steps:
        action = _action(step.action) if step.phase is Phase.BROWSE else None
        if action is not None:
            page = pages.get(current)
            target = next((e for e in page.elements if e.element_id == action.element_id), None) if page else None
            yield LedgerEntry(
                step=current,
                action=action.action,
                element_id=target.element_id if target else None,
                role=target.role if target else "",
                name=redactor.mask(target.name) if target else "",
                status=step.result.status,
            )
        current = current if step.browse_step is None else step.browse_step


def _action(text: str) -> BrowserAction | None:
    try:
        return BrowserAction.model_validate_json(text)
    except ValidationError:
        return None


def _ending(trajectory: Trajectory) -> Literal["stopped", "step_budget", "time_budget", "strikes"]:
    browsed = [step for step in trajectory.steps if step.phase is Phase.BROWSE]
    last = _action(browsed[-1].action) if browsed else None
    kinds = {failure.kind for failure in trajectory.failures}
    if last is not None and last.action is ActionKind.STOP:
        return "stopped"
    if FailureKind.TIME_BUDGET in kinds:
        return "time_budget"
    if FailureKind.STEP_BUDGET in kinds:
        return "step_budget"
    return "strikes" if browsed and browsed[-1].strikes else "stopped"


def _cited(place: str, citation: Citation, page: ObservedPage | None, redactor: Redactor) -> CitedItem:
    region = citation.region
    element = citation.element_id
    names = tuple(e.name for e in page.elements if e.element_id == element) if page and element else ()
    return CitedItem(
        place=place,
        step=citation.step,
        element_id=element if element is None or _has(page, element) else redactor.mask(element),
        region=region,
        region_lines=None if region is None else _framed(region, page, redactor),
        anchor_type=citation.anchor_type,
        quote=mask_quote(citation.quote, (*((page.text,) if page else ()), *names), redactor),
        observation=redactor.mask(citation.observation),
    )


def _has(page: ObservedPage | None, element: str) -> bool:
    """Say whether a page has an element or a picture of that id; other ids are the agent's own text."""
    ids = {*(e.element_id for e in page.elements), *(p.key for p in page.pictures)} if page else set()
    return element in ids


def _framed(region: Region, page: ObservedPage | None, redactor: Redactor) -> tuple[str, ...]:
    lines = [(line.text, line.box) for line in page.lines] if page else []
    alts = [(line, p.box) for p in page.pictures for line in p.alt.split("\n") if line] if page else []
    boxed = ((text, box) for text, box in (*lines, *alts) if box is not None)
    return tuple(
        redactor.mask(text) for text, box in boxed if overlap(region, box) >= MIN_FRAMED * box.width * box.height
    )
