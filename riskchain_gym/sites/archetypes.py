"""Archetypes by name: list them, load them, check them."""

from __future__ import annotations

from collections.abc import Iterable

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.sites.library import Library, library
from riskchain_gym.sites.lint import blamed, lint_spec
from riskchain_gym.sites.lint_family import WRITTEN_LANGUAGES, lint_family
from riskchain_gym.sites.lint_wordings import lint_wordings
from riskchain_gym.sites.spec import ArchetypeSpec, Lang


def archetype_names(content: Library | None = None) -> tuple[str, ...]:
    """Return the names of all archetypes, sorted."""
    return (content or library()).archetype_names()


def load_archetype(name: str, content: Library | None = None, lang: Lang = "zh-CN") -> ArchetypeSpec:
    """Return an archetype in a language, its family merged in.

    Raises:
        UnknownNameError: There is no archetype of that name; near matches are listed.
        InputFileError: The first thing that is wrong with its files, by file and dotted field.
    """
    content = content or library()
    spec = content.archetype(name, lang)
    written: Lang = "en" if lang == "en" else "zh-CN"  # the other languages are made from this one's text
    if (name, written) not in content.sound:
        checked = content.archetype(name, written)
        problems = lint_spec(checked, content)
        if problems:
            raise blamed(content, checked, problems[0])
        content.sound.add((name, written))
    return spec


def lint_archetype(name: str, content: Library | None = None, lang: Lang = "zh-CN") -> list[InputFileError]:
    """Return everything that is wrong with an archetype's files in a language, each with file and field.

    Raises:
        UnknownNameError: There is no archetype of that name.
    """
    content = content or library()
    try:
        spec = content.archetype(name, lang)
        return [blamed(content, spec, problem) for problem in lint_spec(spec, content)]
    except InputFileError as error:
        return _lines(content, name, lang) or [error]


def lint_content(content: Library | None = None, names: Iterable[str] | None = None) -> list[InputFileError]:
    """Return everything that is wrong with archetypes in the languages they are written in, and with their families.

    Their wordings are compared with those of every archetype, gate and filler page of the folder.

    Args:
        content: The content folder; the project's own by default.
        names: The archetypes; all by default.

    Raises:
        UnknownNameError: There is no archetype of one of the names.
    """
    content = content or library()
    chosen = content.archetype_names() if names is None else tuple(dict.fromkeys(names))
    problems: list[InputFileError] = []
    for name in chosen:
        for lang in WRITTEN_LANGUAGES:
            if lang == "zh-CN" or content.archetype_file(name, lang).is_file():
                problems += lint_archetype(name, content, lang)
    for family in content.families():
        if not set(chosen).isdisjoint(content.members(family)):
            problems += lint_family(family, content)
    for lang in WRITTEN_LANGUAGES:
        problems += lint_wordings(chosen, lang, content)
    return list({str(problem): problem for problem in problems}.values())


def _lines(content: Library, name: str, lang: Lang) -> list[InputFileError]:
    try:
        return content.line_problems(name, lang)
    except InputFileError:
        return []
