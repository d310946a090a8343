"""The rendered view: all of the text and nothing else, codes as pictures that tell nothing, the same bytes always."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise, product
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.messages.session import build_session
from riskchain_gym.messages.view.document import VIEW_HEIGHT_PX, VIEW_WIDTH_PX, render_message
from riskchain_gym.messages.view.faces import face
from riskchain_gym.messages.view.fit import LARGEST_PX
from riskchain_gym.messages.view.looks import Theme
from riskchain_gym.messages.view.text import codes_of
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface

KEY = key_from_seed(2026)
TAGS = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "header",
    "footer",
    "main",
    "section",
    "div",
    "span",
    "p",
    "b",
}
TAGS |= {"i", "u", "s", "em", "bdi", "svg", "g", "path", "circle", "rect", "ellipse"}
SHOWN = st.characters(exclude_categories=("Cs",), exclude_characters="\0")
HOSTILE = ["<script>alert(1)</script>", "</main></body><img src=x>", "&amp; &#13; &lt;", "\"'><style>*{display:none}"]


def message(*texts: str, platform: Platform = Platform.QQ, surface: Surface = Surface.PRIVATE_MESSAGE) -> Message:
    chats = (ChatMessage(message_id=f"m{i:03d}", content=text) for i, text in enumerate(texts, start=1))
    return Message(platform=platform, surface=surface, messages=tuple(chats))


class Reader(HTMLParser):
    """Reads a document as a browser does: the text of every message, pictures as U+FFFC, and all tags."""

    def __init__(self, document: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.visible = ""
        self._open: list[tuple[str, bool]] = []
        self.feed(document)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        kind = dict(attrs).get("class")
        if tag == "svg" and self._inside():
            self.texts[-1] += "\ufffc"
        begins = kind == "t" or (tag == "span" and self._open[-1:] == [("note", False)])
        if begins:
            self.texts.append("")
        if tag != "meta":
            self._open.append((kind or tag, begins or self._inside()))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._inside():
            self.texts[-1] += data
        if self._open and self._open[-1][0] not in ("style", "title"):
            self.visible += data

    def _inside(self) -> bool:
        return bool(self._open) and self._open[-1][1]


def test_the_reader_sees_pictures_and_text() -> None:
    assert Reader(render_message(message("a/wx b"))).texts == ["a\ufffcb"]


@pytest.mark.parametrize("surface", Surface)
@given(texts=st.lists(st.text(SHOWN, max_size=60) | st.sampled_from(HOSTILE), min_size=1, max_size=4))
@settings(deadline=None, max_examples=30)
def test_every_code_point_is_there_and_nothing_is_markup(surface: Surface, texts: list[str]) -> None:
    read = Reader(render_message(message(*texts, surface=surface)))
    codes = codes_of(Platform.QQ)
    assert read.texts == ["".join("\ufffc" if is_code else piece for piece, is_code in split(t, codes)) for t in texts]
    assert read.tags <= TAGS


def split(text: str, codes: Any) -> list[tuple[str, bool]]:
    spans = codes.find(text)
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    return [(text[a:b], bool(i % 2)) for i, (a, b) in enumerate(pairwise(edges))]


def test_what_no_document_can_hold_is_shown_as_a_replacement_character() -> None:
    assert Reader(render_message(message("a\0b\ud800c"))).texts == ["a\ufffdb\ufffdc"]
    render_message(message("\udfff")).encode()


def test_lines_spaces_and_controls_stay_as_they_were_sent() -> None:
    text = " 一\u3000\u3000二\n\n\u202eabc\u202c\u200b\u2060\ufeff\r\n\ttail  "
    document = render_message(message(text))
    assert Reader(document).texts == [text]
    assert "white-space:pre-wrap" in document


def test_the_document_loads_nothing_and_runs_nothing() -> None:
    for platform, surface in product(Platform, Surface):
        read = Reader(render_message(message("看这里", *HOSTILE, platform=platform, surface=surface)))
        names = {name for name, _ in read.attributes}
        assert not names & {"src", "href", "style", "id", "alt", "title", "name", "action", "aria-label"}
        assert not any(name.startswith("on") for name in names)
    document = render_message(message("看这里"))
    assert "default-src 'none'" in document
    assert "url(" not in document
    assert "@import" not in document


@pytest.mark.parametrize("platform", Platform)
def test_own_codes_are_pictures_and_those_of_others_are_text(platform: Platform) -> None:
    own = codes_of(platform).codes
    read = Reader(render_message(message("".join(own), platform=platform)))
    assert read.texts == ["\ufffc" * len(own)]
    others = {code for other in Platform for code in codes_of(other).codes} - set(own)
    foreign = [code for code in sorted(others) if not codes_of(platform).find(code)]
    assert foreign
    assert Reader(render_message(message("|".join(foreign), platform=platform))).texts == ["|".join(foreign)]


def test_a_picture_tells_nothing_of_its_code() -> None:
    codes = sorted({code.strip() for platform in Platform for code in codes_of(platform).codes})
    faces = {code: face(code) for code in codes}
    assert len(set(faces.values())) == len(codes), "each code has a picture of its own"
    for platform in Platform:
        own = codes_of(platform).codes
        drawings = {re.sub(r"oklch\([^)]*\)", "", face(code)) for code in own}
        assert len(drawings) == len(own), "and on one platform they differ in more than colour"
    assert len({drawn.split(">")[0] for drawn in faces.values()}) == 1, "all are of one size"
    for code, drawn in faces.items():
        assert drawn.isascii()
        assert not re.sub(r"<[^>]*>", "", drawn), "there is no text in it"
        assert len(code) < 3 or code not in drawn
    assert face("/wx ") == face("/wx")


def test_no_platform_is_named_and_no_id_is_shown() -> None:
    names = {platform.value for platform in Platform}
    names |= {"微信", "微博", "抖音", "贴吧", "哔哩", "视频号", "tieba", "weixin"}
    for platform, surface in product(Platform, Surface):
        named = message("你好", platform=platform, surface=surface)
        document = render_message(named)
        assert not [name for name in names if name in document.lower()]
        renamed = (ChatMessage(message_id="other", content="你好"),)
        assert render_message(named.model_copy(update={"messages": renamed})) == document
        assert "m001" not in document


@pytest.mark.parametrize("surface", Surface)
def test_roles_are_told_apart(surface: Surface) -> None:
    def drawn(*roles: Any) -> str:
        chats = (ChatMessage(message_id=f"m{i}", role=role, content="同样的话") for i, role in enumerate(roles))
        return render_message(Message(platform=Platform.WEIBO, surface=surface, messages=tuple(chats)))

    assert len({drawn("sender"), drawn("recipient"), drawn("system")}) == 3
    assert Reader(drawn("sender", "system", "recipient", "sender")).texts == ["同样的话"] * 4


def test_only_where_people_are_many_they_have_names() -> None:
    for surface, named in {Surface.PRIVATE_MESSAGE: False, Surface.GROUP_CHAT: True, Surface.LIVE_CHAT: True}.items():
        visible = Reader(render_message(message("词", surface=surface))).visible
        assert ("群友" in visible or "观众" in visible) is named


def test_platforms_surfaces_and_themes_all_look_different() -> None:
    documents = {
        (platform, surface, theme): render_message(message("你好", platform=platform, surface=surface), theme=theme)
        for platform, surface, theme in product(Platform, Surface, get_args(Theme))
    }
    assert len(set(documents.values())) == len(documents)


def test_an_unknown_theme_is_refused() -> None:
    with pytest.raises(ConfigError, match="no theme 'sepia': choose one of light, dark"):
        render_message(message("你好"), theme="sepia")  # type: ignore[arg-type]


def text_size(one: Message, **size: int) -> float:
    found = re.search(r"font-size:([\d.]+)px", render_message(one, **size))
    assert found is not None
    return float(found[1])


@pytest.mark.parametrize("surface", Surface)
def test_text_is_full_size_where_there_is_room_and_smaller_where_not(surface: Surface) -> None:
    sizes = [text_size(message("加我\n" * n, surface=surface)) for n in (1, 8, 20, 40, 400)]
    assert sizes[:2] == [LARGEST_PX, LARGEST_PX]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) >= 4
    assert text_size(message("加我\n" * 20, surface=surface), height_px=2 * VIEW_HEIGHT_PX) == LARGEST_PX
    wide = message("风" * 600, surface=surface)
    assert text_size(wide, width_px=2 * VIEW_WIDTH_PX) > text_size(wide)


def test_published_messages_keep_a_text_size_that_can_be_read() -> None:
    for index, platform in enumerate(Platform):
        for one in build_session(KEY, index, platform=platform).variants.values():
            assert min(text_size(one.model_copy(update={"surface": surface})) for surface in Surface) >= 13


def test_the_same_bytes_in_another_process() -> None:
    code = (
        "import sys\n"
        "from riskchain_gym.messages.session import build_session\n"
        "from riskchain_gym.messages.view.document import render_message\n"
        "from riskchain_gym.protocol.keyed import key_from_seed\n"
        "from riskchain_gym.protocol.message import Platform\n"
        "session = build_session(key_from_seed(2026), 3, platform=Platform.QQ)\n"
        "sys.stdout.buffer.write(''.join(map(render_message, session.variants.values())).encode())\n"
    )
    here = "".join(map(render_message, build_session(KEY, 3, platform=Platform.QQ).variants.values())).encode()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        )
        assert done.stdout == here
