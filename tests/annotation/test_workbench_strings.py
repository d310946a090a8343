"""The files of the workbench's page: both languages say everything, and nothing in them breaks its content policy."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import riskchain_gym.annotation

STATIC = Path(riskchain_gym.annotation.__file__).with_name("static")
SCRIPTS = sorted(STATIC.glob("*.js"))
LANGUAGES = ("en", "zh")


def words(language):
    source = (STATIC / f"words.{language}.js").read_text(encoding="utf-8")
    return json.loads(source.removeprefix("export default ").rstrip().removesuffix(";"))


def code():
    return {path.name: path.read_text(encoding="utf-8") for path in SCRIPTS if not path.name.startswith("words.")}


def used_keys():
    """Keys as they stand in the code, and prefixes of those that are put together there."""
    whole, prefixes = set(), set()
    for source in code().values():
        whole |= set(re.findall(r'\bt\((?:[^()"`]*\?\s*)?"([\w.-]+)"', source))
        whole |= set(re.findall(r'\bt\([^()"`]*\?\s*"[\w.-]+"\s*:\s*"([\w.-]+)"', source))
        prefixes |= set(re.findall(r"\bt\(`([\w.-]+)\$\{", source))
    # The tables of shortcuts, rows, moves and endings name keys that are looked up later.
    tables = re.findall(r'"((?:keys|ask|answers|pair|site|did)\.[\w-]+)"', "".join(code().values()))
    return whole | set(tables), prefixes


def test_both_languages_have_the_same_keys_in_order():
    assert list(words("en")) == list(words("zh"))
    assert list(words("en"))[1:] == sorted(list(words("en"))[1:]), "keys are in order, after the language's own name"


def test_every_text_says_something_and_has_the_same_slots():
    english, chinese = words("en"), words("zh")
    for key, text in english.items():
        assert text.strip(), key
        assert chinese[key].strip(), key
        assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", chinese[key])), key


def test_chinese_is_written_in_chinese():
    assert {key for key, text in words("zh").items() if not re.search(r"[\u4e00-\u9fff]", text)} == {
        "head.count",
        "lang",
    }


def test_every_key_that_is_used_exists_and_every_key_is_used():
    whole, prefixes = used_keys()
    known = set(words("en"))
    assert whole - known == set()
    assert {p for p in prefixes if not any(key.startswith(p) for key in known)} == set()
    assert {key for key in known - whole if not any(key.startswith(p) for p in prefixes)} == set()


@pytest.mark.parametrize(
    "forbidden",
    [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "DOMParser",
        "createContextualFragment",
        "srcdoc",
        "eval(",
        "new Function",
        'setAttribute("style"',
        "cssText",
        "javascript:",
    ],
)
def test_nothing_that_a_site_says_can_become_markup_or_code(forbidden):
    assert [name for name, source in code().items() if forbidden in source] == []


def test_timers_are_given_functions():
    assert [name for name, source in code().items() if re.search(r"set(?:Timeout|Interval)\(\s*[\"'`]", source)] == []


def test_nothing_is_asked_of_anywhere_else():
    for path in sorted(STATIC.iterdir()):
        outward = re.findall(r"(?:https?:)?//[\w.-]+\.\w+", path.read_text(encoding="utf-8"))
        assert set(outward) <= {"http://www.w3.org"}, path.name


class Index(HTMLParser):
    """What the first document holds."""

    def __init__(self):
        super().__init__()
        self.inline, self.attributes, self.files = [], [], []
        self._in = ""

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, name) for name, _ in attrs if name.startswith("on") or name == "style"]
        self.files += [value for name, value in attrs if name in ("src", "href")]
        self._in = tag

    def handle_data(self, data):
        if self._in in ("script", "style") and data.strip():
            self.inline.append(data)

    def handle_endtag(self, tag):
        self._in = ""


def test_the_document_has_no_inline_script_style_or_handler():
    index = Index()
    index.feed((STATIC / "index.html").read_text(encoding="utf-8"))
    assert (index.inline, index.attributes) == ([], [])
    assert all(re.fullmatch(r"static/[\w.-]+", file) for file in index.files)
    assert {file.removeprefix("static/") for file in index.files} <= {path.name for path in STATIC.iterdir()}


def test_every_file_is_needed():
    everything = "".join(path.read_text(encoding="utf-8") for path in STATIC.iterdir())
    unnamed = [path.name for path in STATIC.iterdir() if f"/{path.name}" not in everything]
    assert unnamed == ["index.html"]


def test_what_is_named_for_tests_is_there():
    """The list at the top of the document is what other programs hold on to."""
    index, source = (STATIC / "index.html").read_text(encoding="utf-8"), "".join(code().values())
    named = {"progress", "saved", "undo-answer", "help", "frame", "zone", "menu", "mark", "lookback", "pin-remove"}
    assert all(name in index and f'"data-testid": "{name}"' in source for name in named)
