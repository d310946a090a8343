"""``riskchain judge``: runs are judged, judges calibrated, runs compared; what cannot be is refused beforehand."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from cli_runner import refused, run

from riskchain_gym.evaluation.run import run_agents
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.llm.fake import FakeEndpoint
from riskchain_gym.llm.fake_replies import Fail, Say
from riskchain_gym.scoring.calibration import anchors
from riskchain_gym.scoring.calibration.anchors import SHIPPED, read_anchors

YES = '{"answer": "yes", "why": "It does."}'


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs that hold reports and one that holds none, on the first chains of ``mini``."""
    from riskchain_gym.benchmark.splits import load_public

    folder = tmp_path_factory.mktemp("runs")
    chains = tuple(chain.chain_id for chain in load_public("mini"))[:2]
    settings = RunSettings(split="mini", backend="text", observe=(), workers=1, chains=chains)
    run_agents(["oracle", "always_violation", "noop"], folder, settings)
    return folder


@pytest.fixture
def without_model(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("RISKCHAIN_LLM_BASE_URL", "RISKCHAIN_LLM_MODEL"):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.contract
def test_run_prints_four_dimensions_and_what_is_not_to_be_interpreted(here: Path, runs: Path) -> None:
    shown = run("judge", "run", runs / "oracle", "--out", "out.jsonl")
    assert shown.exit_code == 0
    for name in ("faithfulness", "sufficiency", "completeness", "consistency"):
        assert name in shown.stdout
    assert "judge rules/" in shown.stdout
    assert "2 reports: out.jsonl" in shown.stderr
    summary = json.loads(run("judge", "run", runs / "oracle", "--out", "out.jsonl", "--json").stdout)
    assert summary["reports"] == 2
    assert summary["errors"] == 0
    doubtful = [name for name, each in summary.items() if isinstance(each, dict) and not each["interpretable"]]
    assert shown.stdout.count("not interpretable") == len(doubtful)
    assert doubtful
    for line in shown.stdout.splitlines():
        assert "not interpretable" not in line or line.split()[1] == "–", "no mean where none is to be read"
    assert len((here / "out.jsonl").read_text(encoding="utf-8").splitlines()) == 2


@pytest.mark.contract
def test_the_default_file_is_in_the_run_folder_and_the_run_stays_whole(here: Path, runs: Path) -> None:
    assert run("judge", "run", runs / "always_violation").exit_code == 0
    assert (runs / "always_violation" / "judged-rules.jsonl").is_file()
    assert run("report", runs / "always_violation", "--out", "page").exit_code == 0


@pytest.mark.contract
def test_a_run_without_reports_is_said_to_have_none(here: Path, runs: Path) -> None:
    shown = run("judge", "run", runs / "noop", "--out", "out.jsonl")
    assert "holds no report" in shown.stdout
    assert json.loads(run("judge", "run", runs / "noop", "--out", "out.jsonl", "--json").stdout) is None
    assert list(here.iterdir()) == []


@pytest.mark.contract
def test_calibrate_prints_every_fault_and_writes_the_same_bytes_each_time(here: Path) -> None:
    shown = run("judge", "calibrate", "--reports", "4", "--out", "a.json")
    assert shown.exit_code == 0
    for word in ("wrong_step", "neighbour (near)", "missing_page", "False alarms", "constructed anchors", "Cohen's κ"):
        assert word in shown.stdout
    again = run("judge", "calibrate", "--reports", "4", "--out", "b.json", "--json")
    assert (here / "a.json").read_bytes() == (here / "b.json").read_bytes()
    told = json.loads(again.stdout)
    assert told == json.loads((here / "a.json").read_bytes())
    assert told["faults"]["alarms"]["reports"] == 4
    assert set(told["corrected"]) == {"constructed"}
    other = json.loads(run("judge", "calibrate", "--reports", "4", "--seed", "1", "--json").stdout)
    assert other["faults"]["seed"] == 1


@pytest.mark.contract
def test_no_name_is_left_out_and_no_figure_cut_in_a_narrow_terminal(
    here: Path, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    shown = run("judge", "calibrate", "--reports", "2").stdout + run("judge", "run", runs / "oracle").stdout
    assert "…" not in shown
    for word in ("wrong_step", "  exact", "missing_page", "faithfulness", "cannot tell", "not interpretable", "100.0%"):
        assert word in shown


@pytest.mark.contract
def test_anchors_of_people_are_reported_beside_the_constructed_ones(here: Path) -> None:
    rows = []
    for i, anchor in enumerate(read_anchors()[:6]):
        said = [{"annotator": name, "answer": anchor.reference} for name in ("a", "b")]
        row = {**json.loads(anchor.model_dump_json()), "id": f"h{i}", "source": "human", "annotators": said}
        rows.append(json.dumps(row, ensure_ascii=False))
    (here / "people.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    shown = run("judge", "calibrate", "--reports", "1", "--anchors", "people.jsonl")
    assert "6 human anchors" in shown.stdout
    assert "2 people among themselves" in shown.stdout
    (alpha,) = [line for line in shown.stdout.split("6 human anchors")[1].splitlines() if "Krippendorff's α" in line]
    assert "1.000" in alpha


@pytest.mark.contract
def test_anchors_are_written_as_they_ship(here: Path) -> None:
    assert run("judge", "anchors", "--out", "anchors.jsonl").exit_code == 0
    assert (here / "anchors.jsonl").read_bytes() == SHIPPED.read_bytes()


@pytest.mark.contract
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "nowhere"), "nowhere/run.json: is not there"),
        (("calibrate", "--split", "none"), "There is no split 'none'"),
        (("calibrate", "--anchors", "none.jsonl"), "none.jsonl: cannot be read"),
        (("calibrate", "--out", "folder"), "folder: is a folder"),
        (("calibrate", "--model", "m"), "belong to --judge llm"),
        (("calibrate", "--judge", "llm"), "A language model needs a base_url: give one with --base-url, or set "),
    ],
)
def test_what_cannot_be_is_refused(here: Path, without_model: None, arguments: tuple[str, ...], said: str) -> None:
    (here / "folder").mkdir()
    assert said in refused(2, "judge", *arguments)
    assert [path.name for path in here.iterdir()] == ["folder"]


def test_a_language_model_judges_a_run_and_its_failures_are_no_scores(here: Path, runs: Path) -> None:
    pytest.importorskip("openai")
    with FakeEndpoint(lambda request: Say(YES)) as endpoint:
        options = ("--judge", "llm", "--base-url", endpoint.base_url, "--model", "m")
        first = json.loads(run("judge", "run", runs / "oracle", *options, "--out", "a.jsonl", "--json").stdout)
        asked = len(endpoint.requests)
        again = json.loads(run("judge", "run", runs / "oracle", *options, "--out", "a.jsonl", "--json").stdout)
        assert len(endpoint.requests) == asked > 0
    assert first == again
    assert first["judge"].startswith("llm/m/")
    assert first["faithfulness"]["score"] == 1
    assert YES in json.loads((here / "a.jsonl").read_text(encoding="utf-8").splitlines()[0])["rulings"][0]["raw"]
    with FakeEndpoint([Say("no idea")]) as endpoint:
        options = ("--judge", "llm", "--base-url", endpoint.base_url, "--model", "m")
        broken = run("judge", "run", runs / "oracle", *options, "--out", "b.jsonl", "--json")
    with FakeEndpoint([Fail(400, "no")]) as endpoint:
        options = ("--judge", "llm", "--base-url", endpoint.base_url, "--model", "m")
        refused(4, "judge", "run", runs / "oracle", *options, "--out", "c.jsonl", "--json")
    assert json.loads(broken.stdout)["scored"] == 0
    assert json.loads(broken.stdout)["faithfulness"]["score"] is None


def test_pairwise_asks_in_both_orders_and_a_difference_is_a_tie(here: Path, runs: Path) -> None:
    pytest.importorskip("openai")
    pair = (runs / "oracle", runs / "always_violation", "--model", "m")
    with FakeEndpoint(lambda request: Say('{"better": "A", "why": "It stands first."}')) as endpoint:
        shown = run("judge", "pairwise", *pair, "--base-url", endpoint.base_url, "--json")
        asked = len(endpoint.requests)
        table = run("judge", "pairwise", *pair, "--base-url", endpoint.base_url)
        assert len(endpoint.requests) == asked == 4
    told = json.loads(shown.stdout)
    assert (told["chains"], told["ties"], told["wins"], told["losses"], told["left_out"]) == (2, 2, 0, 0, 0)
    assert "Preference" in table.stdout
    assert len((here / "pairwise.jsonl").read_text(encoding="utf-8").splitlines()) == 2


def test_pairwise_refuses_runs_without_a_report_in_common(here: Path, runs: Path) -> None:
    pytest.importorskip("openai")
    options = ("--base-url", "http://127.0.0.1:9/v1", "--model", "m")
    assert "no chain on which both have a report" in refused(
        2, "judge", "pairwise", runs / "oracle", runs / "noop", *options
    )
    assert list(here.iterdir()) == []


def test_a_language_model_is_calibrated_and_with_a_cache_it_is_asked_once(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai")
    some = read_anchors()[::8]  # all that ship take their time
    monkeypatch.setattr(anchors, "read_all_anchors", lambda _: some)
    with FakeEndpoint(lambda request: Say(YES)) as endpoint:
        options = ("--judge", "llm", "--base-url", endpoint.base_url, "--model", "m", "--cache", "cache")
        found = json.loads(run("judge", "calibrate", "--reports", "1", *options, "--json").stdout)
        asked = len(endpoint.requests)
        assert json.loads(run("judge", "calibrate", "--reports", "1", *options, "--json").stdout) == found
        assert len(endpoint.requests) == asked
    assert asked > sum(figures["anchors"] for figures in found["anchors"])
    assert all(variant["failed"] == 0 for variant in found["faults"]["variants"])
    assert "no better than chance" in found["corrected"]["constructed"]["reason"]


def test_as_many_questions_are_in_flight_as_threads_are_asked_for(here: Path, runs: Path) -> None:
    pytest.importorskip("openai")
    together, turn, alone = threading.Barrier(6, timeout=20), iter(range(1_000_000)), []

    def script(_: object) -> Say:
        if next(turn) < 6:
            try:
                together.wait()
            except threading.BrokenBarrierError:
                alone.append(1)
        return Say(YES)

    with FakeEndpoint(script) as endpoint:
        where = ("--base-url", endpoint.base_url, "--model", "m", "--out", "out.jsonl")
        shown = run("judge", "run", runs / "oracle", "--judge", "llm", "--threads", "6", *where)
    assert (shown.exit_code, alone) == (0, [])


@pytest.mark.parametrize(
    ("reply", "options", "code", "said"),
    [
        (Fail(401, "no key"), (), 2, "'m' cannot be asked"),
        (Fail(404, "no model"), (), 2, "check address, model name and key"),
        (Say(YES), ("--budget", "1"), 2, "whose price is unknown"),
        (Say(YES), ("--budget", "0.000001", "--prices", "prices.toml"), 4, "answers so far are kept"),
    ],
)
def test_a_model_that_cannot_answer_ends_the_command_with_a_sentence(
    here: Path, runs: Path, reply: Fail | Say, options: tuple[str, ...], code: int, said: str
) -> None:
    pytest.importorskip("openai")
    price = 'as_of = "2026-01-01"\nsource = "made up"\n[models.m]\ninput = 1000.0\noutput = 1000.0\n'
    (here / "prices.toml").write_text(price, encoding="utf-8")
    with FakeEndpoint(lambda request: reply) as endpoint:
        model = ("--judge", "llm", "--base-url", endpoint.base_url, "--model", "m", "--threads", "1")
        assert said in refused(code, "judge", "run", runs / "oracle", *model, *options, "--out", "c.jsonl")
        assert len(endpoint.requests) <= 2
