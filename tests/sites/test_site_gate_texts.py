"""What gates say goes with every page behind them: no line denies what a gate gives, no gate settles what is open."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.sites.archetypes import archetype_names
from riskchain_gym.sites.fragment import GateSpec
from riskchain_gym.sites.library import library
from riskchain_gym.sites.slots import Slot, iter_slots
from riskchain_gym.sites.spec import Lang
from riskchain_gym.sites.yamlfile import read_yaml

GIVEN = {
    "login": (
        "登录后",
        "登录以后",
        "登录入口",
        "未登录",
        "没有登录",
        "已登录",
        "体验账号",
        "访客账号",
        "sign-in",
        "sign in",
    ),
    "redirect": ("新页面", "新地址", "搬到别处", "new address"),
    "retry": ("503",),
}
"""By gate, words of what it gives to the visitor (an account, the new address), or shows before it does."""

SETTLED = (
    *("为准", "為準", "每日更新", "每天上午", "内容就会", "內容就會", "内容在您", "內容在您", "整理内容", "整理內容"),
    *("内容会依次", "內容會依序", "applies", "version counts", "updated every", "Every morning", "content shows"),
    *("the content together", "show the same", "显示的内容一样", "顯示的內容一樣"),
)
"""Words that would say of the page behind a gate which text holds, that its content will show, or how fresh it is."""

LANGS: tuple[Lang, ...] = ("zh-CN", "zh-TW", "en")


def undecidable(lang: Lang) -> Iterator[tuple[str, str]]:
    """Yield the name and every line of the archetypes on which something cannot be seen."""
    for name in archetype_names():
        if lang not in library().languages(name):
            continue
        if library().archetype(name, lang).label.decision is Decision.INSUFFICIENT_EVIDENCE:
            for line in read_yaml(library().archetype_file(name, lang))["lines"].values():
                wordings = line["text"] if isinstance(line, dict) else line
                yield from ((name, text) for text in ([wordings] if isinstance(wordings, str) else wordings))


def said(gate: GateSpec) -> Iterator[str]:
    """Yield the texts of a gate."""
    yield from (text for slot, text, _ in iter_slots(gate) if slot is Slot.TEXT)


@pytest.mark.parametrize("lang", ["zh-CN", "en"])
@pytest.mark.parametrize("gate", GIVEN)
def test_no_undecidable_site_denies_what_a_gate_gives(lang: Lang, gate: str) -> None:
    found = list(undecidable(lang))
    assert found
    assert [(name, text) for name, text in found if any(word in text for word in GIVEN[gate])] == []


@pytest.mark.parametrize("lang", LANGS)
def test_no_gate_settles_what_a_page_leaves_open(lang: Lang) -> None:
    texts = [(kind, text) for kind, gate in library().gates(lang).items() for text in said(gate)]
    assert [(kind, text) for kind, text in texts if any(word in text for word in SETTLED)] == []
