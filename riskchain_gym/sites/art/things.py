"""Pictures of things: parcels, books, devices, documents and food."""

from __future__ import annotations

from riskchain_gym.sites.art.canvas import Canvas


def parcel(c: Canvas) -> None:
    """Draw a parcel, a pile of them, or a van that carries some."""
    c.backdrop()
    kind = c.rng.below(3)
    if kind == 2:
        for x, y, w, h, fill in ((40, 66, 46, 38, "b1"), (88, 74, 36, 30, "a2"), (52, 34, 40, 32, "a1")):
            c.rect(x, y, w, h, fill, 3)
            c.rect(x + w / 2 - 4, y, 8, h, "paper")
            c.rect(x + 5, y + h - 10, 10, 6, "a5", 1)
        return
    if kind == 1:
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
    """Draw an open book, books in a row, or a pile of them with a cup."""
    c.backdrop()
    kind = c.rng.below(3)
    if kind == 2:
        for i, fill in enumerate(("a1", "b1", "a2", "a3")):
            left = 36 + c.rng.integer(-5, 7)
            c.rect(left, 90 - i * 14, 80 - i * 4, 13, fill, 3)
            c.rect(left + 66 - i * 4, 92 - i * 14, 12, 9, "paper", 1)
        c.path("M62 26 h26 v12 q0 9 -9 9 h-8 q-9 0 -9 -9 z", "b2")
        c.stroke("M88 30 q10 0 9 6 q-1 6 -10 6", "s2b", 3.5)
        return
    if kind == 1:
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
    """Draw a telephone, a laptop, or a screen with windows."""
    c.backdrop()
    kind = c.rng.below(3)
    if kind == 2:
        c.rect(72, 82, 16, 16, "a2")
        c.rect(54, 96, 52, 7, "a2", 3)
        c.rect(30, 20, 100, 64, "ink", 6)
        c.rect(35, 25, 90, 54, "a5", 3)
        c.rect(42, 32, 44, 30, "paper", 3)
        c.rect(42, 32, 44, 7, "a1", 3)
        c.rect(74, 46, 44, 28, "paper", 3)
        c.rect(74, 46, 44, 7, "b1", 3)
        for y in (58, 65):
            c.rect(80, y, c.rng.integer(14, 32), 3.5, "line2", 1)
        return
    if kind == 1:
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
    """Draw sheets of paper with lines, a clipboard, or a letter in its envelope."""
    c.backdrop()
    kind = c.rng.below(4)
    if kind == 3:
        c.path("M36 52 l44 -28 l44 28 v50 h-88 z", "a2")
        c.rect(48, 34, 64, 56, "paper", 3)
        for i in range(3):
            c.rect(56, 44 + i * 9, c.rng.integer(24, 46), 3.5, "a3" if i == 0 else "line2", 1.5)
        c.path("M36 54 l44 28 l44 -28 v44 q0 5 -5 5 h-78 q-5 0 -5 -5 z", "a1")
        return
    if kind == 2:
        c.rect(48, 24, 64, 79, "b2", 7)
        c.rect(54, 34, 52, 63, "paper", 2)
        c.rect(66, 17, 28, 15, "ink", 5)
        for i in range(4):
            c.circle(63, 46 + i * 13, 4, "a1" if c.rng.chance(0.6) else "line2")
            c.rect(72, 44 + i * 13, c.rng.integer(14, 28), 4, "a4", 2)
        return
    c.path("M58 22 h46 v74 h-46 z", "a3")
    c.path("M50 28 h38 l16 16 v58 h-54 z", "paper")
    c.path("M88 28 l16 16 h-16 z", "a4")
    for i in range(5):
        c.rect(58, 52 + i * 9, c.rng.integer(20, 38), 3.5, "a2" if i == 0 else "line2", 1.5)
    if c.rng.chance(0.5):
        c.circle(98, 92, 13, "b1")
        c.stroke("M92 92 l5 5 l8 -10", "sp", 3.5)


def food(c: Canvas) -> None:
    """Draw a bowl, fruit, a cake or a steamer."""
    c.backdrop()
    kind = c.rng.below(4)
    if kind == 3:
        c.path("M40 64 l74 -18 l8 20 v34 h-82 z", "b3")
        c.path("M40 64 l74 -18 l8 20 l-82 4 z", "b1")
        c.rect(40, 80, 82, 8, "a2")
        c.circle(92, 42, 8, "b2")
        c.stroke("M92 34 q2 -9 9 -11", "sk", 3)
        return
    if kind == 2:
        for y, fill in ((78, "b2"), (56, "b1")):
            c.rect(40, y, 80, 22, fill, 4)
            c.rect(40, y + 15, 80, 3, "paper")
        c.ellipse(80, 56, 40, 8, "b3")
        for x in (60, 80, 100):
            c.path(f"M{x - 11} 55 q1 -18 11 -19 q10 1 11 19 z", "paper")
            c.stroke(f"M{x} 38 q-4 5 -4 10 M{x} 38 q4 5 4 10", "s4", 1.5)
        return
    if kind == 1:
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
