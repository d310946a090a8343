"""Restoration on message splits: made on the fly, streamed without end, or read from a built folder."""

from __future__ import annotations

import gc
import json
import pickle
import shutil
import weakref
from pathlib import Path

import gymnasium as gym
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from message_split_cases import KEY, RESTORE, TRAIN, chain_of, commit_of, index_with, make, name_of, train

import riskchain_gym  # noqa: F401
from riskchain_gym.envs.message_cases import SEED, STREAM_LENGTH
from riskchain_gym.envs.stream_ids import StreamIds
from riskchain_gym.messages.build import build_messages, write_messages
from riskchain_gym.messages.folder import load_messages
from riskchain_gym.messages.pairs import import_pairs
from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.errors import ConfigError, InputFileError, UnknownNameError
from riskchain_gym.protocol.model import canonical_json

pytestmark = pytest.mark.contract

BUILT = ("clean", "no_entry")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("messages")
    write_messages(folder, build_messages(KEY, splits=BUILT), seed=SEED)
    return folder


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "built"))


# -- the endless split ------------------------------------------------------------------------------------------------


def test_an_id_names_the_session_of_its_index() -> None:
    env = make()
    for index in (0, 7, 123_456_789, STREAM_LENGTH - 1):
        observation, _ = env.reset(options={"chain": name_of(index)})
        assert observation["text"] == canonical_json(train(index).variants["v000"])
        assert env.unwrapped.recipe == train(index).recipes["v000"]
    for unknown in ("train-2147483648", "train-7", "train-00000000 7", "train-００００００００００", "dev-0000000001"):
        with pytest.raises(UnknownNameError, match="begin with train-0000000000, train-0000000001"):
            env.reset(options={"chain": unknown})


def test_the_seed_draws_indices_from_the_whole_stream() -> None:
    def drawn(seed: int) -> list[str]:
        env = make()
        return [chain_of(env, seed=seed), *(chain_of(env) for _ in range(15))]

    assert drawn(1) == drawn(1)
    ids = drawn(1) + drawn(2)
    assert len(set(ids)) == 32
    assert max(ids) > name_of(STREAM_LENGTH // 2)
    assert min(ids) < name_of(STREAM_LENGTH // 2)


def test_sequential_counts_up_and_shards_take_turns() -> None:
    env = make(order="sequential")
    assert [chain_of(env) for _ in range(4)] == [name_of(i) for i in range(4)]
    assert chain_of(env, seed=9) == name_of(0), "a seeded reset begins again"
    env = make(order="sequential", shard=[1, 3])
    assert [chain_of(env) for _ in range(3)] == [name_of(i) for i in (1, 4, 7)]


def test_chains_choose_from_the_stream() -> None:
    env = make(chains=[name_of(5), name_of(2)], order="sequential")
    assert env.unwrapped.chain_ids == (name_of(5), name_of(2))
    assert [chain_of(env) for _ in range(3)] == [name_of(5), name_of(2), name_of(5)]
    with pytest.raises(UnknownNameError, match="has no chain 'train-5'"):
        make(chains=["train-5"])


def test_ids_are_made_when_looked_at() -> None:
    ids = make().unwrapped.chain_ids
    assert len(ids) == STREAM_LENGTH
    assert (ids[0], ids[-1]) == (name_of(0), name_of(STREAM_LENGTH - 1))
    assert name_of(STREAM_LENGTH - 1) in ids
    assert "train-x" not in ids
    assert 3 not in ids
    third = ids[2::3]
    assert (third[1], name_of(5) in third, name_of(4) in third) == (name_of(5), True, False)
    assert isinstance(third, StreamIds)
    assert pickle.loads(pickle.dumps(third)) == third


def test_an_endless_split_cannot_be_filtered_by_recipe() -> None:
    with pytest.raises(ConfigError, match=r"recipes: split 'messages/train' is endless.*riskchain build messages"):
        make(recipes=["primary"])
    with pytest.raises(ConfigError, match=r"has 'v001'.*Known: v000\."):
        make(variants=["v001"])
    assert chain_of(make(variants="all", order="sequential")) == name_of(0)


def test_a_file_of_outcomes_serves_chosen_chains_only(tmp_path: Path) -> None:
    path = tmp_path / "w.jsonl"
    rows = [{"chain_id": name_of(i), "w_hat": 0.25} for i in range(3)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    make(chains=[name_of(2)], web_outcomes=str(path))
    with pytest.raises(ConfigError, match="no row for chain 'train-0000000003'"):
        make(web_outcomes=str(path))


def test_nothing_of_an_episode_is_kept() -> None:
    env = make()
    env.reset(seed=0)
    chain = weakref.ref(env.unwrapped._machine.episode.case.chain)
    env.reset()
    gc.collect()
    assert chain() is None


def test_the_recipe_is_for_the_books_alone() -> None:
    env = make()
    with pytest.raises(ResetNeeded):
        _ = env.unwrapped.recipe
    observation, info = env.reset(options={"chain": name_of(3)})
    told = json.dumps([observation["text"], observation["feedback"], *map(str, info.values())])
    assert env.unwrapped.recipe not in told
    assert name_of(3) not in told


# -- what is paid -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("reward", "right", "wrong"), [("gated", 0.5, 0.0), ("delta_gate", 0.0, -0.5)])
def test_a_message_with_an_entry(reward: str, right: float, wrong: float) -> None:
    index = index_with(entry=True)
    gold = train(index).gold
    env = make(reward=reward, web_outcomes=0.5)
    for commit, paid, passed in (
        (commit_of(gold, str(gold.entry)), right, True),
        (commit_of(gold, "wrong.entry.test"), wrong, False),
        (commit_of(gold, abstain=True), wrong, False),
    ):
        env.reset(options={"chain": name_of(index)})
        _, got, terminated, truncated, info = env.step(commit)
        assert (got, terminated, truncated) == (paid, True, False)
        outcome = info["outcome"]
        assert (info["status"], outcome["gate.passed"], outcome["restoration.full"]) == ("committed", passed, passed)
        assert outcome["restoration.message_exact"]
        assert not any(name.startswith(("label", "web", "end_to_end")) for name in outcome)


@pytest.mark.parametrize(("reward", "right", "wrong"), [("gated", 0.5, 0.0), ("delta_gate", 0.0, -0.5)])
@pytest.mark.parametrize("split", [TRAIN, "messages/no_entry"])
def test_a_message_that_leads_nowhere(split: str, reward: str, right: float, wrong: float) -> None:
    env = make(split, reward=reward, web_outcomes=0.5, order="sequential")
    chain = name_of(index_with(entry=False)) if split == TRAIN else env.unwrapped.chain_ids[0]
    gold = env.unwrapped._source.load(chain).gold
    assert gold.entry is None
    for commit, paid, passed in (
        (commit_of(gold), right, True),
        (commit_of(gold, abstain=True), right, True),
        (commit_of(gold, "some.entry.test"), wrong, False),
        (commit_of(gold, "some.entry.test", abstain=True), wrong, False),
    ):
        env.reset(options={"chain": chain})
        _, got, *_, info = env.step(commit)
        outcome = info["outcome"]
        assert (got, outcome["gate.passed"], outcome["restoration.full"]) == (paid, passed, passed)
        assert outcome["gate.strict"] is outcome["gate.handoff"] is passed


@pytest.mark.parametrize(("config", "status"), [(None, "committed"), ("published", "bottom")])
@pytest.mark.parametrize(("reward", "paid"), [("gated", 0.0), ("delta_gate", -0.5)])
def test_strikes_earn_nothing_where_there_is_nothing_to_name(
    config: str | None, status: str, reward: str, paid: float
) -> None:
    env = make(
        chains=[name_of(index_with(entry=False))], config=config, reward=reward, web_outcomes=0.5, backend="fake"
    )
    env.reset()
    rewards, terminated = [], False
    while not terminated:
        _, got, terminated, _, info = env.step("no restoration")
        rewards.append(float(got))
    assert sum(rewards) == paid
    assert (info["status"], info["outcome"]["gate.passed"]) == (status, False)


def test_the_error_rate_is_a_term_here_too(tmp_path: Path) -> None:
    config = tmp_path / "cer.toml"
    config.write_text("[terms]\ncer = -1.0", encoding="utf-8")
    gold = train(1).gold
    env = make(config=config, chains=[name_of(1)])
    env.reset()
    _, paid, *_, info = env.step(Commit(intent=Intent.UNKNOWN, platform=gold.platform).model_dump_json())
    assert (paid, info["outcome"]["terms.cer"]) == (-1.0, -1.0)


# -- finite splits ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "chains", "variants"),
    [("test", 600, 6), ("hard", 600, 1), ("dev", 600, 1), ("ood", 600, 1), ("clean", 120, 1), ("contrast", 160, 1)],
)
def test_finite_splits_have_their_plans_sessions(name: str, chains: int, variants: int) -> None:
    env = make(f"messages/{name}", variants="all", order="sequential")
    ids = env.unwrapped.chain_ids
    assert len(set(ids)) == chains
    shown = []
    for _ in range(variants + 1):
        env.reset()
        shown.append((env.unwrapped.trajectory.chain_id, env.unwrapped.trajectory.variant))
    assert shown == [*((ids[0], f"v{i:03d}") for i in range(variants)), (ids[1], "v000")]


@pytest.mark.parametrize("name", BUILT)
def test_finite_splits_are_what_a_build_writes(built: Path, name: str) -> None:
    made, read = (make(split, order="sequential") for split in (f"messages/{name}", built / name))
    samples = load_messages(built, name, gold=True)
    assert made.unwrapped.chain_ids == read.unwrapped.chain_ids
    assert [f"{chain}--v000" for chain in made.unwrapped.chain_ids] == [sample.input.sample_id for sample in samples]
    for chain in made.unwrapped.chain_ids:
        assert made.unwrapped._source.load(chain) == read.unwrapped._source.load(chain)
    for sample in samples[:5]:
        for env in (made, read):
            assert env.reset()[0]["text"] == canonical_json(sample.input.message())
            assert env.unwrapped.recipe == sample.gold.recipe


def test_contrast_halves_are_separate_chains() -> None:
    source = make("messages/contrast").unwrapped._source
    texts = {canonical_json(source.load(chain).chain.variants["v000"]) for chain in source.ids}
    assert len(texts) == len(source.ids)


def test_recipes_choose_in_a_finite_split() -> None:
    env = make("messages/test", variants="all", recipes=["vertical"], order="sequential")
    env.reset()
    assert (env.unwrapped.trajectory.variant, env.unwrapped.recipe) == ("v005", "vertical")
    env = make("messages/no_entry", order="sequential")
    env.reset()
    drawn = env.unwrapped.recipe
    env = make("messages/no_entry", recipes=[drawn])
    assert 1 <= len(env.unwrapped.chain_ids) < 240
    env.reset(seed=0)
    assert env.unwrapped.recipe == drawn
    with pytest.raises(ConfigError, match=r"recipes: no chain of split 'messages/no_entry'.*and \d+ more\.$"):
        make("messages/no_entry", recipes=["vertcal"])


def test_unknown_splits_and_chains() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'train'"):
        make("messages/trian")
    known = make("messages/clean").unwrapped.chain_ids[0]
    with pytest.raises(UnknownNameError, match=f"Split 'messages/clean'.*Did you mean '{known}'"):
        make("messages/clean", chains=[f"{known[:-1]}?"])
    for near in ("hard", "mesages/hard"):
        with pytest.raises(UnknownNameError, match=r"Known splits: mini; .* Did you mean 'messages/hard'"):
            make(near)
    with pytest.raises(UnknownNameError) as caught:
        gym.make("riskchain_gym:RiskChain-v0", split="hard", backend="text")
    assert "messages/" not in str(caught.value)


@pytest.mark.parametrize("env_id", ["RiskChain-v0", "RiskChainBrowse-v0"])
def test_only_restoration_plays_messages_without_sites(env_id: str, built: Path) -> None:
    for split in (TRAIN, str(built / "clean")):
        with pytest.raises(ConfigError, match=f"{env_id} opens sites.*have none yet: use {RESTORE}"):
            gym.make(env_id, split=split, backend="text")


# -- folders ----------------------------------------------------------------------------------------------------------


def test_a_transfer_set_is_no_split(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("hidden,plain\n看 kab.cd点test,看 kab.cd.test\n", encoding="utf-8")
    import_pairs(tmp_path / "a.csv", tmp_path / "set", obfuscated="hidden", plain="plain", licence="CC0")
    with pytest.raises(ConfigError, match=r"is a transfer set.*riskchain_gym\.messages\.pairs\.load_transfer"):
        make(str(tmp_path / "set"))


def test_a_folder_may_lie_anywhere(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(built)
    assert len(make("./clean").unwrapped.chain_ids) == 120
    monkeypatch.chdir(built / "clean")
    assert len(make("./").unwrapped.chain_ids) == 120


def test_a_folder_named_like_a_generated_split_is_not_passed_over(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(built, tmp_path / "messages")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"names both a generated split and a folder here: write './messages/clean'"):
        make("messages/clean")
    assert len(make("./messages/clean").unwrapped.chain_ids) == 120


def test_a_folder_without_gold_cannot_pay(copied: Path) -> None:
    (copied / "clean" / "gold.jsonl").unlink()
    with pytest.raises(InputFileError, match=r"gold\.jsonl: is missing, and a restoration is paid by it"):
        make(copied / "clean")


def test_a_changed_folder_is_refused_though_it_was_read_before(copied: Path) -> None:
    make(copied / "clean").reset()
    inputs = copied / "clean" / "inputs.jsonl"
    inputs.write_text("".join(inputs.read_text(encoding="utf-8").splitlines(keepends=True)[1:]), encoding="utf-8")
    manifest = (copied / "manifest.json").read_text(encoding="utf-8")
    (copied / "manifest.json").write_text(f"{manifest}\n", encoding="utf-8")
    with pytest.raises(InputFileError, match=r"inputs\.jsonl: sha256"):
        make(copied / "clean")
    (copied / "manifest.json").unlink()
    with pytest.raises(InputFileError, match=r"manifest\.json: cannot be read"):
        make(copied / "clean")


def test_the_folder_of_all_splits_is_not_a_split(built: Path) -> None:
    with pytest.raises(ConfigError, match=r"several message splits: add the name of one \(clean, no_entry\)"):
        make(built)


def test_specs_survive_json(built: Path) -> None:
    for split in (TRAIN, built / "clean"):
        env = make(split, order="sequential", shard=(1, 2))
        again = gym.make(EnvSpec.from_json(env.spec.to_json()))
        assert again.unwrapped.config == env.unwrapped.config
        assert chain_of(again) == chain_of(env)
