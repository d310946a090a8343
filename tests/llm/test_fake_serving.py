"""``riskchain serve-fake-llm``: it serves until it is told to end, says how to reach it, and keeps no key."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from riskchain_gym.cli import app
from riskchain_gym.llm.fake_zoo import ZOO

KEY = "sk-planted-0123456789abcdef"
BODY = {"model": "small", "messages": [{"role": "user", "content": "在吗？"}]}


def ask(base_url: str, key: str = KEY) -> tuple[int, dict[str, Any]]:
    headers = {"Authorization": f"Bearer {key}"}
    request = urllib.request.Request(f"{base_url}/chat/completions", json.dumps(BODY).encode(), headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=30) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_a_signal_and_ends_well(ending: signal.Signals, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    options = [
        "--model",
        "small",
        "--api-key-env",
        "A_KEY",
        "--log",
        str(log),
        "--fail",
        "server_error",
        "--every",
        "2",
    ]
    command = [sys.executable, "-m", "riskchain_gym", "serve-fake-llm", *options]
    environment = {**os.environ, "A_KEY": KEY}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, env=environment, encoding="utf-8") as served:
        try:
            assert served.stdout is not None
            assert served.stderr is not None
            line = served.stdout.readline()
            export, address, model, key = line.split()
            assert (export, model, key) == ("export", "RISKCHAIN_LLM_MODEL=small", 'RISKCHAIN_LLM_API_KEY="$A_KEY"')
            base_url = address.removeprefix("RISKCHAIN_LLM_BASE_URL=")
            assert base_url.startswith("http://127.0.0.1:")
            assert [ask(base_url)[0], ask(base_url)[0], ask(base_url, "another")[0]] == [200, 500, 401]
            served.send_signal(ending)
            printed = line + served.stdout.read() + served.stderr.read()
            assert served.wait(30) == 0
        finally:
            served.kill()
    assert KEY not in printed + log.read_text(encoding="utf-8")
    rows = [json.loads(row) for row in log.read_text(encoding="utf-8").splitlines()]
    assert [(row["request"], row["failure"]) for row in rows] == [(1, ""), (2, "server_error")]
    assert rows[0]["texts"] == ["在吗？"]


def test_the_zoo_is_listed() -> None:
    shown = CliRunner().invoke(app, ["serve-fake-llm", "--fail", "list"])
    assert shown.exit_code == 0
    assert all(name in shown.stdout for name in ZOO)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--fail", "flood"], "no failure 'flood'"),
        (["--every", "2"], "give --fail"),
        (["--fail", "auth", "--every", "2", "--after", "2"], "leave one out"),
        (["--api-key-env", "NO_SUCH_KEY"], "no key in 'NO_SUCH_KEY'"),
        (["--log", "."], "give the path of a file"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_served(options: list[str], sentence: str) -> None:
    shown = CliRunner().invoke(app, ["serve-fake-llm", *options])
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert sentence in shown.stderr


def test_a_port_that_is_taken_is_refused() -> None:
    from riskchain_gym.llm.fake import FakeEndpoint
    from riskchain_gym.llm.fake_replies import EMPTY

    with FakeEndpoint([EMPTY]) as other:
        port = other.base_url.removesuffix("/v1").rpartition(":")[2]
        shown = CliRunner().invoke(app, ["serve-fake-llm", "--port", port])
    assert shown.exit_code == 2
    assert f"Port {port} cannot be had" in shown.stderr
