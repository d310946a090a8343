"""Drawing claims for people out of reports: every kind of claim, every report, some with a fault planted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.keyed import KeyedRandom, derive_key, key_from_seed, keyed_id
from riskchain_gym.protocol.model import sha256_of
from riskchain_gym.scoring.calibration.pair_faults import BEARS_ON, FOR_PEOPLE
from riskchain_gym.scoring.calibration.pair_key import PairKey
from riskchain_gym.scoring.calibration.pair_source import DrawableReport, ReportSource
from riskchain_gym.scoring.calibration.pairs import PairItem
from riskchain_gym.scoring.judge.questions import ClaimKind, Question

MAX_FAULTY = 0.5
"""Share of the reports, and of each kind of claim, that faults are planted for at most, unless more are asked for.

Where every claim of a kind were about a fault, whoever answers could tell without looking.
"""

_FAULTY_KINDS = tuple(kind for kind in ClaimKind if any(kind in borne_on for borne_on in BEARS_ON.values()))


@dataclass(frozen=True)
class DrawnPairs:
    """What was drawn.

    Attributes:
        items: The pairs, in order of their ids.
        key: What is known of each, in the same order.
        unshown: Reports that were left out because they could not be redacted.
    """

    items: tuple[PairItem, ...]
    key: tuple[PairKey, ...]
    unshown: int

    @property
    def faulty(self) -> int:
        """Pairs about a planted fault."""
        return sum(bool(row.fault) for row in self.key)

    @property
    def reports(self) -> int:
        """Reports that any pair is about."""
        return len({(row.agent, row.episode) for row in self.key})

    def by_kind(self) -> dict[str, tuple[int, int]]:
        """Return the number of pairs of each kind of claim, and of those about a planted fault."""
        kinds = Counter(str(item.question.kind) for item in self.items)
        faulty = Counter(str(i.question.kind) for i, row in zip(self.items, self.key, strict=True) if row.fault)
        return {str(kind): (kinds[str(kind)], faulty[str(kind)]) for kind in ClaimKind}

    def summary(self) -> dict[str, object]:
        """Return the counts as JSON values."""
        return {
            "pairs": len(self.items),
            "about_faults": self.faulty,
            "reports": self.reports,
            "unshown": self.unshown,
            "kinds": {kind: {"pairs": n, "about_faults": of} for kind, (n, of) in self.by_kind().items()},
        }


def draw_pairs(reports: Sequence[ReportSource], *, count: int, seed: int, faults: float = 0.0) -> DrawnPairs:
    """Draw claims about reports; the same reports in any order and the same seed give the same pairs.

    Each next claim is of the kind that has the fewest so far, and about the report that has the fewest. A report is
    drawn from as it was filed or with one planted fault, never both. Fewer pairs than asked for, or fewer about a
    fault, are drawn where there are no more.

    Args:
        reports: The reports, with gold where faults are planted.
        count: How many pairs at most.
        seed: Seed of the draw.
        faults: Share of the pairs that are about a planted fault, 0 to 1.

    Raises:
        ConfigError: There is no report that can be shown, a number is out of its range, or faults are to be planted
            without gold.
    """
    if count < 1 or not 0 <= faults <= 1:
        raise ConfigError(f"Draw one pair or more, and a share of faults from 0 to 1: got {count} and {faults:g}.")
    if not reports:
        raise ConfigError("There is no report to draw pairs from: give runs of an agent that files reports.")
    if faults and any(report.gold is None for report in reports):
        raise ConfigError("Faults are planted into reports whose gold is known: give splits with gold, or no faults.")
    draw = _Draw(reports, seed)
    draw.about_faults(
        round(count * faults),
        max_reports=math.ceil(len(reports) * max(MAX_FAULTY, faults)),
        max_of_kind=math.ceil(count * max(MAX_FAULTY / len(ClaimKind), faults / len(_FAULTY_KINDS))),
    )
    draw.about_anything_else(count)
    drawn = draw.drawn()
    if not drawn.items:
        raise ConfigError(f"None of the {drawn.unshown} reports can be redacted, so none is shown to anybody.")
    return drawn


class _Draw:
    def __init__(self, reports: Sequence[ReportSource], seed: int) -> None:
        self._seed = seed
        self._key = derive_key(key_from_seed(seed), "pairs")
        self._reports = [DrawableReport(source, self._key) for source in sorted(reports, key=lambda one: one.label)]
        KeyedRandom(self._key, "reports").shuffle(self._reports)
        self._order, self._variants = list(ClaimKind), list(FOR_PEOPLE)
        KeyedRandom(self._key, "kinds").shuffle(self._order)
        KeyedRandom(self._key, "variants").shuffle(self._variants)
        self._kinds: Counter[ClaimKind] = Counter()
        self._planted: Counter[str] = Counter()
        self._exhausted: set[tuple[str, ClaimKind]] = set()
        self._found: dict[str, tuple[PairItem, PairKey]] = {}

    def about_faults(self, wanted: int, *, max_reports: int, max_of_kind: int) -> None:
        """Draw claims about planted faults, every kind of claim, of fault and every variant as often as the others."""
        kinds = [kind for kind in self._order if kind in _FAULTY_KINDS]
        while kinds and len(self._found) < wanted:
            kind = min(kinds, key=self._kinds.__getitem__)
            if sum(report.planted is not None for report in self._reports) < max_reports:
                self._plant(kind)
            open_reports = [one for one in self._reports if one.faulty_claims.get(kind)]
            if not open_reports or self._kinds[kind] >= max_of_kind:
                kinds.remove(kind)
                continue
            report = min(open_reports, key=lambda one: one.drawn)
            self._take(report, report.faulty_claims[kind].pop(), is_faulty=True)

    def about_anything_else(self, count: int) -> None:
        """Draw claims that no planted fault bears on until there are enough, or none is left."""
        kinds = list(self._order)
        while kinds and len(self._found) < count:
            kind = min(kinds, key=self._kinds.__getitem__)
            report = self._least_drawn(kind)
            if report is None:
                kinds.remove(kind)
            else:
                self._take(report, report.claims[kind].pop(), is_faulty=False)

    def drawn(self) -> DrawnPairs:
        """Return what was drawn; the order of opaque ids says nothing."""
        found = [self._found[item_id] for item_id in sorted(self._found)]
        return DrawnPairs(
            items=tuple(item for item, _ in found),
            key=tuple(row for _, row in found),
            unshown=sum(report.is_unshown for report in self._reports),
        )

    def _plant(self, kind: ClaimKind) -> None:
        """Plant a fault that bears on a kind of claim, the one that was planted least, into the next report."""
        able = [each for each in self._variants if kind in BEARS_ON[each.kind]]
        for variant in sorted(able, key=lambda one: (self._planted[one.kind], self._planted[one.key])):
            if (variant.key, kind) in self._exhausted:
                continue
            if any(report.plant(variant, kind, self._seed) for report in self._reports):
                self._planted.update((variant.kind, variant.key))
                return
            self._exhausted.add((variant.key, kind))

    def _least_drawn(self, kind: ClaimKind) -> DrawableReport | None:
        for report in sorted(self._reports, key=lambda one: one.drawn):
            report.settle()
            if report.claims.get(kind):
                return report
        return None

    def _take(self, report: DrawableReport, question: Question, *, is_faulty: bool) -> None:
        source, planted = report.source, report.planted.key if report.planted else ""
        assert report.bundle is not None, "only what is shown is asked about"
        item_id = keyed_id(self._key, "pair", sha256_of(report.bundle), question.key)
        if item_id in self._found:
            return
        report.drawn += 1
        self._kinds[question.kind] += 1
        item = PairItem(
            item_id=item_id,
            # The same in every draw: pairs of one site stay one cluster where files are put together.
            cluster=keyed_id(key_from_seed(0), "pair cluster", source.site),
            language=source.language,
            bundle=report.bundle,
            question=question,
        )
        row = PairKey(
            item_id=item_id,
            agent=source.agent,
            split=source.split,
            chain_id=source.trajectory.chain_id,
            episode=source.episode,
            planted=planted,
            fault=planted if is_faulty else "",
        )
        self._found[item_id] = item, row
