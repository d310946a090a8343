"""Which anchor type a cited line carries."""

from __future__ import annotations

from riskchain_gym.agents.read.findings import Finding
from riskchain_gym.protocol.codebook import AnchorType, Component, ViolationType

_OFFERS = frozenset(
    {
        ViolationType.GAMBLING_BETTING_PROMOTION,
        ViolationType.CONTROLLED_SUBSTANCE_PROMOTION,
        ViolationType.ADULT_CONTENT_OR_SEXUAL_SERVICE,
    }
)

_BY_WORDS: tuple[tuple[AnchorType, tuple[str, ...]], ...] = (
    (AnchorType.DOWNLOAD_OR_INSTALL_REQUEST, ("下载", "安装", "杀毒", "防护软件", "实时保护", "download", "install")),
    (
        AnchorType.CREDENTIAL_OR_IDENTITY_REQUEST,
        ("密码", "验证码", "助记词", "短语", "私钥", "身份证", "卡号", "证件", "安全码", "password", "passphrase"),
    ),
    (
        AnchorType.PAYMENT_RECHARGE_OR_TRANSFER,
        (
            "充值",
            "支付",
            "付款",
            "转账",
            "汇",
            "缴",
            "垫付",
            "保证金",
            "押金",
            "费",
            "元",
            "提现",
            "入金",
            "钱包",
            "pay",
            "fee",
        ),
    ),
    (
        AnchorType.CONTACT_OR_PLATFORM_MIGRATION,
        ("微信", "联系", "添加", "私聊", "客服", "好友", "群", "contact", "chat"),
    ),
)


def anchor_of(finding: Finding, decided: ViolationType) -> AnchorType:
    """Return the anchor type for a line.

    Args:
        finding: The line and the part it plays.
        decided: The type the report names.
    """
    match finding.component:
        case Component.LIMITATION:
            return AnchorType.ENVIRONMENT_LIMITATION
        case Component.BENIGN:
            return AnchorType.BENIGN_SERVICE_CONSISTENCY
        case Component.COUNTER:
            return AnchorType.COUNTEREVIDENCE_OR_DISCLAIMER
        case Component.CLAIM:
            return AnchorType.GAMBLING_ADULT_OR_DRUG_OFFER if decided in _OFFERS else AnchorType.VISIBLE_TEXT_OR_CLAIM
        case Component.ACTION:
            return _action_anchor(finding.line.lower())


def _action_anchor(line: str) -> AnchorType:
    for anchor, words in _BY_WORDS:
        if any(word in line for word in words):
            return anchor
    return AnchorType.OTHER_OBSERVED_EVIDENCE
