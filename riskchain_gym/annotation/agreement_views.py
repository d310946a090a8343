"""What the agreement report shows, every figure as it is shown: rows of plots, tables, the flow of the layers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from riskchain_gym.annotation.label_names import name_of, question_name
from riskchain_gym.scoring.calibration.rates import Rate
from riskchain_gym.scoring.label_agreement import QUESTION_LABELS
from riskchain_gym.scoring.label_cautions import RELIABLE, TENTATIVE, is_below, level, written
from riskchain_gym.scoring.label_figures import (
    LabelAgreement,
    Measured,
    QuestionAgreement,
    Sided,
)

Json = dict[str, Any]

_TICK = 0.25


@dataclass(frozen=True)
class Axis:
    """The axis that every plot of a report shares.

    Attributes:
        low: Its left end; the right one is 1.
    """

    low: float

    def place(self, value: float) -> str:
        """Return where a value lies, as a percentage of the width."""
        return f"{100 * (max(self.low, value) - self.low) / (1 - self.low):.2f}%"

    @property
    def ticks(self) -> list[tuple[str, str]]:
        """Place and text of the marks below the axis."""
        steps = round((1 - self.low) / _TICK)
        return [(self.place(1 - _TICK * i), _tick(1 - _TICK * i)) for i in range(steps, -1, -1)]

    @property
    def thresholds(self) -> list[tuple[str, str]]:
        """Place and text of the customary levels of α."""
        return [(self.place(TENTATIVE), ".667"), (self.place(RELIABLE), ".8")]


def axis_of(found: LabelAgreement) -> Axis:
    """Return an axis that holds every figure of a report: from 0, or from below where α is."""
    values = [end for each in _measures(found) for end in (each.value, each.low) if end is not None]
    return Axis(low=max(-1.0, min(0.0, math.floor(min(values, default=0.0) / _TICK) * _TICK)))


def headlines(found: LabelAgreement) -> list[str]:
    """Return a sentence for each question."""
    return [_headline(question, found.subject, found.passes) for question in found.questions]


def main_rows(found: LabelAgreement, axis: Axis) -> list[Json]:
    """Return percent agreement and α of each question."""
    rows: list[Json] = []
    for question in found.questions:
        name = question_name(question.question)
        rows += [
            {**_plotted(question.percent, axis, percent), "name": name, "what": "percent", "alpha": False},
            {**_plotted(question.alpha, axis, written), "name": name, "what": "Krippendorff’s α", "alpha": True},
        ]
    return rows


def label_rows(found: LabelAgreement, axis: Axis) -> list[Json]:
    """Return specific agreement by label, the question's labels under its name; labels never given come without."""
    return [
        {
            "name": question_name(question.question),
            "rows": [
                {"name": name_of(each.label), **_plotted(each.agreement, axis, percent)}
                for each in question.labels
                if each.agreement.value is not None
            ],
            "never": [name_of(each.label) for each in question.labels if each.agreement.value is None],
        }
        for question in found.questions
    ]


def heat_map(question: QuestionAgreement) -> Json:
    """Return the symmetrised confusion table as its lower half: a row a label that was given, each cell with a shade.

    Cells of agreement are shaded by their share of the answers with the label, others by the most frequent confusion.
    """
    given = {cell.first for cell in question.confusions} | {cell.second for cell in question.confusions}
    pairs = {(cell.first, cell.second): cell.pairs for cell in question.confusions}
    order = [label for label in QUESTION_LABELS[question.question] if label in given]
    most = max((n for (a, b), n in pairs.items() if a != b), default=1)
    shares = {each: pairs.get((each, each), 0) / max(1, _answers(each, pairs) / 2) for each in order}
    rows: list[Json] = []
    for i, label in enumerate(order):
        cells: list[Json] = []
        for other in order[: i + 1]:
            n = pairs.get((other, label), 0)
            share = shares[label] if other == label else n / most
            cells.append({"n": n, "same": other == label, "shade": math.ceil(5 * share) if n else 0})
        rows.append({"name": name_of(label), "short": name_of(label, short=True), "cells": cells})
    heads = [name_of(label, short=True) for label in order]
    return {"name": question_name(question.question), "heads": heads, "rows": rows, "most": most}


def pair_rows(question: QuestionAgreement, axis: Axis) -> Json:
    """Return the agreement of every two annotators."""
    rows = [
        {
            "name": f"{pair.first} · {pair.second}",
            "items": pair.percent.units,
            "percent": _shown(pair.percent, percent),
            **_plotted(pair.alpha, axis, written),
        }
        for pair in question.annotators
    ]
    return {"name": question_name(question.question), "rows": rows}


def repeat_rows(found: LabelAgreement, axis: Axis) -> list[Json]:
    """Return how often a hidden repeat got the first answer again."""
    return [{"name": question_name(q.question), **_rated(q.repeats, axis)} for q in found.questions]


def confidence_rows(found: LabelAgreement, axis: Axis) -> list[Json]:
    """Return agreement by confidence, on the most detailed question."""
    words = {1: "1, a guess", 2: "2", 3: "3", 4: "4", 5: "5, certain"}
    return [
        {"name": words[each.confidence], **_rated(each.agreed, axis)}
        for each in found.questions[-1].confidence
        if each.agreed.of
    ]


def worker_rows(found: LabelAgreement) -> list[Json]:
    """Return what each person did, and how often passes were overruled on each question."""
    overruled = {
        (question.question, each.worker): each.overruled for question in found.questions for each in question.overruled
    }
    return [
        {
            "figures": worker,
            "median": "–" if worker.median_seconds is None else f"{worker.median_seconds:.0f} s",
            "overruled": [
                _overruled(overruled.get((question.question, worker.worker))) for question in found.questions
            ],
        }
        for worker in found.workers
    ]


def flow(found: LabelAgreement) -> list[Json]:
    """Return the stations of the layers: what each asked for and got."""
    layers = found.layers
    agreed = layers.complete - layers.disagreements
    return [
        _station("Passes", layers.passes, layers.passes_due, f"{layers.items} items, {found.passes} independent each"),
        _station("Disagreements", layers.disagreements, layers.complete, f"{agreed} items agree and are settled"),
        _station("Blind reviews", layers.reviews, layers.disagreements, "by somebody who did not pass the item"),
        _station("Adjudications", layers.adjudications, layers.disagreements, "with all answers shown"),
        _station("Settled labels", layers.settled, layers.items, f"{layers.open} items are open"),
    ]


def sided_rows(sided: Sided) -> list[tuple[str, int]]:
    """Return with whom the adjudications sided; nothing where there were none."""
    rows = [
        ("a pass and the review", sided.pass_and_review),
        ("a pass, not the review", sided.pass_only),
        ("the review against all passes", sided.review_only),
        ("nobody: another label", sided.nobody),
    ]
    return rows if any(n for _, n in rows) else []


def gold_rows(found: LabelAgreement, axis: Axis) -> Json | None:
    """Return settled labels against gold: shares, and the cells that differ, the most frequent first."""
    if found.gold is None:
        return None
    rows = [
        {"name": question_name(each.question), **_plotted(each.percent, axis, percent)} for each in found.gold.questions
    ]
    cells = [cell for cell in found.gold.questions[-1].cells if cell.gold != cell.settled]
    return {
        "name": found.gold.gold,
        "rows": rows,
        "cells": [
            (name_of(cell.gold), name_of(cell.settled), cell.items)
            for cell in sorted(cells, key=lambda cell: -cell.items)
        ],
        "differing": found.gold.differing,
    }


def text_rows(found: LabelAgreement) -> list[tuple[str, str, str, str, str]]:
    """Return the rows of a table in text: figure, value, interval, number, and why something is missing."""
    shown: list[tuple[str, Measured, Callable[[float], str]]] = []
    for question in found.questions:
        name = question_name(question.question)
        shown += [(f"{name}, percent", question.percent, percent), (f"{name}, α", question.alpha, written)]
        shown.append((f"{name}, hidden repeats, percent", _of_rate(question.repeats), percent))
    for question in found.questions:
        shown += [
            (f"{name_of(each.label)}, specific agreement", each.agreement, percent)
            for each in question.labels
            if each.agreement.value is not None
        ]
    if found.gold is not None:
        shown += [(f"{question_name(each.question)}, as gold", each.percent, percent) for each in found.gold.questions]
    return [
        (name, _shown(each, show)["value"], _ends(each, show), str(each.units), each.reason)
        for name, each, show in shown
    ]


def percent(share: float) -> str:
    """Return a share in percent, with a decimal."""
    return f"{100 * share:.1f}"


def _headline(question: QuestionAgreement, subject: str, passes: int) -> str:
    name, share, alpha = question_name(question.question).lower(), question.percent, question.alpha
    what = subject if share.units != 1 else subject.removesuffix("s")
    if share.value is None:
        return f"Nothing can be said of agreement on the {name} yet: {share.reason}."
    count = {2: "Two", 3: "Three", 4: "Four"}.get(passes, str(passes))
    ends = f" {_ends(share, percent)}" if share.low is not None else ""
    sentence = (
        f"{count} independent passes of {share.units} {what} agree on the {name} in {percent(share.value)} %{ends}"
    )
    if alpha.value is None:
        return f"{sentence}; α is undefined: {alpha.reason}."
    ends = f" {_ends(alpha, written)}" if alpha.low is not None else ""
    reaches = alpha.low is not None and is_below(alpha.low, RELIABLE) and not is_below(alpha.value, RELIABLE)
    though = ", though its interval reaches below .8" if reaches else ""
    return f"{sentence}; α = {written(alpha.value)}{ends}: {level(alpha.value)}{though}."


def _measures(found: LabelAgreement) -> Iterator[Measured]:
    for question in found.questions:
        yield question.percent
        yield question.alpha
        for pair in question.annotators:
            yield pair.alpha


def _plotted(measured: Measured, axis: Axis, show: Callable[[float], str]) -> Json:
    """Return the places of a measure and its ends on an axis, and its text."""
    return {
        "at": None if measured.value is None else axis.place(measured.value),
        "low": None if measured.low is None else axis.place(measured.low),
        "high": None if measured.high is None else axis.place(measured.high),
        "text": _shown(measured, show),
        "units": measured.units,
        "reason": measured.reason,
        "what": "",
    }


def _rated(rate: Rate, axis: Axis) -> Json:
    return {**_plotted(_of_rate(rate), axis, percent), "hits": rate.hits}


def _of_rate(rate: Rate) -> Measured:
    return Measured(value=rate.share, low=rate.low, high=rate.high, units=rate.of)


def _shown(measured: Measured, show: Callable[[float], str]) -> Json:
    if measured.value is None:
        return {"value": "–", "ends": ""}
    return {"value": show(measured.value), "ends": _ends(measured, show)}


def _ends(measured: Measured, show: Callable[[float], str]) -> str:
    if measured.low is None or measured.high is None:
        return ""
    return f"[{show(measured.low)}, {show(measured.high)}]"


def _answers(label: str, pairs: dict[tuple[str, str], int]) -> int:
    return sum((a == label) * n + (b == label) * n for (a, b), n in pairs.items())


def _overruled(rate: Rate | None) -> str:
    return "–" if rate is None or rate.share is None else f"{percent(rate.share)} % of {rate.of}"


def _station(name: str, got: int, of: int, note: str) -> Json:
    return {"name": name, "got": got, "of": of, "note": note, "share": f"{100 * got / of if of else 0:.2f}%"}


def _tick(value: float) -> str:
    return f"{value:g}"
