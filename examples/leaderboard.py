"""Agents × splits from one TOML file: runs what is missing, scores it, prints and writes the board.

Usage: python examples/leaderboard.py examples/leaderboard.toml [--out runs/leaderboard]

The same command again goes on where it was ended. Exit codes: 0 done; 2 the file cannot be used; 3 something is not
installed; 4 some run was not finished: it is named, and the board has what there is.
"""

import argparse
import sys
from pathlib import Path

from riskchain_gym.cli_leaderboard import print_board
from riskchain_gym.evaluation.leaderboard.batch import run_batch
from riskchain_gym.evaluation.leaderboard.batch_plan import read_plan
from riskchain_gym.protocol.errors import MissingExtraError, RiskChainError


def main(arguments: list[str] | None = None) -> int:
    """Run the batch that the arguments name and return the exit code."""
    parser = argparse.ArgumentParser(description="Run agents × splits and write their leaderboard.")
    parser.add_argument("plan", type=Path, help="TOML file with agents and splits")
    parser.add_argument("--out", type=Path, default=Path("runs/leaderboard"), help="folder for runs and board")
    given = parser.parse_args(arguments)
    try:
        result = run_batch(read_plan(given.plan), given.out, lambda run: print(f"{run} …", file=sys.stderr))
    except RiskChainError as error:
        print(f"leaderboard: {error}", file=sys.stderr)
        return 3 if isinstance(error, MissingExtraError) else 2
    for run, problem in result.failed.items():
        print(f"{run} was not finished: {problem}", file=sys.stderr)
    if result.board is not None and result.page is not None:
        print_board(result.board)
        print(f"\nLeaderboard: {result.page.resolve()}", file=sys.stderr)
    return 4 if result.failed else 0


if __name__ == "__main__":
    sys.exit(main())
