"""What is carried out is also written down, whole: a longer action is refused, in every phase."""

from __future__ import annotations

import pytest

from riskchain_gym.envs.parsing import InvalidActionError, parse_action
from riskchain_gym.envs.recorder import ACTION_LIMIT, storable
from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.failures import FailureKind
from riskchain_gym.protocol.trajectory import Phase

RELOAD = '{"action":"reload"'


def padded(length: int) -> str:
    return RELOAD + " " * (length - len(RELOAD) - 1) + "}"


def test_the_longest_action_is_carried_out_and_kept_whole() -> None:
    action = padded(ACTION_LIMIT)
    assert parse_action(Phase.BROWSE, action) == BrowserAction(action=ActionKind.RELOAD)
    assert storable(action) == action


@pytest.mark.parametrize(
    ("phase", "kind"),
    [
        (Phase.RESTORE, FailureKind.MALFORMED_ACTION),
        (Phase.BROWSE, FailureKind.MALFORMED_ACTION),
        (Phase.REPORT, FailureKind.INVALID_REPORT),
    ],
)
def test_a_longer_one_is_refused_in_a_sentence(phase: Phase, kind: FailureKind) -> None:
    with pytest.raises(InvalidActionError) as refused:
        parse_action(phase, padded(ACTION_LIMIT + 1))
    assert refused.value.kind is kind
    assert refused.value.sentence == "An action has at most 20,000 characters, got 20,001: say it in fewer."
