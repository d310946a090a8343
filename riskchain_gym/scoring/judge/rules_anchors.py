"""Anchor types by the decision that a citation of the kind speaks for."""

from __future__ import annotations

from riskchain_gym.protocol.codebook import AnchorType

ASKED_WORDS: dict[AnchorType, str] = {
    AnchorType.PAYMENT_RECHARGE_OR_TRANSFER: "payment",
    AnchorType.CREDENTIAL_OR_IDENTITY_REQUEST: "credential",
    AnchorType.CONTACT_OR_PLATFORM_MIGRATION: "contact",
    AnchorType.DOWNLOAD_OR_INSTALL_REQUEST: "download",
}
"""Anchors of what a visitor is asked for, with the word list of each."""

RISK_ANCHORS = frozenset(
    {*ASKED_WORDS, AnchorType.GAMBLING_ADULT_OR_DRUG_OFFER, AnchorType.VISUAL_OR_BRAND_IMPERSONATION}
)
"""Anchors of what violations are made of."""

BENIGN_ANCHORS = frozenset({AnchorType.BENIGN_SERVICE_CONSISTENCY, AnchorType.COUNTEREVIDENCE_OR_DISCLAIMER})
"""Anchors that speak against a violation."""

LIMIT_ANCHORS = frozenset({AnchorType.ENVIRONMENT_LIMITATION, AnchorType.LANGUAGE_LIMITATION})
"""Anchors that say that something could not be looked at."""
