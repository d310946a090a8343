"""Screenshots: grey where the text under a box has a masked span, in the coordinates of the viewport."""

from __future__ import annotations

import io

import pytest
from judged_episodes import GOOD, RULES, episode, reported, seen

from riskchain_gym.protocol.page import Capabilities, ObservedElement, ObservedLine, ObservedPage, ObservedPicture
from riskchain_gym.protocol.report import Region
from riskchain_gym.scoring.judge.present import present
from riskchain_gym.scoring.redaction.pictures import GREY, grey_out, masked_boxes
from riskchain_gym.scoring.redaction.text import Redactor

PHONE = "电话 138 0013 8000"


def box(y: float, height: float = 20) -> Region:
    return Region(x=20, y=y, width=100, height=height)


def page(scroll_y: int = 0) -> ObservedPage:
    button = ObservedElement(
        element_id="e1", role="button", name="拨打 13800138000", capabilities=Capabilities(click=True), box=box(300)
    )
    return ObservedPage(
        path="/",
        title="t",
        lines=(
            ObservedLine(text="规则", box=box(0)),
            ObservedLine(text=PHONE, box=box(100)),
            ObservedLine(text=PHONE, box=box(1000)),
            ObservedLine(text=PHONE),
        ),
        elements=(button, button.model_copy(update={"element_id": "e2", "name": "首页", "box": box(340)})),
        pictures=(
            ObservedPicture(key="k1", alt=f"说明\n{PHONE}", box=box(400, 80)),
            ObservedPicture(key="k2", alt="说明", box=box(500, 80)),
            ObservedPicture(key="k3", box=box(600, 80)),
        ),
        scroll_y=scroll_y,
    )


def tops(scroll_y: int) -> list[tuple[float, float]]:
    return [(region.y, region.height) for region in masked_boxes(page(scroll_y), Redactor())]


def test_lines_controls_and_pictures_with_a_masked_span_are_covered() -> None:
    assert tops(0) == [(96, 28), (996, 28), (396, 88), (296, 28)]
    first = masked_boxes(page(), Redactor())[0]
    assert (first.x, first.width) == (16, 108)


def test_boxes_move_with_the_view_and_those_above_it_are_gone() -> None:
    assert tops(110) == [(0, 14), (886, 28), (286, 88), (186, 28)]
    assert tops(130) == [(866, 28), (266, 88), (166, 28)]


def test_a_control_is_covered_for_its_placeholder_and_its_options() -> None:
    field = ObservedElement(
        element_id="e1",
        role="combobox",
        name="门店",
        options=("请选择", PHONE),
        capabilities=Capabilities(),
        box=box(50),
    )
    assert masked_boxes(ObservedPage(path="/", title="t", elements=(field,)), Redactor())
    plain = field.model_copy(update={"options": ("请选择",)})
    assert masked_boxes(ObservedPage(path="/", title="t", elements=(plain,)), Redactor()) == ()


def test_the_pixels_are_grey_there_and_untouched_elsewhere() -> None:
    image = pytest.importorskip("PIL.Image")
    buffer = io.BytesIO()
    image.new("RGB", (200, 150), (255, 0, 0)).save(buffer, "PNG")
    covered = image.open(io.BytesIO(grey_out(buffer.getvalue(), masked_boxes(page(), Redactor()))))
    assert covered.format == "PNG"
    assert covered.size == (200, 150)
    spots = [(16, 96), (124, 124), (60, 110), (15, 110), (60, 95), (126, 110), (60, 10)]
    assert [covered.getpixel(spot) == GREY for spot in spots] == [True, True, True, False, False, False, False]
    assert covered.getpixel((60, 10)) == (255, 0, 0)
    assert grey_out(b"not an image", ()) == b"not an image"


def test_a_bundle_holds_the_redacted_screenshots_of_its_views_outside_the_json() -> None:
    image = pytest.importorskip("PIL.Image")
    buffer = io.BytesIO()
    image.new("RGB", (400, 200), (255, 0, 0)).save(buffer, "PNG")
    shot = buffer.getvalue()
    whole = episode(reported(*GOOD), {1: seen("/rules", *RULES, PHONE)})
    bundle = present(whole, {0: shot, 1: shot, 7: shot})
    assert bundle is not None
    assert list(bundle.images) == [0, 1]
    assert bundle.images[0] == shot
    assert image.open(io.BytesIO(bundle.images[1])).getpixel((30, 95)) == GREY
    assert "images" not in bundle.model_dump()
