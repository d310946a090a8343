"""The default proposer: what it finds, what it says of it, and that it knows nothing but the message."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.agents.restore.proposals import gather, propose
from riskchain_gym.agents.restore.windows import encode
from riskchain_gym.messages.splits import iter_sessions, sessions_with
from riskchain_gym.protocol.commit import MAX_CANDIDATES
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface

KEY = key_from_seed(2026)


def message_of(*contents: str, platform: Platform = Platform.QQ) -> Message:
    chats = tuple(ChatMessage(message_id=f"m{i}", content=content) for i, content in enumerate(contents))
    return Message(platform=platform, surface=Surface.COMMENT, messages=chats)


@pytest.mark.parametrize(
    ("recipe", "least"),
    [
        ("percent_encoding@2", 1.0),
        ("text_escapes@3", 1.0),
        ("base_n@2", 1.0),
        ("punycode@2", 0.7),
        ("redirect_wrapper@3", 1.0),
        ("chinese_numerals@3", 1.0),
        ("digit_homophones@2", 1.0),
        ("dot_spelled@3", 1.0),
        ("verbalized@2", 0.7),
        ("columns@2", 1.0),
        ("reversed_entry@1", 0.9),
        ("reversed_entry@2", 0.9),
        ("skip_letters@2", 0.9),
        ("component_split@3", 0.9),
        ("spaced_letters@3", 0.8),
        ("character_repeat@2", 0.4),
        ("wide_confusables@2", 0.8),
        ("vertical", 1.0),
        ("lost_dot@2", 0.5),
    ],
)
def test_the_entry_is_among_the_candidates_whatever_hid_it(recipe: str, least: float) -> None:
    sessions = list(islice((s for s in sessions_with("train", KEY, recipe) if s.gold.entry), 12))
    found = [s.gold.entry in propose(s.variants["v000"], 16).entries for s in sessions]
    assert np.mean(found) >= least


def test_a_proposal_is_a_function_of_the_message() -> None:
    for session in islice(iter_sessions("dev", KEY), 10):
        message = session.variants["v000"]
        first, again = propose(message, 16), propose(Message.model_validate_json(message.model_dump_json()), 16)
        assert first.entries == again.entries
        assert np.array_equal(first.features, again.features)
        assert np.array_equal(first.context, again.context)
        renamed = message.model_copy(
            update={
                "messages": tuple(c.model_copy(update={"message_id": f"x{i}"}) for i, c in enumerate(message.messages))
            }
        )
        assert propose(renamed, 16).entries == first.entries, "an id tells nothing"
        assert propose(message, 2).entries == first.entries[:3], "fewer candidates are the first of more"


def test_features_say_where_a_reading_comes_from() -> None:
    proposals = propose(message_of("看 k1.ab.test 就好，别看 %78%79.cd.test"), 16)
    assert proposals.entries[0] is None
    rows = dict(zip(proposals.entries, proposals.features, strict=True))

    def said(entry: str | None, name: str) -> float:
        return float(rows[entry][proposals.feature_names.index(name)])

    assert [said(None, "abstain"), said("k1.ab.test", "abstain")] == [1.0, 0.0]
    assert (said("k1.ab.test", "from_plain"), said("xy.cd.test", "from_plain")) == (1.0, 0.0)
    assert (said("k1.ab.test", "undone_web"), said("xy.cd.test", "undone_web")) == (0.0, 1.0)
    assert (said("k1.ab.test", "stands_in_message"), said("xy.cd.test", "stands_in_message")) == (1.0, 0.0)
    assert said("k1.ab.test", "is_last_address") == 0.0
    assert said("k1.ab.test", "digits") == pytest.approx(0.25)
    assert len(proposals.feature_names) == len(set(proposals.feature_names)) == proposals.features.shape[1]
    assert len(proposals.context_names) == len(set(proposals.context_names)) == len(proposals.context)


def test_a_commit_has_its_entry_first_and_in_its_text() -> None:
    message = message_of("看 k1.ab.test 就好", "别看 xy.cd.test 了")
    proposals = propose(message, 16)
    for row, entry in enumerate(proposals.entries):
        commit = proposals.commit(row)
        assert commit.abstain is (entry is None)
        assert [c.value for c in commit.entry_candidates][:1] == [entry][: len(commit.entry_candidates)]
        assert len(commit.entry_candidates) <= MAX_CANDIDATES
        assert [m.message_id for m in commit.reconstructed_messages] == ["m0", "m1"]
        assert entry is None or any(entry in m.text for m in commit.reconstructed_messages)


def test_what_the_learned_restorer_reads_is_a_source_of_its_own() -> None:
    message = message_of("看 k1.ab.test 就好")
    known = {each.entry: each for each in gather(message, 16, [("k1.ab.test", -0.1), ("zz.yy.test", -3.0)])}
    assert known["k1.ab.test"].ranks["learned"] == 0
    assert known["zz.yy.test"].ranks == {"learned": 1}
    assert known["zz.yy.test"].confidence["learned"] == pytest.approx(np.exp(-3.0))


_TEXT = st.text(st.sampled_from("ab1.-tes点零一第段①%6\\u&#;\n \u200b\ud83d😀テ［］[]/（）"), max_size=60)


@settings(max_examples=60, deadline=None)
@given(st.lists(_TEXT, min_size=1, max_size=3), st.sampled_from(list(Platform)))
def test_no_message_breaks_the_proposer_or_the_encoder(contents: list[str], platform: Platform) -> None:
    message = message_of(*contents, platform=platform)
    proposals = propose(message, 8)
    assert len(proposals.entries) <= 9
    for values in (proposals.context, proposals.features):
        assert values.dtype == np.float32
        assert 0.0 <= values.min() <= values.max() <= 1.0
    text = "\n".join(contents)
    encoded = encode(text, 32)
    assert 0 <= encoded.start <= max(0, len(text) - 32)
    for name, ids in encoded.planes.items():
        assert len(ids) == min(len(text), 32)
        assert all(0 < i < encoded.sizes[name] for i in ids)
