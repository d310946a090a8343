"""Finding a Chromium on this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from riskchain_gym.protocol.errors import BrowserUnavailableError

CHROMIUM_VARIABLE = "RISKCHAIN_CHROMIUM"
"""Environment variable that names the browser binary to use."""

HOW_TO_GET_ONE = (
    "install one (Debian: apt-get install chromium-headless-shell; Ubuntu or macOS: playwright install chromium, "
    f"or Google Chrome) or set {CHROMIUM_VARIABLE} to a Chromium or Chrome binary"
)

_SHELLS = frozenset({"chromium-headless-shell", "chrome-headless-shell", "headless_shell"})
_NAMES = ("chromium-headless-shell", "chromium", "google-chrome", "google-chrome-stable")
# Distributions put a shell wrapper on PATH; the binary behind it starts sooner and leaves no shell as its parent.
_BEHIND_WRAPPER: Mapping[str, tuple[str, ...]] = {
    "chromium-headless-shell": ("/usr/lib/chromium/chromium-headless-shell",),
    "chromium": ("/usr/lib/chromium/chromium",),
    "google-chrome": ("/opt/google/chrome/chrome",),
    "google-chrome-stable": ("/opt/google/chrome/chrome",),
}
_MAC_APPS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
_PLAYWRIGHT_BUILDS = (
    "chromium_headless_shell-*/chrome-*/headless_shell",
    "chromium_headless_shell-*/chrome-headless-shell-*/chrome-headless-shell",
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
)


def find_chromium(*, headless: bool = True) -> Path:
    """Return the browser binary to use.

    In order: ``RISKCHAIN_CHROMIUM``, chromium-headless-shell (starts and resets in a third of the time), chromium,
    google-chrome, Playwright's own download, the usual application folders of macOS.

    Args:
        headless: Whether a binary will do that can open no window.

    Raises:
        BrowserUnavailableError: ``RISKCHAIN_CHROMIUM`` is set but names no executable file, or one without windows
            where they are needed; or nothing was found.
    """
    named = os.environ.get(CHROMIUM_VARIABLE, "")
    if named:
        path = Path(named).expanduser()
        if not _is_executable(path):
            raise BrowserUnavailableError(
                f"{CHROMIUM_VARIABLE} is set to '{named}', which is not an executable file: "
                "point it at a Chromium or Chrome binary, or unset it to have one found."
            )
        if not headless and _is_shell(path):
            raise BrowserUnavailableError(
                f"{CHROMIUM_VARIABLE} is set to '{named}', which can open no window: "
                "point it at a full Chromium or Chrome, or unset it to have one found."
            )
        return path
    for path in _candidates():
        if _is_executable(path) and (headless or not _is_shell(path)):
            return path
    if not headless:
        raise BrowserUnavailableError(
            "No Chromium that can open a window was found: install one (Debian: apt-get install chromium; elsewhere: "
            f"playwright install chromium, or Google Chrome) or set {CHROMIUM_VARIABLE} to one."
        )
    raise BrowserUnavailableError(f"No Chromium was found: {HOW_TO_GET_ONE}.")


def browser_version(binary: Path) -> str:
    """Return what a browser binary says of itself, e.g. ``Chromium 156.0.8078.108``.

    Raises:
        BrowserUnavailableError: It does not run.
    """
    try:
        command: list[str | Path] = [binary, "--version"]
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)  # noqa: S603
    except (OSError, subprocess.SubprocessError) as error:
        raise BrowserUnavailableError(f"{binary} does not run ({error}): {HOW_TO_GET_ONE}.") from error
    return said.stdout.strip()


def _candidates() -> Iterator[Path]:
    for name in _NAMES:
        on_path = shutil.which(name)
        if on_path is None:
            continue
        yield from map(Path, _BEHIND_WRAPPER[name])
        yield Path(on_path)
    yield from _playwright_builds()
    if sys.platform == "darwin":
        for app in _MAC_APPS:
            yield Path(app)
            yield Path.home() / app.lstrip("/")


def _playwright_builds() -> Iterator[Path]:
    default = "Library/Caches/ms-playwright" if sys.platform == "darwin" else ".cache/ms-playwright"
    root = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / default)
    for pattern in _PLAYWRIGHT_BUILDS:
        yield from sorted(root.glob(pattern), key=_build_number, reverse=True)


def _build_number(path: Path) -> int:
    numbers = re.findall(r"chromium(?:_headless_shell)?-(\d+)", str(path))
    return int(numbers[-1]) if numbers else 0


def _is_shell(path: Path) -> bool:
    return path.name in _SHELLS


def _is_executable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
