"""Words by which models decline, in English and Chinese."""

from __future__ import annotations

import re

HEAD = 80
"""Code points at the start of an answer in which it declines if it does."""

_MARKERS = re.compile(
    r"\b(?:i(?:'m| am)|we(?:'re| are)) (?:sorry|afraid|unable|not able|not allowed|not comfortable)\b"
    r"|\bi(?: must| have to)? (?:can(?:no|')t|won't|will not|decline)\b"
    r"|\bi(?:'m| am) going to have to decline\b"
    r"|\b(?:against|violates?) (?:my|our) (?:guidelines|policy|policies)\b"
    r"|\bas an ai\b"
    r"|(?:抱歉|对不起|對不起|不好意思)[,，。!！、]?\s*(?:我(?!们|們)|这个(?:请求|问题)|這個(?:請求|問題)|无法|無法|不能)"
    r"|(?:我|本助手|本模型)(?:无法|無法|不能|不可以|没有办法|沒有辦法)(?:协助|協助|帮助|幫助|提供|回答|处理|處理|完成|满足|滿足|讨论|討論)"
    r"|作为(?:一个|一款)?(?:人工智能|AI)|作為(?:一個|一款)?(?:人工智慧|AI)"
    r"|换个话题|換個話題"
    r"|违反.{0,8}(?:规定|准则|政策|法律)|違反.{0,8}(?:規定|準則|政策|法律)",
    re.IGNORECASE,
)


def declines(text: str) -> bool:
    """Say whether an answer in prose begins by declining.

    An answer that is JSON is never asked about: a page may well say such words, and an answer may quote it.

    Args:
        text: The answer.
    """
    return _MARKERS.search(text.strip()[:HEAD].replace("’", "'")) is not None
