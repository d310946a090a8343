"""``riskchain run``: any model by one command, which can be ended in any way and given again."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli_runner import refused, run

from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.llm.fake import FakeEndpoint, FakeRequest
from riskchain_gym.llm.fake_agent import scripted_agent
from riskchain_gym.llm.fake_replies import Fail, FakeReply, Hang, Say
from riskchain_gym.llm.settings import API_KEY_VARIABLE

pytest.importorskip("openai")

PRICES = 'as_of = "2026-01-01"\nsource = "invented"\n[models."tried-out"]\ninput = 1.0\noutput = 1.0\n'


class Script:
    """The scripted agent, but for one request, counted from 1."""

    def __init__(self) -> None:
        self.count = 0
        self.odd: tuple[int, Callable[[], FakeReply]] | None = None

    def __call__(self, request: FakeRequest) -> FakeReply:
        self.count += 1
        if self.odd is not None and self.count == self.odd[0]:
            return self.odd[1]()
        return scripted_agent(request)


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def endpoint(script: Script) -> Iterator[FakeEndpoint]:
    with FakeEndpoint(script) as made:
        yield made


def command(endpoint: FakeEndpoint, *more: str | Path, chains: int = 1) -> list[str | Path]:
    small = ("--backend", "text", "--chains", str(chains), "--workers", "1", "--set", "attempts=1")
    return ["run", "--agent", "llm", "--model", "tried-out", "--base-url", endpoint.base_url, *small, *more]


def asked_again(endpoint: FakeEndpoint) -> int:
    asked = Counter(json.dumps(request.body, sort_keys=True) for request in endpoint.requests)
    return sum(asked.values()) - len(asked)


def test_a_run_prints_scores_and_what_was_asked_of_models(here: Path, endpoint: FakeEndpoint) -> None:
    (here / "prices.toml").write_text(PRICES)
    made = run(*command(endpoint, "--prices", "prices.toml", "--option", "repair=true"))
    assert made.exit_code == 0, made.stderr
    assert "asked of models" in made.stdout
    assert "llm: options repair=true" in made.stdout
    folder = here / "runs" / "mini-llm-tried-out"
    told = json.loads(run(*command(endpoint, "--prices", "prices.toml", "--option", "repair=true", "--json")).stdout)
    usage = told["usage"]
    assert (told["planned"], told["done"], told["lost"], told["paid_now"]) == (1, 1, {}, 0)
    assert usage["calls"] == len(endpoint.requests)
    assert usage["cost"] == pytest.approx((usage["input_tokens"] + usage["output_tokens"]) / 1e6)
    assert usage["latency_median"] <= usage["latency_p95"]
    assert told["scores"][0]["usage"] == usage
    assert json.loads(run("report", folder, "--json").stdout) == told["scores"]
    assert "Asked of models" in (here / "report" / "index.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_killing_a_run_and_running_it_again_repeats_no_finished_call(
    here: Path, endpoint: FakeEndpoint, script: Script
) -> None:
    assert run(*command(endpoint, "--out", "whole", chains=2)).exit_code == 0
    needed, last = script.count, threading.Event()
    # The kill comes while one call of the last chain is in flight.
    script.odd = (2 * needed - 2, lambda: (last.set(), Hang())[1])
    arguments = [str(part) for part in command(endpoint, "--out", "killed", chains=2)]
    process = subprocess.Popen(
        [sys.executable, "-m", "riskchain_gym", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    assert last.wait(120)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    endpoint.requests.clear()
    again = run(*arguments)
    assert again.exit_code == 0, again.stderr
    assert len(endpoint.requests) == 3, "the one that was in flight, and the two that were to come"
    killed, whole = (RunFolder.open(here / name) for name in ("killed", "whole"))
    assert [record.hash for record in killed.records()] == [record.hash for record in whole.records()]


@pytest.mark.parametrize(
    ("sent", "code"), [(signal.SIGTERM, 143), pytest.param(signal.SIGINT, 130, marks=pytest.mark.slow)]
)
def test_a_signal_leaves_a_run_that_goes_on(
    here: Path, endpoint: FakeEndpoint, script: Script, sent: signal.Signals, code: int
) -> None:
    def end() -> FakeReply:
        os.kill(os.getpid(), sent)
        return Hang()

    script.odd = (3, end)
    before = signal.getsignal(sent)
    ended = run(*command(endpoint, "--out", "out"))
    assert (ended.exit_code, ended.stdout) == (code, "")
    assert "the same command again goes on" in ended.stderr
    assert signal.getsignal(sent) is before
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("riskchain-run")]
    assert run(*command(endpoint, "--out", "out")).exit_code == 0
    assert asked_again(endpoint) == 1, "only the call that was in flight"


def test_chains_without_a_result_are_told_and_run_again(here: Path, endpoint: FakeEndpoint, script: Script) -> None:
    script.odd = (1, lambda: Fail(500))
    first = run(*command(endpoint, "--out", "out", chains=2))
    assert first.exit_code == 4
    assert "1 of 2 chains have no result (model_lost: transport 1): run the same command again." in first.stderr
    assert "no result: model_lost: transport 1" in first.stdout
    assert "1/2, incomplete (computed rows are over all 2 chains)" in first.stdout
    assert "model_lost: transport, e.g. HTTP 500" in first.stdout
    assert f"Asked: 'tried-out' at {endpoint.base_url}." in first.stderr, "on the terminal only"
    kept = [path.read_bytes() for path in (here / "out").rglob("*") if path.is_file()]
    assert not any(endpoint.base_url.encode() in data for data in kept)
    assert run(*command(endpoint, "--out", "out", chains=2)).exit_code == 0


def test_a_limit_ends_a_run_and_a_higher_one_lets_it_go_on(here: Path, endpoint: FakeEndpoint) -> None:
    (here / "prices.toml").write_text(PRICES)
    limited = command(endpoint, "--out", "out", "--prices", "prices.toml", "--max-cost", "0.03", chains=3)
    ended = run(*limited)
    assert ended.exit_code == 4
    assert "of the budget of $0.03 are spent" in ended.stderr
    assert "raise --max-cost and run the same command again" in ended.stderr
    assert ended.stderr.count("raise") == 1
    assert re.search(r"^llm +\d+\.\d .*1 rep", ended.stdout, re.MULTILINE), "what is finished is scored"
    assert "no result: over_cost 1" in ended.stdout
    assert "Paid now: $0.0" in ended.stderr
    assert "`riskchain report out` scores what is finished" in ended.stderr
    assert run(*limited[:-1], "5").exit_code == 0
    assert asked_again(endpoint) == 0
    assert "price is unknown" in refused(2, *command(endpoint, "--out", "new", "--max-cost", "1"))
    assert not (here / "new").exists()


def test_another_run_is_refused_and_told_apart(here: Path, endpoint: FakeEndpoint) -> None:
    assert run(*command(endpoint, "--out", "out")).exit_code == 0
    said = refused(2, *command(endpoint, "--out", "out", "--option", "history=4", chains=2))
    assert said.index("--out") < said.index("history"), "what to do comes first"
    assert "options.history: 8 → 4" in said
    assert "chains: " in said


def test_a_dry_run_asks_nothing_pays_nothing_and_writes_nothing(here: Path, endpoint: FakeEndpoint) -> None:
    told = run(*command(endpoint, "--dry-run"))
    assert told.exit_code == 0, told.stderr
    assert "price unknown: give --prices" in told.stdout
    (here / "prices.toml").write_text(PRICES)
    found = json.loads(run(*command(endpoint, "--dry-run", "--json", "--prices", "prices.toml")).stdout)
    assert endpoint.requests == []
    assert [path.name for path in here.iterdir()] == ["prices.toml"]
    about, most = found["about"], found["used_up"]
    assert all(0 < about[name] < most[name] for name in ("calls", "input_tokens", "output_tokens", "cost"))
    assert about["cost"] == pytest.approx((about["input_tokens"] + about["output_tokens"]) / 1e6)
    run(*command(endpoint))
    assert found["about"]["calls"] == len(endpoint.requests), "the endpoint plays the agent that the estimate plays"
    again = run(*command(endpoint, "--dry-run", "--json"))
    left = json.loads(again.stdout)
    assert (left["chains"], left["about"]["calls"]) == (0, 0)
    assert "1 of 1 chains are in runs/mini-llm-tried-out already" in again.stderr
    assert "give --out another folder" in again.stderr
    assert "costs nothing" in run("run", "--agent", "noop", "--backend", "text", "--dry-run").stdout


def test_pictures_need_a_browser(here: Path, endpoint: FakeEndpoint) -> None:
    assert "needs 'screenshot'" in refused(2, *command(endpoint, "--option", "images=true"))
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--option", "history"), "takes name=value"),
        (("--option", "history=1", "--option", "history=2"), "names 'history' twice"),
        (("--option", "history=[1]"), "an option is a text"),
        (("--option", "histroy=1"), "histroy"),
        (("--set", "temprature=1"), "did you mean temperature"),
        (("--chain", "nowhere"), "contradict"),
        (("--prices", "nowhere.toml"), "no such file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_wrong_argument_is_named_before_anything_is_written(
    here: Path, endpoint: FakeEndpoint, more: tuple[str, ...], said: str
) -> None:
    assert said in refused(2, *command(endpoint, *more))
    assert list(here.iterdir()) == []


def test_an_agent_without_a_model_is_run_and_takes_none(here: Path) -> None:
    chain = load_public("mini")[1].chain_id
    small = ("run", "--agent", "noop", "--backend", "text", "--chain", chain, "--out", "out")
    made = run(*small)
    assert made.exit_code == 0
    assert "asked of models" not in made.stdout
    assert [record.trajectory.chain_id for record in RunFolder.open(here / "out").records()] == [chain]
    assert not (here / "out" / "calls").exists()
    assert "asks no model" in refused(2, *small, "--model", "tried-out")


def test_the_name_with_a_model_in_it_has_a_folder_of_its_own(here: Path, endpoint: FakeEndpoint) -> None:
    small = ("--base-url", endpoint.base_url, "--backend", "text", "--chains", "1")
    assert run("run", "--agent", "llm:alpha", *small).exit_code == 0
    assert run("run", "--agent", "llm", "--model", "alpha", *small).exit_code == 0
    assert run("run", "--agent", "llm", "--model", "beta", *small).exit_code == 0
    assert {path.name for path in (here / "runs").iterdir()} == {"mini-llm@alpha", "mini-llm-alpha", "mini-llm-beta"}
    shown = run("report", "runs")
    assert shown.exit_code == 0
    for name in ("llm · alpha", "llm · beta"):
        assert len([line for line in shown.stdout.splitlines() if line.startswith(f"{name} ")]) == 3, "in all tables"
    page = (here / "report" / "index.html").read_text(encoding="utf-8")
    assert "<bdi>llm · beta</bdi></th><td><bdi>beta</bdi></td><td><code>mini-llm-beta</code>" in page


def test_the_address_of_a_file_that_wins_over_the_environment_is_told(
    here: Path, endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RISKCHAIN_LLM_BASE_URL", endpoint.base_url)
    away = "http://127.0.0.1:9/v1"
    model = f'[model]\nmodel = "m"\nbase_url = "{away}"\nattempts = 1\n'
    (here / "mine.toml").write_text(f'name = "mine"\nrestorer = "llm"\ninvestigator = "llm"\n{model}')
    ended = run("run", "--agent", "mine.toml", "--backend", "text", "--chains", "1", "--out", "out")
    assert ended.exit_code == 4
    assert "m (as asked for)" in ended.stdout
    assert "Connection refused" in ended.stdout
    assert f"Asked: 'm' at {away}. That is the agent's file's address, which wins over RISKCHAIN_LLM" in ended.stderr


def test_an_address_without_its_end_and_a_wrong_key_are_told_what_to_set(here: Path, endpoint: FakeEndpoint) -> None:
    without = endpoint.base_url.removesuffix("/v1")
    said = run(*command(endpoint, "--base-url", without)).stderr
    assert "the address usually ends in /v1" in said
    assert f"at {without}." in said
    with FakeEndpoint(scripted_agent, api_key="another-key-0123456789") as shut:
        assert "RISKCHAIN_LLM_API_KEY" in run(*command(shut, "--out", "shut")).stderr


def test_a_key_reaches_no_file_and_no_output(here: Path, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "planted-key-0123456789"
    monkeypatch.setenv(API_KEY_VARIABLE, key)
    script.odd = (2, lambda: Say(f"your key is {key}"))
    with FakeEndpoint(script, api_key=key) as endpoint:
        made = run(*command(endpoint, "--out", "out"))
        assert len(endpoint.requests) > 2
        drawn = run("report", "out")
    with FakeEndpoint(lambda _: Fail(500, f"out of order, {key}")) as endpoint:
        broken = run(*command(endpoint, "--out", "broken"))
        assert broken.exit_code == 4
    with FakeEndpoint(scripted_agent, api_key="another-key-0123456789") as endpoint:
        shut = run(*command(endpoint, "--out", "shut"))
        assert shut.exit_code == 2
    said = [text for result in (made, drawn, broken, shut) for text in (result.stdout, result.stderr)]
    kept = [path.read_bytes() for path in here.rglob("*") if path.is_file()]
    assert len(kept) > 10
    assert any(b"your key is [key]" in data for data in kept), "the answer itself is kept"
    assert not any(key in text for text in said)
    assert not any(key.encode() in data for data in kept)


def test_a_sealed_run_is_shown_also_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("run", "--agent", "noop", "--backend", "text", "--out", tmp_path / "run", "--chains")
    assert run(*asked, "1").exit_code == 0
    monkeypatch.setattr("riskchain_gym.places.os.access", lambda _, mode: not mode & os.W_OK)
    shown = run(*asked, "1")
    assert (shown.exit_code, "1 of 24 chains" in shown.stdout) == (0, True)
    assert "closed to you" in refused(2, "run", "--agent", "noop", "--backend", "text", "--out", tmp_path / "other")
