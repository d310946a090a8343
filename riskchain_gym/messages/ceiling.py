"""The ceiling of a message: how sure of its entry an ideal reader can be who knows the recipe.

The posterior over entries given what is shown is ∝ P(shown | entry) · P(entry): the codes of the recipe give the
first factor by their exact inverses, the way entries are drawn gives the second. What else a recipe does to an address
(look-alike letters of the published set, line breaks, emoji codes, noise) has one source only and costs nothing; which
of several addresses is meant, the wording says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from riskchain_gym.messages.entries import entry_prior, first_prior, rest_prior
from riskchain_gym.messages.plain import Address, AddressKind, PlainMessage
from riskchain_gym.messages.recipes import Recipe
from riskchain_gym.messages.stages.base import Context
from riskchain_gym.messages.techniques.base import AddressCode, RewriteAddresses
from riskchain_gym.messages.trace import apply
from riskchain_gym.protocol.gold import Stage

Prior = Callable[[str], float]

_PRIORS: Mapping[AddressKind, Prior] = {
    AddressKind.ENTRY: entry_prior,
    AddressKind.FIRST: first_prior,
    AddressKind.REST: rest_prior,
}


def posterior(shown: str, codes: Sequence[AddressCode], prior: Prior = entry_prior) -> dict[str, float]:
    """Return the probability of every source of a shown address, likeliest first.

    Args:
        shown: The address as the codes have written it.
        codes: The codes in the order they were applied.
        prior: Probability of a source before anything is seen.

    Returns:
        Source to probability, summing to 1; empty when no source is possible.
    """
    weights = {shown: 1.0}
    for code in reversed(codes):
        before: dict[str, float] = {}
        for text, weight in weights.items():
            for source, likelihood in code.preimages(text).items():
                before[source] = before.get(source, 0.0) + weight * likelihood
        weights = before
    weights = {source: weight * prior(source) for source, weight in weights.items()}
    total = sum(weights.values())
    if not total:
        return {}
    ranked = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
    return {source: weight / total for source, weight in ranked if weight}


def message_ceiling(message: PlainMessage, recipe: Recipe, stages: Sequence[Stage], context: Context) -> float:
    """Return the probability of the likeliest source of the entry, or of the part of it, that a message shows.

    Args:
        message: The plain message.
        recipe: The recipe it was written with.
        stages: The stages that the recipe has written for it.
        context: The context that the first stage was given.

    Returns:
        1 when no code has touched the entry, or when the message shows none of it.
    """
    rules = {rule.name: rule for rule in recipe.stages}
    text = message.text
    codes: list[AddressCode] = []
    shown: list[str] = []
    for stage in stages:
        text = apply(text, stage)
        context = context.after(stage.edits)
        if isinstance(rule := rules[stage.name], RewriteAddresses):
            codes.append(rule.code)
            shown = [text[address.start : address.end] for address in context.addresses]
    return _product(message.addresses, shown, codes) if codes else 1.0


def _product(addresses: Sequence[Address], shown: Sequence[str], codes: Sequence[AddressCode]) -> float:
    ceiling = 1.0
    for address, surface in zip(addresses, shown, strict=True):
        if address.kind is AddressKind.DECOY:
            continue
        usable = [c for c in codes if address.kind is AddressKind.ENTRY or not c.whole_only]
        ranked = posterior(surface, usable, _PRIORS[address.kind]) if usable else {surface: 1.0}
        ceiling *= next(iter(ranked.values()), 0.0)
    return ceiling
