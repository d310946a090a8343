"""The shape of a contact sheet, and what stands below its pictures; no browser is needed."""

from __future__ import annotations

import math

import pytest

from riskchain_gym.envs.browser.site_sheet import LARGEST_SHEET, SHEET_SHAPES, sheet_columns, site_caption
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.sites.build import build_site

CELLS_PX = {"desktop": (496, 398), "mobile": (250, 566)}


@pytest.mark.parametrize("window", CELLS_PX)
def test_a_sheet_is_no_strip_however_many_sites_it_holds(window: str) -> None:
    width_px, height_px = CELLS_PX[window]
    for count in range(7, LARGEST_SHEET + 1):
        columns = sheet_columns(count, width_px, height_px)
        rows = math.ceil(count / columns)
        shape = columns * width_px / (rows * height_px)
        assert SHEET_SHAPES[0] / 1.15 <= shape <= SHEET_SHAPES[1] * 1.15, (count, columns)
        assert (rows - 1) * columns < count


def test_of_sheets_of_a_good_shape_the_fullest_is_taken() -> None:
    assert sheet_columns(48, *CELLS_PX["desktop"]) == 8
    assert sheet_columns(24, *CELLS_PX["mobile"]) == 9
    assert sheet_columns(1, *CELLS_PX["desktop"]) == 1


def test_a_site_is_named_by_its_id_below_its_picture() -> None:
    site, _ = build_site("order-rebate", key_from_seed(3), "shown")
    first, second = site_caption(site).splitlines()
    assert first == site.site_id
    assert second == f"zh-CN · {site.look.presentation} · {site.look.theme}"
