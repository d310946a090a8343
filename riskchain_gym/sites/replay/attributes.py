"""Attributes of a captured page: which load, which lead somewhere, which go."""

from __future__ import annotations

import re

from riskchain_gym.sites.replay.addresses import NOTHING, References
from riskchain_gym.sites.replay.css import rewrite_css

Attributes = dict[str, str | None]

_NAME = re.compile(r"[a-z_][\w:.-]*", re.ASCII)
_FRAMES = frozenset({"iframe", "frame"})
_DRAWN = frozenset({"image", "feimage"})
_NAVIGATES = frozenset({"a", "area"})
_LOADS = frozenset({"src", "poster", "background", "lowsrc", "dynsrc"})
_LISTS = frozenset({"srcset", "imagesrcset"})
_LINKS = frozenset({"href", "xlink:href"})
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-lazy")
_PAINTS = frozenset({
    "fill", "stroke", "filter", "mask", "clip-path", "marker", "marker-start", "marker-mid", "marker-end", "cursor",
})  # fmt: skip
_WORDS = frozenset(
    {"alt", "title", "placeholder", "label", "value", "summary", "abbr", "content", "name", "id", "class"}
)
_GOES = frozenset({
    "integrity", "crossorigin", "nonce", "ping", "attributionsrc", "referrerpolicy", "csp", "manifest", "profile",
    "codebase", "archive", "classid", "data", "longdesc", "cite", "autoplay", "loading", "enctype", "formenctype",
    "formtarget", "fetchpriority", "allow", "http-equiv", "xml:base", "credentialless",
})  # fmt: skip
_AWAY = re.compile(r"[\x00-\x20]*(?:[a-z][a-z0-9+.-]*:)?[\t\r\n]*[/\\][\t\r\n]*[/\\]", re.IGNORECASE)
_EMBEDDED = re.compile(r"[\x00-\x20]*(?:javascript|vbscript|data)[\t\r\n]*:", re.IGNORECASE)
_CANDIDATE = re.compile(r"[\s,]*(\S+)(\s[^,]*)?,?")
_SAME_TAB = frozenset({"_self", "_top", "_parent"})


def rewrite_attributes(tag: str, given: Attributes, references: References, *, scripts: bool) -> Attributes:
    """Return the attributes of an element with every address made local or taken out.

    Args:
        tag: The element, in lower case.
        given: Its attributes in order; names in lower case.
        references: What addresses become.
        scripts: Whether event handlers stay.
    """
    kept: Attributes = {}
    dropped = references.addresses.notes.dropped
    for name, value in given.items():
        if name.startswith("on") and not scripts:
            dropped["event handler"] += 1
        elif _NAME.fullmatch(name) and name not in _GOES:
            changed, stays = _attribute(tag, name, value, given, references)
            if stays:
                kept[name] = changed
    if tag == "img":
        _show_lazy(kept)
    return kept


def _attribute(
    tag: str, name: str, value: str | None, given: Attributes, references: References
) -> tuple[str | None, bool]:
    """Return an attribute's new value and whether it stays."""
    if value is None:
        return None, True
    if name in _LINKS and tag in _NAVIGATES:
        return references.follow(value), True
    if name in ("action", "formaction"):
        method = given.get("method" if name == "action" else "formmethod") or ""
        post = method.strip().lower() == "post"
        return references.follow(value, post=post, asks=not post), True
    if name in _LOADS or (name in _LINKS and tag != "link"):
        local = references.load(value, inline=tag not in _FRAMES and (name in _LOADS or tag in _DRAWN))
        return local, local is not None and not (tag in _FRAMES and local == NOTHING)
    if name in _LAZY:
        local = references.load(value)
        return local, local is not None
    if name in _LISTS:
        candidates = rewrite_srcset(value, references)
        return candidates, bool(candidates)
    if name == "style" or name in _PAINTS:
        return rewrite_css(value, references.load), True
    if name == "target":
        return value, value.strip().lower() in _SAME_TAB
    harmless = not _AWAY.match(value) and not _EMBEDDED.match(value)
    return value, harmless or name in _WORDS or name.startswith(("aria-", "xmlns", "on"))


def rewrite_srcset(value: str, references: References) -> str:
    """Return the candidates of a ``srcset`` that were captured."""
    kept: list[str] = []
    at = 0
    while found := _CANDIDATE.match(value, at):
        at = found.end()
        url, descriptor = found[1], (found[2] or "").strip()
        if url.endswith(","):
            # The comma ends the candidate: what was taken for its descriptor begins the next one.
            url, descriptor, at = url.rstrip(","), "", found.end(1)
        if url and (local := references.load(url)) is not None:
            kept.append(f"{local} {descriptor}".strip())
    return ", ".join(kept)


def _show_lazy(kept: Attributes) -> None:
    """Give a picture the address that a script would have given it once it came into view."""
    lazy = [name for name in _LAZY if kept.get(name)]
    if lazy and (kept.get("src") or "data:").startswith("data:"):
        kept["src"] = kept.pop(lazy[0])
