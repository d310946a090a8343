"""A new agent's folder: its TOML file, its class, and a test that plays it."""

from __future__ import annotations

import importlib.util
import keyword
import re
from pathlib import Path
from string import Template
from typing import Literal

from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.files import write_atomically

Kind = Literal["agent", "restorer", "investigator", "llm"]
"""A whole agent, one half of one, or the settings of the language-model agent."""

TEMPLATES = "templates"
"""Folder of ``baselines/`` that holds the texts that new agents begin with."""

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")


def new_agent(name: str, folder: Path, kind: Kind = "agent") -> tuple[Path, ...]:
    """Write the folder of a new agent; it plays at once.

    Args:
        name: Name of the agent: lower-case letters, digits, ``-`` and ``_``.
        folder: Folder for its files; made if it is not there. Files that are there are never overwritten.
        kind: What is to be written.

    Returns:
        The files: the TOML file first, its test last.

    Raises:
        ConfigError: The name cannot be one, is that of a module that there is, or a file is there already.
    """
    if not _NAME.fullmatch(name) or len(name) > 60:
        raise ConfigError(
            f"'{name}' cannot name an agent: use lower-case letters and digits, joined by - or _, e.g. my-agent."
        )
    module = name.replace("-", "_")
    test = f"test_{module}.py"
    own = content_dir("baselines") / TEMPLATES
    texts = {"agent.toml": own / kind / "agent.toml.txt"}
    if kind == "llm":
        texts[test] = own / kind / "test.py.txt"
    else:
        texts |= {f"{module}.py": own / kind / "module.py.txt", test: own / "test.py.txt"}
    for file in texts:
        if (folder / file).exists():
            raise ConfigError(f"{folder / file} is there already: give another name, or another folder with --out.")
    class_name = "".join(word.capitalize() for word in module.split("_"))
    if kind != "llm":
        _check_free(name, module, class_name, texts[f"{module}.py"])
    filled = {"name": name, "module": module, "kind": class_name, "test": test}
    for file, template in texts.items():
        text = Template(template.read_text(encoding="utf-8")).substitute(filled)
        write_atomically(folder / file, text.encode())
    return tuple(folder / file for file in texts)


def _check_free(name: str, module: str, class_name: str, template: Path) -> None:
    """Refuse a name whose module Python would look for elsewhere, or whose class hides what its own file needs."""
    found = importlib.util.find_spec(module)
    if found is not None and found.origin is not None:  # without one, it is a mere folder, which a module goes before
        raise ConfigError(
            f"'{name}' cannot name an agent: Python has a module '{module}' already ({found.origin}). "
            f"Give another name, e.g. my-{name}."
        )
    imported = re.search(rf"^(?:from|import) .*\b{class_name}\b", template.read_text(encoding="utf-8"), re.MULTILINE)
    if keyword.iskeyword(class_name) or imported:
        raise ConfigError(
            f"'{name}' cannot name an agent: its class would be called {class_name}, which means something else. "
            f"Give another name, e.g. my-{name}."
        )
