"""Every gate can be passed by reading the page, stands there again in a new session, and looks like the site."""

from __future__ import annotations

from pathlib import Path

import pytest
from site_helpers import KEY, tiny

from riskchain_gym.sites.archetypes import archetype_names, load_archetype
from riskchain_gym.sites.build import build_site
from riskchain_gym.sites.certify import replay
from riskchain_gym.sites.compile import compile_site
from riskchain_gym.sites.library import library
from riskchain_gym.sites.session import SiteSession

KINDS = library().gate_kinds()


def test_the_documented_gates_are_there() -> None:
    codes = {gate.code for gate in library().gates("zh-CN").values()}
    assert {"G1", "G2", "G3", "G4", "G5", "G6", "G7", "G17"} <= codes


@pytest.mark.parametrize("kind", KINDS)
def test_a_gate_can_be_passed_and_stands_again_after_reset(kind: str) -> None:
    site, gold = build_site("order-rebate", KEY, "gate", gates={"hall": kind})
    free, _ = build_site("order-rebate", KEY, "gate", gates={"hall": "none"})
    assert gold.gates == (kind,)
    assert len(site.pages) > len(free.pages)
    pages = list(replay(site, gold.path))
    assert any("报名" in line for page in pages for line in page.lines())
    session = SiteSession(site)
    hall = next(link.to for link in site.nav if link.text == "任务大厅")
    for _ in range(2):
        landing = session.open("/").page
        assert landing is not None
        gate = session.open(hall).page
        assert gate is not None
        assert gate.path != hall
        assert site.operator in gate.lines()
        assert [n.key for n in gate.controls()][: len(site.nav)] == [n.key for n in landing.controls()][: len(site.nav)]
        session.reset()


@pytest.mark.parametrize("kind", ["login", "invite", "slider", "consent", "form2"])
def test_a_gate_refuses_what_is_wrong(kind: str) -> None:
    site, _ = build_site("order-rebate", KEY, "gate", gates={"hall": kind})
    session = SiteSession(site)
    hall = next(link.to for link in site.nav if link.text == "任务大厅")
    gate = session.open(hall).page
    assert gate is not None
    button = next(n for n in gate.controls() if n.kind == "submit")
    assert button.control is not None
    back = session.open(session.post(button.control.action, {}).location).page
    assert back is not None
    assert back.path == gate.path
    assert any(node.kind == "error" for node in back.walk())


def test_an_invitation_is_known_only_after_its_page_was_seen() -> None:
    site, _ = build_site("order-rebate", KEY, "gate", gates={"hall": "invite"})
    session = SiteSession(site)
    hall = next(link.to for link in site.nav if link.text == "任务大厅")
    gate = session.open(hall).page
    assert gate is not None
    box = next(n for n in gate.controls() if n.kind == "input")
    assert session.fixture(gate.path, box.key) == "000000"
    place = next(n for n in gate.controls() if n.kind == "link")
    assert place.control is not None
    shown = session.open(place.control.href).page
    assert shown is not None
    gate = session.open(hall).page
    assert gate is not None
    code = session.fixture(gate.path, box.key)
    assert any(line.endswith(code) for line in shown.lines())


def test_a_server_error_clears_on_retry() -> None:
    site, _ = build_site("order-rebate", KEY, "gate", gates={"hall": "retry"})
    session = SiteSession(site)
    hall = next(link.to for link in site.nav if link.text == "任务大厅")
    statuses = []
    for _ in range(4):
        answer = session.open(hall)
        statuses.append(answer.status)
    assert statuses[0] == 503
    assert statuses[-1] == 200


def test_content_after_steps_opens_by_itself() -> None:
    site, _ = build_site("order-rebate", KEY, "gate", gates={"hall": "steps"})
    session = SiteSession(site)
    hall = next(link.to for link in site.nav if link.text == "任务大厅")
    waiting = session.open(hall).page
    assert waiting is not None
    for _ in range(10):
        session.tick()
    page = session.open(waiting.path).page
    assert page is not None
    assert page.path == hall


def test_no_gate_says_anything_for_or_against_a_label() -> None:
    pages = [page for gate in library().gates("zh-CN").values() for page in gate.pages.values()]
    fillers = [filler for lang in ("zh-CN", "zh-TW", "en") for filler in library().fillers(lang).values()]
    text = "".join(item.model_dump_json() for item in (*pages, *fillers))
    for word in (
        "押金",
        "返利",
        "提现",
        "下注",
        "赔率",
        "保证金",
        "收益",
        "转账",
        "充值",
        "微信",
        "红包",
        "扫码",
        'atom":{',
    ):
        assert word not in text


@pytest.mark.parametrize("name", archetype_names())
def test_a_site_has_no_gate_twice(name: str) -> None:
    for i in range(6):
        gates = compile_site(load_archetype(name), KEY, f"t{i}", "s0").gates
        assert len(set(gates)) == len(gates)


@pytest.mark.parametrize("lang", ["zh-CN", "zh-TW", "en"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_language_has_every_gate(tmp_path: Path, lang: str, kind: str) -> None:
    content = tiny(tmp_path, lambda site: site.update(lang=lang, fillers=[2, 2]))
    site, gold = build_site("tiny-site", KEY, "lang", content=content, gates={"inner": kind})
    assert gold.gates == (kind,)
    assert site.lang == lang


@pytest.mark.parametrize("lang", ["zh-CN", "zh-TW", "en"])
def test_every_filler_page_can_be_shown(tmp_path: Path, lang: str) -> None:
    names = library().fillers(lang)
    assert len(names) >= 8
    content = tiny(tmp_path, lambda site: site.update(lang=lang, fillers=[len(names)] * 2))
    site = compile_site(load_archetype("tiny-site", content), KEY, "f", "s0", content=content).site
    assert len(site.footer) == len(names)
    session = SiteSession(site)
    for link in site.footer:
        answer = session.open(link.to)
        assert answer.page is not None
        assert len(answer.page.lines()) > 8
