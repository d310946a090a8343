"""Proposers, encoders and reporters with one fault each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from array_cases import spelled

from riskchain_gym.envs.wrappers.editing import Encoded
from riskchain_gym.envs.wrappers.proposing import PROBE, Proposals
from riskchain_gym.protocol.codebook import ViolationType
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.page import ObservedPage


def propose_nan(message: Message, limit: int) -> Proposals:
    said = spelled(message, limit)
    return replace(said, features=np.full_like(said.features, np.nan))


def propose_infinite_context(message: Message, limit: int) -> Proposals:
    return replace(spelled(message, limit), context=np.array([np.inf], np.float32))


def propose_lists(message: Message, limit: int) -> Proposals:
    said = spelled(message, limit)
    return replace(said, features=said.features.tolist())


def propose_whole_numbers(message: Message, limit: int) -> Proposals:
    said = spelled(message, limit)
    return replace(said, features=said.features.astype(np.int64))


def propose_int_entries(message: Message, limit: int) -> Proposals:
    said = spelled(message, limit)
    return replace(said, entries=(None, *range(len(said.entries) - 1)))  # type: ignore[arg-type]


def propose_one_name(message: Message, limit: int) -> Proposals:
    return replace(spelled(message, limit), feature_names="ab")  # type: ignore[arg-type]


def propose_no_entries(message: Message, limit: int) -> Proposals:
    return replace(spelled(message, limit), entries=None)  # type: ignore[arg-type]


def propose_another_commit(message: Message, limit: int) -> Proposals:
    said = spelled(message, limit)
    return replace(said, commit=lambda row: said.commit(len(said.entries) - 1 - row))


def propose_abstaining(message: Message, limit: int) -> Proposals:
    said = spelled(message, limit)
    return replace(said, commit=lambda row: said.commit(row).model_copy(update={"abstain": True}))


def propose_no_commit(message: Message, limit: int) -> Proposals:
    return replace(spelled(message, limit), commit=lambda row: None)  # type: ignore[arg-type, return-value]


def propose_raising_commit(message: Message, limit: int) -> Proposals:
    def commit(row: int) -> Any:
        raise ZeroDivisionError("no row today")

    return replace(spelled(message, limit), commit=commit)


def propose_raising(message: Message, limit: int) -> Proposals:
    raise OSError("no model here")


def propose_wider_later(message: Message, limit: int) -> Proposals:
    said = spelled(message, limit)
    if message == PROBE:
        return said
    return replace(said, context=np.zeros(3, np.float32), context_names=("words", "more", "most"))


def propose_reversed_later(message: Message, limit: int) -> Proposals:
    said = spelled(message, limit)
    return said if message == PROBE else replace(said, feature_names=said.feature_names[::-1])


def propose_raising_later(message: Message, limit: int) -> Proposals:
    if message == PROBE:
        return spelled(message, limit)
    raise OSError("no model here")


def _encoded(text: str, width: int, **changes: Any) -> Encoded:
    ids = np.ones(min(len(text), width), np.int32)
    return replace(Encoded(0, {"letters": ids}, {"letters": 2}), **changes)


def encode_well(text: str, width: int) -> Encoded:
    return _encoded(text, width)


def encode_beyond(text: str, width: int) -> Encoded:
    return _encoded(text, width, sizes={"letters": 1})


def encode_nothing_fits(text: str, width: int) -> Encoded:
    return _encoded(text, width, sizes={"letters": 0})


def encode_short(text: str, width: int) -> Encoded:
    return _encoded(text, width, planes={"letters": np.ones(1, np.int32)})


def encode_floats(text: str, width: int) -> Encoded:
    return _encoded(text, width, planes={"letters": np.ones(min(len(text), width))})


def encode_length(text: str, width: int) -> Encoded:
    said = _encoded(text, width)
    return replace(said, planes={"length": said.planes["letters"]}, sizes={"length": 2})


def encode_unsized(text: str, width: int) -> Encoded:
    return _encoded(text, width, sizes={})


def encode_behind(text: str, width: int) -> Encoded:
    return _encoded(text, width, start=len(text) + 1)


def encode_raising(text: str, width: int) -> Encoded:
    raise OSError("no table here")


def encode_other_sizes_later(text: str, width: int) -> Encoded:
    return _encoded(text, width, sizes={"letters": 2 if text == "a.b.test" else 3})


def report_none(violation_type: ViolationType, pages: Mapping[int, ObservedPage]) -> Any:
    return None


def report_raising(violation_type: ViolationType, pages: Mapping[int, ObservedPage]) -> Any:
    raise OSError("no pen here")
