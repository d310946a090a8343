"""Restoration over all variants that a run restored."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_cases import browsed_only, lost, remade, trajectories

from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.envs.config import ENV_IDS
from riskchain_gym.evaluation.restored import RestorationScores, restoration_scores
from riskchain_gym.evaluation.score import load_scores, score_run
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.trajectory import Trajectory


def found(run: RunFolder) -> RestorationScores:
    scores = restoration_scores(run, load_gold("mini"))
    assert scores is not None
    return scores


def restored_alone(trajectory: Trajectory, variant: str, commit: Commit | None = None) -> Trajectory:
    """The restoration of a further variant: it ends when it is committed."""
    changes: dict[str, object] = {
        "variant": variant,
        "status": EpisodeStatus.COMMITTED,
        "landing": None,
        "pages": {},
        "report": None,
    }
    return trajectory.model_copy(
        update={**changes, "steps": trajectory.steps[:1], "commit": commit or trajectory.commit, "failures": ()}
    )


@pytest.fixture(scope="module")
def varied(frozen: dict[str, RunFolder], tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """The oracle's episodes; of v001 all is restored but one address, of v002 the agent abstains."""
    episodes = trajectories(frozen["oracle"])
    path = tmp_path_factory.mktemp("varied") / "run"
    run = remade(path, frozen["oracle"], [(t, {}) for t in episodes], restored=("v001", "v002"))
    for place, episode in enumerate(episodes):
        commit = episode.commit
        assert commit is not None
        wrong = commit.model_copy(update={"entry_candidates": ()}) if place == 0 else commit
        run.append_restoration(restored_alone(episode, "v001", wrong), None)
        run.append_restoration(restored_alone(episode, "v002", Commit(abstain=True)), None)
    return run


def test_the_figures_are_those_of_the_episodes_where_nothing_else_was_restored(frozen: dict[str, RunFolder]) -> None:
    for run in frozen.values():
        scores, summary = found(run).overall.scores, load_scores(run).summary
        assert scores is not None
        for figure in ("entry_top1", "entry_top1_strict", "message_exact", "intent_accuracy", "full", "cer"):
            assert getattr(scores, figure) == getattr(summary, figure), figure


def test_variants_count_beside_the_episodes_and_apart(varied: RunFolder) -> None:
    scores = found(varied)
    assert scores.variants == ("v000", "v001", "v002")
    whole = scores.overall.scores
    assert whole is not None
    assert (whole.messages, whole.sessions, whole.entry_top1) == (12, 4, 7 / 12)
    assert whole.abstain_rate == 4 / 12
    assert (whole.all_variants, whole.any_variant) == (0, 1)
    apart = {group.name: group.scores for group in scores.groups["variant"]}
    assert [each and each.entry_top1 for each in apart.values()] == [1, 3 / 4, 0]
    assert [group.name for group in scores.groups["recipe"]] == ["primary", "phonetic", "entry_encoding"]
    assert [group.name for group in scores.groups["severity"]] == ["none"]


def test_samples_are_of_websites_with_all_their_variants(varied: RunFolder) -> None:
    scores = found(varied)
    intervals = scores.overall.intervals
    assert intervals is not None
    assert (intervals.unit, intervals.clusters, intervals.replicates) == ("website", 4, 2000)
    # Of every site one variant is right and one is not, so that no sample of sites is without either.
    low, high = intervals.ends["entry_top1"]
    assert 1 / 3 <= low < 7 / 12 < high <= 2 / 3


def test_a_lost_message_is_restored_to_nothing_and_counted_apart(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    first, *others = trajectories(frozen["oracle"])
    gone = lost(first).model_copy(update={"commit": None})
    run = remade(tmp_path / "run", frozen["oracle"], [(gone, {}), *((t, {}) for t in others)])
    overall, summary = found(run).overall, score_run(run).summary
    assert overall.scores is not None
    assert (overall.lost, overall.scores.missing, overall.scores.entry_top1) == (1, 1, 3 / 4)
    assert (overall.scores.cer, overall.scores.full) == (summary.cer, summary.full)
    assert overall.scores.abstain_rate == 0


def test_of_lost_messages_alone_nothing_is_known(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    run = remade(tmp_path / "run", frozen["oracle"], [(lost(t), {}) for t in trajectories(frozen["oracle"])])
    overall = found(run).overall
    assert (overall.lost, overall.scores, overall.intervals) == (4, None, None)


def test_a_run_that_begins_on_the_site_restores_nothing(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    episodes = map(browsed_only, trajectories(frozen["oracle"]))
    run = remade(tmp_path / "run", frozen["oracle"], [(t, {}) for t in episodes], env_id=ENV_IDS["browse"])
    assert restoration_scores(run, load_gold("mini")) is None
    assert score_run(run).restoration is None


def test_scores_are_old_once_a_further_variant_was_restored(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    episodes = trajectories(frozen["oracle"])
    run = remade(tmp_path / "run", frozen["oracle"], [(t, {}) for t in episodes], restored=("v001",))
    score_run(run)
    assert load_scores(run).restoration == found(run)
    run.append_restoration(restored_alone(episodes[0], "v001"), None)
    with pytest.raises(InputFileError, match="score the run again"):
        load_scores(run)
