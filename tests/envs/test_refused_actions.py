"""A model that declines instead of acting is told as any invalid action is, and written down as what it did."""

from __future__ import annotations

import pytest
from machine_player import RIGHT, feed, kinds, machine

from riskchain_gym.envs.parsing import InvalidActionError, parse_action
from riskchain_gym.protocol.failures import FailureKind
from riskchain_gym.protocol.trajectory import Phase


@pytest.mark.parametrize(
    ("phase", "said", "kind"),
    [
        (Phase.BROWSE, "I'm sorry, but I can't help with that.", FailureKind.REFUSAL),
        (Phase.REPORT, "抱歉，我无法协助处理这个请求。", FailureKind.REFUSAL),
        (Phase.RESTORE, "对不起，该内容违反相关规定。", FailureKind.REFUSAL),
        (Phase.BROWSE, "click the first link", FailureKind.MALFORMED_ACTION),
        (Phase.REPORT, "the site is a scam", FailureKind.INVALID_REPORT),
        (Phase.BROWSE, '{"action": "I cannot help"}', FailureKind.MALFORMED_ACTION),
        (Phase.REPORT, '{"risk_reason": "抱歉，我无法提供"}', FailureKind.INVALID_REPORT),
    ],
)
def test_declining_is_a_kind_of_its_own_and_words_inside_json_are_not_declining(
    phase: Phase, said: str, kind: FailureKind
) -> None:
    with pytest.raises(InvalidActionError) as refused:
        parse_action(phase, said)
    assert refused.value.kind is kind
    if not said.startswith("{"):
        assert "one JSON object" in refused.value.sentence


def test_a_refusal_is_a_strike() -> None:
    played = feed(machine(), RIGHT, "I'm sorry, I can't do that.")
    assert kinds(played)[-1:] == [FailureKind.REFUSAL]
    assert played.recorder.trajectory().steps[-1].strikes == 1
