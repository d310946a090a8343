"""Pictures of everyday objects."""

from __future__ import annotations

import math

from riskchain_gym.sites.art.canvas import Canvas


def goods(c: Canvas) -> None:
    """Draw an everyday object."""
    c.backdrop()
    c.rng.choice(_GOODS)(c)


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


def _camera(c: Canvas) -> None:
    c.rect(60, 34, 28, 14, "ink", 4)
    c.rect(36, 44, 88, 56, "a1", 9)
    c.rect(36, 54, 88, 10, "a2")
    c.circle(80, 74, 23, "paper")
    c.circle(80, 74, 17, "ink")
    c.circle(74, 68, 5, "a3")
    c.circle(112, 53, 4, "b1")


def _umbrella(c: Canvas) -> None:
    c.stroke("M80 56 v36 q0 10 9 10 q9 0 9 -9", "sk", 5)
    c.path("M30 62 q4 -40 50 -42 q46 2 50 42 q-12 -9 -25 0 q-12 -9 -25 0 q-12 -9 -25 0 q-13 -9 -25 0 z", "a1")
    c.path("M55 62 q2 -34 25 -42 q23 8 25 42 q-12 -9 -25 0 q-12 -9 -25 0 z", "b1")
    c.circle(80, 19, 3.5, "ink")


def _clock(c: Canvas) -> None:
    for x in (56, 104):
        c.circle(x, 34, 12, "b1")
        c.stroke(f"M{80 + (x - 80) * 0.8:g} 92 l{(x - 80) * 0.4:g} 11", "sk", 5)
    c.circle(80, 66, 36, "a1")
    c.circle(80, 66, 28, "paper")
    turn = c.rng.below(12) * math.pi / 6
    c.stroke(f"M80 66 L{80 + 12 * math.cos(turn):.3g} {66 + 12 * math.sin(turn):.3g} M80 66 v-20", "sk", 4)


def _backpack(c: Canvas) -> None:
    c.stroke("M68 30 q0 -14 12 -14 q12 0 12 14", "s2", 6)
    c.path("M48 58 q0 -32 32 -32 q32 0 32 32 v36 q0 9 -9 9 h-46 q-9 0 -9 -9 z", "a1")
    c.rect(56, 66, 48, 32, "a2", 7)
    c.rect(56, 66, 48, 10, "a3", 5)
    c.rect(74, 71, 12, 12, "b1", 3)


def _teapot(c: Canvas) -> None:
    c.stroke("M50 58 q-22 -2 -18 22 q4 14 20 14", "s2", 6)
    c.path("M104 84 q16 -4 20 -34 h10 q-2 44 -28 50 z", "a2")
    c.path("M48 66 q4 -20 32 -20 q28 0 32 20 q2 36 -20 36 h-24 q-22 0 -20 -36 z", "a1")
    c.ellipse(80, 47, 20, 5, "a3")
    c.circle(80, 38, 5, "b1")


def _shoe(c: Canvas) -> None:
    c.path("M34 60 q10 8 22 -4 l10 -12 l34 30 q26 4 28 20 h-94 z", "a1")
    c.path("M34 60 q6 6 14 4 v30 h-14 z", "b1")
    c.rect(32, 92, 98, 10, "paper", 5)
    c.stroke("M70 56 l9 -7 M79 64 l9 -7 M88 72 l9 -7", "sp", 3)


_GOODS = (
    *(_mug, _lamp, _bag, _bottle, _plant, _chair, _headphones, _box),
    *(_camera, _umbrella, _clock, _backpack, _teapot, _shoe),
)
