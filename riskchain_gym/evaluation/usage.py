"""What a run asked of models, added up: calls, tokens, cost, latency, and everything that went wrong by its name."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from statistics import median

from pydantic import Field, JsonValue

from riskchain_gym.agents.llm.options import LLMOptions
from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.evaluation.calls import STOPPED, CallLog, ChainCalls, latest_of, was_answered, was_paid
from riskchain_gym.evaluation.naming import models_of
from riskchain_gym.evaluation.records import RunManifest
from riskchain_gym.evaluation.settings import options_in
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.model import Frozen, canonical_json

UNKNOWN = "unknown"

USAGE_LEGEND = (
    "Cost: US dollars that the answers cost once, those from the cache included. "
    "Latency: seconds of answered calls, those from the cache left out."
)
"""How the usage table is read."""


class RunUsage(Frozen):
    """What a run asked of models.

    Attributes:
        agent: The agent.
        models: The models that say they have answered, sorted.
        asked: The models that were to be asked, the restorer's first.
        options: Options of the agent that are not at their default.
        chains: Chains that calls were made for.
        calls: Calls, failed ones included; of an attempt that was repeated the later one counts.
        repairs: How many of them asked again for what came in a wrong form.
        cached: How many of them the cache answered.
        input_tokens: Tokens sent, or ``None`` if an answer came without its number.
        output_tokens: Tokens received, or ``None`` likewise.
        cost: US dollars that the answers cost once, cached ones included, or ``None`` if that of one is unknown.
        paid: US dollars that the run has paid in all its starts as far as is written down, repeated attempts included,
            or ``None`` if a cost is unknown.
        latency_median: Median seconds of answered calls that the cache did not answer, ``None`` if there are none.
        latency_p95: Their 95th percentile (nearest rank).
        call_failures: Calls without a usable answer, by name.
        events: What went wrong in the environment, by name, recovered failures included.
        lost: Chains without a result, by cause and the failure of the last call.
        examples: What went wrong in a sentence, one for each of these causes.
    """

    agent: str
    models: tuple[str, ...]
    asked: tuple[str, ...] = ()
    options: dict[str, JsonValue] = Field(default_factory=dict)
    chains: int
    calls: int
    repairs: int
    cached: int
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    paid: float | None
    latency_median: float | None
    latency_p95: float | None
    call_failures: dict[str, int] = Field(default_factory=dict)
    events: dict[str, int] = Field(default_factory=dict)
    lost: dict[str, int] = Field(default_factory=dict)
    examples: dict[str, str] = Field(default_factory=dict)


def usage_of(run: RunFolder) -> RunUsage | None:
    """Return what a run asked of models; ``None`` if it asked none.

    Raises:
        InputFileError: A file of the run is damaged.
    """
    entries = list(CallLog(run.path).entries())
    standing = latest_of(entries)
    calls = [call for entry in standing.values() for call in entry.calls]
    if not calls:
        return None
    answered = [call for call in calls if was_answered(call)]
    seconds = sorted(call.seconds for call in calls if was_paid(call))
    tokens = [call.usage for call in answered]
    known = [usage for usage in tokens if usage is not None]
    told = len(known) == len(tokens)
    lost = _lost(run, standing)
    events = Counter(str(failure.kind) for record in run.records() for failure in record.trajectory.failures)
    return RunUsage(
        agent=run.manifest.agent,
        models=tuple(sorted({call.model for call in calls if call.model})),
        asked=models_of(run.manifest),
        options=_chosen(run.manifest),
        chains=len({entry.chain_id for entry in standing.values() if entry.calls}),
        calls=len(calls),
        repairs=sum(call.repair for call in calls),
        cached=sum(call.cached for call in calls),
        input_tokens=sum(usage.input_tokens for usage in known) if told else None,
        output_tokens=sum(usage.output_tokens for usage in known) if told else None,
        cost=total(answered),
        paid=_paid(entries),
        latency_median=median(seconds) if seconds else None,
        latency_p95=seconds[math.ceil(0.95 * len(seconds)) - 1] if seconds else None,
        call_failures=_counts(str(call.failure) for call in calls if call.failure is not None),
        events=dict(sorted(events.items())),
        lost=_counts(entry.loss for entry in lost),
        examples=_examples(lost),
    )


def losses(run: RunFolder) -> dict[str, int]:
    """Return what has no result by why there is none, e.g. ``model_lost: timeout``, or ``stopped``."""
    return _counts(entry.loss for entry in _lost(run, CallLog(run.path).latest()))


def paid_in(log: CallLog, after: int = 0) -> float | None:
    """Return what the attempts in a log have paid in US dollars, or ``None`` if a cost is unknown.

    Args:
        log: The log.
        after: How many attempts at its beginning are left out.

    Raises:
        InputFileError: A line is malformed.
    """
    return _paid(islice(log.entries(), after, None))


def _paid(entries: Iterable[ChainCalls]) -> float | None:
    return total([call for entry in entries for call in entry.calls if was_paid(call)])


def total(calls: Sequence[CallRecord]) -> float | None:
    """Return what calls cost in US dollars, or ``None`` if the cost of one of them is unknown."""
    costs = [call.cost for call in calls]
    known = [cost for cost in costs if cost is not None]
    return math.fsum(known) if len(known) == len(costs) else None


def usage_cells(usage: RunUsage) -> dict[str, str]:
    """Return a row of the usage table by heading; what is unknown is said to be, never a zero."""
    return {
        "Agent": usage.agent,
        "Model": ", ".join(usage.models) or _unheard(usage),
        "Chains": str(usage.chains),
        "Calls": str(usage.calls),
        "Repair": str(usage.repairs),
        "Cached": str(usage.cached),
        "Tokens in": _number(usage.input_tokens),
        "Tokens out": _number(usage.output_tokens),
        "Cost USD": dollars(usage.cost),
        "Latency median": _seconds(usage.latency_median),
        "p95": _seconds(usage.latency_p95),
    }


def usage_remarks(usage: RunUsage) -> list[str]:
    """Return in words which options were chosen, and what went wrong by name: calls, environment, chains."""
    kinds = {"calls failed": usage.call_failures, "in the environment": usage.events, "no result": usage.lost}
    options = ", ".join(f"{name}={canonical_json(value)}" for name, value in usage.options.items())
    told = [f"options {options}"] if options else []
    told += [f"{what}: {listed(counts)}" for what, counts in kinds.items() if counts]
    return told + [f"{cause}, e.g. {example}" for cause, example in usage.examples.items()]


def listed(counts: dict[str, int]) -> str:
    """Return counts by name in one line, the largest first."""
    return ", ".join(f"{name} {n}" for name, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def dollars(cost: float | None) -> str:
    """Write US dollars with four decimals; less than that is no zero."""
    if cost is None:
        return UNKNOWN
    return "<0.0001" if 0 < cost < 0.0001 else f"{cost:.4f}"


def _lost(run: RunFolder, standing: Mapping[tuple[str, str], ChainCalls]) -> list[ChainCalls]:
    return [
        each
        for each in standing.values()
        if each.lost
        and not (run.holds_restoration(each.chain_id, each.variant) if each.variant else run.holds(each.chain_id))
    ]


def _examples(lost: Sequence[ChainCalls]) -> dict[str, str]:
    """Return what is said of the first chain of each cause; of one that was broken off there is nothing to say."""
    found: dict[str, str] = {}
    for entry in lost:
        said = (entry.calls[-1].detail if entry.calls else "") or entry.detail
        if said and entry.lost != STOPPED:
            found.setdefault(entry.loss, said)
    return dict(sorted(found.items()))


def _unheard(usage: RunUsage) -> str:
    return f"{', '.join(usage.asked)} (as asked for)" if usage.asked else UNKNOWN


def _chosen(manifest: RunManifest) -> dict[str, JsonValue]:
    """Return the options of the parts that ask a model, without those at their default."""
    usual = LLMOptions().model_dump(mode="json")
    chosen = [options for options in options_in(manifest.agent_config) if options.keys() <= usual.keys()]
    return {name: value for options in chosen for name, value in options.items() if value != usual[name]}


def _number(value: int | None) -> str:
    return UNKNOWN if value is None else f"{value:,}"


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f} s"


def _counts(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
