"""Pictures of people and places: person, scene and map."""

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
    match c.rng.below(5):
        case 0:
            c.path("M58 56 q-4 -36 22 -36 q26 0 22 36 q-2 -18 -14 -20 q-22 2 -30 20", hair)
        case 1:
            c.circle(80, 20, 10, hair)
            c.path("M57 58 q-4 -36 23 -36 q27 0 23 36 q-5 -16 -23 -18 q-18 2 -23 18", hair)
        case 2:
            c.path("M58 46 q0 -24 22 -24 q22 0 22 24 z", "b1")
            c.path("M56 44 h54 q8 0 8 5 h-62 z", "b2")
        case 3:
            c.path("M56 70 q-10 -50 24 -50 q34 0 24 50 q-6 -4 -5 -22 q-26 2 -34 -10 q-4 10 -5 14 q2 12 -4 18", hair)
        case _:
            c.path("M56 88 q-6 -68 24 -68 q30 0 24 68 q-10 -6 -4 -38 q-10 -4 -16 -12 q-10 10 -22 12 q6 32 -6 38", hair)
    if c.rng.chance(0.3):
        c.stroke("M64 56 a6 6 0 1 0 12 0 a6 6 0 1 0 -12 0 M84 56 a6 6 0 1 0 12 0 a6 6 0 1 0 -12 0 M76 56 h8", "sk", 2)
    if c.rng.chance(0.4):
        c.path("M66 84 l14 12 l14 -12 l6 8 l-20 20 l-20 -20 z", "paper")


def scene(c: Canvas) -> None:
    """Draw a landscape: hills with trees or houses, a bay with boats, a street of shops, a room, or a town by night."""
    c.rng.choice((_hills, _hills, _bay, _street, _room, _night))(c)


def _hills(c: Canvas) -> None:
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


def _bay(c: Canvas) -> None:
    c.rect(0, 0, WIDTH, HEIGHT, "a5")
    c.circle(c.rng.integer(30, 130), 44, 18, "b1")
    c.path(f"M0 70 l{c.rng.integer(30, 50)} -34 l34 34 z", "a3")
    c.path(f"M20 70 l{c.rng.integer(50, 76)} -24 l60 24 z", "a2")
    c.rect(0, 68, WIDTH, 52, "water")
    for y in (78, 90, 104):
        c.stroke(
            f"M{c.rng.integer(4, 40)} {y} q8 -5 16 0 q8 5 16 0 M{c.rng.integer(84, 120)} {y + 4} q8 -5 16 0", "sp", 2
        )
    for x, size in ((c.rng.integer(28, 60), 1.0), (c.rng.integer(92, 132), 0.7)):
        c.path(f"M{x} {92 - 34 * size:g} l{18 * size:g} {28 * size:g} h-{18 * size:g} z", "paper")
        c.path(f"M{x - 2} {92 - 26 * size:g} l-{12 * size:g} {20 * size:g} h{12 * size:g} z", "b1")
        c.path(f"M{x - 20 * size:g} 90 h{42 * size:g} l-{8 * size:g} 10 h-{26 * size:g} z", "b2")


def _street(c: Canvas) -> None:
    c.rect(0, 0, WIDTH, HEIGHT, "a6")
    c.rect(0, 106, WIDTH, 14, "a4")
    x = -c.rng.integer(0, 16)
    while x < WIDTH:
        width, top = c.rng.integer(38, 52), c.rng.integer(22, 44)
        c.rect(x, top, width, 84, c.rng.choice(("a3", "a2", "b3", "a4")), 2)
        for i in range(2):
            c.rect(x + 6 + i * (width - 22), top + 9, 10, 12, "paper", 1)
        awning = c.rng.choice(("b1", "a1", "b2"))
        c.rect(x + 3, 66, width - 6, 8, awning, 2)
        for i in range((width - 6) // 8):
            c.circle(x + 7 + i * 8, 74, 4, awning if i % 2 else "paper")
        c.rect(x + 6, 80, width - 24, 20, "paper", 1)
        c.rect(x + width - 15, 80, 10, 26, "ink", 1)
        x += width + 2


def _room(c: Canvas) -> None:
    c.rect(0, 0, WIDTH, HEIGHT, "a5")
    c.rect(0, 92, WIDTH, 28, "b3")
    c.rect(18, 16, 46, 48, "paper", 3)
    c.rect(21, 19, 40, 42, "water", 2)
    c.rect(40, 19, 2.5, 42, "paper")
    c.rect(21, 38, 40, 2.5, "paper")
    for i in range(3):
        c.rect(92 + i * 20, c.rng.integer(18, 26), 14, 18, c.rng.choice(("a1", "b1", "a3")), 2)
    c.rect(30, 72, 78, 26, "a2", 9)
    c.rect(24, 80, 14, 22, "a1", 6)
    c.rect(100, 80, 14, 22, "a1", 6)
    c.rect(46, 74, 20, 16, "b1", 4)
    c.rect(131, 52, 3, 50, "ink")
    c.path("M122 38 h21 l7 18 h-35 z", "b1")


def _night(c: Canvas) -> None:
    c.rect(0, 0, WIDTH, HEIGHT, "ink")
    for _ in range(14):
        c.circle(c.rng.integer(4, 156), c.rng.integer(4, 60), c.rng.choice((0.8, 1.2, 1.7)), "paper")
    moon = c.rng.integer(30, 126)
    c.circle(moon, 30, 13, "b1")
    c.circle(moon + 6, 26, 11, "ink")
    x = 2
    while x < WIDTH:
        width, height = c.rng.integer(14, 24), c.rng.integer(30, 66)
        c.rect(x, HEIGHT - height, width, height, c.rng.choice(("a1", "a2")), 1)
        for row in range(height // 11):
            for column in range(width // 8):
                if c.rng.chance(0.6):
                    c.rect(x + 3 + column * 8, HEIGHT - height + 5 + row * 11, 3.5, 5, "b1")
        x += width + 2


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
