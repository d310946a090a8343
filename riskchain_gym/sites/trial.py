"""A trial: everything a visitor could meet on arrival is evaluated once, so that what fails is blamed by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.compiled import download_names
from riskchain_gym.sites.expressions import RUN, ExpressionError, evaluate, render, render_value
from riskchain_gym.sites.lint_slots import Problem, all_panels
from riskchain_gym.sites.slots import Slot, iter_slots
from riskchain_gym.sites.spec import PageSpec, Scalar
from riskchain_gym.sites.state import SiteState


def arrival(pages: Mapping[str, PageSpec], state: Mapping[str, Scalar]) -> dict[str, Any]:
    """Return what expressions may use for a visitor who has just arrived.

    Args:
        pages: The pages whose panels and downloads the state holds.
        state: Initial state variables.
    """
    panels = {p.name: 0 if p.kind == "tabs" else -1 for page in pages.values() for p in all_panels(page.blocks)}
    downloads = {name: False for page in pages.values() for name in download_names(page.blocks)}
    return SiteState(vars={**state, **panels, **downloads}).context()


def trial(model: Frozen, pages: Mapping[str, PageSpec], state: Mapping[str, Scalar]) -> Iterator[Problem]:
    """Yield what cannot be evaluated over the initial state; what stands under a condition that fails is left out.

    What depends on a submitted form is left out too: there the visitor is told of a value that does not fit.

    Args:
        model: Its ``[[ … ]]`` placeholders must be filled in and its names be known.
        pages: The pages whose panels and downloads the state holds.
        state: Initial state variables.
    """
    context = arrival(pages, state)
    hidden: list[str] = []
    for slot, text, path in iter_slots(model):
        if path.startswith((*hidden, "state.")) or "form." in text:
            continue
        try:
            if slot is Slot.EXPR and not evaluate(RUN, text, context) and path.endswith(".when"):
                hidden.append(path.removesuffix("when"))
            elif slot is Slot.TEXT:
                render(RUN, text, context)
            elif slot is Slot.VALUE:
                render_value(RUN, text, context)
        except ExpressionError as error:
            yield path, f"{error}; it must hold for a visitor who has just arrived"
