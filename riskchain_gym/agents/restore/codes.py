"""Strips platform emoji codes by their shape: what a code is called is never listed."""

from __future__ import annotations

import re

from riskchain_gym.protocol.message import Platform

CODE_BREAK = "\v"
"""What a line break that follows a code directly becomes: noise in running text, layout inside an entry."""

_BRACKET = r"\[(?!(?:点|dot)\])(?=[^\[\]]*\w)[^\[\]\s]{1,16}\]"
_SLASH = r"/(?:[a-z0-9]{1,8}|[\u4e00-\u9fff]{1,4})(?: |(?=\n|\Z))"
_HASH = r"#\([^()\s]{1,16}\)"
_EMOJI = "[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff](?:[\ufe0f\u200d\U0001f000-\U0001faff])*"

_SHAPES: dict[Platform, str] = {
    Platform.BILIBILI: _BRACKET,
    Platform.DOUYIN: _BRACKET,
    Platform.WEIBO: _BRACKET,
    Platform.WECHAT: f"{_BRACKET}|{_SLASH}",
    Platform.QQ: _SLASH,
    Platform.BAIDU_TIEBA: _HASH,
    Platform.WECHAT_CHANNELS: f"{_BRACKET}|{_EMOJI}",
    Platform.TIKTOK: f"{_BRACKET}|{_EMOJI}",
}
_PATTERNS = {platform: re.compile(f"(?:{shape})(\n?)") for platform, shape in _SHAPES.items()}


def strip_codes(text: str, platform: Platform) -> tuple[str, int]:
    """Return the text without the platform's emoji codes, and how many there were.

    A slash code owns the one space that ends it, so ``从/xk  abc`` keeps a space before the entry.
    A line break right after a code becomes :data:`CODE_BREAK`.

    Args:
        text: Content with line breaks as LF.
        platform: Decides which shapes count as codes.
    """
    plain = text.replace(CODE_BREAK, " ")
    return _PATTERNS[platform].subn(lambda match: CODE_BREAK if match[1] else "", plain)
