"""What the learned restorer is trained on: sessions of ``train``, and what each of their characters stands for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from riskchain_gym.agents.restore.learned_text import (
    ALPHABET,
    BUCKETS,
    HAN,
    SPECIALS,
    SUFFIX,
    Row,
    row_of,
    session_text,
)
from riskchain_gym.agents.restore.learned_text import window as window_of
from riskchain_gym.fitting.restorer_labels import NOTHING, UNKNOWN, carried
from riskchain_gym.messages.bank import load_bank
from riskchain_gym.messages.drafts import draft_unit
from riskchain_gym.messages.menu import Choice, Menu, menu_of
from riskchain_gym.messages.plan import Draft, MessagePlan
from riskchain_gym.messages.plans import get_plan
from riskchain_gym.messages.session import Session, write_session
from riskchain_gym.messages.skeletons import Form
from riskchain_gym.messages.splits import write_unit
from riskchain_gym.messages.techniques.base import Phase
from riskchain_gym.messages.trace import alignment
from riskchain_gym.protocol.errors import ConfigError

SPLIT = "train"
_PARTS = {"single": 11, "chained": 5, "no_entry": 2, "english": 4, "english_chained": 2}
"""Sizes of the strata: more of what is rare in ``train``."""

_AS_IN_TRAIN = 0.35
_MORE = (0.5, 0.15)
"""Chances of a second technique, and of a third."""

_HARD = 4
_EASY = frozenset({"greek_letters", "keycap_zero", "full_width", "mathematical_letters", "zero_width", "port_noise"})
_DECODED = frozenset({"percent_encoding", "text_escapes", "base_n"})
_WORDED = 0.3
_CUT, _JOINED, _STRANGE = 0.7, 0.12, 0.5
_LEAST_LEFT = 16
_MOST_STRANGE = 0.2
_KEPT_PIECES = 256


@dataclass(frozen=True)
class Example:
    """A session to learn from.

    Attributes:
        row: What the model reads.
        spelled: The entry without its suffix, as indices in the alphabet; empty where there is none.
        labels: What each character carries.
        ordinals: Its place in the entry; ``UNKNOWN`` where it carries no character of it.
        pointers: For each character of the entry the one that carries it, or ``UNKNOWN``.
    """

    row: Row
    spelled: tuple[int, ...]
    labels: list[int]
    ordinals: list[int]
    pointers: list[int]


def train_plan() -> MessagePlan:
    """Return the plan of ``train`` with more of its rare strata."""
    plan = get_plan(SPLIT)
    return replace(plan, strata=tuple(replace(stratum, parts=_PARTS[stratum.name]) for stratum in plan.strata))


def train_session(plan: MessagePlan, key: bytes, number: int, rng: Generator) -> Session:
    """Return a session of ``train``, under a recipe of its mix or with a technique of the entry in the foreground.

    Args:
        plan: :func:`train_plan`.
        key: Key of the whole set.
        number: Position in the split.
        rng: Where recipes are drawn from.
    """
    (draft,) = draft_unit(plan, key, number)
    if not draft.recipes and rng.random() >= _AS_IN_TRAIN:
        try:
            return write_session(
                draft.plain, key, *draft.label, recipes=(_recipe(draft, rng),), bank=load_bank(pool=plan.pool)
            )
        except ConfigError:
            pass  # Two of the techniques do not go together.
    return write_unit(plan, key, (draft,))[0]


def _recipe(draft: Draft, rng: Generator) -> str:
    skeleton = draft.plain.skeleton
    menu = menu_of(
        Choice.SEEN,
        languages=frozenset({skeleton.language}),
        has_address=skeleton.form is not Form.NO_ENTRY,
        is_whole=skeleton.form is not Form.SPLIT,
    )
    names = sorted(menu.names)
    weights = np.array([_weight(menu, name) for name in names])
    chosen = [str(rng.choice(names, p=weights / weights.sum()))]
    fitting = menu.names
    for chance in _MORE:
        fitting &= menu.partners[chosen[-1]]
        if not fitting or rng.random() >= chance:
            break
        chosen.append(str(rng.choice(sorted(fitting))))
    return "+".join(f"{name}@{rng.integers(1, 4)}" for name in chosen)


def _weight(menu: Menu, name: str) -> float:
    if menu.places[name][0] is not Phase.ENTRY:
        return _WORDED
    return 1.0 if name in _EASY or name in _DECODED else float(_HARD)


def example_of(session: Session, vocabulary: Mapping[str, int], rng: Generator, pieces: list[str]) -> Example:
    """Return a session as an example, its wording roughened.

    Args:
        session: The session.
        vocabulary: Row of each known character.
        rng: Where what is roughened is drawn from.
        pieces: Wording of earlier sessions; a piece of this one is added.
    """
    message, gold = session.variants["v000"], session.gold
    text, roles = session_text(message)
    spelled = gold.entry.removesuffix(SUFFIX) if gold.entry else ""
    labels: list[int] = []
    owners: list[int] = []
    for part, restored in zip(message.messages, gold.messages, strict=True):
        aligned = alignment(restored.text, gold.traces["v000"].stages[part.message_id])
        own = carried(aligned, restored.text, gold)
        labels += [NOTHING, *own[0]]
        owners += [UNKNOWN, *own[1]]
    sure = len(labels) == len(text) and text.replace("\0", "") == "".join(part.content for part in message.messages)
    if not sure:
        labels, owners = [UNKNOWN] * len(text), [UNKNOWN] * len(text)
    elif gold.entry:
        text, labels, owners = _roughened(text, labels, owners, gold.form, rng, pieces)
    start, end = window_of(text)
    text, labels, owners = text[start:end], labels[start:end], owners[start:end]
    pointers = [UNKNOWN] * (len(spelled) + 1)
    for place, owner in enumerate(owners):
        if 0 <= owner < len(spelled):
            pointers[owner] = place
    row = row_of(text, roles, vocabulary)
    if rng.random() < _STRANGE:
        _make_strange(row, labels, sure, len(vocabulary), rng)
    ordinals = [owner if owner < len(spelled) else UNKNOWN for owner in owners]
    return Example(row, tuple(ALPHABET.index(c) for c in spelled), labels, ordinals, pointers)


def _roughened(
    text: str, labels: list[int], owners: list[int], form: str, rng: Generator, pieces: list[str]
) -> tuple[str, list[int], list[int]]:
    """Return a session with wording cut away or put in, far from its address."""
    marked = [place for place, label in enumerate(labels) if label != NOTHING]
    if not marked or form != Form.SINGLE or text.count("\0") != 1:
        return text, labels, owners
    first = marked[0]
    last = next((i for i in range(marked[-1] + 1, len(text)) if text[i] in "，。 ！？,!?"), len(text))
    before, after = text[1:first], text[last:]
    if len(pieces) < _KEPT_PIECES:
        pieces.extend((before, after))
    else:
        pieces[int(rng.integers(_KEPT_PIECES))] = before if rng.random() < 0.5 else after
    if rng.random() < _CUT:
        before = before[max(0, len(before) - int(rng.integers(_LEAST_LEFT))) :]
        after = after[: int(rng.integers(_LEAST_LEFT))]
    if rng.random() < _JOINED:
        before = pieces[int(rng.integers(len(pieces)))] + before
    if rng.random() < _JOINED:
        after = after + pieces[int(rng.integers(len(pieces)))]
    core = slice(first, last)
    return (
        "\0" + before + text[core] + after,
        [NOTHING] * (1 + len(before)) + labels[core] + [NOTHING] * len(after),
        [UNKNOWN] * (1 + len(before)) + owners[core] + [UNKNOWN] * len(after),
    )


def _make_strange(row: Row, labels: list[int], sure: bool, known: int, rng: Generator) -> None:
    """Put characters that the model does not know in the place of some of the wording."""
    rate = rng.random() * (_MOST_STRANGE if sure else _MOST_STRANGE / 4)
    free = (row.classes == HAN) & (np.array(labels) == (NOTHING if sure else UNKNOWN))
    chosen = free & (rng.random(len(free)) < rate)
    row.characters[chosen] = SPECIALS + known + rng.integers(0, BUCKETS, int(chosen.sum()))


def iter_examples(
    key: bytes, vocabulary: Mapping[str, int], seed: int, start: int = 0
) -> Iterator[tuple[str, Example]]:
    """Yield recipes and examples without end.

    Args:
        key: Key of the whole set.
        vocabulary: Row of each known character.
        seed: Of what is drawn beside the sessions.
        start: Position of the first session.
    """
    plan, rng = train_plan(), np.random.default_rng(seed)
    pieces: list[str] = []
    number = start
    while True:
        session = train_session(plan, key, number, rng)
        number += 1
        yield session.recipes["v000"], example_of(session, vocabulary, rng, pieces)
