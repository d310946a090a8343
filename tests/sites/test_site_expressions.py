"""Expressions: what content needs of them works, and no short one makes a huge value or reaches for anything else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from site_helpers import KEY, tiny

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.sites.archetypes import load_archetype
from riskchain_gym.sites.compile import compile_site
from riskchain_gym.sites.compiled import CompiledAction
from riskchain_gym.sites.expressions import (
    BUILD,
    LONGEST_SOURCE,
    LONGEST_TEXT,
    LONGEST_VALUE,
    RUN,
    ExpressionError,
    evaluate,
    render,
    render_value,
)
from riskchain_gym.sites.facts import Facts
from riskchain_gym.sites.session import SiteSession
from riskchain_gym.sites.spec import FactSpec
from riskchain_gym.sites.state import SiteState
from riskchain_gym.sites.words import words

GIVEN: dict[str, Any] = {"n": 7, "name": "书", "items": (1, 2)}


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("n % 3", 1),
        ("n // 2 * 10", 30),
        ("name * 3", "书书书"),
        ("name + ' ' + (n | string)", "书 7"),
        ("'成立' ~ n ~ '部'", "成立7部"),
        ("'12' | int + 1", 13),
        ("[n + 1, 2] | min", 2),
        ("[n, 2] | max", 7),
        ("-n | abs", 7),
        ("name | length", 1),
        ("{7: 'seven'}[n]", "seven"),
        ("items[1]", 2),
        ("name in ('书', '画') and n > 3", True),
    ],
)
def test_what_content_needs_can_be_written(source: str, value: Any) -> None:
    assert evaluate(BUILD, source, GIVEN) == evaluate(RUN, source, GIVEN) == value


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("name | center(300000000)", "no filter 'center'"),
        ("items | join(name) | indent(300000000)", "no filter '(indent|join)'"),
        ("n | round(300000000, 'ceil')", "no filter 'round'"),
        ("'%0300000000d' % n", "of numbers only"),
        ("name % n", "of numbers only"),
        ("name.zfill(300000000)", "method 'zfill' is called"),
        ("'{:>300000000}'.format(n)", "method 'format' is called"),
        ("name['zfill'](300000000)", "is called"),
        ("name['zfill']", "'zfill' of a value"),
        ("name.real", "'real' of a value"),
        ("[name * 9999] * 9999", "a text by a number"),
        ("items * 2", "a text by a number"),
        ("name * 99999", "too large"),
        ("n ** 9999", "too large"),
        ("1.5 ** 999999999", "too large"),
        ("lipsum(n=9999)", "'lipsum' is undefined"),
        ("range(n)", "'range' is undefined"),
        ("name + '" + "x" * LONGEST_SOURCE + "'", "at most 10000"),
    ],
)
def test_nothing_else_can(source: str, said: str) -> None:
    for env in (BUILD, RUN):
        with pytest.raises(ExpressionError, match=said):
            evaluate(env, source, GIVEN)


def doubling(count: int) -> dict[str, FactSpec]:
    """Return facts of which each is twice as long as the one before."""
    facts = {"x0": FactSpec(choice=("xy",))}
    return facts | {f"x{i}": FactSpec(expr=f"x{i - 1} + x{i - 1}") for i in range(1, count)}


def test_facts_cannot_grow_from_one_another_without_end() -> None:
    with pytest.raises(ExpressionError, match=r"fact 'x10'.* 2048 characters"):
        Facts(KEY, ("site", "x"), {}).draw(doubling(26))
    text = FactSpec(choice=("[[ x9 ]][[ x9 ]]",))
    with pytest.raises(ExpressionError, match="fact 'y'"):
        Facts(KEY, ("site", "x"), {}).draw({**doubling(10), "y": text})


def test_a_site_with_such_facts_is_refused_with_its_file(tmp_path: Path) -> None:
    facts = {name: spec.model_dump(exclude_none=True) for name, spec in doubling(26).items()}
    content = tiny(tmp_path, lambda site: site.update(facts=facts))
    with pytest.raises((InputFileError, ExpressionError), match="fact 'x10'"):
        compile_site(load_archetype("tiny-site", content), KEY, "x", "s0", content=content)


def test_a_text_is_capped_when_it_is_filled_in() -> None:
    long = {"x": "y" * LONGEST_VALUE}
    many = LONGEST_TEXT // LONGEST_VALUE
    assert len(render(RUN, "{{ x }}" * many, long)) == LONGEST_TEXT
    with pytest.raises(ExpressionError, match="at most 100000"):
        render(RUN, "{{ x }}" * (many + 1), long)
    with pytest.raises(ExpressionError, match="at most 2000"):
        render_value(RUN, "{{ x + x }}", long)


def test_a_visitor_who_types_too_much_is_told_and_breaks_nothing(tmp_path: Path) -> None:
    content = tiny(tmp_path)
    site = compile_site(load_archetype("tiny-site", content), KEY, "x", "s0", content=content).site
    (path, join), *_ = site.actions.items()
    assert join.checks
    site = site.model_copy(update={"actions": {path: join.model_copy(update={"checks": ()})}})
    session = SiteSession(site)
    field = next(iter(kept.split("form.")[1].split(" ")[0] for kept in map(str, join.set.values()) if "form." in kept))
    session.open(session.post(path, {field: "字" * (LONGEST_VALUE + 1)}).location)
    assert session.state.rejection is not None
    assert session.state.rejection.error == words(site.lang).unreadable_form
    session.open(session.post(path, {field: "字" * LONGEST_VALUE}).location)
    assert session.failure is None
    assert "字" * LONGEST_VALUE in session.state.vars.values()


def test_a_state_variable_cannot_grow_from_itself(tmp_path: Path) -> None:
    content = tiny(tmp_path)
    site = compile_site(load_archetype("tiny-site", content), KEY, "x", "s0", content=content).site
    path = next(iter(site.actions))
    grow = CompiledAction(checks=(), set={"v": "{{ v + v }}"}, otherwise=(), go="/")
    session = SiteSession(site.model_copy(update={"actions": {path: grow}, "state": {**site.state, "v": "xy"}}))
    for _ in range(40):
        session.post(path, {})
    assert len(str(session.state.vars["v"])) <= LONGEST_VALUE


def test_members_of_the_groups_are_the_only_ones_with_a_dot() -> None:
    context = SiteState(visits={"/k3f": 2}).context({"who": "甲"})
    assert evaluate(RUN, "visits.k3f > 1 and visited.k3f and form.who == '甲'", context)
    assert render(RUN, "{{ form.who | length }}", context) == "1"
