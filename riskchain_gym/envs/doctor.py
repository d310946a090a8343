"""What this machine has and lacks, as data; the command line shows it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from riskchain_gym.envs.browser.find import HOW_TO_GET_ONE, find_chromium
from riskchain_gym.envs.browser.flags import SANDBOX_VARIABLE, wants_sandbox
from riskchain_gym.protocol.errors import BrowserUnavailableError, InfrastructureError

_GIB = 2**30
_MIN_CPUS = 2
_MIN_MEMORY = 3 * _GIB
_MIN_GYMNASIUM = (1, 2, 2)
_EXTRAS: dict[str, tuple[str, ...]] = {
    "browser": ("playwright", "browsergym-core", "pillow", "psutil"),
    "rllib": ("ray", "torch"),
    "llm": ("openai",),
    "annotate": ("starlette", "uvicorn"),
    "report": ("matplotlib",),
    "parquet": ("pyarrow",),
}
_FONT_FIXES = {
    "Chinese": "apt-get install fonts-noto-cjk (macOS has such fonts)",
    "emoji": "apt-get install fonts-noto-color-emoji (macOS has such fonts)",
}


@dataclass(frozen=True)
class Check:
    """One thing that was looked at.

    Attributes:
        name: What was looked at.
        ok: Whether it is as it should be.
        detail: What was found.
        fix: What to do about it, ``""`` when nothing.
        required: Whether the demo needs it; a failed check that is not required is a warning.
    """

    name: str
    ok: bool
    detail: str
    fix: str = ""
    required: bool = True


def diagnose(*, launch: bool = True) -> list[Check]:
    """Look at the interpreter, packages, browser, fonts and machine.

    Args:
        launch: Start the browser to see that it works and draws what it should; takes some seconds.
    """
    return [
        _python(),
        *_packages(),
        *(_extra(extra) for extra in _EXTRAS),
        *_browser(launch=launch),
        _cpus(),
        _memory(),
        *_shared_memory(),
        _sandbox(),
    ]


def _python() -> Check:
    ok = sys.version_info >= (3, 11)
    return Check(
        "python", ok, f"{platform.python_version()} on {platform.platform()}", "" if ok else "Use Python ≥3.11."
    )


def _packages() -> Iterator[Check]:
    for package in ("riskchain-gym", "gymnasium", "numpy", "pydantic"):
        version = _version(package)
        ok = version is not None
        if package == "gymnasium" and version is not None:
            ok = _MIN_GYMNASIUM <= _numbers(version) < (2,)
        yield Check(package, ok, version or "not installed", "" if ok else "Run  pip install -U riskchain-gym.")


def _extra(extra: str) -> Check:
    versions = {package: _version(package) for package in _EXTRAS[extra]}
    missing = [package for package, version in versions.items() if version is None]
    detail = ", ".join(f"{package} {version or 'missing'}" for package, version in versions.items())
    fix = f"Run  pip install 'riskchain-gym[{extra}]'." if missing else ""
    return Check(f"extra {extra}", not missing, detail, fix, required=extra == "browser")


def _browser(*, launch: bool) -> Iterator[Check]:
    try:
        binary = find_chromium()
    except BrowserUnavailableError as error:
        yield Check("browser", False, str(error), f"Please {HOW_TO_GET_ONE}.")
        return
    if not launch:
        yield Check("browser", True, f"{binary} (not started)")
    elif importlib.util.find_spec("playwright") is None:
        yield Check("browser", False, f"{binary}; it cannot be driven", "Run  pip install 'riskchain-gym[browser]'.")
    else:
        yield from _started(binary)


def _started(binary: Path) -> Iterator[Check]:
    from riskchain_gym.envs.browser.probe import probe_browser

    try:
        probe = probe_browser(binary)
    except (BrowserUnavailableError, InfrastructureError) as error:
        yield Check("browser", False, f"{binary} does not work: {error}", f"Please {HOW_TO_GET_ONE}.")
        return
    yield Check("browser", True, f"{probe.version} at {binary}, starts and draws")
    for kind, drawn in probe.drawn.items():
        detail = "drawn with a glyph of its own" if drawn else "drawn as the missing-glyph box"
        yield Check(f"font {kind}", drawn, detail, "" if drawn else _FONT_FIXES[kind])


def _cpus() -> Check:
    count = os.cpu_count() or 1
    fix = "" if count >= _MIN_CPUS else f"Use {_MIN_CPUS} cores or more: a browser and Python share them."
    return Check("cpus", count >= _MIN_CPUS, str(count), fix, required=False)


def _memory() -> Check:
    total = _total_memory()
    if total is None:
        return Check("memory", True, "unknown", required=False)
    fix = "" if total >= _MIN_MEMORY else "Run one environment at a time: each browser takes 300 to 500 MiB."
    return Check("memory", total >= _MIN_MEMORY, f"{total / _GIB:.1f} GiB", fix, required=False)


def _total_memory() -> int | None:
    if importlib.util.find_spec("psutil") is not None:
        import psutil

        return int(psutil.virtual_memory().total)
    if {"SC_PAGE_SIZE", "SC_PHYS_PAGES"} <= os.sysconf_names.keys():
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return None


def _shared_memory(folder: Path = Path("/dev/shm")) -> Iterator[Check]:  # noqa: S108 - looked at, not written to
    if folder.is_dir():
        free = shutil.disk_usage(folder).free
        yield Check("shared memory", True, f"{free / _GIB:.2f} GiB free in {folder}; the browser does without it")


def _sandbox() -> Check:
    if wants_sandbox():
        return Check("sandbox", True, f"Chromium's own sandbox is on ({SANDBOX_VARIABLE}=0 switches it off)")
    why = "running as root" if os.geteuid() == 0 else f"{SANDBOX_VARIABLE}=0"
    return Check("sandbox", True, f"Chromium's own sandbox is off ({why}); pages are local and hold no scripts")


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    parts: list[int] = []
    for part in version.split("."):
        if not part.isdecimal():
            break
        parts.append(int(part))
    return tuple(parts)
