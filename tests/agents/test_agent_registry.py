"""Agents by name, by combination, from a file of one's own; errors that say what to change."""

from __future__ import annotations

from pathlib import Path

import pytest

from riskchain_gym.agents.base import Agent
from riskchain_gym.agents.chain import ChainAgent
from riskchain_gym.agents.explore.explorer import Explorer
from riskchain_gym.agents.registry import agent_names, find_spec, load_agent, part_names
from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.protocol.errors import ConfigError, InputFileError, UnknownNameError
from riskchain_gym.protocol.model import sha256_of


def test_the_first_agents_are_there() -> None:
    assert set(agent_names()) >= {"oracle", "noop", "always_violation", "landing_only", "rules+explorer"}
    assert "rules" in part_names("restorer")
    assert "explorer" in part_names("investigator")


@pytest.fixture
def model_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an agent asks that is a language model; nobody asks it anything."""
    pytest.importorskip("openai")
    monkeypatch.setenv("RISKCHAIN_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("RISKCHAIN_LLM_MODEL", "some-model")


@pytest.mark.parametrize("name", agent_names())
@pytest.mark.usefixtures("model_at_hand")
def test_every_agent_loads_under_its_name_with_a_summary(name: str) -> None:
    loaded = load_agent(name)
    assert loaded.spec.name == name
    assert loaded.spec.summary
    assert isinstance(loaded.agent, Agent)
    assert loaded.sha256 == load_agent(name).sha256
    assert loaded.agent is not load_agent(name).agent
    loaded.agent.close()
    loaded.agent.close()


def test_controls_and_oracle_are_marked() -> None:
    kinds = {name: find_spec(name)[0].kind for name in agent_names()}
    assert kinds["oracle"] == "oracle"
    assert kinds["noop"] == kinds["always_violation"] == kinds["landing_only"] == "control"
    assert kinds["rules+explorer"] == "baseline"


def test_parts_combine_by_name() -> None:
    loaded = load_agent("rules+landing_only")
    assert isinstance(loaded.agent, ChainAgent)
    assert loaded.spec.name == "rules+landing_only"


@pytest.mark.parametrize(
    ("name", "hint"),
    [("orcale", "oracle"), ("rule+explorer", "rules"), ("rules+explore", "explorer"), ("zzz", "known are")],
)
def test_unknown_names_list_near_matches(name: str, hint: str) -> None:
    with pytest.raises(UnknownNameError, match=hint):
        load_agent(name)


def test_only_an_oracle_is_given_gold() -> None:
    with pytest.raises(ConfigError, match="no oracle"):
        load_agent("noop").prepare(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["baseline", "control"])
def test_gold_goes_by_what_an_agent_is_marked_as_and_not_by_what_it_would_take(tmp_path: Path, kind: str) -> None:
    agent = 'agent = "riskchain_gym.agents.oracle:OracleAgent"'
    loaded = load_agent(_file(tmp_path, f'name = "mine"\nkind = "{kind}"\n{agent}\n'))
    with pytest.raises(ConfigError, match="no oracle"):
        loaded.prepare(next(iter(load_gold("mini").values())))


def _file(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_an_agent_of_ones_own_by_class_path(tmp_path: Path) -> None:
    (tmp_path / "agent_of_mine.py").write_text(
        "class Mine:\n"
        "    def __init__(self, word): self.word = word\n"
        "    def reset(self, instructions): pass\n"
        "    def act(self, observation): return self.word\n"
        "    def close(self): pass\n",
        encoding="utf-8",
    )
    text = 'name = "mine"\nagent = "agent_of_mine:Mine"\n[parameters]\nword = "hello"\n'
    loaded = load_agent(_file(tmp_path, text))
    assert loaded.agent.act({}) == "hello"
    assert loaded.spec.kind == "baseline"


def test_halves_by_class_path_and_by_name_mix(tmp_path: Path) -> None:
    text = (
        'name = "mine"\nrestorer = "rules"\ninvestigator = "riskchain_gym.agents.explore.explorer:Explorer"\n'
        "[investigator_parameters]\nreload_once = false\n"
    )
    loaded = load_agent(_file(tmp_path, text))
    assert isinstance(loaded.agent, ChainAgent)
    assert isinstance(loaded.agent.investigator, Explorer)
    assert loaded.sha256 != load_agent("rules+explorer").sha256


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("name = ", ""),
        ('agent = "riskchain_gym.agents.controls:Noop"', "name"),
        ('name = "mine"', ""),
        ('name = "a b"\nagent = "x:Y"', "name"),
        ('name = "mine"\nkind = "winner"\nagent = "riskchain_gym.agents.controls:Noop"', "kind"),
        ('name = "mine"\nagent = "riskchain_gym.agents.controls:Noop"\nagnt = 1', "agnt"),
        ('name = "mine"\nagent = "riskchain_gym.agents.controls"', "agent"),
        ('name = "mine"\nagent = "no_such_module:Agent"', "agent"),
        ('name = "mine"\nagent = "riskchain_gym.agents.controls:Nope"', "agent"),
        ('name = "mine"\nagent = "riskchain_gym.agents.read.reader:Reader"', "agent"),
        ('name = "mine"\nagent = "riskchain_gym.agents.controls:Noop"\n[parameters]\nx = 1', "agent"),
        ('name = "mine"\nkind = "oracle"\nagent = "riskchain_gym.agents.controls:Noop"', "kind"),
        ('name = "mine"\nrestorer = "ruls"\ninvestigator = "explorer"', "restorer"),
        ('name = "mine"\nrestorer = "rules"\ninvestigator = "riskchain_gym.agents.controls:Noop"', "investigator"),
        ('name = "mine"\nrestorer = "rules"\ninvestigator = "random"\n[parameters]\nseed = 1', ""),
        (
            'name = "mine"\nrestorer = "rules"\ninvestigator = "explorer"\n[restorer_parameters]\nx = 1',
            "restorer_parameters",
        ),
    ],
)
def test_a_wrong_file_is_named_with_its_field(tmp_path: Path, text: str, field: str) -> None:
    with pytest.raises(InputFileError) as caught:
        load_agent(_file(tmp_path, text))
    assert caught.value.path.name == "mine.toml"
    assert caught.value.field == field
    assert caught.value.problem


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match="no such file"):
        load_agent(str(tmp_path / "none.toml"))


@pytest.mark.parametrize(
    ("module", "says"),
    [
        ("def broken(:", "SyntaxError"),
        ("raise RuntimeError('no licence key')", "RuntimeError: no licence key"),
        ("class Mine:\n    def __init__(self):\n        raise OSError('no model file')", "OSError: no model file"),
    ],
)
def test_a_module_of_ones_own_that_breaks_is_named_with_its_cause(tmp_path: Path, module: str, says: str) -> None:
    name = f"broken_{sha256_of(module)[:8]}"
    (tmp_path / f"{name}.py").write_text(module)
    file = tmp_path / "mine.toml"
    file.write_text(f'name = "mine"\nsummary = "x"\nagent = "{name}:Mine"\n')
    with pytest.raises(InputFileError, match=says):
        load_agent(str(file))


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("import", "cannot be imported .SystemExit: 0"),
        ("init", "cannot be made .SystemExit: 0"),
        ("text", "UntoldError"),
    ],
)
def test_what_an_agent_raises_as_it_is_made_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, said: str
) -> None:
    code = f"""
class UntoldError(Exception):
    def __str__(self):
        raise LookupError

if {place == "import"}:
    raise SystemExit(0)

class Ending:
    def __init__(self):
        raise SystemExit(0) if {place == "init"} else UntoldError()
"""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / f"ending_{place}.py").write_text(code)
    (tmp_path / "agent.toml").write_text(f'name = "ending"\nagent = "ending_{place}:Ending"\n')
    with pytest.raises(InputFileError, match=said):
        load_agent(str(tmp_path / "agent.toml"))
