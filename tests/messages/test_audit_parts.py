"""What the audit is made of: finding live hosts, naming credentials, weighing a link against chance."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.messages.audit.chance import SURPRISE, category_link, rank_link, shuffles
from riskchain_gym.messages.audit.hosts import live_hosts, live_hosts_disguised
from riskchain_gym.messages.audit.private import PRIVATE
from riskchain_gym.messages.audit.separation import gold_keys, is_gold_key, strings, without_gold_keys
from riskchain_gym.messages.bank import load_bank
from riskchain_gym.messages.rows import InputRow
from riskchain_gym.messages.skeletons import PLACE
from riskchain_gym.protocol.keyed import KeyedRandom

LIVE = {
    "请看abc.com，快": "请看abc.com",
    "http://1.2.3.4/x": "1.2.3.4",
    "去 例子.中国 看": "例子.中国",
    "ａｂｃ．ｃｏｍ": "abc.com",
    "abc[.]com": "abc.com",
    "a\u200bb\u2060c.net": "abc.net",
    "ABC。COM": "abc.com",
    "see xn--fsq.cn now": "xn--fsq.cn",
    "münchen.shop": "münchen.shop",
    "пример.рф": "пример.рф",
    "kab.cd.test.info": "kab.cd.test.info",
    "www.ab.io": "www.ab.io",
    "https://ab.cc/join": "ab.cc",
}


@pytest.mark.parametrize(("text", "host"), LIVE.items())
def test_a_live_host_is_found_in_plain_and_in_disguised_text(text: str, host: str) -> None:
    assert live_hosts(text) == [host]
    assert live_hosts_disguised(text) == live_hosts_disguised(text, ()) == [host]


@pytest.mark.parametrize(
    "text",
    [
        "请看 kab.cd.test，真的。明天见",
        "open kab.cd.test. Then wait",
        "k\na\nb\n\nc\nd\n.\ntest",
        "版本 v1.2，共 3.5 元，12.30 开始",
        "第1.2.3.4.5节",
        "e.g. now, i.e. U.S. time",
        "http://localhost/ 127.0.0.1 192.0.2.7",
        "www.example.com alpha.invalid a.example",
        "好的。com 是什么",
        "很好.快来",
        "...",
        "",
    ],
)
def test_reserved_names_and_ordinary_writing_are_no_live_hosts(text: str) -> None:
    assert live_hosts(text) == live_hosts_disguised(text) == []


@pytest.mark.parametrize(
    "shown", ["kab.com.test", "kab.com点test", "kab.com。t e s t", "kab.com\ntest", "kab.com/ｔｅｓｔ"]
)
def test_what_a_disguise_leaves_standing_of_an_address_is_no_live_host(shown: str) -> None:
    assert live_hosts_disguised(f"看 {shown}，快") == []
    assert live_hosts_disguised("看 kab.com，te5t", {"kab", "com"}) == []
    assert live_hosts_disguised("看 kab.com，test.net", {"xyz", "com"}) == ["test.net"]


def test_no_wording_of_the_bank_is_taken_for_a_host_or_a_credential() -> None:
    patterns = [re.compile(pattern) for pattern in PRIVATE.values()]
    wordings = [
        text
        for skeleton in load_bank().skeletons
        for text in (
            *(PLACE.sub("k4b.cd.test", line.text) for line in skeleton.messages),
            *(phrase for phrases in skeleton.slots.values() for phrase in phrases),
        )
    ]
    assert len(wordings) > 1000
    assert [w for w in wordings if live_hosts(w) or live_hosts_disguised(w) or any(p.search(w) for p in patterns)] == []


@given(st.text(max_size=80))
@settings(deadline=None)
def test_any_text_can_be_searched_for_hosts(text: str) -> None:
    assert set(live_hosts_disguised(text, ())) >= set(live_hosts_disguised(text))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a service key", "用 sk-proj-abcdefghij0123456789"),
        ("a repository token", "ghp_abcdefghijklmnopqrstuv"),
        ("a cloud key", "AKIAABCDEFGHIJKLMNOP"),
        ("a bearer token", "Authorization: Bearer abcdef0123456789xyz"),
        ("a named secret", "api_key = abcd1234efgh"),
        ("a private path", "/root/.ssh"),
        ("a private path", r"C:\Users\ming"),
    ],
)
def test_credentials_are_named_by_kind(name: str, text: str) -> None:
    assert [kind for kind, pattern in PRIVATE.items() if re.search(pattern, text)] == [name]


@pytest.mark.parametrize(
    "text", ["ask-me-about-anything-today", "/ll /homework ", "密码是 123456", "the bearer of good news"]
)
def test_ordinary_words_are_no_credentials(text: str) -> None:
    assert not any(re.search(pattern, text) for pattern in PRIVATE.values())


def test_gold_fields_are_found_at_any_depth_and_in_any_spelling() -> None:
    row = {"a": [{"b": {"Gold_Reconstruction": {"entry": 1}}}], "api-key": 1, "platform": {"x_sha256": "y"}}
    assert list(gold_keys(row)) == ["a.0.b.Gold_Reconstruction", "api-key"]
    assert without_gold_keys(row) == {"a": [{"b": {}}], "platform": {"x_sha256": "y"}}
    assert "y" not in strings(row)
    assert not any(is_gold_key(name) for name in (*InputRow.model_fields, "message_id", "role", "content"))


def column(label: str, size: int, kinds: int) -> list[int]:
    rng = KeyedRandom(b"test", label)
    return [rng.below(kinds) for _ in range(size)]


@pytest.mark.parametrize("kinds", [3, 36])
def test_a_link_stands_out_and_chance_does_not(kinds: int) -> None:
    size = 200
    orders = shuffles(size, "test")
    one = column("one", size, kinds)
    other = [
        value if chance else again
        for value, chance, again in zip(one, column("?", size, 4), column("x", size, kinds), strict=True)
    ]
    assert category_link(one, [value * 7 % kinds if kinds % 7 else value for value in other], orders) > SURPRISE
    assert rank_link(one, other, orders) > SURPRISE
    for label in map(str, range(60)):
        independent = column(label, size, kinds)
        assert abs(category_link(one, independent, orders)) < SURPRISE - 1
        assert abs(rank_link(one, independent, orders)) < SURPRISE - 1


def test_what_goes_with_the_stratum_alone_is_no_link() -> None:
    strata = column("strata", 300, 3)
    one = [10 * stratum + value for stratum, value in zip(strata, column("a", 300, 9), strict=True)]
    other = [10 * stratum + value for stratum, value in zip(strata, column("b", 300, 9), strict=True)]
    assert rank_link(one, other, shuffles(300, "test")) > SURPRISE
    assert abs(rank_link(one, other, shuffles(300, "test", strata=strata))) < SURPRISE - 1
    assert rank_link(one, strata, shuffles(300, "test", strata=strata)) == 0.0


def test_shuffles_are_keyed_orders() -> None:
    orders = shuffles(50, "label")
    assert (orders == shuffles(50, "label")).all()
    assert (orders != shuffles(50, "other")).any()
    assert all(sorted(order) == list(range(50)) for order in orders)
