"""What cannot be done is one sentence and an exit code, said before any work and never a traceback."""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_runner import SHORT_ROW, refused, run, write_rows

from riskchain_gym.benchmark import build
from riskchain_gym.benchmark.splits import load_gold, load_public
from riskchain_gym.envs.backends.base import RawPage
from riskchain_gym.envs.backends.text import TextBackend
from riskchain_gym.evaluation import run as evaluation_run
from riskchain_gym.messages import official
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.errors import InfrastructureError
from riskchain_gym.sites.replay.model import AnySite

pytestmark = pytest.mark.contract

DEMO = ("demo", "--backend", "text", "--chains", "1")


def must_not_run(*_: object, **__: object) -> None:
    raise AssertionError("the work began before the place was looked at")


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation_run, "run_agents", must_not_run)
    monkeypatch.setattr(build, "build_chains", must_not_run)
    monkeypatch.setattr(official, "read_inputs", must_not_run)


@pytest.mark.parametrize(
    "command",
    [
        ("demo", "--backend", "text", "--out"),
        ("build", "example", "--out"),
        ("restore", "in.jsonl", "--out"),
        ("report", "nowhere", "--out"),
    ],
    ids=lambda command: command[0],
)
def test_a_place_that_cannot_be_written_to_is_refused_before_the_work(
    here: Path, no_work: None, command: tuple[str, ...]
) -> None:
    write_rows(here / "in.jsonl", SHORT_ROW)
    (here / "a file").touch()
    (here / "a folder").mkdir()
    assert "is a file, choose another place" in refused(2, *command, "a file/below/it")
    wrong = "a file" if command[0] in ("demo", "build", "report") else "a folder"
    assert refused(2, *command, wrong).startswith(f"{wrong}: is a ")
    assert {path.name for path in here.iterdir()} == {"in.jsonl", "a file", "a folder"}


def test_a_report_is_a_folder_and_is_not_written_over_anything_else(here: Path) -> None:
    (here / "mine").mkdir()
    (here / "mine" / "index.html").touch()
    assert "a report is a folder: give a folder, such as --out x, and open" in refused(
        2, "report", "r", "--out", "x.html"
    )
    assert "holds something else than a report" in refused(2, "report", "r", "--out", "mine")


def test_a_device_is_not_replaced_by_a_file(here: Path) -> None:
    write_rows(here / "in.jsonl", SHORT_ROW)
    assert "a device" in refused(2, "restore", "in.jsonl", "--out", "/dev/null")


def test_what_the_system_refuses_in_the_middle_is_one_sentence(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "out/public.jsonl")

    monkeypatch.setattr(build, "build_chains", lambda *_: [])
    monkeypatch.setattr(build, "write_split", full)
    assert "'out/public.jsonl' (No space left on device)" in run("build", "example", "--out", "out").stderr
    monkeypatch.setattr(build, "write_split", lambda *_: (_ for _ in ()).throw(OSError("odd")))
    assert "a file (odd)" in run("build", "example", "--out", "out").stderr


def test_a_folder_that_holds_something_is_not_run_into(here: Path) -> None:
    assert run(*DEMO, "--agent", "noop", "--out", "out").exit_code == 0
    assert "out/noop" in refused(2, *DEMO, "--agent", "noop", "--out", "out")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*DEMO, "--agent", "nop"), ("'nop'", "noop")),
        ((*DEMO, "--agent", "rule+explorer"), ("'rule'", "rules")),
        ((*DEMO, "--agent", "noop", "--agent", "noop"), ("'noop'", "once")),
        ((*DEMO, "--agent", "mine.toml"), ("mine.toml", "no such file")),
        ((*DEMO, "--split", "mimi"), ("'mimi'", "'mini'")),
        (("demo", "--backend", "tex"), ("'tex'", "'text'")),
        (("play", "--split", "mimi"), ("'mimi'", "'mini'")),
        (("build", "exampel", "--out", "x"), ("'exampel'", "example")),
        (("schema", "comit"), ("'comit'", "commit")),
        (("restore", "in.jsonl", "--out", "x", "--agent", "rulez"), ("'rulez'", "rules")),
        (("report", "nowhere"), ("nowhere: is not there", "give a run folder")),
    ],
    ids=lambda value: " ".join(value)[-30:],
)
def test_an_unknown_name_is_answered_with_the_nearest_one(
    here: Path, arguments: tuple[str, ...], said: tuple[str, ...]
) -> None:
    sentence = refused(2, *arguments)
    assert all(part in sentence for part in said), sentence
    assert list(here.iterdir()) == []


def test_an_unknown_chain_is_answered_with_near_ones() -> None:
    known = load_public("mini")[3].chain_id
    assert known in refused(2, "play", f"{known[:-1]}!")


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("{", "line 2: is not JSON"),
        (json.dumps({**SHORT_ROW, "platform": "icq"}), "line 2: platform: "),
        (json.dumps({**SHORT_ROW, "content": "\ud800"}), "line 2: content: holds half a surrogate pair"),
        ('{"variant": ' + "9" * 5000 + "}", "line 2: holds a number of too many digits"),
        ("[" * 100_000, "line 2: is nested too deeply"),
    ],
    ids=["json", "platform", "surrogate", "digits", "nested"],
)
def test_a_bad_input_row_is_named_by_file_line_and_field(here: Path, line: str, field: str) -> None:
    rows = write_rows(here / "in.jsonl", SHORT_ROW, line)
    assert refused(2, "restore", rows, "--out", "out.jsonl").startswith(f"{rows}: {field}")
    assert not (here / "out.jsonl").exists()


def test_restore_keeps_its_input_and_checks_the_run_id_first(here: Path, no_work: None) -> None:
    rows = write_rows(here / "in.jsonl", SHORT_ROW)
    (here / "link.jsonl").symlink_to(rows)
    for same in ("in.jsonl", "./in.jsonl", "link.jsonl"):
        assert "the input itself" in refused(2, "restore", rows, "--out", same)
    assert "run_id: 'a b'" in refused(2, "restore", rows, "--out", "out.jsonl", "--run-id", "a b")


def _cut_manifest(run_folder: Path) -> str:
    (run_folder / "run.json").write_text('{"agent": 1}')
    return "run.json: "


def _cut_shard(run_folder: Path) -> str:
    (shard,) = (run_folder / "shards").iterdir()
    shard.write_bytes(b"{}\n")
    return f"{shard.name}: line 1: "


@pytest.mark.parametrize("damage", [_cut_manifest, _cut_shard])
def test_a_damaged_run_is_named_by_file_and_field(here: Path, damage: Callable[[Path], str]) -> None:
    assert run(*DEMO, "--agent", "noop", "--out", "out").exit_code == 0
    assert damage(here / "out" / "noop") in refused(2, "report", "out")


def test_a_damaged_split_is_named_by_its_file(here: Path) -> None:
    split = here / "split"
    shutil.copytree(content_dir("sites") / "splits" / "mini", split)
    (split / "public.jsonl").write_text("{}\n")
    assert "public.jsonl: sha256: " in refused(2, *DEMO, "--split", split)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nope",), "No such command"),
        (("demo", "--nope"), "No such option"),
        (("demo", "--workers", "0"), "--workers"),
        (("restore", "in.jsonl"), "--out"),
        ((), "Usage"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_usage_exits_2_and_says_what_is_wrong(arguments: tuple[str, ...], said: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in result.output


def test_a_browser_that_is_not_there_exits_3_and_leaves_nothing(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKCHAIN_CHROMIUM", "/no/such/chromium")
    refused(3, "demo")
    refused(3, "play", "--backend", "chromium")
    assert list(here.iterdir()) == []


def test_episodes_lost_to_infrastructure_exit_4_with_a_report(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, first = TextBackend.open, load_gold("mini")[load_public("mini")[0].chain_id].site.site_id

    def lost(backend: TextBackend, site: AnySite) -> RawPage:
        if site.site_id != first:
            return whole(backend, site)
        raise InfrastructureError("browser_lost", "it is gone")

    monkeypatch.setattr(TextBackend, "open", lost)
    result = run("demo", "--backend", "text", "--chains", "2", "--agent", "oracle", "--json", "--out", "out")
    assert result.exit_code == 4
    assert json.loads(result.stdout)[0]["summary"]["statuses"] == {"infra_error": 1, "reported": 1}
    assert "lost to infrastructure" in result.stderr
    assert (here / "out" / "report" / "index.html").is_file()


def test_an_interrupted_demo_says_where_the_unfinished_run_is(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = evaluation_run.run_agents

    def interrupted(*arguments: object) -> None:
        work(*arguments)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluation_run, "run_agents", interrupted)
    result = run(*DEMO, "--agent", "noop", "--out", "out")
    assert (result.exit_code, result.stdout) == (130, "")
    assert f"The unfinished run is in {here / 'out'};" in result.stderr
    assert result.stderr.rstrip().endswith("Interrupted.")

    monkeypatch.setattr(evaluation_run, "run_agents", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    assert "unfinished" not in run(*DEMO, "--agent", "noop", "--out", "other").stderr


def test_a_run_that_is_interrupted_before_any_episode_says_that_nothing_is_kept(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation_run, "run_agent", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    result = run("run", "--agent", "noop", "--split", "mini", "--backend", "text", "--out", "early")
    assert (result.exit_code, result.stdout) == (130, "")
    assert "No episode was finished and nothing was kept: the same command begins again." in result.stderr


def test_a_new_model_agent_is_told_to_run_with_a_model(here: Path) -> None:
    told = run("agents", "new", "mine", "--part", "llm").stderr
    assert "--split mini --model MODEL --base-url http://HOST:PORT/v1 --out" in told
