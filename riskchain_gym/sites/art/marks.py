"""Pictures of play, figures and marks: game, chart and logo."""

from __future__ import annotations

import math

from riskchain_gym.sites.art.canvas import Canvas


def game(c: Canvas) -> None:
    """Draw a controller, a puzzle of tiles, a board with stones, two dice, or stacked blocks."""
    c.backdrop()
    match c.rng.below(5):
        case 2:
            c.rect(42, 24, 76, 76, "b3", 4)
            for i in range(5):
                c.rect(50 + i * 15 - 0.6, 32, 1.2, 60, "ink")
                c.rect(50, 32 + i * 15 - 0.6, 60, 1.2, "ink")
            for i in range(c.rng.integer(6, 10)):
                c.circle(50 + c.rng.below(5) * 15, 32 + c.rng.below(5) * 15, 6.5, "ink" if i % 2 else "paper")
        case 3:
            for x, y, fill in ((44, 50, "a1"), (86, 58, "b1")):
                c.rect(x, y, 40, 40, fill, 8)
                for dx, dy in c.rng.choice((((20, 20),), ((11, 11), (29, 29)), ((11, 11), (20, 20), (29, 29)))):
                    c.circle(x + dx, y + dy, 4.2, "paper")
        case 0:
            c.path(
                "M52 44 h56 q22 0 27 36 q3 24 -12 24 q-10 0 -21 -18 h-44 q-11 18 -21 18 q-15 0 -12 -24 q5 -36 27 -36 z",
                "a1",
            )
            c.rect(50, 60, 20, 6, "paper", 2)
            c.rect(57, 53, 6, 20, "paper", 2)
            for x, y in ((104, 54), (113, 63), (95, 63), (104, 72)):
                c.circle(x, y, 4.5, "b1")
        case 1:
            hole = c.rng.below(9)
            for i in range(9):
                if i != hole:
                    c.rect(44 + i % 3 * 25, 24 + i // 3 * 26, 22, 23, c.rng.choice(("a1", "a2", "a3", "b1")), 5)
        case _:
            for i, fill in enumerate(("a1", "b1", "a3", "a2")):
                c.rect(52 + i * 3.5 + c.rng.integer(-4, 4), 86 - i * 18, 56 - i * 7, 16, fill, 4)


def chart(c: Canvas) -> None:
    """Draw a line over bars, a ring of shares, level bars, or an area under a line."""
    c.ground("a6")
    c.circle(-70, c.rng.integer(20, 100), 42, "a5")
    c.circle(230, c.rng.integer(20, 100), 36, "b3")
    c.rect(20, 16, 120, 88, "paper", 8)
    c.rng.choice((_bars, _ring, _levels, _area))(c)


def _ring(c: Canvas) -> None:
    c.circle(62, 60, 31, "a3")
    start = 0.0
    for fill in ("a1", "b1", "b2"):
        end = start + c.rng.integer(10, 26) / 100 * math.tau
        x1, y1, x2, y2 = (
            f"{value:.4g}"
            for value in (
                62 + 31 * math.sin(start),
                60 - 31 * math.cos(start),
                62 + 31 * math.sin(end),
                60 - 31 * math.cos(end),
            )
        )
        c.path(f"M62 60 L{x1} {y1} A31 31 0 0 1 {x2} {y2} z", fill)
        start = end
    c.circle(62, 60, 17, "paper")
    for i, fill in enumerate(("a1", "b1", "b2", "a3")):
        c.circle(106, 40 + i * 13, 3.5, fill)
        c.rect(113, 38 + i * 13, c.rng.integer(10, 19), 4, "line2", 2)


def _levels(c: Canvas) -> None:
    for i in range(5):
        y = 27 + i * 15
        c.circle(33, y + 4, 4.5, "a4")
        c.rect(44, y, 84, 8, "a5", 4)
        c.rect(44, y, c.rng.integer(18, 78), 8, "b1" if i == 1 else "a2", 4)


def _area(c: Canvas) -> None:
    for y in (36, 56, 76):
        c.rect(30, y, 100, 1.5, "line2")
    points = [f"{30 + i * 20} {c.rng.integer(30, 78) - i * 2}" for i in range(6)]
    line = " L".join(points)
    c.path(f"M30 94 L{line} L130 94 z", "a4")
    c.stroke(f"M{line}", "s1", 3)
    at, height = points[4].split()
    c.circle(float(at), float(height), 5, "b2")


def _bars(c: Canvas) -> None:
    for y in (36, 56, 76):
        c.rect(30, y, 100, 1.5, "line2")
    points = []
    for i in range(6):
        height = c.rng.integer(14, 46) + i * 3
        c.rect(32 + i * 17, 94 - height, 10, height, "a4" if i % 2 else "a3", 2)
        points.append(f"{37 + i * 17} {86 - height + c.rng.integer(-8, 6)}")
    c.stroke("M" + " L".join(points), "s2b", 3)


def logo(c: Canvas) -> None:
    """Draw a mark of simple shapes."""
    c.rect(20, 0, 120, 120, "a1", c.rng.choice((12, 28, 60)))
    match c.rng.below(10):
        case 6:
            c.path("M80 24 q36 4 36 36 q0 30 -36 36 q-36 -6 -36 -36 q0 -32 36 -36 z", "a3")
            c.path("M80 34 v52 q-26 -4 -26 -26 q0 -24 26 -26 z", "paper")
        case 7:
            for i in range(4):
                c.rect(48 + i % 2 * 34, 28 + i // 2 * 34, 30, 30, "paper" if i in (0, 3) else "a4", 30 if i == 1 else 6)
        case 8:
            c.path("M44 84 q36 -70 72 -56 q-2 54 -72 56 z", "paper")
            c.stroke("M50 82 q26 -14 50 -42", "s2", 5)
        case 9:
            c.circle(80, 60, 34, "paper")
            c.circle(80, 60, 22, "a2")
            c.circle(80, 60, 10, "b1")
        case 0:
            c.circle(66, 60, 26, "paper")
            c.circle(94, 60, 26, "a4")
        case 1:
            c.path("M80 22 l36 66 h-72 z", "paper")
            c.path("M80 54 l18 34 h-36 z", "a3")
        case 2:
            c.path("M48 78 q0 -46 32 -46 q32 0 32 46 z", "paper")
            c.rect(44, 78, 72, 12, "a4", 6)
        case 3:
            for i, fill in enumerate(("paper", "a4", "paper")):
                c.rect(46 + i * 25, 38 + i % 2 * 12, 18, 46, fill, 9)
        case 4:
            c.stroke("M48 76 q16 -52 32 -16 q16 36 32 -16", "sp", 12)
        case _:
            c.path("M80 26 l12 26 l28 4 l-21 19 l6 28 l-25 -14 l-25 14 l6 -28 l-21 -19 l28 -4 z", "paper")
