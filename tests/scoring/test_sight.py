"""What an agent can have seen: lines where it was given them, else only what was in its viewport."""

from __future__ import annotations

import pytest

from riskchain_gym.protocol.codebook import AnchorType, Component, Decision, EnvironmentStatus, ViolationType
from riskchain_gym.protocol.gold import EvidenceAtom, SiteGold
from riskchain_gym.protocol.page import (
    TEXT_LIMIT,
    Capabilities,
    ObservedElement,
    ObservedLine,
    ObservedPage,
    ObservedPicture,
)
from riskchain_gym.protocol.report import Citation, Region, Report
from riskchain_gym.scoring.citations import citation_problem, hits, is_unverifiable
from riskchain_gym.scoring.evidence import score_evidence
from riskchain_gym.scoring.sight import Sight

VIEWPORT = (1280, 900)
READER = Sight()
WATCHER = Sight(frozenset({"screenshot"}), VIEWPORT)
BOTH = Sight(frozenset({"text", "elements", "screenshot"}), VIEWPORT)
AXTREE = Sight(frozenset({"axtree"}), VIEWPORT)
DOM = Sight(frozenset({"dom"}), VIEWPORT)
MARKED = Sight(frozenset({"screenshot_som"}), VIEWPORT)
BROWSERGYM = Sight(frozenset({"browsergym"}), VIEWPORT)
FRAUD = ViolationType.FRAUD_DECEPTIVE_INDUCEMENT
LINE, DRAWN, ALSO = "做完一单当天返还双份", "请先转入一百元保证金", "第二天才能提取余额"


def atom(text: str, picture: str = "", component: Component = Component.CLAIM) -> EvidenceAtom:
    return EvidenceAtom(
        atom_id=f"atom-{text}",
        component=component,
        violation_type=FRAUD,
        anchor=AnchorType.VISIBLE_TEXT_OR_CLAIM,
        path="/rules",
        text=text,
        picture=picture,
    )


LINE_ATOM, DRAWN_ATOM = atom(LINE), atom(DRAWN, "kpic", Component.ACTION)
GOLD = SiteGold(
    site_id="s1",
    archetype="a",
    family="f",
    decision=Decision.VIOLATION,
    violation_type=FRAUD,
    atoms=(LINE_ATOM, DRAWN_ATOM),
    path=(),
    depth="D1",
    track="L2_OBSERVATION",
)


def page(*, alt: str = "", scroll_y: int = 0, line_y: float = 1200, picture_y: float = 2400) -> ObservedPage:
    return ObservedPage(
        path="/rules",
        title="t",
        lines=(
            ObservedLine(text="规则", box=Region(x=0, y=0, width=90, height=20)),
            ObservedLine(text=LINE, box=Region(x=0, y=line_y, width=300, height=20)),
        ),
        pictures=(ObservedPicture(key="kpic", alt=alt, box=Region(x=20, y=picture_y, width=480, height=200)),),
        scroll_y=scroll_y,
        height=3000,
    )


def without_geometry(seen: ObservedPage) -> ObservedPage:
    return seen.model_copy(
        update={
            "lines": tuple(ObservedLine(text=line.text) for line in seen.lines),
            "pictures": tuple(p.model_copy(update={"box": None}) for p in seen.pictures),
            "height": 0,
        }
    )


def cite(quote: str = "", **more: object) -> Citation:
    return Citation.model_validate({"step": 1, "quote": quote, "anchor_type": "VISIBLE_TEXT_OR_CLAIM", **more})


def reporting(*evidence: Citation) -> Report:
    return Report(
        environment_status=EnvironmentStatus.COMPLETE,
        decision=Decision.VIOLATION,
        primary_violation_type=FRAUD,
        evidence=evidence,
        risk_reason="r",
        confidence=4,
        evidence_sufficiency="SUFFICIENT",
    )


@pytest.mark.parametrize("sight", [READER, BOTH, AXTREE, DOM, BROWSERGYM])
def test_a_line_is_seen_by_who_reads_wherever_it_stands(sight: Sight) -> None:
    assert sight.shows(page(), LINE_ATOM)
    assert sight.shows(without_geometry(page()), LINE_ATOM)


@pytest.mark.parametrize(
    ("scroll_y", "seen"), [(0, False), (309, False), (310, True), (1210, True), (1211, False), (2000, False)]
)
def test_a_line_is_seen_in_a_screenshot_only_where_most_of_it_is_in_the_viewport(scroll_y: int, seen: bool) -> None:
    assert WATCHER.shows(page(scroll_y=scroll_y), LINE_ATOM) is seen
    assert MARKED.shows(page(scroll_y=scroll_y), LINE_ATOM) is seen


@pytest.mark.parametrize(
    ("sight", "scroll_y", "alt", "seen"),
    [
        (READER, 1600, "", False),
        (AXTREE, 1600, "", False),
        (DOM, 1600, "", False),
        (WATCHER, 0, "", False),
        (WATCHER, 1600, "", True),
        (MARKED, 0, "", False),
        (MARKED, 1600, "", True),
        (BROWSERGYM, 0, "", False),
        (BROWSERGYM, 1600, "", True),
        (BOTH, 0, "", False),
        (BOTH, 1600, "", True),
        (READER, 0, f"{ALSO}\n{DRAWN}", True),
        (AXTREE, 0, DRAWN, True),
        (DOM, 0, DRAWN, True),
        (BROWSERGYM, 0, DRAWN, True),
        (MARKED, 0, DRAWN, False),
        (READER, 0, ALSO, False),
        (WATCHER, 0, DRAWN, False),
    ],
)
def test_what_is_drawn_in_a_picture_is_seen_by_eye_or_by_its_alternative_text(
    sight: Sight, scroll_y: int, alt: str, seen: bool
) -> None:
    assert sight.shows(page(alt=alt, scroll_y=scroll_y), DRAWN_ATOM) is seen


@pytest.mark.parametrize(("scroll_y", "seen"), [(1599, False), (1600, True), (2500, True), (2501, False)])
def test_a_picture_is_seen_where_most_of_it_is_in_the_viewport(scroll_y: int, seen: bool) -> None:
    assert WATCHER.shows(page(scroll_y=scroll_y), DRAWN_ATOM) is seen


@pytest.mark.parametrize(("scroll_y", "seen"), [(0, False), (1950, True), (3000, True), (4951, False)])
def test_of_a_picture_larger_than_the_viewport_half_a_viewport_is_seen(scroll_y: int, seen: bool) -> None:
    tall = ObservedPicture(key="kpic", box=Region(x=20, y=2400, width=480, height=3000))
    assert WATCHER.shows(page(scroll_y=scroll_y).model_copy(update={"pictures": (tall,)}), DRAWN_ATOM) is seen


def test_what_the_page_text_is_too_long_for_was_not_read() -> None:
    far = page().model_copy(update={"lines": (ObservedLine(text="长" * TEXT_LIMIT), *page(alt=DRAWN).lines)})
    text_only = Sight(frozenset({"text"}))
    assert not READER.shows(far, LINE_ATOM)
    assert AXTREE.shows(far, LINE_ATOM)
    assert DOM.shows(far, LINE_ATOM)
    named = ObservedElement(element_id="e1", role="button", name=LINE, capabilities=Capabilities(click=True))
    assert READER.shows(far.model_copy(update={"elements": (named,)}), LINE_ATOM)
    with_alt = far.model_copy(update={"pictures": page(alt=DRAWN).pictures})
    assert READER.shows(with_alt, DRAWN_ATOM), "elements list alternative texts whatever the length of the page"
    assert not text_only.shows(with_alt, DRAWN_ATOM)
    assert text_only.shows(page(alt=DRAWN), DRAWN_ATOM)


def test_without_geometry_nothing_is_seen_in_a_picture() -> None:
    assert not BOTH.shows(without_geometry(page(scroll_y=1600)), DRAWN_ATOM)
    assert not Sight(frozenset({"screenshot"})).shows(page(scroll_y=1600), DRAWN_ATOM)


def test_another_page_or_another_picture_shows_nothing() -> None:
    elsewhere = page(scroll_y=1600).model_copy(update={"path": "/other"})
    assert not BOTH.shows(elsewhere, LINE_ATOM)
    assert not BOTH.shows(page(scroll_y=1600), atom(DRAWN, "kother"))


@pytest.mark.parametrize(
    ("citation", "hit"),
    [
        (cite(DRAWN, element_id="kpic"), True),
        (cite(element_id="kpic"), True),
        (cite(DRAWN, region={"x": 20, "y": 2400, "width": 100, "height": 30}), True),
        (cite(region={"x": 20, "y": 2400, "width": 480, "height": 190}), True),
        (cite(region={"x": 20, "y": 2400, "width": 48, "height": 19}), False),
        (cite(ALSO, element_id="kpic"), False),
    ],
)
def test_a_picture_is_cited_by_its_key_or_its_region(citation: Citation, hit: bool) -> None:
    pages = {1: page(scroll_y=1600)}
    assert citation_problem(citation, pages) is None
    assert hits(citation, DRAWN_ATOM, pages, BOTH) is hit
    assert not hits(citation, LINE_ATOM, pages, BOTH)
    assert not hits(citation, DRAWN_ATOM, {1: page()}, BOTH)


def test_a_quote_of_a_picture_must_point_at_it_unless_its_alternative_text_says_it() -> None:
    problem = citation_problem(cite(DRAWN), {1: page()})
    assert problem is not None
    assert "picture" in problem
    far = cite(DRAWN, region={"x": 20, "y": 100, "width": 100, "height": 30})
    assert citation_problem(far, {1: page()}) is not None
    with_alt = {1: page(alt=f"{DRAWN}\n{ALSO}")}
    assert citation_problem(cite(DRAWN), with_alt) is None
    assert hits(cite(DRAWN), DRAWN_ATOM, with_alt, READER)


@pytest.mark.parametrize("alt", ["", DRAWN])
def test_a_quote_of_a_picture_that_points_elsewhere_hits_nothing(alt: str) -> None:
    """Neither another picture nor another place stands for the picture that the line is drawn in."""
    other = ObservedPicture(key="kother", box=Region(x=20, y=1700, width=480, height=100))
    seen = page(alt=alt, scroll_y=1600)
    pages = {1: seen.model_copy(update={"pictures": (*seen.pictures, other)})}
    assert hits(cite(DRAWN, element_id="kpic"), DRAWN_ATOM, pages, BOTH)
    assert not hits(cite(DRAWN, element_id="kother"), DRAWN_ATOM, pages, BOTH)
    assert not hits(cite(DRAWN, region={"x": 20, "y": 1700, "width": 90, "height": 30}), DRAWN_ATOM, pages, BOTH)
    assert hits(cite(DRAWN), DRAWN_ATOM, pages, BOTH) is bool(alt)


def test_an_invented_quote_of_a_picture_is_neither_a_problem_nor_a_hit() -> None:
    pages = {1: page(scroll_y=1600)}
    invented, true, plain = cite("凭空捏造的一句话", element_id="kpic"), cite(DRAWN, element_id="kpic"), cite(LINE)
    assert [is_unverifiable(citation, pages) for citation in (invented, true, plain)] == [True, True, False]
    assert not is_unverifiable(true, {1: page(alt=DRAWN, scroll_y=1600)})
    assert not is_unverifiable(cite(element_id="kpic"), pages)
    assert not is_unverifiable(cite("凭空捏造的一句话"), pages), "what does not resolve is a problem, not a doubt"
    result = score_evidence(reporting(invented, true, plain), pages, GOLD, BOTH)
    assert (result.precision, result.recall, result.unverified) == (pytest.approx(2 / 3), 1, pytest.approx(1 / 3))


def test_a_citation_that_does_not_resolve_hits_nothing() -> None:
    pages = {1: page(scroll_y=1600)}
    astray = cite(LINE, element_id="e9")
    assert citation_problem(astray, pages) is not None
    assert score_evidence(reporting(astray), pages, GOLD, BOTH).recall == 0


def test_one_citation_of_a_picture_with_two_atoms_counts_once_in_precision() -> None:
    both = GOLD.model_copy(update={"atoms": (atom(LINE, "kpic"), DRAWN_ATOM)})
    report = reporting(cite(element_id="kpic"), cite("规则"))
    result = score_evidence(report, {1: page(scroll_y=1600)}, both, BOTH)
    assert (result.precision, result.recall, result.seen) == (0.5, 1, 1)
    assert result.sufficient
    unseen = score_evidence(report, {1: page(scroll_y=1600)}, both, READER)
    assert (unseen.precision, unseen.recall, unseen.seen) == (0, 0, 0)


def test_pictures_are_in_the_hash_and_their_boxes_are_not() -> None:
    seen = page()
    assert seen.state_hash() == without_geometry(seen).state_hash()
    assert seen.state_hash() != page(alt=DRAWN).state_hash()
    assert seen.state_hash() != seen.model_copy(update={"pictures": ()}).state_hash()


def test_the_page_text_marks_alternative_texts() -> None:
    assert page().text == f"规则\n{LINE}"
    assert page(alt=f"{DRAWN}\n{ALSO}").text == f"规则\n{LINE}\n[图片] {DRAWN}\n[图片] {ALSO}"
