"""A row of the board, made from the runs of one agent on one split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean

from riskchain_gym.evaluation.columns import percent
from riskchain_gym.evaluation.leaderboard.board import (
    Entry,
    Figure,
    RunRef,
    Spending,
    StratumFigures,
)
from riskchain_gym.evaluation.leaderboard.cards import Cards
from riskchain_gym.evaluation.leaderboard.gathering import CheckedRun, RowRuns
from riskchain_gym.evaluation.leaderboard.samples import Sampled
from riskchain_gym.evaluation.naming import models_of
from riskchain_gym.evaluation.prefix import PrefixScore
from riskchain_gym.evaluation.repeats import Spread, spread
from riskchain_gym.evaluation.restored import RestoredGroup
from riskchain_gym.evaluation.strata import Strata, by_stratum
from riskchain_gym.evaluation.usage import RunUsage
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.scoring.intervals import Intervals
from riskchain_gym.scoring.message_scores import MessageScores
from riskchain_gym.scoring.summary import Summary

RESTORED = (
    "entry_top1",
    "entry_top1_strict",
    "entry_top1_handoff",
    "recall_at_1",
    "recall_at_2",
    "recall_at_3",
    "recall_at_5",
    "message_exact",
    "full",
    "intent_accuracy",
    "cer",
    "token_error",
    "abstain_rate",
    "all_variants",
    "consistency",
)
"""The figures of restoration, by their names in :class:`~riskchain_gym.scoring.message_scores.MessageScores`."""

IN_STRATA = ("web_accuracy", "end_to_end_accuracy", "entry_top1", "exact_match")
"""The figures that a stratum has."""


def make_entry(row: RowRuns, sampled: Sampled, cards: Cards, strata: Mapping[str, Strata]) -> Entry:
    """Return a row, not yet ranked.

    Args:
        row: Its runs.
        sampled: Its figures.
        cards: What is known of models and agents.
        strata: The strata of the split's chains, by dimension.
    """
    manifest, runs = row.manifest, row.runs
    summaries = [run.scores.summary for run in runs]
    spending = _spending(runs)
    lost = sum(each.lost for each in summaries) / sum(each.chains for each in summaries)
    worst, best = (_mean([getattr(each, name) for each in summaries]) for name in ("worst_case", "best_case"))
    return Entry(
        name=row.name,
        agent=manifest.agent,
        kind=manifest.agent_kind,
        agent_sha256=manifest.agent_sha256,
        card=cards.of(manifest.agent, (*spending.answered, *spending.asked)),
        runs=tuple(
            RunRef(
                folder=run.folder,
                run=run.run.identity,
                repeat=run.manifest.repeat,
                last=run.scores.last,
                frozen=run.frozen,
            )
            for run in runs
        ),
        backend=manifest.environment.backend,
        max_steps=manifest.environment.max_steps,
        chains=len(sampled.chains),
        planned=len(manifest.chains),
        broken=sum(not outcome.validator.valid for run in runs for outcome in run.scores.outcomes),
        remarks=_remarks(summaries, worst, best, runs),
        figures=sampled.figures(),
        restored=_averaged([_overall(run) for run in runs]),
        restorations=max(_messages(run) for run in runs),
        restored_strata=_restored_strata(runs),
        first_failures=_first_failures(summaries),
        lost=lost,
        worst=worst,
        best=best,
        spending=spending,
        spread=_spread(runs),
        strata=_strata(runs, strata),
        prefixes=_prefixes(runs),
    )


def _spending(runs: Sequence[CheckedRun]) -> Spending:
    episodes = sum(len(run.scores.outcomes) for run in runs)
    usages = [run.usage for run in runs]
    totals = {name: _total(usages, name) for name in ("input_tokens", "output_tokens", "cost")}
    return Spending(
        steps=sum(run.steps for run in runs) / episodes,
        asked=models_of(runs[0].manifest),
        answered=tuple(sorted({model for usage in usages if usage is not None for model in usage.models})),
        **{name: None if total is None else total / episodes for name, total in totals.items()},
        total_cost=totals["cost"],
    )


def _total(usages: Sequence[RunUsage | None], name: str) -> float | None:
    found: list[float] = [
        getattr(usage, name) for usage in usages if usage is not None and getattr(usage, name) is not None
    ]
    return sum(found) if len(found) == len(usages) else None


def _remarks(
    summaries: Sequence[Summary], worst: float | None, best: float | None, runs: Sequence[CheckedRun]
) -> tuple[str, ...]:
    found: list[str] = []
    lost = sum(each.lost for each in summaries)
    if lost and worst is not None and best is not None:
        found.append(f"Acc^e {percent(worst)} at worst, {percent(best)} at best: {lost} lost to infrastructure")
    if len(runs) > 1:
        found.append(f"mean of {len(runs)} repeats")
    return tuple(found)


def _overall(run: CheckedRun) -> RestoredGroup | None:
    restoration = run.scores.restoration
    return None if restoration is None else restoration.overall


def _messages(run: CheckedRun) -> int:
    overall = _overall(run)
    return 0 if overall is None or overall.scores is None else overall.scores.messages


def _averaged(groups: Sequence[RestoredGroup | None]) -> dict[str, Figure]:
    """Return the figures of restoration; of repeats the mean, which has no interval of its own."""
    scores = [group.scores for group in groups if group is not None and group.scores is not None]
    if len(scores) < len(groups):
        return {}
    ends = groups[0].intervals if len(groups) == 1 and groups[0] is not None else None
    return {
        name: _figure(value, ends, name)
        for name in RESTORED
        if (value := _mean([getattr(s, name) for s in scores])) is not None
    }


def _figure(value: float, intervals: Intervals | None, name: str) -> Figure:
    low, high = (intervals.ends.get(name) if intervals else None) or (None, None)
    return Figure(value=value, low=low, high=high)


def _restored_strata(runs: Sequence[CheckedRun]) -> dict[str, dict[str, StratumFigures]]:
    """Return the groups that all repeats have."""
    found: dict[str, dict[str, StratumFigures]] = {}
    tables = [run.scores.restoration.groups if run.scores.restoration else {} for run in runs]
    for grouping in tables[0]:
        by_name = [{group.name: group for group in table.get(grouping, ())} for table in tables]
        shared = [name for name in by_name[0] if all(name in groups for groups in by_name)]
        cells = {name: [groups[name] for groups in by_name] for name in shared}
        found[grouping] = {
            name: StratumFigures(chains=_sized(groups[0].scores), figures=_averaged(groups))
            for name, groups in cells.items()
        }
    return found


def _sized(scores: MessageScores | None) -> int:
    return 0 if scores is None else scores.messages


def _first_failures(summaries: Sequence[Summary]) -> dict[str, float]:
    total: Counter[str] = Counter()
    for each in summaries:
        total.update(each.first_failures)
    return {stage: n / len(summaries) for stage, n in sorted(total.items())}


def _spread(runs: Sequence[CheckedRun]) -> Spread | None:
    """Return how far repeats lie apart; of repeats that share no chain with a score nothing is known."""
    scored = [{o.chain_id for o in run.scores.outcomes if o.status is not EpisodeStatus.INFRA_ERROR} for run in runs]
    if len(runs) == 1 or not set.intersection(*scored):
        return None
    return spread([run.run for run in runs], [run.scores for run in runs])


def _prefixes(runs: Sequence[CheckedRun]) -> tuple[PrefixScore, ...]:
    if len(runs) == 1:
        return runs[0].scores.prefixes
    found: list[PrefixScore] = []
    for same in zip(*(run.scores.prefixes for run in runs), strict=True):
        shares = {
            name: _mean([getattr(each, name) for each in same])
            for name in PrefixScore.model_fields
            if name not in ("k", "ends")
        }
        found.append(PrefixScore.model_validate({"k": same[0].k, **shares}))
    return tuple(found)


def _strata(runs: Sequence[CheckedRun], strata: Mapping[str, Strata]) -> dict[str, dict[str, StratumFigures]]:
    found: dict[str, dict[str, StratumFigures]] = {}
    for dimension, of in strata.items():
        repeats = [by_stratum(run.scores.outcomes, of) for run in runs]
        found[dimension] = {
            name: StratumFigures(
                chains=repeats[0][name].chains,
                figures={
                    figure: Figure(value=value)
                    for figure in IN_STRATA
                    if (value := _mean([getattr(each[name], figure) for each in repeats])) is not None
                },
            )
            for name in repeats[0]
        }
    return found


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None
