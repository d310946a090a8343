"""The index of a report: one page that needs nothing but its data files, and in which nothing of a page can run."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

_PACKAGE = "riskchain_gym.evaluation.report"

SCRIPTS = (
    "dom", "text", "store", "route", "facets", "filters", "list", "message", "screenshot", "steps", "panes",
    "findings", "asked", "episode", "compare", "keys", "main",
)  # fmt: skip
"""The files of the viewer, in the order they are joined in."""

CALLBACK = "riskchainEpisode"
"""The function that a data file calls."""


def render_index(**content: Any) -> bytes:
    """Return the bytes of ``index.html``.

    Args:
        content: What the template shows; ``index`` is embedded as JSON for the viewer.
    """
    environment = Environment(
        loader=PackageLoader(_PACKAGE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(sha256=_csp_hash, heading=_heading, breaking=_breaking)
    source = environment.loader
    assert source is not None
    style = source.get_source(environment, "report.css")[0]
    parts = [source.get_source(environment, f"viewer/{name}.js")[0] for name in SCRIPTS]
    script = '"use strict";\n(() => {\n' + "\n".join(parts) + "})();\n"
    embedded = _literal(content.pop("index"))
    template = environment.get_template("report.html.j2")
    return template.render(style=style, script=script, index=embedded, **content).encode("utf-8", "replace")


def episode_file(data: object) -> bytes:
    """Return a data file: one call with a JSON literal that holds nothing but data, wherever it is read."""
    return f"{CALLBACK}({_literal(data)});\n".encode()


def _literal(value: object) -> str:
    """Return JSON that closes no script element and ends no line of a script; half surrogate pairs are escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in text) if _halved(text) else text


def _halved(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _heading(label: str) -> Markup:
    """Return a column's label with its index raised or lowered: ``Acc^w``, ``Δ_gate``."""
    for mark, tag in (("^", "sup"), ("_", "sub")):
        name, found, index = label.partition(mark)
        if found:
            return Markup("{0}<{2}>{1}</{2}>").format(name, index, Markup(tag))  # noqa: S704 - a constant template
    return Markup.escape(label)


def _breaking(name: str) -> Markup:
    """Return a name that a narrow column breaks after an underscore or a plus rather than inside a word."""
    parts = re.split(r"(?<=[_+])", name)
    return Markup("<wbr>").join(parts)


def _csp_hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
