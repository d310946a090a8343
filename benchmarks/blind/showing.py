"""A comparison as Markdown: figures first, then every disagreement with what each side rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from blind.comparing import AT_LEAST, Agreement, Compared, Disagreement
from blind.rows import Label
from riskchain_gym.protocol.codebook import PSEUDO_TYPES, Decision
from riskchain_gym.scoring.calibration.rates import Rate

_HEADINGS = {"lang": "Language", "split": "Split", "type": "Type of the label"}


def as_markdown(found: Compared) -> str:
    """Return a comparison as Markdown, ending in a newline."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Compared) -> Iterator[str]:
    answered = found.packets - len(found.missing)
    by = f" ({found.reader})" if found.reader else ""
    yield f"Read by a {found.source}{by}: {answered} of {found.packets} packets."
    if found.quotes is not None:
        yield f"Quotes that stand in their packet word for word: {found.quotes.hits} of {found.quotes.of}."
    yield ""
    yield from _table(
        ["Agreement", "packets", "share", "95 % (Wilson)", "Cohen's kappa"],
        [
            ["decision", *_rate(found.overall.decision), _kappa(found.overall.kappa_decision)],
            ["decision and type", *_rate(found.overall.label), _kappa(found.overall.kappa_label)],
        ],
    )
    yield ""
    yield f"Needed: {AT_LEAST:.0%} on decision and type."
    yield ""
    yield from _table(
        ["Label, down; reader, across", *(str(decision) for decision in Decision)],
        [[str(gold), *(str(count) for count in row.values())] for gold, row in found.confusion.items()],
    )
    for name, groups in found.by.items():
        yield ""
        yield from _table(
            [_HEADINGS[name], "decision", "decision and type", "95 % (Wilson)"],
            [[value, *_group(agreement)] for value, agreement in groups.items()],
        )
    yield ""
    yield f"Disagreements: {len(found.disagreements)}{_verdicts(found)}."
    for each in found.disagreements:
        yield ""
        yield from _disagreement(each)


def _verdicts(found: Compared) -> str:
    return "".join(f", {count} {verdict}" for verdict, count in found.verdicts.items())


def _rate(rate: Rate) -> list[str]:
    return [f"{rate.hits} of {rate.of}", f"{100 * (rate.share or 0):.1f} %", _ends(rate)]


def _group(agreement: Agreement) -> list[str]:
    decision, label = agreement.decision, agreement.label
    return [f"{decision.hits} of {decision.of}", f"{label.hits} of {label.of}", _ends(label)]


def _ends(rate: Rate) -> str:
    return f"{100 * (rate.low or 0):.1f} to {100 * (rate.high or 0):.1f} %"


def _kappa(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _disagreement(each: Disagreement) -> Iterator[str]:
    key, answer = each.key, each.answer
    yield (
        f"**{key.packet}** ({key.split} {key.chain_id}, {key.archetype}, {key.lang}): "
        f"label {_label(key.label)}, reader {_label(answer.label)}, confidence {answer.confidence}."
    )
    yield ""
    if key.secondary:
        yield f"- also of the label: {', '.join(key.secondary)}"
    yield from (f"- {atom.component}{_of(atom.type)}: {atom.text}" for atom in key.atoms)
    yield from (f"- reader quotes: {quote}" for quote in answer.quotes)
    yield f"- reader: {answer.why}"
    if each.settled is None:
        yield "- not settled"
    else:
        yield f"- settled, {each.settled.verdict}: {each.settled.reason}"


def _of(kind: str) -> str:
    return "" if kind in PSEUDO_TYPES.values() else f" of {kind}"


def _label(label: Label) -> str:
    decision, kind = label
    return str(decision) if kind in PSEUDO_TYPES.values() else str(kind)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for i, row in enumerate((head, *rows)):
        yield "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        if i == 0:
            yield "|" + "|".join("-" * (width + 2) for width in widths) + "|"
