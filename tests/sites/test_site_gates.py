"""Every gate can be passed by reading the page, stands there again in a new session, and looks like the site."""

from __future__ import annotations

from pathlib import Path

import pytest
from gate_walker import KINDS, STANDING, control, gated, inner_of, opened, path_through, target
from site_helpers import KEY, tiny

from riskchain_gym.sites.archetypes import load_archetype
from riskchain_gym.sites.certify import replay
from riskchain_gym.sites.compile import compile_site
from riskchain_gym.sites.library import Library, library
from riskchain_gym.sites.session import SiteSession
from riskchain_gym.sites.spec import Lang

LANGS: tuple[Lang, ...] = ("zh-CN", "zh-TW", "en")


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return tiny(tmp_path_factory.mktemp("sites"))


def test_all_seventeen_gates_are_there_in_every_language() -> None:
    for lang in LANGS:
        codes = [gate.code for gate in library().gates(lang).values()]
        assert sorted(codes) == sorted(f"G{number}" for number in range(1, 18))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lang", LANGS)
def test_a_gate_can_be_passed_in_every_language(content: Library, lang: Lang, kind: str) -> None:
    made = gated(content, kind, lang)
    assert made.gates == (kind,)
    pages = list(replay(made.site, path_through(made)))
    for atom in made.atoms:
        assert any(page.shows(atom.text, atom.picture) for page in pages)


@pytest.mark.parametrize("kind", STANDING)
def test_a_gate_stands_again_after_reset_and_looks_like_the_site(content: Library, kind: str) -> None:
    made = gated(content, kind)
    session, site = SiteSession(made.site), made.site
    inner = inner_of(made)
    for _ in range(2):
        landing = opened(session, "/")
        gate = opened(session, inner)
        assert gate.path != inner
        assert site.operator in gate.lines()
        assert [n.key for n in gate.controls()][: len(site.nav)] == [n.key for n in landing.controls()][: len(site.nav)]
        for page in replay(site, path_through(made)):
            last = page
        assert last.path == inner
        session.reset()


@pytest.mark.parametrize("kind", ["login", "invite", "slider", "consent", "form2"])
def test_a_gate_refuses_what_is_wrong(content: Library, kind: str) -> None:
    made = gated(content, kind)
    session = SiteSession(made.site)
    gate = opened(session, inner_of(made))
    back = opened(session, session.post(target(control(gate, "submit")), {}).location)
    assert back.path == gate.path
    assert any(node.kind == "error" for node in back.walk())


def test_an_invitation_is_known_only_after_its_page_was_seen(content: Library) -> None:
    made = gated(content, "invite")
    session = SiteSession(made.site)
    gate = opened(session, inner_of(made))
    box = control(gate, "input")
    assert session.fixture(gate.path, box.key) == "000000"
    shown = opened(session, target(control(gate, "link")))
    gate = opened(session, inner_of(made))
    code = session.fixture(gate.path, box.key)
    assert any(line.endswith(code) for line in shown.lines())


def test_a_server_error_clears_on_retry(content: Library) -> None:
    made = gated(content, "retry")
    session = SiteSession(made.site)
    statuses = [session.open(inner_of(made)).status for _ in range(4)]
    assert statuses[0] == 503
    assert statuses[-1] == 200


def test_content_after_steps_opens_by_itself(content: Library) -> None:
    made = gated(content, "steps")
    session = SiteSession(made.site)
    waiting = opened(session, inner_of(made))
    for _ in range(10):
        session.tick()
    assert opened(session, waiting.path).path == inner_of(made)


def test_a_download_opens_the_page_and_the_state_remembers_it(content: Library) -> None:
    made = gated(content, "download")
    session, inner = SiteSession(made.site), inner_of(made)
    gate = opened(session, inner)
    assert opened(session, target(control(gate, "link"))).path == gate.path
    before = session.state
    answer = session.get(target(control(gate, "download")))
    assert answer.download is not None
    assert answer.filename.endswith(".txt")
    assert [name for name, value in session.state.vars.items() if before.vars[name] != value] == [
        name for names in made.site.fetched.values() for name in names
    ]
    assert opened(session, inner).path == inner


def test_a_redirect_is_answered_hop_by_hop(content: Library) -> None:
    made = gated(content, "redirect")
    session, inner = SiteSession(made.site), inner_of(made)

    def hops(path: str) -> list[str]:
        found = [path]
        while (answer := session.get(found[-1])).location:
            assert answer.status == 302
            found.append(answer.location)
        return found

    there = hops(inner)
    assert len(there) == len(set(there)) == 4
    moved = opened(session, there[-1])
    back = hops(target(control(moved, "link")))
    assert len(back) == len(set(back)) == 3
    assert back[-1] == inner


def test_a_qr_code_holds_the_path_that_its_link_leads_to(content: Library) -> None:
    made = gated(content, "qr")
    session, inner = SiteSession(made.site), inner_of(made)
    code = control(opened(session, inner), "qr")
    assert code.control is not None
    assert code.control.name
    assert not code.text
    assert target(code) in made.site.pages
    scanned = opened(session, target(code))
    assert opened(session, target(control(scanned, "link"))).path == inner


def test_the_other_version_shows_the_page_until_it_is_switched_back(content: Library) -> None:
    made = gated(content, "device")
    session, inner = SiteSession(made.site), inner_of(made)
    to_wanted, stay = [n for n in opened(session, inner).controls() if n.kind == "button"]
    session.post(target(to_wanted), {})
    assert opened(session, inner).path == inner
    session.post(target(stay), {})
    assert opened(session, inner).path != inner


def test_a_later_visit_needs_the_home_page_between(content: Library) -> None:
    made = gated(content, "revisit")
    session, inner = SiteSession(made.site), inner_of(made)
    opened(session, "/")
    for _ in range(3):
        assert opened(session, inner).path != inner
    opened(session, "/")
    assert opened(session, inner).path == inner


def test_a_chat_wants_a_question_and_answers_it(content: Library) -> None:
    made = gated(content, "chat")
    session, inner = SiteSession(made.site), inner_of(made)
    gate = opened(session, inner)
    questions = [n for n in gate.controls() if n.kind == "button"]
    assert len(questions) == 3
    answered = opened(session, session.post(target(questions[1]), {}).location)
    assert answered.path == gate.path
    assert len([n for n in answered.walk() if n.kind == "bubble"]) == 4
    assert opened(session, target(control(answered, "link"))).path == inner


def test_only_the_last_of_three_long_pages_leads_on(content: Library) -> None:
    made = gated(content, "pages")
    session, inner = SiteSession(made.site), inner_of(made)
    page, seen = opened(session, inner), []
    while page.path != inner:
        assert len(page.lines()) > 20
        seen.append(page.path)
        page = opened(session, target([n for n in page.controls() if n.kind == "link"][-1]))
    assert len(set(seen)) == 3
    session.reset()
    opened(session, seen[1])
    assert opened(session, inner).path == seen[0]


def test_no_gate_says_anything_for_or_against_a_label() -> None:
    gates = [gate for lang in LANGS for gate in library().gates(lang).values()]
    fillers = [filler for lang in LANGS for filler in library().fillers(lang).values()]
    text = "".join(item.model_dump_json() for item in (*gates, *fillers))
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


@pytest.mark.parametrize("lang", LANGS)
def test_every_filler_page_can_be_shown(tmp_path: Path, lang: Lang) -> None:
    names = library().fillers(lang)
    assert len(names) >= 8
    every = tiny(tmp_path, lambda site: site.update(fillers=[len(names)] * 2))
    spec = load_archetype("tiny-site", every).model_copy(update={"lang": lang})
    site = compile_site(spec, KEY, "f", "s0", content=every).site
    assert len(site.footer) == len(names)
    session = SiteSession(site)
    for link in site.footer:
        assert len(opened(session, link.to).lines()) > 8
