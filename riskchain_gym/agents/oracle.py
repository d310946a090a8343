"""The oracle: walks the gold path and cites the gold atoms. It proves that the labels can be reached and seen."""

from __future__ import annotations

from collections.abc import Iterable

from riskchain_gym.agents.base import Instructions, Observation
from riskchain_gym.agents.read.reader import first_thing_shown
from riskchain_gym.agents.scrolling import Scrolling
from riskchain_gym.agents.view import Sighting, phase_of, sighting_of
from riskchain_gym.protocol.action import TARGETED, ActionKind, BrowserAction
from riskchain_gym.protocol.codebook import Component, Decision, EnvironmentStatus, ViolationType
from riskchain_gym.protocol.commit import Commit, EntryCandidate
from riskchain_gym.protocol.errors import ConfigError, RiskChainError
from riskchain_gym.protocol.gold import EvidenceAtom, GoldChain, PathStep
from riskchain_gym.protocol.page import ObservedElement, ObservedPicture
from riskchain_gym.protocol.report import Citation, Region, Report, holds_address
from riskchain_gym.protocol.trajectory import Phase
from riskchain_gym.scoring.sight import in_view

_REASONS: dict[Decision, str] = {
    Decision.VIOLATION: "The cited lines make the claim and ask for the action that this type of violation needs.",
    Decision.NON_VIOLATION: "The cited lines fit an honest service, and no claim comes together with a risky action.",
    Decision.INSUFFICIENT_EVIDENCE: "The cited lines keep from view what would decide, and no way leads past.",
}
_POLICY = "Goods or services that the platform's rules prohibit."

_OBSERVED: dict[Component, str] = {
    Component.CLAIM: "The page makes a claim to its visitors",
    Component.ACTION: "The page wants its visitors to do something",
    Component.COUNTER: "The page holds something against this",
    Component.BENIGN: "The page says what fits an honest service",
    Component.LIMITATION: "The page keeps what matters from being seen",
}
"""What the oracle says of a line in its own words, by the part that the line plays."""

_FRAGMENT = 24
"""Code points of a line that an observation repeats at most."""


class OracleError(RiskChainError):
    """The gold path does not fit the site as shown: the gold bundle or the environment is wrong."""


class OracleAgent:
    """Answers with the gold it was given; whoever runs it calls :meth:`prepare` before each reset.

    Where it is given screenshots it scrolls so that every picture with a deciding line comes into view, as far as the
    step budget leaves room beside the path. It cites what it was shown: a line drawn in a picture only if a screenshot
    had most of the picture in view, or its alternative text gave the line.
    """

    needs_gold = True

    def __init__(self) -> None:
        self._gold: GoldChain | None = None
        self._seen: list[Sighting] = []
        self._walked = 0
        self._scrolling = Scrolling()

    def prepare(self, gold: GoldChain) -> None:
        """Take the gold bundle of the chain that the next episode runs."""
        self._gold = gold

    def reset(self, instructions: Instructions) -> None:  # noqa: ARG002 -- the path is the certificate's
        """Get ready to walk the path from its start."""
        self._seen = []
        self._walked = 0
        self._scrolling.rest()

    def close(self) -> None:
        """Nothing is held."""

    def act(self, observation: Observation) -> str:
        """Return the canonical commit, the path's next action, or the gold report.

        Raises:
            ConfigError: :meth:`prepare` was not called, or elements are shown without names.
            OracleError: The path names an element that is not on the page, or neither an atom's line nor the picture
                that it is drawn in was shown on the way.
        """
        if self._gold is None:
            raise ConfigError("The oracle has no gold: call prepare(gold) with the chain's gold bundle before reset.")
        match phase_of(observation):
            case Phase.RESTORE:
                return _commit(self._gold).model_dump_json()
            case Phase.BROWSE:
                page = sighting_of(observation)
                self._seen.append(page)
                return self._next(self._gold, page).model_dump_json(exclude_defaults=True)
            case Phase.REPORT:
                return _report(self._gold, self._seen).model_dump_json()

    def _next(self, gold: GoldChain, page: Sighting) -> BrowserAction:
        path = gold.site.path
        room = page.steps_left - 1 > len(path) - self._walked
        if room and (scroll := self._scrolling.towards(self._unseen(gold, page), page)) is not None:
            return BrowserAction(action=scroll)
        self._scrolling.rest()
        if self._walked == len(path):
            return BrowserAction(action=ActionKind.STOP, stop_status="COMPLETE")
        step, self._walked = path[self._walked], self._walked + 1
        if step.action.action not in TARGETED:
            return step.action
        return step.action.model_copy(update={"element_id": _element(step, page, self._walked).element_id})

    def _unseen(self, gold: GoldChain, page: Sighting) -> list[Region]:
        """Return where pictures of this page stand that hold a deciding line which was not shown yet."""
        missing = [atom for atom in gold.site.deciding_atoms() if not any(_shows(seen, atom) for seen in self._seen)]
        pictures = (_picture(page, atom) for atom in missing)
        return [picture.box for picture in pictures if picture is not None and picture.box is not None]


def _element(step: PathStep, page: Sighting, number: int) -> ObservedElement:
    if page.elements and not any(e.name for e in page.elements):
        raise ConfigError("The oracle finds its way by the names of elements, and none has one: set page_text=true.")
    named = [e for e in page.elements if e.role == step.role and e.name == step.name]
    if step.nth >= len(named):
        raise OracleError(
            f"Step {number} of the gold path wants {step.role} '{step.name}' number {step.nth}, but {page.path} shows "
            f"{len(named)} of that name: rebuild the chain, its gold does not fit its site."
        )
    return named[step.nth]


def _commit(gold: GoldChain) -> Commit:
    message = gold.message
    return Commit(
        reconstructed_messages=message.messages,
        intent=message.intent,
        platform=message.platform,
        entry_candidates=(EntryCandidate(rank=1, value=gold.entry, confidence=1.0),),
    )


def _report(gold: GoldChain, seen: list[Sighting]) -> Report:
    site = gold.site
    insufficient = site.decision is Decision.INSUFFICIENT_EVIDENCE
    counters = (atom for atom in site.atoms if atom.component is Component.COUNTER)
    return Report(
        environment_status=EnvironmentStatus.PARTIAL if insufficient else EnvironmentStatus.COMPLETE,
        decision=site.decision,
        primary_violation_type=site.violation_type,
        secondary_violation_types=site.secondary_types,
        evidence=_evidence(site.deciding_atoms(), seen) or (first_thing_shown(seen),),
        counterevidence=tuple(cited for atom in counters if (cited := _cite(atom, seen)) is not None),
        risk_reason=_REASONS[site.decision],
        confidence=5,
        evidence_sufficiency="INSUFFICIENT" if insufficient else "SUFFICIENT",
        note=_POLICY if site.violation_type is ViolationType.OTHER_PROHIBITED_ACTIVITY else "",
    )


def _evidence(atoms: Iterable[EvidenceAtom], seen: list[Sighting]) -> tuple[Citation, ...]:
    cited: list[Citation] = []
    for atom in atoms:
        citation = _cite(atom, seen)
        if citation is not None:
            cited.append(citation)
        elif not any(_picture(page, atom) for page in seen):
            raise OracleError(
                f"The gold path never showed the deciding line {atom.text[:40]!r} of {atom.path}: rebuild the chain, "
                "its gold does not fit its site."
            )
    return tuple(cited)


def _cite(atom: EvidenceAtom, seen: list[Sighting]) -> Citation | None:
    """Return a citation of an atom where it was first shown, or ``None`` if it never was."""
    page = next((page for page in seen if _shows(page, atom)), None)
    if page is None:
        return None
    return Citation(
        step=page.step,
        element_id=atom.picture or None,
        anchor_type=atom.anchor,
        quote=atom.text[:1000],
        observation=_observation(atom),
    )


def _observation(atom: EvidenceAtom) -> str:
    """Return what a reporter would say of a line: its part, and its first words unless they name an address."""
    part, words = _OBSERVED[atom.component], atom.text[:_FRAGMENT]
    if len(atom.text) > _FRAGMENT and " " in words:
        words = words.rpartition(" ")[0]
    return f"{part}." if holds_address(words) else f"{part}: “{words}”."


def _shows(page: Sighting, atom: EvidenceAtom) -> bool:
    """Say whether the line of an atom was shown: in the text, or drawn in a picture that was seen or has it as text."""
    if not atom.picture:
        return page.path.partition("?")[0] == atom.path and atom.text in page.lines
    picture = _picture(page, atom)
    if picture is None:
        return False
    seen = picture.box is not None and page.view is not None and in_view(picture.box, page.view)
    return seen or atom.text in picture.alt.split("\n")


def _picture(page: Sighting, atom: EvidenceAtom) -> ObservedPicture | None:
    """Return the picture that an atom is drawn in, if it stands on a page."""
    if page.path.partition("?")[0] != atom.path:
        return None
    return next((picture for picture in page.pictures if picture.key == atom.picture), None)
