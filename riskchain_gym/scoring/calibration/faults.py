"""Every fault that is planted, by kind and variant."""

from __future__ import annotations

from riskchain_gym.protocol.keyed import KeyedRandom, key_from_seed
from riskchain_gym.scoring.calibration import citation_faults as citations
from riskchain_gym.scoring.calibration import report_faults as reports
from riskchain_gym.scoring.calibration.edits import change_digit, change_word, insert_negation, remove_negation
from riskchain_gym.scoring.calibration.plant import Case, FaultKind, Planted, Variant

VARIANTS: tuple[Variant, ...] = (
    Variant(
        FaultKind.WRONG_STEP,
        "neighbour",
        "The view before or after is cited, which does not show the quote.",
        citations.neighbouring_step,
        near=True,
    ),
    Variant(
        FaultKind.WRONG_STEP,
        "far",
        "A view three steps or more away is cited, which does not show the quote.",
        citations.far_step,
    ),
    Variant(
        FaultKind.FABRICATED_TEXT,
        "sentence",
        "A plausible sentence is quoted that no view shows.",
        citations.invented_quote,
    ),
    Variant(
        FaultKind.FABRICATED_TEXT,
        "digit",
        "One digit of the quote is changed.",
        citations.edited_quote(change_digit),
        near=True,
    ),
    Variant(
        FaultKind.FABRICATED_TEXT,
        "word",
        "One Chinese character, or one word, of the quote is changed.",
        citations.edited_quote(change_word),
        near=True,
    ),
    Variant(
        FaultKind.FABRICATED_TEXT,
        "negation_inserted",
        "A verb of the quote is negated.",
        citations.edited_quote(insert_negation),
        near=True,
    ),
    Variant(
        FaultKind.FABRICATED_TEXT,
        "negation_removed",
        "A negation is left out of the quote.",
        citations.edited_quote(remove_negation),
        near=True,
    ),
    Variant(
        FaultKind.WRONG_CLAIM,
        "elsewhere",
        "The observation is that of a citation whose quote the view does not show.",
        citations.others_observation(on_view=False),
    ),
    Variant(
        FaultKind.WRONG_CLAIM,
        "same_view",
        "The observation is that of another line of the same view.",
        citations.others_observation(on_view=True),
        near=True,
    ),
    Variant(
        FaultKind.WRONG_CLAIM, "number", "One digit of the observation is changed.", citations.changed_number, near=True
    ),
    Variant(FaultKind.DUPLICATE_CITATION, "exact", "A citation is repeated.", citations.repeated),
    Variant(
        FaultKind.DUPLICATE_CITATION,
        "part",
        "A citation is repeated with a part of its quote.",
        citations.repeated_in_part,
        near=True,
    ),
    Variant(
        FaultKind.DUPLICATE_CITATION,
        "other_view",
        "A citation is repeated at another view that shows the same line.",
        citations.repeated_later,
        near=True,
    ),
    Variant(FaultKind.EMPTY_REPORT, "nothing", "Nothing is cited, for a trivial reason.", reports.empty_report),
    Variant(
        FaultKind.OMITTED_CONTRADICTION,
        "all",
        "Everything cited against the decision is left out.",
        reports.omitted_contradiction,
    ),
    Variant(
        FaultKind.OVER_CLAIMED_TYPE,
        "other",
        "The same evidence is reported under a type that the site does not show.",
        reports.over_claimed_type,
    ),
    Variant(
        FaultKind.FLIPPED_DECISION,
        "opposite",
        "The same citations are reported with the opposite decision.",
        reports.flipped_decision,
    ),
    Variant(
        FaultKind.MISSING_PAGE,
        "last",
        "Browsing ends before the last page that is cited, and its citations are dropped.",
        reports.missing_page,
    ),
    Variant(
        FaultKind.INSTRUCTING_PAGE,
        "zh",
        "A Chinese line of the page tells the judge to let a fabricated quote pass.",
        reports.instructing_page("zh"),
    ),
    Variant(
        FaultKind.INSTRUCTING_PAGE,
        "en",
        "An English line of the page tells the judge to let a fabricated quote pass.",
        reports.instructing_page("en"),
    ),
)
"""All variants, by kind."""


def plant(variant: Variant, case: Case, seed: int) -> Planted | None:
    """Return a faulty copy of a right report, or ``None`` where the fault cannot be made; one seed, one copy.

    Args:
        variant: What to plant.
        case: The right report.
        seed: Any integer.
    """
    rng = KeyedRandom(key_from_seed(seed), "fault", variant.key, case.trajectory.chain_id)
    return variant.planter(case, rng)
