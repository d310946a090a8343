"""What a report holds of an episode, and what the index holds of it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from report_cases import episodes_of, rows_of
from run_cases import browsed_only, ended, lost, misjudged, remade, trajectories, unreported

from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.evaluation.calls import CallLog, ChainCalls
from riskchain_gym.evaluation.incidents import Incident, IncidentLog
from riskchain_gym.evaluation.judging import judge_run
from riskchain_gym.evaluation.report.again import command_again
from riskchain_gym.evaluation.report.writing import write_report
from riskchain_gym.evaluation.score import score_run
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.llm.cache import ReplyCache
from riskchain_gym.llm.reply import Usage
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.page import Capabilities, ObservedElement, ObservedLine, ObservedPicture
from riskchain_gym.protocol.report import Region
from riskchain_gym.protocol.trajectory import Phase, Trajectory
from riskchain_gym.scoring.judge.rules import RuleJudge


def reported(run: RunFolder, to: Path) -> list[dict[str, Any]]:
    score_run(run)
    return episodes_of(write_report([run], to, []))


@pytest.mark.parametrize("action", ['{"action":"reload"' + " " * 19_990, "[1, 2]", "\u0000", "", "[" * 15_000])
def test_an_action_that_cannot_be_read_does_not_break_the_page(
    frozen: dict[str, RunFolder], tmp_path: Path, action: str
) -> None:
    first, *_ = trajectories(frozen["rules+explorer"])
    steps = tuple(s.model_copy(update={"action": action}) if s.phase == "browse" else s for s in first.steps)
    run = remade(tmp_path / "run", frozen["rules+explorer"], [(first.model_copy(update={"steps": steps}), {})])
    (episode,) = reported(run, tmp_path / "report")
    (act, *_) = episode["views"][0]["acts"]
    assert (act["action"], act["sent"]) == ("unreadable action", action)
    assert episode["problems"]


def test_each_action_stands_on_the_view_it_was_taken_on(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    first, *_ = trajectories(frozen["rules+explorer"])
    browse = [step for step in first.steps if step.phase is Phase.BROWSE]
    (episode,) = reported(remade(tmp_path / "run", frozen["rules+explorer"], [(first, {})]), tmp_path / "report")
    acts = [(view["step"], act) for view in episode["views"] for act in view["acts"]]
    assert [act["sent"] for _, act in acts] == [step.action for step in browse]
    assert all(act["leads"] in (None, step + 1) for step, act in acts)
    named = [act for _, act in acts if "element_id" in json.loads(act["sent"])]
    assert named
    assert all(act["target"]["id"] == json.loads(act["sent"])["element_id"] for act in named)
    shown = [episode["pages"][view["page"]] for view in episode["views"]]
    assert [page["text"] for page in shown] == [page.text for page in first.browse_steps().values()]
    assert len(episode["pages"]) == len(set(first.pages))


@pytest.mark.parametrize(
    ("cited", "box"),
    [
        ({"element_id": "e3", "quote": "手机"}, [9, 9, 9, 9]),
        ({"element_id": "e4", "quote": "手机"}, None),
        ({"element_id": "p1", "quote": "手机"}, [7, 7, 7, 7]),
        ({"region": Region(x=1, y=2, width=3, height=4), "quote": "手机"}, [1, 2, 3, 4]),
        ({"quote": "手机"}, [2, 2, 2, 2]),
        ({"quote": "登记称呼"}, [1, 1, 1, 1]),
        ({"quote": "nowhere"}, None),
    ],
)
def test_a_citation_is_framed_where_it_points_and_not_where_its_words_stand_too(
    frozen: dict[str, RunFolder], tmp_path: Path, cited: dict[str, Any], box: list[float] | None
) -> None:
    def at(n: float) -> Region:
        return Region(x=n, y=n, width=n, height=n)

    first = trajectories(frozen["oracle"])[0]
    assert first.report is not None
    assert first.landing is not None
    page = first.pages[first.landing].model_copy(
        update={
            "lines": (ObservedLine(text="登记称呼和手机", box=at(1)), ObservedLine(text="手机", box=at(2))),
            "elements": (
                ObservedElement(element_id="e3", role="textbox", name="手机", capabilities=Capabilities(), box=at(9)),
                ObservedElement(element_id="e4", role="button", name="手机", capabilities=Capabilities()),
            ),
            "pictures": (ObservedPicture(key="p1", alt="", box=at(7)),),
        }
    )
    citation = first.report.evidence[0].model_copy(
        update={"step": 0, "element_id": None, "region": None, "quote": "", **cited}
    )
    report = first.report.model_copy(update={"evidence": (citation,)})
    made = first.model_copy(update={"report": report, "pages": {**first.pages, first.landing: page}})
    (episode,) = reported(remade(tmp_path / "run", frozen["oracle"], [(made, {})]), tmp_path / "report")
    assert episode["report"]["evidence"][0]["box"] == box


def test_every_end_has_its_result_and_a_lost_episode_has_no_score(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    a, b, c, d = trajectories(frozen["oracle"])
    run = remade(
        tmp_path / "run", frozen["oracle"], [(t, {}) for t in (lost(a), ended(b), unreported(c), misjudged(d))]
    )
    run_scores = score_run(run)
    rows = {row["chain"]: row for row in rows_of(write_report([run], tmp_path / "report", []))}
    assert [rows[t.chain_id]["result"] for t in (a, b, c, d)] == ["not scored", "ended as ⊥", "no report", "wrong"]
    assert rows[a.chain_id]["citation_f1"] is None
    assert rows[a.chain_id]["said"] is None
    assert rows[d.chain_id]["said"] != rows[d.chain_id]["decision"]
    assert run_scores.summary.statuses[EpisodeStatus.INFRA_ERROR] == 1


def test_a_time_that_nobody_measured_and_a_cost_that_nobody_knows_are_no_zero(
    frozen: dict[str, RunFolder], tmp_path: Path
) -> None:
    one, other, *_ = trajectories(frozen["noop"])
    run = remade(tmp_path / "run", frozen["noop"], [(one, {})])
    run.append(other, {}, None)
    score_run(run)
    rows = rows_of(write_report([run], tmp_path / "report", []))
    assert [row["seconds"] for row in rows] == [1.0, None]
    assert [row["cost"] for row in rows] == [None, None]


def test_an_episode_without_a_restoration_is_right_or_wrong_and_asked_for_no_entry(
    frozen: dict[str, RunFolder], tmp_path: Path
) -> None:
    right = [browsed_only(t) for t in trajectories(frozen["oracle"])]
    for made, result in ((right, "right"), ([misjudged(t) for t in right], "wrong")):
        run = remade(tmp_path / result, frozen["oracle"], [(t, {}) for t in made], env_id="RiskChainBrowse-v0")
        score_run(run)
        page = write_report([run], tmp_path / f"{result}-report", [])
        assert {row["result"] for row in rows_of(page)} == {result}
        assert {row["gate"] for row in rows_of(page)} == {None}
        assert not any(episode["message"]["asked"] for episode in episodes_of(page))


def test_a_message_is_told_stage_by_stage_in_every_variant(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    (episode, *_) = reported(
        remade(tmp_path / "run", frozen["oracle"], [(trajectories(frozen["oracle"])[0], {})]), tmp_path / "report"
    )
    public = next(chain for chain in load_public("mini") if chain.chain_id == episode["chain"])
    variants = episode["message"]["variants"]
    assert [v["name"] for v in variants] == sorted(public.variants)
    assert [v["tried"] for v in variants] == [v["name"] == episode["variant"] for v in variants]
    for variant in variants:
        for part in variant["parts"]:
            assert disguised(part) == part["shown"]


def disguised(part: dict[str, Any]) -> str:
    """Walk the edits of a message as the viewer does."""
    text = str(part["canonical"])
    for stage in part["stages"]:
        made, at = "", 0
        for edit in stage["edits"]:
            made += text[at : edit["start"]] + edit["after"]
            at = edit["start"] + len(edit["before"])
        text = made + text[at:]
    return text


def test_further_variants_stand_beside_the_first(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    first = trajectories(frozen["oracle"])[0]
    run = RunFolder.create(
        tmp_path / "run",
        frozen["oracle"].manifest.model_copy(update={"chains": (first.chain_id,), "restored": ("v001", "v002")}),
    )
    run.append(first, {}, 1.0)
    for variant in ("v001", "v002"):
        run.append_restoration(restoration(first, variant, right=variant == "v001"), 1.0)
    score_run(run)
    page = write_report([run], tmp_path / "report", [])
    assert "Restoration, every variant" in page.read_text("utf-8")
    (episode,) = episodes_of(page)
    found = {v["name"]: (v["tried"], v["gate"]) for v in episode["message"]["variants"]}
    assert found["v000"] == found["v001"] == (True, True)
    assert found["v002"] == (True, False)
    assert found["v003"] == (False, None)


def restoration(like: Trajectory, variant: str, *, right: bool) -> Trajectory:
    assert like.commit is not None
    commit = like.commit if right else like.commit.model_copy(update={"entry_candidates": ()})
    changes = {"variant": variant, "commit": commit, "status": EpisodeStatus.COMMITTED, "report": None}
    nothing = {"landing": None, "pages": {}, "steps": like.steps[:1]}
    return like.model_copy(update={**changes, **nothing})


def test_calls_replies_and_incidents_go_with_their_chain(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    one, other, *_ = trajectories(frozen["noop"])
    run = remade(tmp_path / "run", frozen["noop"], [(one, {}), (other, {})])
    cache = ReplyCache(run.path / "replies")
    body = '{"choices": "\u202e"}'
    cache.put("a" * 64, body)
    (digest,) = {entry["sha256"] for entry in map(json.loads, map(Path.read_text, (run.path / "replies").glob("*/*")))}
    kept = {"phase": "browse", "step": 3, "seconds": 1.5, "attempts": 1, "answers": 1, "characters": 9}
    calls = (
        CallRecord(**kept, usage=Usage(input_tokens=7, output_tokens=2), cost=0.5, reply_sha256=digest),
        CallRecord(**kept, cost=None, reply_sha256="0" * 64),
    )
    log = CallLog(run.path)
    log.add(ChainCalls(chain_id=one.chain_id, calls=calls, lost="model_lost", detail="gone"))
    log.add(ChainCalls(chain_id=one.chain_id, calls=calls))
    log.add(ChainCalls(chain_id=other.chain_id, calls=calls[:1]))
    IncidentLog(run.path).add(Incident(chain_id=one.chain_id, cause="worker_died", detail="signal 9"))
    score_run(run)
    page = write_report([run], tmp_path / "report", [])
    first, second = episodes_of(page)
    assert [call["reply"] for call in first["calls"]] == [body, None]
    assert [(call["input"], call["output"]) for call in first["calls"]] == [(7, 2), (None, None)]
    assert first["broken_off"] == [{"why": "model_lost", "detail": "gone", "calls": 2}]
    assert [incident["cause"] for incident in first["incidents"]] == ["worker_died"]
    assert second["incidents"] == second["broken_off"] == []
    assert [row["cost"] for row in rows_of(page)] == [None, 0.5]


def test_what_a_judge_said_is_told_point_by_point(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    first, *_ = trajectories(frozen["oracle"])
    run = remade(tmp_path / "run", frozen["oracle"], [(first, {})])
    (said,) = judge_run(run, RuleJudge(), run.path / "judged-rules.jsonl")
    (episode,) = reported(run, tmp_path / "report")
    (judge,) = episode["judges"]
    assert (judge["judge"], judge["file"]) == (said.result.judge, "judged-rules.jsonl")
    assert [point["claim"] for point in judge["points"]] == [question.claim for question in said.questions]
    assert [point["answer"] for point in judge["points"]] == [ruling.answer for ruling in said.rulings]
    other = remade(tmp_path / "other", frozen["oracle"], [(misjudged(first), {})])
    (other.path / "judged-rules.jsonl").write_bytes((run.path / "judged-rules.jsonl").read_bytes())
    assert reported(other, tmp_path / "other-report")[0]["judges"] == [], "it was said of another episode"


def test_the_command_runs_the_chain_again_and_a_shell_reads_it_as_it_is(frozen: dict[str, RunFolder]) -> None:
    manifest = frozen["noop"].manifest.model_copy(update={"split": "my $(split)'s", "agent": "llm"})
    config = {
        "spec": {"model": {}},
        "models": [{"model": "some model"}],
        "identities": [{"options": {"repair": True}}],
    }
    command = command_again(manifest.model_copy(update={"agent_config": config}), "c1")
    assert command is not None
    words = shlex.split(command)
    assert words[:8] == ["riskchain", "run", "--agent", "llm", "--split", "my $(split)'s", "--chain", "c1"]
    assert words[8:] == [
        *("--backend", "text", "--model", "some model", "--option", "repair=true", "--out", "runs/again-c1")
    ]
    told = {"agent_config": config, "env_kwargs": {**manifest.env_kwargs, "max_steps": 60}}
    environment = manifest.environment.model_copy(update={"max_steps": 60})
    budgeted = command_again(manifest.model_copy(update={**told, "environment": environment}), "c1")
    assert budgeted is not None
    assert "--budget 60" in budgeted
    people = manifest.model_copy(update={"agent_config": {}})
    assert command_again(people, "c1") is None
