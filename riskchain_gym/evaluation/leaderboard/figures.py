"""The figures of a board, as SVG: the same bytes for the same board, with text that can be read and searched."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from riskchain_gym.evaluation.leaderboard.board import Board, Control, Entry, Figure, Section
from riskchain_gym.evaluation.leaderboard.main_tables import STAGES
from riskchain_gym.evaluation.leaderboard.table_value import slug_of
from riskchain_gym.evaluation.table import COMPUTED, KIND_MARKS
from riskchain_gym.protocol.control_characters import show_controls
from riskchain_gym.protocol.errors import MissingExtraError
from riskchain_gym.scoring.figures import LOOKUPS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, SOFT, LINE = "ink", "soft", "line"
_LIGHT = {INK: "#1d2430", SOFT: "#566172", LINE: "#d5dbe3", "paper": "#ffffff"}
_DARK = {INK: "#e6eaf0", SOFT: "#9aa6b6", LINE: "#3a4351", "paper": "#1b212b"}
_COLOURS = (
    "#2f6fd6",
    "#d9730d",
    "#1f9d6b",
    "#b5479b",
    "#8a6d1a",
    "#c8453b",
    "#5a63c9",
    "#0e8fa8",
    "#7d7f85",
    "#9b5f35",
)
_STAGE_COLOURS = ("#1f9d6b", "#a9cf6f", "#e6b04a", "#8f9bab", "#c8453b")
_FONT = "DejaVu Sans"
_FONTS = f"'{_FONT}', 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', Arial, sans-serif"
_LONGEST = 32
_WEB, _GATED = "web_accuracy", "end_to_end_accuracy"
_NAMES = {_WEB: "Accʷ, web only", _GATED: "Accᵉ, gated"}


@dataclass(frozen=True)
class Drawn:
    """A figure.

    Attributes:
        name: Name of its file, without the ending.
        section: Name of the split that it is of.
        title: What it shows.
        caption: How it is read.
        light: The SVG, on white.
        dark: The same on a dark ground.
    """

    name: str
    section: str
    title: str
    caption: str
    light: bytes
    dark: bytes


def check_drawing() -> None:
    """Refuse to draw without what draws.

    Raises:
        MissingExtraError: Matplotlib is not installed.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtraError("report", "Drawing the figures of a leaderboard") from None


def draw(board: Board) -> tuple[Drawn, ...]:
    """Draw the figures of every split.

    Raises:
        MissingExtraError: Matplotlib is not installed.
    """
    check_drawing()
    return tuple(figure for section in board.sections for figure in _of_section(section))


def _of_section(section: Section) -> list[Drawn]:
    rows = [row for row in section.rows if _GATED in row.figures]
    agents = [row for row in rows if row.kind != "oracle"]
    costly = [entry for entry in section.entries if entry.spending.cost is not None and _GATED in entry.figures]
    found = [
        (
            "decisions",
            "Right decisions, web only and gated",
            "Points with 95 % intervals over websites; the way between the two is what wrong entries cost.",
            _height(len(rows)),
            lambda axes, colours: _dots(axes, rows, colours),
        ),
        (
            "first-failures",
            "First failures",
            "Where a case first went wrong, in percent of the chains.",
            _height(len(section.rows)),
            lambda axes, colours: _stacked(axes, section.rows, colours),
        ),
        (
            "order",
            "From web only to gated",
            "Lines that cross are agents that overtake each other because of the gate.",
            4.4,
            lambda axes, colours: _slopes(axes, agents, colours),
        ),
        (
            "gate-curve",
            "Gate curve",
            "Accᵉ of an agent that may look up its first k candidates; k = 1 is the benchmark's gate.",
            4.4,
            lambda axes, colours: _curves(axes, agents, colours),
        ),
    ]
    if not rows:
        found = found[1:2]
    if costly:
        found.append(
            (
                "cost",
                "Cost against Accᵉ",
                "US dollars that the answers of an episode cost once.",
                4.0,
                lambda axes, colours: _scatter(axes, costly, colours),
            )
        )
    return [
        Drawn(
            name=f"{slug_of(section.name)}-{name}",
            section=section.name,
            title=title,
            caption=caption,
            light=_svg(height, _LIGHT, plot),
            dark=_svg(height, _DARK, plot),
        )
        for name, title, caption, height, plot in found
    ]


def _height(rows: int) -> float:
    return 1.1 + 0.34 * rows


def _svg(height: float, colours: Mapping[str, str], plot: Callable[[Axes, Mapping[str, str]], None]) -> bytes:
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    style: Any = {
        "svg.hashsalt": "riskchain",
        "svg.fonttype": "none",
        "text.parse_math": False,
        "font.family": _FONT,
        "font.size": 9.5,
        "text.color": colours[INK],
        "axes.labelcolor": colours[SOFT],
        "axes.edgecolor": colours[LINE],
        "axes.facecolor": colours["paper"],
        "axes.spines.top": False,
        "axes.spines.right": False,
        "xtick.color": colours[SOFT],
        "ytick.color": colours[INK],
        "grid.color": colours[LINE],
        "grid.linewidth": 0.7,
        "axes.grid": True,
        "axes.grid.axis": "x",
        "axes.axisbelow": True,
        "legend.frameon": False,
        "figure.facecolor": colours["paper"],
    }
    out = io.BytesIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(style)
        # Measured with the one font that Matplotlib brings, so that bytes are the same anywhere. A name may hold
        # letters that it lacks; the fonts of the reader have them.
        warnings.filterwarnings("ignore", message=".*[Gg]lyph.*")
        canvas = Canvas(figsize=(7.6, height), layout="constrained")
        plot(canvas.add_subplot(), colours)
        canvas.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue().replace(f"'{_FONT}'".encode(), _FONTS.encode())


def _row_colours(rows: list[Entry | Control], colours: Mapping[str, str]) -> list[str]:
    """Return a colour for each agent in turn, and one without colour for all that are there to read others by."""
    agents = [row.name for row in rows if row.kind == "baseline"]
    return [
        _COLOURS[agents.index(row.name) % len(_COLOURS)] if row.kind == "baseline" else colours[SOFT] for row in rows
    ]


def _marked(row: Entry | Control) -> str:
    return _short(row.name) + KIND_MARKS[row.kind] + (COMPUTED if isinstance(row, Control) else "")


def _short(name: str) -> str:
    """Return a name that leaves room for the figure; tables have the whole one."""
    line = " ".join(show_controls(name).split())
    return line if len(line) <= _LONGEST else f"{line[:20]}…{line[-(_LONGEST - 21) :]}"


def _named(axes: Axes, rows: list[Entry | Control] | tuple[Entry | Control, ...]) -> None:
    axes.set_yticks(range(len(rows)), [_marked(row) for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(0, 100)
    axes.tick_params(axis="y", length=0)


def _dots(axes: Axes, rows: list[Entry | Control], colours: Mapping[str, str]) -> None:
    for i, row in enumerate(rows):
        web, gated = (row.figures[name].value * 100 for name in (_WEB, _GATED))
        axes.plot([web, gated], [i, i], color=colours[LINE], linewidth=3, zorder=1, solid_capstyle="round")
    for name, offset, face in ((_WEB, -0.13, colours["paper"]), (_GATED, 0.13, _COLOURS[0])):
        places = [i + offset for i in range(len(rows))]
        for place, row in zip(places, rows, strict=True):
            low, high = _ends(row.figures[name])
            axes.plot([low, high], [place, place], color=_COLOURS[0], linewidth=1.1, zorder=2)
        values = [row.figures[name].value * 100 for row in rows]
        axes.scatter(
            values,
            places,
            s=30,
            facecolor=face,
            edgecolor=_COLOURS[0],
            linewidth=1.3,
            zorder=3,
            label=_NAMES[name],
            clip_on=False,
        )
    _named(axes, rows)
    axes.set_xlabel("percent of chains")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)


def _ends(figure: Figure) -> tuple[float, float]:
    low = figure.value if figure.low is None else figure.low
    high = figure.value if figure.high is None else figure.high
    return low * 100, high * 100


def _stacked(axes: Axes, rows: tuple[Entry | Control, ...], colours: Mapping[str, str]) -> None:
    left = [0.0] * len(rows)
    for (stage, label), colour in zip(STAGES, _STAGE_COLOURS, strict=True):
        shares = [100 * row.first_failures.get(stage, 0.0) / _chains(row) for row in rows]
        axes.barh(range(len(rows)), shares, left=left, height=0.68, color=colour, label=label)
        for i, (share, start) in enumerate(zip(shares, left, strict=True)):
            if share >= 6:
                axes.text(start + share / 2, i, f"{share:.0f}", ha="center", va="center", fontsize=8, color="#10151d")
        left = [start + share for start, share in zip(left, shares, strict=True)]
    _named(axes, rows)
    axes.set_xlabel("percent of chains")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=5, fontsize=8.5, columnspacing=1.2, handlelength=1)
    axes.grid(visible=False)
    axes.spines["left"].set_color(colours["paper"])


def _chains(row: Entry | Control) -> float:
    return row.chains if isinstance(row, Entry) else sum(row.first_failures.values())


def _slopes(axes: Axes, rows: list[Entry | Control], colours: Mapping[str, str]) -> None:
    tints = _row_colours(rows, colours)
    for side, name, align in ((0, _WEB, "right"), (1, _GATED, "left")):
        values = [row.figures[name].value * 100 for row in rows]
        shown = [
            f"{_marked(row)}  {value:.1f}" if side == 0 else f"{value:.1f}  {_marked(row)}"
            for row, value in zip(rows, values, strict=True)
        ]
        for text, place, tint in zip(shown, _apart(values, 4.6), tints, strict=True):
            axes.text(side + (0.03 if side else -0.03), place, text, ha=align, va="center", color=tint, fontsize=8.5)
    for row, tint in zip(rows, tints, strict=True):
        ends = [row.figures[name].value * 100 for name in (_WEB, _GATED)]
        axes.plot(
            [0, 1], ends, color=tint, marker="o", markersize=4.5, linewidth=1.6 if row.kind == "baseline" else 1.0
        )
    axes.set_xlim(-0.75, 1.75)
    axes.set_ylim(-6, 106)
    axes.set_xticks([0, 1], [_NAMES[_WEB], _NAMES[_GATED]])
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(axis="x", length=0)


def _apart(values: list[float], gap: float) -> list[float]:
    """Return places for labels near values, no two nearer to each other than a gap, in the values' order."""
    order = sorted(range(len(values)), key=lambda i: (values[i], -i))
    groups: list[list[int]] = []
    for i in order:
        groups.append([i])
        while len(groups) > 1 and _start(groups[-1], values, gap) - _end(groups[-2], values, gap) < gap:
            last = groups.pop()
            groups[-1] += last
    places = [0.0] * len(values)
    for group in groups:
        for step, i in enumerate(group):
            places[i] = _start(group, values, gap) + step * gap
    return places


def _start(group: list[int], values: list[float], gap: float) -> float:
    return sum(values[i] for i in group) / len(group) - gap * (len(group) - 1) / 2


def _end(group: list[int], values: list[float], gap: float) -> float:
    return _start(group, values, gap) + gap * (len(group) - 1)


def _curves(axes: Axes, rows: list[Entry | Control], colours: Mapping[str, str]) -> None:
    known = [row for row in rows if f"end_to_end_at_{LOOKUPS[-1]}" in row.figures]
    tints = _row_colours(known, colours)
    last = []
    for row, tint in zip(known, tints, strict=True):
        values = [100 * row.figures[_GATED if k == 1 else f"end_to_end_at_{k}"].value for k in LOOKUPS]
        axes.plot(
            LOOKUPS, values, color=tint, marker="o", markersize=4, linewidth=1.6 if row.kind == "baseline" else 1.0
        )
        last.append(values[-1])
    for row, place, tint in zip(known, _apart(last, 4.6), tints, strict=True):
        axes.text(LOOKUPS[-1] + 0.1, place, _marked(row), va="center", color=tint, fontsize=8.5)
    axes.set_xlim(0.8, LOOKUPS[-1] + 2.2)
    axes.set_xticks(LOOKUPS)
    axes.set_ylim(-6, 106)
    axes.set_xlabel("candidates looked up, k")
    axes.set_ylabel("Accᵉ, percent")
    axes.grid(visible=True, axis="y")


def _scatter(axes: Axes, rows: list[Entry], colours: Mapping[str, str]) -> None:
    tints = _row_colours(list(rows), colours)
    for row, tint in zip(rows, tints, strict=True):
        low, high = _ends(row.figures[_GATED])
        cost, value = row.spending.cost or 0.0, row.figures[_GATED].value * 100
        axes.plot([cost, cost], [low, high], color=tint, linewidth=1.1)
        axes.scatter([cost], [value], s=34, color=tint)
        axes.annotate(_marked(row), (cost, value), xytext=(7, 4), textcoords="offset points", color=tint, fontsize=8.5)
    axes.set_xscale("symlog", linthresh=1e-4)
    axes.set_xlim(left=0)
    axes.set_ylim(-4, 104)
    axes.margins(x=0.25)
    axes.set_xlabel("US dollars an episode")
    axes.set_ylabel("Accᵉ, percent")
    axes.grid(visible=True, axis="both")
