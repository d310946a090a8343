"""Unlinkability: nothing that a model or its harness may see, save the message itself, tells of the entry."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from riskchain_gym.messages.audit.chance import SURPRISE, category_link, rank_link, shuffles
from riskchain_gym.messages.audit.folder import AuditedFolder, AuditedSplit, Pair
from riskchain_gym.messages.audit.result import Findings
from riskchain_gym.messages.audit.texts import addresses_of
from riskchain_gym.messages.bank import MessageBank
from riskchain_gym.messages.plain import Address
from riskchain_gym.messages.recipes import PAPER_RECIPES
from riskchain_gym.messages.stages.base import Context
from riskchain_gym.protocol.gold import Stage

FEWEST = 80
"""Sessions with an entry that a split needs for its links to be weighed: with fewer, a perfect one may be chance."""

_LONG_LABEL = 5
"""Shortest label that an id holds by chance in less than one in a million cases."""

Test = tuple[str, Callable[[], float]]
"""What is linked to what, and how surprisingly."""


@dataclass(frozen=True)
class _Case:
    """One session: what is public of it, and its entry's labels.

    Attributes:
        session_id: Its id.
        row: Place of its first row among the inputs.
        first: First label.
        second: Second label.
        wording: Length of the canonical texts without addresses.
        shown: Length of the disguised contents of its first variant without addresses.
        messages: Number of messages.
        recipe: Recipe of its first variant.
    """

    session_id: str
    row: int
    first: str
    second: str
    wording: int
    shown: int
    messages: int
    recipe: str

    @property
    def shape(self) -> tuple[Hashable, ...]:
        """What the wording may go with by design: the entry's style, which the recipe decides, and its lengths.

        Published recipes have entries of a style of their own and are only used on single messages.
        """
        return self.recipe in PAPER_RECIPES, len(self.first), len(self.second)


def check_links(folder: AuditedFolder) -> Findings:
    """No id holds a label of its entry, and nothing of an entry goes with ids, their order, row or lengths.

    Characters of ids and entries are held against each other by mutual information, numbers by rank correlation, a row
    against the one before it; each link against keyed shuffles. Lengths are taken outside the addresses, and shuffled
    among sessions alike in recipe and lengths of labels, which the shown address tells anyway.
    """
    found = Findings("ids and links")
    for pair in folder.pairs:
        found.count += 1
        for label in _long_labels(pair):
            for name, value in (("session id", pair.gold.session_id), *_message_ids(pair)):
                if label in value.casefold():
                    found.add(pair.where, f"its {name} '{value}' holds the label '{label}'")
    for split in folder.splits:
        cases = _cases(split, folder.bank)
        if len(cases) < FEWEST:
            continue
        for what, link in _tests(split.name, cases):
            found.count += 1
            if abs(surprise := link()) >= SURPRISE:
                found.add(split.name, f"{what} go together ({surprise:.0f} standard deviations from chance)")
    return found


def _long_labels(pair: Pair) -> Iterator[str]:
    for address in (pair.gold.entry or "", *pair.gold.decoys):
        yield from (label for label in address.split(".")[:-1] if len(label) >= _LONG_LABEL)


def _message_ids(pair: Pair) -> Iterator[tuple[str, str]]:
    yield from (("message id", message.message_id) for message in pair.input.messages)


def _cases(split: AuditedSplit, bank: MessageBank) -> list[_Case]:
    cases: dict[str, _Case] = {}
    for row, pair in enumerate(split.pairs):
        session_id, entry = pair.gold.session_id, pair.gold.entry
        if session_id in cases or entry is None or entry.count(".") != 2:
            continue
        first, second, _ = entry.split(".")
        wording, shown = _lengths(pair, bank)
        cases[session_id] = _Case(
            session_id, row, first, second, wording, shown, len(pair.input.messages), pair.gold.recipe
        )
    return list(cases.values())


def _lengths(pair: Pair, bank: MessageBank) -> tuple[int, int]:
    """Return the length of the canonical and of the disguised texts outside the addresses."""
    wording = shown = 0
    places = list(addresses_of(pair.gold))
    for message, plain in zip(pair.input.messages, pair.gold.messages, strict=False):
        addresses = tuple(address for message_id, address in places if message_id == plain.message_id)
        context = Context(addresses, bank.lexicon, bank.profiles[pair.input.platform])
        stages: tuple[Stage, ...] = pair.gold.trace.stages.get(plain.message_id, ())
        for stage in stages:
            context = context.after(stage.edits)
        wording += len(plain.text) - _total(addresses)
        shown += len(message.content) - _total(context.addresses)
    return wording, shown


def _total(addresses: Sequence[Address]) -> int:
    return sum(address.end - address.start for address in addresses)


def _tests(split: str, cases: Sequence[_Case]) -> Iterator[Test]:
    free = shuffles(len(cases), split, "ids")
    rows = shuffles(len(cases) - 1, split, "rows")
    ids = _columns([case.session_id for case in cases])
    letters = {
        **{f"character {n} of the first label": c for n, c in _columns([case.first for case in cases]).items()},
        "the last character of the first label": [case.first[-1:] for case in cases],
        **{f"character {n} of the second label": c for n, c in _columns([case.second for case in cases]).items()},
    }
    for what, column in letters.items():
        for number, characters in ids.items():
            yield f"character {number} of the id and {what}", partial(category_link, characters, column, free)
        yield f"{what} and that of the row before", partial(category_link, column[1:], column[:-1], rows)
    numbers = _numbers(cases)
    public = {
        "the order of ids": _order([case.session_id for case in cases]),
        "the number of digits in the id": [sum(c.isdigit() for c in case.session_id) for case in cases],
        "the row": [case.row for case in cases],
    }
    for name, places in public.items():
        for what, values in numbers.items():
            yield f"{name} and {what}", partial(rank_link, places, values, free)
    alike = shuffles(len(cases), split, "wording", strata=[case.shape for case in cases])
    same = shuffles(len(cases), split, "shown", strata=[(case.recipe, *case.shape) for case in cases])
    for what, values in numbers.items():
        yield f"the length of the wording and {what}", partial(rank_link, [c.wording for c in cases], values, alike)
        yield f"the number of messages and {what}", partial(rank_link, [c.messages for c in cases], values, alike)
        yield f"the length of the content and {what}", partial(rank_link, [c.shown for c in cases], values, same)


def _columns(texts: Sequence[str]) -> dict[int, list[str]]:
    """Return the characters at each place, from 1, that all texts have."""
    return {place + 1: [text[place] for text in texts] for place in range(min(map(len, texts)))}


def _order(texts: Sequence[str]) -> list[int]:
    ranks = {text: rank for rank, text in enumerate(sorted(texts))}
    return [ranks[text] for text in texts]


def _numbers(cases: Sequence[_Case]) -> dict[str, list[int]]:
    """Return what of the entries can be put in order."""
    return {
        "the order of first labels": _order([case.first for case in cases]),
        "the order of the ends of first labels": _order([case.first[-3:] for case in cases]),
        "the order of second labels": _order([case.second for case in cases]),
        "the length of the first label": [len(case.first) for case in cases],
        "the length of the second label": [len(case.second) for case in cases],
        "the number of digits in the entry": [sum(c.isdigit() for c in case.first + case.second) for case in cases],
    }
