"""What the index of a report holds of chains and episodes: few bytes each, the rest is loaded when it is opened."""

from __future__ import annotations

from collections.abc import Sequence

from riskchain_gym.benchmark.chain import PublicChain
from riskchain_gym.evaluation.records import EpisodeRecord
from riskchain_gym.evaluation.report.marking import Json
from riskchain_gym.messages.recipes import get_recipe
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.outcome import Outcome

CHAIN_FIELDS = (
    "chain", "decision", "type", "recipe", "severity", "archetype", "depth", "track", "difficulty", "gates", "text",
)  # fmt: skip
"""What the index holds of a chain, in order."""

EPISODE_FIELDS = (
    "run", "chain", "file", "result", "gate", "said", "said_type", "first_failure", "cause", "kinds", "steps",
    "citation_f1", "seconds", "cost",
)  # fmt: skip
"""What the index holds of an episode, in order."""

_TEXT = 160


def chain_row(public: PublicChain, gold: GoldChain, variant: str) -> list[object]:
    """Return the row of a chain, fields as in :data:`CHAIN_FIELDS`.

    Args:
        public: Its public bundle.
        gold: Its gold bundle.
        variant: The variant of its message that was shown.
    """
    site = gold.site
    recipe = public.recipes[variant]
    text = "\n".join(message.text for message in gold.message.messages)
    return [
        public.chain_id, site.decision, site.violation_type, recipe, severity_of(recipe), site.archetype, site.depth,
        site.track, site.difficulty, list(site.gates), text[:_TEXT],
    ]  # fmt: skip


def episode_row(
    run: int, chain: int, file: str, record: EpisodeRecord, outcome: Outcome, cost: float | None, *, asked: bool
) -> list[object]:
    """Return the row of an episode, fields as in :data:`EPISODE_FIELDS`.

    Args:
        run: Number of its run.
        chain: Number of its chain.
        file: The file that holds the rest of it.
        record: The episode.
        outcome: Its scores.
        cost: What its answers cost in US dollars, ``None`` where that is unknown or none was asked for.
        asked: Whether there was a message to restore.
    """
    label = outcome.label if outcome.status is not EpisodeStatus.INFRA_ERROR else None
    steps = [step for step in record.trajectory.browse_steps() if step]
    evidence = outcome.evidence if outcome.status is not EpisodeStatus.INFRA_ERROR else None
    return [
        run,
        chain,
        file,
        result_of(outcome, asked=asked),
        None if outcome.gate is None else int(outcome.gate.passed),
        label.predicted_decision if label else None,
        label.predicted_type if label else None,
        outcome.first_failure,
        outcome.cause.kind if outcome.cause else None,
        list(dict.fromkeys(failure.kind for failure in outcome.failures)),
        len(steps),
        None if evidence is None else round(evidence.f1, 4),
        record.seconds,
        cost,
    ]


def result_of(outcome: Outcome, *, asked: bool) -> str:
    """Return in words how an episode ended: what it is sorted, filtered and compared by.

    Args:
        outcome: Its scores.
        asked: Whether there was a message to restore: then only an open gate makes it right.
    """
    if outcome.status is EpisodeStatus.INFRA_ERROR:
        return "not scored"
    if (outcome.end_to_end_correct if asked else outcome.web_correct) == 1:
        return "right"
    if outcome.web_correct == 1:
        return "gate closed"
    if outcome.status is EpisodeStatus.BOTTOM:
        return "ended as ⊥"
    return "no report" if outcome.status is EpisodeStatus.MISSING_REPORT else "wrong"


def severity_of(recipe: str) -> int | None:
    """Return the highest severity of a recipe; ``None`` for a published one, and for one that is not known here."""
    try:
        return get_recipe(recipe).severity
    except ConfigError:
        return None


def table(fields: Sequence[str], rows: Sequence[Sequence[object]]) -> Json:
    """Return rows with the names of their fields said once."""
    return {"fields": list(fields), "rows": [list(row) for row in rows]}
