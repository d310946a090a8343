"""Optional terms: each pays for doing well what it names, none for doing it badly, and no sign can be turned round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from arena import Arena, Played, mean_paid
from hackers import ConstantRestorer

from riskchain_gym.agents.base import Restorer
from riskchain_gym.agents.registry import load_restorer
from riskchain_gym.protocol.commit import Commit, EntryCandidate, RestoredMessage
from riskchain_gym.protocol.errors import RiskChainError
from riskchain_gym.protocol.message import Message

TurnedRound = tuple[str, str]

Config = Callable[[str], str]


@pytest.fixture
def config(tmp_path: Path) -> Config:
    def write(text: str) -> str:
        path = tmp_path / "terms.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


@pytest.mark.parametrize(
    ("term", "problem"),
    [
        ("citation_f1 = -1.0", "greater than or equal to 0"),
        ("exact_type = -0.5", "greater than or equal to 0"),
        ("cer = 1.0", "less than or equal to 0"),
        ("step_cost = -0.01", "greater than or equal to 0"),
        ("step_cost = nan", "finite number"),
        ("citation_f1 = inf", "finite number"),
    ],
)
def test_a_term_that_would_pay_for_the_opposite_is_refused(config: Config, term: str, problem: str) -> None:
    with pytest.raises(RiskChainError, match=problem):
        Arena(config=config(f"[terms]\n{term}\n"))


def test_terms_of_weight_zero_pay_nothing_and_are_not_reported(config: Config, honest: Sequence[Played]) -> None:
    one = honest[0]
    played = Arena(config=config("[terms]\nstep_cost = 0.0\n")).send(one.trajectory.chain_id, one.actions)
    assert played.paid == played.outcome["end_to_end_correct"]
    assert not [name for name in played.outcome if name.startswith("terms.")]


# -- the error rate ---------------------------------------------------------------------------------------------------


class Written:
    """Commits a text of its own making for each message of a session."""

    def __init__(self, text: Callable[[str], str]) -> None:
        self._text = text

    def restore(self, message: Message) -> Commit:
        told = tuple(
            RestoredMessage(message_id=each.message_id, text=self._text(each.content)[:1500])
            for each in message.messages
        )
        return Commit(reconstructed_messages=told)


UNREAD: dict[str, Restorer] = {
    "as it came": Written(lambda text: text),
    "empty": Written(lambda text: ""),
    "not at all": ConstantRestorer(),
    "one character": Written(lambda text: text[:1]),
    "twice over": Written(lambda text: text * 2),
    "the commonest characters": Written(lambda text: "的一是不了在人有我他" * 20),
    "backwards": Written(lambda text: text[::-1]),
}


@pytest.fixture(scope="module")
def by_error_rate(tmp_path_factory: pytest.TempPathFactory) -> Arena:
    """Restoration paid for its error rate too, on all six disguises of every message."""
    path = tmp_path_factory.mktemp("terms") / "cer.toml"
    path.write_text("[terms]\ncer = -1.0\n", encoding="utf-8")
    return Arena("RiskChainRestore-v0", config=str(path), variants="all")


def restored(arena: Arena, restorer: Restorer) -> list[Played]:
    played = []
    for chain in list(arena.gold)[::2]:
        observation, _ = arena.env.reset(options={"chain": chain, "variant": "v002"})
        commit = restorer.restore(Message.model_validate_json(observation["text"]))
        _, reward, _, _, info = arena.env.step(commit.model_dump_json())
        played.append(Played(arena.world.trajectory, (float(reward),), info))
    return played


@pytest.fixture(scope="module")
def read(by_error_rate: Arena) -> list[Played]:
    """The control: what the rules make of the same messages."""
    return restored(by_error_rate, load_restorer("rules"))


@pytest.mark.parametrize("name", UNREAD)
def test_a_text_that_was_not_worked_out_is_paid_less(by_error_rate: Arena, read: list[Played], name: str) -> None:
    played = restored(by_error_rate, UNREAD[name])
    assert mean_paid(played) < mean_paid(read) - 0.2
    assert all(one.outcome["terms.cer"] <= 0 for one in played)
    for control, one in zip(read, played, strict=True):
        assert one.outcome["terms.cer"] <= control.outcome["terms.cer"]


def test_no_error_rate_is_hidden_by_a_text_without_end(by_error_rate: Arena) -> None:
    long = restored(by_error_rate, Written(lambda text: "哈" * 1500))
    assert max(one.outcome["terms.cer"] for one in long) < -1, "it is not clipped at 1"


# -- the revision of the joint protocol -------------------------------------------------------------------------------

JOINT = 'revision = "told"\n[terms]\nrevised = {weight}\n'
WRONG = Commit(entry_candidates=(EntryCandidate(rank=1, value="nowhere.at.test"),)).model_dump_json()


@pytest.mark.parametrize("reward", ["gated", "delta_gate_shaped"])
@pytest.mark.parametrize("weight", [0.5, 1.0])
def test_a_wrong_commit_put_right_later_is_worth_no_more_than_a_right_one(
    config: Config, honest: Sequence[Played], reward: str, weight: float
) -> None:
    arena = Arena(config=config(JOINT.format(weight=weight)), reward=reward, web_outcomes=0.5)
    for one in honest[::6]:
        right, *browsed, report = one.actions
        control = arena.send(one.trajectory.chain_id, one.actions)
        sandbagged = arena.send(one.trajectory.chain_id, [WRONG, *browsed, right, report])
        spoiled = arena.send(one.trajectory.chain_id, [right, *browsed, WRONG, report])
        assert sandbagged.paid <= control.paid + 1e-12
        assert spoiled.paid <= control.paid + 1e-12
        assert sandbagged.outcome["end_to_end_correct"] == 0, "what is ranked is the commit before browsing"


@pytest.mark.parametrize(
    ("reward", "weight", "problem"),
    [
        ("web", 0.5, "wrong commit, put right later"),
        ("delta_gate", 0.5, "wrong commit, put right later"),
        ("gated", 2.0, "less than or equal to 1"),
        ("gated", -1.0, "greater than or equal to 0"),
    ],
)
def test_a_revision_that_would_be_worth_a_wrong_commit_is_refused(
    config: Config, reward: str, weight: float, problem: str
) -> None:
    with pytest.raises(RiskChainError, match=problem):
        Arena(config=config(JOINT.format(weight=weight)), reward=reward, web_outcomes=0.5)
