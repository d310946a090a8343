"""Controls by what they are to a person, and the forms they make up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from riskchain_gym.agents.view import Sighting
from riskchain_gym.protocol.page import ObservedElement


class Key(NamedTuple):
    """What makes a control the same again on a page: role, name and which of those it is."""

    role: str
    name: str
    nth: int


class Target(NamedTuple):
    """A control of the current page."""

    key: Key
    element: ObservedElement


FormId = tuple[str, ...]


@dataclass(frozen=True)
class FormGroup:
    """Fields that are sent together.

    Attributes:
        form: The form element, or ``None`` where the fields stand alone.
        fields: Text fields, boxes, choices and sliders in document order; at least one.
        button: The button behind the last field, or ``None``.
    """

    form: Target | None
    fields: tuple[Target, ...]
    button: Target | None

    @cached_property
    def form_id(self) -> FormId:
        """What makes it the same form again, on whatever page and in whatever state."""
        last = self.button or self.form
        return (*(f"{f.key.role}:{f.key.name}:{f.key.nth}" for f in self.fields), last.key.name if last else "")

    @property
    def is_filter(self) -> bool:
        """Whether it only chooses among options, all of them chosen already: a list to be shown another way."""
        return all(f.element.role == "combobox" and f.element.has_value for f in self.fields)

    @property
    def submitter(self) -> Target | None:
        """What to act on to send the form."""
        if self.form is not None and self.form.element.capabilities.submit:
            return self.form
        return self.button


def is_field(element: ObservedElement) -> bool:
    """Return whether an element is filled in rather than followed."""
    can = element.capabilities
    return can.fill or can.check or can.select


def is_empty(element: ObservedElement) -> bool:
    """Return whether a field still waits for a value."""
    return not (element.checked if element.capabilities.check else element.has_value)


class Screen:
    """One page as it was shown, with its controls and forms.

    Args:
        page: The page.
    """

    def __init__(self, page: Sighting) -> None:
        self.page = page
        self.step = page.step
        self.path = page.path
        self.title = page.title
        self.lines = page.lines

    @cached_property
    def targets(self) -> tuple[Target, ...]:
        """The controls with their keys, in document order."""
        count: Counter[tuple[str, str]] = Counter()
        targets = []
        for element in self.page.elements:
            named = (element.role, element.name)
            targets.append(Target(Key(*named, count[named]), element))
            count[named] += 1
        return tuple(targets)

    @cached_property
    def links(self) -> tuple[Target, ...]:
        """The links that can be followed, in document order."""
        return tuple(t for t in self.targets if t.key.role == "link" and not t.element.disabled)

    @cached_property
    def loose(self) -> tuple[Target, ...]:
        """The links and buttons that belong to no form with fields, in document order."""
        inside = {form.button.key for form in self.forms if form.button}
        return tuple(t for t in self.targets if t.key.role in ("link", "button") and t.key not in inside)

    @property
    def heading(self) -> str:
        """The title without what stands behind its dash, which is the name of the site."""
        return self.title.partition(" - ")[0]

    @cached_property
    def keys(self) -> frozenset[Key]:
        """The keys of all controls."""
        return frozenset(target.key for target in self.targets)

    @cached_property
    def line_set(self) -> frozenset[str]:
        """The lines, to look one up in."""
        return frozenset(self.lines)

    @cached_property
    def forms_by_id(self) -> dict[FormId, FormGroup]:
        """The forms, to look one up in."""
        return {form.form_id: form for form in self.forms}

    @cached_property
    def forms(self) -> tuple[FormGroup, ...]:
        """The fields, grouped into forms by document order.

        A form element opens a group, as does a field outside one; the next button closes it, and so does a link where
        there is no form element. A form without fields is no group: its button is a button like any other.
        """
        groups: list[FormGroup] = []
        form: Target | None = None
        fields: list[Target] = []

        def close(button: Target | None) -> None:
            nonlocal form
            if fields:
                groups.append(FormGroup(form, tuple(fields), button))
            form = None
            fields.clear()

        for target in self.targets:
            element = target.element
            if element.role == "form":
                close(None)
                form = target
            elif is_field(element):
                fields.append(target)
            elif element.role == "button":
                close(target)
            elif form is None:
                close(None)
        close(None)
        return tuple(groups)

    @cached_property
    def state(self) -> tuple[object, ...]:
        """All that an action may change: address, text, and what the controls are and hold."""
        shown = [(e.role, e.name, e.disabled, e.checked, e.has_value) for e in self.page.elements]
        return self.path, self.lines, tuple(shown)
