"""A canvas: collects SVG shapes whose colours are classes of the site's style sheet."""

from __future__ import annotations

from riskchain_gym.protocol.keyed import KeyedRandom

WIDTH, HEIGHT = 160, 120
"""Size of every picture in its own units."""


class Canvas:
    """Shapes of one picture, back to front.

    Colours are names: ``a1`` to ``a6`` run from the strongest to the palest tone of the site's hue, ``b1`` and ``b2``
    are its counter tone, ``ink``, ``paper`` and ``skin`` stay neutral.

    Attributes:
        rng: The picture's draws.
    """

    def __init__(self, rng: KeyedRandom) -> None:
        self.rng = rng
        self._shapes: list[str] = []

    def rect(self, x: float, y: float, w: float, h: float, fill: str, r: float = 0) -> None:
        """Draw a rectangle with corner radius ``r``."""
        self._shapes.append(f'<rect class="{fill}" x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{r:g}"/>')

    def circle(self, x: float, y: float, r: float, fill: str) -> None:
        """Draw a disc."""
        self._shapes.append(f'<circle class="{fill}" cx="{x:g}" cy="{y:g}" r="{r:g}"/>')

    def ellipse(self, x: float, y: float, rx: float, ry: float, fill: str) -> None:
        """Draw an ellipse."""
        self._shapes.append(f'<ellipse class="{fill}" cx="{x:g}" cy="{y:g}" rx="{rx:g}" ry="{ry:g}"/>')

    def path(self, d: str, fill: str) -> None:
        """Draw a filled path."""
        self._shapes.append(f'<path class="{fill}" d="{d}"/>')

    def stroke(self, d: str, colour: str, width: float = 3) -> None:
        """Draw a line along a path."""
        self._shapes.append(f'<path class="line {colour}" stroke-width="{width:g}" d="{d}"/>')

    def backdrop(self) -> None:
        """Fill the picture with a pale ground, soft discs and a shadow to stand on."""
        self.rect(0, 0, WIDTH, HEIGHT, "a6")
        x, y = self.rng.integer(20, 140), self.rng.integer(10, 60)
        self.circle(x, y, self.rng.integer(34, 54), "a5")
        self.circle(WIDTH - x, HEIGHT - y // 2, self.rng.integer(16, 30), "b3")
        self.ellipse(80, 103, 46, 5, "shade")

    def svg(self, alt: str = "") -> str:
        """Return the picture, hidden from assistive technology unless ``alt`` (escaped by the caller) is given."""
        shift = self.rng.integer(-28, 28)
        named = f'role="img" aria-label="{alt}"' if alt else 'aria-hidden="true"'
        return (
            f'<svg class="art" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="xMidYMid slice" '
            f'style="--shift:{shift}" {named}>{"".join(self._shapes)}</svg>'
        )
