"""Evidence atoms: where they stand in a spec, which line shows them, and the label they bear out."""

from __future__ import annotations

from collections.abc import Iterator
from operator import is_not
from typing import Any

from riskchain_gym.protocol.codebook import Component, Decision, ViolationType
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.blocks import AtomSpec
from riskchain_gym.sites.spec import LabelSpec


def shown_field(owner: Frozen) -> str:
    """Return the name of the field whose text an atom of this owner marks."""
    kind = getattr(owner, "kind", "")
    if kind == "form":
        return "title" if getattr(owner, "title", "") else "submit"
    if type(owner).__name__ == "DetailRow":
        return "value"
    return next(name for name in ("label", "text") if name in type(owner).model_fields)


def atom_lines(model: Frozen, path: str = "") -> Iterator[tuple[str, AtomSpec, str]]:
    """Yield dotted path, atom and the line that shows it, in document order."""
    values = model.__dict__
    atom = values.get("atom")
    if isinstance(atom, AtomSpec):
        yield f"{path}.atom".lstrip("."), atom, values[shown_field(model)]
    for name, value in values.items():
        if value and isinstance(value, (tuple, Frozen)):
            yield from _below(value, f"{path}.{name}".lstrip("."))


def _below(value: Any, path: str) -> Iterator[tuple[str, AtomSpec, str]]:
    if isinstance(value, Frozen):
        yield from atom_lines(value, path)
    elif isinstance(value, tuple):
        for i, item in enumerate(value):
            if not isinstance(item, str):
                yield from _below(item, f"{path}.{i}")


def without_atoms(value: Any) -> Any:
    """Return a model, or a tuple of models, with every atom taken off; what holds none is shared."""
    if isinstance(value, tuple):
        items = [without_atoms(item) for item in value]
        return tuple(items) if any(map(is_not, items, value)) else value
    if not isinstance(value, Frozen):
        return value
    update: dict[str, Any] = {}
    for name, item in value.__dict__.items():
        if isinstance(item, AtomSpec):
            update[name] = None
        elif item and isinstance(item, (tuple, Frozen)) and (new := without_atoms(item)) is not item:
            update[name] = new
    return value.model_copy(update=update) if update else value


def label_problem(label: LabelSpec, atoms: list[AtomSpec]) -> str | None:
    """Return what keeps the atoms from bearing out the label by the codebook's rule, or ``None``.

    VIOLATION of type T: a claim and an action of T; NON_VIOLATION: no type has both, and something benign;
    INSUFFICIENT_EVIDENCE: no type has both, and a limitation. Only the label's own types may have both.
    """
    parts: dict[ViolationType, set[Component]] = {}
    for atom in atoms:
        if atom.type is not None:
            parts.setdefault(atom.type, set()).add(atom.component)
    whole = [kind for kind, components in parts.items() if len(components) == len((Component.CLAIM, Component.ACTION))]
    own = [label.type, *label.secondary] if label.decision is Decision.VIOLATION else []
    for kind in own:
        missing = {Component.CLAIM, Component.ACTION} - parts.get(kind, set())
        if missing:
            names = " and ".join(sorted(missing))
            return f"{label.decision} of type {kind} needs a claim atom and an action atom of it; {names} is missing"
    for kind in whole:
        if kind not in own:
            return f"both a claim and an action of {kind} are shown, which makes the site a violation of that type"
    needed = {Decision.NON_VIOLATION: Component.BENIGN, Decision.INSUFFICIENT_EVIDENCE: Component.LIMITATION}
    component = needed.get(label.decision)
    if component is not None and all(atom.component is not component for atom in atoms):
        return f"{label.decision} needs at least one {component} atom"
    return None
