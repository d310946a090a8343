"""Canonical JSON that is put together by hand or kept says what the plain way says."""

from __future__ import annotations

import pickle

import pytest

from riskchain_gym.protocol.action import ActionErrorKind, ActionResult, ActionStatus
from riskchain_gym.protocol.model import canonical_json, json_object, sha256_of
from riskchain_gym.protocol.page import Capabilities, ObservedElement, ObservedLine, ObservedPage, ObservedPicture
from riskchain_gym.protocol.report import Region
from riskchain_gym.protocol.trajectory import GENESIS, Phase, Step

NASTY = '引号" 反斜\\ 换行\n 制表\t 空\x00 删\x7f \u2028 \ud800 😀 \u3000'
BOX = Region(x=1.5, y=0.0, width=3e-7, height=1e16)


def element(**values: object) -> ObservedElement:
    return ObservedElement.model_validate(
        {"element_id": "e1", "role": "link", "name": "名", "capabilities": Capabilities(click=True), **values}
    )


ELEMENTS = [
    element(),
    element(name='a"b\\c\n\t\x00\x7f\u2028😀\u3000', placeholder="…", type="tel", options=("", '"甲"', "乙")),
    element(disabled=True, checked=True, has_value=True, capabilities=Capabilities(fill=True, check=True, select=True)),
    element(box=BOX, capabilities=Capabilities(submit=True)),
]


@pytest.mark.parametrize("given", ELEMENTS)
def test_an_element_written_by_hand_is_its_canonical_json(given: ObservedElement) -> None:
    assert given.canonical == canonical_json(given.model_dump(mode="json", exclude_none=True))


def test_a_state_hash_is_the_hash_of_everything_but_geometry() -> None:
    page = ObservedPage(
        path="/k3f9?q=1",
        title='题"',
        status=404,
        lines=(ObservedLine(text="一\n"), ObservedLine(text="", box=BOX)),
        elements=tuple(ELEMENTS),
        pictures=(ObservedPicture(key="k1", alt="图\n文", box=BOX),),
        scroll_y=700,
        height=5000,
    )
    seen = page.model_dump(mode="json", exclude={"scroll_y", "height"})
    for part in (*seen["elements"], *seen["pictures"]):
        del part["box"]
    assert page.state_hash() == sha256_of({**seen, "lines": [line.text for line in page.lines]})


def test_a_step_hash_is_the_hash_of_all_other_fields_but_geometry() -> None:
    step = Step(
        index=3,
        phase=Phase.BROWSE,
        browse_step=2,
        action='{"action":"click"}',
        result=ActionResult(status=ActionStatus.ERROR, error=ActionErrorKind.NO_HISTORY),
        feedback="“没有”",
        page="0" * 64,
        strikes=1,
        scroll_y=700,
        previous=GENESIS,
    )
    assert step.sealed().hash == sha256_of(step.model_dump(mode="json", exclude={"hash", "scroll_y"}))
    assert step.sealed().expected_hash() == step.sealed().hash


def test_an_object_of_canonical_texts_is_canonical() -> None:
    members = {"b": [1, 2.5, None], "a": NASTY, "\u4e00": {"y": True, "x": ""}, "ab": "", 'q"': 0}
    assert json_object({name: canonical_json(value) for name, value in members.items()}) == canonical_json(members)
    assert json_object({}) == "{}"


def test_a_changed_copy_keeps_nothing_that_was_derived() -> None:
    page = ObservedPage(path="/", title="旧", elements=(element(),))
    before, shown = page.state_hash(), page.elements[0].canonical
    other = page.model_copy(update={"title": "新", "elements": (page.elements[0].model_copy(update={"name": "新"}),)})
    assert other.state_hash() == ObservedPage.model_validate(other.model_dump()).state_hash() != before
    assert other.elements[0].canonical != shown
    assert page.scrolled(9).state_hash() == before
    assert page.scrolled(0) is page


def test_a_pickle_holds_the_values_alone() -> None:
    page = ObservedPage(path="/", title="页", elements=(element(),))
    plain = pickle.dumps(page)
    page.state_hash()
    assert pickle.dumps(page) == plain
    assert pickle.loads(plain) == page
