"""Draw a picture by kind and seed."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from html import escape

from riskchain_gym.protocol.keyed import KeyedRandom, key_from_seed
from riskchain_gym.sites.art import goods, marks, places, things
from riskchain_gym.sites.art.canvas import Canvas

_DRAWERS: dict[str, Callable[[Canvas], None]] = {
    "goods": goods.goods,
    "parcel": things.parcel,
    "book": things.book,
    "device": things.device,
    "document": things.document,
    "food": things.food,
    "person": places.person,
    "scene": places.scene,
    "map": places.street_map,
    "game": marks.game,
    "chart": marks.chart,
    "logo": marks.logo,
}


_FITS = dict.fromkeys(("scene", "map", "logo"), "xMidYMid slice") | {"person": "xMidYMax meet"}


@lru_cache(maxsize=4096)
def draw(kind: str, seed: int, label: str, alt: str = "") -> str:
    """Return a picture as an ``<svg>`` element, 160 by 120 units.

    Args:
        kind: One of :data:`~riskchain_gym.sites.blocks.Art`.
        seed: Seed of the site's pictures.
        label: Which picture of the site; the same label gives the same picture.
        alt: Its description, or ``""`` for decoration.
    """
    canvas = Canvas(KeyedRandom(key_from_seed(seed), "art", kind, label))
    _DRAWERS[kind](canvas)
    return canvas.svg(escape(alt), _FITS.get(kind, "xMidYMid meet"))
