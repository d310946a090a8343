"""What can be chosen about an agent that is a language model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, ValidationError, field_serializer, field_validator

from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.hints import hint
from riskchain_gym.protocol.invalid import first_problem
from riskchain_gym.protocol.model import Frozen

Language = Literal["en", "zh"]

ALL = "all"
"""The word for a history without an end, which neither a TOML file nor a command line has another one for."""


class LLMOptions(Frozen):
    """The options of the language-model agent; a results table names those that are not at their default.

    The sentence below each is its description, which ``riskchain agents show llm`` prints.
    """

    model_config = ConfigDict(use_attribute_docstrings=True)

    language: Language = "en"
    """Language of the prompts, en or zh; pages and messages stay as they are."""

    images: bool = False
    """Screenshots are sent: the view with each browse step, some with the report. Needs a browser."""

    marks: bool = False
    """The screenshots have the elements' ids drawn into them."""

    pinyin: bool = False
    """The restore prompt gives the sound of every Chinese character beside the message."""

    examples: Annotated[int, Field(ge=0, le=3)] = 0
    """Solved examples in the restore prompt, up to 3; invented ones, the same for every message."""

    repair: bool = False
    """An answer of the wrong form is asked for once more, with what was wrong; such calls are counted apart."""

    history: Annotated[int, Field(ge=0)] | None = 8
    """How many of the last browse steps are told again with each new one; None, or the word all: all."""

    tell_budget: bool = True
    """The prompts say how many actions are left."""

    report_images: Annotated[int, Field(ge=0, le=8)] = 8
    """Screenshots that go with the report at most, an even sample with the first and the last (protocol C.7)."""

    @field_validator("history", mode="before")
    @classmethod
    def _is_a_number_or_all(cls, value: Any) -> Any:
        return None if value == ALL else value

    @field_serializer("history", when_used="json")
    def _in_words(self, value: int | None) -> int | str:
        return ALL if value is None else value


def read_options(given: Mapping[str, object]) -> LLMOptions:
    """Return the options that keyword arguments say.

    Raises:
        ConfigError: There is no such option, a value cannot be, or one says nothing without another.
    """
    known = tuple(LLMOptions.model_fields)
    for name in given:
        if name not in known:
            raise ConfigError(f"The language-model agent has no option '{name}': {hint(name, known)}")
    try:
        options = LLMOptions.model_validate(given)
    except ValidationError as error:
        field, problem = first_problem(error)
        raise ConfigError(f"Option {field} of the language-model agent: {problem}.") from error
    if options.marks and not options.images:
        raise ConfigError("Option marks draws ids into screenshots, and none are sent: set images=true too.")
    return options
