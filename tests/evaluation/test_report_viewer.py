"""The viewer in a real Chromium, from disk: one report with everything in it, and nothing of it runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from report_cases import HOSTILE, images_of
from run_cases import browsed_only, ended, lost, misjudged, poisoned, remade, trajectories, unreported

from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.evaluation.calls import CallLog, ChainCalls
from riskchain_gym.evaluation.incidents import Incident, IncidentLog
from riskchain_gym.evaluation.judging import JudgedEpisode
from riskchain_gym.evaluation.report.writing import write_report
from riskchain_gym.evaluation.score import score_run
from riskchain_gym.evaluation.store import MEDIA, RunFolder
from riskchain_gym.protocol.control_characters import show_name
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.protocol.outcome import JudgeResult
from riskchain_gym.protocol.report import Region
from riskchain_gym.protocol.trajectory import Trajectory
from riskchain_gym.scoring.judge.questions import ClaimKind, Question, Ruling

pytestmark = pytest.mark.browser

HOSTILE_NAME = show_name(HOSTILE)

PLACES = (
    *("#opened", ".outcome", ".facts dd", ".where", ".strip button", ".side pre", ".act", ".reason", "blockquote"),
    *(".citation .body", ".verdict", ".elements", "#judges", "#asked", "#incidents", "pre.command", ".sent pre"),
)
"""Where in an episode text of a page, an agent, a judge or a file stands."""


HOLDING = """([places, text]) => places.filter((place) => [...document.querySelectorAll(`#stage ${place}`)]
    .some((node) => node.textContent.includes(text) || node.title?.includes(text)))"""


@pytest.fixture(scope="module")
def page(frozen: dict[str, RunFolder], frozen_with_images: RunFolder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of runs that explore, do nothing, judge wrongly, have pictures, begin on the site, and are hostile."""
    folder = tmp_path_factory.mktemp("viewer")
    oracle = trajectories(frozen["oracle"])
    wrong = [(misjudged(t) if n < 2 else t, {}) for n, t in enumerate(oracle)]
    browsed = [(browsed_only(t), {}) for t in oracle[:1]]
    pictured = [(framed(r.trajectory), images_of(frozen_with_images, r.media)) for r in frozen_with_images.records()]
    explorer = frozen["rules+explorer"]
    runs = [
        explorer,
        remade(folder / "wrong", frozen["oracle"], wrong, agent="half-right"),
        remade(folder / "pictured", frozen_with_images, pictured, agent="pictured"),
        remade(folder / "browsed", frozen["oracle"], browsed, agent="browsed", env_id="RiskChainBrowse-v0"),
        hostile(folder / "x<b>&", frozen["oracle"]),
    ]
    for run in runs[1:]:
        score_run(run)
    (folder / "pictured" / MEDIA / another_picture(frozen_with_images)[1]).unlink()
    return write_report(runs, folder / "report", [])


def framed(trajectory: Trajectory) -> Trajectory:
    """The episode with a first citation that frames a part of the landing view."""
    assert trajectory.report is not None
    first, *others = trajectory.report.evidence
    region = Region(x=100, y=200, width=300, height=50)
    cited = first.model_copy(update={"step": 0, "element_id": None, "region": region, "quote": ""})
    report = trajectory.report.model_copy(update={"evidence": (cited, *others)})
    return trajectory.model_copy(update={"report": report})


def another_picture(run: RunFolder) -> tuple[str, str]:
    """Return the step of a screenshot that is not that of the landing view, and its file."""
    media = next(run.records()).media
    return next((step, name) for step, name in media.items() if name != media["0"])


def hostile(path: Path, like: RunFolder) -> RunFolder:
    """A run with an episode of each end, full of hostile text, in its calls, incidents and judge's answers too."""
    a, b, c, d = trajectories(like)
    made = [(lost(a), {}), (ended(b), {}), (unreported(c), {}), (poisoned(d, HOSTILE), {})]
    run = remade(path, like, made, agent=HOSTILE)
    record = list(run.records())[-1]
    question = Question(key="k", kind=ClaimKind.FOLLOWS, claim=HOSTILE, place=HOSTILE)
    ruling = Ruling(key="k", answer=None, why=HOSTILE, error=HOSTILE, raw=HOSTILE)
    said = JudgedEpisode(
        chain_id=d.chain_id,
        episode=record.hash,
        result=JudgeResult(status="judge_error", judge=HOSTILE),
        questions=(question,),
        rulings=(ruling,),
        error=HOSTILE,
    )
    (path / "judged-x<b>.jsonl").write_bytes(canonical_json(said).encode() + b"\n")
    call = CallRecord(
        phase="browse", step=0, detail=HOSTILE, model=HOSTILE, seconds=1, attempts=1, answers=1, characters=1
    )
    CallLog(path).add(ChainCalls(chain_id=d.chain_id, calls=(call,), lost="x", detail=HOSTILE))
    CallLog(path).add(ChainCalls(chain_id=d.chain_id, calls=(call,)))
    IncidentLog(path).add(Incident(chain_id=d.chain_id, variant=HOSTILE, cause=HOSTILE, detail=HOSTILE))
    return run


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    from riskchain_gym.envs.browser.find import find_chromium

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(find_chromium()), args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser: Any, page: Path) -> Any:
    """Opens the report at a place; whatever it complains about, tries to run or asks for elsewhere fails the test."""

    @contextmanager
    def at(*parts: str, width: int = 1280, fragment: str | None = None) -> Iterator[Any]:
        problems: list[str] = []
        tab = browser.new_page(viewport={"width": width, "height": 800})
        tab.set_default_timeout(5_000)
        tab.on("dialog", lambda dialog: (problems.append(dialog.message), dialog.dismiss()))
        tab.on("pageerror", lambda error: problems.append(str(error)))
        tab.on("console", lambda message: problems.append(message.text))
        tab.on("request", lambda sent: problems.append(sent.url) if sent.url[:5] != "file:" else None)
        tab.goto(page.as_uri() + ("#/" + "/".join(map(encoded, parts)) if fragment is None else fragment))
        yield tab
        tab.close()
        assert problems == []

    return at


def encoded(part: str) -> str:
    return quote(part, safe="")


def told(tab: Any) -> str:
    return str(tab.inner_text(".told:visible"))


def test_one_filters_sorts_opens_and_goes_back(opened: Any, frozen: dict[str, RunFolder]) -> None:
    with opened() as tab:
        assert told(tab) == "15 of 15 episodes"
        tab.select_option("select[name=agent]", "half-right")
        assert told(tab) == "4 of 15 episodes"
        assert "wrong (2)" in tab.inner_text("select[name=result]")
        assert "not scored (0)" in tab.inner_text("select[name=result]")
        tab.select_option("select[name=result]", "wrong")
        assert told(tab) == "2 of 15 episodes"
        tab.click("#list th >> text=Chain")
        chains = tab.locator("#list tbody a").all_text_contents()
        assert chains == sorted(chains)
        tab.click("#list th >> text=Chain")
        assert tab.locator("#list tbody a").all_text_contents() == chains[::-1]
        assert tab.get_attribute("#list th[aria-sort=descending]", "aria-sort") == "descending"
        tab.reload()
        assert told(tab) == "2 of 15 episodes", "filters are in the address"
        tab.click("#list tbody tr")
        assert chains[1] in tab.inner_text("#opened")
        assert "1 of 2" in tab.inner_text(".stage-bar")
        tab.keyboard.press("j")
        tab.wait_for_selector("text=2 of 2")
        tab.keyboard.press("Escape")
        tab.wait_for_selector("#list tr")
        assert told(tab) == "2 of 15 episodes"
        tab.keyboard.press("j")
        tab.keyboard.press("j")
        tab.keyboard.press("Enter")
        tab.wait_for_selector("text=2 of 2")
        tab.keyboard.press("/")
        tab.wait_for_selector("#search:focus")
        tab.click("text=Clear")
        tab.keyboard.press("/")
        tab.keyboard.type("no such thing")
        assert "Nothing matches" in tab.inner_text("#list")


def test_one_walks_through_the_steps_by_keyboard(opened: Any, frozen: dict[str, RunFolder]) -> None:
    chain = frozen["oracle"].manifest.chains[0]
    with opened("run", "rules+explorer", chain, "2") as tab:
        assert "Step 2 of" in tab.inner_text(".where")
        tab.keyboard.press("ArrowRight")
        assert "Step 3 of" in tab.inner_text(".where")
        tab.keyboard.press("ArrowLeft")
        tab.keyboard.press("ArrowLeft")
        assert tab.url.endswith("/1")
        tab.click("button >> text=Changes")
        assert tab.locator("pre.diff ins, pre.diff del").count() > 0
        tab.click("button >> text=Controls")
        assert tab.locator("tr.acted").count() == 1
        tab.keyboard.press("?")
        assert tab.locator("dialog[open]").count() == 1
        tab.keyboard.press("Escape")
        assert tab.locator("dialog[open]").count() == 0
        assert "Run it again" in tab.inner_text("#stage")
        assert f"--chain {chain}" in tab.inner_text("pre.command")


def test_two_runs_stand_beside_each_other_with_their_flips(opened: Any) -> None:
    with opened("compare", "rules+explorer", "half-right") as tab:
        assert told(tab) == "4 of 4 chains"
        lost_by = tab.locator("#stage tbody .pill >> text=A right → B wrong").count()
        assert lost_by > 0
        tab.select_option("select[name=flip]", "worse")
        assert told(tab) == f"{lost_by} of 4 chains"
        assert "Accw" in tab.inner_text(".differences >> nth=0")
        assert "95 % interval" in tab.inner_text("#stage")
        tab.click(".episodes tbody tr")
        tab.wait_for_selector(".sides")
        assert "A right → B wrong" in tab.inner_text("#opened")
        before = tab.locator(".where").all_inner_texts()
        tab.keyboard.press("ArrowRight")
        assert tab.locator(".where").all_inner_texts() != before
        tab.keyboard.press("Escape")
        tab.wait_for_selector(".differences")
        assert told(tab) == f"{lost_by} of 4 chains"


def test_differences_are_a_minus_b_in_whichever_order_two_runs_are_asked_for(opened: Any) -> None:
    def differences(*names: str) -> list[list[str]]:
        with opened("compare", *names) as tab:
            head = tab.locator(".differences >> nth=0").locator("thead th").all_text_contents()
            assert head[1:3] == [f"A: {names[0]}", f"B: {names[1]}"]
            rows = tab.locator(".differences >> nth=0").locator("tbody tr")
            return [row.locator("td").all_text_contents() for row in rows.all()]

    def turned(shown: str) -> str:
        value = -float(shown)
        return f"{value + 0.0:+.{len(shown.split('.')[1])}f}"

    there, back = differences("rules+explorer", "half-right"), differences("half-right", "rules+explorer")
    assert any(float(row[2]) > 0 for row in there)
    for (first, second, difference, interval, mark), other in zip(there, back, strict=True):
        low, high = interval.strip("[]").split(", ")
        assert other == [second, first, turned(difference), f"[{turned(high)}, {turned(low)}]", mark]


@pytest.mark.parametrize(
    ("fragment", "said"),
    [
        ("#/run/nobody/c1/0", "no episode of nobody on chain c1"),
        ("#/run/%zz/%E0%A4%A/x", "no episode of"),
        ("#/run", "no episode of"),
        ("#/compare/a/b", "no run called a"),
        ("#/pair/rules%2Bexplorer/nobody/c", "does not have chain"),
        ("#/elsewhere", "is not one of this report"),
    ],
)
def test_a_link_to_what_is_not_there_says_so(opened: Any, fragment: str, said: str) -> None:
    with opened(fragment=fragment) as tab:
        assert said in tab.inner_text("#stage")
        tab.click("#stage a >> text=List")
        tab.wait_for_selector("#list tbody tr")


def test_a_step_that_is_not_there_is_said_to_be_missing(opened: Any, frozen: dict[str, RunFolder]) -> None:
    with opened("run", "rules+explorer", frozen["oracle"].manifest.chains[0], "999") as tab:
        assert "has no step 999" in tab.inner_text("#stage")


def test_an_episode_whose_file_is_gone_says_so(browser: Any, page: Path, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_bytes(page.read_bytes())
    tab = browser.new_page()
    tab.goto((tmp_path / "index.html").as_uri())
    tab.click("#list a >> nth=0")
    tab.wait_for_selector("text=Its data file is not there")
    tab.close()


def test_hostile_text_is_shown_and_never_run(opened: Any, frozen: dict[str, RunFolder]) -> None:
    chain = frozen["oracle"].manifest.chains[3]
    found: set[str] = set()
    with opened() as tab:
        assert HOSTILE_NAME in tab.text_content("table.scores")
        assert HOSTILE_NAME in tab.text_content("#list")
        tab.goto(tab.url.partition("#")[0] + "#/run/" + "/".join(map(encoded, (HOSTILE_NAME, chain, "0"))))
        tab.wait_for_selector("pre.command")
        assert "·U+202E" in tab.inner_text("#message")
        for name in ("Page text", "Changes", "Controls"):
            tab.click(f"button >> text={name}")
            found.update(tab.evaluate(HOLDING, [list(PLACES), "onerror=alert"]))
        tab.goto(tab.url.partition("#")[0] + "#/pair/" + "/".join(map(encoded, ("half-right", HOSTILE_NAME, chain))))
        tab.wait_for_selector(".sides")
        assert HOSTILE_NAME in tab.text_content(".sides")
        assert tab.locator("img[src=x]").count() == 0
        assert tab.locator("style").count() == 1
        assert tab.locator("script").count() == 2
        assert tab.locator("h1").is_visible()
    assert found == set(PLACES)


def test_every_end_of_an_episode_is_told(opened: Any, frozen: dict[str, RunFolder]) -> None:
    told = ("has no score", "The site was never opened", "No valid report")
    for chain, sentence in zip(frozen["oracle"].manifest.chains, told, strict=False):
        with opened("run", HOSTILE_NAME, chain, "0") as tab:
            tab.wait_for_selector("pre.command")
            assert sentence in tab.inner_text("#stage")


def test_who_begins_on_the_site_is_asked_for_no_entry(opened: Any, frozen: dict[str, RunFolder]) -> None:
    with opened("run", "browsed", frozen["oracle"].manifest.chains[0], "0") as tab:
        assert "gate not asked" in tab.locator(".outcome .pill").all_text_contents()
        assert tab.locator(".facts .pill").all_text_contents() == ["not asked", "not asked"]
        assert "Nothing was restored" not in tab.inner_text("#stage")


def test_screenshots_are_shown_and_a_missing_one_is_said_to_be_missing(
    opened: Any, frozen_with_images: RunFolder
) -> None:
    with opened("run", "pictured", frozen_with_images.manifest.chains[0], "0") as tab:
        tab.wait_for_selector(".shot img")
        assert tab.locator(".shot img").evaluate("(image) => image.decode().then(() => image.naturalWidth)") == 1280
        assert tab.locator(".shot .overlay.cite").count() == 1
        assert tab.locator(".citation .crop img").count() > 0
        tab.click(f"[aria-label='Step {another_picture(frozen_with_images)[0]}']")
        assert tab.inner_text(".shot") == "screenshot is missing"


def test_the_message_shows_what_nobody_sees(opened: Any, frozen: dict[str, RunFolder]) -> None:
    with opened("run", "rules+explorer", frozen["oracle"].manifest.chains[0], "0") as tab:
        tab.click("button >> text=v005")
        assert "↵" in tab.locator(".box >> text=As sent").locator("..").inner_text()
        tab.click("text=Code points")
        assert tab.locator(".points small").count() > 0
        tab.click("summary >> text=How it was disguised")
        assert tab.locator(".trace li ins").count() > 0
        tab.click("button >> text=v004")
        assert tab.locator(".facts .pill").all_text_contents() == ["not restored", "not restored"]


@pytest.mark.parametrize("where", ["list", "run", "compare", "pair"])
def test_it_fits_a_phone(opened: Any, frozen: dict[str, RunFolder], where: str) -> None:
    chain, two = frozen["oracle"].manifest.chains[0], ("rules+explorer", "half-right")
    parts = {
        "list": (),
        "run": ("run", two[0], chain, "1"),
        "compare": ("compare", *two),
        "pair": ("pair", *two, chain),
    }
    with opened(*parts[where], width=390) as tab:
        tab.wait_for_selector(
            {"list": "#list tr", "run": "pre.command", "compare": ".differences", "pair": ".sides"}[where]
        )
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390
        assert "rules+<wbr>explorer" in tab.inner_html("table.scores")
