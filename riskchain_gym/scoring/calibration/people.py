"""How far people agree among themselves on the anchors that a judge is measured by."""

from __future__ import annotations

from collections.abc import Sequence

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.scoring.agreement import Agreed, Measure, Ratings, UndefinedAgreementError, agreement
from riskchain_gym.scoring.calibration.anchors import Anchor
from riskchain_gym.scoring.label_cautions import TENTATIVE, is_below, level, written

KAPPA_RATERS = 2
"""Cohen's κ is of two raters."""


class PeopleAgreement(Frozen):
    """Agreement of people's first answers; a review is asked for where those differ, so it does not count.

    Attributes:
        people: How many people gave them.
        anchors: Anchors with such answers of two people or more.
        percent: Share of pairs of answers to the same anchor that are equal, ``None`` without any pair.
        kappa: Cohen's κ, where there are two people and it is defined.
        alpha: Krippendorff's α, where it is defined.
        doubt: What must be known before a judge is compared with these people, in words; ``""`` for nothing.
    """

    people: int
    anchors: int
    percent: Agreed | None
    kappa: Agreed | None
    alpha: Agreed | None
    doubt: str = ""


def people_agreement(anchors: Sequence[Anchor], *, seed: int = 0, replicates: int = 2000) -> PeopleAgreement:
    """Return how far people agree; intervals draw clusters of anchors.

    Args:
        anchors: Anchors that people gave.
        seed: Seed of the draws.
        replicates: Bootstrap samples.
    """
    said = [{a.annotator: str(a.answer) for a in anchor.annotators if a.layer == "pass"} for anchor in anchors]
    people = sorted({name for answers in said for name in answers})
    compared = [(answers, anchor.cluster) for answers, anchor in zip(said, anchors, strict=True) if len(answers) > 1]
    ratings = [[answers.get(name) for name in people] for answers, _ in compared]
    clusters = [cluster for _, cluster in compared]

    def of(measure: Measure) -> Agreed | None:
        return agreed(measure, ratings, clusters, seed=seed, replicates=replicates)

    percent, alpha = of("percent"), of("alpha")
    return PeopleAgreement(
        people=len(people),
        anchors=len(compared),
        percent=percent,
        kappa=of("kappa") if len(people) == KAPPA_RATERS else None,
        alpha=alpha,
        doubt=_doubt(percent, alpha),
    )


def agreed(measure: Measure, ratings: Ratings, clusters: Sequence[str], *, seed: int, replicates: int) -> Agreed | None:
    """Return a measure with its interval, ``None`` where it is undefined."""
    try:
        return agreement(measure, ratings, clusters=clusters, seed=seed, replicates=replicates)
    except UndefinedAgreementError:
        return None


def _doubt(percent: Agreed | None, alpha: Agreed | None) -> str:
    if percent is None:
        return "No anchor has first answers of two people: nothing says how far people agree on such claims."
    if alpha is None:
        return "All first answers are the same one, so α of the people is undefined: read the percent agreement."
    if is_below(alpha.value, TENTATIVE):
        return (
            f"People do not agree on these claims themselves: their α is {written(alpha.value)}, {level(alpha.value)} "
            "(.667; Krippendorff 2004). How a judge compares with them says little."
        )
    return ""
