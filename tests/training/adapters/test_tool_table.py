"""The table of tools: every action has its tool, and schemas, methods and actions agree."""

from __future__ import annotations

import inspect
import json

import pytest
from tool_player import STORIES, by_heart, chains

from riskchain_gym.protocol.action import ActionKind
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.report import Report
from riskchain_gym.protocol.trajectory import Phase
from riskchain_gym.training.adapters.methods import tool_method
from riskchain_gym.training.adapters.prompts import system_prompt
from riskchain_gym.training.adapters.tools import BY_NAME, TOOLS, Tool, ToolCallError, tools_of


def test_every_action_has_its_tool() -> None:
    assert {each.name for each in TOOLS if each.phase is Phase.BROWSE} == {kind.value for kind in ActionKind}
    assert [each.name for each in tools_of("restore")] == ["commit"]
    assert [each.name for each in tools_of("browse")] == [each.name for each in TOOLS if each.name != "commit"]
    assert tools_of("chain") == TOOLS


def test_commit_and_report_can_say_all_that_counts() -> None:
    assert set(Commit.model_fields) - set(BY_NAME["commit"].form.model_fields) == {"schema_version"}
    assert set(Report.model_fields) - set(BY_NAME["report"].form.model_fields) == {"schema_version"}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_schema_and_method_say_the_same(tool: Tool) -> None:
    schema = tool.schema
    assert "$" not in json.dumps(schema), "nothing is referred to"
    assert list(schema["properties"]) == [each.name for each in tool.parameters]
    assert all(each["description"] for each in schema["properties"].values())
    method = tool_method(tool, lambda _, name, given: json.dumps([name, given]))
    parameters = list(inspect.signature(method).parameters.values())[1:]
    assert [each.name for each in parameters] == list(schema["properties"])
    assert [p.name for p in parameters if p.default is inspect.Parameter.empty] == schema["required"]
    assert method.__name__ == tool.name
    assert all(f"    {name}: " in (method.__doc__ or "") for name in schema["properties"])
    assert json.loads(method(None, made_up=1)) == [tool.name, {"made_up": 1}], "the session says what is wrong"


@pytest.mark.parametrize("story", STORIES)
def test_a_call_becomes_the_action_that_it_means(story: str) -> None:
    models = {"commit": Commit, "report": Report}
    for chain in chains()[:2]:
        play = by_heart(chain, story)  # type: ignore[arg-type]
        for (name, arguments), action in zip(play.calls, play.actions, strict=True):
            model = models.get(name)
            made = BY_NAME[name].action_text(arguments)
            if model is None:
                assert json.loads(made) == json.loads(action)
            else:
                assert model.model_validate_json(made) == model.model_validate_json(action)


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("click", {}, "element_id: Field required"),
        ("click", {"element_id": None}, "element_id: Field required"),
        ("click", {"element_id": "e1", "elment_id": "e2"}, "Did you mean 'element_id'?"),
        ("press", {"element_id": "e1", "key": "Tab"}, "key:"),
        ("stop", {"stop_status": "DONE"}, "stop_status:"),
        ("back", {"element_id": "e1"}, "Its arguments: none."),
        ("commit", {"reconstructed_messages": [], "intent": "OPEN_SITE", "entry_candidates": [{"value": 3}]}, "value"),
        ("report", {"decision": "VIOLATION"}, "Field required"),
    ],
)
def test_what_does_not_fit_is_said(name: str, arguments: dict[str, object], said: str) -> None:
    with pytest.raises(ToolCallError) as error:
        BY_NAME[name].action_text(arguments)
    assert said in str(error.value)


def test_ranks_come_from_the_order() -> None:
    guesses = [{"value": "a.b.test", "confidence": 0.9}, {"value": "c.d.test"}]
    made = BY_NAME["commit"].action_text(
        {"reconstructed_messages": [], "intent": "OPEN_SITE", "entry_candidates": guesses, "platform": None}
    )
    ranked = Commit.model_validate_json(made).entry_candidates
    assert [(each.rank, each.value, each.confidence) for each in ranked] == [
        (1, "a.b.test", 0.9),
        (2, "c.d.test", 0.5),
    ]


def test_prompts_list_the_tools_only_where_nobody_else_does() -> None:
    told, written = system_prompt("chain"), system_prompt("chain", calls_as_text=True)
    assert '"parameters"' not in told
    assert all(f'"name": "{each.name}"' in written for each in TOOLS)
    assert "FRAUD" not in system_prompt("restore")
    assert "Restoring" not in system_prompt("browse")
