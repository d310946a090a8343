"""Text normalisation and character errors (protocol B.1, published expectations T071-T076)."""

import pytest

from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.commit import Commit, EntryCandidate, RestoredMessage
from riskchain_gym.protocol.gold import MessageGold
from riskchain_gym.protocol.message import Platform
from riskchain_gym.scoring.restoration import score_restoration
from riskchain_gym.scoring.text import normalize_text

GOLD = MessageGold(
    entry="alpha.beta.test",
    messages=(RestoredMessage(message_id="m001", text="请打开 alpha.beta.test 查看"),),
    intent=Intent.OPEN_SITE,
    platform=Platform.QQ,
    skeleton="s",
    topic="benign",
)


@pytest.mark.parametrize(
    ("raw", "normal"),
    [
        ("  a \t b\r\n c  ", "a b\nc"),
        ("\u3000 a\u3000b \u3000", "a\u3000b"),
        ("Ａ1", "Ａ1"),
        ("e\u0301", "é"),
        ("a \n\n b", "a\n\nb"),
    ],
)
def test_normal_form(raw: str, normal: str) -> None:
    assert normalize_text(raw) == normal


def answer(text: str, entry: str = "alpha.beta.test", platform: Platform = Platform.QQ) -> Commit:
    return Commit(
        reconstructed_messages=(RestoredMessage(message_id="m001", text=text),),
        intent=Intent.OPEN_SITE,
        platform=platform,
        entry_candidates=(EntryCandidate(rank=1, value=entry),),
    )


def test_a_right_answer_is_full() -> None:
    result = score_restoration(answer("请打开  alpha.beta.test 查看 "), GOLD)
    assert result.message_exact
    assert result.full
    assert (result.edit_distance, result.entry_rank) == (0, 1)


def test_the_place_of_the_right_entry_goes_by_rank_and_not_by_the_list() -> None:
    named = (EntryCandidate(rank=3, value="alpha.beta.test"), EntryCandidate(rank=2, value="x.beta.test"))
    result = score_restoration(Commit(entry_candidates=named), GOLD)
    assert (result.entry_rank, result.candidates) == (2, 2)


def test_a_missing_message_counts_as_empty_text() -> None:
    result = score_restoration(Commit(), GOLD)
    assert result.edit_distance == result.reference_length == len("请打开 alpha.beta.test 查看")
    assert not result.message_exact


@pytest.mark.parametrize("wrong", [{"entry": "x.beta.test"}, {"platform": Platform.WEIBO}])
def test_full_needs_entry_and_platform(wrong: dict[str, str]) -> None:
    result = score_restoration(answer("请打开 alpha.beta.test 查看", **wrong), GOLD)
    assert result.message_exact
    assert not result.full
