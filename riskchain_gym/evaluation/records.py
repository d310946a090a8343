"""What a run folder holds: what was run, and one record an episode. Neither knows of any gold."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, model_validator

from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.protocol.codebook import FIRST_CODEBOOK
from riskchain_gym.protocol.model import Frozen, sha256_of
from riskchain_gym.protocol.trajectory import Trajectory

CODEBOOK = "codebook"
"""The name among a run's versions under which stands the codebook that its agent was told."""

MediaName = Annotated[str, Field(pattern=r"^[0-9a-f]{32}\.webp$")]
BrowseStep = Annotated[str, Field(pattern=r"^(0|[1-9][0-9]{0,5})$")]


class RunManifest(Frozen):
    """What was run: everything that can change its outcome.

    Attributes:
        agent: Name of the agent.
        agent_kind: ``baseline``, ``control`` or ``oracle``; the last two are marked in tables.
        agent_sha256: Hash of the agent's configuration.
        agent_config: The configuration itself: spec, parts, models, prompts and options; no address and no key. Empty
            in runs of people, and where it was not yet written down.
        split: Name or path of the split.
        split_sha256: Hash of the split's public file.
        split_chains: Number of chains of the split.
        origin: ``open`` or ``sealed``, as the split says.
        chains: Chains that were to be run, in the order they are frozen in; a run that holds fewer is incomplete.
        restored: Variants of their messages that were to be restored on their own, beside the episodes.
        repeat: Which of several runs of the same agent it is, counted from 0; nothing else tells them apart.
        env_id: Gymnasium id.
        env_kwargs: Keyword arguments it was made with.
        environment: Every setting the environment had with them, viewport and budgets among them.
        versions: Versions of the package and of what the episodes depend on, the codebook and the browser among them.
    """

    schema_version: Literal["riskchain-run/v1"] = "riskchain-run/v1"
    agent: str
    agent_kind: Literal["baseline", "control", "oracle"]
    agent_sha256: str
    agent_config: dict[str, JsonValue] = Field(default_factory=dict)
    split: str
    split_sha256: str
    split_chains: int
    origin: Literal["open", "sealed"]
    chains: Annotated[tuple[str, ...], Field(min_length=1)]
    restored: tuple[str, ...] = ()
    repeat: Annotated[int, Field(ge=0)] = 0
    env_id: str
    env_kwargs: dict[str, str | int | float | bool | list[str] | None]
    environment: EnvConfig
    versions: dict[str, str]

    @model_validator(mode="after")
    def _each_chain_once(self) -> Self:
        if len(set(self.chains)) != len(self.chains):
            raise ValueError("chains: every chain is run once")
        return self

    @property
    def codebook(self) -> str:
        """The codebook that the agent was told."""
        return self.versions.get(CODEBOOK, FIRST_CODEBOOK)

    def encoded(self) -> bytes:
        """Return the bytes of ``run.json``."""
        return self.model_dump_json(indent=2).encode() + b"\n"


class EpisodeRecord(Frozen):
    """One episode as frozen.

    Attributes:
        trajectory: What happened.
        media: File name of the screenshot of each browse step, relative to ``media/``; a name is the beginning of the
            SHA-256 of the file's bytes, so the record's hash covers them too.
        seconds: Wall time, ``None`` where nobody measured; the only field that no hash covers.
        previous: ``hash`` of the record before, or the run's identity.
        hash: SHA-256 of all the other fields but ``seconds``.
    """

    trajectory: Trajectory
    media: dict[BrowseStep, MediaName] = Field(default_factory=dict)
    seconds: float | None
    previous: str
    hash: str = ""

    def expected_hash(self) -> str:
        """Return the hash this record must carry."""
        return sha256_of(self.model_dump(mode="json", exclude={"hash", "seconds"}))
