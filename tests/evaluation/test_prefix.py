"""What a run had come to after fewer steps than it was told."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import gymnasium as gym
import pytest
from run_cases import Images, lost, remade, trajectories

from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.envs.chain_env import RiskChainEnv
from riskchain_gym.evaluation.prefix import budgets_of, course_of, prefix_scores, prefixes, told_beside_prefix
from riskchain_gym.evaluation.score import load_scores
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.trajectory import Trajectory
from riskchain_gym.scoring.episode import score_episode
from riskchain_gym.scoring.summary import summarize


def played(trajectory: Trajectory, max_steps: int) -> Trajectory:
    """The same actions in an environment with the published protocol and another budget."""
    env = gym.make(
        "riskchain_gym:RiskChain-v0",
        config="published",
        backend="text",
        observe=[],
        reward="none",
        max_steps=max_steps,
        disable_env_checker=True,
    )
    env.reset(options={"chain": trajectory.chain_id})
    for step in trajectory.steps:
        _, _, terminated, _, _ = env.step(step.action)
        if terminated:
            break
    ended = cast(RiskChainEnv, env.unwrapped).trajectory
    env.close()  # type: ignore[no-untyped-call]
    return ended


@pytest.mark.parametrize("k", [3, 4, 6, 8])
def test_a_prefix_is_what_the_published_protocol_makes_of_the_same_actions(
    frozen: dict[str, RunFolder], k: int
) -> None:
    gold = load_gold("mini")
    again = [played(episode, k) for episode in trajectories(frozen["oracle"])]
    summary = summarize([score_episode(episode, gold[episode.chain_id]) for episode in again])
    (prefix,) = prefix_scores(frozen["oracle"], [k])
    assert prefix.ended == summary.statuses.get("reported", 0) / 4
    for figure in ("web_accuracy", "end_to_end_accuracy", "exact_match", "citation_f1", "evidence_seen"):
        assert getattr(prefix, figure) == getattr(summary, figure), figure


def test_a_longer_prefix_has_never_come_to_less(frozen: dict[str, RunFolder]) -> None:
    for run in frozen.values():
        found = prefix_scores(run, range(1, 31))
        for figure in ("ended", "evidence_seen", "evidence_complete"):
            course = [getattr(each, figure) for each in found]
            assert course == sorted(course), figure


def test_after_more_steps_than_anybody_took_the_run_stands_as_it_ended(frozen: dict[str, RunFolder]) -> None:
    (whole,) = prefix_scores(frozen["oracle"], [30])
    summary = load_scores(frozen["oracle"]).summary
    assert (whole.ended, whole.evidence_complete) == (1, 1)
    assert (whole.web_accuracy, whole.citation_f1) == (summary.web_accuracy, summary.citation_f1)
    websites = next(each for each in summary.intervals if each.unit == "website").ends
    assert whole.ends == {name: websites[name] for name in whole.ends}
    assert {"web_accuracy", "citation_f1"} <= whole.ends.keys()


def test_scores_hold_the_prefixes_below_the_budget(frozen: dict[str, RunFolder]) -> None:
    run = frozen["rules+explorer"]
    assert budgets_of(run.manifest) == (5, 10, 15, 20)
    assert load_scores(run).prefixes == prefix_scores(run)
    with pytest.raises(ConfigError, match="was told 30 browse steps"):
        prefix_scores(run, [31])


def test_a_lost_episode_has_not_ended_and_counts_against_the_prefix(frozen: dict[str, RunFolder]) -> None:
    gold = load_gold("mini")
    first, *others = trajectories(frozen["oracle"])
    courses = [course_of(t, gold[t.chain_id]) for t in (lost(first), *others)]
    website_of = {chain: bundle.site.site_id for chain, bundle in gold.items()}
    (found,) = prefixes(courses, [29], website_of)
    assert (found.ended, found.web_accuracy, found.evidence_complete) == (3 / 4, 3 / 4, 3 / 4)
    (unknown,) = prefixes(courses[:1], [29], website_of)
    assert (unknown.web_accuracy, unknown.evidence_seen, unknown.evidence_complete) == (None, None, None)
    assert courses[0].outcome.status is EpisodeStatus.INFRA_ERROR


def test_a_run_that_was_told_less_stands_beside_the_prefix_of_one_that_was_told_more(
    frozen: dict[str, RunFolder], tmp_path: Path
) -> None:
    run = frozen["oracle"]
    environment = run.manifest.environment.model_copy(update={"max_steps": 60})
    episodes: list[tuple[Trajectory, Images]] = [(t, {}) for t in trajectories(run)]
    longer = remade(tmp_path / "longer", run, episodes, environment=environment)
    other = remade(tmp_path / "other", run, episodes, environment=environment, agent_sha256="0" * 64)
    repeat = remade(tmp_path / "repeat", run, episodes, environment=environment, repeat=1)
    versions = {**run.manifest.versions, "riskchain-gym": "0.0.1"}
    older = remade(tmp_path / "older", run, episodes, environment=environment, versions=versions)
    (pair,) = told_beside_prefix([other, longer, frozen["noop"], repeat, older, run])
    assert (pair.k, pair.long, pair.repeat) == (30, 60, 0)
    # Nobody took thirty steps, so that the prefix is the run itself.
    assert pair.told == pair.prefix
    assert pair.differences["web_accuracy"].difference == 0
    assert told_beside_prefix([run, frozen["noop"]]) == ()


def test_hurrying_shows_as_a_difference(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    run = frozen["oracle"]
    told = run.manifest.environment.model_copy(update={"max_steps": 2})
    hurried = remade(tmp_path / "hurried", run, [(t, {}) for t in trajectories(run)], environment=told)
    (pair,) = told_beside_prefix([hurried, run])
    assert (pair.told.web_accuracy, pair.prefix.web_accuracy) == (1, pair.prefix.ended)
    gap = pair.differences["web_accuracy"]
    assert gap.difference == 1 - pair.prefix.ended > 0
