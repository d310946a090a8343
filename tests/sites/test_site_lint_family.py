"""Lines: a member gives exactly its family's, problems name them, and no line contradicts another member's."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml
from site_helpers import ACTION, BENIGN, CLAIM, FAMILY, KEY, LIMITATION

from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.sites.archetypes import lint_archetype, lint_content
from riskchain_gym.sites.build import build_site
from riskchain_gym.sites.library import Library
from riskchain_gym.sites.lint_wordings import lint_wordings
from riskchain_gym.sites.rules import rule_problem

LINED: dict[str, Any] = {
    **copy.deepcopy(FAMILY),
    "track": "L2_OBSERVATION",
    "state": {},
    "facts": {**FAMILY["facts"], "operator": {"choice": ["甲社"]}},
}
LINED["pages"]["inner"] = {
    "title": "内页",
    "nav": "内页",
    "blocks": [
        {"kind": "text", "line": "first"},
        {"kind": "details", "rows": [{"label": "说明", "line": "second"}]},
    ],
}
MEMBERS: dict[str, dict[str, Any]] = {
    "bad-one": {
        "label": {"decision": "VIOLATION", "type": "FRAUD_DECEPTIVE_INDUCEMENT"},
        "lines": {
            "first": {"text": ["稳赚不赔", "只赚不赔"], "atom": CLAIM},
            "second": {"text": "先转三百", "atom": ACTION},
        },
    },
    "good-one": {
        "label": {"decision": "NON_VIOLATION", "type": "NONE"},
        "lines": {"first": "结果以公示为准", "second": {"text": "不收费用", "atom": BENIGN}},
    },
    "open-one": {
        "label": {"decision": "INSUFFICIENT_EVIDENCE", "type": "UNKNOWN"},
        "lines": {"first": {"text": "内容没有显示", "atom": LIMITATION}, "second": "暂缺"},
    },
}


def lined(root: Path, change: Any = None, *, english: tuple[str, ...] = ()) -> Library:
    """Write a private folder with a family of three members; ``change`` edits its data by file."""
    files: dict[str, Any] = {"families/lined.yaml": copy.deepcopy(LINED)}
    for name, member in MEMBERS.items():
        data = {"extends": "lined", "summary": "A member for tests.", **copy.deepcopy(member)}
        files[f"archetypes/{name}/site.yaml"] = data
    if change is not None:
        change(files)
    for path in english:
        files[path] = copy.deepcopy(files[path.replace(".en.yaml", ".yaml")])
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return Library(root)


def member(name: str) -> str:
    return f"archetypes/{name}/site.yaml"


def test_a_sound_family_lints_clean_and_builds(tmp_path: Path) -> None:
    content = lined(tmp_path)
    assert lint_content(content) == []
    for name in MEMBERS:
        _, gold = build_site(name, KEY, "a", content=content)
        assert len(gold.path) == 1


def one_problem(content: Library) -> InputFileError:
    problems = lint_content(content)
    assert len(problems) == 1, [str(problem) for problem in problems]
    return problems[0]


@pytest.mark.parametrize(
    ("line", "value", "field", "words"),
    [
        ("second", None, "lines.second", "does not give it"),
        ("third", "多余", "lines.third", "no page of the family uses"),
        ("first", [], "lines.first", "at least one text"),
        ("first", {"text": "x", "tone": "bad"}, "lines.first.tone", "nothing else"),
        ("first", "{{ nobody }}", "lines.first", "state variable 'nobody'"),
        ("first", ["[[ nobody ]]", "b"], "lines.first", "'nobody'"),
        ("first", ["a", "b", "{{ nobody }}", "c"], "lines.first", "state variable 'nobody'"),
        ("first", ["a", "两\n行", "c", "d"], "lines.first", "one line"),
        ("first", {"text": ["a", "b{{ steps }}"], "atom": BENIGN}, "lines.first.atom", "facts only"),
        (
            "first",
            {"text": "x", "atom": {"component": "benign", "anchor": "NO_ANCHOR"}},
            "lines.first.atom.anchor",
            "Input",
        ),
        ("first", {"text": "两\n行", "atom": BENIGN}, "lines.first", "one line"),
    ],
)
def test_a_wrong_line_is_named_in_the_members_file(
    tmp_path: Path, line: str, value: Any, field: str, words: str
) -> None:
    def change(files: dict[str, Any]) -> None:
        lines = files[member("good-one")]["lines"]
        lines[line] = value
        if value is None:
            del lines[line]

    problem = one_problem(lined(tmp_path, change))
    assert (problem.path, problem.field) == (tmp_path / member("good-one"), field), str(problem)
    assert words in problem.problem


def test_every_wrong_line_is_told_at_once(tmp_path: Path) -> None:
    def change(files: dict[str, Any]) -> None:
        files[member("good-one")]["lines"] = {"third": "多余", "fourth": 4}

    fields = [problem.field for problem in lint_archetype("good-one", lined(tmp_path, change))]
    assert fields == ["lines.first", "lines.second", "lines.third", "lines.fourth", "lines.fourth"]


@pytest.mark.parametrize("wording", ["只赚不赔", "稳赚不赔"])
def test_a_claim_of_one_member_unmarked_in_another_is_caught(tmp_path: Path, wording: str) -> None:
    problem = one_problem(lined(tmp_path, lambda files: files[member("good-one")]["lines"].update(first=wording)))
    assert (problem.path, problem.field) == (tmp_path / member("good-one"), "lines.first")
    assert f"the claim '{wording}' of 'bad-one' stands here unmarked" in problem.problem


def test_an_action_marked_as_something_else_in_another_member_is_caught(tmp_path: Path) -> None:
    def change(files: dict[str, Any]) -> None:
        files[member("good-one")]["lines"]["second"]["text"] = "先转三百"

    assert "stands here as a benign of another kind" in one_problem(lined(tmp_path, change)).problem


def test_a_lone_half_may_repeat_a_claim_that_is_marked_alike(tmp_path: Path) -> None:
    def change(files: dict[str, Any]) -> None:
        files[member("good-one")]["lines"]["first"] = {"text": "稳赚不赔", "atom": CLAIM}

    assert lint_content(lined(tmp_path, change)) == []


def test_a_shared_text_that_is_a_members_claim_blames_the_family(tmp_path: Path) -> None:
    def change(files: dict[str, Any]) -> None:
        files["families/lined.yaml"]["pages"]["home"]["blocks"].append({"kind": "small", "text": "先转三百"})

    problems = lint_content(lined(tmp_path, change))
    assert {(p.path.name, p.field) for p in problems} == {("lined.yaml", "pages.home.blocks.2.text")}


@pytest.mark.parametrize("key", ["pages", "actions", "state", "host", "presentations"])
def test_a_member_gives_nothing_that_the_family_gives(tmp_path: Path, key: str) -> None:
    given = {"presentations": ["shop"]}.get(key, {})
    problem = one_problem(lined(tmp_path, lambda files: files[member("good-one")].update({key: given})))
    assert (problem.path, problem.field) == (tmp_path / member("good-one"), key)


def test_a_family_marks_no_atom(tmp_path: Path) -> None:
    def change(files: dict[str, Any]) -> None:
        files["families/lined.yaml"]["pages"]["inner"]["blocks"].append(
            {"kind": "text", "text": "旁注", "atom": BENIGN}
        )

    problem = one_problem(lined(tmp_path, change))
    assert (problem.path.name, problem.field) == ("lined.yaml", "pages.inner.blocks.2.atom")


def test_english_is_there_for_all_members_or_for_none(tmp_path: Path) -> None:
    whole = ("families/lined.en.yaml", *(member(name).replace(".yaml", ".en.yaml") for name in MEMBERS))
    assert lint_content(lined(tmp_path / "whole", english=whole)) == []
    for missing in whole:
        part = tuple(path for path in whole if path != missing)
        problems = lint_content(lined(tmp_path / missing.replace("/", "-"), english=part))
        assert any(p.path.as_posix().endswith(missing) and "for all members or for none" in p.problem for p in problems)


@pytest.mark.parametrize(
    "rule",
    ["(a+)+", "(a|aa)+b", "(a{1,5}){2}", "([a-z]*b?)*", r"(a)\1", "(?=a)a", "a*b*c*", "a?" * 30, "(a?){30}a{30}"],
)
def test_a_rule_that_can_take_for_ever_is_refused(tmp_path: Path, rule: str) -> None:
    def change(files: dict[str, Any]) -> None:
        family = files["families/lined.yaml"]
        field = {"name": "who", "label": "称呼"}
        form = {"kind": "form", "fields": [field], "submit": "好", "do": "send"}
        family["pages"]["inner"]["blocks"].append(form)
        family["actions"] = {"send": {"checks": [{"field": "who", "rule": rule, "error": "不对"}]}}

    problems = lint_content(lined(tmp_path, change))
    assert {(p.path.name, p.field) for p in problems} == {("lined.yaml", "actions.send.checks.0.rule")}
    assert "very slow" in problems[0].problem


@pytest.mark.parametrize(
    "rule",
    [".+", ".{1,20}", "(?s).{2,200}", "[^@ ]+@[^@ ]+", "[0-9]{11}", "(?:ab){2}", "a+?b", "[(*+]+", "(red|green)"],
)
def test_an_ordinary_rule_passes(rule: str) -> None:
    assert rule_problem(rule) is None


def test_a_placeholder_inside_a_placeholder_is_refused(tmp_path: Path) -> None:
    """It would stand on the page as it is written."""
    wording = "[[ say('甲', '第[[ price ]]号') ]]"
    problem = one_problem(lined(tmp_path, lambda files: files[member("good-one")]["lines"].update(first=wording)))
    assert problem.field == "lines.first"
    assert "'[[' inside '[[ … ]]'" in problem.problem


def planted(root: Path) -> Library:
    """Write three members and a family whose wordings contradict one another in several places."""

    def change(files: dict[str, Any]) -> None:
        files[member("good-one")]["lines"].update(first="只赚不赔", second={"text": "先转三百", "atom": BENIGN})
        files[member("open-one")]["lines"].update(second="先转 [[ price ]] 元")
        files[member("bad-one")]["lines"]["second"]["text"] = ["先转三百", "先转 300 元"]
        files[member("open-one")]["facts"] = {"fee": {"number": [1, 9]}}
        files["families/lined.yaml"]["pages"]["home"]["blocks"].append(
            {"kind": "small", "text": "稳赚[[ say('不赔') ]]"}
        )

    return lined(root, change)


def test_lint_of_one_archetype_finds_what_lint_of_all_finds_of_it(tmp_path: Path) -> None:
    content = planted(tmp_path)
    whole = {str(problem) for problem in lint_wordings(content.archetype_names(), "zh-CN", content)}
    apart = [
        {str(problem) for problem in lint_wordings([name], "zh-CN", content)} for name in content.archetype_names()
    ]
    assert len(whole) == 4
    assert set().union(*apart) == whole
    assert all(apart)


def test_lint_of_one_archetype_reads_of_the_others_their_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []
    load = Library._load

    def counted(self: Library, file: Path, lang: Any) -> Any:
        loaded.append(file.parent.name)
        return load(self, file, lang)

    monkeypatch.setattr(Library, "_load", counted)
    content = Library(content_dir("sites"))
    assert lint_content(content, ["order-rebate"]) == []
    assert len(loaded) < len(content.archetype_names()) / 2
