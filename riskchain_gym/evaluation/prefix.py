"""Prefixes: what a run with a large browse budget had come to after fewer steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pydantic import Field

from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.envs.config import ENV_IDS
from riskchain_gym.evaluation.records import RunManifest
from riskchain_gym.evaluation.sameness import run_key
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.outcome import EvidenceResult, Outcome
from riskchain_gym.protocol.trajectory import Trajectory
from riskchain_gym.scoring.episode import score_episode
from riskchain_gym.scoring.evidence import first_shown
from riskchain_gym.scoring.figures import OutcomeFigures
from riskchain_gym.scoring.intervals import Difference, differences, intervals
from riskchain_gym.scoring.sight import Sight

BUDGETS = (5, 10, 15, 20, 30, 45, 60, 90, 120)
"""The browse steps at which a run is looked at, as far as they are fewer than it was told."""

FIGURES = ("web_accuracy", "end_to_end_accuracy", "exact_match", "citation_f1", "evidence_seen")
"""The figures of a prefix that a summary has, too."""


class PrefixScore(Frozen):
    """What a run had come to after k browse steps; shares are over all episodes, ``None`` where nothing is known.

    An episode that had not ended its investigation by itself before its k-th step counts as without a report, as it
    does in the published protocol whose budget is k. An episode lost to infrastructure counts as in a
    :class:`~riskchain_gym.scoring.summary.Summary`.

    Attributes:
        k: Browse steps.
        ended: Share of episodes whose investigation had ended by itself with fewer than k steps.
        web_accuracy: Acc^w.
        end_to_end_accuracy: Acc^e.
        exact_match: H-EM, web.
        citation_f1: Mean citation F1.
        evidence_seen: Mean share of the deciding evidence that had been shown by then.
        evidence_complete: Share of episodes to which everything deciding had been shown by then.
        ends: 95 % intervals over websites of those of :data:`FIGURES` that have one, drawn as those of a summary are.
    """

    k: int
    ended: float
    web_accuracy: float | None = None
    end_to_end_accuracy: float | None = None
    exact_match: float | None = None
    citation_f1: float | None = None
    evidence_seen: float | None = None
    evidence_complete: float | None = None
    ends: dict[str, tuple[float, float]] = Field(default_factory=dict)


class Course(NamedTuple):
    """An episode as far as its prefixes need it.

    Attributes:
        outcome: Its scores.
        steps: Browse steps it took.
        shown: The step at which each deciding atom was first shown, ``None`` for never.
    """

    outcome: Outcome
    steps: int
    shown: tuple[int | None, ...]


class ToldBesidePrefix(Frozen):
    """A run that was told a budget beside what a run of the same agent with a larger one had come to by then.

    Attributes:
        agent: Name of the agent.
        k: The smaller budget.
        long: Budget of the run whose prefix it is.
        repeat: Which repeat both are.
        told: The run that was told k, as it ended.
        prefix: The other one after k steps.
        differences: Told minus prefix by figure, paired over the same samples of websites.
    """

    agent: str
    k: int
    long: int
    repeat: int
    told: PrefixScore
    prefix: PrefixScore
    differences: dict[str, Difference]


def course_of(trajectory: Trajectory, gold: GoldChain, outcome: Outcome | None = None) -> Course:
    """Return the course of an ended episode.

    Args:
        trajectory: The episode.
        gold: Its gold bundle.
        outcome: Its scores, where they are known already.
    """
    steps = sum(step.browse_step is not None for step in trajectory.steps)
    shown = first_shown(trajectory.browse_steps(), gold.site, Sight.of(trajectory))
    return Course(outcome or score_episode(trajectory, gold), steps, shown)


def budgets_of(manifest: RunManifest) -> tuple[int, ...]:
    """Return at how many steps a run is looked at: at fewer than it was told, at none where there is no site."""
    if manifest.env_id == ENV_IDS["restore"]:
        return ()
    return tuple(k for k in BUDGETS if k < manifest.environment.max_steps)


def prefix_scores(run: RunFolder, budgets: Sequence[int] | None = None) -> tuple[PrefixScore, ...]:
    """Return what a run had come to after each of several numbers of browse steps.

    Args:
        run: The run folder, of episodes with a site.
        budgets: Numbers of steps, at most what the run was told; those of :func:`budgets_of` by default.

    Raises:
        ConfigError: A number is below 1 or above the run's budget.
        InputFileError: The run or the gold is missing or damaged.
    """
    asked = budgets_of(run.manifest) if budgets is None else tuple(budgets)
    most = run.manifest.environment.max_steps
    if wrong := [k for k in asked if not 1 <= k <= most]:
        raise ConfigError(
            f"{run.path} was told {most} browse steps: look at it after 1 to {most} of them, not {wrong[0]}."
        )
    return prefixes(_courses(run), asked, websites(load_gold(run.manifest.split)))


def prefixes(
    courses: Sequence[Course], budgets: Iterable[int], website_of: Mapping[str, str]
) -> tuple[PrefixScore, ...]:
    """Return the scores of a set of episodes after each of several numbers of browse steps.

    Args:
        courses: The episodes, at least one.
        budgets: Numbers of steps.
        website_of: Website by chain id; websites are what intervals are drawn over.
    """
    # Means of fractions depend in their last digit on the order they are summed in.
    courses = _ordered(courses)
    return tuple(_score(k, courses, [_stopped(course, k) for course in courses], website_of) for k in budgets)


def told_beside_prefix(
    runs: Sequence[RunFolder], outcomes: Mapping[str, Sequence[Outcome]] | None = None
) -> tuple[ToldBesidePrefix, ...]:
    """Return each run beside the prefixes of those that differ from it by a larger budget only.

    Args:
        runs: Any runs; pairs of the same agent, split, chains, repeat, settings and versions are looked for among them.
        outcomes: What scoring gives runs, by their identity, where that is known.

    Returns:
        The pairs, by the smaller budget, then by the larger one.

    Raises:
        InputFileError: A run or its gold is missing or damaged.
    """
    ordered = sorted(runs, key=lambda run: (run.manifest.environment.max_steps, str(run.path)))
    pairs = [
        (short, long)
        for place, short in enumerate(ordered)
        for long in ordered[place + 1 :]
        if short.manifest.environment.max_steps < long.manifest.environment.max_steps
        and run_key(short.manifest, but="budget") == run_key(long.manifest, but="budget")
    ]
    known = outcomes or {}
    paired = {each.identity: each for pair in pairs for each in pair}
    courses = {identity: _courses(run, known.get(identity, ())) for identity, run in paired.items()}
    return tuple(_compared(short, long, courses[short.identity], courses[long.identity]) for short, long in pairs)


def _compared(short: RunFolder, long: RunFolder, told: list[Course], other: list[Course]) -> ToldBesidePrefix:
    k = short.manifest.environment.max_steps
    both = {course.outcome.chain_id for course in told} & {course.outcome.chain_id for course in other}
    told, other = ([course for course in each if course.outcome.chain_id in both] for each in (told, other))
    website_of = websites(load_gold(short.manifest.split))
    ended, cut = [course.outcome for course in told], [_stopped(course, k) for course in other]
    gaps = differences(ended, cut, website_of)
    return ToldBesidePrefix(
        agent=short.manifest.agent,
        k=k,
        long=long.manifest.environment.max_steps,
        repeat=long.manifest.repeat,
        told=_score(k, told, ended, website_of),
        prefix=_score(k, other, cut, website_of),
        differences={name: gaps[name] for name in FIGURES if name in gaps},
    )


def _courses(run: RunFolder, outcomes: Sequence[Outcome] = ()) -> list[Course]:
    gold = load_gold(run.manifest.split)
    known = {outcome.chain_id: outcome for outcome in outcomes}
    trajectories = (record.trajectory for record in run.records())
    return _ordered(course_of(each, gold[each.chain_id], known.get(each.chain_id)) for each in trajectories)


def _ordered(courses: Iterable[Course]) -> list[Course]:
    return sorted(courses, key=lambda course: course.outcome.chain_id)


def _stopped(course: Course, k: int) -> Outcome:
    """Return the outcome that the published protocol gives the first k steps of an episode."""
    outcome = course.outcome
    if course.steps < k or outcome.label is None or outcome.web_correct is None:
        return outcome
    return outcome.model_copy(
        update={
            "status": EpisodeStatus.BOTTOM,
            "label": outcome.label.without_report(),
            "web_correct": 0,
            "end_to_end_correct": None if outcome.end_to_end_correct is None else 0,
            "gate_loss": None if outcome.gate_loss is None else 0,
            "evidence": None if outcome.evidence is None else _uncited(course.shown, k),
        }
    )


def _uncited(shown: Sequence[int | None], k: int) -> EvidenceResult:
    seen = sum(step is not None and step <= k for step in shown)
    return EvidenceResult(
        precision=0.0,
        recall=0.0,
        f1=0.0,
        seen=seen / len(shown) if shown else 0.0,
        sufficient=False,
        contradiction=False,
        over_citation=0.0,
    )


def websites(gold: Mapping[str, GoldChain]) -> dict[str, str]:
    """Return the website of each chain."""
    return {chain: bundle.site.site_id for chain, bundle in gold.items()}


def _score(
    k: int, courses: Sequence[Course], outcomes: Sequence[Outcome], website_of: Mapping[str, str]
) -> PrefixScore:
    points = OutcomeFigures(outcomes).points()
    scored = [outcome.evidence is not None for outcome in outcomes]
    lost = [outcome.status is EpisodeStatus.INFRA_ERROR for outcome in outcomes]
    got_nowhere = [outcome.web_correct is None and outcome.label is not None for outcome in outcomes]
    saw_all = [outcome.evidence is not None and outcome.evidence.seen == 1.0 for outcome in outcomes]
    ends = intervals(outcomes, "website", website_of).ends
    asked = sum(one or other for one, other in zip(scored, got_nowhere, strict=True))
    return PrefixScore(
        k=k,
        ended=sum(not gone and course.steps < k for gone, course in zip(lost, courses, strict=True)) / len(courses),
        **{name: points.get(name) for name in FIGURES},
        evidence_complete=sum(saw_all) / asked if any(scored) else None,
        ends={name: ends[name] for name in FIGURES if name in ends},
    )
