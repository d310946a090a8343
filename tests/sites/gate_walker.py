"""A small site with one gate, and the walk through it."""

from __future__ import annotations

from site_helpers import KEY

from riskchain_gym.protocol.gold import PathStep
from riskchain_gym.sites.archetypes import load_archetype
from riskchain_gym.sites.certify import find_path
from riskchain_gym.sites.compile import Compilation, compile_site
from riskchain_gym.sites.library import Library, library
from riskchain_gym.sites.pageview import Node, PageView
from riskchain_gym.sites.session import SiteSession
from riskchain_gym.sites.spec import Lang

KINDS = library().gate_kinds()
TRANSFORMS = ("fold", "picture")
STANDING = tuple(kind for kind in KINDS if kind not in TRANSFORMS)


def gated(content: Library, kind: str, lang: Lang = "zh-CN") -> Compilation:
    """Return the small site of a content folder; its page ``inner`` has a gate of this kind."""
    spec = load_archetype("tiny-site", content).model_copy(update={"lang": lang})
    return compile_site(spec, KEY, "gate", "s0", content=content, gates={"inner": kind})


def path_through(made: Compilation) -> tuple[PathStep, ...]:
    """Return actions that show every atom."""
    return find_path(made.site, made.atoms)


def inner_of(made: Compilation) -> str:
    """Return the path of the page behind the gate."""
    return next(link.to for link in made.site.nav if link.text == "内页")


def opened(session: SiteSession, path: str) -> PageView:
    """Return the page that a visitor sees who asks for a path."""
    page = session.open(path).page
    assert page is not None
    return page


def control(page: PageView, kind: str, name: str = "") -> Node:
    """Return the first control of a kind of node, perhaps with a name."""
    return next(n for n in page.controls() if n.kind == kind and (not name or (n.control and n.control.name == name)))


def target(node: Node) -> str:
    """Return where a link leads, or what a button does."""
    assert node.control is not None
    return node.control.href or node.control.action
