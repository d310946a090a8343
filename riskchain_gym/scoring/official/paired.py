"""The published paired rows: one website, one model, its web report and its gate (protocol E, ``paired_row``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from riskchain_gym.protocol.codebook import PSEUDO_TYPES, Decision, ViolationType
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.scoring.decision_figures import DecisionColumns
from riskchain_gym.scoring.official.handoff import BOTTOM, apply_gate
from riskchain_gym.scoring.official.rows import OfficialRowError, named, parse, shown

GoldDecision = Literal["VIOLATION", "NON_VIOLATION", "INSUFFICIENT_EVIDENCE"]
ReportedDecision = Literal["VIOLATION", "NON_VIOLATION", "INSUFFICIENT_EVIDENCE", "__BOTTOM__"]
Text = Annotated[str, Field(min_length=1)]
Label = tuple[str, str]

_PSEUDO = frozenset(PSEUDO_TYPES.values())


class PairedRow(Frozen):
    """A paired row, as far as scoring needs it; other fields are passed over.

    It has ``model``, ``display_model`` or both. What ``gated_pred_decision`` and ``gated_pred_type`` must say follows
    from the gate and the web report.
    """

    model_config = ConfigDict(extra="ignore", strict=True)

    ordinal: Annotated[int, Field(ge=0)]
    model: Text | None = None
    display_model: Text | None = None
    task2_case_ref: Text | None = None
    gold_decision: GoldDecision
    gold_type: Text
    web_pred_decision: ReportedDecision
    web_pred_type: Text
    gate_pass: bool
    gated_pred_decision: ReportedDecision | None = None
    gated_pred_type: Text | None = None


@dataclass(frozen=True, slots=True)
class PairedCase:
    """A website of one model: gold, web report and gate."""

    row: int
    ref: str | None
    gold: Label
    web: Label
    gate: bool


@dataclass(frozen=True, slots=True)
class PairedTable:
    """The paired rows by model, sorted by display name, each model's cases sorted by ordinal.

    Attributes:
        models: Display name to cases by ordinal.
        normalised_rows: Rows in which INSUFFICIENT_EVIDENCE came with NONE, read as UNKNOWN.
    """

    models: dict[str, dict[int, PairedCase]]
    normalised_rows: int

    @property
    def gold(self) -> list[Label]:
        """Decision and type of each website, the same for every model."""
        return [case.gold for case in next(iter(self.models.values())).values()]

    def columns(self, name: str) -> DecisionColumns:
        """Return a model's cases as columns."""
        cases = self.models[name].values()
        return DecisionColumns.of(
            [case.gold for case in cases],
            [(_or_none(case.web[0]), _or_none(case.web[1])) for case in cases],
            [case.gate for case in cases],
        )


def read_paired(rows: Iterable[object]) -> PairedTable:
    """Return the paired rows, checked against each other.

    Raises:
        OfficialRowError: There is no row, a row is wrong, an ordinal comes twice, gold differs between models, or a
            model lacks a website that another has.
    """
    models: dict[str, dict[int, PairedCase]] = {}
    model_of: dict[str, str] = {}
    name_of: dict[str, str] = {}
    normalised = 0
    for number, raw in enumerate(rows, start=1):
        row = parse("paired", number, raw, PairedRow)
        name = _name(row, number, model_of, name_of)
        case, changed = _case(row, number)
        normalised += changed
        cases = models.setdefault(name, {})
        if row.ordinal in cases:
            problem = (
                f"duplicate website ordinal {row.ordinal} of {named(name)}, also in row {cases[row.ordinal].row}: "
                "drop one"
            )
            raise OfficialRowError("paired", number, "ordinal", problem)
        cases[row.ordinal] = case
    if not models:
        raise OfficialRowError("paired", 0, "", "there is none, give one object a website and model")
    table = {name: dict(sorted(models[name].items())) for name in sorted(models)}
    _check_alike(table)
    return PairedTable(models=table, normalised_rows=normalised)


def _name(row: PairedRow, number: int, model_of: dict[str, str], name_of: dict[str, str]) -> str:
    name = row.display_model or row.model
    if name is None:
        raise OfficialRowError("paired", number, "model", "is missing, name the model that the row is of")
    model = row.model or name
    if (known := model_of.setdefault(name, model)) != model:
        problem = (
            f"is {shown(model)} beside display_model {shown(name)}, which stood for {shown(known)}: models are mixed up"
        )
        raise OfficialRowError("paired", number, "model", problem)
    if (known := name_of.setdefault(model, name)) != name:
        problem = (
            f"is {shown(name)} beside model {shown(model)}, which had another display name, {shown(known)}: "
            "models are mixed up"
        )
        raise OfficialRowError("paired", number, "display_model", problem)
    return name


def _case(row: PairedRow, number: int) -> tuple[PairedCase, bool]:
    given = (row.gold_decision, row.gold_type), (row.web_pred_decision, row.web_pred_type)
    gold, web = map(_normal, given)
    _check_gold(gold, number)
    left = apply_gate(row.gate_pass, *web)
    claimed = row.gated_pred_decision or left[0], row.gated_pred_type or left[1]
    if _normal(claimed) != left:
        field = "gated_pred_decision" if claimed[0] != left[0] else "gated_pred_type"
        problem = (
            f"with gate_pass {str(row.gate_pass).lower()} and the web report {_joined(web)} the gate leaves "
            f"{_joined(left)}, got {_joined(claimed)}"
        )
        raise OfficialRowError("paired", number, field, problem)
    case = PairedCase(row=number, ref=row.task2_case_ref, gold=gold, web=web, gate=row.gate_pass)
    return case, (gold, web) != given


def _normal(label: Label) -> Label:
    if label == (Decision.INSUFFICIENT_EVIDENCE, ViolationType.NONE):
        return label[0], str(ViolationType.UNKNOWN)
    return label


def _check_gold(gold: Label, number: int) -> None:
    decision, kind = gold
    expected = PSEUDO_TYPES.get(Decision(decision))
    if expected is not None and kind != expected:
        problem = f"must be {expected} beside gold_decision {decision}, got {shown(kind)}"
        raise OfficialRowError("paired", number, "gold_type", problem)
    if expected is None and (kind in _PSEUDO or kind == BOTTOM):
        problem = f"must be a concrete type of violation, got {shown(kind)}"
        raise OfficialRowError("paired", number, "gold_type", problem)


def _check_alike(table: dict[str, dict[int, PairedCase]]) -> None:
    (first, reference), *others = table.items()
    for name, cases in others:
        if odd := sorted(cases.keys() ^ reference.keys()):
            lacking, having = (name, reference) if odd[0] in reference else (first, cases)
            problem = f"website {odd[0]} has no row of {named(lacking)}: every model needs the same websites"
            raise OfficialRowError("paired", having[odd[0]].row, "ordinal", problem)
        for ordinal, case in cases.items():
            for field, mine, theirs in _differences(case, reference[ordinal]):
                problem = (
                    f"alignment mismatch at website {ordinal}: {shown(mine)} of {named(name)}, but {shown(theirs)} of "
                    f"{named(first)} in row {reference[ordinal].row}"
                )
                raise OfficialRowError("paired", case.row, field, problem)


def _differences(case: PairedCase, other: PairedCase) -> Iterator[tuple[str, str | None, str | None]]:
    fields = (
        ("gold_decision", case.gold[0], other.gold[0]),
        ("gold_type", case.gold[1], other.gold[1]),
        ("task2_case_ref", case.ref, other.ref),
    )
    return (field for field in fields if field[1] != field[2])


def _joined(label: Label) -> str:
    return "/".join(map(named, label))


def _or_none(name: str) -> str | None:
    return None if name == BOTTOM else name
