"""Names of operators: companies by their form, who runs a site by what it says of itself, brands by page titles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

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
    r".*(?:[由是为為系向到与與跟对對给給在从從于於找即请請叫称稱及]|联系|聯繫|冒充|假冒|加入|来自|來自|属于|屬於|隶属|成立|注册|註冊|一家|这家|那家|所在)"
)
_VAGUE = re.compile(
    r"(?:本|该|該|各|我|贵|貴|某|一|两|几|多|大型|跨国|跨國|诈骗|詐騙|欺诈|犯罪|赌博|賭博|贩毒|走私|传销|团伙|知名|正规|正規|合法|关联|關聯|上市|上级|母|子|新|其他"
    r"|任何|个人|個人|独立|會計師|会计师|会计|律师|律師|我们|我們|你们|他们|小型|外贸|劳务|国有|国际|家|个|的|等|名下|旗下|科技|贸易|网络|股份|有限|责任)+"
)
_RUN_BY = re.compile(
    r"(?:©|\(c\)|（c）|版权所有|版權所有|copyright|运营方|運營方|运营单位|運營單位|运营主体|主办单位|主辦單位|主办方|主辦方|主办|主辦"
    r"|承办单位|承辦單位|承办方|开发者|開發者|operated by|run by|hosted by|a service of)"
    r"[\s::©]*(?:(?:19|20)\d{2}(?:\s*[-–—~]\s*(?:19|20)?\d{2,4})?)?[\s::,.©]*(?:by\s+)?"
    rf"(?P<name>[{_HAN}A-Za-z0-9][{_HAN}A-Za-z0-9&'·]*(?: [A-Z0-9&][A-Za-z0-9&'·]*){{0,4}})",
    re.IGNORECASE,
)
_NOT_A_NAME = re.compile(
    r"(?:all|the|this|site|us|\d+|(?:all rights|rights|侵权|侵權|翻印|未经|未經|保留|归|歸|不得|违者|本站|本公司).*)",
    re.IGNORECASE,
)
_TITLE_CUT = re.compile(r"\s[-–—|·•:]\s|\s*[|｜_]\s*|\s*—+\s*|\s*[-–]{1,2}\s+")
_COMMON = frozenset(
    [
        "首页",
        "首頁",
        "主页",
        "登录",
        "登錄",
        "登入",
        "注册",
        "註冊",
        "搜索",
        "搜尋",
        "提示",
        "错误",
        "錯誤",
        "关于我们",
        "關於我們",
        "联系我们",
        "聯繫我們",
        "帮助",
        "幫助",
        "公告",
        "说明",
        "說明",
        "详情",
        "官网",
        "官方网站",
        "home",
        "index",
        "login",
        "welcome",
        "about",
        "contact",
        "help",
        "error",
        "search",
        "page",
        "untitled",
    ]
)


def companies(text: str) -> Iterator[tuple[int, int]]:
    """Yield where a line names a company by a legal form (有限公司, 集团, Ltd …), the words before the name left out.

    Args:
        text: The line, full-width letters as narrow ones.
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
    for found in _RUN_BY.finditer(text):
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
    named = {part: n for part, n in parts.items() if n > 1 and len(part) > 1 and part.casefold() not in _COMMON}
    return tuple(part for part, n in named.items() if n == max(named.values()))
