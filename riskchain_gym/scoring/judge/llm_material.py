"""What of a bundle goes into a prompt: the part that a question needs, within a length, with every cut stated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from riskchain_gym.llm.fence import within
from riskchain_gym.scoring.judge.bundle import Bundle, CitedItem, JudgedReport, View
from riskchain_gym.scoring.judge.questions import ClaimKind, Question

MATERIAL_VERSION = "material/3"
"""Version of what a prompt shows and how it is laid out, fenced and cut; part of the judges' names."""

MAX_VIEW_CHARACTERS = 24_000
"""Code points of the lines in one prompt, and again of the controls and the pictures; the views in it share them."""

MAX_CITED_CHARACTERS = 12_000
MAX_REGION_CHARACTERS = 4_000
MAX_LEDGER_CHARACTERS = 12_000
MAX_TITLE = 300
MAX_IMAGES = 8

_ALL_CITATIONS = frozenset({ClaimKind.LEFT_OUT, ClaimKind.ADDS, ClaimKind.FOLLOWS})
_LEDGER = frozenset({ClaimKind.UNTRIED, ClaimKind.STATUS_FITS})

Json = dict[str, Any]


def material_for(bundle: Bundle, question: Question) -> Json:
    """Return what a question needs of a bundle as JSON values, by name of the block.

    The view that the question names, else all of them; the citation that it is about, or all where it compares; the
    ledger where it asks what was done.

    Args:
        bundle: The bundle.
        question: The question.
    """
    blocks: Json = {"views": list(views_material(shown_views(bundle, question)))}
    if question.step is not None and not blocks["views"]:
        blocks["views"] = f"There is no view {question.step}."
    cited = bundle.citation(question.place)
    if question.kind in _ALL_CITATIONS or cited is None:
        blocks["citations"] = citations_material(bundle.report.citations)
    else:
        blocks["citation"] = _citation(cited)
    if question.kind in _LEDGER:
        blocks["ledger"] = _ledger(bundle)
    if bundle.report.note:
        blocks["note of the report"] = bundle.report.note
    return blocks


def report_material(bundle: Bundle) -> Json:
    """Return a whole report with its views, for comparison with another one."""
    report = bundle.report
    return {
        "report": _report(report),
        "citations": citations_material(report.citations),
        "views": list(views_material(_distinct(bundle.views), MAX_VIEW_CHARACTERS // 2)),
        "ledger": _ledger(bundle),
    }


def shown_views(bundle: Bundle, question: Question) -> tuple[View, ...]:
    """Return the view that a question names, or one view of each page state where it names none."""
    if question.step is None:
        return _distinct(bundle.views)
    view = bundle.view(question.step)
    return () if view is None else (view,)


def images_of(bundle: Bundle, views: Iterable[View]) -> dict[int, bytes]:
    """Return the screenshots of views by their step, at most :data:`MAX_IMAGES`."""
    steps = [view.step for view in views if view.step in bundle.images]
    return {step: bundle.images[step] for step in steps[:MAX_IMAGES]}


def views_material(views: Sequence[View], characters: int = MAX_VIEW_CHARACTERS) -> Iterator[Json]:
    """Yield views as JSON values, each kind of their content cut to a length that the views share."""
    each = characters // max(1, len(views))
    for view in views:
        yield {
            "view": view.step,
            "title": view.title[:MAX_TITLE],
            **within("lines", view.lines, each),
            **within("controls", [control.model_dump(exclude_defaults=True) for control in view.controls], each),
            **within("pictures", [picture.model_dump(exclude_defaults=True) for picture in view.pictures], each),
        }


def citations_material(citations: Sequence[CitedItem]) -> Json:
    """Return citations as JSON values, cut to a length."""
    return within("citations", [_citation(cited) for cited in citations], MAX_CITED_CHARACTERS)


def _report(report: JudgedReport) -> Json:
    return report.model_dump(mode="json", exclude={"citations"}, exclude_defaults=True)


def _citation(cited: CitedItem) -> Json:
    value = cited.model_dump(mode="json", exclude_none=True, exclude={"region_lines"})
    return value | (within("region_lines", cited.region_lines, MAX_REGION_CHARACTERS) if cited.region_lines else {})


def _ledger(bundle: Bundle) -> Json:
    actions = [entry.model_dump(mode="json", exclude_defaults=True) for entry in bundle.ledger]
    return {**within("actions", actions, MAX_LEDGER_CHARACTERS), "browsing_ended": bundle.ending}


def _distinct(views: Iterable[View]) -> tuple[View, ...]:
    first: dict[int, View] = {}
    for view in views:
        first.setdefault(view.state, view)
    return tuple(first.values())
