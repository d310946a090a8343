"""Forms, fields and buttons as nodes, with the values of a form that was sent back."""

from __future__ import annotations

from riskchain_gym.sites.blocks import FieldSpec, FormBlock
from riskchain_gym.sites.builder import Builder, group, line
from riskchain_gym.sites.compiled import path_of
from riskchain_gym.sites.pageview import Control, Node, Role

_ROLES: dict[str, Role] = {"checkbox": "checkbox", "select": "combobox", "range": "slider"}
_KINDS = {"checkbox": "checkbox", "select": "select", "range": "range", "textarea": "textarea"}

RANGE_LIMITS = (0, 100)
"""Least and greatest value of every slider."""


def draw_form(builder: Builder, block: FormBlock, place: str) -> Node:
    """Return a form: title, error of the last try, fields, submit button."""
    action = path_of(block.do)
    rejection = builder.state.rejection
    rejected = rejection if rejection is not None and rejection.action == action else None
    title, submit = builder.text(block.title), builder.text(block.submit)
    children = [line("form-title", title)] if title else []
    if rejected is not None:
        children.append(line("error", rejected.error))
    for i, field in enumerate(block.fields):
        typed = None if rejected is None or field.type == "password" else rejected.values.get(field.name, "")
        children.append(_field(builder, field, typed, builder.key(place, "field", i)))
    children.append(builder.button("submit", submit, action, builder.key(place, "submit")))
    return builder.form("form", title or submit, action, builder.key(place), children)


def _in_range(value: str) -> int:
    """Return where a slider stands for a value, which may be anything that a form can send."""
    digits = value.lstrip("0") or "0" if value.isdecimal() else "0"
    if len(digits) > len(str(RANGE_LIMITS[1])):
        return RANGE_LIMITS[1]
    return min(max(int(digits), RANGE_LIMITS[0]), RANGE_LIMITS[1])


def _field(builder: Builder, field: FieldSpec, typed: str | None, key: str) -> Node:
    label = builder.text(field.label)
    builder.fields[key] = field
    options = tuple(builder.text(option) for option in field.options)
    value = builder.text(field.value) if typed is None else typed
    checked = field.type == "checkbox" and value not in ("", "false")
    if field.type == "select" and value not in options:
        value = options[0] if options else ""
    elif field.type == "range":
        value = str(_in_range(value))
    control = Control(
        role=_ROLES.get(field.type, "textbox"),
        name=label,
        type="" if field.type in ("select", "textarea") else field.type,
        field=field.name,
        value="" if field.type == "checkbox" else value,
        placeholder=builder.text(field.placeholder),
        options=options,
        checked=checked,
    )
    box = Node(kind=_KINDS.get(field.type, "input"), key=key, control=control)
    text = line("field-label", label, target=key)
    return group("field", [box, text] if field.type == "checkbox" else [text, box], type=field.type)
