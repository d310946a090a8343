"""Characters that nobody sees: refused in content, dropped from what visitors type."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from site_helpers import CLAIM, KEY, tiny

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.sites.archetypes import lint_archetype, load_archetype
from riskchain_gym.sites.blocks import FormBlock
from riskchain_gym.sites.compile import compile_site
from riskchain_gym.sites.compiled import all_blocks, path_of
from riskchain_gym.sites.expressions import BUILD, RUN, ExpressionError, evaluate, render
from riskchain_gym.sites.library import Library
from riskchain_gym.sites.session import SiteSession
from riskchain_gym.sites.unseen import as_typed, unseen_in

UNSEEN = ["\u200b", "\u202e", "\u0007", "\u2066", "\ufeff", "\u00ad", "\u2028", "\u3164", "\u200d", "\t"]


def blocks(site: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = site["pages"]["inner"]["blocks"]
    return found


@pytest.mark.parametrize("character", UNSEEN)
@pytest.mark.parametrize("text", ["{}", "付{}款"])
def test_a_text_with_such_a_character_is_refused_by_field_and_code_point(
    tmp_path: Path, character: str, text: str
) -> None:
    def edit(site: dict[str, Any]) -> None:
        blocks(site)[1] = {"kind": "notice", "text": text.format(character), "atom": CLAIM}

    (problem,) = lint_archetype("tiny-site", tiny(tmp_path, edit))
    assert problem.path.name == "site.yaml"
    assert problem.field == "pages.inner.blocks.1.text"
    assert f"U+{ord(character):04X}" in problem.problem


@pytest.mark.parametrize("text", ["👩\u200d👧 家", "❤\ufe0f", "👨\U0001f3fd\u200d🔧", "全角\u3000空格", "两\n行"])
def test_emoji_and_visible_space_are_seen(text: str) -> None:
    assert unseen_in(text) == ""


def test_banks_gates_and_choices_are_looked_at_too(tmp_path: Path) -> None:
    content = tiny(tmp_path, family=lambda base: base["facts"]["slogan"].update(choice=["慢", "\u202e快"]))
    assert "facts.slogan.choice.1: the text has the character U+202E" in str(lint_archetype("tiny-site", content)[0])
    tiny(tmp_path)
    (tmp_path / "banks" / "names.yaml").write_text("names: [甲社, 乙\u200b社]\n", encoding="utf-8")
    with pytest.raises(InputFileError, match=r"names\.yaml: names\.1: .*U\+200B"):
        Library(tmp_path).banks()


@pytest.mark.parametrize("constant", [r'"\ud800"', r"'\n'", r"'a\u202eb'", "'a\u202eb'", "'a\u200b'", "'a\nb'"])
@pytest.mark.parametrize("env", [BUILD, RUN])
def test_a_string_in_an_expression_holds_no_such_character_and_no_backslash(env: Any, constant: str) -> None:
    with pytest.raises(ExpressionError, match="string has"):
        evaluate(env, f"a ~ {constant}", {"a": "x"})
    with pytest.raises(ExpressionError, match="string has"):
        render(env, f"{env.variable_start_string} {constant} {env.variable_end_string}", {})


def test_lint_names_the_field_of_such_a_string(tmp_path: Path) -> None:
    content = tiny(tmp_path, lambda site: blocks(site)[0].update(text='a[[ "\\ud800" ]]'))
    (problem,) = lint_archetype("tiny-site", content)
    assert problem.field == "pages.inner.blocks.0.text"
    assert "backslash" in problem.problem


def field_kinds(site: dict[str, Any]) -> None:
    """Edit the small site: its form has a text area and a slider, and shows what was typed."""
    fields = [
        {"name": "nickname", "label": "称呼"},
        {"name": "words", "label": "留言", "type": "textarea"},
        {"name": "much", "label": "多少", "type": "range"},
        {"name": "agree", "label": "同意", "type": "checkbox"},
    ]
    blocks(site)[4]["fields"] = fields
    site["actions"]["join"]["checks"] = [{"field": "agree", "checked": True, "error": "请先同意"}]


def session_and_form(tmp_path: Path) -> tuple[SiteSession, str, dict[str, str]]:
    """Return a session, the path its form posts to, and the names of its fields by their label."""
    content = tiny(tmp_path, field_kinds)
    site = compile_site(load_archetype("tiny-site", content), KEY, "x", "s0", content=content).site
    forms = [b for page in site.pages.values() for b in all_blocks(page.blocks) if isinstance(b, FormBlock)]
    (form,) = [form for form in forms if form.title == "登记"]
    return SiteSession(site), path_of(form.do), {field.label: field.name for field in form.fields}


def test_what_is_typed_is_shown_back_as_one_plain_line(tmp_path: Path) -> None:
    session, action, names = session_and_form(tmp_path)
    typed = "a\nb\rc\x0bd\u2028e\x00\x01 \u202eevil\ufffe"
    answer = session.open(session.post(action, {names["称呼"]: typed, names["同意"]: "on"}).location)
    assert answer.page is not None
    assert "a b c d e evil，欢迎" in answer.page.lines()
    html = session.document(answer.page).decode()
    assert not set(html) & set("\x00\x01\x0b\u2028\u202e\ufffe\r")


def test_a_text_area_keeps_its_line_ends(tmp_path: Path) -> None:
    session, action, names = session_and_form(tmp_path)
    answer = session.open(session.post(action, {names["留言"]: " 第一\r\n第\u202e二\x00 \r\n"}).location)
    assert answer.page is not None
    (area,) = [n.control for n in answer.page.controls() if n.control and n.control.name == "留言"]
    assert area.value == "第一\n第二"


@pytest.mark.parametrize(
    ("sent", "stands"),
    [("9" * 5000, "100"), ("0" * 5000 + "7", "7"), ("50", "50"), ("٥٠", "50"), ("-5", "0"), ("", "0"), ("1e400", "0")],
)
def test_any_value_of_a_slider_leaves_the_site_whole(tmp_path: Path, sent: str, stands: str) -> None:
    session, action, names = session_and_form(tmp_path)
    everywhere = dict.fromkeys(names.values(), sent)
    del everywhere[names["同意"]]
    answer = session.open(session.post(action, everywhere).location)
    assert answer.page is not None
    values = {n.control.name: n.control.value for n in answer.page.controls() if n.control}
    assert values["多少"] == stands or len(sent) > 2000
    assert len(values["称呼"]) <= 2000
    assert session.failure is None


@settings(deadline=None, max_examples=200)
@given(st.text(st.characters(exclude_categories=[]), max_size=30), st.booleans())
def test_what_was_typed_can_always_be_shown(typed: str, lines: bool) -> None:
    shown = as_typed(typed, lines=lines)
    assert unseen_in(shown) == ""
    shown.encode()
    assert lines or len(shown.splitlines()) <= 1
    assert as_typed(shown, lines=lines) == shown
