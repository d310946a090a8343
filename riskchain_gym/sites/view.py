"""A page in a state as a value: header, content and footer."""

from __future__ import annotations

from riskchain_gym.sites.blocks import FieldSpec
from riskchain_gym.sites.builder import Builder, group, line
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.facts import FROZEN_DATE
from riskchain_gym.sites.pageview import Node, PageView
from riskchain_gym.sites.state import SiteState, initial_state
from riskchain_gym.sites.view_blocks import draw_blocks
from riskchain_gym.sites.view_layout import in_sections
from riskchain_gym.sites.words import words


def show_page_and_fields(
    site: CompiledSite, state: SiteState, path: str, served_as: str | None = None
) -> tuple[PageView, dict[str, FieldSpec]]:
    """Return a page of the site and the form fields on it, by the key of their control.

    Args:
        site: The site.
        state: Its state, this showing of the page counted.
        path: Path of the page.
        served_as: Path and query it was asked for by, if different.

    Raises:
        ExpressionError: A placeholder does not fit the values of the state.
    """
    builder = Builder(site, state, path)
    page = site.pages[path]
    content = draw_blocks(builder, page.blocks, "b")
    return _page(builder, served_as or path, builder.text(page.title), page.status, content), builder.fields


def missing_page(site: CompiledSite, path: str) -> PageView:
    """Return the page for a path that leads nowhere; it depends on nothing but the site."""
    builder = Builder(site, initial_state(site), "?")
    said = words(site.lang)
    nodes = [
        line("heading", said.missing_title, level="2", tone="plain"),
        line("text", said.missing_text, level="2", tone="plain"),
        group("links", [builder.link("link", said.back_home, site.home, builder.key("back"))], style="buttons"),
    ]
    return _page(builder, path, f"{said.missing_title} - {site.operator}", 404, nodes)


def _page(builder: Builder, path: str, title: str, status: int, content: list[Node]) -> PageView:
    nodes = (_header(builder), group("main", in_sections(content)), _footer(builder))
    lang = "zh-CN" if builder.site.lang == "mixed" else builder.site.lang
    return PageView(path=path, title=title, lang=lang, status=status, nodes=nodes)


def _header(builder: Builder) -> Node:
    site = builder.site
    entries = [
        builder.link("navlink", entry.text, entry.to, builder.site_key("nav", i), current=_current(builder, entry.to))
        for i, entry in enumerate(site.nav)
    ]
    brand = group("brand", [line("operator", site.operator), line("slogan", site.slogan)])
    return group("header", [brand, group("nav", entries)])


def _current(builder: Builder, path: str) -> str:
    return "yes" if builder.path == path else ""


def _footer(builder: Builder) -> Node:
    site, said = builder.site, words(builder.site.lang)
    entries = [
        builder.link("footlink", entry.text, entry.to, builder.site_key("footer", i))
        for i, entry in enumerate(site.footer)
    ]
    number = str(20260000 + site.look.art_seed % 9000 + 1000)
    legal = [
        line("legal", said.copyright.format(year=FROZEN_DATE.year, operator=site.operator)),
        line("legal", said.record.format(number=number)),
    ]
    return group("footer", [group("footlinks", entries), *legal])
