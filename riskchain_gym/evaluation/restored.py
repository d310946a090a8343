"""Restoration over all variants of a run: its episodes' commits and the variants restored on their own beside them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from riskchain_gym.envs.config import ENV_IDS
from riskchain_gym.evaluation.prefix import websites
from riskchain_gym.evaluation.records import EpisodeRecord
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.evaluation.strata import in_order
from riskchain_gym.messages.recipes import get_recipe
from riskchain_gym.messages.rows import GoldRow
from riskchain_gym.protocol.commit import EMPTY_COMMIT
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.gold import GoldChain, MessageGold
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.protocol.trajectory import Trajectory
from riskchain_gym.scoring.episode import score_episode
from riskchain_gym.scoring.gate import CLOSED
from riskchain_gym.scoring.intervals import Intervals
from riskchain_gym.scoring.message_groups import group_messages
from riskchain_gym.scoring.message_intervals import MessageResamples
from riskchain_gym.scoring.message_scores import MessageScores, summarize_messages
from riskchain_gym.scoring.messages import ScoredMessage
from riskchain_gym.scoring.restoration import score_restoration

GROUPINGS = ("variant", "recipe", "technique", "severity")
"""What restored messages are told apart by beside the whole set, in the order of tables."""


class RestoredGroup(Frozen):
    """The figures of a set of restored messages.

    A message that was lost to infrastructure counts as restored to nothing, as it does in a
    :class:`~riskchain_gym.scoring.summary.Summary`, and is counted apart.

    Attributes:
        name: ``all``, or what the messages of the group have in common.
        lost: Messages lost to infrastructure; they are among ``scores.missing``.
        scores: The figures; ``None`` where every message was lost and nothing is known.
        intervals: 95 % intervals of the figures, drawn over websites; ``None`` where there are no figures.
    """

    name: str
    lost: int
    scores: MessageScores | None = None
    intervals: Intervals | None = None


class RestorationScores(Frozen):
    """Restoration over every variant of its messages that a run restored.

    Attributes:
        variants: The variants that are there, sorted; the first of them as a rule feeds the gate.
        overall: The whole set.
        groups: Its groups by variant, recipe, technique (a message is in one for each of its recipe) and severity of
            the recipe, in the order of tables.
    """

    variants: tuple[str, ...]
    overall: RestoredGroup
    groups: dict[str, tuple[RestoredGroup, ...]]


class Restored(NamedTuple):
    """A message that a run restored, and whether the attempt at it was lost to infrastructure."""

    message: ScoredMessage
    lost: bool


def restored(trajectory: Trajectory, gold: MessageGold, outcome: Outcome | None = None) -> Restored:
    """Return what an episode restored beside the gold of the variant it was shown.

    Args:
        trajectory: An ended episode; one that was lost, or ended before it committed, has restored nothing.
        gold: The gold of its message.
        outcome: Its scores, where they are known already.
    """
    outcome = outcome or score_episode(trajectory, gold)
    recipe = gold.traces[trajectory.variant].recipe
    row = GoldRow.of(
        trajectory.chain_id,
        trajectory.variant,
        gold,
        severity=get_recipe(recipe).severity,
        pair="",
        attribute="",
    )
    lost = trajectory.status is EpisodeStatus.INFRA_ERROR
    if outcome.restoration is None or outcome.gate is None:
        return Restored(ScoredMessage(row, None, score_restoration(EMPTY_COMMIT, gold), CLOSED), lost)
    return Restored(ScoredMessage(row, trajectory.commit, outcome.restoration, outcome.gate), lost)


def restoration_scores(
    run: RunFolder, gold: Mapping[str, GoldChain], episodes: Iterable[Restored] | None = None
) -> RestorationScores | None:
    """Score every message that a run restored: those of its episodes and of the variants restored beside them.

    Draws are the published ones of restoration figures (protocol B.3), over websites: all variants of the messages
    that lead to a site are drawn together.

    Args:
        run: The run folder.
        gold: Gold bundles by chain id.
        episodes: What its episodes restored, where they were read already.

    Returns:
        The scores, ``None`` where nothing was to be restored, as in a browse-only run.

    Raises:
        InputFileError: The run is damaged.
        KeyError: The run holds a chain that the gold does not have.
    """
    if run.manifest.env_id == ENV_IDS["browse"]:
        return None
    found = _read(run.records(), gold) if episodes is None else list(episodes)
    found += _read(run.restorations(), gold)
    if not found:
        return None
    found.sort(key=lambda each: each.message.row.sample_id)
    lost = {each.message.row.sample_id for each in found if each.lost}
    scored = [each.message for each in found]
    resamples = MessageResamples(scored, "website", website_of=websites(gold))
    groups: dict[str, tuple[RestoredGroup, ...]] = {}
    for grouping in GROUPINGS:
        members = group_messages(grouping, scored)
        groups[grouping] = tuple(_group(name, members[name], lost, resamples) for name in in_order(list(members)))
    return RestorationScores(
        variants=tuple(sorted({each.row.variant for each in scored})),
        overall=_group("all", scored, lost, resamples),
        groups=groups,
    )


def _read(records: Iterable[EpisodeRecord], gold: Mapping[str, GoldChain]) -> list[Restored]:
    return [restored(each.trajectory, gold[each.trajectory.chain_id].message) for each in records]


def _group(
    name: str, scored: Sequence[ScoredMessage], lost: Collection[str], resamples: MessageResamples
) -> RestoredGroup:
    gone = sum(each.row.sample_id in lost for each in scored)
    if gone == len(scored):
        return RestoredGroup(name=name, lost=gone)
    return RestoredGroup(name=name, lost=gone, scores=summarize_messages(scored), intervals=resamples.intervals(scored))
