"""Element ids: given out in order of first appearance, never reused, stable while the same element is meant."""

from __future__ import annotations

from riskchain_gym.envs.backends.base import NAME_LIMIT, PLACEHOLDER_LIMIT, RawElement, RawPage
from riskchain_gym.envs.parsing import InvalidActionError
from riskchain_gym.envs.suggest import did_you_mean, shown
from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.failures import FailureKind
from riskchain_gym.protocol.page import ObservedElement, ObservedPage

_LISTED = 12


class Inventory:
    """Numbers the elements of an episode: e1, e2 … by path and key.

    Args:
        words: Whether names and options of elements may be told; without them nothing said here holds a word of a page.
    """

    def __init__(self, *, words: bool = True) -> None:
        self._words = words
        self._ids: dict[tuple[str, str], str] = {}
        self._where: dict[str, str] = {}
        self._current: dict[str, tuple[str, ObservedElement]] = {}
        # By identity, and the raw page is kept, so that its identity stays its own.
        self._observed: dict[int, tuple[RawPage, ObservedPage, dict[str, tuple[str, ObservedElement]]]] = {}
        self._shown: dict[tuple[str, int], tuple[RawElement, ObservedElement]] = {}

    def observe(self, raw: RawPage) -> ObservedPage:
        """Return the page with ids given to its elements; it becomes the current page.

        A backend that reports the very same object again is answered with the same page again, and so is each element.
        """
        if id(raw) not in self._observed:
            self._observed[id(raw)] = (raw, *self._number(raw))
        _, page, self._current = self._observed[id(raw)]
        return page

    def ids_by_key(self) -> dict[str, str]:
        """Return the ids of the current page by element key."""
        return {key: element_id for element_id, (key, _) in self._current.items()}

    def described(self, element: ObservedElement) -> str:
        """Return how feedback speaks of an element."""
        name = f" '{element.name}'" if self._words else ""
        return f"{element.element_id} ({element.role}{name})"

    def find(self, element_id: str) -> ObservedElement:
        """Return the element of the current page with an id.

        Raises:
            InvalidActionError: The element is unknown or on another page.
        """
        if element_id not in self._current:
            raise InvalidActionError(*self._absent(element_id))
        return self._current[element_id][1]

    def target(self, action: BrowserAction) -> tuple[str, ObservedElement]:
        """Return key and element that a targeted action means.

        Raises:
            InvalidActionError: The element is unknown or on another page, or does not take the action or option.
        """
        element_id = action.element_id or ""
        element = self.find(element_id)
        key = self._current[element_id][0]
        if action.action is not ActionKind.PRESS and not getattr(element.capabilities, action.action):
            taken = [name for name, able in element.capabilities if able]
            raise InvalidActionError(
                FailureKind.MALFORMED_ACTION,
                f"'{action.action}' does not work on {self.described(element)}: "
                f"it takes {', '.join(taken) or 'no action'}.",
            )
        if action.option is not None and action.option not in element.options:
            raise InvalidActionError(
                FailureKind.MALFORMED_ACTION,
                f"{element_id} has no option {shown(action.option)}.{self._listed_options(action.option, element)}",
            )
        return key, element

    def _listed_options(self, wanted: str, element: ObservedElement) -> str:
        if not self._words:
            return " Leave the option out to choose the first."
        options = ", ".join(repr(option) for option in element.options)
        return f"{did_you_mean(wanted, element.options)} Options: {options}."

    def _absent(self, element_id: str) -> tuple[FailureKind, str]:
        listed = list(self._current)
        here = ", ".join(listed[:_LISTED]) + (" …" if len(listed) > _LISTED else "")
        allowed = f"Elements here: {here}." if listed else "This page has no elements: go back, reload or stop."
        if element_id in self._where:
            return (
                FailureKind.STALE_TARGET,
                f"Element '{element_id}' was seen on {self._where[element_id]} and is not on this page now. {allowed}",
            )
        near = did_you_mean(element_id, listed)
        return FailureKind.MISSING_TARGET, f"There is no element {shown(element_id)}.{near} {allowed}"

    def _number(self, raw: RawPage) -> tuple[ObservedPage, dict[str, tuple[str, ObservedElement]]]:
        keyed = [(each.key, self._observed_element(raw.path, each)) for each in raw.elements]
        page = ObservedPage(
            path=raw.path,
            title=raw.title,
            status=raw.status,
            lines=raw.lines,
            elements=tuple([element for _, element in keyed]),
            pictures=raw.pictures,
            scroll_y=raw.scroll_y,
            height=raw.height,
        )
        return page, {element.element_id: (key, element) for key, element in keyed}

    def _observed_element(self, path: str, raw: RawElement) -> ObservedElement:
        element_id = self._id_of(path, raw.key)
        if (element_id, id(raw)) not in self._shown:
            self._shown[element_id, id(raw)] = (raw, _shown(element_id, raw))
        return self._shown[element_id, id(raw)][1]

    def _id_of(self, path: str, key: str) -> str:
        if (path, key) not in self._ids:
            element_id = f"e{len(self._ids) + 1}"
            self._ids[path, key] = element_id
            self._where[element_id] = path
        return self._ids[path, key]


def _shown(element_id: str, raw: RawElement) -> ObservedElement:
    return ObservedElement(
        element_id=element_id,
        role=raw.role,
        name=raw.name[:NAME_LIMIT],
        type=raw.type,
        placeholder=raw.placeholder[:PLACEHOLDER_LIMIT],
        options=raw.options,
        disabled=raw.disabled,
        checked=raw.checked,
        has_value=raw.has_value,
        capabilities=raw.capabilities,
        box=raw.box,
    )
