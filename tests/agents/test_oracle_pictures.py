"""The oracle on pages with pictures: what it scrolls to, what it cites, and how far its budget goes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from test_chain_agents import click, gold

from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.oracle import OracleAgent, OracleError
from riskchain_gym.protocol.action import SCROLL_PIXELS, ActionKind, BrowserAction
from riskchain_gym.protocol.gold import GoldChain, PathStep
from riskchain_gym.protocol.report import Report

WIDTH, HEIGHT, PAGE_HEIGHT = 1280, 900, 3000
DOWN, UP, STOP = ActionKind.SCROLL_DOWN, ActionKind.SCROLL_UP, ActionKind.STOP
DRAWN = "先转入一百元"


class Board:
    """A page with pictures at given heights and, where the path leads on, a link to nowhere in particular."""

    def __init__(self, *tops: float, budget: int = 30, screenshot: bool = True, pictures: int = 200) -> None:
        self.tops, self.left, self.screenshot, self.pictures = tops, budget, screenshot, pictures
        self.scroll_y = self.step = 0
        self.sent: list[ActionKind] = []
        self.offsets: dict[int, int] = {}

    def observe(self) -> dict[str, Any]:
        self.offsets[self.step] = self.scroll_y
        shown = {
            "step": self.step,
            "path": "/c",
            "title": "t",
            "elements": [{"element_id": "e1", "role": "link", "name": "继续", "capabilities": {"click": True}}],
            "pictures": [
                {"key": f"k{i}", "alt": "", "box": {"x": 20, "y": top, "width": 480, "height": self.pictures}}
                for i, top in enumerate(self.tops)
            ],
            "view": {"scroll_y": self.scroll_y, "width": WIDTH, "height": HEIGHT, "page_height": PAGE_HEIGHT},
        }
        image = {"screenshot": np.zeros((HEIGHT, WIDTH, 3), np.uint8)} if self.screenshot else {}
        text = {"phase": 1, "text": "欢迎", "elements": json.dumps(shown), "feedback": "", "steps_left": self.left}
        return {**text, **image}

    def act(self, text: str) -> ActionKind:
        kind = BrowserAction.model_validate_json(text).action
        self.sent.append(kind)
        if kind is not STOP:
            self.step, self.left = self.step + 1, self.left - 1
        if kind in (DOWN, UP):
            moved = self.scroll_y + (SCROLL_PIXELS if kind is DOWN else -SCROLL_PIXELS)
            self.scroll_y = min(max(moved, 0), PAGE_HEIGHT - HEIGHT)
        return kind

    def shows(self, step: int, picture: int) -> bool:
        top = self.tops[picture] - self.offsets[step]
        return top + self.pictures / 2 <= HEIGHT and top + self.pictures / 2 >= 0


def drawn_gold(*pictures: int, path: tuple[PathStep, ...] = ()) -> GoldChain:
    """Return gold with a claim and an action, drawn in the pictures of these numbers."""
    plain = gold(path, text=DRAWN)
    atoms = tuple(
        atom.model_copy(update={"picture": f"k{i}"}) for atom, i in zip(plain.site.atoms, pictures, strict=True)
    )
    return plain.model_copy(update={"site": plain.site.model_copy(update={"atoms": atoms})})


def investigate(board: Board, chain: GoldChain) -> Report:
    oracle = OracleAgent()
    oracle.prepare(chain)
    oracle.reset(build_instructions(board.left))
    while board.act(oracle.act(board.observe())) is not STOP:
        assert board.left > 0, "the oracle keeps a step for its last look"
    report = {"phase": 2, "text": "", "elements": "", "feedback": "", "steps_left": board.left}
    return Report.model_validate_json(oracle.act(report))


@pytest.mark.parametrize("tops", [(100, 100), (100, 2400), (2400, 100), (790, 1600), (2700, 2200), (810, 810)])
def test_every_picture_comes_into_view_and_is_cited_where_it_was(tops: tuple[float, float]) -> None:
    board = Board(*tops)
    report = investigate(board, drawn_gold(0, 1))
    assert [citation.element_id for citation in report.evidence] == ["k0", "k1"]
    for i, citation in enumerate(report.evidence):
        assert citation.quote == DRAWN
        assert board.shows(citation.step, i)


def test_what_is_in_view_needs_no_scroll() -> None:
    board = Board(300, 500)
    investigate(board, drawn_gold(0, 1))
    assert board.sent == [STOP]


def test_the_path_goes_on_after_scrolling() -> None:
    board = Board(2400, 2400)
    report = investigate(board, drawn_gold(0, 1, path=(click("继续"), click("继续"))))
    assert board.sent == [DOWN, DOWN, DOWN, ActionKind.CLICK, ActionKind.CLICK, STOP]
    assert {citation.step for citation in report.evidence} == {3}


def test_scrolling_takes_no_step_from_the_path() -> None:
    board = Board(100, 2400, budget=4)
    report = investigate(board, drawn_gold(0, 1, path=(click("继续"), click("继续"))))
    assert board.sent == [DOWN, ActionKind.CLICK, ActionKind.CLICK, STOP]
    assert [citation.element_id for citation in report.evidence] == ["k0"]


def test_without_screenshots_pictures_are_neither_looked_for_nor_cited() -> None:
    board = Board(2400, 100, screenshot=False)
    report = investigate(board, drawn_gold(0, 1))
    assert board.sent == [STOP]
    assert [citation.quote for citation in report.evidence] == ["欢迎"]


def test_it_gives_up_on_what_no_scroll_brings_into_view() -> None:
    board = Board(5000, 100)
    report = investigate(board, drawn_gold(0, 1))
    assert board.sent == [DOWN, DOWN, DOWN, DOWN, STOP]
    assert [citation.element_id for citation in report.evidence] == ["k1"]


def test_a_picture_that_never_stood_on_the_path_is_an_error() -> None:
    with pytest.raises(OracleError, match=DRAWN):
        investigate(Board(100), drawn_gold(0, 1))
