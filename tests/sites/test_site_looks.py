"""Presentation forms, themes and pictures: each can be drawn with each, and everything can be read."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import get_args

import pytest
from contrast import colours, grounds, ratio, variables
from site_helpers import KEY, PageReader
from zoo import zoo

from riskchain_gym.protocol.content import content_dir
from riskchain_gym.sites.art.draw import draw
from riskchain_gym.sites.blocks import Art
from riskchain_gym.sites.compiled import Look
from riskchain_gym.sites.library import library
from riskchain_gym.sites.pageview import PageView
from riskchain_gym.sites.render import render_page
from riskchain_gym.sites.session import SiteSession
from riskchain_gym.sites.show import landing_page, random_sites
from riskchain_gym.sites.spec import Presentation

FORMS: tuple[Presentation, ...] = get_args(Presentation)
THEMES = library().themes()
HUES = range(0, 360, 12)

READ = [
    ("ink", ("bg", "surface", "soft", "soft2", "field")),
    ("muted", ("bg", "surface", "soft", "soft2")),
    ("accent", ("bg", "surface", "soft", "soft2")),
    *((tone, ("bg", "surface", "soft")) for tone in ("good", "warn", "bad")),
    ("bad", ("bad-soft",)),
    ("hot", ("bg", "surface")),
    ("on", ("accent",)),
    ("hero-ink", ("hero",)),
]
"""Which variable's text stands on which variable's ground."""

SUBTITLE_OPACITY = 0.85
WHITE_ON_DEEP = (1.0, 1.0, 1.0, 0.74)
"""The palest text that style sheets put on ``--deep``."""


def page_of(look: Look, path: str = "/") -> PageView:
    page = SiteSession(zoo(look)).open(path).page
    assert page is not None
    return page


def theme_css(theme: str) -> str:
    return (content_dir("sites") / "themes" / f"{theme}.css").read_text(encoding="utf-8")


def clear_hues() -> list[int]:
    """Return the hues that sites are drawn with."""
    return [hue for hue in HUES if not 65 < hue < 125]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_drawn_with_every_theme(form: Presentation) -> None:
    bodies = set()
    for i, theme in enumerate(THEMES):
        look = Look(presentation=form, theme=theme, hue=i * 20, art_seed=i)
        for path in ("/", "/inner"):
            page = page_of(look, path)
            html = render_page(page, look)
            assert tuple(PageReader(html).lines) == page.lines()
            assert f'<body class="{form} v{i % 3}"' in html
            bodies.add(html)
    assert len(bodies) == 2 * len(THEMES)


def test_forms_are_laid_out_differently() -> None:
    root = content_dir("sites") / "components"
    sheets = {form: (root / f"{form}.css").read_text(encoding="utf-8") for form in FORMS}
    assert len(FORMS) >= 16
    for form, css in sheets.items():
        assert f".{form}.v1" in css, f"{form} has one variant only"
        assert not [name for name in FORMS if name != form and f".{name} " in css], f"{form} styles another form"
        assert not re.search(r"position:(fixed|sticky)|display:none(?!\})|visibility:hidden|\d+vw", css), form
    placements = {
        form: tuple(re.findall(rf"(?:body)?\.{form}(?: \.(?:header|bar|nav|main|cards|card))\{{([^}}]*)\}}", css))
        for form, css in sheets.items()
    }
    assert len(set(placements.values())) == len(FORMS)


@pytest.mark.parametrize("theme", THEMES)
def test_text_stands_out_from_its_ground(theme: str) -> None:
    found = variables(theme_css(theme))
    for hue in clear_hues():
        for text, names in READ:
            colour = colours(found[text], hue)[0]
            for name in names:
                for ground in grounds(found, name, hue):
                    worst = ratio(colour, ground)
                    assert worst >= 4.5, f"{theme}: --{text} on --{name} is {worst:.2f} at hue {hue}"
                    if name == "hero":
                        assert ratio((*colour[:3], SUBTITLE_OPACITY), ground) >= 4.5
        for ground in grounds(found, "deep", hue):
            assert ratio(WHITE_ON_DEEP, ground) >= 4.5


def test_contrast_is_computed_as_the_guidelines_say() -> None:
    (white,), (black,), (grey,) = (colours(value, 0) for value in ("#fff", "hsl(0 0% 0%)", "#767676"))
    assert ratio(black, white) == pytest.approx(21)
    assert ratio(grey, white) == pytest.approx(4.54, abs=0.005)
    for angle in ("calc(var(--hue) * .1 + 24.233885)", "calc(var(--hue) - 20.766115)", "29.233885"):
        (red,) = colours(f"oklch(.627955 .257683 {angle})", 50)
        assert red[:3] == pytest.approx((1, 0, 0), abs=0.001)
    (half,) = colours("hsl(0 0% 0%/.5)", 0)
    assert ratio(half, white) == pytest.approx(3.98, abs=0.02)


def test_themes_differ_in_more_than_hue() -> None:
    assert len(THEMES) >= 14
    shapes = {}
    for theme in THEMES:
        found = variables(theme_css(theme))
        # An opening is also laid below a page's ground: one gradient, because a list of layers would not fit in there.
        assert re.fullmatch(r"[a-z-]*gradient\(.*\)", found["hero"]), theme
        assert not re.search(r"\)\)?,[a-z-]*gradient\(", found["hero"]), theme
        assert all(re.fullmatch(r"\d+px", found[name]) for name in ("radius", "radius-s")), theme
        shapes[theme] = tuple(found[name] for name in ("radius", "radius-s", "weight", "shadow", "bg"))
    assert len(set(shapes.values())) == len(THEMES)


@pytest.mark.parametrize("kind", get_args(Art))
def test_pictures_of_a_kind_are_many_and_keep_inside_their_frame(kind: str) -> None:
    drawn = [draw(kind, seed, f"x{seed}") for seed in range(48)]
    shapes = {re.sub(r"[-\d.]+", "", re.sub(r'class="[^"]*"|style="[^"]*"', "", picture)) for picture in drawn}
    assert len(set(drawn)) >= 40
    assert len(shapes) >= (6 if kind in ("goods", "logo", "scene", "person") else 3)
    fits = set(re.findall(r'preserveAspectRatio="(\w+ \w+)"', "".join(drawn)))
    assert fits == ({"xMidYMid slice"} if kind in ("scene", "map", "logo") else fits - {"xMidYMid slice"})


def test_random_sites_come_over_all_archetypes_and_are_the_same_again() -> None:
    names = library().archetype_names()
    first, again = (list(random_sites(6, KEY)) for _ in range(2))
    assert first == again
    assert len({each.archetype for each in first}) == min(6, len(names))
    assert all(a.site != b.site for a, b in pairwise(first))
    assert all("<main" in landing_page(each.site).html for each in first)
    english = list(random_sites(2, KEY, lang="en"))
    assert all(each.site.lang == "en" for each in english)
