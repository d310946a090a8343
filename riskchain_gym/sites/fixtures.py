"""What the environment types: the field's own fixture, else the generic value of its type (protocol C.3)."""

from __future__ import annotations

from riskchain_gym.sites.blocks import FieldSpec
from riskchain_gym.sites.expressions import RUN, render
from riskchain_gym.sites.state import SiteState
from riskchain_gym.sites.view_form import RANGE_LIMITS

GENERIC_VALUES: dict[str, str] = {
    "email": "mirror@example.test",
    "number": "4242",
    "tel": "12000004242",
    "textarea": "mirror-value, a fixed short sentence.",
    "checkbox": "on",
    "range": str(RANGE_LIMITS[1]),
}
"""Generic values by field type; the telephone number has the eleven digits of a mobile number, so that common checks
accept it, and begins as none does."""

OTHER_VALUE = "mirror-value"
"""Generic value of every other type."""


def fixture_value(field: FieldSpec, state: SiteState) -> str:
    """Return what is typed into a field in a state (for a select: the option to choose)."""
    if field.fixture:
        return render(RUN, field.fixture, state.context())
    if field.type == "select":
        return next((option for option in field.options if option), "")
    return GENERIC_VALUES.get(field.type, OTHER_VALUE)
