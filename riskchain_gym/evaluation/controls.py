"""Control rows: what constant answers, a look at the landing page and the oracle score on the same chains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.registry import load_agent
from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.evaluation.control_cache import kept_outcomes
from riskchain_gym.evaluation.engine.jobs import Job
from riskchain_gym.evaluation.engine.play import Episode
from riskchain_gym.evaluation.engine.pool import EpisodePool
from riskchain_gym.evaluation.engine.staff import LocalStaff, loading
from riskchain_gym.evaluation.records import RunManifest
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.protocol.codebook import CONCRETE_TYPES, PSEUDO_TYPES, Decision, ViolationType
from riskchain_gym.protocol.errors import NeedsBrowserError
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.outcome import LabelResult, Outcome, ValidatorResult
from riskchain_gym.scoring.attribution import stage_of_report
from riskchain_gym.scoring.episode import score_episode
from riskchain_gym.scoring.summary import Summary, summarize

RUN = ("landing_only", "oracle")
"""The agents that are run for a control row, on the text backend, where no run of theirs is in the table."""


@dataclass(frozen=True)
class ControlRow:
    """A row that nobody ran.

    Attributes:
        name: What it is called in tables.
        kind: ``control``, or ``oracle`` for the upper bound.
        summary: Its figures.
    """

    name: str
    kind: Literal["control", "oracle"]
    summary: Summary


def controls_beside(runs: Sequence[RunManifest]) -> list[ControlRow]:
    """Return the control rows of a table of runs on one split: over all of their chains, less what was run itself.

    Raises:
        ValueError: There are no runs, or they are of different splits.
    """
    splits = sorted({run.split for run in runs})
    if len(splits) != 1:
        raise ValueError(f"Control rows go with runs of one split, got {', '.join(splits) or 'no run'}.")
    return control_rows(splits[0], [chain for run in runs for chain in run.chains], {run.agent for run in runs})


def control_rows(split: str, chains: Sequence[str], among: Collection[str] = ()) -> list[ControlRow]:
    """Return the control rows of a set of chains.

    The constant answers follow from the labels alone; they restore nothing, so that their gated figures are unknown.
    The landing page is read, and the oracle walks, on the text backend. A split that only a browser can show, such as
    an imported one, has the constant answers only.

    Args:
        split: Name or path of the split.
        chains: The chains of the table's runs.
        among: Agents that have a row of their own; they are not run again.

    Raises:
        UnknownNameError: There is no such split, or it lacks a chain.
    """
    gold = load_gold(split)
    ordered = sorted(set(chains))
    rows = [_constant(name, answer, [gold[chain] for chain in ordered]) for name, answer in _answers(gold, ordered)]
    missing = [agent for agent in RUN if agent not in among]
    try:
        rows += [_run(agent, split, ordered, gold) for agent in missing]
    except NeedsBrowserError:
        return rows
    return rows


def _answers(gold: Mapping[str, GoldChain], chains: Sequence[str]) -> list[tuple[str, tuple[Decision, ViolationType]]]:
    types = Counter(gold[c].site.violation_type for c in chains if gold[c].site.decision is Decision.VIOLATION)
    most = max(CONCRETE_TYPES, key=lambda kind: types[kind])
    named = {Decision.VIOLATION: f" ({most.partition('_')[0].lower()})"}
    return [
        (f"always {decision}{named.get(decision, '')}", (decision, PSEUDO_TYPES.get(decision, most)))
        for decision in Decision
    ]


def _constant(name: str, answer: tuple[Decision, ViolationType], chains: Sequence[GoldChain]) -> ControlRow:
    outcomes: list[Outcome] = []
    for chain in chains:
        label = LabelResult(
            gold_decision=chain.site.decision,
            gold_type=chain.site.violation_type,
            predicted_decision=answer[0],
            predicted_type=answer[1],
        )
        outcomes.append(
            Outcome(
                chain_id=chain.chain_id,
                status=EpisodeStatus.REPORTED,
                web_correct=int(label.decision_correct),
                first_failure=stage_of_report(label),
                label=label,
                validator=ValidatorResult(valid=True),
            )
        )
    return ControlRow(name, "control", summarize(outcomes))


def _run(agent: str, split: str, chains: Sequence[str], gold: Mapping[str, GoldChain]) -> ControlRow:
    ended = kept_outcomes(agent, split, chains, lambda missing: _played(agent, split, missing, gold))
    return ControlRow(agent, "oracle" if agent == "oracle" else "control", summarize(ended))


def _played(agent: str, split: str, chains: Sequence[str], gold: Mapping[str, GoldChain]) -> list[Outcome]:
    settings = RunSettings(split=split, backend="text", observe=(), workers=1, chains=tuple(chains))
    instructions = build_instructions(max_steps=settings.environment().max_steps)
    staff = LocalStaff(settings, loading(load_agent))
    pool = EpisodePool([Job(agent, chain) for chain in chains], 1, staff, instructions, gold.__getitem__)
    try:
        # Neither of them asks a model, so that each has an episode.
        episodes = [e.result for e in pool.finished() if isinstance(e.result, Episode)]
        ended = [score_episode(each.trajectory, gold[each.trajectory.chain_id]) for each in episodes]
        pool.finish()
    finally:
        pool.stop()
    return ended
