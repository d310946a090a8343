"""The page about reward hacking: it names tests that are there, and figures that come out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from figures import table

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "reward-hacking.md").read_text(encoding="utf-8")


def test_every_test_that_the_page_names_is_there() -> None:
    code = {path.name: path.read_text(encoding="utf-8") for path in HERE.glob("test_*.py")}
    files = set(re.findall(r"`(test_\w+\.py)`", PAGE))
    assert files <= code.keys()
    for name in re.findall(r"`(test_\w+)`", PAGE):
        assert any(f"def {name}(" in text for text in code.values()), name
    assert code.keys() - files <= {Path(__file__).name}, "a file of attacks that the page does not mention"


@pytest.mark.slow
def test_the_figures_of_the_page_are_those_that_come_out() -> None:
    assert "\n".join(table()) in PAGE
