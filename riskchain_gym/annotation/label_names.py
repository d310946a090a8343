"""Labels and questions as the agreement report calls them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from riskchain_gym.annotation.wording import codebook
from riskchain_gym.protocol.codebook import PSEUDO_TYPES
from riskchain_gym.scoring.label_figures import Question

_QUESTIONS: dict[Question, str] = {"decision": "Decision", "joint": "Decision and main type", "answer": "Answer"}
_ANSWERS = {"yes": "Yes", "no": "No", "cannot_tell": "Cannot tell"}
_SHORT = {
    "FRAUD_DECEPTIVE_INDUCEMENT": "Fraud",
    "PHISHING_CREDENTIAL_THEFT": "Phishing",
    "IMPERSONATION_FAKE_SERVICE": "Impersonation",
    "INVESTMENT_FINANCIAL_FRAUD": "Investment",
    "GAMBLING_BETTING_PROMOTION": "Gambling",
    "CONTROLLED_SUBSTANCE_PROMOTION": "Substances",
    "ADULT_CONTENT_OR_SEXUAL_SERVICE": "Adult",
    "MALWARE_SUSPICIOUS_DOWNLOAD": "Malware",
    "OTHER_PROHIBITED_ACTIVITY": "Other",
    "NONE": "No violation",
    "UNKNOWN": "Insufficient",
    "NON_VIOLATION": "No violation",
    "INSUFFICIENT_EVIDENCE": "Insufficient",
}


def question_name(question: Question) -> str:
    """Return what a question is called at the head of a figure."""
    return _QUESTIONS[question]


def name_of(label: str, *, short: bool = False) -> str:
    """Return what a decision, a type or an answer about a pair is called.

    Args:
        label: As it is stored.
        short: Whether it must fit the head of a narrow column.
    """
    return _SHORT.get(label, _names()[label]) if short else _names()[label]


@cache
def _names() -> Mapping[str, str]:
    words = codebook()
    named = {each["name"]: each["en"] for kind in ("decisions", "types") for each in words[kind]}
    pseudo = {pseudo.value: named[decision.value] for decision, pseudo in PSEUDO_TYPES.items()}
    return named | pseudo | _ANSWERS
