"""Archetypes by name: list them, load them, check them."""

from __future__ import annotations

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.sites.library import Library, library
from riskchain_gym.sites.lint import blamed, lint_spec
from riskchain_gym.sites.spec import ArchetypeSpec


def archetype_names(content: Library | None = None) -> tuple[str, ...]:
    """Return the names of all archetypes, sorted."""
    return (content or library()).archetype_names()


def load_archetype(name: str, content: Library | None = None) -> ArchetypeSpec:
    """Return an archetype, its family merged in.

    Raises:
        UnknownNameError: There is no archetype of that name; near matches are listed.
        InputFileError: The first thing that is wrong with its files, by file and dotted field.
    """
    content = content or library()
    spec = content.archetype(name)
    if name not in content.sound:
        problems = lint_spec(spec, content)
        if problems:
            raise blamed(content, spec, problems[0])
        content.sound.add(name)
    return spec


def lint_archetype(name: str, content: Library | None = None) -> list[InputFileError]:
    """Return everything that is wrong with an archetype's files, each with file and field.

    Raises:
        UnknownNameError: There is no archetype of that name.
    """
    content = content or library()
    try:
        spec = content.archetype(name)
        return [blamed(content, spec, problem) for problem in lint_spec(spec, content)]
    except InputFileError as error:
        return [error]
