"""What must be read beside agreement figures, in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from riskchain_gym.benchmark.labels.plan import Plan
from riskchain_gym.scoring.label_figures import Caution, Layers, Question, QuestionAgreement

TENTATIVE, RELIABLE = 0.667, 0.8
"""The customary levels of α: below the first no conclusions, below the second tentative ones (Krippendorff 2004)."""

FEW_UNITS = 50
"""With fewer items, or clusters of them, in comparison the figures are coarse whatever their interval says."""

FREQUENT = 0.8
"""A label that more than this share of passes gave makes α low at a high percent agreement."""

NAMES: dict[Question, str] = {"decision": "the decision", "joint": "decision and main type", "answer": "the answer"}
"""What each question is called in a sentence."""


def cautions(plan: Plan, questions: Sequence[QuestionAgreement], went: Layers, clusters: int) -> tuple[Caution, ...]:
    """Return what to beware of, the gravest first.

    Args:
        plan: The plan.
        questions: The figures of every question.
        went: How the layers went.
        clusters: Clusters of the items that are compared.
    """
    found: list[Caution] = []
    if plan.is_simulated:
        names = ", ".join(worker.name for worker in plan.workers if worker.simulated)
        everyone = all(worker.simulated for worker in plan.workers)
        whose = "no person has answered" if everyone else "they are not answers of people"
        found.append(_caution("simulated", f"Simulated annotators: a program answered for {names}; {whose}."))
    for question in questions:
        found += _levels(question)
    found += _size(questions[0], clusters)
    for question in questions:
        found += _prevalence(question)
    return (*found, *_incomplete(plan, went))


def level(alpha: float) -> str:
    """Return what an α is customarily taken for."""
    if is_below(alpha, TENTATIVE):
        return "below the level at which even tentative conclusions are customary"
    return "tentative conclusions only" if is_below(alpha, RELIABLE) else "customarily taken as reliable"


def is_below(alpha: float, threshold: float) -> bool:
    """Return whether an α is below a level as written, with three decimals: what is shown as .667 is not below it."""
    return round(alpha, 3) < threshold


def written(alpha: float) -> str:
    """Return an α with three decimals and no leading zero, as it is customarily written: ``.655``, ``-.052``."""
    return re.sub(r"^(-?)0\.", r"\1.", f"{alpha:.3f}")


def _levels(question: QuestionAgreement) -> list[Caution]:
    name, alpha = NAMES[question.question], question.alpha
    if alpha.value is None:
        return [_caution("alpha_undefined", f"α of {name} is undefined: {alpha.reason}.")]
    found: list[Caution] = []
    shown = f"α of {name} is {written(alpha.value)}"
    if is_below(alpha.value, TENTATIVE):
        found.append(
            _caution("alpha_low", f"{shown}, {level(alpha.value)} (.667; Krippendorff 2004). Do not build on it.")
        )
    elif is_below(alpha.value, RELIABLE):
        found.append(_caution("alpha_tentative", f"{shown}, between .667 and .8: tentative only (Krippendorff 2004)."))
    if (
        alpha.low is not None
        and alpha.high is not None
        and is_below(alpha.low, TENTATIVE)
        and not is_below(alpha.high, TENTATIVE)
    ):
        span = f"[{written(alpha.low)}, {written(alpha.high)}]"
        found.append(
            _caution("alpha_crosses", f"The interval of α of {name}, {span}, crosses .667: it may lie on either side.")
        )
    return found


def _size(question: QuestionAgreement, clusters: int) -> list[Caution]:
    units = question.percent.units
    if not units or min(units, clusters) >= FEW_UNITS:
        return []
    rough = f"fewer than {FEW_UNITS}: take every figure as a rough one."
    if units >= FEW_UNITS:
        what = f"The {units} items in comparison are in only {clusters} clusters, {rough} Intervals rest on clusters."
    else:
        items = "item has" if units == 1 else "items have"
        what = f"Only {units} {items} two passes, {rough}"
        if 1 < clusters < units:
            what += f" They are in {clusters} clusters, and intervals rest on those."
    return [_caution("few_units", what)]


def _prevalence(question: QuestionAgreement) -> list[Caution]:
    given = Counter[str]()
    for cell in question.confusions:
        given[cell.first] += cell.pairs
        given[cell.second] += cell.pairs
    if not given or question.percent.value is None or question.alpha.value is None:
        return []
    label, times = max(given.items(), key=lambda entry: (entry[1], entry[0]))
    share = times / given.total()
    if share <= FREQUENT or question.percent.value < FREQUENT or not is_below(question.alpha.value, TENTATIVE):
        return []
    return [
        _caution(
            "prevalence",
            f"{100 * share:.0f} % of the answers on {NAMES[question.question]} are {label}. Where one label is so "
            f"frequent, agreement by chance is high: α is {written(question.alpha.value)} although "
            f"{100 * question.percent.value:.1f} % agree. Read the agreement label by label.",
        )
    ]


def _incomplete(plan: Plan, went: Layers) -> list[Caution]:
    found: list[Caution] = []
    if plan.passes < 2:
        found.append(_caution("one_pass", "The plan asks for one pass of each item: nothing says how far two agree."))
    if missing := went.passes_due - went.passes:
        found.append(
            _caution(
                "passes_missing", f"{missing} of {went.passes_due} passes are missing: the figures may still move."
            )
        )
    if missing := went.repeats_due - went.repeats:
        found.append(_caution("repeats_missing", f"{missing} of {went.repeats_due} hidden repeats are missing."))
    if missing := went.reviews_due - went.reviews:
        found.append(_caution("reviews_missing", f"{missing} of {went.disagreements} disagreements wait for a review."))
    if unreviewed := went.disagreements - went.reviews_due:
        found.append(
            _caution("no_reviewer", f"{unreviewed} of {went.disagreements} disagreements have no reviewer in the plan.")
        )
    if missing := went.disagreements - went.adjudications:
        found.append(
            _caution(
                "adjudications_missing",
                f"{missing} of {went.disagreements} disagreements are not adjudicated: their items have no label.",
            )
        )
    return found


def _caution(code: str, text: str) -> Caution:
    return Caution(code=code, text=text)
