"""Certification: a proof, by walking the site, that what decides its label can be seen within the budget.

What is proved is about the marked lines, those of the gold's atoms. That an unmarked line bears on no label is its
author's word, for a walk cannot read; lint holds authors to it as far as wordings can be compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from riskchain_gym.protocol.codebook import Component, ViolationType
from riskchain_gym.protocol.errors import RiskChainError
from riskchain_gym.protocol.gold import EvidenceAtom, PathStep, SiteGold
from riskchain_gym.sites.atoms import label_problem
from riskchain_gym.sites.blocks import AtomSpec
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.focus import MAX_ACTIONS, places
from riskchain_gym.sites.moves import Act
from riskchain_gym.sites.pageview import PageView
from riskchain_gym.sites.search import Search, SearchLimitError
from riskchain_gym.sites.spec import LabelSpec
from riskchain_gym.sites.walk import MissingControlError, Walk


class CertificateError(RiskChainError, ValueError):
    """A site that cannot be certified; the message says which atom or rule is in the way."""


def find_path(site: CompiledSite, atoms: Sequence[EvidenceAtom]) -> tuple[PathStep, ...]:
    """Return actions after which every atom has been seen, the nearest first; see :func:`find_way`."""
    return find_way(site, atoms)[0]


def find_way(site: CompiledSite, atoms: Sequence[EvidenceAtom]) -> tuple[tuple[PathStep, ...], tuple[PageView, ...]]:
    """Return actions after which every atom has been seen, and the pages that taking them has shown.

    Only what can matter is searched at first. Should that find nothing, or a way that does not hold when it is taken,
    everything is.

    Args:
        site: The site.
        atoms: The atoms to see.

    Raises:
        CertificateError: An atom cannot be seen, or not all of them within :data:`MAX_ACTIONS` actions, or there are
            too many states to tell.
    """
    acts, missed = _searched(Search(site, atoms))
    way = None if missed is not None else _taken(site, acts, atoms)
    if way is None:
        acts, missed = _searched(Search(site, atoms, everything=True))
        if missed is not None:
            raise CertificateError(
                f"The {missed.component} atom '{missed.text}' on {missed.path} cannot be seen: no way through the site "
                f"of up to {MAX_ACTIONS} actions shows it; check the conditions, checks and detours before it."
            )
        way = _taken(site, acts, atoms)
    if way is None:
        raise CertificateError("The way that was found does not show every atom when it is taken; report this.")
    if len(acts) > MAX_ACTIONS:
        raise CertificateError(
            f"Seeing all {len(atoms)} atoms takes {len(acts)} actions and the budget is {MAX_ACTIONS}; shorten the way."
        )
    return way


def _searched(search: Search) -> tuple[tuple[Act, ...], EvidenceAtom | None]:
    try:
        return search.way()
    except SearchLimitError as error:
        raise CertificateError(str(error)) from None


def _taken(
    site: CompiledSite, acts: Sequence[Act], atoms: Sequence[EvidenceAtom]
) -> tuple[tuple[PathStep, ...], tuple[PageView, ...]] | None:
    """Return the steps and pages of a walk, or ``None`` when it cannot be taken or shows too little."""
    walk = Walk(site)
    steps, pages = [], [walk.page]
    for act in acts:
        try:
            step = walk.step(act)
            if walk.take(step):
                pages.append(walk.page)
        except MissingControlError:
            return None
        steps.append(step)
    return None if _never_seen(atoms, pages) else (tuple(steps), tuple(pages))


def _never_seen(atoms: Sequence[EvidenceAtom], pages: Sequence[PageView]) -> list[EvidenceAtom]:
    return [atom for atom in atoms if not any(shows(page, atom) for page in pages)]


def shows(page: PageView, atom: EvidenceAtom) -> bool:
    """Return whether a page shows an atom."""
    return page.path.partition("?")[0] == atom.path and page.shows(atom.text, atom.picture)


def replay(site: CompiledSite, path: Sequence[PathStep]) -> Iterator[PageView]:
    """Walk a path and yield the landing page and the page after each action that may have changed it.

    Raises:
        CertificateError: A step names a control that the page does not show.
    """
    walk = Walk(site)
    yield walk.page
    for step in path:
        try:
            if walk.take(step):
                yield walk.page
        except MissingControlError as error:
            raise CertificateError(str(error)) from None


def prove(site: CompiledSite, gold: SiteGold) -> tuple[PageView, ...]:
    """Prove the label of a site by its atoms and by taking its path, and return the pages that the path shows.

    Raises:
        CertificateError: See :func:`judge`, or a step of the path cannot be taken.
    """
    pages = tuple(replay(site, gold.path))
    judge(site, gold, pages)
    return pages


def judge(site: CompiledSite, gold: SiteGold, pages: Sequence[PageView]) -> None:
    """Judge whether a site's atoms and the pages that its path shows prove its label.

    The rule must give the label, so a benign or undecidable site has no marked pair, a claim and an action of one type;
    a limitation must be shown whenever its page is, and nothing but its gate may send visitors away from there; the
    path must show every deciding atom within the budget.

    Args:
        site: The site.
        gold: Its label, atoms and path.
        pages: What taking the path has shown.

    Raises:
        CertificateError: One of these does not hold; the text names the rule or the atom.
    """
    label = LabelSpec(decision=gold.decision, type=gold.violation_type, secondary=gold.secondary_types)
    if stray := [atom for atom in gold.atoms if atom.path not in site.pages]:
        raise CertificateError(
            f"The {stray[0].component} atom '{stray[0].text}' is on {stray[0].path}, which is no page."
        )
    problem = label_problem(label, [_mark(atom) for atom in gold.atoms]) or limitation_problem(site, gold)
    if problem is not None:
        raise CertificateError(f"The label does not follow from the atoms: {problem}.")
    if len(gold.path) > MAX_ACTIONS:
        raise CertificateError(f"The path takes {len(gold.path)} actions and the budget is {MAX_ACTIONS}; shorten it.")
    if left := _never_seen(gold.deciding_atoms(), pages):
        raise CertificateError(f"The path does not show the {left[0].component} atom '{left[0].text}'.")
    _limitations_stay(site, gold.atoms, pages)


def _mark(atom: EvidenceAtom) -> AtomSpec:
    kind = None if atom.violation_type is ViolationType.NONE else atom.violation_type
    return AtomSpec(component=atom.component, type=kind, anchor=atom.anchor)


def limitation_problem(site: CompiledSite, gold: SiteGold) -> str | None:
    """Return what could take a limitation away on a site, or ``None``: it must be shown whenever its page is.

    Folds and tabs may stand around it, no condition may; its page may have the detour to its gate, no other.
    """
    entries = dict(zip(gold.gate_pages, gold.gate_entries, strict=False))
    limitations = _limitations(gold.atoms)
    for spot in places(site, limitations):
        if spot.conditions:
            return f"the limitation '{spot.target}' on {spot.page} is only shown when '{spot.conditions[0]}'"
    for atom in limitations:
        detours = site.pages[atom.path].detours
        away = [detour for i, detour in enumerate(detours) if i or detour.go != entries.get(atom.path)]
        if away:
            return f"the page {atom.path} of the limitation '{atom.text}' sends visitors on when '{away[0].when}'"
    return None


def _limitations_stay(site: CompiledSite, atoms: Sequence[EvidenceAtom], pages: Sequence[PageView]) -> None:
    """Refuse a walk on which the page of a limitation, one outside folds and tabs, came without it."""
    limitations = _limitations(atoms)
    folded = {(spot.page, spot.target) for spot in places(site, limitations) if spot.panels}
    for atom in limitations:
        for page in pages:
            here = page.path.partition("?")[0] == atom.path and (atom.path, atom.text) not in folded
            if here and not shows(page, atom):
                raise CertificateError(f"The limitation '{atom.text}' is taken away on {page.path}.")


def _limitations(atoms: Sequence[EvidenceAtom]) -> list[EvidenceAtom]:
    return [atom for atom in atoms if atom.component is Component.LIMITATION]
