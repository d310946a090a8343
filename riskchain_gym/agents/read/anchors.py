"""Which anchor type a cited line carries."""

from __future__ import annotations

from riskchain_gym.agents.read.findings import Finding
from riskchain_gym.protocol.codebook import AnchorType, Component

ANCHORS: dict[Component, tuple[AnchorType, ...]] = {
    Component.CLAIM: (
        AnchorType.VISIBLE_TEXT_OR_CLAIM,
        AnchorType.VISUAL_OR_BRAND_IMPERSONATION,
        AnchorType.GAMBLING_ADULT_OR_DRUG_OFFER,
    ),
    Component.ACTION: (
        AnchorType.PAYMENT_RECHARGE_OR_TRANSFER,
        AnchorType.CREDENTIAL_OR_IDENTITY_REQUEST,
        AnchorType.CONTACT_OR_PLATFORM_MIGRATION,
        AnchorType.DOWNLOAD_OR_INSTALL_REQUEST,
        AnchorType.GAMBLING_ADULT_OR_DRUG_OFFER,
    ),
    Component.COUNTER: (AnchorType.COUNTEREVIDENCE_OR_DISCLAIMER,),
    Component.BENIGN: (AnchorType.BENIGN_SERVICE_CONSISTENCY, AnchorType.COUNTEREVIDENCE_OR_DISCLAIMER),
    Component.LIMITATION: (AnchorType.ENVIRONMENT_LIMITATION, AnchorType.LANGUAGE_LIMITATION),
}
"""Anchor types that go with each part."""


def anchor_of(finding: Finding, part: Component) -> AnchorType:
    """Return the anchor type for a line: of those that go with its part the heaviest.

    Args:
        finding: The line.
        part: The part it plays.
    """
    return max(ANCHORS[part], key=lambda anchor: finding.weights.anchors[anchor])
