"""The published Task 1 figures of evaluator and prediction rows, with their bootstrap (protocol B)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.scoring.bootstrap import counts, percentile_interval, resampled
from riskchain_gym.scoring.official.rows import OfficialRowError, check_settings, shown
from riskchain_gym.scoring.official.task1_cases import CaseScore, score_case
from riskchain_gym.scoring.official.task1_rows import GoldCase, read_gold, read_predicted

TASK1_SEED = 20260726
"""The published seed."""

RATES: dict[str, tuple[str, str]] = {
    "abstain_rate": ("abstained", "cases"),
    "character_error_rate": ("edits", "characters"),
    "entry_top1_exact_rate": ("top1", "cases"),
    "entry_topk_recall": ("topk", "cases"),
    "full_reconstruction_success_rate": ("full", "cases"),
    "full_reconstruction_success_rate_top1": ("full_top1", "cases"),
    "intent_accuracy": ("intent", "cases"),
    "local_resolution_success_rate_at_k": ("topk", "cases"),
    "message_exact_rate": ("exact", "cases"),
    "message_exact_rate_per_message": ("exact_messages", "messages"),
    "mixed_token_error_rate": ("token_edits", "tokens"),
    "platform_accuracy": ("platform", "cases"),
}
"""The published rates, each the ratio of two sums over the cases."""

_OF_MESSAGES = "message_exact_rate"
"""The rate that says nothing where no message at all is scored, although there are cases to divide by."""

NUMBERS = {"case_count": "cases", "target_message_count": "messages", "predicted_live_entry_count": "live"}
"""The published integers, which have no interval."""

Sums = NDArray[np.float64]


def score_task1(
    evaluator_rows: Iterable[Mapping[str, Any]],
    predictions: Iterable[Mapping[str, Any]],
    *,
    replicates: int = 2000,
    seed: int = TASK1_SEED,
    top_k: int = 5,
    allow_missing: bool = False,
) -> dict[str, Any]:
    """Score one model's prediction rows against evaluator rows as the published scorer does.

    A replicate draws sessions (sample ids without ``--vNNN``, sorted) and recomputes every rate over all cases of the
    drawn ones; the interval ends are interpolated (method ``linear``). A rate is ``None`` where there is nothing to
    divide by, its interval too where a replicate has nothing. A case without a message to be scored counts as exact, as
    published; where no case has one, ``message_exact_rate`` is ``None`` with its interval (the published scorer: 1).

    Args:
        evaluator_rows: Published evaluator rows (protocol A.7). The error rates are over the messages with
            ``transform``; a row without any such flag is scored on all its messages.
        predictions: Published prediction rows (protocol A.13) of one model.
        replicates: Bootstrap replicates.
        seed: Seed of the draws.
        top_k: How many candidates are looked at, 1 to 10.
        allow_missing: Score a sample without a prediction as restored to nothing, instead of refusing.

    Returns:
        ``aggregate`` with the published keys; ``aggregate_bootstrap`` with ``seed``, ``replicates``, ``site_count`` and
        ``ci95``; ``by_platform`` and ``by_obfuscation_type``, an aggregate each; ``missing_prediction_count``;
        ``top_k``; ``network_access_performed``; ``cases``. Beyond the published: ``by_variant``; ``entry_policies``,
        the entry rate under each of the three policies and the samples on which they differ; ``model_id``;
        ``run_ids``; ``notes``.

    Raises:
        OfficialRowError: Rows are missing, wrong or do not fit each other; it names row, field and value.
        ConfigError: A setting cannot be honoured.
    """
    check_settings(replicates=replicates, seed=seed)
    if isinstance(top_k, bool) or not isinstance(top_k, int) or not 1 <= top_k <= 10:
        raise ConfigError(f"top_k: must be an integer from 1 to 10, got {shown(top_k)}.")
    gold = read_gold(evaluator_rows)
    predicted = read_predicted(predictions, gold)
    missing = [sample_id for sample_id in gold if sample_id not in predicted]
    if missing and not allow_missing:
        problem = (
            f"{len(missing)} of {len(gold)} samples have none, {missing[0]!r} first: add them, or give --allow-missing "
            "(allow_missing=True) to score them as restored to nothing"
        )
        raise OfficialRowError("predictions", 0, "sample_id", problem)
    scores = {name: score_case(case, predicted.get(name), top_k=top_k) for name, case in gold.items()}
    first = next(iter(predicted.values()))
    return {
        "model_id": first.model_id,
        "run_ids": sorted({row.run_id for row in predicted.values()}),
        "top_k": top_k,
        "network_access_performed": False,
        "missing_prediction_count": len(missing),
        "aggregate": _aggregate(scores.values()),
        "aggregate_bootstrap": _bootstrap(gold, scores, replicates=replicates, seed=seed),
        "by_platform": _strata(gold, scores, lambda case: (str(case.row.platform),)),
        "by_obfuscation_type": _strata(gold, scores, lambda case: tuple(dict.fromkeys(case.row.obfuscation_types))),
        "by_variant": _strata(gold, scores, lambda case: (case.variant,)),
        "entry_policies": _policies(scores),
        "notes": {
            "rows_without_transform_flag": sum(not case.row.flagged for case in gold.values()),
            "rows_without_scored_message": sum(not case.scored for case in gold.values()),
        },
        "cases": [{"sample_id": name, **_plain(score)} for name, score in scores.items()],
    }


def _aggregate(scores: Iterable[CaseScore]) -> dict[str, Any]:
    sums = CaseScore(*map(sum, zip(*scores, strict=True)))._asdict()
    rates = {name: sums[over] / sums[of] if sums[of] else None for name, (over, of) in RATES.items()}
    if not sums["messages"]:
        rates[_OF_MESSAGES] = None
    return rates | {name: sums[of] for name, of in NUMBERS.items()}


def _bootstrap(
    gold: Mapping[str, GoldCase], scores: Mapping[str, CaseScore], *, replicates: int, seed: int
) -> dict[str, Any]:
    sessions = sorted({case.session for case in gold.values()})
    place = {session: n for n, session in enumerate(sessions)}
    of_session: Sums = np.zeros((len(sessions), len(CaseScore._fields)))
    for name, score in scores.items():
        of_session[place[gold[name].session]] += score
    drawn = counts(resampled(len(sessions), seed=seed, replicates=replicates), len(sessions))
    # Sums of integers: exact in floating point in whatever order they are taken.
    sums = dict(zip(CaseScore._fields, (drawn @ of_session).T, strict=True))
    ends = {name: _interval(sums[over], sums[of]) for name, (over, of) in RATES.items()}
    if not any(score.messages for score in scores.values()):
        ends[_OF_MESSAGES] = None
    return {"seed": seed, "replicates": replicates, "site_count": len(sessions), "ci95": ends}


def _interval(over: Sums, of: Sums) -> list[float] | None:
    return list(percentile_interval(over / of, method="linear")) if of.all() else None


def _strata(
    gold: Mapping[str, GoldCase], scores: Mapping[str, CaseScore], names: Callable[[GoldCase], Sequence[str]]
) -> dict[str, Any]:
    strata: dict[str, list[CaseScore]] = defaultdict(list)
    for sample_id, score in scores.items():
        for name in names(gold[sample_id]):
            strata[name].append(score)
    return {name: _aggregate(strata[name]) for name in sorted(strata)}


def _policies(scores: Mapping[str, CaseScore]) -> dict[str, Any]:
    known = [score for score in scores.values() if score.strict_entry]
    return {
        "historical_scorer": sum(score.top1 for score in scores.values()) / len(scores),
        "handoff_hash": sum(score.handoff for score in scores.values()) / len(scores),
        "strict_helper": sum(score.strict for score in known) / len(known) if known else None,
        "differing_sample_ids": [name for name, score in scores.items() if _differ(score)],
        "unknown_to_strict_helper": [name for name, score in scores.items() if not score.strict_entry],
    }


def _differ(score: CaseScore) -> bool:
    verdicts = {bool(score.top1), bool(score.handoff)}
    return len(verdicts | {bool(score.strict)} if score.strict_entry else verdicts) > 1


def _plain(score: CaseScore) -> dict[str, int]:
    return {name: int(value) for name, value in score._asdict().items() if name != "cases"}
