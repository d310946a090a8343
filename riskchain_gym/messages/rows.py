"""The rows of a built message split: what a model may see, and what only an evaluator may."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, StringConstraints

from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.commit import RestoredMessage
from riskchain_gym.protocol.gold import MessageGold, Trace
from riskchain_gym.protocol.message import ChatMessage, Identifier, Message, Platform, Surface
from riskchain_gym.protocol.model import Frozen, sha256_of

INPUTS, GOLD, ALIGNMENT, MANIFEST = "inputs.jsonl", "gold.jsonl", "alignment.jsonl", "manifest.json"
"""Names of the files: inputs may be shown to a model, gold and alignment never."""

R = TypeVar("R", bound=Frozen)

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class InputRow(Frozen):
    """A model-visible row.

    Attributes:
        sample_id: Opaque session id and variant, ``<id>--v000``; for the file, never for the agent.
        task_sha256: Hash of the row without this field.
    """

    schema_version: Literal["riskchain-message-task/v1"] = "riskchain-message-task/v1"
    sample_id: Identifier
    platform: Platform
    surface: Surface
    input_view: Literal["TOKEN_TEXT"] = "TOKEN_TEXT"
    messages: Annotated[tuple[ChatMessage, ...], Field(min_length=1)]
    task_sha256: Sha256

    @classmethod
    def of(cls, sample_id: str, message: Message) -> InputRow:
        """Return the row of a message."""
        fields = message.model_dump(mode="json", exclude={"schema_version"})
        return _hashed(cls, "task_sha256", {"sample_id": sample_id, **fields})

    def message(self) -> Message:
        """Return what an agent may see."""
        return Message(platform=self.platform, surface=self.surface, messages=self.messages)


class GoldRow(Frozen):
    """An evaluator-only row: what the row of the same sample id says, and how it was disguised.

    Attributes:
        session_id: The sample id without its variant.
        variant: ``v000`` …
        pair: Name of the contrast pair, or ``""``.
        attribute: What differs between its halves, or ``""``.
        recipe: Name of the recipe.
        severity: The recipe's highest severity; ``None`` for a published recipe.
        trace: How the canonical texts became the disguised ones.
        ceiling: How sure of the entry an ideal reader can be who knows the recipe, 0 to 1; ``None`` for an imported
            message.
        record_sha256: Hash of the row without this field.
    """

    schema_version: Literal["riskchain-message-gold/v1"] = "riskchain-message-gold/v1"
    sample_id: Identifier
    session_id: Identifier
    variant: str
    platform: Platform
    intent: Intent
    entry: str | None
    messages: tuple[RestoredMessage, ...]
    topic: str
    language: Literal["zh", "en"]
    form: str
    decoys: tuple[str, ...]
    skeleton: str
    pair: str = ""
    attribute: str = ""
    recipe: str
    severity: int | None
    trace: Trace
    ceiling: float | None
    record_sha256: Sha256

    @classmethod
    def of(
        cls, session_id: str, variant: str, gold: MessageGold, *, severity: int | None, pair: str, attribute: str
    ) -> GoldRow:
        """Return the row of one variant of a session."""
        fields = gold.model_dump(mode="json", exclude={"traces", "ceilings"})
        trace = gold.traces[variant]
        fields |= {
            "sample_id": f"{session_id}--{variant}",
            "session_id": session_id,
            "variant": variant,
            "pair": pair,
            "attribute": attribute,
            "recipe": trace.recipe,
            "severity": severity,
            "trace": trace.model_dump(mode="json"),
            "ceiling": gold.ceilings[variant],
        }
        return _hashed(cls, "record_sha256", fields)

    def gold(self) -> MessageGold:
        """Return the gold that scoring takes."""
        return MessageGold(
            entry=self.entry,
            messages=self.messages,
            intent=self.intent,
            platform=self.platform,
            skeleton=self.skeleton,
            topic=self.topic,
            language=self.language,
            form=self.form,
            decoys=self.decoys,
            traces={self.variant: self.trace},
            ceilings={self.variant: self.ceiling},
        )


SplitName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
"""A split's name, which is its folder's."""


class SplitFiles(Frozen):
    """One split of a built folder."""

    pool: str
    sessions: int
    messages: int
    sha256: dict[str, Sha256]


class MessagesManifest(Frozen):
    """What a built folder holds, and the hashes that freeze it.

    Attributes:
        origin: ``open`` (a public seed) or ``sealed`` (a secret key).
        seed: The public seed, or ``None`` for a sealed folder.
        versions: Versions of what the bytes and their checks depend on.
        splits: Split name to its pool, counts and file hashes (file names within the split's folder).
    """

    schema_version: Literal["riskchain-messages/v1"] = "riskchain-messages/v1"
    origin: Literal["open", "sealed"]
    seed: int | None
    versions: dict[str, str]
    splits: Annotated[dict[SplitName, SplitFiles], Field(min_length=1)]


def row_sha256(fields: Mapping[str, Any], name: str) -> str:
    """Return the hash of a row's fields without the one that holds the hash."""
    return sha256_of({key: value for key, value in fields.items() if key != name})


def _hashed(model: type[R], name: str, fields: Mapping[str, Any]) -> R:
    row = model(**fields, **{name: "0" * 64})
    return row.model_copy(update={name: row_sha256(row.model_dump(mode="json"), name)})
