"""Random visitors find no dead end, no exception and no error that was not declared."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from site_helpers import KEY

from riskchain_gym.sites.archetypes import archetype_names, load_archetype
from riskchain_gym.sites.compile import compile_site
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.session import SiteSession

SITES: dict[tuple[str, str], CompiledSite] = {}


def site_for(name: str, label: str) -> CompiledSite:
    if (name, label) not in SITES:
        SITES[name, label] = compile_site(load_archetype(name), KEY, label, "s0").site
    return SITES[name, label]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    name=st.sampled_from(archetype_names()),
    label=st.sampled_from(["w1", "w2", "w3"]),
    choices=st.lists(st.tuples(st.integers(0, 10_000), st.sampled_from(["fixture", "empty", "noise"])), max_size=25),
    noise=st.text(max_size=30),
)
def test_a_random_walk(name: str, label: str, choices: list[tuple[int, str]], noise: str) -> None:
    site = site_for(name, label)
    session = SiteSession(site)
    page = session.open("/").page
    assert page is not None
    for pick, how in choices:
        session.tick()
        keys = [node.key for node in page.controls()]
        assert len(set(keys)) == len(keys)
        node = page.controls()[pick % len(keys)]
        assert node.control is not None
        if node.control.role == "link":
            answer = session.open(node.control.href)
        elif node.control.action:
            form = next(
                n
                for n in page.walk()
                if n.control and n.control.role == "form" and any(c.key == node.key for c in n.walk())
            )
            values = {}
            for inner in form.walk():
                if inner.control is not None and inner.control.field:
                    value = {"fixture": session.fixture(page.path, inner.key), "empty": "", "noise": noise}[how]
                    values[inner.control.field] = value
            answer = session.post(node.control.action, values)
            assert answer.status == 303
            answer = session.open(answer.location)
        else:
            continue
        if answer.page is None:
            assert answer.download
            continue
        page = answer.page
        assert page.status in (200, site.pages[page.path].status)
        assert page.title
        assert all("{{" not in line and "[[" not in line for line in page.lines() if noise not in line)


def test_no_link_is_dead() -> None:
    for name in archetype_names():
        site = site_for(name, "w1")
        session, queue, known = SiteSession(site), ["/"], {"/"}
        for _ in range(12):
            session.tick()
        while queue:
            answer = session.open(queue.pop())
            assert answer.status != 404, (name, queue)
            for node in answer.page.controls() if answer.page is not None else ():
                assert node.control is not None
                if node.control.href and node.control.href not in known:
                    known.add(node.control.href)
                    queue.append(node.control.href)
                if node.control.role == "form":
                    assert node.control.action in site.actions
