"""Pictures with text in observations and trajectories, and agents that are given no words of pages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from chain_builder import action_text, commit_text, entry_of, make_chain, make_site, report_text, stop_text

from riskchain_gym.agents.oracle import OracleAgent
from riskchain_gym.agents.view import sighting_of
from riskchain_gym.envs.backends.base import BrowseBackend
from riskchain_gym.envs.backends.fake import FakeBackend
from riskchain_gym.envs.backends.text import TextBackend
from riskchain_gym.envs.cases import Case
from riskchain_gym.envs.config import EnvConfig, check_combination
from riskchain_gym.envs.machine import Episode, Machine
from riskchain_gym.envs.observation import observe
from riskchain_gym.envs.rewards import make_reward
from riskchain_gym.protocol.action import SCROLL_PIXELS
from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.session import SiteSession

DRAWN = "请先转入 80 元保证金"


def pictured(*, alt: bool = False) -> CompiledSite:
    """Return a site whose landing page draws a line in a picture."""
    site = make_site(0, "活动说明")
    home = site.pages["/"].model_dump()
    picture = {"kind": "picture", "drawn": [{"text": "看图说明"}, {"kind": "notice", "text": DRAWN}]}
    home["blocks"] = [*home["blocks"], picture]
    pages = {**site.model_dump()["pages"], "/": home}
    return CompiledSite.model_validate({**site.model_dump(), "pages": pages, "picture_alt": alt})


def gold_at(path: str, text: str, picture: str = "") -> GoldChain:
    """Return gold whose only atoms are a claim and an action of that text."""
    _, gold = make_chain(0)
    atoms = tuple(a.model_copy(update={"path": path, "text": text, "picture": picture}) for a in gold.site.atoms)
    return gold.model_copy(update={"site": gold.site.model_copy(update={"atoms": atoms})})


def playing(
    backend: BrowseBackend, site: CompiledSite | None = None, gold: GoldChain | None = None, **settings: Any
) -> Machine:
    """Return an episode whose landing page is shown."""
    config = EnvConfig(**settings)
    public, plain = make_chain(0)
    public = public if site is None else public.model_copy(update={"site": site})
    episode = Episode(Case(public, "v000"), "reference", make_reward(config, "chain", None), gold or plain)
    machine = Machine("chain", config, episode, backend)
    machine.act(commit_text(entry_of(0)))
    return machine


def key_of(site: CompiledSite) -> str:
    page = SiteSession(site).open("/").page
    assert page is not None
    return page.pictures()[0][0]


def test_a_picture_is_listed_and_its_words_are_nowhere() -> None:
    machine = playing(TextBackend(), pictured())
    shown = observe(machine)
    assert DRAWN not in json.dumps({k: str(v) for k, v in shown.items()}, ensure_ascii=False)
    assert json.loads(shown["elements"])["pictures"] == [{"key": key_of(pictured()), "alt": ""}]
    assert DRAWN not in machine.recorder.trajectory().model_dump_json()
    assert "pictures" not in json.loads(observe(playing(TextBackend()))["elements"])


def test_alternative_texts_are_given_to_who_reads() -> None:
    shown = observe(playing(TextBackend(), pictured(alt=True)))
    assert shown["text"].split("\n")[-2:] == ["[图片] 看图说明", f"[图片] {DRAWN}"]
    assert json.loads(shown["elements"])["pictures"][0]["alt"] == f"看图说明\n{DRAWN}"
    assert sighting_of(shown).pictures[0].alt.endswith(DRAWN)


@pytest.mark.parametrize("alt", [False, True])
def test_what_only_a_picture_shows_is_seen_by_text_only_with_alternative_texts(*, alt: bool) -> None:
    site = pictured(alt=alt)
    machine = playing(TextBackend(), site, gold_at("/", DRAWN, key_of(site)))
    for action in (stop_text(), report_text(Decision.VIOLATION, "欢迎")):
        machine.act(action)
    assert machine.outcome is not None
    assert machine.outcome.evidence is not None
    assert machine.outcome.evidence.seen == float(alt)


def test_the_oracle_points_at_pictures() -> None:
    site = pictured()
    gold = gold_at("/", DRAWN, key_of(site))
    machine = playing(TextBackend(), site, gold)
    oracle = OracleAgent()
    oracle.prepare(gold)
    for _ in range(2):
        machine.act(oracle.act(observe(machine)))
    assert machine.outcome is not None
    assert machine.outcome.web_correct == 1
    assert machine.strikes == 0


def test_trajectories_say_what_was_given_and_how_far_pages_were_scrolled() -> None:
    machine = playing(FakeBackend(), observe=("screenshot", "message_image"))
    machine.act(action_text("scroll_down"))
    told = machine.recorder.trajectory()
    assert told.modalities == ("text", "elements", "screenshot")
    assert told.viewport == (1280, 900)
    assert [page.scroll_y for page in told.browse_steps().values()] == [0, SCROLL_PIXELS]
    assert len(told.pages) == 1


def test_without_page_text_there_is_not_a_word_of_the_page() -> None:
    machine = playing(FakeBackend(), observe=("screenshot",), page_text=False)
    shown = observe(machine)
    assert shown["text"] == ""
    elements = json.loads(shown["elements"])
    assert elements["title"] == ""
    assert {element["name"] for element in elements["elements"]} == {""}
    assert all(element["element_id"] for element in elements["elements"])
    machine.act(stop_text())
    assert {step["title"] for step in json.loads(observe(machine)["elements"])["observed_steps"]} == {""}
    assert machine.recorder.trajectory().modalities == ("screenshot",)


@pytest.mark.parametrize(("actions", "seen"), [(("click",), 1.0), (("scroll_down", "click"), 0.0)])
def test_a_screenshot_alone_shows_what_is_in_the_viewport(actions: tuple[str, ...], seen: float) -> None:
    """The notice comes up near the top of the page, which is out of view once the page was scrolled."""
    for page_text, expected in ((False, seen), (True, 1.0)):
        gold = gold_at("/", "公告：今日 10:00 开放")
        machine = playing(FakeBackend(), gold=gold, observe=("screenshot",), page_text=page_text)
        for action in actions:
            machine.act(action_text(action, "e3" if action == "click" else None))
        machine.act(stop_text())
        machine.act(report_text(Decision.VIOLATION, "欢迎来到首页"))
        assert machine.outcome is not None
        assert machine.outcome.evidence is not None
        assert machine.outcome.evidence.seen == expected


def test_page_text_off_needs_screenshots() -> None:
    with pytest.raises(ConfigError, match="add 'screenshot'"):
        check_combination(EnvConfig(page_text=False), "chain")
