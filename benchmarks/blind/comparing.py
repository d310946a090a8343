"""How far a reader agrees with the labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal

from blind.rows import Answer, KeyRow, Settlement
from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.scoring.agreement import UndefinedAgreementError, cohens_kappa
from riskchain_gym.scoring.calibration.rates import Rate

Source = Literal["model", "human"]

AT_LEAST = 0.90
"""Share of the packets on which decision and type must agree."""


class Agreement(Frozen):
    """Agreement over some packets.

    Attributes:
        decision: Packets with the same decision.
        label: Packets with the same decision and type.
        kappa_decision: Cohen's kappa of the decisions; ``None`` where it is undefined.
        kappa_label: The same of decision and type together.
    """

    decision: Rate
    label: Rate
    kappa_decision: float | None
    kappa_label: float | None


class Disagreement(Frozen):
    """A packet on which reader and label differ.

    Attributes:
        key: What the packet is.
        answer: What the reader says of it.
        settled: What it came to, ``None`` while it is open.
    """

    key: KeyRow
    answer: Answer
    settled: Settlement | None


class Compared(Frozen):
    """All that a comparison tells.

    Attributes:
        source: Who read: a model or a human.
        reader: Their name, as given.
        packets: Packets of the key.
        missing: Packets that have no answer; they are in no figure.
        overall: Agreement over all packets answered.
        by: The same by attribute and value.
        confusion: Packets by decision of the label and decision of the reader.
        quotes: Quotes that stand in their packet word for word; ``None`` where the packets were not given.
        disagreements: Every packet on which they differ.
        verdicts: Disagreements by verdict, ``open`` for those that are not settled.
    """

    source: Source
    reader: str
    packets: int
    missing: tuple[str, ...]
    overall: Agreement
    by: dict[str, dict[str, Agreement]]
    confusion: dict[Decision, dict[Decision, int]]
    quotes: Rate | None
    disagreements: tuple[Disagreement, ...]
    verdicts: dict[str, int]

    def problems(self) -> list[str]:
        """Return what keeps the reading from being good enough; nothing where it is."""
        found = []
        if self.missing:
            found.append(f"{len(self.missing)} of {self.packets} packets have no answer: {', '.join(self.missing)}")
        if (self.overall.label.share or 0) < AT_LEAST:
            hits, of = self.overall.label.hits, self.overall.label.of
            found.append(f"decision and type agree on {hits} of {of} packets, less than {AT_LEAST:.0%}")
        if unsettled := self.verdicts.get("open", 0):
            found.append(f"{unsettled} of {len(self.disagreements)} disagreements are not settled")
        return found


def compared(
    key: Mapping[str, KeyRow],
    answers: Mapping[str, Answer],
    settled: Mapping[str, Settlement],
    *,
    source: Source,
    reader: str = "",
    texts: Mapping[str, str] | None = None,
) -> Compared:
    """Compare a reader's answers with the labels.

    Args:
        key: The key, by packet.
        answers: The answers, by packet; packets may be missing.
        settled: What disagreements came to, by packet.
        source: Who read.
        reader: Their name.
        texts: The packets, by name, to look quotes up in.

    Raises:
        ConfigError: There is no answer, or something was settled on which nobody disagrees.
    """
    if not answers:
        raise ConfigError("There is no answer to compare: give a file with a line for each packet.")
    pairs = [(key[packet], answers[packet]) for packet in sorted(answers)]
    differing = [(row, answer) for row, answer in pairs if row.label != answer.label]
    needless = sorted(settled.keys() - {row.packet for row, _ in differing})
    if needless:
        raise ConfigError(f"Packet {needless[0]} is settled, but reader and label agree on it: remove its settlement.")
    found = tuple(Disagreement(key=row, answer=answer, settled=settled.get(row.packet)) for row, answer in differing)
    verdicts = Counter("open" if each.settled is None else str(each.settled.verdict) for each in found)
    confusion = Counter((row.decision, answer.decision) for row, answer in pairs)
    return Compared(
        source=source,
        reader=reader,
        packets=len(key),
        missing=tuple(sorted(key.keys() - answers.keys())),
        overall=_agreement(pairs),
        by={
            name: {
                value: _agreement([pair for pair in pairs if getattr(pair[0], name) == value])
                for value in sorted({str(getattr(row, name)) for row, _ in pairs})
            }
            for name in ("lang", "split", "type")
        },
        confusion={gold: {read: confusion[gold, read] for read in Decision} for gold in Decision},
        quotes=None if texts is None else _quotes(answers.values(), texts),
        disagreements=found,
        verdicts=dict(sorted(verdicts.items())),
    )


def _agreement(pairs: list[tuple[KeyRow, Answer]]) -> Agreement:
    decisions = [(str(row.decision), str(answer.decision)) for row, answer in pairs]
    labels = [(" ".join(row.label), " ".join(answer.label)) for row, answer in pairs]
    return Agreement(
        decision=_same(decisions), label=_same(labels), kappa_decision=_kappa(decisions), kappa_label=_kappa(labels)
    )


def _same(pairs: list[tuple[str, str]]) -> Rate:
    return Rate.of_counts(sum(ours == theirs for ours, theirs in pairs), len(pairs))


def _kappa(pairs: list[tuple[str, str]]) -> float | None:
    try:
        return cohens_kappa(pairs)
    except UndefinedAgreementError:
        return None


def _quotes(answers: Iterable[Answer], texts: Mapping[str, str]) -> Rate:
    found = [quote.strip() in texts[answer.packet] for answer in answers for quote in answer.quotes]
    return Rate.of_counts(sum(found), len(found))
