"""The oracle: walks the gold path and cites the gold atoms. It proves that the labels can be reached and seen."""

from __future__ import annotations

from riskchain_gym.agents.base import Instructions, Observation
from riskchain_gym.agents.read.reader import first_thing_shown
from riskchain_gym.agents.view import Sighting, phase_of, sighting_of
from riskchain_gym.protocol.action import TARGETED, ActionKind, BrowserAction
from riskchain_gym.protocol.codebook import Decision, EnvironmentStatus, ViolationType
from riskchain_gym.protocol.commit import Commit, EntryCandidate
from riskchain_gym.protocol.errors import ConfigError, RiskChainError
from riskchain_gym.protocol.gold import EvidenceAtom, GoldChain, PathStep
from riskchain_gym.protocol.page import ObservedElement
from riskchain_gym.protocol.report import Citation, Report
from riskchain_gym.protocol.trajectory import Phase

_NOTE = "The gold label of the site, with every deciding atom cited."


class OracleError(RiskChainError):
    """The gold path does not fit the site as shown: the gold bundle or the environment is wrong."""


class OracleAgent:
    """Answers with the gold it was given; whoever runs it calls :meth:`prepare` before each reset."""

    needs_gold = True

    def __init__(self) -> None:
        self._gold: GoldChain | None = None
        self._seen: list[Sighting] = []
        self._walked = 0

    def prepare(self, gold: GoldChain) -> None:
        """Take the gold bundle of the chain that the next episode runs."""
        self._gold = gold

    def reset(self, instructions: Instructions) -> None:  # noqa: ARG002 -- the path is the certificate's
        """Get ready to walk the path from its start."""
        self._seen = []
        self._walked = 0

    def close(self) -> None:
        """Nothing is held."""

    def act(self, observation: Observation) -> str:
        """Return the canonical commit, the path's next action, or the gold report.

        Raises:
            ConfigError: :meth:`prepare` was not called.
            OracleError: The path names an element that is not on the page, or an atom was not shown on the way.
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
        if self._walked == len(path):
            return BrowserAction(action=ActionKind.STOP, stop_status="COMPLETE")
        step, self._walked = path[self._walked], self._walked + 1
        if step.action.action not in TARGETED:
            return step.action
        return step.action.model_copy(update={"element_id": _element(step, page, self._walked).element_id})


def _element(step: PathStep, page: Sighting, number: int) -> ObservedElement:
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
    return Report(
        environment_status=EnvironmentStatus.PARTIAL if insufficient else EnvironmentStatus.COMPLETE,
        decision=site.decision,
        primary_violation_type=site.violation_type,
        secondary_violation_types=site.secondary_types,
        evidence=tuple(_cite(atom, seen) for atom in site.deciding_atoms()) or (first_thing_shown(seen),),
        risk_reason=_NOTE,
        confidence=5,
        evidence_sufficiency="INSUFFICIENT" if insufficient else "SUFFICIENT",
        note=_NOTE if site.violation_type is ViolationType.OTHER_PROHIBITED_ACTIVITY else "",
    )


def _cite(atom: EvidenceAtom, seen: list[Sighting]) -> Citation:
    for page in seen:
        if page.path.partition("?")[0] != atom.path:
            continue
        if atom.picture and any(picture.key == atom.picture for picture in page.pictures):
            return Citation(step=page.step, element_id=atom.picture, anchor_type=atom.anchor, quote=atom.text[:1000])
        if not atom.picture and atom.text in page.lines:
            return Citation(step=page.step, anchor_type=atom.anchor, quote=atom.text[:1000])
    raise OracleError(
        f"The gold path never showed the deciding line {atom.text[:40]!r} of {atom.path}: rebuild the chain, its gold "
        "does not fit its site."
    )
