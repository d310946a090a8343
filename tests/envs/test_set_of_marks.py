"""The screenshot with set of marks: which elements are framed, where their labels stand, and that it repeats."""

from __future__ import annotations

import json
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from chain_builder import action_text, commit_text, stop_text
from numpy.typing import NDArray

import riskchain_gym  # noqa: F401
from riskchain_gym.protocol.page import Capabilities, ObservedElement, ObservedLine, ObservedPage
from riskchain_gym.protocol.report import Region

pytest.importorskip("PIL")

from riskchain_gym.envs.browser.set_of_marks import _in_view, _places, mark_elements

WIDTH, HEIGHT = 400, 300


def element(number: int, x: float, y: float, width: float = 60, height: float = 24) -> ObservedElement:
    box = Region(x=x, y=y, width=width, height=height)
    return ObservedElement(
        element_id=f"e{number}", role="button", name="n", capabilities=Capabilities(click=True), box=box
    )


def page(*elements: ObservedElement, scroll_y: int = 0, lines: tuple[ObservedLine, ...] = ()) -> ObservedPage:
    return ObservedPage(path="/", title="t", elements=elements, lines=lines, scroll_y=scroll_y, height=2000)


def paper() -> NDArray[np.uint8]:
    return np.full((HEIGHT, WIDTH, 3), 240, np.uint8)


def labels(shown: ObservedPage) -> list[tuple[int, int, int, int]]:
    return _places(_in_view(shown, WIDTH, HEIGHT), shown, WIDTH, HEIGHT)


def overlap(a: tuple[int, int, int, int], b: tuple[int, int, int, int]) -> bool:
    return min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1])


def test_only_what_is_in_view_is_marked() -> None:
    above, inside, below = element(1, 50, 100), element(2, 50, 800), element(3, 50, 1500)
    shown = page(above, inside, below, scroll_y=700)
    assert [mark.element_id for mark in _in_view(shown, WIDTH, HEIGHT)] == ["e2"]
    marked = mark_elements(paper(), shown)
    changed = np.argwhere((marked != paper()).any(axis=2))
    assert changed.min(axis=0).tolist() >= [70, 40]
    assert changed.max(axis=0).tolist() <= [130, 120]


def test_the_inside_of_an_element_stays_as_it_is() -> None:
    marked = mark_elements(paper(), page(element(1, 100, 100)))
    assert (marked[102:122, 102:158] == 240).all()


def test_labels_of_a_crowded_page_cover_neither_each_other_nor_the_text() -> None:
    row = [element(i, 20 + 70 * (i % 5), 60 + 60 * (i // 5)) for i in range(20)]
    words = tuple(ObservedLine(text="x", box=e.box) for e in row if e.box)
    placed = labels(page(*row, lines=words))
    assert len(placed) == 20
    assert not [(a, b) for i, a in enumerate(placed) for b in placed[:i] if overlap(a, b)]
    boxes = [(int(e.box.x), int(e.box.y), int(e.box.x + 60), int(e.box.y + 24)) for e in row if e.box]
    assert not [(a, b) for a in placed for b in boxes if overlap(a, b)]


def test_labels_stay_in_the_picture() -> None:
    corners = [element(1, 0, 0), element(2, 340, 0), element(3, 0, 276), element(4, 340, 276), element(5, 390, 150)]
    for left, top, right, bottom in labels(page(*corners)):
        assert min(left, top) >= 0
        assert right <= WIDTH
        assert bottom <= HEIGHT


def test_an_element_keeps_its_colour_and_the_picture_repeats() -> None:
    first = mark_elements(paper(), page(element(3, 100, 100)))
    again = mark_elements(paper(), page(element(3, 100, 500), scroll_y=400))
    assert np.array_equal(first, again)
    other = mark_elements(paper(), page(element(4, 100, 100)))
    assert first[99, 130].tolist() != other[99, 130].tolist()


def test_a_page_without_boxes_has_no_marks() -> None:
    silent = element(1, 0, 0).model_copy(update={"box": None})
    assert np.array_equal(mark_elements(paper(), page(silent)), paper())


def test_one_capture_serves_both_pictures(split: str) -> None:
    env: Any = gym.make(
        "riskchain_gym:RiskChain-v0", split=split, backend="fake", observe=["screenshot", "screenshot_som", "dom"]
    )
    world = env.unwrapped
    captures: list[int] = []
    shoot = world.backend.screenshot
    world.backend.screenshot = lambda: captures.append(1) or shoot()
    obs, _ = env.reset()
    assert not obs["screenshot_som"].any()
    assert obs["dom"] == ""
    obs, *_ = env.step(commit_text("x.pw.test"))
    assert len(captures) == 1
    assert np.array_equal(obs["screenshot"], obs["screenshot_som"]), "the fake's elements have no boxes"
    assert not np.shares_memory(obs["screenshot"], obs["screenshot_som"])
    assert '<link id="e1">' in obs["dom"]
    obs, *_ = env.step(action_text("click", "e1"))
    assert obs in env.observation_space
    obs, *_ = env.step(stop_text())
    assert not obs["screenshot_som"].any()
    assert json.loads(world.trajectory.model_dump_json())["modalities"] == [
        "text",
        "elements",
        "screenshot",
        "screenshot_som",
        "dom",
    ]
