"""Running the command in this process as a shell would: arguments in; exit code, stdout and stderr out."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner, Result

from riskchain_gym.agents.oracle import OracleAgent
from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.cli import app

SHORT_ROW = {"session": "s-01", "variant": 0, "platform": "qq", "surface": "COMMENT", "content": "看 κab，cd.test"}


def run(*arguments: str | Path, stdin: str = "") -> Result:
    """Run ``riskchain ARGUMENTS``; what would be a traceback in a shell is raised here."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def refused(code: int, *arguments: str | Path, stdin: str = "") -> str:
    """Run a command that must end with that exit code and one line on stderr, and return the line."""
    result = run(*arguments, stdin=stdin)
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    said = result.stderr.strip()
    assert said.startswith("riskchain: ")
    assert "\n" not in said
    return said.removeprefix("riskchain: ")


def write_rows(path: Path, *rows: object) -> Path:
    """Write a JSON Lines file; a string is a line as it stands."""
    lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def gold_walk(chain_id: str) -> str:
    """Return what a person who knows the answer types for a chain: the oracle's actions, one a line."""
    import gymnasium as gym

    from riskchain_gym.agents.instructions import build_instructions

    env = gym.make("RiskChain-v0", split="mini", backend="text", reward="none", disable_env_checker=True)
    oracle, lines, ended = OracleAgent(), [], False
    oracle.prepare(load_gold("mini")[chain_id])
    oracle.reset(build_instructions())
    observation, _ = env.reset(options={"chain": chain_id})
    while not ended:
        lines.append(oracle.act(observation))
        observation, _, terminated, truncated, _ = env.step(lines[-1])
        ended = terminated or truncated
    env.close()
    return "".join(f"{line}\n" for line in lines)
