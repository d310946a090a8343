"""The restore half of the language-model agent."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from riskchain_gym.agents.asking import AskedModel
from riskchain_gym.agents.base import Instructions, Observation
from riskchain_gym.agents.llm.desk import Answered, Desk, said_of
from riskchain_gym.agents.llm.options import read_options
from riskchain_gym.agents.llm.pinyin import with_sounds
from riskchain_gym.agents.llm.prompts import DATA, EXAMPLES, WORDS
from riskchain_gym.agents.llm.question import Question
from riskchain_gym.protocol.commit import EMPTY_COMMIT, Commit
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.trajectory import Phase

_SYSTEM = "restore_system.txt"
_QUESTION = "restore.txt"


class LLMRestorer:
    """Asks a language model for the restoration of each message, one call an answer.

    Args:
        model: The model, for this restorer alone.
        options: Those of :class:`~riskchain_gym.agents.llm.options.LLMOptions`.

    Raises:
        ConfigError: An option is unknown or cannot be.
    """

    asks_model = True

    def __init__(self, model: AskedModel, **options: Any) -> None:
        self._desk = Desk(model, read_options(options), (DATA, WORDS, EXAMPLES, _SYSTEM, _QUESTION))
        examples = self._desk.prompts.examples(self._desk.options.examples)
        self._system = self._desk.prompts.filled(_SYSTEM, examples=examples)
        self._problem = ""

    @property
    def identity(self) -> dict[str, Any]:
        """Prompts by hash, forms and options, as JSON values."""
        return self._desk.identity

    def reset(self, instructions: Instructions) -> None:  # noqa: ARG002 -- how to answer, the prompts say
        """Forget the last message."""
        self._desk.model.reset()
        self._problem = ""

    def close(self) -> None:
        """Let go of the model; idempotent."""
        self._desk.model.close()

    def answer(self, observation: Observation) -> str:
        """Return the commit as JSON text, or the model's words where they are none.

        Raises:
            ConfigError: The model cannot be asked at all.
            InfrastructureError: No answer could be had.
        """
        message = Message.model_validate_json(observation["text"])
        answered = self._ask(message, said_of(str(observation.get("feedback", "")), self._problem))
        self._problem = answered.problem
        return answered.action

    def restore(self, message: Message) -> Commit:
        """Return the restoration of one message; the empty one where the model's answer is none.

        Raises:
            ConfigError: The model cannot be asked at all.
            InfrastructureError: No answer could be had.
        """
        try:
            return Commit.model_validate_json(self._ask(message, "").action)
        except ValidationError:
            return EMPTY_COMMIT

    def _ask(self, message: Message, feedback: str) -> Answered:
        blocks: dict[str, Any] = {"message": message.model_dump(mode="json")}
        if self._desk.options.pinyin:
            read = [{"message_id": m.message_id, "read": with_sounds(m.content)} for m in message.messages]
            blocks["pinyin"] = read
        if feedback:
            blocks["feedback"] = feedback
        return self._desk.ask(Question(Phase.RESTORE, self._system, _QUESTION, blocks))
