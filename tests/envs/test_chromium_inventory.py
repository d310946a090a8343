"""Reading the injected script's answer, without a browser."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.envs.browser.actions import perform
from riskchain_gym.envs.browser.inventory import capabilities_of, role_of, seen_page
from riskchain_gym.envs.browser.marking import quoted, tree_text
from riskchain_gym.envs.browser.scripts import library_source, script
from riskchain_gym.protocol.action import ActionErrorKind, ActionKind, BrowserAction


@pytest.mark.parametrize(
    ("tag", "kind", "explicit", "role", "takes"),
    [
        ("a", "", "", "link", {"click"}),
        ("a", "", "button", "button", {"click"}),
        ("div", "", "button", "button", {"click"}),
        ("button", "", "", "button", {"click"}),
        ("button", "", "nonsense", "button", {"click"}),
        ("input", "submit", "", "button", {"click"}),
        ("input", "tel", "", "textbox", {"fill"}),
        ("input", "number", "", "textbox", {"fill"}),
        ("input", "search", "", "textbox", {"fill"}),
        ("input", "range", "", "slider", {"fill"}),
        ("input", "checkbox", "", "checkbox", {"check"}),
        ("input", "radio", "", "radio", {"check"}),
        ("input", "file", "", "textbox", set()),
        ("textarea", "", "", "textbox", {"fill"}),
        ("select", "", "", "combobox", {"select"}),
        ("form", "", "", "form", {"submit"}),
    ],
)
def test_roles_and_capabilities_follow_the_native_element(tag, kind, explicit, role, takes):
    assert role_of(tag, kind, explicit) == role
    able = capabilities_of(tag, kind, explicit).model_dump()
    assert {name for name, yes in able.items() if yes} == takes


def test_a_select_of_several_rows_is_a_list():
    assert role_of("select", "", "", many=True) == "listbox"


def _line(box):
    page = {"title": "", "path": "/", "status": 200, "elements": [], "pictures": [], "scroll_y": 0, "height": 9}
    return seen_page({**page, "lines": [{"text": "x", "box": box}]}).page.lines[0]


@given(st.floats(-500, 500), st.floats(-500, 500), st.floats(0.01, 500), st.floats(0.01, 500))
def test_boxes_are_clipped_to_the_document(x, y, width, height):
    box = _line([x, y, width, height]).box
    if box is None:
        assert x + width <= 0.01 or y + height <= 0.01
    else:
        assert box.x >= 0
        assert box.y >= 0
        assert box.x + box.width == pytest.approx(x + width, abs=0.02)
        assert box.y + box.height == pytest.approx(y + height, abs=0.02)


def test_only_a_field_that_the_site_does_not_know_is_an_error_of_the_action():
    """An answer that lacks something is a fault of ours, and stays one."""

    def fixture(path: str, key: str) -> str:
        raise KeyError(key)

    answer = {"problem": "", "point": None, "url": "", "frame": "", "checked": False, "options": [], "usable": []}
    episode: Any = MagicMock()
    episode.return_to_site.return_value = None
    episode.seen.keys = {"field"}
    action = BrowserAction(action=ActionKind.FILL, element_id="e1")
    episode.world.call.return_value = answer
    assert perform(episode, action, "field", fixture).error is ActionErrorKind.EXECUTION_ERROR
    episode.world.call.return_value = {"problem": ""}
    with pytest.raises(KeyError, match="point"):
        perform(episode, action, "field", fixture)


def test_a_line_without_a_box_has_none():
    assert _line(None).box is None


def test_the_tree_prints_text_as_it_is_and_only_our_ids():
    def node(number, role, name, children=(), **more):
        return {
            "nodeId": str(number),
            "role": {"value": role},
            "name": {"value": name},
            "childIds": list(children),
            **more,
        }

    tree = {
        "nodes": [
            node(
                1, "RootWebArea", "标题", ["2", "3"], properties=[{"name": "url", "value": {"value": "http://h.test/"}}]
            ),
            node(2, "link", "　去'看\\看'　", browsergym_id="12"),
            node(3, "button", "αβ\u200b\n🎁", browsergym_id="13", value={"value": "　"}),
        ]
    }
    text = tree_text(tree, {"13": "e7"})
    assert text == "RootWebArea '标题'\n\tlink '　去\\'看\\\\看\\'　'\n\t[e7] button 'αβ\u200b\\n🎁' value='　'"
    assert "h.test" not in text


_NAMES = st.text("abc'", max_size=3)
_PROPERTIES = st.lists(
    st.tuples(st.sampled_from(["focused", "focusable", "checked", "hasPopup"]), st.sampled_from([True, False, "menu"])),
    max_size=2,
)
_NODES = st.lists(
    st.tuples(
        st.sampled_from(["generic", "StaticText", "link", "InlineTextBox", "none"]),
        st.none() | _NAMES,
        _PROPERTIES,
        st.none() | _NAMES | st.integers(),
        st.integers(min_value=0),
    ),
    min_size=1,
)


@settings(deadline=None)
@given(_NODES)
def test_the_tree_reads_as_browsergym_core_writes_it(made):
    flatten = pytest.importorskip("browsergym.utils.obs").flatten_axtree_to_str
    nodes = []
    for number, (role, name, properties, value, above) in enumerate(made):
        node = {"nodeId": str(number), "role": {"value": role}, "childIds": []}
        node["properties"] = [{"name": each, "value": {"value": is_so}} for each, is_so in properties]
        if name is not None:
            node["name"] = {"value": name}
        if value is not None:
            node["value"] = {"value": value}
        if nodes:
            nodes[above % number]["childIds"].append(str(number))
        nodes.append(node)
    theirs = flatten({"nodes": nodes}, ignored_roles=["LineBreak", "InlineTextBox"])
    assert tree_text({"nodes": nodes}, {}).replace('"', "'").replace("\\'", "'") == theirs.replace('"', "'")


@given(st.text())
def test_quoted_text_can_be_read_back(text):
    printed = quoted(text)
    assert "\n" not in printed
    inner = printed[1:-1]
    back = inner.replace("\\\\", "\0\0").replace("\\'", "'").replace("\\n", "\n").replace("\\r", "\r")
    if "\0" not in text:
        assert back.replace("\0\0", "\\") == text


def test_every_script_is_there():
    assert all("=>" in script(name) for name in ("steady", "glyphs", "fit", "clock"))
    source = library_source()
    for name in ("inventory", "target", "fill", "submit", "select", "scroll", "rest"):
        assert f"\n{name}: // " in source
