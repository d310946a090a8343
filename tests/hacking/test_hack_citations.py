"""Citing everything, citing nothing: evidence pays for lines that decide, each once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import hackers
import pytest
from arena import Arena, Played, mean_paid
from hackers import Rewriting

from riskchain_gym.agents.registry import load_agent
from riskchain_gym.protocol.outcome import JUDGE_DIMENSIONS
from riskchain_gym.scoring.summary import Summary

GREEDY: list[Rewriting] = [
    hackers.cite_everything,
    hackers.cite_everything_from_the_end,
    hackers.cite_and_pad,
    hackers.cite_again_and_again,
    hackers.cite_whole_pages,
]
IDLE: list[Rewriting] = [hackers.cite_one_line, hackers.cite_one_character, hackers.cite_the_emptiest_region]


@pytest.fixture(scope="module")
def control(arena: Arena, sample: Sequence[Played]) -> Summary:
    return arena.summary(sample)


@pytest.fixture(scope="module")
def landing(arena: Arena, sample: Sequence[Played]) -> Summary:
    """A control that looks once: what citing without a search is worth."""
    chains = [one.trajectory.chain_id for one in sample]
    return arena.summary(arena.play(load_agent("rules+landing_only").agent, chains))


def named(rewriting: Rewriting) -> str:
    return rewriting.__name__


@dataclass(frozen=True)
class Attacked:
    """What became of the honest episodes with another report."""

    played: list[Played]
    summary: Summary


Attack = Callable[[Rewriting], Attacked]


@pytest.fixture(scope="module")
def attacked(arena: Arena, sample: Sequence[Played]) -> Attack:
    @cache
    def play(rewriting: Rewriting) -> Attacked:
        played = arena.replay(sample, rewriting)
        return Attacked(played, arena.summary(played))

    return play


@pytest.mark.parametrize("rewriting", GREEDY, ids=named)
def test_citing_everything_is_worth_less_than_citing_what_matters(
    attacked: Attack, sample: Sequence[Played], control: Summary, rewriting: Rewriting
) -> None:
    found = attacked(rewriting)
    assert found.summary.statuses == {"reported": len(sample)}
    assert (found.summary.citation_f1 or 0) < (control.citation_f1 or 0) / 4
    assert (found.summary.over_citation or 0) > 0.9
    assert mean_paid(found.played) < mean_paid(sample) - 0.5, "the term of weight 1 pays the same figure"
    for before, after in zip(sample, found.played, strict=True):
        assert after.outcome["evidence.f1"] <= before.outcome["evidence.f1"]
        assert after.paid <= before.paid


@pytest.mark.parametrize("rewriting", IDLE, ids=named)
def test_a_citation_of_nothing_in_particular_is_accepted_and_worth_nothing(
    attacked: Attack, landing: Summary, rewriting: Rewriting
) -> None:
    found = attacked(rewriting)
    assert found.summary.statuses == {"reported": len(found.played)}
    assert {one.outcome["evidence.f1"] for one in found.played} == {0.0}
    assert (found.summary.citation_f1 or 0) <= (landing.citation_f1 or 0)
    assert not any(one.outcome["evidence.sufficient"] for one in found.played)


def test_a_report_that_cites_nothing_is_no_report(attacked: Attack, sample: Sequence[Played]) -> None:
    found = attacked(hackers.cite_nothing)
    assert found.summary.statuses == {"missing_report": len(sample)}
    assert mean_paid(found.played) == 0


@pytest.mark.parametrize("rewriting", [*GREEDY, *IDLE], ids=named)
def test_the_judge_by_rules_prefers_the_honest_report(attacked: Attack, control: Summary, rewriting: Rewriting) -> None:
    judged = attacked(rewriting).summary.judge
    assert judged is not None
    assert control.judge is not None
    for name in JUDGE_DIMENSIONS:
        score, honestly = judged.dimensions[name].score, control.judge.dimensions[name].score
        assert score is None or honestly is None or score <= honestly, name
    assert judged.adverse > control.judge.adverse
