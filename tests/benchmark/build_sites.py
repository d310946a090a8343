"""Running ``riskchain build sites`` on the small pool, in this process as a shell would."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner, Result

from riskchain_gym.cli import app


def run(*arguments: str | Path | int) -> Result:
    """Run ``riskchain ARGUMENTS``; what would be a traceback in a shell is raised here."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def build(content: Path, out: Path, *arguments: str | Path | int) -> Result:
    """Build the demonstration split of a content folder in one process."""
    return run("build", "sites", "--content", content, "--only", "mini", "--workers", 1, "--out", out, *arguments)


def tree(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, hidden ones too."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
