"""What is masked by its form: addresses, numbers that reach or name somebody, accounts and wallets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

KINDS = ("URL", "EMAIL", "IP", "DOMAIN", "WALLET", "ACCOUNT", "ID", "CARD", "PHONE", "NUMBER", "OPERATOR")
"""The kinds of tokens; where two cover the same place, a learned name wins, then the earlier kind."""

MIN_SPELLED = 4
"""Chinese numerals that a run of digits needs to be a spelled number, and no date with a numeral after it."""

_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_STYLED = (range(0xB2, 0xBA), range(0x2070, 0x208A), range(0x2460, 0x2500), range(0x1D400, 0x1D800))
"""Superscripts, enclosed and mathematical letters and digits: ways to write an account that no search finds."""

MAX_GROUPS = 5
"""Groups of digits that a mobile number is written in at most, unless every digit stands alone; more are a list."""

_NUMERALS = dict(zip("零〇一二三四五六七八九幺壹贰叁肆伍陆柒捌玖貳參陸", "001234567891123456789236", strict=True))
_READ_AS_DIGITS = str.maketrans(_NUMERALS)
_HAS_ADDRESS = re.compile(r"[.。．｡·点點:@#]|dot|艾特|localhost", re.IGNORECASE)
_HAS_ACCOUNT = re.compile(r"[A-Za-z0-9@][A-Za-z0-9_.\-]{4}")
_HAS_NUMBER = re.compile(rf"(?:[{''.join(_NUMERALS)}0-9][^{''.join(_NUMERALS)}0-9]{{0,3}}){{5}}")

_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_FIGURE = f"[{''.join(_NUMERALS)}0-9]"
_HIDDEN = "\u00ad\u200b-\u200d\u2060\ufeff"
_GAP = rf"[\s\-‐‑–—·.{_HIDDEN}]?"
_WIDE_GAP = rf"[\s\-‐‑–—·._*{_HIDDEN}\ufe0f\u20e3\u2190-\u2bff\U0001f000-\U0001faff]{{0,3}}"
_TLD = (
    "com|net|org|edu|gov|mil|int|info|biz|name|pro|mobi|asia|xyz|top|vip|club|shop|store|online|site|website|live|app"
    "|dev|icu|fun|win|bet|casino|poker|loan|loans|work|link|click|cloud|space|tech|cash|fund|finance|group|ltd|wang|ren"
    "|red|blue|pink|ink|art|chat|news|team|today|world|life|plus|host|press|bid|trade|download|page|wiki|blog|test"
    "|example|invalid|local|onion|cn|hk|tw|mo|jp|kr|sg|my|th|vn|ph|id|in|us|uk|eu|de|fr|it|es|nl|ru|ua|pl|se|no|fi|dk"
    "|ch|at|be|pt|gr|tr|ir|il|ae|sa|za|br|mx|ar|cl|co|pe|ca|au|nz|io|ai|cc|tv|me|ws|la|ly|to|im|gg|fm|am|so|sh|su|tk|ml"
    "|ga|cf|gq|pw|sx|vc|bz|ag|kh|mm|lk|pk|bd"
)
_WORDS = frozenset(
    [
        "in",
        "it",
        "is",
        "no",
        "me",
        "to",
        "so",
        "be",
        "at",
        "am",
        "us",
        "my",
        "id",
        "de",
        "la",
        "art",
        "name",
        "pro",
        "work",
        "link",
        "click",
        "red",
        "blue",
        "news",
        "team",
    ]
)
"""Ends of addresses that are words as well: after a full stop without a blank they may begin a sentence."""
_HAN_TLD = "中国|中國|公司|网络|網絡|网址|网店|商城|商店|集团|在线|香港|台湾|台灣"
_DOT = r"(?:[.。．｡·点點]|\s?[(\[{]\s?(?:\.|dot|点|點)\s?[)\]}]\s?|\sdot\s|\s[.。．]\s)"
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_END = r"(?![a-z0-9-])(?!\.[a-z0-9])"
_IN_PATH = r"[A-Za-z0-9_\-./?%&=#~:+@$*]"
_COUNTS = (
    rf"(?![\d一二三四五六七八九十]{{1,3}}[.．点點](?:{_HAN_TLD}))"
    r"(?!(?:1?\d|2[0-4])[点點](?!(?:com|net|cn|org)(?![a-z])))"
)
"""Items of a list (``2.在线客服``) and times of day (``8点live``), which begin like an address."""
_TAIL = rf"(?::\d{{2,5}})?(?:[/?#]{_IN_PATH}*)?"

_URL = re.compile(
    rf"(?:h(?:tt|xx)ps?|ftp|wss?)\s?:\s?//\s?[{_HAN}]{{0,20}}{_IN_PATH}+|(?<![a-z0-9])www\.{_IN_PATH}+", re.IGNORECASE
)
_EMAIL = re.compile(
    rf"(?<![a-z0-9._%+-])[a-z0-9._%+-]{{1,64}}\s?(?:@|[(\[]\s?at\s?[)\]]|#|艾特)\s?(?:{_LABEL}{_DOT}){{1,4}}(?:{_TLD}){_END}",
    re.IGNORECASE,
)
_IP = re.compile(
    r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?!\.?\d)" + _TAIL + "|"
    r"(?<![0-9a-z])(?<![0-9a-z]:)(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}(?![0-9a-z:])"
    r"|(?<![0-9a-z])(?<![0-9a-z]:)(?:[0-9a-f]{1,4}:){1,6}(?::[0-9a-f]{1,4}){1,6}(?![0-9a-z:])",
    re.IGNORECASE,
)
_DOMAIN = re.compile(
    rf"(?<![a-z0-9_@.-]){_COUNTS}(?:{_LABEL}{_DOT}){{1,8}}(?P<end>{_TLD}|xn--[a-z0-9-]{{2,59}}|{_HAN_TLD}){_END}{_TAIL}"
    rf"|(?<![{_HAN}a-z0-9]){_COUNTS}[{_HAN}a-z0-9][{_HAN}a-z0-9-]{{0,20}}[.．](?:(?:{_TLD}){_END}|{_HAN_TLD}){_TAIL}"
    rf"|(?<![a-z0-9.-])localhost(?![a-z0-9-]){_TAIL}",
    re.IGNORECASE,
)
_WALLET = re.compile(
    r"(?<![0-9A-Za-z])(?:0x[0-9a-fA-F]{40}|[TLMD][1-9A-HJ-NP-Za-km-z]{33}|bc1[a-z0-9]{25,60}|BC1[A-Z0-9]{25,60}"
    r"|[13][1-9A-HJ-NP-Za-km-z]{25,34})(?![0-9A-Za-z])|(?<![\w-])[EU]Q[A-Za-z0-9_-]{46}(?![\w-])"
)
_ACCOUNT = re.compile(
    r"(?P<cue>微信|威信|薇信|徽信|扣扣|企鹅|企鵝|电报|電報|纸飞机|紙飛機|飞机号|飛機號|抖音|快手|微博|小红书|小紅書|客服号|客服號"
    r"|(?<![a-z])(?:qq|q(?=群)|vx|wx|v信|weixin|wechat|whats\s?app|telegram|tg|skype|viber|line\s?id|line\s?[:：]|signal\s?[:：])"
    r"|加\s?[vq微薇威]|[+➕]\s?[v微薇])"
    r"(?:公众号|公眾號|客服|群|号码|號碼|号|號|账户|帳戶|id|account|number|no\.?|是|为|為|搜索|搜|加|[\s::=→\-_]|[(\[【「“\"'])*"
    r"(?P<id>(?<![a-z0-9])[a-z0-9@][a-z0-9_.\-]{4,31})",
    re.IGNORECASE,
)
_NAMES_AN_ID = re.compile(r"[:=号號群搜@]|id", re.IGNORECASE)
_HANDLE = re.compile(r"(?<![\w.])@[A-Za-z][A-Za-z0-9_]{4,31}(?![\w.])")
_ID = re.compile(rf"(?<!\d)[1-9](?:{_GAP}\d){{16}}{_GAP}[\dx](?![\da-z])", re.IGNORECASE)
_DOCUMENT = re.compile(
    r"(?:护照|護照|通行证|通行證|证件|證件|(?<![a-z])passport)(?:号码|號碼|号|號|no|number|[\s:.#])*"
    r"(?P<id>(?<![a-z])[a-z]{1,2}\d{7,9})(?!\d)",
    re.IGNORECASE,
)
_CARD = re.compile(r"(?<!\d)(?:[3-9]\d{3}|2[2-7]\d{2})(?:[\s-]\d{4}){2,3}[\s-]\d{1,4}(?!\d)|(?<!\d)\d{16,19}(?!\d)")
_PHONE = re.compile(
    rf"(?<![\d.])(?:(?:\+|00)?86{_GAP})?(?P<mobile>1{_WIDE_GAP}[3-9](?:{_WIDE_GAP}\d){{9}})[\ufe0f\u20e3]{{0,2}}(?!\d)"
    r"|\+\d{1,3}(?:[\s\-()]{0,2}\d){6,13}(?!\d)"
    r"|(?<![\dA-Za-z.])(?:\(0[1-9]\d{0,2}\)|0[1-9]\d{0,2})[\s\-–—]{0,2}\d{3,4}[\s\-–—]?\d{3,4}(?:[\s\-–—]\d{3})?(?!\d)"
    rf"|(?<![\d.])[48]00{_GAP}\d{{3}}{_GAP}\d{{4}}(?!\d)|(?<![\d.])[48]00{_GAP}\d{{4}}{_GAP}\d{{3}}(?!\d)"
    r"|(?<![\d-])(?:\(\d{3}\)\s?|\d{3}-)\d{3}-\d{4}(?![\d-])|(?<![\d.-])(?:852|853)[\s-]\d{4}[\s-]?\d{4}(?!\d)"
)
_CALLED = re.compile(
    r"(?:电话|電話|热线|熱線|专线|專線|手机|手機|致电|致電|拨打|撥打|座机|座機|传真|傳真|(?<![a-z])(?:tel|telephone|phone|hotline|call))"
    r"(?:号码|號碼|号|號|是|为|為|us|at|on|number|[\s:.(])*(?!(?:19|20)\d\d-\d\d?-\d\d?(?!\d))"
    rf"(?P<id>\+?{_FIGURE}(?:[\s\-–—]?{_FIGURE}){{4,14}})(?!{_FIGURE}|\s?元)",
    re.IGNORECASE,
)
_SPELLED = re.compile(rf"{_FIGURE}(?:[\s\-·]?{_FIGURE}){{7,}}")
_SPELLED_DIGIT = re.compile(rf"[{''.join(_NUMERALS)}]")
_LONG = re.compile(
    r"(?<![\dA-Za-z\-])(?<!\d[.,])\d{7,}(?:\.\d{7,})*(?![\d.,]{0,20}\s{0,3}(?:[元块圆圓円万萬亿億人次个個份件名位吨户戶期%度倍]|yuan|usd|rmb))"
    r"(?!\d|,\d|\.\d{1,2}(?![\d.]))",
    re.IGNORECASE,
)
_DATE = re.compile(r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:(?:[01]\d|2[0-4])(?:[0-5]\d){0,2})?$")
_COUNTED = re.compile(
    r"(?:[¥￥$€£]|rmb|cny|usd|[余餘]额|[余餘]額|金额|金額|总额|總額|奖池|獎池|销量|銷量|浏览|瀏覽|阅读|閱讀|播放|粉丝|粉絲|期号|期號)[\s:]*$",
    re.IGNORECASE,
)
_SEPARATORS = re.compile(rf"[\s\-‐‑–—·()\[\]{{}}{_HIDDEN}]+")
_UNSEEN = re.compile(f"[{_HIDDEN}]+")
_LETTERS = re.compile(r"[A-Za-z]+")
_SPELLED_DOT = re.compile(r"[。．｡·点點]|dot", re.IGNORECASE)


class Match(NamedTuple):
    """A span to mask: code points ``start`` to ``end`` of a text, its kind, and what it says once normalised."""

    start: int
    end: int
    kind: str
    key: str


def narrow(text: str) -> str:
    """Return the text with full-width letters, digits and blanks as narrow ones, code point for code point."""
    return text if text.isascii() else text.translate(_NARROW)


def plain(text: str) -> str:
    """Return the text :func:`narrow`, and digits of any script and styled letters as plain ones, likewise."""
    return text if text.isascii() else text.translate(_plain_characters())


@cache
def _plain_characters() -> dict[int, int]:
    styled = {
        code: unicodedata.normalize("NFKC", chr(code)).strip("()").removesuffix(".") for r in _STYLED for code in r
    }
    digits = {code: str(unicodedata.decimal(chr(code))) for code in range(0x80, 0x20000) if chr(code).isdecimal()}
    one = {code: ord(text) for code, text in (styled | digits).items() if len(text) == 1 and text.isascii()}
    return one | _NARROW


def by_form(text: str) -> Iterator[Match]:
    """Yield everything in a line that is to be masked by its form, some places more than once.

    Args:
        text: The line, :func:`plain`.
    """
    if _HAS_ADDRESS.search(text) is not None:
        yield from _addresses(text)
    if _HAS_ACCOUNT.search(text) is not None:
        yield from _accounts(text)
    if _HAS_NUMBER.search(text) is not None:
        yield from _numbers(text)


def _addresses(text: str) -> Iterator[Match]:
    for kind, pattern in (("URL", _URL), ("EMAIL", _EMAIL), ("IP", _IP), ("DOMAIN", _DOMAIN)):
        for found in pattern.finditer(text):
            if kind == "DOMAIN" and _begins_a_sentence(found):
                continue
            yield _match(kind, found.start(), found.group().rstrip(".,;:!?'\")]}>"), _SPELLED_DOT)


def _begins_a_sentence(found: re.Match[str]) -> bool:
    end = found["end"] or ""
    return end.lower() in _WORDS and end[0].isupper() and not end.isupper()


def _accounts(text: str) -> Iterator[Match]:
    for found in _WALLET.finditer(text):
        yield Match(found.start(), found.end(), "WALLET", found.group())
    for found in _ACCOUNT.finditer(text):
        if not _is_word(found):
            yield _match("ACCOUNT", found.start("id"), found["id"].rstrip(".-"))
    for found in _HANDLE.finditer(text):
        yield _match("ACCOUNT", found.start(), found.group())


def _is_word(found: re.Match[str]) -> bool:
    """Say whether what stands behind a cue in Latin letters is rather the next word, as in ``telegram channel``."""
    cue = found["cue"].lower()
    if not cue.isascii() or _LETTERS.fullmatch(found["id"]) is None:
        return False
    between = found.string[found.end("cue") : found.start("id")]
    return cue.startswith(("line", "signal")) or _NAMES_AN_ID.search(between) is None


def _numbers(text: str) -> Iterator[Match]:
    for kind, pattern in (("ID", _ID), ("CARD", _CARD), ("PHONE", _PHONE)):
        for found in pattern.finditer(text):
            if kind != "PHONE" or found["mobile"] is None or _is_one_number(found["mobile"]):
                yield _match(kind, found.start(), found.group())
    for found in _DOCUMENT.finditer(text):
        yield _match("ID", found.start("id"), found["id"])
    for found in _CALLED.finditer(text):
        yield _match("PHONE", found.start("id"), found["id"])
    for found in _SPELLED.finditer(text):
        if len(_SPELLED_DIGIT.findall(found.group())) >= MIN_SPELLED:
            yield _match("PHONE", found.start(), found.group())
    for found in _LONG.finditer(text):
        if not _DATE.match(found.group()) and not _COUNTED.search(text[max(0, found.start() - 6) : found.start()]):
            yield _match("NUMBER", found.start(), found.group())


def _is_one_number(digits: str) -> bool:
    """Say whether digits are grouped as those of one number are, and not as odds or draws of a lottery are."""
    groups = re.findall(r"\d+", _UNSEEN.sub("", digits))
    return len(groups) <= MAX_GROUPS or all(len(group) == 1 for group in groups)


def _match(kind: str, start: int, literal: str, dots: re.Pattern[str] | None = None) -> Match:
    key = _SEPARATORS.sub("", literal if dots is None else dots.sub(".", literal)).lower()
    if kind == "PHONE":
        key = "".join(char for char in key.translate(_READ_AS_DIGITS) if char.isdecimal() or char == "+")
    return Match(start, start + len(literal), kind, key)
