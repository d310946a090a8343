"""Passages: pages that stand before the page that was asked for, as a gate does."""

from __future__ import annotations

from riskchain_gym.agents.explore.targets import Screen

FEW_CONTROLS = 3
"""Most links and buttons of its own that a page has which stands before another one."""


class Passages:
    """Knows which pages stand before which other page, and which of those were reached.

    A link of header or footer says where it leads. A page of another title stands before that one, and so does every
    page that its own controls lead to, until the one that was asked for is shown. Where all pages have one title,
    titles tell nothing, and no page counts as a passage.
    """

    def __init__(self) -> None:
        self._asked: dict[str, str] = {}
        self._titles: dict[str, str] = {}
        self._named: set[str] = set()

    def note(self, screen: Screen, name: str, origin: str, *, is_section: bool, own_controls: int) -> None:
        """Take in a page that a control led to.

        Args:
            screen: The page.
            name: Name of the control.
            origin: Page that the control stands on.
            is_section: Whether it is a link of header or footer.
            own_controls: How many links and buttons the page has besides header, footer and forms.
        """
        known = screen.path in self._titles
        self.see(screen)
        first, title = next(iter(self._titles.items()))
        asked = name if is_section else self._asked.get(origin)
        if not asked or len(asked) < 2 or screen.path == first or screen.title == title:
            return
        if screen.title.startswith(asked) or screen.heading in name:
            self._named.add(screen.path)
        elif own_controls <= FEW_CONTROLS and screen.path not in self._named and (is_section or not known):
            self._asked[screen.path] = asked

    def see(self, screen: Screen) -> None:
        """Take in a page that no control led to."""
        self._titles.setdefault(screen.path, screen.title)

    def holds(self, path: str) -> bool:
        """Return whether a page stands before another one, reached by now or not."""
        return path in self._asked

    def beyond(self, path: str) -> str | None:
        """Return the page that a page stands before, or ``None`` if it stands before none or that was not shown yet."""
        asked = self._asked.get(path)
        return next((p for p, title in self._titles.items() if title.startswith(asked)), None) if asked else None

    def is_closed(self, path: str) -> bool:
        """Return whether a page stands before one that was not shown yet."""
        return self.holds(path) and self.beyond(path) is None
