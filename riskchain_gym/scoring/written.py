"""How figures are written where people read them."""

from __future__ import annotations

UNKNOWN = "–"
"""What stands where a figure is not known."""


def percent(value: float | None, *, decimals: int = 1, sign: str = "") -> str:
    """Write a rate in percent, and one that is not known as :data:`UNKNOWN`.

    Args:
        value: The rate, 0 to 1 as a rule.
        decimals: Digits after the point.
        sign: What follows the digits, e.g. ``%``.
    """
    return UNKNOWN if value is None else f"{100 * value:.{decimals}f}{sign}"
