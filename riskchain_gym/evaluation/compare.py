"""Two runs on the same chains beside each other."""

from __future__ import annotations

from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.evaluation.columns import COLUMNS, CURVE, FURTHER, Column
from riskchain_gym.evaluation.naming import run_names
from riskchain_gym.evaluation.score import clusters, scores_of
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.scoring.intervals import REPLICATES, Difference, differences

COMPARE_LEGEND = (
    "Difference: A − B, F1 figures as fractions, other rates in percent; ↓ less is better. "
    "[ ] its 95 % interval, paired: {samples:,} bootstrap samples of {clusters} {unit}s for both agents alike. "
    "* the interval leaves zero out."
)
"""How the comparison is read."""


class Comparison(Frozen):
    """Two agents on the same chains.

    Attributes:
        first: The first agent, A.
        second: The second agent, B.
        chains: How many chains both were run on.
        unit: What was drawn with replacement.
        clusters: How many such units there are.
        replicates: How many samples were drawn.
        figures: The differences by figure.
    """

    first: str
    second: str
    chains: int
    unit: str
    clusters: int
    replicates: int = REPLICATES
    figures: dict[str, Difference]


def compare_runs(first: RunFolder, second: RunFolder, *, unit: str = "website") -> Comparison:
    """Return by how much two agents differ in every figure that both have, paired over the same samples of chains.

    Args:
        first: One run.
        second: The other, of the same split and the same chains.
        unit: What is drawn with replacement: ``website``, ``skeleton`` or ``operator``.

    Raises:
        ConfigError: The runs are of different splits or chains, have no figure in common, or nothing of that name can
            be drawn.
        InputFileError: As :func:`~riskchain_gym.evaluation.score.score_run` does.
        UnknownNameError: As above.
    """
    if first.manifest.split_sha256 != second.manifest.split_sha256:
        raise ConfigError(
            f"Two runs are compared on one split, got '{first.manifest.split}' and '{second.manifest.split}': run both "
            "agents on the same one."
        )
    drawn = clusters(load_gold(first.manifest.split))
    if unit not in drawn:
        raise ConfigError(f"'{unit}' cannot be drawn: choose one of {', '.join(drawn)}.")
    mine, other = (scores_of(run).outcomes for run in (first, second))
    held = [{outcome.chain_id for outcome in outcomes} for outcomes in (mine, other)]
    for run, lacks in ((first, held[1] - held[0]), (second, held[0] - held[1])):
        if lacks:
            raise ConfigError(
                f"{run.path} has no episode of {len(lacks)} chains that the other run has ('{min(lacks)}' …): compare "
                "runs over the same chains, each of them complete."
            )
    try:
        figures = differences(mine, other, drawn[unit])
    except ValueError as error:
        raise ConfigError(f"{first.path} and {second.path} cannot be compared. {error}") from error
    if not figures:
        lost = [run.path for run, outcomes in ((first, mine), (second, other)) if all(map(_lost, outcomes))]
        why = f"every episode of {lost[0]} was lost to infrastructure" if lost else "no chain has a score in both"
        raise ConfigError(f"{first.path} and {second.path} have no figure in common ({why}): run what is lost again.")
    names = run_names([first, second])
    return Comparison(
        first=names[0],
        second=names[1],
        chains=len(mine),
        unit=unit,
        clusters=len({drawn[unit][outcome.chain_id] for outcome in mine}),
        figures=figures,
    )


def _lost(outcome: Outcome) -> bool:
    return outcome.status is EpisodeStatus.INFRA_ERROR


def difference_rows(found: Comparison, *, everything: bool = False) -> list[list[str]]:
    """Return the rows of the comparison: figure, both values, difference, interval, and ``*`` where it leaves zero out.

    Args:
        found: The comparison.
        everything: Whether figures beside the headline are there too.
    """
    columns = (*COLUMNS, *FURTHER, *CURVE) if everything else COLUMNS
    return [_cells(column, found.figures[column.key]) for column in columns if column.key in found.figures]


def _cells(column: Column, found: Difference) -> list[str]:
    show = column.show
    between, apart = "–", ""
    if found.low is not None and found.high is not None:
        between = f"[{_signed(show(found.low))}, {_signed(show(found.high))}]"
        apart = "*" if found.low > 0 or found.high < 0 else ""
    label = f"{column.label} ↓" if column.lower else column.label
    return [label, show(found.first), show(found.second), _signed(show(found.difference)), between, apart]


def _signed(shown: str) -> str:
    return shown if shown.startswith("-") else f"+{shown}"
