"""The content folder ``sites/`` as values: archetypes, banks, gates and filler pages."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TypeVar

from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.errors import InputFileError, UnknownNameError
from riskchain_gym.sites.fragment import FillerSpec, GateSpec
from riskchain_gym.sites.lint_fragment import lint_fragment
from riskchain_gym.sites.spec import ArchetypeSpec
from riskchain_gym.sites.yamlfile import deep_merge, parse, read_yaml

F = TypeVar("F", GateSpec, FillerSpec)


class Library:
    """One content folder, read when asked and kept.

    Args:
        root: The folder that holds ``archetypes/``, ``families/``, ``banks/``, ``gates/`` and ``fillers/``.

    Attributes:
        sound: Names of the archetypes that were checked and have no problem.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.sound: set[str] = set()
        self._archetypes: dict[str, ArchetypeSpec] = {}
        self._banks: dict[str, tuple[str, ...]] | None = None
        self._gates: tuple[tuple[Path, GateSpec], ...] | None = None
        self._fillers: tuple[tuple[Path, FillerSpec], ...] | None = None
        self._sound_fragments: set[tuple[str, str]] = set()

    def archetype_names(self) -> tuple[str, ...]:
        """Return the names of all archetypes, sorted."""
        return tuple(sorted(p.parent.name for p in (self.root / "archetypes").glob("*/site.yaml")))

    def archetype_file(self, name: str) -> Path:
        """Return the file of an archetype.

        Raises:
            UnknownNameError: There is none of that name; near matches are listed.
        """
        names = self.archetype_names()
        if name not in names:
            near = get_close_matches(name, names, n=3)
            hint = f"did you mean {', '.join(near)}?" if near else f"known are {', '.join(names) or 'none'}."
            raise UnknownNameError(f"There is no archetype '{name}' below {self.root / 'archetypes'}: {hint}")
        return self.root / "archetypes" / name / "site.yaml"

    def archetype(self, name: str) -> ArchetypeSpec:
        """Return an archetype, its family merged in.

        Raises:
            UnknownNameError: There is none of that name.
            InputFileError: A file or a field is wrong.
        """
        if name not in self._archetypes:
            self._archetypes[name] = self._load(self.archetype_file(name))
        return self._archetypes[name]

    def family_file(self, family: str) -> Path:
        """Return the file of a family, whether it exists or not."""
        return self.root / "families" / f"{family}.yaml"

    def _load(self, file: Path) -> ArchetypeSpec:
        own = read_yaml(file)
        family = own.pop("extends", None)
        if not isinstance(family, str):
            raise InputFileError(file, "extends", "name the family this archetype extends, e.g. 'extends: tasks'")
        family_file = self.family_file(family)
        if not family_file.is_file():
            raise InputFileError(file, "extends", f"there is no family '{family}' ({family_file} is missing)")
        base = read_yaml(family_file)
        base.setdefault("family", family)
        if own.setdefault("name", file.parent.name) != file.parent.name:
            raise InputFileError(file, "name", f"must be the folder's name '{file.parent.name}', not '{own['name']}'")
        return parse(ArchetypeSpec, deep_merge(base, own), file, {file: own, family_file: base})

    def banks(self) -> dict[str, tuple[str, ...]]:
        """Return every phrase bank of every bank file.

        Raises:
            InputFileError: A bank is not a non-empty list of texts, or two files hold the same name.
        """
        if self._banks is None:
            self._banks = {}
            for file in sorted((self.root / "banks").glob("*.yaml")):
                for name, entries in read_yaml(file).items():
                    if name in self._banks:
                        raise InputFileError(file, name, "another bank file has a bank of this name; rename one")
                    if not isinstance(entries, list) or not entries or not all(isinstance(e, str) for e in entries):
                        raise InputFileError(file, name, "a bank must be a non-empty list of texts")
                    self._banks[name] = tuple(entries)
        return self._banks

    def gates(self, lang: str) -> dict[str, GateSpec]:
        """Return the gates written in a language, by kind.

        Raises:
            InputFileError: A gate file is wrong.
        """
        if self._gates is None:
            self._gates = tuple(self._fragments("gates", GateSpec))
        return {gate.kind: gate for gate in self._checked("gates", self._gates, lang)}

    def gate_kinds(self) -> tuple[str, ...]:
        """Return every gate kind of any language, sorted."""
        self.gates("")
        return tuple(sorted({gate.kind for _, gate in self._gates or ()}))

    def fillers(self, lang: str) -> dict[str, FillerSpec]:
        """Return the filler pages written in a language, by name.

        Raises:
            InputFileError: A filler file is wrong.
        """
        if self._fillers is None:
            self._fillers = tuple(self._fragments("fillers", FillerSpec))
        return {filler.name: filler for filler in self._checked("fillers", self._fillers, lang)}

    def themes(self) -> tuple[str, ...]:
        """Return the names of the visible themes, sorted.

        Raises:
            InputFileError: There is none.
        """
        names = tuple(sorted(file.stem for file in (self.root / "themes").glob("*.css")))
        if not names:
            raise InputFileError(self.root / "themes", "", "there is no theme; add a CSS file")
        return names

    def _fragments(self, folder: str, model: type[F]) -> Iterator[tuple[Path, F]]:
        for file in sorted((self.root / folder).rglob("*.yaml")):
            yield file, parse(model, read_yaml(file), file)

    def _checked(self, folder: str, fragments: tuple[tuple[Path, F], ...], lang: str) -> list[F]:
        own = [(file, fragment) for file, fragment in fragments if fragment.lang == lang]
        if (folder, lang) not in self._sound_fragments:
            for file, fragment in own:
                problems = lint_fragment(fragment, file, self.banks())
                if problems:
                    raise problems[0]
            self._sound_fragments.add((folder, lang))
        return [fragment for _, fragment in own]


@cache
def library(root: Path | None = None) -> Library:
    """Return the library of a content folder; without one, of the project's own ``sites/``."""
    return Library(root or content_dir("sites"))
