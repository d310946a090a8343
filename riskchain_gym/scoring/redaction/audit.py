"""The audit: redacted text is looked through once more, and nothing is handed over that still names somebody."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set

from riskchain_gym.protocol.errors import RiskChainError
from riskchain_gym.scoring.judge.bundle import Bundle
from riskchain_gym.scoring.redaction.names import brands
from riskchain_gym.scoring.redaction.text import TOKEN, unmasked
from riskchain_gym.scoring.text import fold_blanks


class RedactionError(RiskChainError, ValueError):
    """Something that must be masked was found in a redacted bundle; the message says where, never what."""


def audit_text(text: str, operators: re.Pattern[str] | None = None) -> tuple[str, ...]:
    """Return what is left in a text that must be masked.

    Args:
        text: Redacted text, of any number of lines.
        operators: Names of operators to look for as well.
    """
    return tuple(line[m.start : m.end] for line in text.split("\n") for m in unmasked(line, operators))


def audit_redaction(bundle: Bundle, operators: re.Pattern[str] | None = None) -> tuple[str, ...]:
    """Return the places of a bundle that still hold something that must be masked, e.g. ``views.2.lines.7``.

    Every text of the bundle is looked through; so are the titles of the pages for a name that recurs. A quote that cuts
    a number out of a longer one says no more than the line it is cut from, so it passes where that line does.

    Args:
        bundle: The redacted bundle.
        operators: Names of operators to look for as well.
    """
    left = {text for text in {text for _, text in texts_of(bundle)} if audit_text(text, operators)}
    left = {text for text in left if not _is_part_of_a_view(text, bundle, left)} if left else left
    places = [place for place, text in texts_of(bundle) if text in left] if left else []
    if any(TOKEN.search(name) is None for name in brands(view.title for view in bundle.views)):
        places.append("views.title")
    return tuple(places)


def _is_part_of_a_view(text: str, bundle: Bundle, left: Set[str]) -> bool:
    part = fold_blanks(text)
    shown = ([*view.lines, *(c.name for c in view.controls), *(p.alt for p in view.pictures)] for view in bundle.views)
    return any(part in fold_blanks(" ".join(texts)) for texts in shown if text not in texts and not left & set(texts))


def texts_of(bundle: Bundle) -> Iterator[tuple[str, str]]:
    """Yield every text of a bundle that comes from a page or an agent, with its place; ids given out by us are none."""
    for i, view in enumerate(bundle.views):
        yield f"views.{i}.title", view.title
        yield from _numbered(f"views.{i}.lines", view.lines)
        yield from _numbered(f"views.{i}.controls", (control.name for control in view.controls))
        yield from _numbered(f"views.{i}.pictures", (picture.alt for picture in view.pictures))
    yield from _numbered("ledger", (entry.name for entry in bundle.ledger))
    report = bundle.report
    ids = {control.element_id for view in bundle.views for control in view.controls}
    ids |= {picture.key for view in bundle.views for picture in view.pictures}
    for cited in report.citations:
        named = "" if cited.element_id in ids else cited.element_id or ""
        texts = (named, cited.quote, cited.observation, *(cited.region_lines or ()))
        yield from _numbered(cited.place, texts)
    yield from (("report.risk_reason", report.risk_reason), ("report.note", report.note))


def _numbered(place: str, texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    return ((f"{place}.{i}", text) for i, text in enumerate(texts))
