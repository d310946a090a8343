"""The modality ``browsergym``: browsergym-core's standard observation, made of what an episode has seen."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from riskchain_gym.envs.browsergym_calls import EXPECTED as CALLS
from riskchain_gym.envs.machine import Machine
from riskchain_gym.envs.parsing import EXPECTED
from riskchain_gym.envs.revision import revision_lines
from riskchain_gym.protocol.action import ActionStatus
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.protocol.page import STABLE_HOST
from riskchain_gym.protocol.trajectory import Phase

BLANK_TREE: dict[str, Any] = {
    "nodes": [
        {
            "nodeId": "1",
            "ignored": False,
            "role": {"type": "internalRole", "value": "RootWebArea"},
            "name": {"type": "computedString", "value": ""},
            "properties": [],
            "childIds": [],
        }
    ]
}
"""The accessibility tree of no page."""

BLANK_DOM: dict[str, Any] = {
    "documents": [
        {
            "nodes": {
                "parentIndex": [-1],
                "nodeType": [9],
                "nodeName": [0],
                "nodeValue": [-1],
                "attributes": [[]],
                "contentDocumentIndex": {"index": [], "value": []},
            }
        }
    ],
    "strings": ["#document"],
}
"""The DOM snapshot of no page."""

_BROWSE_GOAL = (
    "You moderate a platform. Judge whether this web site breaks its rules, and if so how: look at its pages, follow "
    "its links and send its forms until you have seen enough to report. "
)
_FAILED = frozenset({ActionStatus.ERROR, ActionStatus.INVALID})


def browsergym_observation(machine: Machine) -> dict[str, Any]:
    """Return browsergym-core's observation of where an episode stands; every value is made afresh.

    In the browse phase all keys are as browsergym-core fills them, with two exceptions for the sake of sameness: hosts
    are called ``site.test``, and no time elapses. In the other phases there is no page, and ``goal`` holds what there
    is to work on: the message, or the list of steps that can be cited. The same text is the one chat message.
    """
    goal = _goal(machine)
    action, error = _last(machine)
    browsing = machine.browsing if machine.phase is Phase.BROWSE else None
    url, title = "about:blank", ""
    if browsing is not None and browsing.page is not None:
        url, title = f"http://{STABLE_HOST}{browsing.page.path}", browsing.page.title
    marks = browsing.marks if browsing is not None else None
    width, height = machine.config.viewport
    view = browsing.screenshot if browsing is not None else None
    return {
        "chat_messages": ({"role": "user", "timestamp": 0.0, "message": goal},),
        "goal": goal,
        "goal_object": ({"type": "text", "text": goal},),
        "open_pages_urls": (url,),
        "open_pages_titles": (title,),
        "active_page_index": np.array([0]),
        "url": url,
        "screenshot": np.zeros((height, width, 3), np.uint8) if view is None else view.copy(),
        "dom_object": json.loads(marks.dom if marks is not None else json.dumps(BLANK_DOM)),
        "axtree_object": json.loads(marks.axtree if marks is not None else json.dumps(BLANK_TREE)),
        "extra_element_properties": json.loads(marks.properties) if marks is not None else {},
        "focused_element_bid": marks.focused if marks is not None else "",
        "last_action": action,
        "last_action_error": error,
        "elapsed_time": np.array([0.0]),
    }


def _goal(machine: Machine) -> str:
    case, phase = machine.episode.case, machine.phase
    if phase is Phase.RESTORE:
        return f"{EXPECTED[phase]}\n\n{canonical_json(case.chain.variants[case.variant])}"
    if phase is Phase.REPORT:
        seen = [{"step": n, "path": page.path, "title": page.title} for n, page in machine.recorder.pages.items()]
        shown = (canonical_json({"observed_steps": seen}), *revision_lines(machine))
        return "\n".join((EXPECTED[phase], "", *shown))
    return _BROWSE_GOAL + (CALLS if machine.config.actions == "browsergym" else EXPECTED[phase])


def _last(machine: Machine) -> tuple[str, str]:
    """Return the last action as it was sent, and what was wrong with it; a restoration is not told of later."""
    last = machine.recorder.last
    if last is None or (last.phase is Phase.RESTORE and machine.phase is not Phase.RESTORE):
        return "", ""
    action, failed = last.action, last.result.status in _FAILED
    if last.phase is Phase.BROWSE and machine.config.actions == "browsergym" and last.result.status is not _INVALID:
        action = json.loads(action)["reason"]
    return action, machine.feedback if failed else ""


_INVALID = ActionStatus.INVALID
