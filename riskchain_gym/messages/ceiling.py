"""The ceiling of a message: how sure of its entry an ideal reader can be who knows the recipe.

The posterior over entries given what is shown is ∝ P(shown | entry) · P(entry): the codes of the recipe give the
first factor by their inverses, the way entries are drawn gives the second. A code counts wherever its recipe has it: a
letter that it might have written is in doubt, whether it did or not. What else a recipe does to an address (line
breaks, emoji codes, noise) has one source only and costs nothing; which of several addresses is meant, the wording
says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import nsmallest

from riskchain_gym.messages.entries import EntryStyle, entry_prior, first_prior, rest_prior
from riskchain_gym.messages.plain import AddressKind, PlainMessage
from riskchain_gym.messages.recipes import Recipe
from riskchain_gym.messages.stages.base import Context, Inverse
from riskchain_gym.messages.trace import apply
from riskchain_gym.protocol.gold import Stage

BEAM = 256
"""How many texts are followed back from one code to the one before it.

Only recipes with two ambiguous codes reach it; their ceilings are slightly too high, for what is left out is unlikely.
"""

Prior = Callable[[str], float]

_PRIORS: Mapping[AddressKind, Callable[..., float]] = {
    AddressKind.ENTRY: entry_prior,
    AddressKind.FIRST: first_prior,
    AddressKind.REST: rest_prior,
}


def posterior(
    shown: str, codes: Sequence[Inverse], prior: Prior = entry_prior, path: Sequence[str] = ()
) -> dict[str, float]:
    """Return the probability of every source of a shown address, likeliest first.

    Args:
        shown: The address as the codes have written it.
        codes: The codes in the order they were applied.
        prior: Probability of a source before anything is seen.
        path: What the address was before each code, where that is known: it is followed however unlikely it is.

    Returns:
        Source to probability, summing to 1; empty when no source is possible.
    """
    weights = {shown: 1.0}
    for place, code in reversed(list(enumerate(codes))):
        before: dict[str, float] = {}
        for text, weight in _likeliest(weights, path[place + 1] if place + 1 < len(path) else ""):
            for source, likelihood in code.preimages(text).items():
                before[source] = before.get(source, 0.0) + weight * likelihood
        weights = _scaled(before)
    priors = {source: likely for source in weights if (likely := prior(source))}
    likeliest = max((weights[source] for source in priors), default=0.0)
    # Very long rows of marks have likelihoods below the smallest number there is: then the sources weigh the same.
    joint = {source: (weights[source] if likeliest else 1.0) * likely for source, likely in priors.items()}
    total = sum(joint.values())
    ranked = sorted(joint.items(), key=lambda item: (-item[1], item[0]))
    return {source: weight / total for source, weight in ranked if weight}


def _scaled(weights: Mapping[str, float]) -> dict[str, float]:
    """Return the weights with 1 as the largest: a long row of codes would run out of the smallest numbers there are."""
    largest = max(weights.values(), default=0.0)
    return {text: weight / largest if largest else 1.0 for text, weight in weights.items()}


def _likeliest(weights: Mapping[str, float], known: str) -> Iterable[tuple[str, float]]:
    if len(weights) <= BEAM:
        return weights.items()
    return nsmallest(BEAM, weights.items(), key=lambda item: (item[0] != known, -item[1], item[0]))


@dataclass(frozen=True)
class _Marked:
    """An inverse for a reader who knows that the code has changed what it was given."""

    inverse: Inverse

    @property
    def whole_only(self) -> bool:
        return self.inverse.whole_only

    def preimages(self, shown: str) -> Mapping[str, float]:
        return {source: weight for source, weight in self.inverse.preimages(shown).items() if source != shown}


def message_ceiling(
    message: PlainMessage,
    recipe: Recipe,
    stages: Sequence[Stage],
    context: Context,
    style: EntryStyle = EntryStyle.OPEN,
    *,
    all_marked: bool = False,
) -> float | None:
    """Return the probability of the likeliest source of the entry, or of the part of it, that a message shows.

    Args:
        message: The plain message.
        recipe: The recipe it was written with.
        stages: The stages that the recipe has written for it.
        context: The context that the first stage was given.
        style: What its addresses look like.
        all_marked: Whether messages on which an ambiguous code left no mark were turned down: the reader knows it, so
            what is shown is not what was meant. Only for messages with one address, each of whose codes left a mark.

    Returns:
        1 when the recipe has no code, or when the message shows nothing of the entry; ``None`` where it is not
        computed: for two ambiguous codes, or one that another code comes before, the sources have no bound.
    """
    if not recipe.inverses:
        return 1.0
    first = next(label for label, code in zip(recipe.labels, recipe.inverses, strict=False) if code is not None)
    if len(recipe.ambiguous) > 1 or not recipe.ambiguous <= {first}:
        return None
    written = {stage.name: stage for stage in stages}
    text = message.text
    codes: list[Inverse] = []
    before: list[list[str]] = []
    for label, code in zip(recipe.labels, recipe.inverses, strict=False):
        if code is not None:
            codes.append(_Marked(code) if all_marked and label in recipe.ambiguous else code)
            before.append([text[a.start : a.end] for a in context.addresses])
        if (stage := written.get(label)) is not None:
            text = apply(text, stage)
            context = context.after(stage.edits)
    ceiling = 1.0
    for place, (address, now) in enumerate(zip(message.addresses, context.addresses, strict=True)):
        if address.kind is not AddressKind.DECOY:
            whole = address.kind is AddressKind.ENTRY
            usable = [
                (code, row[place]) for code, row in zip(codes, before, strict=True) if whole or not code.whole_only
            ]
            prior = partial(_PRIORS[address.kind], style=style)
            path = [was for _, was in usable]
            ranked = posterior(text[now.start : now.end], [code for code, _ in usable], prior, path)
            if not ranked:
                return None
            ceiling *= next(iter(ranked.values()))
    return ceiling
