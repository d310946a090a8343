"""One episode scored: trajectory and gold in, outcome out."""

from __future__ import annotations

from collections.abc import Mapping

from riskchain_gym.protocol.action import ActionStatus
from riskchain_gym.protocol.codebook import canonical_type, codebook_problem
from riskchain_gym.protocol.commit import EMPTY_COMMIT
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.failures import EpisodeStatus, Failure, FailureKind
from riskchain_gym.protocol.gold import GoldChain, MessageGold
from riskchain_gym.protocol.outcome import LabelResult, Outcome, RevisedResult
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.report import Report
from riskchain_gym.protocol.trajectory import Phase, Trajectory
from riskchain_gym.scoring.attribution import closed_gates, first_failure, last_browse_step
from riskchain_gym.scoring.evidence import score_evidence
from riskchain_gym.scoring.gate import CLOSED, gate
from riskchain_gym.scoring.restoration import canonical_length, score_restoration
from riskchain_gym.scoring.sight import Sight
from riskchain_gym.scoring.validator import validate


def score_episode(
    trajectory: Trajectory,
    gold: GoldChain | MessageGold | None,
    *,
    max_steps: int | None = None,
    strikes: int | None = None,
) -> Outcome:
    """Score an ended episode.

    An ``infra_error`` gets no score at all: its label has no prediction and every other figure stays ``None``. Without
    gold only status, failures and the validator's word are known. a^w is unknown (``None``) where the site was not
    opened because a committed entry was wrong, and where the episode ended at commit; without a restore phase there is
    no gate, so a^e and δ are unknown. A case that ended as ⊥ before any commit has restored nothing. An agent that
    committed nothing has a closed gate, even where the message leads nowhere. A site without evidence atoms, such as an
    imported one, has no evidence score. A revision of the restoration is scored apart and changes nothing else.

    Args:
        trajectory: The episode.
        gold: Its gold bundle; the message's alone where the episode ends at commit and there is no site to score; or
            ``None``.
        max_steps: Browse budget for the validator.
        strikes: How many invalid actions in a row end a phase, for the validator.

    Raises:
        ValueError: The episode has not ended.
        ConfigError: The gold follows another codebook than this package has.
    """
    if trajectory.status is EpisodeStatus.RUNNING:
        raise ValueError(f"Chain '{trajectory.chain_id}' is still running: only an ended episode can be scored.")
    outcome = Outcome(
        chain_id=trajectory.chain_id,
        status=trajectory.status,
        routing=trajectory.routing,
        validator=validate(trajectory, max_steps=max_steps, strikes=strikes),
        failures=trajectory.failures,
    )
    if gold is None:
        return outcome
    chain, message = (gold, gold.message) if isinstance(gold, GoldChain) else (None, gold)
    if chain is not None and (problem := codebook_problem([chain.site.codebook_version])):
        raise ConfigError(f"The gold of chain '{chain.chain_id}' {problem}.")
    if trajectory.status is EpisodeStatus.INFRA_ERROR:
        outcome = outcome.model_copy(update={"lost_length": canonical_length(message)})
        return outcome if chain is None else outcome.model_copy(update={"label": _label(None, chain)})
    never_began = trajectory.status is EpisodeStatus.BOTTOM and trajectory.landing is None
    commit = trajectory.commit or (EMPTY_COMMIT if never_began else None)
    if commit is not None:
        restoration = score_restoration(commit, message)
        if _has_committed(trajectory):
            passed = gate(commit, message.entry)
        else:
            # Strikes froze an empty restoration: nobody has named an intent, nor said that there is no entry.
            passed = CLOSED
            restoration = restoration.model_copy(update={"intent_correct": False, "full": False})
        outcome = outcome.model_copy(update={"gate": passed, "restoration": restoration})
    if chain is None or trajectory.status is EpisodeStatus.COMMITTED:
        return outcome
    return _with_revision(_with_site(outcome, trajectory, chain), trajectory, message)


def _has_committed(trajectory: Trajectory) -> bool:
    """Say whether the agent sent the restoration, which strikes freeze without it."""
    results = [step.result.status for step in trajectory.steps if step.phase is Phase.RESTORE]
    return trajectory.commit is not None and ActionStatus.INVALID not in results[-1:]


def _with_revision(outcome: Outcome, trajectory: Trajectory, message: MessageGold) -> Outcome:
    revised = trajectory.revised_commit
    if revised is None:
        return outcome
    passed, web = gate(revised, message.entry), outcome.web_correct
    return outcome.model_copy(
        update={
            "revised": RevisedResult(
                gate=passed,
                restoration=score_restoration(revised, message),
                end_to_end_correct=None if web is None else int(passed.passed) * web,
            )
        }
    )


def _label(report: Report | None, gold: GoldChain) -> LabelResult:
    return LabelResult(
        gold_decision=gold.site.decision,
        gold_type=gold.site.violation_type,
        predicted_decision=report.decision if report else None,
        predicted_type=canonical_type(report.decision, report.primary_violation_type) if report else None,
    )


def _with_site(outcome: Outcome, trajectory: Trajectory, gold: GoldChain) -> Outcome:
    label = _label(trajectory.report, gold)
    g = int(outcome.gate.passed) if outcome.gate else None
    never_routed = trajectory.routing == "committed" and not g
    web = None if never_routed else int(label.decision_correct)
    pages, sight = trajectory.browse_steps(), Sight.of(trajectory)
    scored = not never_routed and bool(gold.site.atoms)
    evidence = score_evidence(trajectory.report, pages, gold.site, sight) if scored else None
    events = (*trajectory.failures, *_found_by_gold(trajectory, gold, pages, sight, never_routed))
    saw_all = evidence is not None and evidence.seen == 1.0
    stage, cause = first_failure(trajectory, label, events, saw_all=saw_all)
    return outcome.model_copy(
        update={
            "label": label,
            "evidence": evidence,
            "web_correct": web,
            "end_to_end_correct": 0 if never_routed else None if g is None or web is None else g * web,
            "gate_loss": None if g is None or web is None else (1 - g) * web,
            "first_failure": stage,
            "cause": cause,
            "failures": events,
        }
    )


def _found_by_gold(
    trajectory: Trajectory, gold: GoldChain, pages: Mapping[int, ObservedPage], sight: Sight, never_routed: bool
) -> tuple[Failure, ...]:
    """Return the gates that stayed closed: of the site, or, where a wrong entry led to none, the entry itself."""
    if never_routed:
        last = len(trajectory.steps) - 1
        return (Failure(kind=FailureKind.GATE_NOT_PASSED, step=last, terminal=True, detail="entry"),)
    left = last_browse_step(trajectory)
    return () if left is None else closed_gates(pages, gold.site, sight, left)
