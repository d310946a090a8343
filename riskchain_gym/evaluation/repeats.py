"""Repeats: what of a figure's variance lies between sites, and what between runs of the same agent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.evaluation.columns import COLUMNS, FURTHER
from riskchain_gym.evaluation.naming import run_names
from riskchain_gym.evaluation.sameness import run_key
from riskchain_gym.evaluation.score import Scores, scores_of
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.scoring.figures import OutcomeFigures

_FIGURES = tuple(column.key for column in (*COLUMNS, *FURTHER))
_FEWEST = 2

Layout = NDArray[np.float64]


class FigureSpread(Frozen):
    """One figure over several repeats.

    The components are those of a two-way layout of sites and repeats, both drawn at random, by the method of moments:
    they are unbiased, and one that is near zero can come out below it. ``None``: there are too few sites to tell.

    Attributes:
        values: The figure of each repeat.
        mean: Their mean.
        between_sites: Variance of what sites add, whatever the repeat.
        between_repeats: Variance of what a repeat adds on all of its sites alike.
        residual: Variance of what is left: chance on a site in a repeat.
        error_same_sites: Standard error of the mean for these sites, had the repeats been other ones.
        error_new_sites: Standard error of the mean, had the sites been other ones, too.
    """

    values: tuple[float, ...]
    mean: float
    between_sites: float | None = None
    between_repeats: float | None = None
    residual: float | None = None
    error_same_sites: float | None = None
    error_new_sites: float | None = None


class Spread(Frozen):
    """Several runs of one agent on the same chains.

    Attributes:
        agent: Name of the agent.
        max_steps: Budget that it was told.
        repeats: The repeats, ascending.
        chains: Chains that have a score in every repeat: only these are counted.
        left_out: Chains without a score in some repeat, not yet run or lost to infrastructure.
        figures: The figures that every repeat has, headline first.
    """

    agent: str
    max_steps: int
    repeats: tuple[int, ...]
    chains: int
    left_out: int
    figures: dict[str, FigureSpread]


def repeated(runs: Sequence[RunFolder]) -> tuple[list[list[RunFolder]], list[str]]:
    """Return the runs that are repeats of each other.

    Args:
        runs: Any runs; of a repeat that is there several times, the first run counts.

    Returns:
        The repeats, at least two each, in the order of the first of them; and a sentence for each run that is left out
        of them because its repeat is there already, or because it was made with other versions.
    """
    groups: dict[str, dict[int, RunFolder]] = defaultdict(dict)
    twice: list[tuple[RunFolder, str]] = []
    for run in {run.path.resolve(): run for run in runs}.values():
        key = run_key(run.manifest, but="repeat")
        if groups[key].setdefault(run.manifest.repeat, run) is not run:
            twice.append((run, key))
    found = {key: [of[number] for number in sorted(of)] for key, of in groups.items() if len(of) >= _FEWEST}
    said = [
        f"{run.path} is repeat {run.manifest.repeat + 1} once more, as {groups[key][run.manifest.repeat].path} is: "
        "it was left out of the repeats."
        for run, key in twice
        if key in found
    ]
    return list(found.values()), said + _of_other_versions([next(iter(of.values())) for of in groups.values()])


def spread(runs: Sequence[RunFolder], scores: Sequence[Scores] | None = None) -> Spread:
    """Return how far the figures of an agent lie apart from repeat to repeat, and how much of that is due to sites.

    Of a mean, such as an accuracy, each chain's score enters the layout; of any other figure, such as a macro-F1, its
    jackknife pseudo-value, which is what the chain adds to the figure.

    Args:
        runs: At least two runs that differ by their repeat only.
        scores: Their scores, in the same order; by default each is scored.

    Raises:
        ConfigError: They are fewer, differ by more, or are the same repeat; or no chain has a score in all of them.
        InputFileError: A run or its gold is missing or damaged.
    """
    _check(runs)
    known = [scores_of(run) for run in runs] if scores is None else scores
    pairs = sorted(zip(runs, known, strict=True), key=lambda pair: pair[0].manifest.repeat)
    ordered = [run for run, _ in pairs]
    scored = [{outcome.chain_id: outcome for outcome in found.outcomes} for _, found in pairs]
    planned = set(ordered[0].manifest.chains)
    kept = sorted(chain for chain in planned if all(_has_score(outcomes.get(chain)) for outcomes in scored))
    if not kept:
        raise ConfigError(f"No chain has a score in each of {_named(ordered)}: run them to their end first.")
    figures = [OutcomeFigures([outcomes[chain] for chain in kept]) for outcomes in scored]
    points = [each.points() for each in figures]
    layouts = [_pseudo_values(each, len(kept)) for each in figures]
    return Spread(
        agent=run_names(ordered[:1])[0],
        max_steps=ordered[0].manifest.environment.max_steps,
        repeats=tuple(run.manifest.repeat for run in ordered),
        chains=len(kept),
        left_out=len(planned) - len(kept),
        figures={
            name: _figure([each[name] for each in points], np.stack([each[name] for each in layouts]))
            for name in _FIGURES
            if all(name in each for each in points)
        },
    )


def components(layout: Layout) -> dict[str, float]:
    """Return the variance components of a two-way layout with one score a cell, and the errors of its mean.

    With mean squares S of sites, R of repeats and E of the rest, n sites and m repeats: between sites (S − E)/m,
    between repeats (R − E)/n, residual E; the variance of the mean is R/(nm) for the same sites, and (S + R − E)/(nm)
    for new ones.

    Args:
        layout: Scores of shape (repeats, sites), at least two each.

    Returns:
        The fields of :class:`FigureSpread` that rest on the layout.
    """
    m, n = layout.shape
    of_sites, of_repeats, grand = layout.mean(axis=0), layout.mean(axis=1), layout.mean()
    rest = layout - of_sites - of_repeats[:, None] + grand
    sites, repeats = m * float(of_sites.var(ddof=1)), n * float(of_repeats.var(ddof=1))
    residual = float((rest**2).sum()) / ((m - 1) * (n - 1))
    return {
        "between_sites": (sites - residual) / m,
        "between_repeats": (repeats - residual) / n,
        "residual": residual,
        "error_same_sites": (repeats / (n * m)) ** 0.5,
        "error_new_sites": max(0.0, (sites + repeats - residual) / (n * m)) ** 0.5,
    }


def _figure(values: Sequence[float], layout: Layout) -> FigureSpread:
    mean = sum(values) / len(values)
    # Where the figure does not exist without some site, nothing can be said of what that site adds.
    if layout.shape[1] < _FEWEST or np.isnan(layout).any():
        return FigureSpread(values=tuple(values), mean=mean)
    return FigureSpread(values=tuple(values), mean=mean, **components(layout))


def _pseudo_values(figures: OutcomeFigures, n: int) -> dict[str, Layout]:
    if n < _FEWEST:
        return {name: np.full(n, value) for name, value in figures.points().items()}
    without_one = figures.evaluated(np.ones((n, n), dtype=np.int32) - np.eye(n, dtype=np.int32))
    return {name: n * value - (n - 1) * without_one[name] for name, value in figures.points().items()}


def _has_score(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome.status is not EpisodeStatus.INFRA_ERROR


def _of_other_versions(firsts: Sequence[RunFolder]) -> list[str]:
    """Return a sentence for each run that would be a repeat of an earlier one but for the versions it was made with."""
    said: list[str] = []
    earlier: dict[str, RunFolder] = {}
    for run in firsts:
        key = run_key(run.manifest.model_copy(update={"versions": {}}), but="repeat")
        other = earlier.setdefault(key, run)
        if other.manifest.repeat != run.manifest.repeat:
            here, there = run.manifest.versions, other.manifest.versions
            names = ", ".join(sorted(name for name in here.keys() | there.keys() if here.get(name) != there.get(name)))
            said.append(f"{run.path} and {other.path} are no repeats of each other: their versions differ ({names}).")
    return said


def _check(runs: Sequence[RunFolder]) -> None:
    if len(runs) < _FEWEST:
        raise ConfigError(f"Repeats are told apart from two runs on, got {len(runs)}.")
    first, *others = runs
    for other in others:
        if run_key(other.manifest, but="repeat") != run_key(first.manifest, but="repeat"):
            raise ConfigError(
                f"{first.path} and {other.path} differ by more than their repeat: give runs of one agent on the same "
                "chains with the same settings and versions."
            )
    if len({run.manifest.repeat for run in runs}) < len(runs):
        raise ConfigError(f"{_named(runs)} hold one repeat twice: give each repeat once.")


def _named(runs: Sequence[RunFolder]) -> str:
    return ", ".join(str(run.path) for run in runs)
