"""Variance between repeats split from variance between sites."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from run_cases import Images, lost, misjudged, remade, trajectories

from riskchain_gym.evaluation.repeats import components, repeated, spread
from riskchain_gym.evaluation.score import load_scores
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.trajectory import Trajectory


def repeats(folder: Path, run: RunFolder, *wrong: set[int]) -> list[RunFolder]:
    """A run, and repeats of it in which the reports on some chains, by their place, are wrong."""
    episodes = trajectories(run)
    made = [run]
    for number, places in enumerate(wrong, 1):
        changed: list[tuple[Trajectory, Images]] = [
            (misjudged(t) if place in places else t, {}) for place, t in enumerate(episodes)
        ]
        made.append(remade(folder / f"{number}", run, changed, repeat=number))
    return made


def test_a_small_table_by_hand() -> None:
    # Means of sites 1, 1/2, 0 and of repeats 2/3, 1/3, as in the two-way table without replicates of a textbook.
    table = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    found = components(table)
    grand = 0.5
    sites = 2 * sum((mean - grand) ** 2 for mean in (1, 0.5, 0)) / 2
    of_repeats = 3 * sum((mean - grand) ** 2 for mean in (2 / 3, 1 / 3)) / 1
    total = sum((value - grand) ** 2 for value in table.flat)
    rest = (total - 2 * sites - 1 * of_repeats) / 2
    assert found["residual"] == pytest.approx(rest) == pytest.approx(1 / 6)
    assert found["between_sites"] == pytest.approx((sites - rest) / 2)
    assert found["between_repeats"] == pytest.approx((of_repeats - rest) / 3)
    assert found["error_same_sites"] == pytest.approx(np.std([2 / 3, 1 / 3], ddof=1) / 2**0.5)
    assert found["error_new_sites"] == pytest.approx(((sites + of_repeats - rest) / 6) ** 0.5)


def test_known_components_are_found_again() -> None:
    rng = np.random.default_rng(20261130)
    n, m, trials = 150, 6, 200
    found = [
        components(0.5 + rng.normal(0, 0.4, n) + rng.normal(0, 0.05, (m, 1)) + rng.normal(0, 0.3, (m, n)))
        for _ in range(trials)
    ]
    mean = {name: float(np.mean([each[name] for each in found])) for name in found[0]}
    assert mean["between_sites"] == pytest.approx(0.4**2, rel=0.05)
    assert mean["between_repeats"] == pytest.approx(0.05**2, rel=0.25)
    assert mean["residual"] == pytest.approx(0.3**2, rel=0.05)
    of_new_sites = 0.4**2 / n + 0.05**2 / m + 0.3**2 / (n * m)
    of_same_sites = 0.05**2 / m + 0.3**2 / (n * m)
    assert np.mean([each["error_new_sites"] ** 2 for each in found]) == pytest.approx(of_new_sites, rel=0.1)
    assert np.mean([each["error_same_sites"] ** 2 for each in found]) == pytest.approx(of_same_sites, rel=0.2)


def test_repeats_that_agree_differ_by_sites_alone(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    found = spread(repeats(tmp_path, frozen["rules+explorer"], set(), set()))
    assert (found.repeats, found.chains, found.left_out) == ((0, 1, 2), 4, 0)
    summary = load_scores(frozen["rules+explorer"]).summary
    for name, figure in found.figures.items():
        assert figure.values == (getattr(summary, name),) * 3
        for nothing in (figure.between_repeats, figure.residual, figure.error_same_sites):
            assert nothing == pytest.approx(0, abs=1e-12)


def test_chance_on_a_site_shows_as_the_spread_of_repeats(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    found = spread(repeats(tmp_path, frozen["oracle"], {0}, {1, 2})).figures["web_accuracy"]
    assert found.values == (1, 3 / 4, 1 / 2)
    assert found.mean == 3 / 4
    expected = components(np.array([[1, 1, 1, 1], [0, 1, 1, 1], [1, 0, 0, 1]], dtype=np.float64))
    assert found.error_same_sites == pytest.approx(np.std(found.values, ddof=1) / 3**0.5)
    for name in ("between_sites", "between_repeats", "residual", "error_new_sites"):
        assert getattr(found, name) == pytest.approx(expected[name])


def test_a_chain_without_a_score_in_some_repeat_is_left_out_of_all(
    frozen: dict[str, RunFolder], tmp_path: Path
) -> None:
    run = frozen["oracle"]
    first, *others = trajectories(run)
    part = remade(tmp_path / "part", run, [(lost(first), {}), *((t, {}) for t in others[:2])], repeat=1)
    found = spread([part, run])
    assert (found.repeats, found.chains, found.left_out) == ((0, 1), 2, 2)
    assert found.figures["web_accuracy"].values == (1, 1)
    nothing = remade(tmp_path / "nothing", run, [(lost(first), {})], repeat=1)
    with pytest.raises(ConfigError, match="No chain has a score in each of"):
        spread([run, nothing])


def test_only_runs_that_differ_by_their_repeat_alone_are_repeats(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    run, *more = repeats(tmp_path, frozen["oracle"], {0})
    assert repeated([frozen["noop"], *more, run, run]) == ([[run, *more]], [])
    with pytest.raises(ConfigError, match="differ by more than their repeat"):
        spread([run, frozen["noop"]])
    with pytest.raises(ConfigError, match="hold one repeat twice"):
        spread([run, run])
    with pytest.raises(ConfigError, match="from two runs on, got 1"):
        spread([run])


def test_a_repeat_that_is_there_twice_counts_once_and_it_is_said(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    run, second = repeats(tmp_path, frozen["oracle"], {0})
    again = remade(tmp_path / "again", run, [(t, {}) for t in trajectories(run)], repeat=1)
    groups, said = repeated([run, second, again])
    assert groups == [[run, second]]
    assert said == [f"{again.path} is repeat 2 once more, as {second.path} is: it was left out of the repeats."]
    assert repeated([second, again]) == ([], []), "where no repeats are shown, none was left out"


def test_runs_of_other_versions_are_no_repeats_and_it_is_said(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    run, second = repeats(tmp_path, frozen["oracle"], {0})
    versions = {**run.manifest.versions, "riskchain-gym": "0.0.1"}
    older = remade(tmp_path / "older", run, [(t, {}) for t in trajectories(run)], repeat=2, versions=versions)
    groups, said = repeated([run, second, older])
    assert groups == [[run, second]]
    assert said == [f"{older.path} and {run.path} are no repeats of each other: their versions differ (riskchain-gym)."]
    with pytest.raises(ConfigError, match="differ by more than their repeat"):
        spread([run, older])
