"""What is asked of a bundle: one narrow claim for each citation, view and part of the codebook's rule."""

from __future__ import annotations

from collections.abc import Iterator

from riskchain_gym.protocol.codebook import (
    ENVIRONMENT_STATUSES,
    MINIMUM_EVIDENCE,
    AnchorType,
    Decision,
    ViolationType,
)
from riskchain_gym.scoring.judge.bundle import Bundle, CitedItem, JudgedReport, View
from riskchain_gym.scoring.judge.questions import ClaimKind, Question

ANCHORS: dict[AnchorType, str] = {
    AnchorType.VISIBLE_TEXT_OR_CLAIM: "something that the page says or claims",
    AnchorType.VISUAL_OR_BRAND_IMPERSONATION: "the page passing itself off as somebody else, by name, look or wording",
    AnchorType.CREDENTIAL_OR_IDENTITY_REQUEST: "a request for credentials, codes or identity data",
    AnchorType.PAYMENT_RECHARGE_OR_TRANSFER: "a payment, deposit, top-up, transfer or withdrawal",
    AnchorType.CONTACT_OR_PLATFORM_MIGRATION: "a contact, or a move to another place or channel",
    AnchorType.DOWNLOAD_OR_INSTALL_REQUEST: "a download or an installation",
    AnchorType.GAMBLING_ADULT_OR_DRUG_OFFER: "an offer of betting, adult services or controlled substances",
    AnchorType.BENIGN_SERVICE_CONSISTENCY: "a sign of an ordinary, consistent service",
    AnchorType.COUNTEREVIDENCE_OR_DISCLAIMER: "a disclaimer, warning or correction",
    AnchorType.ENVIRONMENT_LIMITATION: "something that cannot be looked at: closed, broken, empty, or behind a wall",
    AnchorType.LANGUAGE_LIMITATION: "text that cannot be read or understood",
    AnchorType.OTHER_OBSERVED_EVIDENCE: "an observable fact",
}
"""What each anchor type says of a citation, in words that a judge can check."""

_CLAIM, _ACTION = "part.claim", "part.action"
_LIMITATIONS = frozenset({AnchorType.ENVIRONMENT_LIMITATION, AnchorType.LANGUAGE_LIMITATION})


def questions_about(bundle: Bundle) -> tuple[Question, ...]:
    """Return everything that is asked about a bundle, in a fixed order; equal bundles give equal questions.

    Of each citation: does the view show it, does it bear out the observation, is it of the kind named, does it speak
    for its side, does it add to those before. Of the evidence together: the parts that the codebook asks (one group
    each, which one citation settles). Of each distinct page state: was something left out or left untried. Of the
    report: does its reason follow, does its environment status fit.

    What claims hold of page or report is redacted, and stands between quotation marks.

    Args:
        bundle: What the judge is shown.
    """
    return (
        *(question for i in range(len(bundle.report.citations)) for question in _about_citation(i, bundle.report)),
        *_parts(bundle.report),
        *_about_views(bundle),
        *_about_report(bundle.report),
    )


def _about_citation(i: int, report: JudgedReport) -> Iterator[Question]:
    cited = report.citations[i]
    place, step = cited.place, cited.step

    def ask(kind: ClaimKind, claim: str) -> Question:
        return Question(key=f"{kind}.{place}", kind=kind, claim=claim, place=place, step=step)

    yield ask(ClaimKind.SHOWN, _shown(cited))
    if cited.observation.strip():
        said = f"View {step} shows what citation {place} observes of {_what(cited)}: {_quoted(cited.observation)}."
        yield ask(ClaimKind.BORNE_OUT, said)
    yield ask(ClaimKind.ANCHOR_FITS, f"What is cited of view {step}, {_what(cited)}, is {ANCHORS[cited.anchor_type]}.")
    yield ask(ClaimKind.SPEAKS_FOR, _side(cited, report))
    if i:
        places = ", ".join(other.place for other in report.citations[:i])
        yield ask(ClaimKind.ADDS, f"Citation {place}, {_what(cited)}, says something that none of {places} says.")


def _shown(cited: CitedItem) -> str:
    if cited.quote.strip():
        at = f" at {_where(cited)}" if _where(cited) else ""
        return f"View {cited.step} shows the quoted text{at}: {_quoted(cited.quote)}."
    return f"View {cited.step} has {_where(cited) or 'what is cited'}."


def _where(cited: CitedItem) -> str:
    if cited.element_id is not None:
        return f"the element {_quoted(cited.element_id)}"
    if cited.region is not None:
        box = cited.region
        return f"the region x {box.x:g}, y {box.y:g}, width {box.width:g}, height {box.height:g}"
    return ""


def _what(cited: CitedItem) -> str:
    return _quoted(cited.quote) if cited.quote.strip() else _where(cited)


def _quoted(text: str) -> str:
    return f"“{' '.join(text.split())}”"


def _side(cited: CitedItem, report: JudgedReport) -> str:
    says = {
        Decision.VIOLATION: f"the site being a violation of type {report.primary_violation_type}",
        Decision.NON_VIOLATION: "the site being an ordinary service and no violation",
        Decision.INSUFFICIENT_EVIDENCE: "it being impossible to decide what the site is",
    }[report.decision]
    side = "for" if cited.place.startswith("evidence.") else "against"
    return f"Citation {cited.place}, {_what(cited)}, speaks {side} {says}."


def _parts(report: JudgedReport) -> Iterator[Question]:
    evidence = [cited for cited in report.citations if cited.place.startswith("evidence.")]
    for group, part in _asked_of(report):
        if not evidence:
            yield Question(
                key=f"{ClaimKind.SHOWS_PART}.{group}.report",
                kind=ClaimKind.SHOWS_PART,
                claim=f"The report cites evidence that shows {part}.",
                place="report",
                group=group,
            )
        for cited in evidence:
            yield Question(
                key=f"{ClaimKind.SHOWS_PART}.{group}.{cited.place}",
                kind=ClaimKind.SHOWS_PART,
                claim=f"Citation {cited.place}, {_what(cited)}, shows {part}.",
                place=cited.place,
                step=cited.step,
                group=group,
            )


def _asked_of(report: JudgedReport) -> tuple[tuple[str, str], ...]:
    """Return the groups that the codebook's rule asks of the decision, and what each must show."""
    kind = report.primary_violation_type
    if report.decision is Decision.NON_VIOLATION:
        return (("part.benign", "the site being a consistent ordinary service"),)
    if report.decision is Decision.INSUFFICIENT_EVIDENCE:
        return (("part.limitation", "something that keeps the site from being looked at or understood"),)
    rule = MINIMUM_EVIDENCE.get(kind, "")
    if kind is ViolationType.OTHER_PROHIBITED_ACTIVITY:
        return (("part.fact", "one observable fact of a prohibited activity that the note names"),)
    return (
        (_CLAIM, f"the claim or offer that makes a {kind} (the rule: {rule})"),
        (_ACTION, f"what a visitor is led to do or hand over in a {kind} (the rule: {rule})"),
    )


def _about_views(bundle: Bundle) -> Iterator[Question]:
    said = f"{bundle.report.decision} ({bundle.report.primary_violation_type})"
    first: dict[int, View] = {}
    for view in bundle.views:
        first.setdefault(view.state, view)
    for view in first.values():
        place = f"view.{view.step}"
        yield Question(
            key=f"{ClaimKind.LEFT_OUT}.{place}",
            kind=ClaimKind.LEFT_OUT,
            claim=f"View {view.step} shows something that bears on the decision {said} and is cited nowhere.",
            place=place,
            step=view.step,
        )
        yield Question(
            key=f"{ClaimKind.UNTRIED}.{place}",
            kind=ClaimKind.UNTRIED,
            claim=f"View {view.step} has a control that leads on to what may decide, and no action of the ledger "
            "followed it.",
            place=place,
            step=view.step,
        )


def _about_report(report: JudgedReport) -> Iterator[Question]:
    follows, fits, status = ClaimKind.FOLLOWS, ClaimKind.STATUS_FITS, report.environment_status
    yield Question(
        key=follows,
        kind=follows,
        claim=f"The reason given follows from the citations and leads to {report.decision}: "
        f"{_quoted(report.risk_reason)}.",
        place="report",
    )
    yield Question(
        key=fits,
        kind=fits,
        claim=f"The environment status {status} ({ENVIRONMENT_STATUSES[status]}) fits the views and the ledger.",
        place="report",
    )
