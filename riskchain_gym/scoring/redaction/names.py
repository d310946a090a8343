"""Names of operators: companies by their form, who runs a site by what it says of itself, brands by page titles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from riskchain_gym.scoring.redaction.patterns import plain

_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_MAYBE = re.compile(
    r"公司|[集财]团|集團|事务所|事務所|合作社|商行|工作室|\b(?:Ltd|Limited|Inc|LLC|Corp|GmbH|PLC|Pte)\b|Corporation"
)
_COMPANY = re.compile(
    rf"(?:[{_HAN}A-Za-z0-9]|[(（][{_HAN}]{{2,6}}[)）]){{2,24}}?"
    r"(?:(?:股份|有限|责任|責任){1,3}公司|集团(?:公司)?|集團(?:公司)?|分公司|事务所|事務所|合作社|商行|工作室)"
)
_COMPANY_EN = re.compile(
    r"(?<![A-Za-z])[A-Z][A-Za-z0-9&'-]*(?: (?:[A-Z&][A-Za-z0-9&'-]*|of|and)){0,5},? "
    r"(?:Co\.?,? ?Ltd|Ltd|Limited|Inc|LLC|Corp|Corporation|GmbH|PLC|Pte)\b\.?"
)
_LEAD = re.compile(
    r".*(?:[的由是为為系向到与與跟对對给給在从從于於找即请請叫称稱及]|联系|聯繫|冒充|假冒|加入|来自|來自|属于|屬於|隶属|成立|注册|註冊|一家|这家|那家|所在)"
)
_VAGUE = re.compile(
    r"(?:本|该|該|各|我|贵|貴|某|一|两|几|多|大型|跨国|跨國|诈骗|詐騙|欺诈|犯罪|赌博|賭博|贩毒|走私|传销|团伙|知名|正规|正規|合法|关联|關聯|上市|上级|母|子|新|其他"
    r"|任何|个人|個人|独立|會計師|会计师|会计|律师|律師|我们|我們|你们|他们|小型|外贸|劳务|国有|国际|家|个|的|等|名下|旗下|科技|贸易|网络|股份|有限|责任)+"
)
_NAME = rf"(?P<name>[{_HAN}A-Za-z0-9][{_HAN}A-Za-z0-9&'·]{{0,39}}(?: [A-Z0-9&][A-Za-z0-9&'·]{{0,19}}){{0,4}})"
_YEARS = r"(?:(?:19|20)\d{2}(?:\s?[-–—~]\s?(?:19|20)?\d{2,4})?)"
_RUN_BY = (
    re.compile(
        rf"(?:©|\(c\)|\bcopyright\b)[\s:©]{{0,6}}(?:\(c\))?\s{{0,3}}{_YEARS}?[\s:,.]{{0,6}}(?:by\s)?{_NAME}",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:版权所有|版權所有|运营(?:方|单位|主体|者)|運營(?:方|單位|主體|者)|主办(?:单位|方)?|主辦(?:單位|方)?|承办(?:单位|方)"
        r"|承辦(?:單位|方)|开发者|開發者|\b(?:operated by|run by|hosted by|a service of))"
        rf"\s{{0,3}}[:|\s]\s{{0,3}}{_YEARS}?\s{{0,3}}{_NAME}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:^|[\s,，。|])(?:{_YEARS}\s)?{_NAME}\s{{0,3}}"
        r"(?:版权所有|版權所有|保留所有权利|保留所有權利|all rights reserved)",
        re.IGNORECASE,
    ),
)
_SAYS_WHO = re.compile(
    r"©|\(c\)|copyright|all rights|版权|版權|保留所有|运营|運營|主办|主辦|承办|承辦|开发者|開發者"
    r"|operated by|run by|hosted by|a service of",
    re.IGNORECASE,
)
_NOT_A_NAME = re.compile(
    r"(?:all|the|this|site|us|\d+|(?:all rights|rights|侵权|侵權|翻印|未经|未經|保留|归|歸|不得|违者|本站|本公司).*)",
    re.IGNORECASE,
)
_TITLE_CUT = re.compile(r"\s[-–—|·•:]\s|\s*[|｜_]\s*|\s*—+\s*|\s*[-–]{1,2}\s+")
_COMMON = re.compile(
    r"首[页頁]|主[页頁]|登录|登錄|登入|注册|註冊|搜[索尋]|提示|错误|錯誤|关于我们|關於我們|联系我们|聯繫我們|帮助|幫助|公告|说明|說明|详情|官网"
    r"|官方网站|home|index|login|welcome|about|contact|help|error|search|page|untitled",
    re.IGNORECASE,
)
"""Parts of titles that name no site."""


def companies(text: str) -> Iterator[tuple[int, int]]:
    """Yield where a line names a company by a legal form (有限公司, 集团, Ltd …), the words before the name left out.

    Args:
        text: The line, as :func:`~.patterns.plain` gives it.
    """
    if _MAYBE.search(text) is None:
        return
    for found in _COMPANY.finditer(text):
        name = found.group()
        lead = _LEAD.match(name[:-2])
        start = found.start() + (lead.end() if lead else 0)
        rest = text[start : found.end()]
        stem = re.sub(r"(?:公司|集团|集團|事务所|事務所|合作社|商行|工作室)+$", "", rest)
        if len(stem) >= 2 and _VAGUE.fullmatch(stem) is None:
            yield start, found.end()
    for found in _COMPANY_EN.finditer(text):
        yield found.start(), found.end()


def run_by(text: str) -> Iterator[str]:
    """Yield the names that a line gives after ©, 版权所有, 运营方, 主办 and the like."""
    text = plain(text)
    if _SAYS_WHO.search(text) is None:
        return
    for found in (match for pattern in _RUN_BY for match in pattern.finditer(text)):
        name = found["name"].strip()
        if 2 <= len(name) <= 40 and _NOT_A_NAME.fullmatch(name) is None:
            yield name


def brands(titles: Iterable[str]) -> tuple[str, ...]:
    """Return the part that recurs most in different page titles: what a site calls itself; several if they tie.

    Args:
        titles: Titles of the pages; equal ones count once.
    """
    parts: Counter[str] = Counter()
    for title in dict.fromkeys(titles):
        parts.update({part.strip(): 1 for part in _TITLE_CUT.split(title)})
    named = {part: n for part, n in parts.items() if n > 1 and len(part) > 1 and not _COMMON.fullmatch(part)}
    return tuple(part for part, n in named.items() if n == max(named.values()))
