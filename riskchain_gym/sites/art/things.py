"""Pictures of things: goods, parcels, books, devices, documents and food."""

from __future__ import annotations

from riskchain_gym.sites.art.canvas import Canvas


def goods(c: Canvas) -> None:
    """Draw an everyday object."""
    c.backdrop()
    c.rng.choice((_mug, _lamp, _bag, _bottle, _plant, _chair, _headphones, _box))(c)


def _mug(c: Canvas) -> None:
    c.stroke("M102 58 q22 0 22 18 q0 16 -24 16", "s1", 7)
    c.path("M52 46 h52 v40 q0 16 -16 16 h-20 q-16 0 -16 -16 z", "a1")
    c.path("M52 46 h14 v56 q-14 -1 -14 -16 z", "a2")
    c.ellipse(78, 46, 26, 6, "a3")
    c.stroke("M68 34 q-5 -7 0 -13 M82 34 q-5 -7 0 -13", "s4", 3)


def _lamp(c: Canvas) -> None:
    c.rect(76, 56, 7, 42, "ink")
    c.ellipse(80, 100, 25, 5, "ink")
    c.path("M62 24 h36 l16 36 h-68 z", "a1")
    c.path("M62 24 h14 l-8 36 h-22 z", "a2")
    c.path("M50 60 h60 l14 38 h-88 z", "glow")


def _bag(c: Canvas) -> None:
    c.stroke("M62 50 v-10 q0 -18 18 -18 q18 0 18 18 v10", "s2", 5)
    c.path("M46 48 h68 l6 46 q1 9 -9 9 h-62 q-10 0 -9 -9 z", "a1")
    c.path("M46 48 h20 l-3 55 h-14 q-10 0 -9 -9 z", "a2")
    c.rect(71, 66, 20, 12, "b1", 3)


def _bottle(c: Canvas) -> None:
    c.rect(71, 18, 18, 12, "ink", 3)
    c.path("M72 30 h16 v10 q14 6 14 22 v32 q0 9 -9 9 h-26 q-9 0 -9 -9 v-32 q0 -16 14 -22 z", "a1")
    c.rect(58, 64, 44, 24, "paper", 2)
    c.rect(64, 70, 24, 3, "a2", 1)
    c.rect(64, 77, 32, 3, "a4", 1)


def _plant(c: Canvas) -> None:
    for d in ("M80 72 q-34 -6 -32 -42 q28 6 32 42", "M80 72 q34 -10 30 -46 q-28 10 -30 46"):
        c.path(d, "a2")
    c.path("M80 74 q-10 -34 2 -58 q14 26 -2 58", "a1")
    c.path("M58 70 h44 l-6 32 h-32 z", "b1")
    c.rect(55, 66, 50, 9, "b2", 3)


def _chair(c: Canvas) -> None:
    c.stroke("M58 78 l-6 25 M102 78 l6 25 M66 78 v18 M94 78 v18", "sk", 4)
    c.path("M58 24 h44 q6 0 6 6 l-4 34 h-48 l-4 -34 q0 -6 6 -6 z", "a2")
    c.rect(50, 62, 60, 17, "a1", 6)


def _headphones(c: Canvas) -> None:
    c.stroke("M46 78 v-14 q0 -34 34 -34 q34 0 34 34 v14", "s2", 7)
    for x in (38, 104):
        c.rect(x, 66, 18, 34, "a1", 8)
        c.rect(x + 3, 71, 5, 22, "a3", 2)


def _box(c: Canvas) -> None:
    c.path("M80 26 l38 18 v40 l-38 20 l-38 -20 v-40 z", "a2")
    c.path("M80 64 l38 -20 v40 l-38 20 z", "a1")
    c.path("M80 26 l38 18 l-38 20 l-38 -20 z", "a3")
    c.path("M61 35 l38 19 v12 l-10 5 v-12 l-38 -19 z", "b1")


def parcel(c: Canvas) -> None:
    """Draw a parcel, or a van that carries some."""
    c.backdrop()
    if c.rng.chance(0.5):
        c.rect(44, 44, 72, 58, "b1", 4)
        c.rect(44, 44, 72, 14, "b2", 4)
        c.rect(72, 44, 16, 58, "paper")
        c.rect(94, 80, 16, 14, "paper", 2)
        c.rect(97, 84, 10, 2.5, "ink", 1)
        return
    c.rect(28, 44, 66, 46, "a1", 5)
    c.path("M94 56 h22 l16 18 v16 h-38 z", "a2")
    c.path("M100 62 h13 l10 13 h-23 z", "paper")
    c.rect(36, 56, 32, 5, "a4", 2)
    for x in (50, 112):
        c.circle(x, 92, 10, "ink")
        c.circle(x, 92, 4, "paper")


def book(c: Canvas) -> None:
    """Draw an open book, or books that stand in a row."""
    c.backdrop()
    if c.rng.chance(0.5):
        c.path("M80 42 q-22 -14 -46 -6 v54 q24 -8 46 6 z", "paper")
        c.path("M80 42 q22 -14 46 -6 v54 q-24 -8 -46 6 z", "a4")
        for y in (50, 60, 70):
            c.stroke(f"M44 {y} q14 -4 28 4", "s3", 2.5)
            c.stroke(f"M116 {y} q-14 -4 -28 4", "s1", 2.5)
        return
    x = 40.0
    for fill in ("a1", "b1", "a3", "a2", "b2"):
        width, height = c.rng.integer(12, 19), c.rng.integer(48, 70)
        c.rect(x, 103 - height, width, height, fill, 2)
        c.rect(x + 3, 110 - height, width - 6, 3, "paper", 1)
        x += width + 1


def device(c: Canvas) -> None:
    """Draw a telephone, or a laptop."""
    c.backdrop()
    if c.rng.chance(0.5):
        c.rect(56, 16, 48, 88, "ink", 9)
        c.rect(60, 22, 40, 76, "paper", 5)
        c.rect(60, 22, 40, 26, "a1", 5)
        for y in (54, 66, 78):
            c.circle(68, y + 4, 4, "a3")
            c.rect(76, y + 2, c.rng.integer(12, 20), 4, "a4", 2)
        return
    c.rect(38, 30, 84, 58, "ink", 5)
    c.rect(42, 34, 76, 50, "paper", 2)
    c.rect(42, 34, 76, 10, "a1", 2)
    for i in range(4):
        height = c.rng.integer(8, 30)
        c.rect(52 + i * 15, 80 - height, 9, height, "a3" if i % 2 else "b1", 1)
    c.path("M26 90 h108 l-6 9 q-2 3 -6 3 h-84 q-4 0 -6 -3 z", "a2")


def document(c: Canvas) -> None:
    """Draw sheets of paper with lines."""
    c.backdrop()
    c.path("M58 22 h46 v74 h-46 z", "a3")
    c.path("M50 28 h38 l16 16 v58 h-54 z", "paper")
    c.path("M88 28 l16 16 h-16 z", "a4")
    for i in range(5):
        c.rect(58, 52 + i * 9, c.rng.integer(20, 38), 3.5, "a2" if i == 0 else "line2", 1.5)
    if c.rng.chance(0.5):
        c.circle(98, 92, 13, "b1")
        c.stroke("M92 92 l5 5 l8 -10", "sp", 3.5)


def food(c: Canvas) -> None:
    """Draw a bowl, or fruit."""
    c.backdrop()
    if c.rng.chance(0.5):
        c.path("M40 58 h80 q0 42 -40 42 q-40 0 -40 -42 z", "a1")
        c.ellipse(80, 58, 40, 10, "paper")
        for x, y, fill in ((66, 56, "b1"), (82, 60, "a3"), (96, 55, "b2")):
            c.circle(x, y, 8, fill)
        c.stroke("M92 52 l30 -34 M99 54 l32 -32", "sk", 3)
        return
    c.circle(66, 74, 27, "b1")
    c.circle(98, 78, 22, "a1")
    c.path("M66 48 q2 -16 18 -18 q-2 16 -18 18", "a2")
    c.stroke("M66 50 q0 -8 -6 -12 M98 57 q1 -8 6 -11", "sk", 3)
