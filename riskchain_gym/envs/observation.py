"""Observations: one ``Dict`` in every phase, and what is in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.envs.machine import Machine
from riskchain_gym.envs.spaces import UnicodeText
from riskchain_gym.messages.view.document import VIEW_HEIGHT_PX, VIEW_WIDTH_PX
from riskchain_gym.protocol.codebook import COVERAGE_OBJECTIVES
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.trajectory import Phase

PHASES: tuple[Phase, ...] = tuple(Phase)
"""The phases by the number that stands in ``observation["phase"]``."""


def observation_space(config: EnvConfig) -> spaces.Dict:
    """Return the observation space.

    Keys: ``phase`` (0 restore, 1 browse, 2 report), ``text``, ``elements`` and ``feedback`` (text), ``steps_left``
    (int32, shape ``()``); with the modality ``screenshot`` uint8 (height, width, 3), with ``axtree`` text, with
    ``message_image`` uint8 (600, 390, 3); with ``max_seconds`` also ``seconds_left`` (float32, shape ``()``).
    """
    width, height = config.viewport
    keys: dict[str, spaces.Space[Any]] = {
        "phase": spaces.Discrete(len(PHASES)),
        "text": UnicodeText(),
        "elements": UnicodeText(),
        "feedback": UnicodeText(),
        "steps_left": spaces.Box(0, config.max_steps, (), np.int32),
    }
    if "screenshot" in config.observe:
        keys["screenshot"] = spaces.Box(0, 255, (height, width, 3), np.uint8)
    if "axtree" in config.observe:
        keys["axtree"] = UnicodeText()
    if "message_image" in config.observe:
        keys["message_image"] = spaces.Box(0, 255, (VIEW_HEIGHT_PX, VIEW_WIDTH_PX, 3), np.uint8)
    if config.max_seconds is not None:
        keys["seconds_left"] = spaces.Box(0.0, config.max_seconds, (), np.float32)
    return spaces.Dict(keys)


def observe(machine: Machine) -> dict[str, Any]:
    """Return what the agent sees now; every value is made afresh.

    ======= ============================ ============================================================================
    phase   ``text``                     ``elements``
    ======= ============================ ============================================================================
    restore the message, as JSON         ""
    browse  the page text, line by line  JSON: step, path, title, elements, pictures, view, progress,
                                         coverage_objectives
    report  the last page text           JSON: observed_steps (step, path, title)
    ======= ============================ ============================================================================

    ``pictures`` is there only on pages that have some: key, alternative text and box of each. What is drawn in them is
    in no text; alternative text stands at the end of ``text`` too, marked line by line. ``view`` is there only where
    pages have geometry: the scroll offset, the size of the viewport and the height of the page, in CSS pixels. Boxes
    are measured from the top left of the page: in the screenshot everything is ``scroll_y`` pixels further up.

    The browse and report phases show nothing of the message or the restoration; with ``page_text`` off, no word of the
    page either.
    """
    config = machine.config
    shown: dict[str, Any] = {
        "phase": np.int64(PHASES.index(machine.phase)),
        "text": _text(machine),
        "elements": _elements(machine),
        "feedback": machine.feedback,
        "steps_left": np.array(machine.steps_left, np.int32),
    }
    looking = machine.browsing if machine.phase is Phase.BROWSE else None
    if "screenshot" in config.observe:
        width, height = config.viewport
        image = looking.screenshot if looking is not None else None
        shown["screenshot"] = np.zeros((height, width, 3), np.uint8) if image is None else image.copy()
    if "axtree" in config.observe:
        shown["axtree"] = looking.axtree if looking is not None else ""
    if "message_image" in config.observe:
        image = machine.message_image if machine.phase is Phase.RESTORE else None
        blank = np.zeros((VIEW_HEIGHT_PX, VIEW_WIDTH_PX, 3), np.uint8)
        shown["message_image"] = blank if image is None else image.copy()
    if config.max_seconds is not None:
        shown["seconds_left"] = np.array(min(machine.seconds_left, config.max_seconds), np.float32)
    return shown


def _text(machine: Machine) -> str:
    if machine.phase is Phase.RESTORE:
        case = machine.episode.case
        return canonical_json(case.chain.variants[case.variant])
    page = machine.browsing.page if machine.browsing is not None and machine.config.page_text else None
    return page.shown_text if page is not None else ""


def _elements(machine: Machine) -> str:
    pages = machine.recorder.pages
    if machine.phase is Phase.RESTORE or not pages:
        return ""
    if not machine.config.page_text:
        pages = {step: _wordless(page) for step, page in pages.items()}
    if machine.phase is Phase.REPORT:
        seen = [{"step": step, "path": page.path, "title": page.title} for step, page in pages.items()]
        return canonical_json({"observed_steps": seen})
    step = max(pages)
    page = pages[step]
    shown: dict[str, Any] = {
        "step": step,
        "path": page.path,
        "title": page.title,
        "elements": [element.model_dump(mode="json", exclude_none=True) for element in page.elements],
        "progress": {
            "executed_action_count": machine.browsing.actions if machine.browsing is not None else 0,
            "observed_state_count": machine.recorder.state_count,
        },
    }
    if page.pictures:
        shown["pictures"] = [picture.model_dump(mode="json", exclude_none=True) for picture in page.pictures]
    if page.height:
        width, height = machine.config.viewport
        shown["view"] = {"scroll_y": page.scroll_y, "width": width, "height": height, "page_height": page.height}
    if machine.config.scaffold:
        shown["coverage_objectives"] = list(COVERAGE_OBJECTIVES)
    return canonical_json(shown)


def _wordless(page: ObservedPage) -> ObservedPage:
    """Return a page without a word of it: paths, ids, roles and boxes are left."""
    silent = {"name": "", "placeholder": "", "options": ()}
    return page.model_copy(
        update={
            "title": "",
            "lines": (),
            "elements": tuple(element.model_copy(update=silent) for element in page.elements),
            "pictures": tuple(picture.model_copy(update={"alt": ""}) for picture in page.pictures),
        }
    )
