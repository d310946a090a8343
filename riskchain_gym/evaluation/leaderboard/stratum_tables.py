"""Tables of strata, like heat maps: decisions by what chains are, restoration by how messages were disguised."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from riskchain_gym.evaluation.columns import percent
from riskchain_gym.evaluation.leaderboard.board import Entry, Section, StratumFigures
from riskchain_gym.evaluation.leaderboard.table_value import Cell, Heading, Line, Table, slug_of
from riskchain_gym.evaluation.strata import in_order
from riskchain_gym.evaluation.table import KIND_MARKS

_TITLES = {
    "recipe": "By recipe of the disguise",
    "severity": "By severity of the disguise",
    "variant": "By variant",
    "platform": "By platform",
    "decision": "By decision",
    "type": "By violation type",
    "depth": "By depth of the evidence",
    "gate": "By gate of the site",
    "track": "By track",
    "difficulty": "By difficulty",
    "language": "By language of the site",
}


def stratum_tables(section: Section) -> tuple[Table, ...]:
    """Return one table a dimension, decisions first, then restoration; those of a single stratum are left out."""
    decided = [
        _table(section, dimension, _decided, ("end_to_end_accuracy", "Acc^e"), ("web_accuracy", "Acc^w"))
        for dimension in _dimensions(section, _decided)
    ]
    restored = [
        _table(section, dimension, _restored, ("entry_top1", "Entry Top-1"), ("message_exact", "messages exact"))
        for dimension in _dimensions(section, _restored)
    ]
    return tuple(table for table in (*decided, *restored) if len(table.lines) > 1)


Strata = Mapping[str, Mapping[str, StratumFigures]]


def _decided(entry: Entry) -> Strata:
    return entry.strata


def _restored(entry: Entry) -> Strata:
    return entry.restored_strata


def _dimensions(section: Section, of: Callable[[Entry], Strata]) -> list[str]:
    found = {dimension for entry in section.entries for dimension in of(entry)}
    return [dimension for dimension in _TITLES if dimension in found]


def _table(
    section: Section, dimension: str, of: Callable[[Entry], Strata], shown: tuple[str, str], below: tuple[str, str]
) -> Table:
    rows = [(entry, of(entry)[dimension]) for entry in section.entries if of(entry).get(dimension)]
    names = in_order(list(dict.fromkeys(name for _, strata in rows for name in strata)))
    sizes = {name: max(strata[name].chains for _, strata in rows if name in strata) for name in names}
    part, what, slug = (
        ("Restoration", "messages", "restoration-by") if of is _restored else ("Decisions", "chains", "by")
    )
    title = _TITLES[dimension]
    size = Heading("size", what.capitalize(), f"How many {what} there are.", neutral=True)
    return Table(
        slug=f"{slug_of(section.name)}-{slug}-{dimension}",
        title=f"{part}: {title[0].lower()}{title[1:]}",
        caption=f"{shown[1]} in percent, below it {below[1]}. Strata of few {what} say little.",
        first=dimension.capitalize(),
        headings=(size, *(_heading(entry) for entry, _ in rows)),
        lines=tuple(
            Line(
                _readable(name),
                (
                    Cell(str(sizes[name]), sizes[name]),
                    *(_cell(strata.get(name), shown[0], below[0]) for _, strata in rows),
                ),
                "stratum",
            )
            for name in names
        ),
    )


def _heading(entry: Entry) -> Heading:
    return Heading(slug_of(entry.name), entry.name + KIND_MARKS.get(entry.kind, ""))


def _cell(stratum: StratumFigures | None, shown: str, below: str) -> Cell:
    figures = stratum.figures if stratum is not None else {}
    figure, under = figures.get(shown), figures.get(below)
    small = "" if under is None else percent(under.value)
    if figure is None:
        return Cell(below=small)
    return Cell(percent(figure.value), figure.value, figure.low, figure.high, small, shade=figure.value)


def _readable(name: str) -> str:
    return name.replace("_", " ").lower() if name.isupper() else name.replace("_", " ")
