"""The alignment row: what restoring does with each character of a disguised message, for supervised learning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import StringConstraints, model_validator

from riskchain_gym.messages.rows import Sha256, row_sha256
from riskchain_gym.messages.trace import Aligned, Operation, TraceError
from riskchain_gym.protocol.message import Identifier
from riskchain_gym.protocol.model import Frozen

_LETTERS = {Operation.KEEP: "K", Operation.DROP: "D", Operation.MAP: "M"}


class AlignmentRow(Frozen):
    """An evaluator-only row: one message of the row of the same sample id, character by character.

    Attributes:
        operations: One letter for each code point of the disguised content: ``K`` it stays, ``D`` it goes, ``M`` it
            becomes the next of the targets.
        targets: What the characters marked ``M`` become, in order; each one character or more.
        record_sha256: Hash of the row without this field.
    """

    schema_version: Literal["riskchain-message-alignment/v1"] = "riskchain-message-alignment/v1"
    sample_id: Identifier
    message_id: Identifier
    operations: Annotated[str, StringConstraints(pattern=r"^[KDM]*$")]
    targets: tuple[Annotated[str, StringConstraints(min_length=1)], ...]
    record_sha256: Sha256

    @model_validator(mode="after")
    def _one_target_each(self) -> Self:
        if (marked := self.operations.count("M")) != len(self.targets):
            raise ValueError(
                f"targets: needs one for each of the {marked} characters marked M, got {len(self.targets)}"
            )
        return self

    @classmethod
    def of(cls, sample_id: str, message_id: str, aligned: Sequence[Aligned]) -> AlignmentRow:
        """Return the row of one message.

        Args:
            sample_id: Session id and variant.
            message_id: Which message of the session it is.
            aligned: What :func:`riskchain_gym.messages.trace.alignment` returned for it.
        """
        row = cls(
            sample_id=sample_id,
            message_id=message_id,
            operations="".join(_LETTERS[each.operation] for each in aligned),
            targets=tuple(each.target for each in aligned if each.operation is Operation.MAP),
            record_sha256="0" * 64,
        )
        return row.model_copy(update={"record_sha256": row_sha256(row.model_dump(mode="json"), "record_sha256")})

    def restore(self, content: str) -> str:
        """Return the canonical text of a disguised one.

        Args:
            content: The disguised content that the row was made for.

        Raises:
            TraceError: The content has another length.
        """
        if len(content) != len(self.operations):
            raise TraceError(
                f"The alignment of '{self.sample_id}' {self.message_id} is for {len(self.operations)} characters, "
                f"got {len(content)}: give the content of the input row of that id."
            )
        targets = iter(self.targets)
        restored: list[str] = []
        for character, operation in zip(content, self.operations, strict=True):
            if operation == "K":
                restored.append(character)
            elif operation == "M":
                restored.append(next(targets))
        return "".join(restored)
