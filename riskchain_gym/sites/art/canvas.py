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
        """Fill the picture with a pale ground, something soft behind and a shadow to stand on."""
        self.ground("a6")
        x, y = self.rng.integer(20, 140), self.rng.integer(10, 60)
        match self.rng.below(5):
            case 0:
                self.ground("b3")
                self.path(f"M-400 {y + 40} q200 30 400 -10 q{x} -40 {WIDTH} 10 q200 40 400 0 v500 h-960 z", "a5")
            case 1:
                for i in range(-11, 16):
                    self.rect(i * 36 - x % 18, -300, 18, 720, "a5")
            case 2:
                self.circle(80, 64, 52, "a5")
                self.circle(80, 64, 40, "a6")
                for at in (x - 190, x, x + 170):
                    self.circle(at, 18 + at % 70, 9, "b3")
            case _:
                self.circle(x, y, self.rng.integer(34, 54), "a5")
                self.circle(WIDTH - x, HEIGHT - y // 2, self.rng.integer(16, 30), "b3")
                self.circle(x - 210, HEIGHT - y, 40, "b3")
                self.circle(x + 200, y, 46, "a5")
        self.ellipse(80, 103, 46, 5, "shade")

    def ground(self, fill: str) -> None:
        """Fill the picture and whatever a frame of another shape shows beside it."""
        self.rect(-400, -300, WIDTH + 800, HEIGHT + 600, fill)

    def svg(self, alt: str = "", fit: str = "xMidYMid meet") -> str:
        """Return the picture, hidden from assistive technology unless ``alt`` (escaped by the caller) is given.

        Args:
            alt: Its description.
            fit: How it fills a frame of another shape, as ``preserveAspectRatio``.
        """
        shift = self.rng.integer(-28, 28)
        named = f'role="img" aria-label="{alt}"' if alt else 'aria-hidden="true"'
        return (
            f'<svg class="art" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="{fit}" '
            f'style="--shift:{shift}" {named}>{"".join(self._shapes)}</svg>'
        )
