"""The report page: one file that needs nothing else and in which nothing of a page or an agent can run."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from run_cases import browsed_only, ended, lost, misjudged, poisoned, remade, trajectories, unreported

from riskchain_gym.evaluation.report import write_report
from riskchain_gym.evaluation.score import score_run
from riskchain_gym.evaluation.store import MEDIA, SCORES, RunFolder
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.page import Capabilities, ObservedElement, ObservedLine, ObservedPicture
from riskchain_gym.protocol.report import Region

HOSTILE = "</script><img src=x onerror=alert(1)>{{ 7*7 }}\u202e<!--<script>"

PLACES = ("h2", ".badges", ".facts dd", ".side b", ".side p", ".side pre", "details", "blockquote", ".citation .body")


def embedded(page: Path, name: str) -> Any:
    """Return the JSON in one of the page's data elements, read as a browser does: up to the first end tag."""
    found = re.search(rf'<script type="application/json" id="{name}">(.*?)</script', page.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return json.loads(found[1])


@pytest.fixture(scope="module")
def page(frozen: dict[str, RunFolder], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "index.html"
    assert write_report(list(frozen.values()), path) == path
    return path


@pytest.fixture(scope="module")
def every_end(frozen: dict[str, RunFolder], tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run with one episode of each end: lost, ⊥, without a report, and full of hostile text."""
    a, b, c, d = trajectories(frozen["oracle"])
    made = [(lost(a), {}), (ended(b), {}), (unreported(c), {}), (poisoned(d, HOSTILE), {})]
    run = remade(tmp_path_factory.mktemp("ends") / "run", frozen["oracle"], made, agent=HOSTILE)
    score_run(run)
    return run


# -- the file ---------------------------------------------------------------------------------------------------------


def test_it_is_self_contained(page: Path) -> None:
    text = page.read_text("utf-8")
    assert not re.search(r'(?:src|href)\s*=\s*["\']?(?:https?:)?//', text)
    assert "default-src 'none'" in text


def test_controls_and_oracle_are_marked(page: Path) -> None:
    text = page.read_text("utf-8")
    assert "upper bound" in text
    assert '<tr class="control">' in text
    assert "Acc<sup>w</sup>" in text


def test_writing_it_again_gives_the_same_bytes(frozen: dict[str, RunFolder], page: Path, tmp_path: Path) -> None:
    assert write_report(list(frozen.values()), tmp_path / "again.html").read_bytes() == page.read_bytes()


def test_runs_of_no_split_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="one split"):
        write_report([], tmp_path / "x.html")


def test_a_run_on_another_split_than_the_one_here_is_refused(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    made = [(t, {}) for t in trajectories(frozen["noop"])]
    with pytest.raises(InputFileError, match=r"run\.json: split_sha256"):
        write_report([remade(tmp_path / "run", frozen["noop"], made, split_sha256="0" * 64)], tmp_path / "x.html")


def test_empty_runs_are_named_and_incomplete_ones_marked(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    empty = remade(tmp_path / "empty", frozen["noop"], [])
    part = remade(tmp_path / "part", frozen["noop"], [(t, {}) for t in trajectories(frozen["noop"])[:1]])
    score_run(part)
    text = write_report([frozen["oracle"], empty, part], tmp_path / "index.html").read_text("utf-8")
    assert "empty holds no finished episode yet: it was left out." in text
    assert "1/4, incomplete" in text
    with pytest.raises(InputFileError, match="nothing to score"):
        write_report([empty], tmp_path / "x.html")


def test_stale_scores_are_named(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    made = [(t, {}) for t in trajectories(frozen["noop"])]
    run = remade(tmp_path / "run", frozen["noop"], made[:3])
    score_run(run)
    run.append(*made[3], 1.0)
    with pytest.raises(InputFileError, match=SCORES):
        write_report([run], tmp_path / "x.html")


def test_runs_of_one_agent_are_told_apart(
    frozen: dict[str, RunFolder], frozen_with_images: RunFolder, tmp_path: Path
) -> None:
    twice = [frozen["rules+explorer"], frozen_with_images, frozen_with_images, frozen["noop"]]
    page = write_report(twice, tmp_path / "index.html")
    folders = ["/".join(run.path.parts[-2:]) for run in twice[:2]]
    names = [f"rules+explorer · {folders[0]}", *(f"rules+explorer · {folders[1]} #{n}" for n in (1, 2)), "noop"]
    assert list(dict.fromkeys(episode["agent"] for episode in embedded(page, "data"))) == names
    assert "noop is <code>noop</code>" in page.read_text("utf-8")


# -- pictures ---------------------------------------------------------------------------------------------------------


def test_screenshots_are_embedded_once_and_a_missing_one_is_left_open(
    frozen_with_images: RunFolder, tmp_path: Path
) -> None:
    made = [(r.trajectory, images_of(frozen_with_images, r.media)) for r in frozen_with_images.records()]
    run = remade(tmp_path / "run", frozen_with_images, made)
    score_run(run)
    page = write_report([run], tmp_path / "index.html")
    images = embedded(page, "images")
    episodes = embedded(page, "data")
    shown = {view["image"] for episode in episodes for view in episode["views"]}
    assert shown == set(images) == {path.name for path in (run.path / MEDIA).iterdir()}
    assert all(base64.b64decode(uri.split(",")[1])[:4] == b"RIFF" for uri in images.values())
    assert episodes[0]["viewport"] == [1280, 900]
    gone = episodes[0]["views"][0]["image"]
    (run.path / MEDIA / gone).unlink()
    assert embedded(write_report([run], page), "images")[gone] is None
    (run.path / MEDIA / gone).write_bytes(b"RIFF, but another picture")
    with pytest.raises(InputFileError, match=f"{gone}: was changed"):
        write_report([run], page)


def images_of(run: RunFolder, media: dict[str, str]) -> dict[int, bytes]:
    return {int(step): (run.path / MEDIA / name).read_bytes() for step, name in media.items()}


@pytest.mark.parametrize("action", ['{"action":"reload"' + " " * 19_990, "[1, 2]", "\u0000", ""])
def test_an_action_that_cannot_be_read_does_not_break_the_page(
    frozen: dict[str, RunFolder], tmp_path: Path, action: str
) -> None:
    first, *_ = trajectories(frozen["rules+explorer"])
    steps = tuple(s.model_copy(update={"action": action}) if s.phase == "browse" else s for s in first.steps)
    run = remade(tmp_path / "run", frozen["rules+explorer"], [(first.model_copy(update={"steps": steps}), {})])
    score_run(run)
    (episode,) = embedded(write_report([run], tmp_path / "index.html"), "data")
    assert episode["views"][0]["next"]["action"] == "unreadable action"
    assert episode["problems"]


# -- in a browser -----------------------------------------------------------------------------------------------------


@contextmanager
def opened(path: Path, fragment: str = "", width: int = 1280) -> Iterator[Any]:
    """The page in a browser; whatever it complains about or tries to run fails the test."""
    from playwright.sync_api import sync_playwright

    from riskchain_gym.envs.browser.find import find_chromium

    problems: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(find_chromium()), args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": width, "height": 800})
        tab.on("dialog", lambda dialog: (problems.append(dialog.message), dialog.dismiss()))
        tab.on("pageerror", lambda error: problems.append(str(error)))
        tab.on("console", lambda message: problems.append(message.text))
        tab.on("request", lambda sent: problems.append(sent.url) if sent.url[:5] not in ("file:", "data:") else None)
        tab.goto(path.as_uri() + fragment)
        yield tab
        browser.close()
    assert problems == []


@pytest.mark.browser
def test_hostile_text_is_shown_and_never_run(every_end: RunFolder, tmp_path: Path) -> None:
    path = write_report([every_end], tmp_path / "index.html")
    with opened(path) as tab:
        names = tab.locator("#list button")
        assert names.count() == 4
        places = set()
        for i in range(4):
            names.nth(i).click()
            for place in PLACES:
                texts = tab.locator("#episode").locator(place).all_text_contents()
                places.update({place} if any(HOSTILE in text for text in texts) else ())
        assert places == set(PLACES)
        assert tab.locator("img[src=x]").count() == 0
        assert tab.locator("script").count() == 3
        assert HOSTILE in tab.text_content("table.scores")


@pytest.mark.browser
def test_every_end_of_an_episode_is_told(every_end: RunFolder, tmp_path: Path) -> None:
    path = write_report([every_end], tmp_path / "index.html")
    with opened(path) as tab:
        told = {"not scored": "has no score", "ended as ⊥": "The site was never opened", "no report": "No valid report"}
        for name, sentence in told.items():
            tab.select_option("#filters select >> nth=1", name)
            assert tab.locator("#list button").count() == 1
            tab.click("#list button")
            assert sentence in tab.inner_text("#episode")
        assert "at best: 1 lost to infrastructure" in tab.inner_text("table.scores")


@pytest.mark.browser
def test_a_time_that_nobody_measured_is_not_told(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    one, other, *_ = trajectories(frozen["noop"])
    run = remade(tmp_path / "run", frozen["noop"], [(one, {})])
    run.append(other, {}, None)
    score_run(run)
    with opened(write_report([run], tmp_path / "index.html")) as tab:
        times = set()
        for button in tab.locator("#list button").all():
            button.click()
            pills = tab.locator("#episode .pill").all_text_contents()
            times.add(" ".join(pill for pill in pills if re.fullmatch(r"[\d.]+ s", pill)))
        assert times == {"1.0 s", ""}


@pytest.mark.browser
def test_an_episode_without_a_restoration_is_right_or_wrong_and_asked_for_no_entry(
    frozen: dict[str, RunFolder], tmp_path: Path
) -> None:
    right = [browsed_only(t) for t in trajectories(frozen["oracle"])]
    for episodes, verdict in ((right, "right"), ([misjudged(t) for t in right], "wrong")):
        run = remade(tmp_path / verdict, frozen["oracle"], [(t, {}) for t in episodes], env_id="RiskChainBrowse-v0")
        score_run(run)
        with opened(write_report([run], tmp_path / f"{verdict}.html")) as tab:
            assert set(tab.locator("#list .pill").all_text_contents()) == {verdict}
            assert "gate not asked" in tab.locator(".badges .pill").all_text_contents()
            assert tab.locator(".facts .pill").all_text_contents() == ["not asked", "not asked"]
            assert "gate closed" not in tab.inner_text("main")
            assert "Nothing was restored" not in tab.inner_text("#episode")


@pytest.mark.parametrize(
    ("cited", "box"),
    [
        ({"element_id": "e3", "quote": "手机"}, [9, 9, 9, 9]),
        ({"element_id": "e4", "quote": "手机"}, None),
        ({"element_id": "p1", "quote": "手机"}, [7, 7, 7, 7]),
        ({"region": Region(x=1, y=2, width=3, height=4), "quote": "手机"}, [1, 2, 3, 4]),
        ({"quote": "手机"}, [2, 2, 2, 2]),
        ({"quote": "登记称呼"}, [1, 1, 1, 1]),
        ({"quote": "nowhere"}, None),
    ],
)
def test_a_citation_is_framed_where_it_points_and_not_where_its_words_stand_too(
    frozen: dict[str, RunFolder], tmp_path: Path, cited: dict[str, Any], box: list[float] | None
) -> None:
    def at(n: float) -> Region:
        return Region(x=n, y=n, width=n, height=n)

    first = trajectories(frozen["oracle"])[0]
    assert first.report is not None
    assert first.landing is not None
    page = first.pages[first.landing].model_copy(
        update={
            "lines": (ObservedLine(text="登记称呼和手机", box=at(1)), ObservedLine(text="手机", box=at(2))),
            "elements": (
                ObservedElement(element_id="e3", role="textbox", name="手机", capabilities=Capabilities(), box=at(9)),
                ObservedElement(element_id="e4", role="button", name="手机", capabilities=Capabilities()),
            ),
            "pictures": (ObservedPicture(key="p1", alt="", box=at(7)),),
        }
    )
    citation = first.report.evidence[0].model_copy(
        update={"step": 0, "element_id": None, "region": None, "quote": "", **cited}
    )
    report = first.report.model_copy(update={"evidence": (citation,)})
    made = first.model_copy(update={"report": report, "pages": {**first.pages, first.landing: page}})
    run = remade(tmp_path / "run", frozen["oracle"], [(made, {})])
    score_run(run)
    (episode,) = embedded(write_report([run], tmp_path / "index.html"), "data")
    assert episode["report"]["evidence"][0]["box"] == box


@pytest.mark.browser
@pytest.mark.parametrize("fragment", ["", "#a/%zz", "#%E0%A4%A/%/x", "#no/such/4"])
def test_any_link_opens_an_episode(page: Path, fragment: str) -> None:
    with opened(page, fragment) as tab:
        assert tab.locator("#episode h3").count() == 4
        assert "rules+explorer" in tab.inner_text("#episode h2")


@pytest.mark.browser
def test_one_walks_through_the_screenshots(frozen_with_images: RunFolder, tmp_path: Path) -> None:
    chain = frozen_with_images.manifest.chains[0]
    path = write_report([frozen_with_images], tmp_path / "index.html")
    with opened(path, f"#rules%2Bexplorer/{chain}/0") as tab:
        assert tab.locator(".shot img").evaluate("(image) => image.naturalWidth") == 1280
        assert tab.locator(".strip [aria-current=true]").inner_text() == "step 0"
        tab.keyboard.press("ArrowRight")
        assert tab.locator(".strip [aria-current=true]").inner_text() == "step 1"
        tab.keyboard.press("ArrowLeft")
        assert tab.locator(".citation .crop img").count() > 0


@pytest.mark.browser
def test_a_missing_screenshot_is_said_to_be_missing(frozen_with_images: RunFolder, tmp_path: Path) -> None:
    made = [(r.trajectory, images_of(frozen_with_images, r.media)) for r in frozen_with_images.records()]
    run = remade(tmp_path / "run", frozen_with_images, made)
    score_run(run)
    for picture in (run.path / MEDIA).iterdir():
        picture.unlink()
    with opened(write_report([run], tmp_path / "index.html")) as tab:
        assert tab.inner_text(".shot") == "screenshot is missing"
        assert tab.locator("img").count() == 0


@pytest.mark.browser
def test_a_run_without_screenshots_says_so_and_fits_a_phone(page: Path) -> None:
    with opened(page, width=390) as tab:
        assert "This run took no screenshots" in tab.inner_text("#episode")
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390
