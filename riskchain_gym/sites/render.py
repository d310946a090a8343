"""Render a :class:`PageView` as one HTML document: no script, no outside asset, every line of text exactly once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from riskchain_gym.protocol.content import content_dir
from riskchain_gym.sites.art.draw import draw
from riskchain_gym.sites.compiled import Look
from riskchain_gym.sites.pageview import Node, PageView
from riskchain_gym.sites.picture import picture_uri, qr_svg
from riskchain_gym.sites.view_form import RANGE_LIMITS

Drawer = Callable[[Node, Markup], str]

_FONTS = {
    "zh-CN": "'Noto Sans CJK SC','Noto Color Emoji',sans-serif",
    "zh-TW": "'Noto Sans CJK TC','Noto Color Emoji',sans-serif",
    "en": "'Noto Sans','Noto Sans CJK SC','Noto Color Emoji',sans-serif",
}


def counter_hue(hue: int) -> int:
    """Return the hue of a picture's second colour, in OKLCH degrees: blue beside warm ones, else amber or coral."""
    if 20 <= hue < 115:
        return 245
    return 35 if hue % 3 == 0 else 70


class Renderer:
    """Draws pages with the component templates and themes of one content folder.

    Args:
        root: The folder that holds ``components/`` and ``themes/``.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        # Templates are trusted files; every value that enters them is escaped.
        self._env = Environment(
            loader=FileSystemLoader(root / "components"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._env.globals.update(limits=RANGE_LIMITS, counter_hue=counter_hue)
        self._page: Template = self._env.get_template("page.html")
        self._sources = [f.name for f in sorted((root / "components").glob("*.html")) if f.name != "page.html"]
        self._css: dict[tuple[str, str, str], Markup] = {}

    def page(self, page: PageView, look: Look) -> str:
        """Return the HTML document of a page.

        Args:
            page: The page.
            look: How the site is drawn.
        """
        drawers = self._drawers(look, _FONTS.get(page.lang, _FONTS["zh-CN"]))
        body = Markup("").join(self._node(node, drawers) for node in page.nodes)
        return self._page.render(page=page, look=look, body=body, css=self._style(look, page.lang))

    def _drawers(self, look: Look, font: str) -> dict[str, Drawer]:
        def art(kind: str, label: str, alt: str = "") -> Markup:
            return Markup(draw(kind, look.art_seed, label, alt))  # noqa: S704  (drawn here, its alt text escaped)

        def picture(node: Node) -> str:
            assert node.picture is not None, "a picture node has a picture"
            return picture_uri(node.picture.lines, font, look.hue)

        def qr(payload: str) -> Markup:
            return Markup(qr_svg(payload))  # noqa: S704  (drawn here, without text)

        found: dict[str, Drawer] = {}
        for name in self._sources:
            module = self._env.get_template(name).make_module({"art": art, "picture_uri": picture, "qr_svg": qr})
            found.update({key: value for key, value in vars(module).items() if callable(value)})
        return found

    def _node(self, node: Node, drawers: dict[str, Drawer]) -> Markup:
        inner = Markup("").join(self._node(child, drawers) for child in node.children)
        return Markup(drawers[node.kind.replace("-", "_")](node, inner))  # noqa: S704  (output of escaping templates)

    def _style(self, look: Look, lang: str) -> Markup:
        key = (look.presentation, look.theme, lang)
        if key not in self._css:
            files = (
                self._root / "components" / "base.css",
                self._root / "components" / f"{look.presentation}.css",
                self._root / "themes" / f"{look.theme}.css",
            )
            text = "".join(file.read_text(encoding="utf-8") for file in files)
            font = _FONTS.get(lang, _FONTS["zh-CN"])
            self._css[key] = Markup(text.replace("FONTS", font))  # noqa: S704  (our own style sheets)
        return self._css[key]


@cache
def renderer(root: Path | None = None) -> Renderer:
    """Return the renderer of a content folder; without one, of the project's own ``sites/``."""
    return Renderer(root or content_dir("sites"))


def render_page(page: PageView, look: Look) -> str:
    """Return the HTML document of a page, drawn with the project's own components."""
    return renderer().page(page, look)
