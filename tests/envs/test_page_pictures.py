"""Pictures with text in observations and trajectories, and agents that are given no words of pages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from chain_builder import action_text, commit_text, entry_of, make_chain, make_site, report_text, stop_text

from riskchain_gym.agents.oracle import OracleAgent
from riskchain_gym.agents.view import sighting_of
from riskchain_gym.envs.backends.base import BrowseBackend
from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.envs.backends.fake import FakeBackend
from riskchain_gym.envs.backends.text import TextBackend
from riskchain_gym.envs.cases import Case
from riskchain_gym.envs.config import EnvConfig, check_combination
from riskchain_gym.envs.machine import Episode, Machine
from riskchain_gym.envs.observation import observe
from riskchain_gym.envs.rendering import write
from riskchain_gym.envs.rewards import make_reward
from riskchain_gym.protocol.action import SCROLL_PIXELS, ActionKind, BrowserAction
from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.gold import GoldChain, PathStep
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.session import SiteSession

DRAWN = "请先转入 80 元保证金"


def pictured(above: int = 0) -> CompiledSite:
    """Return a site whose landing page draws a line in a picture, below so many more lines."""
    site = make_site(0, "活动说明")
    home = site.pages["/"].model_dump()
    picture = {"kind": "picture", "drawn": [{"text": "看图说明"}, {"kind": "notice", "text": DRAWN}]}
    home["blocks"] = [*home["blocks"], *({"kind": "text", "text": f"说明 {i}"} for i in range(above)), picture]
    pages = {**site.model_dump()["pages"], "/": home}
    return CompiledSite.model_validate({**site.model_dump(), "pages": pages})


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


def ask_oracle(backend: BrowseBackend, site: CompiledSite, **settings: Any) -> Machine:
    """Return the ended episode of an oracle whose claim and action are the two lines drawn in the site's picture."""
    gold = gold_at("/", DRAWN, key_of(site))
    claim, action = gold.site.atoms
    atoms = (claim.model_copy(update={"text": "看图说明"}), action)
    gold = gold.model_copy(update={"site": gold.site.model_copy(update={"atoms": atoms})})
    machine = playing(backend, site, gold, **settings)
    oracle = OracleAgent()
    oracle.prepare(gold)
    while not machine.over:
        machine.act(oracle.act(observe(machine)))
    assert machine.outcome is not None
    assert machine.outcome.validator.valid
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
    shown = observe(playing(TextBackend(), pictured(), picture_alt=True))
    assert shown["text"].split("\n")[-2:] == ["[图片] 看图说明", f"[图片] {DRAWN}"]
    assert json.loads(shown["elements"])["pictures"][0]["alt"] == f"看图说明\n{DRAWN}"
    assert sighting_of(shown).pictures[0].alt.endswith(DRAWN)


@pytest.mark.parametrize("alt", [False, True])
def test_what_only_a_picture_shows_is_seen_by_text_only_with_alternative_texts(*, alt: bool) -> None:
    site = pictured()
    machine = playing(TextBackend(), site, gold_at("/", DRAWN, key_of(site)), picture_alt=alt)
    assert ("picture_alt" in machine.recorder.trajectory().modalities) is alt
    for action in (stop_text(), report_text(Decision.VIOLATION, "欢迎")):
        machine.act(action)
    assert machine.outcome is not None
    assert machine.outcome.evidence is not None
    assert machine.outcome.evidence.seen == float(alt)


def test_a_bundle_cannot_switch_alternative_texts_on() -> None:
    """What is recorded of an episode is its settings, so they alone decide."""
    site = pictured().model_copy(update={"picture_alt": True})
    assert json.loads(observe(playing(TextBackend(), site))["elements"])["pictures"][0]["alt"] == ""


@pytest.mark.parametrize("alt", [False, True])
def test_people_are_shown_that_there_is_a_picture(*, alt: bool) -> None:
    site = pictured()
    text = f"看图说明\n{DRAWN}" if alt else ""
    last = write(playing(TextBackend(), site, picture_alt=alt)).split("\n")[-2]
    assert last == f"  [{key_of(site)}] picture {text!r}"


def test_the_view_is_told_only_where_pages_have_geometry() -> None:
    assert "view" not in json.loads(observe(playing(TextBackend(), pictured()))["elements"])
    machine = playing(FakeBackend(), viewport=(640, 480))
    machine.act(action_text("scroll_down"))
    view = json.loads(observe(machine)["elements"])["view"]
    assert view == {"scroll_y": SCROLL_PIXELS, "width": 640, "height": 480, "page_height": 2000}


def test_the_oracle_cites_only_what_it_was_shown() -> None:
    """A reader without alternative texts is shown no line of a picture: the label stands, its evidence cannot."""
    for alt, f1 in ((False, 0.0), (True, 1.0)):
        machine = ask_oracle(TextBackend(), pictured(), picture_alt=alt)
        assert machine.outcome is not None
        assert machine.outcome.web_correct == 1
        assert machine.outcome.evidence is not None
        assert machine.outcome.evidence.f1 == f1
        assert machine.outcome.validator.unverifiable == ()
        report = machine.recorder.report
        assert report is not None
        assert (DRAWN in {citation.quote for citation in report.evidence}) is alt


def test_an_invented_quote_of_a_picture_is_filed_and_told_apart() -> None:
    """Nobody has recorded what the picture shows, so it is no error of protocol; gold bears it out or does not."""
    site = pictured()
    machine = playing(TextBackend(), site, gold_at("/", DRAWN, key_of(site)))
    invented = report_text(Decision.VIOLATION, "凭空捏造的一句话", element_id=key_of(site))
    for action in (stop_text(), invented):
        machine.act(action)
    assert machine.outcome is not None
    assert machine.outcome.validator.valid
    assert machine.outcome.flat()["validator.unverifiable"] == "report.evidence.0"
    assert machine.outcome.evidence is not None
    assert (machine.outcome.evidence.unverified, machine.outcome.evidence.precision) == (1.0, 0.0)


@pytest.mark.browser
def test_in_a_browser_the_oracle_scrolls_to_the_picture_and_cites_it() -> None:
    backend = ChromiumBackend()
    try:
        machine = ask_oracle(backend, pictured(above=40), observe=("screenshot",))
    finally:
        backend.close()
    assert machine.outcome is not None
    assert machine.outcome.evidence is not None
    assert (machine.outcome.evidence.f1, machine.outcome.evidence.seen) == (1.0, 1.0)
    assert machine.recorder.pages[0].height > 1600
    scrolls = max(machine.recorder.pages)
    assert scrolls > 0
    assert machine.outcome.validator.unverifiable == ("report.evidence.0", "report.evidence.1")


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


def test_without_page_text_feedback_says_no_word_of_the_page() -> None:
    """Nor do the sentences about an action that was done, that did not work, or that was none."""
    machine = playing(FakeBackend(), observe=("screenshot",), page_text=False)
    for action, told in (
        (action_text("fill", "e1"), "e1 (link): it takes click"),
        (action_text("click", "e4"), "e4 (button): the element is disabled"),
        (action_text("click", "e1"), "e1 (link): done"),
        (action_text("select", "e8", option="个体"), "e8 has no option '个体'. Leave the option out"),
        (action_text("fill", "e7"), "e7 (textbox): done"),
    ):
        machine.act(action)
        assert told in machine.feedback
        page = machine.recorder.pages[max(machine.recorder.pages)]
        words = {w for e in page.elements for w in (e.name, *e.options) if w} | {line.text for line in page.lines}
        assert not [word for word in words if word in machine.feedback]


def test_without_page_text_the_oracle_says_what_it_lacks() -> None:
    _, gold = make_chain(0)
    step = PathStep(action=BrowserAction(action=ActionKind.CLICK, element_id="?"), role="link", name="查看活动")
    gold = gold.model_copy(update={"site": gold.site.model_copy(update={"path": (step,)})})
    machine = playing(FakeBackend(), gold=gold, observe=("screenshot",), page_text=False)
    oracle = OracleAgent()
    oracle.prepare(gold)
    with pytest.raises(ConfigError, match="page_text=true"):
        oracle.act(observe(machine))


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


@pytest.mark.parametrize(
    ("settings", "hint"),
    [
        ({}, "add 'screenshot'"),
        ({"observe": ("screenshot", "axtree")}, "leave out 'axtree'"),
        ({"observe": ("screenshot_som", "dom")}, "leave out 'dom'"),
        ({"observe": ("screenshot",), "picture_alt": True}, "one of them only"),
    ],
)
def test_page_text_off_leaves_screenshots_alone(settings: dict[str, Any], hint: str) -> None:
    with pytest.raises(ConfigError, match=hint):
        check_combination(EnvConfig(page_text=False, **settings), "chain")
