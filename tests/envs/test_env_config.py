from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import riskchain_gym  # noqa: F401
from riskchain_gym.envs.config import KEYWORDS, EnvConfig
from riskchain_gym.envs.settings import config_names, read_config_file, resolve_config
from riskchain_gym.envs.web_outcomes import WebOutcomes
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.errors import ConfigError, InputFileError, UnknownNameError

CHAIN, RESTORE, BROWSE = "RiskChain-v0", "RiskChainRestore-v0", "RiskChainBrowse-v0"


@pytest.fixture
def toml(tmp_path: Path) -> Any:
    def write(text: str) -> str:
        path = tmp_path / "mine.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def test_shipped_files_are_valid_and_named_by_id() -> None:
    assert {"riskchain-v0", "riskchainrestore-v0", "riskchainbrowse-v0", "published"} <= set(config_names())
    for path in content_dir("envs").glob("*.toml"):
        assert read_config_file(path)


def test_published_protocol() -> None:
    config = resolve_config("chain", "published", {})
    assert (config.strikes, config.on_strikes, config.on_budget) == (1, "bottom", "bottom")
    assert (config.max_steps, config.max_seconds, config.viewport) == (30, 600, (1280, 900))
    assert config.observe == ("screenshot",)
    assert config.protocol != resolve_config("chain", None, {}).protocol


def test_a_config_file_gives_pictures_alternative_texts(toml: Any) -> None:
    config = resolve_config("browse", toml("picture_alt = true\n"), {})
    assert config.page_modalities == ("text", "elements", "picture_alt")
    assert EnvConfig.model_validate_json(config.model_dump_json()).picture_alt, "as run manifests keep settings"


def test_a_config_file_chooses_how_screenshots_are_encoded(toml: Any) -> None:
    assert resolve_config("browse", None, {}).screenshot_format == "png"
    assert resolve_config("browse", toml('screenshot_format = "jpeg"\n'), {}).screenshot_format == "jpeg"
    with pytest.raises(InputFileError, match="'png' or 'jpeg', got 'webp'"):
        resolve_config("browse", toml('screenshot_format = "webp"\n'), {})
    with pytest.raises(ConfigError, match="TOML"):
        resolve_config("browse", None, {"screenshot_format": "jpeg"})


def test_argument_beats_config_beats_default(toml: Any) -> None:
    path = toml("max_steps = 7\nmax_seconds = 9\n")
    assert resolve_config("chain", None, {}).max_steps == 30
    assert resolve_config("chain", path, {}).max_steps == 7
    config = resolve_config("chain", path, {"max_steps": 5, "max_seconds": None})
    assert (config.max_steps, config.max_seconds) == (5, 9)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ({"rewrad": "gated"}, "Did you mean 'reward'"),
        ({"reward": "gatd"}, "'gated'"),
        ({"max_steps": 0}, "max_steps.*greater than or equal to 1"),
        ({"strikes": 1}, "TOML"),
        ({"picture_alt": True}, "TOML"),
        ({"backend": "chromum"}, "Did you mean 'chromium'"),
        ({"config": "publishd"}, "Did you mean 'published'"),
        ({"observe": ["screenshot"], "backend": "text"}, "'text' has no 'screenshot'"),
        ({"render_mode": "rgb_array", "backend": "text"}, "'text' has no 'screenshot'"),
        ({"render_mode": "human_text"}, "Known: ansi, rgb_array, human"),
        ({"shard": [0, 2]}, "sequential"),
        ({"shard": [2, 2], "order": "sequential"}, "below n"),
        ({"p_reference": 0.5}, "curriculum"),
        ({"routing": "curriculum", "reward": "gated"}, "p_reference"),
        ({"reward": "delta_gate"}, "web_outcomes"),
        ({"reward": "web", "routing": "committed"}, "'gated' or 'none'"),
        ({"reward": "delta_gate_shaped", "routing": "curriculum", "p_reference": 0.5, "web_outcomes": 1}, "'gated'"),
        ({"variants": ["v999"]}, r"variants: no chain of split .* has 'v999'.*Known: v000, v001, v002"),
        ({"recipes": ["primry"]}, "Did you mean 'primary'"),
        ({"variants": ["v000"], "recipes": ["layout"]}, "No case is left"),
        ({"variants": "v001"}, "variants: give a list of names, or 'all', got 'v001'"),
        ({"recipes": "primary"}, "recipes: give a list of names, got 'primary'"),
        ({"variants": [1]}, r"variants\.0: .*string"),
        ({"config": 5}, "config is a name or the path of a TOML file, got 5"),
        ({"config": b"published"}, "config is a name or the path"),
        ({"config": ""}, "no config ''"),
        ({"config": "a" * 300}, "no config 'aaa"),
        ({"config": "a\0b/"}, "no config"),
        ({"max_seconds": 1e308}, "max_seconds: .*less than or equal"),
        ({"max_steps": 10**5000}, "max_steps: "),
        ({"web_outcomes": b"x", "reward": "delta_gate"}, "web_outcomes: bytes are no setting"),
        ({"web_outcomes": "a" * 300, "reward": "delta_gate"}, "no file 'aaa"),
        ({"split": "/" + "a" * 300}, "split: '/aaa.* cannot be read"),
        ({"chains": ["chaina", "chaina"]}, "chains: .*twice"),
        ({"variants": ["v000", "v001", "v000"]}, "variants: .*twice"),
        ({"recipes": ["primary", "primary"]}, "recipes: .*twice"),
        ({"observe": ["axtree", "axtree"]}, "observe: .*twice"),
        ({"observe": ["screenshots"]}, r"observe\.0: .*'axtree'.*'screenshots'\. Did you mean 'screenshot'\?"),
        ({"order": "sequental"}, "Did you mean 'sequential'"),
        ({"web_outcomes": "no/such/file.jsonl", "reward": "delta_gate"}, "no file"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*render_mode.*")
def test_bad_arguments_are_one_helpful_sentence(split: str, arguments: dict[str, Any], hint: str) -> None:
    with pytest.raises(ConfigError, match=hint) as caught:
        gym.make(CHAIN, **{"split": split, "backend": "fake", **arguments})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("env_id", [CHAIN, RESTORE, BROWSE])
def test_every_id_knows_its_backends(split: str, env_id: str) -> None:
    with pytest.raises(ConfigError, match=r"no backend 'nope'.*Known: chromium, text, fake"):
        gym.make(env_id, split=split, backend="nope")


@pytest.mark.parametrize("reward", ["web", "delta_gate_shaped"])
def test_restore_refuses_rewards_that_need_a_site(split: str, reward: str) -> None:
    with pytest.raises(ConfigError, match="'gated', 'delta_gate' or 'none'"):
        gym.make(RESTORE, split=split, reward=reward)


@pytest.mark.parametrize("reward", ["gated", "delta_gate", "delta_gate_shaped"])
def test_browse_refuses_rewards_that_need_a_commit(split: str, reward: str) -> None:
    with pytest.raises(ConfigError, match="'web' or 'none'"):
        gym.make(BROWSE, split=split, backend="fake", reward=reward)


@pytest.mark.parametrize("env_id", [RESTORE, BROWSE])
def test_routing_is_for_the_whole_chain_only(split: str, env_id: str) -> None:
    with pytest.raises(ConfigError, match="routing"):
        gym.make(env_id, split=split, routing="committed")


def test_unknown_split_and_chain(split: str) -> None:
    with pytest.raises(UnknownNameError, match="no split"):
        gym.make(CHAIN, split="minni", backend="fake")
    with pytest.raises(UnknownNameError, match="Did you mean 'chaina'"):
        gym.make(CHAIN, split=split, backend="fake", chains=["chainaa"])


def test_config_file_mistakes_name_file_and_field(toml: Any) -> None:
    with pytest.raises(ConfigError, match=r"mine\.toml.*'strike'.*Did you mean 'strikes'"):
        resolve_config("chain", toml("strike = 1"), {})
    with pytest.raises(InputFileError, match=r"mine\.toml: viewport\.0: .*got 1"):
        resolve_config("chain", toml("viewport = [1, 2]"), {})
    with pytest.raises(InputFileError, match=r"mine\.toml: variants: give a list of names, or 'all'"):
        resolve_config("chain", toml("variants = 'v001'"), {})
    for text in ("viewport = [1, ", f"variants = {'[' * 100_000}", f"max_steps = {'9' * 5000}"):
        with pytest.raises(InputFileError, match=r"mine\.toml: is not valid TOML"):
            resolve_config("chain", toml(text), {})


def test_terms_need_gold_and_something_to_rate(toml: Any) -> None:
    path = toml("[terms]\ncitaton_f1 = 1.0")
    with pytest.raises(
        InputFileError, match=r"terms\.citaton_f1: there is no such setting\. Did you mean 'citation_f1'"
    ):
        resolve_config("chain", path, {})
    path = toml("[terms]\ncitation_f1 = 1.0")
    with pytest.raises(ConfigError, match="holds no gold"):
        resolve_config("chain", path, {"reward": "none"})
    with pytest.raises(ConfigError, match=r"terms\.cer"):
        resolve_config("restore", path, {})
    with pytest.raises(ConfigError, match="rates a restoration"):
        resolve_config("browse", toml("[terms]\ncer = -1.0"), {})


def test_web_outcomes_file(tmp_path: Path, split: str) -> None:
    path = tmp_path / "w.jsonl"
    rows = [{"chain_id": f"chain{c}", "w_hat": 0.25} for c in "abcd"]
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    assert WebOutcomes.load(str(path)).of("chainb") == 0.25
    assert WebOutcomes.load(0.5).of("anything") == 0.5
    gym.make(CHAIN, split=split, backend="fake", reward="delta_gate", web_outcomes=str(path)).close()
    path.write_text(json.dumps(rows[0]), encoding="utf-8")
    with pytest.raises(ConfigError, match="no row for chain 'chainb'"):
        gym.make(CHAIN, split=split, backend="fake", reward="delta_gate", web_outcomes=str(path))


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ('{"chain_id": "a", "w_hat": 1.5}', "line 2: w_hat"),
        ('{"chain_id": "a"}', "line 2: w_hat"),
        ("nonsense", "line 2: "),
        ('{"chain_id": "x", "w_hat": 0}', "line 2: chain_id"),
    ],
)
def test_web_outcomes_mistakes_name_line_and_field(tmp_path: Path, line: str, where: str) -> None:
    path = tmp_path / "w.jsonl"
    path.write_text('{"chain_id": "x", "w_hat": 0.5}\n' + line, encoding="utf-8")
    with pytest.raises(InputFileError, match=where):
        WebOutcomes.load(str(path))


def test_web_outcomes_must_be_utf8(tmp_path: Path) -> None:
    path = tmp_path / "w.jsonl"
    path.write_bytes('{"chain_id": "链", "w_hat": 0.5}'.encode("gb18030"))
    with pytest.raises(InputFileError, match=r"w\.jsonl: is not UTF-8 text"):
        WebOutcomes.load(str(path))


def test_every_keyword_of_the_design_is_there() -> None:
    selection = ["split", "variants", "recipes", "chains", "order", "shard"]
    reward = ["routing", "p_reference", "reward", "discount", "web_outcomes"]
    browsing = ["backend", "observe", "actions", "max_steps", "max_seconds"]
    assert list(KEYWORDS) == [*selection, *reward, *browsing]
