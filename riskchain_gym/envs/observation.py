"""Observations: one ``Dict`` in every phase, and what is in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from riskchain_gym.envs.browsergym_space import BrowsergymObservation
from riskchain_gym.envs.browsergym_view import browsergym_observation
from riskchain_gym.envs.config import PICTURES, TREES, EnvConfig
from riskchain_gym.envs.machine import Machine
from riskchain_gym.envs.revision import revision_lines
from riskchain_gym.envs.spaces import PixelBox, UnicodeText
from riskchain_gym.messages.view.document import VIEW_HEIGHT_PX, VIEW_WIDTH_PX
from riskchain_gym.protocol.codebook import COVERAGE_OBJECTIVES
from riskchain_gym.protocol.model import canonical_json, json_object
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.trajectory import Phase

PHASES: tuple[Phase, ...] = tuple(Phase)
"""The phases by the number that stands in ``observation["phase"]``."""

_OBJECTIVES = canonical_json(COVERAGE_OBJECTIVES)


def observation_space(config: EnvConfig) -> spaces.Dict:
    """Return the observation space.

    Keys: ``phase`` (0 restore, 1 browse, 2 report), ``text``, ``elements`` and ``feedback`` (text), ``steps_left``
    (int32, shape ``()``); with the modalities ``screenshot`` and ``screenshot_som`` uint8 (height, width, 3), with
    ``axtree`` and ``dom`` text, with ``browsergym`` a dict
    (:class:`~riskchain_gym.envs.browsergym_space.BrowsergymObservation`), with ``message_image`` uint8 (600, 390, 3);
    with ``max_seconds`` also ``seconds_left`` (float32, shape ``()``).
    """
    width, height = config.viewport
    keys: dict[str, spaces.Space[Any]] = {
        "phase": spaces.Discrete(len(PHASES)),
        "text": UnicodeText(),
        "elements": UnicodeText(),
        "feedback": UnicodeText(),
        "steps_left": spaces.Box(0, config.max_steps, (), np.int32),
    }
    for modality in config.observe:
        if modality == "browsergym":
            keys[modality] = BrowsergymObservation(width, height)
        elif modality in PICTURES:
            keys[modality] = PixelBox(height, width)
        elif modality in TREES:
            keys[modality] = UnicodeText()
    if "message_image" in config.observe:
        keys["message_image"] = PixelBox(VIEW_HEIGHT_PX, VIEW_WIDTH_PX)
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

    Where the protocol takes a revised commit, the report phase's text begins with the message and the committed
    restoration (:func:`~riskchain_gym.envs.revision.revision_lines`), and its ``elements`` hold ``revision``: how many
    ``lines`` of the text are not the page's, and whether a revision is still ``open``.

    ``pictures`` is there only on pages that have some: key, alternative text and box of each. What is drawn in them is
    in no text; alternative text stands at the end of ``text`` too, marked line by line. ``view`` is there only where
    pages have geometry: the scroll offset, the size of the viewport and the height of the page, in CSS pixels. Boxes
    are measured from the top left of the page: in the screenshot everything is ``scroll_y`` pixels further up.

    The browse phase shows nothing of the message or the restoration, nor does the report phase otherwise; with
    ``page_text`` off, no word of the page either.
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
        shown["screenshot"] = _picture(looking.screenshot if looking is not None else None, config.viewport)
    if "screenshot_som" in config.observe:
        shown["screenshot_som"] = _picture(looking.marked if looking is not None else None, config.viewport)
    if "axtree" in config.observe:
        shown["axtree"] = looking.axtree if looking is not None else ""
    if "dom" in config.observe:
        shown["dom"] = looking.dom if looking is not None else ""
    if "browsergym" in config.observe:
        shown["browsergym"] = browsergym_observation(machine)
    if "message_image" in config.observe:
        image = machine.message_image if machine.phase is Phase.RESTORE else None
        shown["message_image"] = _picture(image, (VIEW_WIDTH_PX, VIEW_HEIGHT_PX))
    if config.max_seconds is not None:
        shown["seconds_left"] = np.array(min(machine.seconds_left, config.max_seconds), np.float32)
    return shown


def _picture(image: NDArray[np.uint8] | None, size: tuple[int, int]) -> NDArray[np.uint8]:
    """Return a copy of a picture, or a blank one of a width and height."""
    return np.zeros((size[1], size[0], 3), np.uint8) if image is None else image.copy()


def _text(machine: Machine) -> str:
    if machine.phase is Phase.RESTORE:
        case = machine.episode.case
        return canonical_json(case.chain.variants[case.variant])
    page = machine.browsing.page if machine.browsing is not None and machine.config.page_text else None
    shown = (page.shown_text,) if page is not None else ()
    return "\n".join((*revision_lines(machine), *shown))


def _elements(machine: Machine) -> str:
    return elements_text(
        machine.phase,
        machine.config,
        machine.recorder.pages,
        actions=machine.browsing.actions if machine.browsing is not None else 0,
        states=machine.recorder.state_count,
        revision=_revision(machine),
    )


def _revision(machine: Machine) -> dict[str, Any] | None:
    lines = len(revision_lines(machine))
    return {"lines": lines, "open": machine.recorder.revised_commit is None} if lines else None


def elements_text(
    phase: Phase,
    config: EnvConfig,
    pages: Mapping[int, ObservedPage],
    *,
    actions: int,
    states: int,
    revision: Mapping[str, Any] | None = None,
) -> str:
    """Return what an observation holds under ``elements``.

    Args:
        phase: The phase.
        config: The settings of the environment.
        pages: What was seen so far, by browse step, in order.
        actions: Browse actions that were carried out.
        states: Distinct page states that were seen.
        revision: What the report phase says of a revision of the restoration, if it takes one.
    """
    if phase is Phase.RESTORE or not pages:
        return ""
    if not config.page_text:
        pages = {step: _wordless(page) for step, page in pages.items()}
    if phase is Phase.REPORT:
        seen = [{"step": step, "path": page.path, "title": page.title} for step, page in pages.items()]
        return canonical_json({"observed_steps": seen, **({} if revision is None else {"revision": revision})})
    step = max(pages)
    page = pages[step]
    shown = {
        "step": canonical_json(step),
        "path": canonical_json(page.path),
        "title": canonical_json(page.title),
        "elements": f"[{','.join([element.canonical for element in page.elements])}]",
        "progress": canonical_json({"executed_action_count": actions, "observed_state_count": states}),
    }
    if page.pictures:
        pictures = [picture.model_dump(mode="json", exclude_none=True) for picture in page.pictures]
        shown["pictures"] = canonical_json(pictures)
    if page.height:
        width, height = config.viewport
        view = {"scroll_y": page.scroll_y, "width": width, "height": height, "page_height": page.height}
        shown["view"] = canonical_json(view)
    if config.scaffold:
        shown["coverage_objectives"] = _OBJECTIVES
    return json_object(shown)


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
