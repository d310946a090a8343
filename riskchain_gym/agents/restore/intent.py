"""Names what a message asks its reader to do, by rules a person can follow."""

from __future__ import annotations

import re

from riskchain_gym.protocol.codebook import Intent

_MARK = "\ufdd0"
"""Stands for an entry while clauses are looked at; it is no character of any message."""

_CLAUSE = re.compile(r"[，。！？；,!?;\n]")
_CODE = "(?:码|口令|暗号)"
_STAFF = "(?:客服|专员|顾问|管理员|老师|工作人员)"
_ACCOUNT = "(?:账号|帐号|好友|微信|群|老师|号)"
_ASKS: tuple[tuple[Intent, re.Pattern[str]], ...] = (
    (
        Intent.ENTER_CODE,
        re.compile(f"(?:输入|输|填写|填入|填|凭|使用|回复).{{0,8}}{_CODE}|{_CODE}.{{0,4}}(?:输入|填写|兑换)|输入后"),
    ),
    (Intent.SEARCH_QUERY, re.compile(f"搜索|搜一搜|搜一下|检索|搜.{{0,2}}{_MARK}")),
    (Intent.ADD_ACCOUNT, re.compile(f"(?:加|添加|关注).{{0,8}}{_ACCOUNT}|加我|进群|入群")),
    (Intent.CONTACT_SERVICE, re.compile(f"(?:联系|咨询|找|问|私信).{{0,6}}{_STAFF}")),
)
_PLEA = re.compile(f"请.{{0,3}}(?:联系|咨询|找|私信).{{0,6}}{_STAFF}")
_OPEN = re.compile(
    "(?:打开|点开|点击|进入|访问|登录|查看|入口|网址|地址|链接|页面|网页|网站|目录)"
    f"|(?:从|(?<![提看听收])到|去|上|在|是|为|：|:)\\s*{_MARK}"
)
_HEARSAY = re.compile(
    f"(?:提到?|分享了?|转发了?|发来了?|留了|收到带|看到|看见|听说|说起|把)\\s*{_MARK}|{_MARK}.{{0,3}}(?:发到|发给|转给)"
)


def name_intent(texts: list[str], entries: list[str]) -> Intent:
    """Return the intent of a restored session.

    Clauses from the one with the entry onwards are looked at for a code to enter, a query to search, an account to
    add or a service to contact; before it, only for a plea to contact a service. Failing that, an entry that is only
    talked about has no intent, and any other is there to be opened. Without an entry, the same four requests are
    looked for in every clause.

    Args:
        texts: Restored messages.
        entries: Entry values as they stand in the texts.
    """
    text = "\n".join(texts)
    for entry in entries:
        text = text.replace(entry, _MARK)
    clauses = [clause for clause in _CLAUSE.split(text) if clause.strip()]
    at = next((i for i, clause in enumerate(clauses) if _MARK in clause), None)
    if at is None:
        return _asked(clauses) or (Intent.OPEN_SITE if entries else Intent.UNKNOWN)
    named = _asked(clauses[at:])
    if named is not None:
        return named
    if any(_PLEA.search(clause) for clause in clauses[:at]):
        return Intent.CONTACT_SERVICE
    if _HEARSAY.search(clauses[at]) and not _OPEN.search(clauses[at]):
        return Intent.UNKNOWN
    return Intent.OPEN_SITE


def _asked(clauses: list[str]) -> Intent | None:
    for clause in clauses:
        for intent, pattern in _ASKS:
            if pattern.search(clause):
                return intent
    return None
