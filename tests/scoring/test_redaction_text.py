"""What is masked, what stays, and that a second look finds nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.scoring.redaction.audit import audit_text
from riskchain_gym.scoring.redaction.quotes import mask_quote
from riskchain_gym.scoring.redaction.text import TOKEN, Redactor

LITERALS = {
    "PHONE": (
        "13800138000",
        "138 0013 8000",
        "138-0013-8000",
        "１３８００１３８０００",
        "+86 138-0013-8000",
        "一三八零零一三八零零零",
        "幺三八〇〇幺三八〇〇〇",
        "010-6234 5678",
        "(0755) 2233 4455",
        "400-820-8820",
        "400 8208 820",
        "0912-345-678",
        "+44 20 7946 0958",
        "138 - 0013 - 8000",
        "138_0013_8000",
        "138\u00ad0013\u00ad8000",
        "1 3 8 0 0 1 3 8 0 0 0",
        "138😀0013😀8000",
        "1️⃣3️⃣8️⃣0️⃣0️⃣1️⃣3️⃣8️⃣0️⃣0️⃣0️⃣",
        "①③⑧⓪⓪①③⑧⓪⓪⓪",
        "𝟏𝟑𝟖𝟎𝟎𝟏𝟑𝟖𝟎𝟎𝟎",
        "¹³⁸⁰⁰¹³⁸⁰⁰⁰",
        "١٣٨٠٠١٣٨٠٠٠",
        "212-555-0100",
        "(212) 555-0100",
        "852-9123 4567",
    ),
    "URL": ("https://wk3.bh.test/a?b=1", "hxxps://wk3.example.com", "www.abc-def.com/x"),
    "DOMAIN": (
        "wk3.bh.test",
        "wk3。bh。test",
        "wk3．bh．test",
        "wk3点bh点com",
        "abc[.]com",
        "abc (dot) com",
        "xn--fiqs8s.com",
        "青禾小铺.中国",
        "localhost:8080",
        "ABC.COM",
        "888.ag",
        "abc·com",
        "58点com",
        "ⓐⓑⓒ.ⓒⓞⓜ",
        "𝐚𝐛𝐜.𝐜𝐨𝐦",
    ),
    "EMAIL": ("hello@service.example.test", "hello＠service.example.com", "who (at) mail.com"),
    "IP": ("192.168.0.12", "10.0.0.1:8080", "2001:db8:0:0:8:800:200c:417a", "fe80::1ff:fe23:4567:890a"),
    "CARD": ("6222 0212 3456 7890 123", "6222021234567890"),
    "ID": ("11010519491231002X", "110105 19491231 0021"),
    "WALLET": (
        "TQ5NMqJjhpQGK7YJbESKtNCo86PJ89ujio",
        "0x52908400098527886E0F7030069857D2E4169EE7",
        "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
        "BC1QAR0SRRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ",
        "LcHKKxVnVEyG1QzRjKr8gWqfyz4mMKvcPc",
        "EQDtFpEwcFAEcRe5mLVh2N6C0x-_hJEM7W61_JLnSF74p4q2",
    ),
    "OPERATOR": (
        "清和信息技术有限公司",
        "青禾股份有限公司",
        "远棠集团",
        "Bluebell Parcel Co., Ltd.",
        "Northgate Holdings Ltd",
    ),
    "NUMBER": ("20269498123", "2024012345", "20269498123.20269498124"),
}

ACCOUNTS = (
    "加微信：abc_123-x 领取",
    "V信 wx998877",
    "QQ群 123456789",
    "QQ：１２３４５６７８",
    "扣扣号是 33445566",
    "telegram: @lucky_88",
    "WhatsApp id lucky.crew",
    "加V：kefu2233",
    "薇信搜 qinghe_88",
    "关注 @qinghe_daily 即可",
    "Telegram: luckycrew",
    "q群123456",
)

CALLED = ("热线九六一一零", "拨打 九五五八八", "客服热线95588", "call 5550100")
DOCUMENTS = ("护照 E12345678", "证件号：C1234567", "passport no. AB1234567")

PLAIN = (
    "保证金 498 元，每天千分之 9，窗口时间 8:30—12:00",
    "赔率 1.95，第 3 期，月收益 18%，45 倍起算",
    "2026-06-15 一周回顾，更新于 2026/06/15 08:30",
    "20260615 发布，订单号 GD866486，件号 S03195174，类目-R20",
    "总额 1,200,000 元，¥13800000，人数 12000000 人",
    "版本 1.2.3，setup.exe，大小 13.5 MB，a.b",
    "请联系专属客服，微信支付 2400 元，微信 8 点后联系",
    "诈骗集团已被查处，该集团成员归案，本公司只送自己的件，用人的有限公司不少",
    "Deposit 900 yuan, returned within 5 days. No fee. It is free, e.g. on line 12 of 30",
    "十二个恢复词（按顺序），六位验证码，两万元起，一二三四",
    "步骤 10 of 30，12 / 30，-3.5%，3:2",
    "独赢 1.85 1.95 2.10 3.4，让球 1.30 2.40 5.60 1.7",
    "红球 15 18 22 27 33 1，1 3 5 7 9 11 13 15",
    "余额 1234567.89，浏览 12345678，第2024123期，期号 20241130045",
    "2019 2020 2021 2022 年，手机 12345 元，call 2024-11-30",
    "1.公司简介 2.在线客服，三.网络，晚上8点live直播",
    "QQ music，Telegram download，line: please，signal: strong，wechat payment",
)


@pytest.mark.parametrize(("kind", "literal"), [(kind, text) for kind, texts in LITERALS.items() for text in texts])
def test_what_says_who_or_where_is_masked_whole(kind: str, literal: str) -> None:
    for before, after in (("", ""), ("请记下 ", " 再来"), ("（", "）"), ("见：", "，谢谢")):
        assert Redactor().mask(f"{before}{literal}{after}") == f"{before}[{kind}-1]{after}"


@pytest.mark.parametrize("text", ACCOUNTS)
def test_an_account_is_masked_after_its_cue(text: str) -> None:
    masked = Redactor().mask(text)
    assert TOKEN.findall(masked) == ["[ACCOUNT-1]"]
    assert len(masked.replace("[ACCOUNT-1]", "")) < len(text)


@pytest.mark.parametrize(("kind", "text"), [("PHONE", t) for t in CALLED] + [("ID", t) for t in DOCUMENTS])
def test_a_number_is_masked_after_what_says_whose_it_is(kind: str, text: str) -> None:
    assert TOKEN.findall(Redactor().mask(text)) == [f"[{kind}-1]"]


def test_an_address_behind_a_time_of_day_is_masked_without_it() -> None:
    assert Redactor().mask("8点live.abc.com") == "8点[DOMAIN-1]"


@pytest.mark.parametrize("text", PLAIN)
def test_prices_dates_shares_odds_and_plain_words_stay(text: str) -> None:
    assert Redactor().mask(text) == text


def test_the_same_literal_is_the_same_token_and_a_changed_digit_another() -> None:
    redactor = Redactor()
    assert redactor.mask("电话 138 0013 8000") == "电话 [PHONE-1]"
    assert redactor.mask("一三八零零一三八零零零、１３８-００１３-８０００") == "[PHONE-1]、[PHONE-1]"
    assert redactor.mask("①③⑧⓪⓪①③⑧⓪⓪⓪、138😀0013😀8000、138_0013_8000") == "[PHONE-1]、[PHONE-1]、[PHONE-1]"
    assert redactor.mask("13800138001") == "[PHONE-2]"
    assert redactor.mask("wk3。bh点TEST 和 wk3.bh.test，wk3·bh·test") == "[DOMAIN-1] 和 [DOMAIN-1]，[DOMAIN-1]"
    assert redactor.masked == 10


def test_operators_are_learned_from_titles_and_from_what_a_site_says_of_itself() -> None:
    redactor = Redactor(
        ["© 2026 卷宗事务社 版权所有", "主办方：阿砺工作组", "主办方不卖任何东西，请绕开走"],
        ["公告栏 - 青禾窗", "青禾窗", "登录"],
    )
    assert set(redactor.operators) == {"青禾窗", "卷宗事务社", "阿砺工作组"}
    assert redactor.mask("您好，这里是青禾窗，由卷宗事务社代管") == "您好，这里是[OPERATOR-1]，由[OPERATOR-2]代管"
    assert redactor.mask("公告栏里不卖任何东西") == "公告栏里不卖任何东西"
    english = Redactor(["© 2026 Lark Hours. All rights reserved"], [])
    assert english.mask("Lark Hours is open; skylark hours are not") == "[OPERATOR-1] is open; skylark hours are not"


def test_a_brand_that_is_an_address_or_holds_one_is_masked_whole() -> None:
    redactor = Redactor(titles=["首页 - 关注 abc.com 商城", "规则 - 关注 abc.com 商城"])
    assert redactor.mask("规则 - 关注 abc.com 商城，见 abc.com") == "规则 - [OPERATOR-1]，见 [DOMAIN-1]"


def test_a_token_that_a_text_held_before_is_not_given_out() -> None:
    redactor = Redactor(["请拨打 [PHONE-1]"], others=["他说 [PHONE-2]"])
    assert redactor.mask("13800138000，[PHONE-1]") == "[PHONE-3]，[PHONE-1]"


def test_a_quote_is_masked_as_the_page_it_is_found_on() -> None:
    page = "联系微信 abc_123456 领取\n第二行　电话 138 0013 8000"
    redactor = Redactor(page.split("\n"))
    masked = redactor.mask(page)
    for quote in ("abc_123456", "微信 abc_123456", "0013 8000", "领取\n第二行 电话 138", "abc_12"):
        assert " ".join(mask_quote(quote, [page], redactor).split()) in " ".join(masked.split()), quote
    assert mask_quote("微信 abc_123457", [page], redactor) == "微信 [ACCOUNT-2]"
    assert mask_quote("没有这句话", [page], redactor) == "没有这句话"
    assert mask_quote("", [page], redactor) == ""


def test_of_the_pages_of_real_sites_only_names_mail_and_record_numbers_are_masked() -> None:
    found: Counter[str] = Counter()
    for chain in load_public("mini"):
        lines = sorted(set(_texts(chain.site.model_dump(mode="json"))))
        redactor = Redactor(lines, [page.title for page in chain.site.pages.values()])
        for line in lines:
            for span in redactor.spans(line):
                found[span.token[1:].partition("-")[0]] += 1
                literal = line[span.start : span.end]
                assert literal in redactor.operators or "@" in literal or literal.isdigit(), f"{literal!r} in {line!r}"
    assert set(found) <= {"OPERATOR", "EMAIL", "NUMBER"}
    assert found["OPERATOR"]


def _texts(value: Any) -> Iterator[str]:
    """Yield every text of a site that is shown as it is."""
    if isinstance(value, str) and "{{" not in value and "/" not in value:
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(item)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from([*(t for ts in LITERALS.values() for t in ts), *ACCOUNTS, *PLAIN, " ", "\n", "[", "]", "号"])
    )
)
def test_masking_twice_is_masking_once_and_leaves_nothing(parts: list[str]) -> None:
    text = "".join(parts)
    masked = Redactor().mask(text)
    assert audit_text(masked) == ()
    assert Redactor(masked.split("\n")).mask(masked) == masked


@settings(derandomize=True, max_examples=300, deadline=None)
@given(
    st.text(st.characters(codec="utf-8"), max_size=120)
    | st.text("0123456789一三8０点.。@:-/ 微信[PHONE-1]", max_size=60)
)
def test_any_text_is_masked_without_fail(text: str) -> None:
    masked = Redactor([text], [text, text[:5]]).mask(text)
    assert masked.count("\n") == text.count("\n")
    assert audit_text(masked) == ()
    assert Redactor().mask(masked) == masked
