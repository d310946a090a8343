"""Pictures of people, places, play and figures: person, scene, map, game, chart and logo."""

from __future__ import annotations

from riskchain_gym.sites.art.canvas import HEIGHT, WIDTH, Canvas


def person(c: Canvas) -> None:
    """Draw a neutral figure, head and shoulders."""
    c.backdrop()
    cloth = c.rng.choice(("a1", "b1", "a2"))
    hair = c.rng.choice(("ink", "a1", "b2"))
    c.path("M34 120 q2 -38 46 -38 q44 0 46 38 z", cloth)
    c.path("M68 72 h24 v14 q-12 12 -24 0 z", "skin2")
    c.ellipse(80, 54, 21, 25, "skin")
    if c.rng.chance(0.5):
        c.path("M58 56 q-4 -36 22 -36 q26 0 22 36 q-2 -18 -14 -20 q-22 2 -30 20", hair)
    else:
        c.path("M56 88 q-6 -68 24 -68 q30 0 24 68 q-10 -6 -4 -38 q-10 -4 -16 -12 q-10 10 -22 12 q6 32 -6 38", hair)


def scene(c: Canvas) -> None:
    """Draw a landscape: hills with a sun, or a row of houses."""
    c.rect(0, 0, WIDTH, HEIGHT, "a6")
    c.circle(c.rng.integer(30, 130), c.rng.integer(24, 42), 15, "b1")
    for _ in range(2):
        left, top = c.rng.integer(10, 120), c.rng.integer(14, 40)
        c.path(f"M{left} {top} q6 -10 14 -3 q10 -8 15 3 q8 0 8 6 h-42 q-2 -6 5 -6", "cloud")
    a, b, d = (c.rng.integer(58, 84) for _ in range(3))
    c.path(f"M0 {a} q30 -22 60 2 q34 24 100 -12 v78 h-160 z", "a4")
    c.path(f"M0 {b + 12} q40 -26 84 0 q36 18 76 -8 v60 h-160 z", "a3")
    if c.rng.chance(0.5):
        x = 6.0
        while x < WIDTH:
            width, height = c.rng.integer(16, 26), c.rng.integer(24, 52)
            c.rect(x, HEIGHT - height, width, height, c.rng.choice(("a1", "a2", "b2")), 2)
            for row in range(height // 14):
                c.rect(x + 4, HEIGHT - height + 6 + row * 13, 4, 5, "paper", 1)
                c.rect(x + width - 8, HEIGHT - height + 6 + row * 13, 4, 5, "paper", 1)
            x += width + 3
        return
    c.path(f"M0 {d + 28} q50 -20 90 0 q40 14 70 -4 v40 h-160 z", "a2")
    for _ in range(5):
        x, y = c.rng.integer(8, 150), c.rng.integer(88, 108)
        c.rect(x - 1.5, y, 3, 12, "ink", 1)
        c.path(f"M{x} {y - 22} l11 24 h-22 z", "a1")


def street_map(c: Canvas) -> None:
    """Draw a town map with a pin."""
    c.rect(0, 0, WIDTH, HEIGHT, "a6")
    c.path(f"M0 {c.rng.integer(60, 96)} q50 -26 80 4 q34 22 80 -8 v60 h-160 z", "water")
    for x in range(0, WIDTH, 40):
        for y in range(0, HEIGHT, 30):
            if c.rng.chance(0.75):
                c.rect(
                    x + 4, y + 4, c.rng.integer(18, 31), c.rng.integer(12, 21), c.rng.choice(("a5", "a4", "park")), 3
                )
    bend = c.rng.integer(30, 90)
    c.stroke(f"M0 {bend} q60 -10 90 14 q40 26 70 4", "sp", 8)
    c.stroke(f"M{bend} 0 q8 50 -6 120", "sp", 6)
    x, y = c.rng.integer(50, 110), c.rng.integer(46, 70)
    c.path(f"M{x} {y + 26} q-20 -22 -20 -34 a20 20 0 0 1 40 0 q0 12 -20 34 z", "b2")
    c.circle(x, y - 8, 8, "paper")


def game(c: Canvas) -> None:
    """Draw a controller, a puzzle of tiles, or stacked blocks."""
    c.backdrop()
    match c.rng.below(3):
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
    """Draw a line over bars."""
    c.rect(0, 0, WIDTH, HEIGHT, "a6")
    c.rect(20, 16, 120, 88, "paper", 8)
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
    match c.rng.below(6):
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
