"""Whatever a message holds, the restorers answer, and the answer is well-formed."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.agents.restore.copying import CopyRestorer
from riskchain_gym.agents.restore.lookalikes import fold
from riskchain_gym.agents.restore.normalizing import NormalizeRestorer, normalized
from riskchain_gym.agents.restore.rules import RulesRestorer
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface

ENTRY = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?\.[a-z0-9]([a-z0-9-]*[a-z0-9])?\.test")
RULES = RulesRestorer()

pieces = st.sampled_from(
    [
        *("test", "t\ne\ns\nt", "mint4", "ro", "t", "e", "s", "Ο", "κ", "0️⃣", "-", ".", "，", "点", "[点]"),
        *("\n", "\n\n", " ", "\u3000", "\v", "\r", "\u200d", "[甲]", "/ab ", "#(甲)", "🎈", "＊"),
        *("扌", "丁", "女子", "登陆", "打开"),
    ]
)
contents = st.one_of(st.text(max_size=60), st.lists(pieces, max_size=40).map("".join))


def check(commit: Commit, message: Message) -> None:
    assert Commit.model_validate_json(commit.model_dump_json()) == commit
    assert [m.message_id for m in commit.reconstructed_messages] == [m.message_id for m in message.messages]
    assert commit.platform == message.platform
    assert commit.abstain == (not commit.entry_candidates)
    values = [c.value for c in commit.entry_candidates]
    assert all(ENTRY.fullmatch(value) for value in values)
    assert len(set(values)) == len(values)
    assert [c.rank for c in commit.entry_candidates] == list(range(1, len(values) + 1))


@settings(deadline=None)
@given(platform=st.sampled_from(list(Platform)), parts=st.lists(contents, min_size=1, max_size=3))
def test_always_a_valid_commit(platform: Platform, parts: list[str]) -> None:
    chats = tuple(ChatMessage(message_id=f"m{i}", content=content) for i, content in enumerate(parts))
    message = Message(platform=platform, surface=Surface.LIVE_CHAT, messages=chats)
    check(RULES.restore(message), message)
    check(CopyRestorer().restore(message), message)
    check(NormalizeRestorer().restore(message), message)
    assert RULES.restore(message) == RULES.restore(message)


@given(text=st.text(max_size=200))
def test_folding_keeps_the_length(text: str) -> None:
    assert len(fold(text)) == len(text)


@given(text=st.text(max_size=200))
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    assert normalized(normalized(text)) == normalized(text)


labels = st.from_regex(r"[a-z][a-z0-9]{2,9}", fullmatch=True)


@settings(deadline=None)
@given(first=labels, second=st.from_regex(r"[a-z]{2,3}", fullmatch=True), data=st.data())
def test_an_entry_survives_codes_between_its_letters(first: str, second: str, data: st.DataObject) -> None:
    entry = f"{first}.{second}.test"
    codes = data.draw(
        st.lists(st.sampled_from(["", "[甲]", "[V9]", "[dog]"]), min_size=len(entry), max_size=len(entry))
    )
    content = "入口是 " + "".join(code + char for code, char in zip(codes, entry, strict=True)) + "，请看。"
    chat = ChatMessage(message_id="m001", content=content)
    commit = RULES.restore(Message(platform=Platform.DOUYIN, surface=Surface.COMMENT, messages=(chat,)))
    assert commit.entry_candidates[0].value == entry
    assert commit.reconstructed_messages[0].text == f"入口是 {entry}，请看。"


def test_a_very_long_message_is_cut_to_the_schema() -> None:
    chat = ChatMessage(message_id="m001", content="今天天气很好，" * 2000 + "test " * 500)
    message = Message(platform=Platform.QQ, surface=Surface.COMMENT, messages=(chat,))
    for restorer in (RULES, CopyRestorer()):
        assert len(restorer.restore(message).reconstructed_messages[0].text) == 8000
