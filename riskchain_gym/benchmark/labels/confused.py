"""A model of annotators who sometimes err: what a simulated one answers about a site whose gold is known."""

from __future__ import annotations

import math
from dataclasses import dataclass

from riskchain_gym.benchmark.labels.answers import SiteAnswer
from riskchain_gym.protocol.codebook import (
    CONCRETE_TYPES,
    PSEUDO_TYPES,
    AnchorType,
    Decision,
    EnvironmentStatus,
    ViolationType,
)
from riskchain_gym.protocol.gold import SiteGold
from riskchain_gym.protocol.keyed import KeyedRandom

SPREAD = 0.03
"""How far an annotator's accuracy lies from the common one at most, either way."""

HARDER = {Decision.VIOLATION: 0.0, Decision.NON_VIOLATION: 0.0, Decision.INSUFFICIENT_EVIDENCE: 0.04}
"""By how much each decision is missed more often than the common accuracy says."""

TYPE_SLIP = 0.03
"""How often the main type of a violation that was seen is a neighbour of the right one."""

LEANS = 4
"""How many times as often as the other an annotator errs towards the decision that he or she leans to."""

NEIGHBOURS: dict[ViolationType, tuple[ViolationType, ...]] = {
    ViolationType.FRAUD_DECEPTIVE_INDUCEMENT: (
        ViolationType.INVESTMENT_FINANCIAL_FRAUD,
        ViolationType.IMPERSONATION_FAKE_SERVICE,
    ),
    ViolationType.PHISHING_CREDENTIAL_THEFT: (
        ViolationType.IMPERSONATION_FAKE_SERVICE,
        ViolationType.FRAUD_DECEPTIVE_INDUCEMENT,
    ),
    ViolationType.IMPERSONATION_FAKE_SERVICE: (
        ViolationType.PHISHING_CREDENTIAL_THEFT,
        ViolationType.FRAUD_DECEPTIVE_INDUCEMENT,
    ),
    ViolationType.INVESTMENT_FINANCIAL_FRAUD: (ViolationType.FRAUD_DECEPTIVE_INDUCEMENT,),
    ViolationType.GAMBLING_BETTING_PROMOTION: (
        ViolationType.INVESTMENT_FINANCIAL_FRAUD,
        ViolationType.ADULT_CONTENT_OR_SEXUAL_SERVICE,
    ),
    ViolationType.CONTROLLED_SUBSTANCE_PROMOTION: (ViolationType.OTHER_PROHIBITED_ACTIVITY,),
    ViolationType.ADULT_CONTENT_OR_SEXUAL_SERVICE: (ViolationType.FRAUD_DECEPTIVE_INDUCEMENT,),
    ViolationType.MALWARE_SUSPICIOUS_DOWNLOAD: (
        ViolationType.PHISHING_CREDENTIAL_THEFT,
        ViolationType.IMPERSONATION_FAKE_SERVICE,
    ),
    ViolationType.OTHER_PROHIBITED_ACTIVITY: (
        ViolationType.FRAUD_DECEPTIVE_INDUCEMENT,
        ViolationType.CONTROLLED_SUBSTANCE_PROMOTION,
    ),
}
"""Types that are taken for one another."""

NOTE = "Simulated answer: no person has looked at this site."
"""The note of every simulated answer."""

_MEDIAN_SECONDS = 95


@dataclass(frozen=True)
class ConfusedAnnotator:
    """One simulated annotator.

    Attributes:
        accuracy: How often the decision is right on average, 0 to 1.
        leans_to: The decision that errors lean to.
    """

    accuracy: float
    leans_to: Decision

    @classmethod
    def drawn(cls, accuracy: float, place: int, rng: KeyedRandom) -> ConfusedAnnotator:
        """Return an annotator with an accuracy near the common one.

        Args:
            accuracy: The common accuracy, 0 to 1.
            place: Which of the annotators, from 0: leanings go round.
            rng: Draws the difference.
        """
        own = accuracy + SPREAD * (2 * _share(rng) - 1) if accuracy < 1 else 1.0
        return cls(accuracy=min(1.0, max(0.0, own)), leans_to=tuple(Decision)[place % len(Decision)])

    def answer(self, gold: SiteGold, rng: KeyedRandom) -> SiteAnswer:
        """Return an answer about a site.

        Args:
            gold: What is right.
            rng: Draws everything that is left to chance.
        """
        decision = gold.decision
        if not rng.chance(self._accuracy(decision)):
            others = [other for other in Decision if other is not decision]
            decision = rng.weighted(others, [LEANS if other is self.leans_to else 1 for other in others])
        main = PSEUDO_TYPES.get(decision) or self._type(gold, rng)
        right = (decision, main) == (gold.decision, gold.violation_type)
        insufficient = decision is Decision.INSUFFICIENT_EVIDENCE
        anchors = {atom.anchor for atom in gold.deciding_atoms()} if right else {AnchorType.VISIBLE_TEXT_OR_CLAIM}
        return SiteAnswer(
            environment_status=EnvironmentStatus.PARTIAL if insufficient else EnvironmentStatus.COMPLETE,
            decision=decision,
            primary_violation_type=main,
            evidence_anchor_types=tuple(anchor for anchor in AnchorType if anchor in anchors),
            confidence=rng.weighted(range(1, 6), (1, 3, 10, 40, 46) if right else (6, 16, 34, 30, 14)),
            note=NOTE,
        )

    def _accuracy(self, decision: Decision) -> float:
        return 1.0 if self.accuracy == 1 else max(0.0, self.accuracy - HARDER[decision])

    def _type(self, gold: SiteGold, rng: KeyedRandom) -> ViolationType:
        """Return the main type of what is taken for a violation."""
        if gold.decision is Decision.VIOLATION:
            slip = self.accuracy < 1 and rng.chance(TYPE_SLIP)
            return rng.choice(NEIGHBOURS[gold.violation_type]) if slip else gold.violation_type
        half_seen = {atom.violation_type for atom in gold.atoms}
        return rng.choice([each for each in CONCRETE_TYPES if each in half_seen] or CONCRETE_TYPES)


def drawn_seconds(rng: KeyedRandom) -> float:
    """Return a time for one task, in seconds: log-normal about a minute and a half, as an invented person's."""
    # Twelve uniform draws less six are near enough to a normal one, and the same on every machine.
    normal = sum(_share(rng) for _ in range(12)) - 6
    return round(_MEDIAN_SECONDS * math.exp(0.45 * normal), 1)


def _share(rng: KeyedRandom) -> float:
    return rng.below(1 << 53) / (1 << 53)
