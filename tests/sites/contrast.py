"""Contrast of a theme's colours, computed from its style sheet as a browser would."""

from __future__ import annotations

import colorsys
import math
import re
from collections.abc import Iterator

RGBA = tuple[float, float, float, float]

_COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b|(?:oklch|hsl)\((?:[^()]|\([^()]*(?:\([^()]*\))?[^()]*\))*\)|\btransparent\b")
_VARIABLE = re.compile(r"--([a-z0-9-]+):([^;{}]+)")


def variables(css: str) -> dict[str, str]:
    """Return the variables that a theme sets."""
    return dict(_VARIABLE.findall(css))


def colours(value: str, hue: float) -> list[RGBA]:
    """Return every colour in a value, a gradient's stops included, at a hue of the site."""
    return [_colour(found, hue) for found in _COLOUR.findall(value) if found != "transparent"]


def over(top: RGBA, ground: RGBA) -> RGBA:
    """Return a colour laid over an opaque one."""
    alpha = top[3]
    r, g, b = (a * alpha + c * (1 - alpha) for a, c in zip(top[:3], ground[:3], strict=True))
    return (r, g, b, 1.0)


def ratio(text: RGBA, ground: RGBA) -> float:
    """Return the WCAG contrast ratio of a text on an opaque ground, 1 to 21."""
    light, dark = sorted((_luminance(over(text, ground)), _luminance(ground)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def grounds(found: dict[str, str], name: str, hue: float) -> Iterator[RGBA]:
    """Yield the opaque colours that a variable's colour can come to, laid over every stop of the page's ground."""
    stops = colours(found["bg"], hue)
    for stop in (over(stop, stops[-1]) for stop in stops):
        for colour in colours(found[name], hue):
            yield over(colour, stop)


def _luminance(colour: RGBA) -> float:
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3])
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def _colour(text: str, hue: float) -> RGBA:
    if text.startswith("#"):
        digits = text[1:] if len(text) > 4 else "".join(2 * c for c in text[1:])
        r, g, b = (int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))
        return (r, g, b, 1.0)
    kind, inner = text[:-1].split("(", 1)
    body, _, alpha = inner.partition("/") if "/" in inner else (inner, "", "1")
    numbers = [_number(part, hue) for part in re.findall(r"calc\((?:[^()]|\([^()]*\))*\)|var\(--hue\)|[\d.%-]+", body)]
    a = _number(alpha, hue)
    if kind == "hsl":
        r, g, b = colorsys.hls_to_rgb(numbers[0] % 360 / 360, numbers[2], numbers[1])
    else:
        r, g, b = _oklch(*numbers)
    return (r, g, b, a)


def _number(text: str, hue: float) -> float:
    text = text.strip().replace("var(--hue)", str(hue))
    if text.startswith("calc("):
        left, *rest = text[5:-1].split()
        value = float(left)
        for sign, operand in zip(rest[::2], rest[1::2], strict=True):
            number = float(operand)
            value = value * number if sign == "*" else value + (number if sign == "+" else -number)
        return value
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


def _oklch(lightness: float, chroma: float, hue: float) -> tuple[float, float, float]:
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    r, g, blue = (min(max(12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055, 0), 1) for c in linear)
    return r, g, blue
