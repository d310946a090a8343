"""Pages rewritten token by token: what comes out loads and leads nowhere but to the replay site."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from html.parser import HTMLParser

from riskchain_gym.sites.replay.addresses import References
from riskchain_gym.sites.replay.attributes import Attributes, rewrite_attributes
from riskchain_gym.sites.replay.css import rewrite_css

_TAG = re.compile(r"[a-z][a-z0-9:._-]*", re.ASCII)
_DOCTYPE = re.compile(r"doctype\s[\w\s\"'./:+-]*", re.IGNORECASE | re.ASCII)
_REFRESH = re.compile(r"\s*(\d*)(?:\.[\d.]*)?\s*(?:[;,]\s*|\s)?(?:url\s*=\s*)?[\"']?([^\"']*)", re.IGNORECASE)
_NO_COMMENT = re.compile(r"<!---?>")
_UNENDED = re.compile(r"<[a-zA-Z/!?]")
_DEEPEST = 4
_RENAMED = {"xmp": "pre", "listing": "pre", "plaintext": "pre"}
_GONE = frozenset({
    "base", "meta", "link", "object", "embed", "applet", "param", "portal", "fencedframe",
    "animate", "animatetransform", "animatemotion", "animatecolor", "set", "mpath", "discard",
})  # fmt: skip
"""Elements whose tags are taken out unless something else is said of them; what stands in them stays."""
_EMPTIED = frozenset({"iframe", "noembed", "noframes"})
"""Elements whose content no browser shows."""
_HINTS = frozenset({"preconnect", "dns-prefetch", "prefetch", "preload", "modulepreload", "prerender", "manifest"})
_FIELDS = frozenset({"input", "textarea", "select"})
_META_KEPT = frozenset({"content-language"})


@dataclass(frozen=True)
class Page:
    """A rewritten page.

    Attributes:
        html: The page.
        title: Its title.
        lang: Its declared language, or ``""``.
        refresh: Path that it leads on to at once, or ``""``.
        text: Its text, without the style sheets.
    """

    html: str
    title: str
    lang: str
    refresh: str
    text: str


def rewrite_html(
    html: str, references: References, *, scripts: bool = False, field_prefix: str = "field", within: int = 0
) -> Page:
    """Return a page in which every address is local, neutralised ones listed in the notes of the references.

    Args:
        html: The page.
        references: What its addresses become.
        scripts: Whether its scripts stay.
        field_prefix: How the ids begin that fields without one are given.
        within: In how many pages it stands as the content of a frame.
    """
    rewriter = _Rewriter(references, scripts, field_prefix, within)
    # What ends a comment in a browser ends one for the parser too.
    rewriter.feed(_NO_COMMENT.sub("", html.replace("\x00", "")).replace("--!>", "-->"))
    return rewriter.finish()


class _Rewriter(HTMLParser):
    def __init__(self, references: References, scripts: bool, field_prefix: str, within: int) -> None:
        super().__init__(convert_charrefs=True)
        self._references = references
        self._dropped = references.addresses.notes.dropped
        self._scripts = scripts
        self._field_prefix = field_prefix
        self._within = within
        self._fields = 0
        self._out: list[str] = []
        self._text: list[str] = []
        self._title: list[str] | None = None
        self._titles: list[str] = []
        self._style: list[str] | None = None
        self._script = False
        self._emptied = ""
        self._lang = ""
        self._refresh = ""
        self._has_base = False

    def finish(self) -> Page:
        # As in a browser, a tag or a comment that does not end before the page does is none; the parser would look for
        # an end again and again.
        if self.cdata_elem is not None or not _UNENDED.match(self.rawdata):
            self.close()
        self._end_style()
        title = " ".join("".join(self._title or self._titles).split())
        return Page("".join(self._out), title, self._lang, self._refresh, "".join(self._text))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open(tag, _first_of_each(attrs), "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # Outside of drawings a browser takes these for opened; closed at once they mean the same in both places.
        if tag in ("script", "style", *_EMPTIED):
            self._open(tag, _first_of_each(attrs), "")
            self.handle_endtag(tag)
        else:
            self._open(tag, _first_of_each(attrs), "/")

    def _open(self, tag: str, attributes: Attributes, slash: str) -> None:
        if self._emptied or self._style is not None or not _TAG.fullmatch(tag):
            return
        match tag:
            case "base":
                self._base(attributes)
            case "meta":
                self._meta(attributes)
            case "link":
                self._link(attributes)
            case "script" if not self._scripts:
                self._dropped["script"] += 1
                self._emptied = tag
            case "noscript" if not self._scripts:
                return
            case _ if tag in _GONE:
                self._dropped[tag] += 1
            case _:
                self._element(tag, attributes, slash)

    def _element(self, tag: str, attributes: Attributes, slash: str) -> None:
        if tag == "html":
            self._lang = self._lang or attributes.get("lang") or ""
        srcdoc = attributes.pop("srcdoc", None)
        kept = rewrite_attributes(tag, attributes, self._references, scripts=self._scripts)
        if tag == "iframe" and srcdoc is not None:
            kept["srcdoc"] = self._framed(srcdoc)
        if tag in _FIELDS and not attributes.get("id") and (attributes.get("type") or "").lower() != "hidden":
            kept["id"] = f"{self._field_prefix}{self._fields}"
            self._fields += 1
        if tag == "form" and not attributes.get("action"):
            if (attributes.get("method") or "").strip().lower() == "post":
                kept["action"] = self._references.follow("", post=True)
            else:
                self._references.ask_itself()
        self._write(_RENAMED.get(tag, tag), kept, slash)
        if tag == "style":
            self._style = []
        elif tag == "script":
            self._script = True
        elif tag == "title" and not self._titles:
            self._title = []
        elif tag in _EMPTIED:
            self._out.append(f"</{tag}>")
            self._emptied = tag

    def _framed(self, html: str) -> str:
        if self._within >= _DEEPEST:
            self._dropped["frame within frames"] += 1
            return ""
        return rewrite_html(
            html,
            self._references,
            scripts=self._scripts,
            field_prefix=self._field_prefix,
            within=self._within + 1,
        ).html

    def handle_endtag(self, tag: str) -> None:
        if self._emptied:
            if tag == self._emptied:
                self._emptied = ""
            return
        if tag == "style":
            self._end_style()
        if tag == "title" and self._title is not None:
            self._titles, self._title = self._title, None
        gone = tag in _GONE or (tag in ("noscript", "script") and not self._scripts) or tag in _EMPTIED
        if self._style is None and not gone and tag != "style" and _TAG.fullmatch(tag):
            self._script = False if tag == "script" else self._script
            self._out.append(f"</{_RENAMED.get(tag, tag)}>")

    def handle_data(self, data: str) -> None:
        if self._emptied:
            return
        if self._style is not None:
            self._style.append(data)
        elif self._script:
            self._out.append(data)
        else:
            (self._text if self._title is None else self._title).append(data)
            self._out.append(escape(data, quote=False))

    def handle_decl(self, decl: str) -> None:
        if not self._emptied and self._style is None and _DOCTYPE.fullmatch(f"{decl} "):
            self._out.append(f"<!{decl}>")

    def handle_comment(self, data: str) -> None:
        """Leave comments out; one that an older browser would have read as markup too."""

    def handle_pi(self, data: str) -> None:
        """Leave processing instructions out."""

    def parse_html_declaration(self, i: int) -> int:
        """Read a declaration as a browser does: what is neither comment nor doctype ends at the next ``>``."""
        if self.rawdata.startswith("<!--", i):
            return self.parse_comment(i)
        end = self.rawdata.find(">", i)
        if end >= 0:
            self.handle_decl(self.rawdata[i + 2 : end])
        return end + 1 or -1

    def _end_style(self) -> None:
        if self._style is not None:
            self._out.append(rewrite_css("".join(self._style), self._references.load) + "</style>")
            self._style = None

    def _base(self, attributes: Attributes) -> None:
        if (href := attributes.get("href")) and not self._has_base:
            self._has_base = True
            self._references.rebase(href)

    def _meta(self, attributes: Attributes) -> None:
        directive = (attributes.get("http-equiv") or "").strip().lower()
        if directive == "refresh":
            self._leave(attributes.get("content") or "")
        elif directive and directive not in _META_KEPT:
            self._dropped["meta directive"] += directive not in ("content-type", "x-ua-compatible")
        elif "charset" not in attributes:
            kept = rewrite_attributes("meta", attributes, self._references, scripts=False)
            if directive:
                kept["http-equiv"] = directive
            self._write("meta", kept, "")

    def _leave(self, content: str) -> None:
        found = _REFRESH.match(content)
        reference = found[2].strip() if found is not None else ""
        if not reference:
            self._dropped["timed refresh"] += 1
            return
        target = self._references.follow(reference)
        addresses = self._references.addresses
        if target in (addresses.outside, addresses.missing, "#"):
            self._dropped["refresh to outside"] += 1
        elif found is not None and int(found[1] or 0) > 0:
            self._dropped["timed refresh"] += 1
        else:
            self._refresh = self._refresh or target.partition("#")[0]

    def _link(self, attributes: Attributes) -> None:
        rel = set((attributes.get("rel") or "").lower().split())
        icon = any(word.endswith("icon") for word in rel)
        if "stylesheet" not in rel and not icon:
            if rel & _HINTS:
                self._dropped["hint"] += 1
            return
        local = self._references.load(attributes.get("href") or "", inline=icon)
        if local is None:
            return
        others = {name: value for name, value in attributes.items() if name != "href"}
        kept = rewrite_attributes("link", others, self._references, scripts=self._scripts)
        self._write("link", {**kept, "href": local}, "")

    def _write(self, tag: str, attributes: Attributes, slash: str) -> None:
        written = "".join(
            f" {name}" if value is None else f' {name}="{_attribute(value)}"' for name, value in attributes.items()
        )
        self._out.append(f"<{tag}{written}{slash}>")


def _first_of_each(attrs: list[tuple[str, str | None]]) -> Attributes:
    kept: Attributes = {}
    for name, value in attrs:
        kept.setdefault(name, value)
    return kept


def _attribute(value: str) -> str:
    return escape(value, quote=False).replace('"', "&quot;")
