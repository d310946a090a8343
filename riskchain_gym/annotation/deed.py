"""The last action of a visit in parts, so that the workbench can say it in the person's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from riskchain_gym.protocol.action import ActionErrorKind, ActionKind, ActionStatus, BrowserAction, Key
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.trajectory import Step

_SCROLLS = frozenset({ActionKind.SCROLL_DOWN, ActionKind.SCROLL_UP})


class Deed(Frozen):
    """What was done last, and what came of it.

    Attributes:
        action: The action.
        role: Accessible role of its element, ``""`` where it has none.
        name: Accessible name of its element.
        option: What was chosen.
        key: What was pressed.
        result: ``changed`` or ``nothing``: whether the page did. ``scrolled`` or ``end``: whether the view moved. Else
            why it could not be carried out.
    """

    action: ActionKind
    role: str = ""
    name: str = ""
    option: str | None = None
    key: Key | None = None
    result: Literal["changed", "nothing", "scrolled", "end"] | ActionErrorKind


def deed_of(step: Step, pages: Mapping[int, ObservedPage]) -> Deed:
    """Return what a step of a visit did.

    Args:
        step: A step that has led to a view.
        pages: Observed pages by browse step, scrolled as they were; the one before the step is among them.
    """
    assert step.browse_step is not None
    action = BrowserAction.model_validate_json(step.action)
    before, after = pages[step.browse_step - 1], pages[step.browse_step]
    meant = next((each for each in before.elements if each.element_id == action.element_id), None)
    result: Literal["changed", "nothing", "scrolled", "end"] | ActionErrorKind
    if step.result.error is not None:
        result = step.result.error
    elif action.action in _SCROLLS:
        result = "end" if before.scroll_y == after.scroll_y else "scrolled"
    else:
        result = "changed" if step.result.status is ActionStatus.EXECUTED else "nothing"
    return Deed(
        action=action.action,
        role="" if meant is None else meant.role,
        name="" if meant is None else meant.name,
        option=action.option,
        key=action.key,
        result=result,
    )
