"""The investigation of one run behind the restoration of another."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from run_cases import Images, browsed_only, ended, lost, misjudged, remade, trajectories, unreported

from riskchain_gym.envs.config import ENV_IDS
from riskchain_gym.evaluation.compose import Composition, compose, write_composition
from riskchain_gym.evaluation.gates import Gate, gate_of, read_gate
from riskchain_gym.evaluation.score import load_scores, score_run
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.messages.official import write_predictions
from riskchain_gym.protocol.commit import EMPTY_COMMIT, Commit
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.failures import Failure, FailureKind
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.protocol.trajectory import Trajectory


def abstained(trajectory: Trajectory) -> Trajectory:
    """An episode whose commit names no entry."""
    return trajectory.model_copy(update={"commit": EMPTY_COMMIT})


def struck(trajectory: Trajectory) -> Trajectory:
    """An episode with a strike in each phase."""
    last = trajectory.steps[-1].index
    strikes = tuple(Failure(kind=FailureKind.MALFORMED_ACTION, step=step) for step in (0, last))
    return trajectory.model_copy(update={"failures": strikes})


FATES = {each.__name__: each for each in (lost, ended, unreported, misjudged, abstained, browsed_only, struck)}


def fated(path: Path, run: RunFolder, fates: list[str], **manifest: object) -> RunFolder:
    episodes: list[tuple[Trajectory, Images]] = [
        (FATES[fate](t) if fate else t, {}) for fate, t in zip(fates, trajectories(run), strict=True)
    ]
    return remade(path, run, episodes, **manifest)


@pytest.mark.parametrize(
    "fates", [["lost", "ended", "unreported", "misjudged"], ["abstained", "struck", "", "ended"]], ids=" ".join
)
def test_whatever_became_of_a_run_it_is_itself_behind_its_own_restorations(
    frozen: dict[str, RunFolder], tmp_path: Path, fates: list[str]
) -> None:
    run = fated(tmp_path / "run", frozen["oracle"], fates)
    found, scores = compose(run, gate_of(run)), score_run(run)
    assert (found.outcomes, found.summary) == (scores.outcomes, scores.summary)


@pytest.mark.slow
@given(
    fates=st.lists(
        st.sampled_from(["", "lost", "ended", "unreported", "misjudged", "abstained", "struck"]), min_size=4, max_size=4
    )
)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_run_behind_its_own_restorations_is_itself(
    frozen: dict[str, RunFolder], tmp_path_factory: pytest.TempPathFactory, fates: list[str]
) -> None:
    run = fated(tmp_path_factory.mktemp("own") / "run", frozen["oracle"], fates)
    found = compose(run, gate_of(run))
    scores = score_run(run)
    assert found.outcomes == scores.outcomes
    assert found.summary == scores.summary


@pytest.mark.parametrize("agent", ["oracle", "noop", "rules+explorer"])
def test_every_agent_behind_its_own_restorations_is_itself(frozen: dict[str, RunFolder], agent: str) -> None:
    run = frozen[agent]
    assert compose(run, gate_of(run)).outcomes == load_scores(run).outcomes


def test_the_web_is_one_run_s_and_the_gate_the_other_s(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    web = fated(tmp_path / "web", frozen["rules+explorer"], ["", "misjudged", "abstained", ""])
    gates = fated(tmp_path / "gates", frozen["oracle"], ["abstained", "", "", "misjudged"])
    found = compose(web, gate_of(gates))
    one, two = score_run(web).summary, score_run(gates).summary
    assert (found.web, found.gate) == ("rules+explorer", "oracle")
    for figure in ("web_accuracy", "exact_match", "citation_f1", "evidence_seen"):
        assert getattr(found.summary, figure) == getattr(one, figure), figure
    for figure in ("entry_top1", "message_exact", "cer"):
        assert getattr(found.summary, figure) == getattr(two, figure), figure
    assert [outcome.end_to_end_correct for outcome in found.outcomes] == [
        int(a.gate.passed) * b.web_correct
        for a, b in zip(load_scores(gates).outcomes, load_scores(web).outcomes, strict=True)
        if a.gate is not None and b.web_correct is not None
    ]
    assert found.summary.gate_loss == pytest.approx(
        (found.summary.web_accuracy or 0) - (found.summary.end_to_end_accuracy or 0)
    )


def test_investigations_that_began_on_the_sites_get_a_gate(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    people = fated(tmp_path / "people", frozen["oracle"], ["browsed_only"] * 4, env_id=ENV_IDS["browse"])
    assert score_run(people).summary.end_to_end_accuracy is None
    found = compose(people, gate_of(frozen["oracle"]))
    assert found.summary.end_to_end_accuracy == found.summary.web_accuracy == 1
    shut = compose(people, gate_of(frozen["noop"]))
    assert (shut.summary.web_accuracy, shut.summary.end_to_end_accuracy, shut.summary.gate_loss) == (1, 0, 1)
    with pytest.raises(ConfigError, match="restored nothing"):
        gate_of(people)


def test_what_was_lost_in_either_run_has_no_score(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    web = fated(tmp_path / "web", frozen["oracle"], ["lost", "", "", ""])
    gates = fated(tmp_path / "gates", frozen["oracle"], ["", "lost", "", ""])
    found = compose(web, gate_of(gates)).summary
    assert (found.lost, found.worst_case, found.best_case) == (2, 1 / 2, 1)


def test_what_went_wrong_in_each_phase_is_of_the_run_that_was_in_it(
    frozen: dict[str, RunFolder], tmp_path: Path
) -> None:
    whole = frozen["oracle"]
    run = fated(tmp_path / "struck", whole, ["struck"] * 4)
    last = {t.chain_id: t.steps[-1].index for t in trajectories(whole)}

    def strikes(outcome: Outcome) -> list[int]:
        return [each.step for each in outcome.failures if each.kind is FailureKind.MALFORMED_ACTION]

    for outcome in compose(run, gate_of(whole)).outcomes:
        assert strikes(outcome) == [last[outcome.chain_id]]
    for outcome in compose(whole, gate_of(run)).outcomes:
        assert strikes(outcome) == [0]


def predictions(path: Path, commits: dict[str, Commit], *, model: str = "m") -> Path:
    write_predictions(path, commits.items(), model_id=model, run_id="r")
    return path


def test_predictions_of_a_file_are_a_gate(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    run = frozen["oracle"]
    commits = {f"{t.chain_id}--v000": t.commit for t in trajectories(run) if t.commit}
    first = next(iter(commits))
    further = {f"{first.removesuffix('--v000')}--v001": EMPTY_COMMIT}
    path = predictions(tmp_path / "p.jsonl", commits | further, model="a-model")
    behind = read_gate(path, "mini")
    assert behind.name == "a-model"
    assert compose(run, behind).outcomes == load_scores(run).outcomes
    shut = compose(run, read_gate(predictions(tmp_path / "q.jsonl", commits | {first: EMPTY_COMMIT}), "mini"))
    assert shut.summary.end_to_end_accuracy == 3 / 4
    with pytest.raises(InputFileError, match="is no message of split 'mini'"):
        read_gate(predictions(tmp_path / "r.jsonl", {"elsewhere--v000": EMPTY_COMMIT}), "mini")


def test_what_does_not_fit_together_is_refused(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    run = frozen["oracle"]
    behind = gate_of(run)
    fewer = Gate("fewer", "0", behind.split_sha256, dict(list(behind.chains.items())[1:]))
    with pytest.raises(ConfigError, match="'fewer' restored no v000 of 1 chains"):
        compose(run, fewer)
    with pytest.raises(ConfigError, match="of another split than 'mini'"):
        compose(run, Gate("other", "0", "0" * 64, behind.chains))
    committed = run.manifest.environment.model_copy(update={"routing": "committed"})
    other = fated(tmp_path / "committed", run, [""] * 4, environment=committed)
    with pytest.raises(ConfigError, match="did not open the right site on every chain"):
        compose(other, behind)


def test_a_composition_is_written_once_and_read_again(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    found = compose(frozen["rules+explorer"], gate_of(frozen["oracle"]))
    path = write_composition(found, tmp_path)
    assert path.name == f"composed-{frozen['oracle'].identity[:12]}.json"
    assert Composition.model_validate_json(path.read_bytes()) == found
    written = path.stat()
    assert write_composition(found, tmp_path) == path
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (written.st_ino, written.st_mtime_ns)
    assert found.scores().complete
