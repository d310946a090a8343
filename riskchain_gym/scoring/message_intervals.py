"""Bootstrap intervals of the figures of restored messages, and of the differences between two models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.messages.rows import GoldRow
from riskchain_gym.scoring.bootstrap import counts, interval_of_known, resampled
from riskchain_gym.scoring.figures import Samples
from riskchain_gym.scoring.intervals import REPLICATES, Difference, Intervals
from riskchain_gym.scoring.message_figures import message_ratios
from riskchain_gym.scoring.message_scores import summarize_messages
from riskchain_gym.scoring.messages import ScoredMessage

Unit = Literal["session", "skeleton", "website"]

SEED = 20260726
"""The published base seed of restoration figures (protocol B.3)."""

_CELLS_AT_ONCE = 1 << 22


class MessageResamples:
    """Bootstrap samples of a set of messages: of sessions, their skeletons, or the sites that they lead to.

    Sessions of one skeleton have their wording in common and are not independent, so that intervals by skeleton are
    the more honest and as a rule the wider ones. A message without a skeleton, as imported ones are, stands for
    itself. Units are drawn in order of their names as ``random.Random(seed)`` draws them (protocol B.3).

    Attributes:
        unit: What is drawn with replacement; messages of one unit stay together.
        seed: Seed of the draws.
        replicates: How many samples are drawn.
        clusters: How many units there are.

    Args:
        scored: The whole set.
        unit: What to draw; ``session`` instead of ``skeleton`` where no message has a skeleton.
        website_of: Website by session id, for that unit.
        seed: Any integer.
        replicates: How many samples to draw.

    Raises:
        KeyError: A session has no website.
        ValueError: The set is empty.
    """

    def __init__(
        self,
        scored: Sequence[ScoredMessage],
        unit: Unit,
        *,
        website_of: Mapping[str, str] | None = None,
        seed: int = SEED,
        replicates: int = REPLICATES,
    ) -> None:
        known = unit != "skeleton" or any(each.row.skeleton for each in scored)
        self.unit: Unit = unit if known else "session"
        self._website_of = website_of or {}
        self.seed = seed
        self.replicates = replicates
        self._place = {name: place for place, name in enumerate(sorted({self._cluster(each.row) for each in scored}))}
        self.clusters = len(self._place)
        self._drawn = counts(resampled(self.clusters, seed=seed, replicates=replicates), self.clusters)

    def intervals(self, scored: Sequence[ScoredMessage]) -> Intervals:
        """Return the 95 % intervals of the figures of the set, or of a group within it.

        Ends lie between order statistics (protocol B.3). A sample that has nothing to divide by is left out; where
        that is more than :data:`~riskchain_gym.scoring.bootstrap.MAX_UNDEFINED` of them, or all of a figure rests on
        one unit, there is no interval.

        Args:
            scored: Messages of the set, at least one.

        Raises:
            KeyError: A message is not of the set.
        """
        sampled, units = self._sampled(scored)
        found = {name: interval_of_known(values, method="linear") for name, values in sampled.items()}
        return Intervals(
            unit=self.unit,
            clusters=units,
            seed=self.seed,
            replicates=self.replicates,
            ends={name: ends for name, ends in found.items() if ends is not None},
        )

    def differences(self, first: Sequence[ScoredMessage], second: Sequence[ScoredMessage]) -> dict[str, Difference]:
        """Return by how much two models differ in every figure that both have, each sample taken of both.

        Args:
            first: One model's messages.
            second: The other's, the same in the same order.

        Raises:
            ValueError: They are not the same messages.
        """
        if [each.row for each in first] != [each.row for each in second]:
            raise ValueError("Two models are compared on the same messages in the same order: score both on one gold.")
        points, others = summarize_messages(first).model_dump(), summarize_messages(second).model_dump()
        sampled, other_sampled = self._sampled(first)[0], self._sampled(second)[0]
        found: dict[str, Difference] = {}
        for name in sampled:
            one, two = points[name], others[name]
            if one is not None and two is not None:
                gaps = sampled[name] - other_sampled[name]
                low, high = interval_of_known(gaps, method="linear") or (None, None)
                found[name] = Difference(first=one, second=two, difference=one - two, low=low, high=high)
        return found

    def _cluster(self, row: GoldRow) -> str:
        match self.unit:
            case "session":
                return row.session_id
            case "skeleton":
                return row.skeleton or row.session_id
            case "website":
                return self._website_of[row.session_id]

    def _sampled(self, scored: Sequence[ScoredMessage]) -> tuple[dict[str, Samples], int]:
        """Return the figures of every sample, NaN where it has none, and how many units the messages are of."""
        ratios = message_ratios(scored)
        named = np.array([self._place[self._cluster(each.row)] for each in scored])
        units, unit_of = np.unique(named, return_inverse=True)
        over = _totals([ratio.over for ratio in ratios.values()], unit_of, len(units))
        under = _totals([ratio.under for ratio in ratios.values()], unit_of, len(units))
        one_unit = (under > 0).sum(axis=0) < 2
        sums, bases = _weighted(self._drawn, units, over), _weighted(self._drawn, units, under)
        figures = np.divide(sums, bases, out=np.full_like(sums, np.nan), where=(bases > 0) & ~one_unit)
        return dict(zip(ratios, figures.T, strict=True)), len(units)


def _totals(columns: Sequence[Samples], unit_of: NDArray[np.int64], units: int) -> Samples:
    totals = np.zeros((units, len(columns)))
    np.add.at(totals, unit_of, np.stack(columns, axis=1))
    return totals


def _weighted(drawn: NDArray[np.int32], units: NDArray[np.int64], columns: Samples) -> Samples:
    sums = np.empty((len(drawn), columns.shape[1]))
    step = max(1, _CELLS_AT_ONCE // len(units))
    for start in range(0, len(drawn), step):
        sums[start : start + step] = drawn[start : start + step, units].astype(np.float64) @ columns
    return sums
