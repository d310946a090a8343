"""Two runs on the same chains beside each other."""

from __future__ import annotations

from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.evaluation.score import Scores, clusters, load_scores, score_run
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.evaluation.table import COLUMNS, fraction, percent
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.scoring.intervals import Difference, differences

_SHOWN = {column.key: (column.label, column.show) for column in COLUMNS}
_COUNTED = "lookups_at_"


def compare_runs(first: RunFolder, second: RunFolder, *, unit: str = "website") -> dict[str, Difference]:
    """Return by how much two agents differ in every figure that both have, paired over the same samples of chains.

    Args:
        first: One run.
        second: The other, of the same split and the same chains.
        unit: What is drawn with replacement: ``website``, ``skeleton`` or ``operator``.

    Raises:
        ConfigError: The runs are of different splits or chains, or nothing of that name can be drawn.
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
    mine, other = (_scores(run).outcomes for run in (first, second))
    try:
        return differences(mine, other, drawn[unit])
    except ValueError as error:
        raise ConfigError(f"{first.path} and {second.path} cannot be compared. {error}") from error


def _scores(run: RunFolder) -> Scores:
    """Return a run's scores: those it has, where they are up to date, so that a run may be compared read-only."""
    try:
        return load_scores(run)
    except InputFileError:
        return score_run(run)


def difference_cells(name: str, found: Difference) -> list[str]:
    """Return the cells of one row: figure, both values, difference, interval, and ``*`` where it leaves zero out."""
    label, show = _SHOWN.get(name, (name.replace("_", " "), fraction if name.startswith(_COUNTED) else percent))
    between = found.low is not None and found.high is not None
    ends = f"[{_signed(show(found.low))}, {_signed(show(found.high))}]" if between else "–"  # type: ignore[arg-type]
    apart = between and (found.low > 0 or found.high < 0)  # type: ignore[operator]
    return [label, show(found.first), show(found.second), _signed(show(found.difference)), ends, "*" if apart else ""]


def _signed(shown: str) -> str:
    return shown if shown.startswith("-") else f"+{shown}"
