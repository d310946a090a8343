"""The search tells apart what a condition can count, and says so when it gave up instead of finding no way."""

from __future__ import annotations

from typing import Any

import pytest

from riskchain_gym.protocol.codebook import AnchorType, Component
from riskchain_gym.protocol.gold import EvidenceAtom
from riskchain_gym.sites import search
from riskchain_gym.sites.blocks import ButtonBlock, TextBlock
from riskchain_gym.sites.certify import CertificateError, find_path
from riskchain_gym.sites.compiled import CompiledAction, CompiledPage, CompiledSite, Look
from riskchain_gym.sites.focus import MAX_ACTIONS, Focus

ATOM = EvidenceAtom(
    atom_id="a", component=Component.LIMITATION, anchor=AnchorType.ENVIRONMENT_LIMITATION, path="/", text="正文缺失"
)


def site(when: str, **state: Any) -> CompiledSite:
    """Return a site of one page whose line is shown on a condition; its button notes the number of steps."""
    line = TextBlock(kind="text", text=ATOM.text, when=when)
    return CompiledSite(
        site_id="s",
        operator="甲社",
        slogan="慢慢来",
        lang="zh-CN",
        look=Look(presentation="portal", theme="clean", hue=1, art_seed=1),
        nav=(),
        state=state,
        pages={"/": CompiledPage(title="首页", blocks=(line, ButtonBlock(kind="button", text="开始", do="go")))},
        actions={"/go": CompiledAction(set={"start": "{{ steps }}"} if "start" in state else {}, go="/")},
    )


@pytest.mark.parametrize(
    ("when", "state", "actions"),
    [
        ("steps >= 21", {}, 21),
        ("steps > 4", {}, 5),
        ("steps > 29", {}, 30),
        ("steps - 2 > 3 + 4", {}, 10),
        ("visits.home > 2 * 4", {}, 8),
        ("visits.home >= 5", {}, 4),
        ("visits.home > 20", {}, 20),
        ("visits.home|string == '7'", {}, 6),
        ("steps >= wait", {"wait": 6}, 6),
        ("visits.home > wait", {"wait": 6}, 6),
        ("start > 0 and steps >= start + 4", {"start": 0}, 5),
        ("ready and steps > 6", {"ready": True}, 7),
    ],
)
def test_a_line_that_waits_is_found(when: str, state: dict[str, Any], actions: int) -> None:
    assert len(find_path(site(when, **state), [ATOM])) == actions


@pytest.mark.parametrize(
    ("when", "state", "kept"),
    [
        ("steps > 2", {}, (1, 3)),
        ("visits.home > 2 and ready", {"ready": True}, (3, 1)),
        ("visited.home and steps > 5", {}, (1, 6)),
        ("visits.home > rounds", {"rounds": 2}, (MAX_ACTIONS + 1, MAX_ACTIONS + 1)),
    ],
)
def test_counts_beyond_what_is_asked_are_one(when: str, state: dict[str, Any], kept: tuple[int, int]) -> None:
    """So that a short wait makes few states."""
    assert Focus(site(when, **state), [ATOM]).kept == kept


@pytest.mark.parametrize("when", ["steps > 40", "visits.home > 40", "steps < 0"])
def test_a_line_out_of_reach_is_told(when: str) -> None:
    with pytest.raises(CertificateError, match="cannot be seen: no way through the site of up to 30 actions"):
        find_path(site(when), [ATOM])


def test_giving_up_is_not_finding_no_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_MAX_STATES", 10)
    with pytest.raises(CertificateError, match=r"limitation atom '正文缺失' on / gave up after 10 states") as caught:
        find_path(site("steps >= 21"), [ATOM])
    assert "cannot be seen" not in str(caught.value)
