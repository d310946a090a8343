"""Neutral pictures that stand for emoji codes: drawn here, a different one for each code, none telling its name."""

from __future__ import annotations

from functools import lru_cache

from riskchain_gym.protocol.keyed import KeyedRandom

_KEY = b"riskchain-faces/13"
"""Chosen so that no two codes of the list that ships look alike."""

_HUES = 20
_HEADS = (
    '<circle cx="12" cy="12" r="10.6"/>',
    '<rect x="1.6" y="1.6" width="20.8" height="20.8" rx="7"/>',
    '<ellipse cx="12" cy="12.2" rx="10.9" ry="9.8"/>',
    '<path d="M12 1.3 20.6 5.4 22.7 14.4 16.8 22 7.2 22 1.3 14.4 3.4 5.4Z" stroke-linejoin="round"/>',
)
_EYES = (
    '<circle class="i" cx="8.2" cy="10" r="1.5"/><circle class="i" cx="15.8" cy="10" r="1.5"/>',
    '<ellipse class="i" cx="8.3" cy="9.6" rx="1.3" ry="2.3"/><ellipse class="i" cx="15.7" cy="9.6" rx="1.3" ry="2.3"/>',
    '<path class="l" d="M6 10.6q2-3 4.2 0M13.8 10.6q2.2-3 4.2 0"/>',
    '<path class="l" d="M6 9.4q2 2.6 4.2 0M13.8 9.4q2.2 2.6 4.2 0"/>',
    '<path class="l" d="M6.2 9.9h3.8M14 9.9h3.8"/>',
    '<circle class="i" cx="8.2" cy="10" r="1.5"/><path class="l" d="M13.8 10h4.2"/>',
    (
        '<circle class="w" cx="8.1" cy="9.8" r="2.5"/><circle class="w" cx="15.9" cy="9.8" r="2.5"/>'
        '<circle class="i" cx="8.6" cy="10.2" r="1"/><circle class="i" cx="16.4" cy="10.2" r="1"/>'
    ),
    '<path class="l" d="M6.4 8.2 9.6 10 6.4 11.8M17.6 8.2 14.4 10 17.6 11.8"/>',
)
_MOUTHS = (
    '<path class="l" d="M7.6 15.2q4.4 4 8.8 0"/>',
    '<path class="l" d="M7.8 17.2q4.2-3.6 8.4 0"/>',
    '<path class="l" d="M8.4 16.2h7.2"/>',
    '<ellipse class="i" cx="12" cy="16.3" rx="1.9" ry="2.3"/>',
    '<path class="l" d="M7.4 16.2q1.6-2 3.1 0t3.1 0t3 0"/>',
    '<path class="i" d="M7.4 14.6h9.2q-.6 4.8-4.6 4.8t-4.6-4.8Z"/>',
    '<path class="l" d="M9 16.8q4.4.6 6.4-2"/>',
    '<rect class="w" x="8" y="14.6" width="8" height="3.8" rx="1.6"/><path class="l" d="M12 14.8v3.4"/>',
)
_EXTRAS = (
    "",
    '<path class="b" d="M3.8 14h3v1.8h-3ZM17.2 14h3v1.8h-3Z"/>',
    '<path class="l" d="M6.2 6.2h3.6M14.2 6.2h3.6"/>',
    '<path class="l" d="M6 5.6 9.8 6.9M18 5.6 14.2 6.9"/>',
    '<path class="l" d="M9.6 5.6 6.2 6.9M14.4 5.6 17.8 6.9"/>',
    '<circle class="b" cx="5.4" cy="14.4" r="1.5"/><circle class="b" cx="18.6" cy="14.4" r="1.5"/>',
)

FACE_WIDTH_EM = 1.38
"""Width of every picture with its margins, in units of the text around it."""

STYLE = (
    ".f{width:1.3em;height:1.3em;margin:0 .04em;vertical-align:-.29em}"
    ".f .i{fill:#3b2f2a;stroke:none}.f .w{fill:#fff;stroke:#3b2f2a;stroke-width:.8}"
    ".f .l{fill:none;stroke:#3b2f2a;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}"
    ".f .b{fill:oklch(.68 .13 25/.55);stroke:none}"
)
"""CSS of the pictures."""


@lru_cache(maxsize=4096)
def face(code: str) -> str:
    """Return the picture of a code as an ``<svg>`` element without any text, the same one everywhere.

    What it shows is drawn by lot: a smile says nothing of the code's name.

    Args:
        code: The code as the platform writes it; spaces around it do not count.
    """
    rng = KeyedRandom(_KEY, code.strip())
    hue = rng.below(_HUES) * (360 // _HUES)
    head, eyes, mouth, extra = (rng.choice(parts) for parts in (_HEADS, _EYES, _MOUTHS, _EXTRAS))
    skin = f'<g fill="oklch(.87 .1 {hue})" stroke="oklch(.66 .13 {hue})" stroke-width="1.2">{head}</g>'
    return f'<svg class="f" viewBox="0 0 24 24" aria-hidden="true">{skin}{extra}{eyes}{mouth}</svg>'
