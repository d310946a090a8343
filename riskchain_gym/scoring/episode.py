"""One episode scored: trajectory and gold in, outcome out."""

from __future__ import annotations

from riskchain_gym.protocol.codebook import canonical_type
from riskchain_gym.protocol.commit import EMPTY_COMMIT
from riskchain_gym.protocol.failures import EpisodeStatus, FailureStage
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.outcome import LabelResult, Outcome
from riskchain_gym.protocol.trajectory import Trajectory
from riskchain_gym.scoring.evidence import score_evidence
from riskchain_gym.scoring.gate import gate
from riskchain_gym.scoring.restoration import score_restoration
from riskchain_gym.scoring.validator import validate


def score_episode(
    trajectory: Trajectory, gold: GoldChain | None, *, restore_only: bool = False, max_steps: int | None = None
) -> Outcome:
    """Score an ended episode.

    An ``infra_error`` gets no score at all: its label has no prediction and every other figure stays ``None``. Without
    gold only status, failures and the validator's word are known. a^w is unknown (``None``) where the site was not
    opened because a committed entry was wrong, and where the episode ended at commit; without a restore phase there is
    no gate, so a^e and δ are unknown. A case that ended as ⊥ before any commit has restored nothing.

    Args:
        trajectory: The episode.
        gold: Its gold bundle, or ``None``.
        restore_only: The episode ends at commit; there is no site to score.
        max_steps: Browse budget for the validator.

    Raises:
        ValueError: The episode has not ended.
    """
    if trajectory.status is EpisodeStatus.RUNNING:
        raise ValueError(f"Chain '{trajectory.chain_id}' is still running: only an ended episode can be scored.")
    outcome = Outcome(
        chain_id=trajectory.chain_id,
        status=trajectory.status,
        validator=validate(trajectory, max_steps=max_steps),
        failures=trajectory.failures,
    )
    if gold is None:
        return outcome
    if trajectory.status is EpisodeStatus.INFRA_ERROR:
        return outcome if restore_only else outcome.model_copy(update={"label": _label(trajectory, gold)})
    never_began = trajectory.status is EpisodeStatus.BOTTOM and trajectory.landing is None
    commit = trajectory.commit or (EMPTY_COMMIT if never_began else None)
    if commit is not None:
        outcome = outcome.model_copy(
            update={
                "gate": gate(commit, gold.entry),
                "restoration": score_restoration(commit, gold.message),
            }
        )
    ends_at_commit = restore_only or trajectory.status is EpisodeStatus.COMMITTED
    return outcome if ends_at_commit else _with_site(outcome, trajectory, gold)


def _label(trajectory: Trajectory, gold: GoldChain) -> LabelResult:
    report = trajectory.report
    return LabelResult(
        gold_decision=gold.site.decision,
        gold_type=gold.site.violation_type,
        predicted_decision=report.decision if report else None,
        predicted_type=canonical_type(report.decision, report.primary_violation_type) if report else None,
    )


def _with_site(outcome: Outcome, trajectory: Trajectory, gold: GoldChain) -> Outcome:
    label = _label(trajectory, gold)
    g = int(outcome.gate.passed) if outcome.gate else None
    never_routed = trajectory.routing == "committed" and not g
    web = None if never_routed else int(label.decision_correct)
    end_to_end = 0 if never_routed else None if g is None or web is None else g * web
    return outcome.model_copy(
        update={
            "label": label,
            "evidence": None
            if never_routed
            else score_evidence(trajectory.report, trajectory.browse_steps(), gold.site),
            "web_correct": web,
            "end_to_end_correct": end_to_end,
            "gate_loss": None if g is None or web is None else (1 - g) * web,
            "first_failure": _first_failure(trajectory.status, label),
        }
    )


def _first_failure(status: EpisodeStatus, label: LabelResult) -> FailureStage:
    if status is EpisodeStatus.BOTTOM:
        return FailureStage.EXECUTION_FAILURE
    if label.predicted_decision is None:
        return FailureStage.MISSING_REPORT
    if not label.decision_correct:
        return FailureStage.DECISION_WRONG
    return FailureStage.SUCCESS if label.exact else FailureStage.TYPE_WRONG
