"""Finding names of live hosts in texts, however they are spelled."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Collection, Iterator
from functools import cache

_RESERVED = frozenset({"test", "invalid", "example", "localhost"})
_RESERVED_SITES = frozenset({"example.com", "example.net", "example.org"})
_LOCAL_ADDRESSES = ("127.", "0.0.0.0", "192.0.2.", "198.51.100.", "203.0.113.")  # noqa: S104 - not bound to

_OTHER_SCRIPTS = re.compile(
    "中国|中國|中文网|中信|公司|网络|網絡|网址|網址|网站|在线|商城|网店|商店|集团|我爱你|政务|公益|移动|手机|游戏|娱乐|时尚|信息|"
    "世界|企业|健康|餐厅|购物|新闻|台湾|台灣|香港|澳门|澳門|新加坡|рф|рус|онлайн|сайт|орг|ком|укр|бел|한국|닷컴|みんな|コム|ไทย|भारत|संगठन"
)
"""Top-level names outside Latin script; others of that kind are ordinary words after a full stop."""

_COMMON = re.compile(
    "com|net|org|info|biz|xyz|top|vip|cn|shop|site|online|club|live|app|dev|gov|edu|mil|int|pro|mobi|asia|icu|win|bet|"
    "fun|ren|link|store|tech|space|website|work|cloud|life|world|today|news|wiki|blog|name|xin|wang|ltd|group"
)
"""Top-level names that are told from the wording around them without a dot after them."""

_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_HOST = re.compile(
    rf"(?P<host>(?:{_LABEL}\.)+(?:(?P<latin>xn--[a-z0-9-]+|[a-z]{{2,63}})(?![a-z0-9_-])(?!\.[a-z])"
    rf"|(?P<other>{_OTHER_SCRIPTS.pattern})(?!\w)))"
)
_DOTTED = re.compile(r"(?<![\w-])[\w-]+(?:\.[\w-]+)+")
_BARE_HOST = re.compile(r"(?:https?|ftp|wss?)://(?P<host>[a-z0-9-]+|\[[0-9a-f:.]+\])(?![\w.-])")
_NUMBERS = re.compile(r"(?<![a-z0-9.])(?P<host>\d{1,3}(?:\.\d{1,3}){3})(?!\.?[a-z0-9])")
_LINK = re.compile(r"(?:(?:https?|ftp|wss?)://|\bwww\.)\S{0,64}$")
_DEFANGED = re.compile(r"[\[({]\.[\])}]")
_HAN_DOT = re.compile(r"(?<=[a-z0-9])。(?=[a-z])")
_SPELLED_TEST = re.compile("[^a-z0-9]{0,6}".join(("", *"test")))


def live_hosts(text: str) -> list[str]:
    """Return every host in a plain text that is no reserved name: the strict reading, for canonical texts.

    Compatibility forms, invisible characters and dots in brackets are folded first. Whatever looks like
    ``label.label`` with letters at its end counts, and so do numbers with four parts and names after ``://``.
    """
    folded = _folded(text)
    hosts = [m["host"] for m in _hosts(folded) if not _is_reserved(m)]
    hosts += [m["host"] for m in _BARE_HOST.finditer(folded) if m["host"] not in _RESERVED]
    return hosts + list(_numbers(folded))


def live_hosts_disguised(text: str, own: Collection[str] | None = None) -> list[str]:
    """Return the hosts in a disguised text that surely are live.

    A disguised address may leave ``label.label`` of itself standing before its last label. So only well-known top-level
    names count, and any after ``://`` or ``www.``.

    Args:
        text: The text.
        own: Labels of the message's own addresses, which are no top-level names here; where they are not known, a host
            is passed over when ``test`` follows, spelled in whatever way.
    """
    folded = _folded(text)
    if "." not in folded:
        return []
    hosts: list[str] = []
    for match in _hosts(folded):
        top = match["latin"] or match["other"]
        known = _COMMON.fullmatch(top) or match["other"] or _is_encoded_name(top) or _LINK.search(folded[: match.end()])
        is_own = bool(_SPELLED_TEST.match(folded, match.end())) if own is None else top in own
        if known and not is_own and not _is_reserved(match):
            hosts.append(match["host"])
    return hosts + list(_numbers(folded))


def _is_encoded_name(top: str) -> bool:
    """Say whether a label is a top-level name of another script in its encoded form, ``xn--`` and what follows."""
    if not top.startswith("xn--"):
        return False
    try:
        return _OTHER_SCRIPTS.fullmatch(top.removeprefix("xn--").encode().decode("punycode")) is not None
    except UnicodeError:
        return False


def _hosts(folded: str) -> Iterator[re.Match[str]]:
    for dotted in _DOTTED.finditer(folded):
        yield from _HOST.finditer(folded, *dotted.span())


def _folded(text: str) -> str:
    visible = _invisible().sub("", unicodedata.normalize("NFKC", text))
    return _HAN_DOT.sub(".", _DEFANGED.sub(".", visible.casefold().replace("｡", "。")))


@cache
def _invisible() -> re.Pattern[str]:
    characters = map(chr, range(sys.maxunicode + 1))
    return re.compile(f"[{''.join(c for c in characters if unicodedata.category(c) == 'Cf')}]+")


def _is_reserved(match: re.Match[str]) -> bool:
    host = match["host"]
    return match["latin"] in _RESERVED or any(host == site or host.endswith(f".{site}") for site in _RESERVED_SITES)


def _numbers(folded: str) -> Iterator[str]:
    for match in _NUMBERS.finditer(folded):
        host = match["host"]
        if all(int(part) <= 255 for part in host.split(".")) and not host.startswith(_LOCAL_ADDRESSES):
            yield host
