"""The board as one page: no server, no network, a strict policy of what may run in it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from riskchain_gym.evaluation.leaderboard.board import Board
from riskchain_gym.evaluation.leaderboard.board_tables import (
    PUBLISHED,
    overview_table,
    published_tables,
    section_tables,
)
from riskchain_gym.evaluation.leaderboard.figures import Drawn
from riskchain_gym.evaluation.leaderboard.table_value import Line, slug_of
from riskchain_gym.evaluation.leaderboard.words import CONTROLS, scripts, status_of
from riskchain_gym.evaluation.table import COMPUTED, KIND_MARKS

_TAGS = {"": "{}", "^": "<sup>{}</sup>", "_": "<sub>{}</sub>"}
_SHADES = 10


def page_of(board: Board, figures: Sequence[Drawn]) -> str:
    """Return the page of a board.

    Args:
        board: The board.
        figures: What was drawn for it; each is in the page, in its light and its dark form.
    """
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(sha256=_csp_hash, indexed=_indexed, marks=_marks, shade=_shade, uri=_uri)
    source = environment.loader
    assert source is not None
    style, script = (source.get_source(environment, name)[0] for name in ("board.css", "board.js"))
    return environment.get_template("board.html.j2").render(
        style=style,
        script=script,
        board=board,
        controls=CONTROLS,
        overview=overview_table(board),
        sections=[_section(board, i, figures) for i in range(len(board.sections))],
        published=published_tables(board.published) if board.published else [],
        published_mark=PUBLISHED,
    )


def _section(board: Board, index: int, figures: Sequence[Drawn]) -> dict[str, Any]:
    section = board.sections[index]
    prefix = f"{slug_of(section.name)}-"
    tables = {table.slug.removeprefix(prefix): table for table in section_tables(board, section)}
    strata = {name: table for name, table in tables.items() if "by-" in name}
    return {
        "id": slug_of(section.name),
        "name": section.name,
        "sealed": section.sealed,
        "status": status_of(section),
        "main": [table for name, table in tables.items() if name not in strata],
        "strata": list(strata.values()),
        "figures": {f.name.removeprefix(prefix): f for f in figures if f.section == section.name},
        "prefix": prefix,
    }


def _marks(line: Line) -> str:
    return KIND_MARKS.get(line.kind, "") + (COMPUTED if line.computed else "")


def _shade(value: float) -> int:
    """Return a step of the heat map's scale: the page's policy allows no colour of its own in a cell."""
    return min(_SHADES, max(0, round(value * _SHADES)))


def _indexed(text: str) -> Markup:
    """Return a text with the indices of figures raised and lowered."""
    return Markup("").join(Markup(_TAGS[mark]).format(part) for mark, part in scripts(text))  # noqa: S704 - constants


def _csp_hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _uri(svg: bytes) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg).decode()
