"""What the browser backend sees of a page."""

from __future__ import annotations

import numpy as np
import pytest
from chromium_stub import act, asked, in_page, show, stub_backend, texts

from riskchain_gym.protocol.page import Capabilities

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def backend():
    made = stub_backend()
    yield made
    made.close()


def test_text_arrives_code_point_by_code_point(backend):
    page = show(backend, "/text")
    assert texts(page) == [
        "\u3000开头\u3000全角",
        "1\ufe0f\u20e32\ufe0f\u20e3 🎁 αβγ Ω\u200b|",
        "第一行\n第二行  两个空格",
        "左",
        "右",
        "甲",
        "乙",
        "\u3000回 首页\u3000",
    ]
    assert page.title == "标题\u3000/text"
    assert (page.path, page.status) == ("/text", 200)
    assert page.elements[0].name == "\u3000回 首页\u3000"


def test_lines_and_elements_have_boxes_in_document_coordinates(backend):
    page = show(backend, "/long")
    bottom = next(line for line in page.lines if line.text == "底")
    assert page.height > 4000
    assert bottom.box is not None
    assert bottom.box.y > 4000
    scrolled = act(backend, "scroll_down").page
    assert scrolled.scroll_y == 700
    assert scrolled.lines == page.lines
    assert scrolled.elements == page.elements


def test_elements_have_roles_names_and_states(backend):
    page = show(backend, "/form")
    seen = {element.key: element for element in page.elements}
    assert list(seen) == ["form1", "name1", "num1", "range1", "area1", "sel1", "pick1", "box1", "send1"]
    assert [(e.role, e.name, e.type) for e in page.elements] == [
        ("form", "登记", ""),
        ("textbox", "姓名", "text"),
        ("textbox", "数量", "number"),
        ("slider", "滑块", "range"),
        ("textbox", "留言", ""),
        ("combobox", "地区", ""),
        ("combobox", "班次", ""),
        ("checkbox", "同意", "checkbox"),
        ("button", "提交", ""),
    ]
    assert seen["name1"].placeholder == "两个字"
    assert seen["sel1"].options == ("", "\u3000北部", "南部")
    assert [key for key, element in seen.items() if element.has_value] == ["range1", "pick1"]
    assert seen["form1"].capabilities == Capabilities(submit=True)
    assert all(element.box is not None for element in page.elements)


def test_disabled_elements_say_so(backend):
    page = show(backend, "/bad")
    assert [element.key for element in page.elements if element.disabled] == ["off1"]


def test_status_is_that_of_the_document(backend):
    show(backend)
    assert act(backend, "click", "tomissing").page.status == 404
    assert act(backend, "back").page.status == 200


def test_marking_leaves_list_numbers_alone(backend):
    show(backend, "/text")
    assert in_page(backend, "[...document.querySelectorAll('li')].every(item => !item.hasAttribute('value'))")
    assert in_page(backend, "document.querySelectorAll('[bid]').length") > 10
    assert in_page(backend, "document.querySelectorAll('[aria-roledescription],[aria-description]').length") == 0


def test_elements_without_ids_get_keys_that_last(backend):
    page = show(backend)
    in_page(backend, "document.querySelectorAll('a').forEach(link => link.removeAttribute('id'))")
    once = act(backend, "scroll_down").page
    twice = act(backend, "scroll_up").page
    keys = [element.key for element in once.elements]
    assert len(set(keys)) == len(page.elements)
    assert keys == [element.key for element in twice.elements]
    assert act(backend, "click", keys[2]).page.path == "/text"


def test_two_elements_never_share_a_key(backend):
    show(backend)
    in_page(backend, "document.querySelectorAll('a').forEach(link => { link.id = 'same' })")
    keys = [element.key for element in act(backend, "scroll_down").page.elements]
    assert len(set(keys)) == len(keys) == 5


def test_fields_named_like_form_properties_do_not_confuse(backend):
    show(backend, "/form")
    in_page(
        backend,
        "for (const name of ['id', 'action', 'target', 'title', 'elements', 'submit'])"
        " form1.insertAdjacentHTML('beforeend', `<input type=hidden name=${name}>`)",
    )
    page = act(backend, "scroll_down").page
    assert page.elements[0].key == "form1"
    assert page.elements[0].name == "登记"
    assert act(backend, "submit", "form1").error is None


def test_the_accessibility_tree_shows_our_ids_only(backend):
    page = show(backend, "/text")
    tree = backend.axtree({element.key: f"e{i}" for i, element in enumerate(page.elements, 1)})
    assert "[e1] link '\u3000回 首页\u3000'" in tree
    assert "StaticText '\u3000开头\u3000全角'" in tree
    assert "第一行\\n第二行  两个空格" in tree
    assert tree.count("[") == 1
    assert ".test" not in tree


def test_the_screenshot_is_the_viewport(backend):
    show(backend, "/long")
    top = backend.screenshot()
    assert top.shape == (900, 1280, 3)
    assert top.dtype == np.uint8
    assert top.std() > 0
    act(backend, "scroll_down")
    assert not np.array_equal(top, backend.screenshot())


def test_nothing_on_a_page_moves(backend):
    show(backend, "/form")
    in_page(backend, "(name1.style.animation = 'spin 1s infinite', name1.style.transition = 'all 2s', name1.focus())")
    style = in_page(
        backend,
        "(({ animationName, transitionDuration, caretColor }) => [animationName, transitionDuration, caretColor])"
        "(getComputedStyle(name1))",
    )
    assert style == ["none", "0s", "rgba(0, 0, 0, 0)"]


def test_another_viewport():
    small = stub_backend(viewport_width_px=400, viewport_height_px=300)
    try:
        show(small, "/form")
        assert small.screenshot().shape == (300, 400, 3)
    finally:
        small.close()


def test_the_same_actions_give_the_same_pages_and_pictures(backend):
    def episode():
        pages = [show(backend)]
        pictures = [backend.screenshot()]
        for kind, key in [
            ("click", "toform"),
            ("fill", "name1"),
            ("check", "box1"),
            ("submit", "form1"),
            ("back", None),
        ]:
            pages.append(act(backend, kind, key).page)
            pictures.append(backend.screenshot())
        return pages, pictures

    first, second = episode(), episode()
    assert first[0] == second[0]
    assert all(np.array_equal(a, b) for a, b in zip(first[1], second[1], strict=True))


def test_every_episode_has_a_host_of_its_own_and_starts_clean(backend):
    show(backend)
    in_page(backend, "(document.cookie = 'seen=1', localStorage.setItem('seen', '1'))")
    show(backend)
    assert in_page(backend, "document.cookie + localStorage.length") == "0"
    hosts = {host for _, host, path in asked(backend) if path == "/"}
    assert len(hosts) > 2
