"""Runs are frozen without gold and scored offline, against the gold they were made for, to the same bytes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from run_cases import lost, remade, trajectories

from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.benchmark.splits import load_gold, load_public, split_dir
from riskchain_gym.envs.screenshots import ScreenshotEncoder
from riskchain_gym.evaluation.episode import run_episode
from riskchain_gym.evaluation.images import media_name
from riskchain_gym.evaluation.run import run_agents
from riskchain_gym.evaluation.score import load_scores, score_run, score_runs
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.evaluation.store import MEDIA, SCORES, RunFolder
from riskchain_gym.protocol.errors import InputFileError


def copied_split(folder: Path) -> Path:
    return Path(shutil.copytree(split_dir("mini"), folder))


# -- scores -----------------------------------------------------------------------------------------------------------


def test_the_oracle_is_perfect_and_doing_nothing_scores_nothing(frozen: dict[str, RunFolder]) -> None:
    oracle, noop = (load_scores(frozen[name]).summary for name in ("oracle", "noop"))
    assert (oracle.web_accuracy, oracle.end_to_end_accuracy, oracle.gate_loss, oracle.exact_match) == (1, 1, 0, 1)
    assert (oracle.citation_f1, oracle.message_exact, oracle.cer) == (1, 1, 0)
    assert (noop.web_accuracy, noop.end_to_end_accuracy, noop.entry_top1) == (0, 0, 0)
    assert noop.statuses == {"missing_report": noop.chains}
    for run in frozen.values():
        assert all(outcome.validator.problems == () for outcome in load_scores(run).outcomes)


def test_scoring_again_gives_the_same_bytes(frozen: dict[str, RunFolder]) -> None:
    run = frozen["rules+explorer"]
    before = (run.path / SCORES).read_bytes()
    score_run(RunFolder.open(run.path))
    assert (run.path / SCORES).read_bytes() == before


def test_running_again_freezes_the_same_episodes_in_the_same_order(
    frozen: dict[str, RunFolder], some_chains: tuple[str, ...], tmp_path: Path
) -> None:
    settings = RunSettings(backend="text", observe=(), workers=1, chains=some_chains)
    (again,) = run_agents(["rules+explorer"], tmp_path / "again", settings)
    assert [r.hash for r in again.records()] == [r.hash for r in frozen["rules+explorer"].records()]
    assert [r.trajectory.chain_id for r in again.records()] == list(some_chains)
    assert again.identity == frozen["rules+explorer"].identity


def test_the_manifest_tells_what_was_planned_and_in_which_environment(
    frozen: dict[str, RunFolder], some_chains: tuple[str, ...]
) -> None:
    manifest = RunFolder.open(frozen["noop"].path).manifest
    assert manifest.chains == some_chains
    assert (manifest.split, manifest.split_chains) == ("mini", len(load_public("mini")))
    environment = manifest.environment
    assert (environment.reward, environment.backend, environment.variants) == ("none", "text", ("v000",))
    assert (environment.max_steps, environment.strikes, environment.viewport) == (30, 3, (1280, 900))


def test_a_run_that_was_cut_short_is_scored_as_incomplete(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    made = [(t, {}) for t in trajectories(frozen["oracle"])[:3]]
    scores = score_run(remade(tmp_path / "run", frozen["oracle"], made))
    assert (scores.planned, len(scores.outcomes), scores.complete) == (4, 3, False)
    assert load_scores(frozen["oracle"]).complete


def test_a_run_without_episodes_is_left_out_and_named(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    empty = remade(tmp_path / "empty", frozen["noop"], [])
    scored, skipped = score_runs([frozen["oracle"], empty])
    assert [one.run.path for one in scored] == [frozen["oracle"].path]
    assert skipped == [f"{empty.path} holds no finished episode yet: it was left out."]
    with pytest.raises(InputFileError, match="nothing to score"):
        score_runs([empty])


def test_scores_of_another_run_or_of_fewer_episodes_are_refused(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    episodes = [(t, {}) for t in trajectories(frozen["noop"])]
    run = remade(tmp_path / "run", frozen["noop"], episodes[:2])
    with pytest.raises(InputFileError, match="score the run first"):
        load_scores(run)
    score_run(run)
    run.append(*episodes[2], 1.0)
    with pytest.raises(InputFileError, match=r"scores\.json: last: is older than the run's last episode"):
        load_scores(run)
    shutil.copy(frozen["oracle"].path / SCORES, run.path / SCORES)
    with pytest.raises(InputFileError, match="another run"):
        load_scores(run)


def test_a_lost_episode_has_no_score_and_stays_in_the_denominator(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    first, *others = trajectories(frozen["oracle"])
    run = remade(tmp_path / "run", frozen["oracle"], [(lost(first), {}), *((t, {}) for t in others)])
    summary = score_run(run).summary
    assert summary.lost == 1
    assert (summary.end_to_end_accuracy, summary.worst_case, summary.best_case) == (0.75, 0.75, 1.0)


# -- gold -------------------------------------------------------------------------------------------------------------


def test_a_run_is_never_scored_against_another_gold(tmp_path: Path) -> None:
    split = copied_split(tmp_path / "split")
    chains = tuple(chain.chain_id for chain in load_public(str(split)))[:2]
    settings = RunSettings(split=str(split), backend="text", observe=(), workers=1, chains=chains)
    (run,) = run_agents(["noop"], tmp_path / "runs", settings)
    score_run(run)
    manifest = json.loads((split / "manifest.json").read_text())
    gold = {**manifest, "sha256": {**manifest["sha256"], "gold.jsonl": "0" * 64}}
    (split / "manifest.json").write_text(json.dumps(gold))
    with pytest.raises(InputFileError, match=r"scores\.json: gold_sha256"):
        load_scores(run)
    public = {**manifest, "sha256": {**manifest["sha256"], "public.jsonl": "0" * 64}}
    (split / "manifest.json").write_text(json.dumps(public))
    with pytest.raises(InputFileError, match=r"run\.json: split_sha256: the run was made on another"):
        score_run(run)


def test_a_machine_without_gold_freezes_the_same_run(tmp_path: Path) -> None:
    split = copied_split(tmp_path / "split")
    chains = tuple(chain.chain_id for chain in load_public(str(split)))[:2]
    settings = RunSettings(split=str(split), backend="text", observe=(), workers=2, chains=chains)
    (run,) = run_agents(["rules+explorer"], tmp_path / "with", settings)
    (split / "gold.jsonl").unlink()
    (bare,) = run_agents(["rules+explorer"], tmp_path / "without", settings)
    assert [r.hash for r in bare.records()] == [r.hash for r in run.records()]
    with pytest.raises(InputFileError, match=r"gold\.jsonl"):
        score_run(bare)


def test_no_gold_is_in_a_frozen_run(frozen: dict[str, RunFolder], some_chains: tuple[str, ...]) -> None:
    run = frozen["noop"]
    stored = "".join(p.read_text() for p in run.path.rglob("*") if p.is_file() and p.name != SCORES)
    landing = {r.trajectory.chain_id: r.trajectory.browse_steps()[0].text for r in run.records()}
    for chain in some_chains:
        gold = load_gold("mini")[chain]
        secrets = [gold.message.entry, *(m.text for m in gold.message.messages), gold.site.archetype]
        secrets += [atom.text for atom in gold.site.atoms if atom.text not in landing[chain]]
        assert [secret for secret in secrets if secret in stored] == []


# -- screenshots ------------------------------------------------------------------------------------------------------


class Reloader:
    """Reloads and visits until the budget is spent, then fails to report."""

    def reset(self, instructions: object) -> None:
        self.actions = iter(['{"action":"click","element_id":"e1"}', *['{"action":"reload"}'] * 9])

    def act(self, observation: dict[str, object]) -> str:
        return next(self.actions) if observation["phase"] == 1 else "{}"

    def close(self) -> None:
        """Nothing is held."""


def test_the_view_after_the_last_action_of_the_budget_is_stored() -> None:
    pytest.importorskip("PIL")
    env = gym.make("riskchain_gym:RiskChain-v0", backend="fake", observe=["screenshot"], reward="none", max_steps=3)
    chain = load_public("mini")[0].chain_id
    episode = run_episode(env, Reloader(), build_instructions(), chain, ScreenshotEncoder())
    assert env.unwrapped.last_view is not None  # type: ignore[attr-defined]
    env.close()  # type: ignore[no-untyped-call]
    assert list(episode.trajectory.browse_steps()) == [0, 1, 2, 3]
    assert list(episode.images) == [0, 1, 2, 3]
    assert episode.images[0] != episode.images[1] == episode.images[3]
    assert env.unwrapped.last_view is None  # type: ignore[attr-defined]


def test_equal_views_are_stored_once(frozen_with_images: RunFolder) -> None:
    stored = {path.name for path in (frozen_with_images.path / MEDIA).iterdir()}
    named = [name for record in frozen_with_images.records() for name in record.media.values()]
    assert set(named) == stored
    assert len(stored) < len(named)
    for name in stored:
        assert media_name((frozen_with_images.path / MEDIA / name).read_bytes()) == name


def test_screenshots_of_other_shapes_are_not_mixed_up() -> None:
    pytest.importorskip("PIL")
    encoder = ScreenshotEncoder(remember=1)
    flat = np.zeros(48, np.uint8)
    wide, tall = (encoder.encode(flat.reshape(shape)) for shape in ((2, 8, 3), (8, 2, 3)))
    assert wide != tall
    assert encoder.encode(flat.reshape(2, 8, 3)) == wide
