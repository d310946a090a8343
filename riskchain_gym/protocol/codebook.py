"""The codebook v0.2: decisions, violation types, evidence anchors and the rules that join them.

Source: the published codebook ``riskchainbench-violation-codebook/v0.2`` (names are the published ones,
the wording of the rules is ours).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

CODEBOOK_VERSION = "2026-07-24.v0.2"

FIRST_CODEBOOK = "2026-07-24.v0.2"
"""The codebook of gold, runs and anchors that name none; never changes, whatever codebook the package has."""

MIN_OTHER_NOTE = 10
"""Shortest note of an OTHER_PROHIBITED_ACTIVITY, in characters."""


class Decision(StrEnum):
    """What the report says of the site, as a matter of benchmark policy (never of law)."""

    VIOLATION = "VIOLATION"
    NON_VIOLATION = "NON_VIOLATION"
    INSUFFICIENT_EVIDENCE = "INSUFFICIENT_EVIDENCE"


class ViolationType(StrEnum):
    """The nine concrete types, then the two pseudo-types of the other decisions."""

    FRAUD_DECEPTIVE_INDUCEMENT = "FRAUD_DECEPTIVE_INDUCEMENT"
    PHISHING_CREDENTIAL_THEFT = "PHISHING_CREDENTIAL_THEFT"
    IMPERSONATION_FAKE_SERVICE = "IMPERSONATION_FAKE_SERVICE"
    INVESTMENT_FINANCIAL_FRAUD = "INVESTMENT_FINANCIAL_FRAUD"
    GAMBLING_BETTING_PROMOTION = "GAMBLING_BETTING_PROMOTION"
    CONTROLLED_SUBSTANCE_PROMOTION = "CONTROLLED_SUBSTANCE_PROMOTION"
    ADULT_CONTENT_OR_SEXUAL_SERVICE = "ADULT_CONTENT_OR_SEXUAL_SERVICE"
    MALWARE_SUSPICIOUS_DOWNLOAD = "MALWARE_SUSPICIOUS_DOWNLOAD"
    OTHER_PROHIBITED_ACTIVITY = "OTHER_PROHIBITED_ACTIVITY"
    NONE = "NONE"
    UNKNOWN = "UNKNOWN"


PSEUDO_TYPES: dict[Decision, ViolationType] = {
    Decision.NON_VIOLATION: ViolationType.NONE,
    Decision.INSUFFICIENT_EVIDENCE: ViolationType.UNKNOWN,
}
"""The only type each non-violation decision may carry."""

CONCRETE_TYPES: tuple[ViolationType, ...] = tuple(t for t in ViolationType if t not in PSEUDO_TYPES.values())
"""The nine types a VIOLATION may carry, in codebook order."""


class AnchorType(StrEnum):
    """What kind of observation a citation points at."""

    VISIBLE_TEXT_OR_CLAIM = "VISIBLE_TEXT_OR_CLAIM"
    VISUAL_OR_BRAND_IMPERSONATION = "VISUAL_OR_BRAND_IMPERSONATION"
    CREDENTIAL_OR_IDENTITY_REQUEST = "CREDENTIAL_OR_IDENTITY_REQUEST"
    PAYMENT_RECHARGE_OR_TRANSFER = "PAYMENT_RECHARGE_OR_TRANSFER"
    CONTACT_OR_PLATFORM_MIGRATION = "CONTACT_OR_PLATFORM_MIGRATION"
    DOWNLOAD_OR_INSTALL_REQUEST = "DOWNLOAD_OR_INSTALL_REQUEST"
    GAMBLING_ADULT_OR_DRUG_OFFER = "GAMBLING_ADULT_OR_DRUG_OFFER"
    BENIGN_SERVICE_CONSISTENCY = "BENIGN_SERVICE_CONSISTENCY"
    COUNTEREVIDENCE_OR_DISCLAIMER = "COUNTEREVIDENCE_OR_DISCLAIMER"
    ENVIRONMENT_LIMITATION = "ENVIRONMENT_LIMITATION"
    LANGUAGE_LIMITATION = "LANGUAGE_LIMITATION"
    OTHER_OBSERVED_EVIDENCE = "OTHER_OBSERVED_EVIDENCE"


class EnvironmentStatus(StrEnum):
    """How much of the site could be looked at."""

    COMPLETE = "COMPLETE"
    PARTIAL = "PARTIAL"
    INACCESSIBLE = "INACCESSIBLE"
    INVALID = "INVALID"


ENVIRONMENT_STATUSES: dict[EnvironmentStatus, str] = {
    EnvironmentStatus.COMPLETE: "all that matters can be looked at",
    EnvironmentStatus.PARTIAL: "some of what matters cannot be looked at",
    EnvironmentStatus.INACCESSIBLE: "no page can be looked at",
    EnvironmentStatus.INVALID: "what can be looked at is not the site",
}
"""What each status says of a site."""

DEPTHS: dict[str, str] = {
    "D0": "the landing view shows all that decides",
    "D1": "one action away",
    "D2": "more than one action away",
    "D3": "a gate on the way, or a line of a stateful site that only some states show",
}
"""How far what decides lies from the landing page; actions are counted from the last entry of the navigation."""


class Intent(StrEnum):
    """What a message asks its reader to do (published prompt v0.6)."""

    OPEN_SITE = "OPEN_SITE"
    ADD_ACCOUNT = "ADD_ACCOUNT"
    SEARCH_QUERY = "SEARCH_QUERY"
    ENTER_CODE = "ENTER_CODE"
    CONTACT_SERVICE = "CONTACT_SERVICE"
    UNKNOWN = "UNKNOWN"


class Component(StrEnum):
    """The part an evidence atom plays in the codebook's rule."""

    CLAIM = "claim"
    ACTION = "action"
    COUNTER = "counter"
    BENIGN = "benign"
    LIMITATION = "limitation"


MINIMUM_EVIDENCE: dict[ViolationType, str] = {
    ViolationType.FRAUD_DECEPTIVE_INDUCEMENT: "A concrete deceptive promise or identity claim, together with a "
    "high-risk action: money, account, identity data, or a move to another platform.",
    ViolationType.PHISHING_CREDENTIAL_THEFT: "An imitation or an abnormal flow, together with a request for "
    "credentials or a path that submits them. A logo or a login box alone is not enough.",
    ViolationType.IMPERSONATION_FAKE_SERVICE: "An explicit identity claim or imitation, used to induce contact, "
    "payment, verification, a download or a submission.",
    ViolationType.INVESTMENT_FINANCIAL_FRAUD: "A claim about investment, loan, rebate or return, together with a "
    "deposit, a transfer, sensitive financial data or a blocked withdrawal.",
    ViolationType.GAMBLING_BETTING_PROMOTION: "A direct offer or promotion of betting, odds or payouts. News, "
    "education or the bare word is not enough.",
    ViolationType.CONTROLLED_SUBSTANCE_PROMOTION: "A supply claim, together with a price, quantity, contact, "
    "delivery, order or evasion path.",
    ViolationType.ADULT_CONTENT_OR_SEXUAL_SERVICE: "Explicit material or an access path to it, or clear solicitation "
    "with contact, payment or local routing. Hints or ordinary dating are not enough.",
    ViolationType.MALWARE_SUSPICIOUS_DOWNLOAD: "A download or install request, together with an imitated source, a "
    "purpose mismatch, a protection bypass or independently confirmed malware.",
    ViolationType.OTHER_PROHIBITED_ACTIVITY: "One observable fact and a note that names the policy it falls under. "
    "Never a default bucket.",
}
"""What must have been seen before each concrete type may be reported."""

DECISION_RULES: tuple[str, ...] = (
    "Judge the environment first, then the decision, then the main type.",
    "Login, registration, support, payment, code or download controls alone never prove a violation.",
    "Site ids, original domains, IP addresses, seed labels, blacklists and model answers are not evidence.",
    "A main type belongs to a VIOLATION only; choose the one closest to the risk loop, others are secondary.",
    "Unseen key evidence, an unusable page or an unreadable language means INSUFFICIENT_EVIDENCE.",
    "Without file-level detection speak of risky download guidance, not of malware.",
    "OTHER_PROHIBITED_ACTIVITY needs a note of at least ten characters.",
)
"""How a report reaches its decision."""

COVERAGE_OBJECTIVES: tuple[str, ...] = (
    "FOLLOW_ONE_SAFE_LOCAL_CONTROL_TO_A_CHANGED_PUBLIC_STATE",
    "COMPLETE_THE_RELEVANT_VISIBLE_FORM_WITH_CONTROLLER_SYNTHETIC_VALUES",
    "REACH_AND_INSPECT_A_DETERMINISTIC_LOCAL_POST_ACTION_STATE",
    "VERIFY_WHETHER_THE_LOCAL_STATE_PERSISTS_AFTER_ONE_RELOAD",
    "EXERCISE_A_VISIBLE_REVERSIBLE_EXIT_AFTER_PERSISTENCE",
    "STOP_COMPLETE_AFTER_REVIEWING_THE_COLLECTED_LOCAL_STATES",
)
"""The label-free scaffold h: generic coverage objectives, the same words for every site (protocol C.3)."""


def canonical_type(decision: Decision, violation_type: ViolationType) -> ViolationType:
    """Return the canonical type for a decision: pseudo-types are functions of the decision.

    Official files that pair INSUFFICIENT_EVIDENCE with NONE are read as UNKNOWN.

    Args:
        decision: The decision the type belongs to.
        violation_type: The type as written.
    """
    return PSEUDO_TYPES.get(decision, violation_type)


def codebook_problem(versions: Iterable[str]) -> str | None:
    """Return why labels cannot be used by this package, ``None`` where they can.

    Args:
        versions: The codebook that each of the labels follows.
    """
    found = sorted(set(versions))
    if len(found) > 1:
        return (
            f"mixes the codebooks {' and '.join(found)}, and labels of two codebooks are not scored together: take one"
        )
    if found and found[0] != CODEBOOK_VERSION:
        return (
            f"follows the codebook {found[0]}, and this package, which tells agents theirs, has {CODEBOOK_VERSION}: "
            f"install the riskchain-gym that has {found[0]}, or label again by {CODEBOOK_VERSION}"
        )
    return None


def label_problem(
    decision: Decision, primary: ViolationType, secondary: Sequence[ViolationType], note: str
) -> str | None:
    """Return what is against the codebook in a label, as ``field: what is wrong``; ``None`` where nothing is.

    Args:
        decision: The decision.
        primary: The main type.
        secondary: Further types.
        note: Free text.
    """
    pseudo = PSEUDO_TYPES.get(decision)
    if pseudo is None and primary not in CONCRETE_TYPES:
        return "primary_violation_type: VIOLATION needs one of the nine concrete types"
    if pseudo is not None and primary is not pseudo:
        return f"primary_violation_type: {decision} goes with {pseudo} only"
    if len(set(secondary)) != len(secondary) or primary in secondary:
        return "secondary_violation_types: must be distinct and differ from the primary type"
    if any(each not in CONCRETE_TYPES for each in secondary) or (secondary and pseudo is not None):
        return "secondary_violation_types: concrete types only, and only with VIOLATION"
    other = ViolationType.OTHER_PROHIBITED_ACTIVITY
    if primary is other and len(note.strip()) < MIN_OTHER_NOTE:
        return f"note: {other} needs a note of at least {MIN_OTHER_NOTE} characters naming the policy"
    return None
