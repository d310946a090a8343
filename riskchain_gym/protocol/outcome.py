"""The outcome of an episode: gate, label, evidence, judge and validator results, never mixed."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import SerializerFunctionWrapHandler, model_serializer

from riskchain_gym.protocol.codebook import Decision, ViolationType
from riskchain_gym.protocol.failures import EpisodeStatus, Failure, FailureStage
from riskchain_gym.protocol.model import Frozen, without_unsaid


class GateResult(Frozen):
    """Whether the committed rank-1 entry resolves to the chain's site, under the three published policies (B.6).

    Attributes:
        passed: The headline gate g, by the historical policy.
        strict: The strict helper's answer.
        handoff: The handoff builder's answer (abstain closes it).
        candidate: The entry that was looked up, or ``None`` if none was ranked.
    """

    passed: bool
    strict: bool
    handoff: bool
    candidate: str | None = None


class RestorationResult(Frozen):
    """How the restored text compares with the canonical message.

    Attributes:
        message_exact: All messages equal after the published normalisation.
        edit_distance: Code-point edits to the canonical text, summed over messages.
        reference_length: Code points of the canonical text, summed over messages.
        intent_correct: Intent equal after NFKC and case folding.
        full: Messages, intent, platform and rank-1 entry all right.
        entry_rank: Rank position (1 is first) of the right entry among the candidates, or ``None``.
        candidates: How many entries were named, 0 to 5.
        token_distance: Edits to the canonical text in mixed tokens (protocol B.1), summed over messages.
        reference_tokens: Mixed tokens of the canonical text, summed over messages.
    """

    message_exact: bool
    edit_distance: int
    reference_length: int
    intent_correct: bool
    full: bool
    entry_rank: int | None = None
    candidates: int = 0
    token_distance: int = 0
    reference_tokens: int = 0


class LabelResult(Frozen):
    """The report against the label; ``None`` predictions mean a missing or invalid report (⊥)."""

    gold_decision: Decision
    gold_type: ViolationType
    predicted_decision: Decision | None = None
    predicted_type: ViolationType | None = None

    @property
    def decision_correct(self) -> bool:
        """Whether the decision is right."""
        return self.predicted_decision is self.gold_decision

    @property
    def exact(self) -> bool:
        """Hierarchical exact match: decision and type are both right."""
        return self.decision_correct and self.predicted_type is self.gold_type

    def without_report(self) -> LabelResult:
        """Return what it is where no report, or none that is known, stands against the label."""
        return self.model_copy(update={"predicted_decision": None, "predicted_type": None})


class EvidenceResult(Frozen):
    """Citations against the evidence atoms; each figure is 0 to 1.

    Attributes:
        precision: Share of citations that hit a deciding atom seen at the cited step, each atom counted once.
        recall: Share of the deciding atoms that are cited.
        f1: Harmonic mean of the two.
        seen: Share of the deciding atoms that were shown to the agent at all.
        sufficient: Whether the cited atoms contain a minimal deciding set.
        contradiction: Whether a citation supports a different decision than the report's.
        over_citation: Share of citations beyond the first for the same atom or that hit nothing.
        unverified: Share of citations with a quote that is said to stand in a picture, where no atom bears it out.
        citations: How many citations there are; what is said of their share means nothing where it is 0.
    """

    precision: float
    recall: float
    f1: float
    seen: float
    sufficient: bool
    contradiction: bool
    over_citation: float
    unverified: float = 0.0
    citations: int = 0


JUDGE_DIMENSIONS = ("faithfulness", "sufficiency", "completeness", "consistency")
"""The published four dimensions of a judge (protocol D.1)."""


class DimensionResult(Frozen):
    """One dimension of a judge.

    Attributes:
        score: Share of the settled points that were settled for the report, 0 to 1; ``None`` if none was settled.
        points: Points that were put to the judge.
        settled: How many of them it settled.
    """

    score: float | None = None
    points: int = 0
    settled: int = 0


class JudgeResult(Frozen):
    """What a judge says of the relation between report and trajectory; never part of ``benchmark_score``.

    Attributes:
        status: ``not_run``: nobody asked, or there is no report to ask about. ``scored``: at least one point was
            settled. ``abstained``: the judge could tell nothing. ``judge_error``: it failed and settled nothing.
        judge: Name and version of the judge.
        questions: Questions asked.
        errors: Questions on which the judge itself failed; they settle nothing.
        adverse: Points that were settled against the report.
        faithfulness: Do the citations show what they say.
        sufficiency: Do they add up to what the codebook asks.
        completeness: Was what bears on the decision looked at and told.
        consistency: Do decision, citations and reason agree.
    """

    status: Literal["not_run", "scored", "abstained", "judge_error"] = "not_run"
    judge: str = ""
    questions: int = 0
    errors: int = 0
    adverse: tuple[str, ...] = ()
    faithfulness: DimensionResult = DimensionResult()
    sufficiency: DimensionResult = DimensionResult()
    completeness: DimensionResult = DimensionResult()
    consistency: DimensionResult = DimensionResult()

    @property
    def dimensions(self) -> dict[str, DimensionResult]:
        """The four dimensions by name."""
        return {name: getattr(self, name) for name in JUDGE_DIMENSIONS}

    def flat(self) -> dict[str, str | float]:
        """Return the status, and the score of every dimension that has one, under dotted keys."""
        scores = {f"judge.{name}": result.score for name, result in self.dimensions.items()}
        return {"judge.status": self.status, **{key: score for key, score in scores.items() if score is not None}}


class ValidatorResult(Frozen):
    """V(τ,E): were the actions legal, is the chain of hashes whole, do the citations resolve.

    Attributes:
        valid: Whether there is no problem.
        problems: What is wrong, each with its place.
        unverifiable: Places of citations whose quote is said to stand in a picture. What pictures show is recorded
            nowhere, so they count neither as problems nor as checked.
    """

    valid: bool
    problems: tuple[str, ...] = ()
    unverifiable: tuple[str, ...] = ()


class RevisedResult(Frozen):
    """What the revision of a restoration would have come to; it is counted apart, and never part of any other figure.

    Attributes:
        gate: The gate of the revised commit.
        restoration: The revised restoration against the canonical message.
        end_to_end_correct: a^w times the revised gate; ``None`` where a^w is unknown.
    """

    gate: GateResult
    restoration: RestorationResult
    end_to_end_correct: int | None = None


class Outcome(Frozen):
    """Everything scored about one episode.

    Attributes:
        status: How the episode ended.
        routing: ``reference``, or ``committed``, where a wrong entry never got to a site: such outcomes are counted
            apart.
        web_correct: a^w, the report's decision is right under correct routing; ``None`` when unknown.
        end_to_end_correct: a^e = g·a^w; ``None`` when unknown.
        gate_loss: δ = a^w − a^e = (1−g)·a^w; ``None`` when unknown.
        first_failure: Where the episode first went wrong; ``None`` for ``infra_error`` or without gold.
        cause: The event that it is put down to; ``None`` for a success, and where no event tells.
        gate: ``None`` in a browse-only episode, or without gold.
        failures: Everything that went wrong on the way, recovered or not, in order.
        lost_length: Code points of the canonical text of an ``infra_error``, all of them missing in the character error
            rate of a set, so that nobody gains by losing an episode; 0 for any other.
        revised: The revision that was sent after browsing; ``None``, and left out of JSON, where none was.
    """

    chain_id: str
    status: EpisodeStatus
    routing: str = "reference"
    web_correct: int | None = None
    end_to_end_correct: int | None = None
    gate_loss: int | None = None
    first_failure: FailureStage | None = None
    cause: Failure | None = None
    gate: GateResult | None = None
    restoration: RestorationResult | None = None
    label: LabelResult | None = None
    evidence: EvidenceResult | None = None
    judge: JudgeResult = JudgeResult()
    validator: ValidatorResult
    failures: tuple[Failure, ...] = ()
    lost_length: int = 0
    revised: RevisedResult | None = None

    @model_serializer(mode="wrap")
    def _dumped(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return without_unsaid(dump(self), revised=None)

    @property
    def benchmark_score(self) -> int | None:
        """The benchmark's score of the chain, a^e."""
        return self.end_to_end_correct

    def flat(self) -> dict[str, str | int | float | bool]:
        """Return scalars only, keys dotted (``gate.passed``); unknown values are left out, never zero.

        Figures of a revision begin with ``revised_``. Of an ``infra_error`` nothing that looks like a score is left.
        """
        flat: dict[str, str | int | float | bool] = {}
        hidden = {"failures", "validator", "judge", "lost_length", "revised"}
        if self.status is EpisodeStatus.INFRA_ERROR:
            hidden.add("label")
        figures = self.model_dump(mode="json", exclude=hidden)
        revised = self.revised.model_dump(mode="json") if self.revised is not None else {}
        for key, value in {**figures, **{f"revised_{name}": each for name, each in revised.items()}}.items():
            items = {f"{key}.{k}": v for k, v in value.items()} if isinstance(value, dict) else {key: value}
            flat.update({k: v for k, v in items.items() if v is not None})
        flat |= self.judge.flat()
        flat["validator.valid"] = self.validator.valid
        flat["validator.problems"] = "; ".join(self.validator.problems)
        flat["validator.unverifiable"] = "; ".join(self.validator.unverifiable)
        flat["failures"] = ",".join(f.kind for f in self.failures)
        return flat
