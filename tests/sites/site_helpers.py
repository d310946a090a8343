"""A small content folder for tests, and a reader of what an HTML page shows."""

from __future__ import annotations

import copy
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import yaml

from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.sites.library import Library

KEY = key_from_seed(7)
CLAIM = {"component": "claim", "type": "FRAUD_DECEPTIVE_INDUCEMENT", "anchor": "VISIBLE_TEXT_OR_CLAIM"}
ACTION = {"component": "action", "type": "FRAUD_DECEPTIVE_INDUCEMENT", "anchor": "PAYMENT_RECHARGE_OR_TRANSFER"}
BENIGN = {"component": "benign", "anchor": "BENIGN_SERVICE_CONSISTENCY"}
LIMITATION = {"component": "limitation", "anchor": "ENVIRONMENT_LIMITATION"}

FAMILY: dict[str, Any] = {
    "presentations": ["portal"],
    "facts": {"operator": {"bank": "names"}, "slogan": {"choice": ["慢慢来"]}, "price": {"number": [3, 9]}},
    "state": {"joined": False, "nickname": ""},
    "pages": {
        "home": {
            "title": "[[ operator ]]",
            "nav": "首页",
            "blocks": [
                {"kind": "hero", "title": "[[ slogan ]]"},
                {"kind": "links", "items": [{"text": "进入", "to": "inner"}]},
            ],
        },
    },
}

SITE: dict[str, Any] = {
    "extends": "tiny",
    "summary": "A small site for tests.",
    "label": {"decision": "VIOLATION", "type": "FRAUD_DECEPTIVE_INDUCEMENT"},
    "track": "L3_STATEFUL",
    "fillers": [1, 1],
    "pages": {
        "inner": {
            "title": "内页",
            "nav": "内页",
            "blocks": [
                {"kind": "heading", "text": "内页"},
                {"kind": "notice", "text": "先付 [[ price ]] 元，返还 [[ price * 2 ]] 元", "atom": CLAIM},
                {"kind": "notice", "when": "joined", "text": "{{ nickname }}，欢迎"},
                {"kind": "text", "when": "joined", "text": "请转入 [[ price ]] 元", "atom": ACTION},
                {
                    "kind": "form",
                    "title": "登记",
                    "submit": "提交",
                    "do": "join",
                    "fields": [
                        {"name": "nickname", "label": "称呼"},
                        {"name": "secret", "label": "口令", "type": "password", "fixture": "open-[[ price ]]"},
                        {"name": "agree", "label": "同意", "type": "checkbox"},
                    ],
                },
                {
                    "kind": "accordion",
                    "name": "more",
                    "items": [{"title": "更多", "blocks": [{"kind": "text", "text": "折叠的内容"}]}],
                },
                {"kind": "download", "text": "下载说明", "file": "guide.txt"},
            ],
        },
    },
    "actions": {
        "join": {
            "checks": [
                {"field": "nickname", "rule": ".{1,20}", "error": "请填写称呼"},
                {"field": "secret", "equals": "open-[[ price ]]", "error": "口令不对"},
                {"field": "agree", "checked": True, "error": "请先同意"},
            ],
            "set": {"joined": True, "nickname": "{{ form.nickname }}"},
        },
    },
}


def undecidable(site: dict[str, Any]) -> None:
    """Edit the small site so that it is undecidable: its inner page says that it shows nothing, in whatever state."""
    site["label"] = {"decision": "INSUFFICIENT_EVIDENCE", "type": "UNKNOWN"}
    blocks = site["pages"]["inner"]["blocks"]
    del blocks[3]
    blocks[1] = {"kind": "notice", "text": "内容没有显示", "atom": LIMITATION}
    blocks[2] = {"kind": "notice", "text": "欢迎"}
    del site["actions"]["join"]["checks"]


class _PlainDumper(yaml.SafeDumper):
    """Writes a mapping that is used twice out twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def tiny(tmp_path: Path, change: Any = None, family: Any = None, name: str = "tiny-site") -> Library:
    """Write a content folder with one archetype; ``change`` and ``family`` may edit its two mappings in place."""
    site, base = copy.deepcopy(SITE), copy.deepcopy(FAMILY)
    for edit, data in ((change, site), (family, base)):
        if edit is not None:
            edit(data)
    for folder in ("gates", "fillers", "themes", "components", "languages"):
        shutil.copytree(content_dir("sites") / folder, tmp_path / folder, dirs_exist_ok=True)
    (tmp_path / "banks").mkdir(exist_ok=True)
    shutil.copy(content_dir("sites") / "banks" / "common.yaml", tmp_path / "banks")
    for file, data in (
        (tmp_path / "archetypes" / name / "site.yaml", site),
        (tmp_path / "families" / "tiny.yaml", base),
        (tmp_path / "banks" / "names.yaml", {"names": ["甲社", "乙社", "丙社"]}),
    ):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(yaml.dump(data, Dumper=_PlainDumper, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return Library(tmp_path)


class PageReader(HTMLParser):
    """Reads an HTML page as a person would find it in the DOM: lines of text, controls with their names, tags.

    Attributes:
        lines: The direct text of each element that has any, in document order.
        elements: ``(tag, attributes, direct text)`` of every element.
    """

    _VOID = frozenset({"meta", "input", "br", "img", "rect", "circle", "ellipse", "path"})
    _SILENT = frozenset({"head", "select", "textarea"})

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str], list[str]]] = []
        self._open: list[int] = []
        self.lines: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {k: v or "" for k, v in attrs}, []))
        if tag not in self._VOID:
            self._open.append(len(self.elements) - 1)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {k: v or "" for k, v in attrs}, []))

    def handle_endtag(self, tag: str) -> None:
        assert self.elements[self._open[-1]][0] == tag, f"</{tag}> closes <{self.elements[self._open[-1]][0]}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if not self._open:
            assert not data.strip()
            return
        self.elements[self._open[-1]][2].append(data)
        if data.strip() and not any(self.elements[i][0] in self._SILENT for i in self._open):
            self.lines.append(data)
