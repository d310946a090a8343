"""The content folder ``sites/`` as values: archetypes, banks, gates and filler pages."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.errors import InputFileError, UnknownNameError
from riskchain_gym.sites.fragment import FillerSpec, GateSpec
from riskchain_gym.sites.lines import LineError, line_field, line_problems, put_lines
from riskchain_gym.sites.lint_fragment import lint_fragment
from riskchain_gym.sites.spec import ArchetypeSpec, Lang
from riskchain_gym.sites.traditional import Traditional
from riskchain_gym.sites.yamlfile import deep_merge, parse, read_yaml

F = TypeVar("F", GateSpec, FillerSpec)

_OTHER_LANGUAGES = ("_zh_tw", "_en")
"""How the names of banks end that are not in Simplified Chinese."""


class Library:
    """One content folder, read when asked and kept.

    Args:
        root: The folder that holds ``archetypes/``, ``families/``, ``banks/``, ``gates/`` and ``fillers/``. A private
            one may hold less: the project's families and banks are there beside its own, and the project's gates,
            filler pages, themes and languages where it has no such folder.

    Attributes:
        sound: Names and languages of the archetypes that were checked and have no problem.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.sound: set[tuple[str, str]] = set()
        self._archetypes: dict[tuple[str, str], ArchetypeSpec] = {}
        self._banks: dict[str, tuple[str, ...]] | None = None
        self._traditional_banks: dict[str, tuple[str, ...]] | None = None
        self._gates: tuple[tuple[Path, GateSpec], ...] | None = None
        self._fillers: tuple[tuple[Path, FillerSpec], ...] | None = None
        self._sound_fragments: set[tuple[str, str]] = set()
        self._names: tuple[str, ...] | None = None
        self._themes: tuple[str, ...] | None = None
        self._files: dict[Path, Mapping[str, Any]] = {}

    def archetype_names(self) -> tuple[str, ...]:
        """Return the names of all archetypes, sorted."""
        if self._names is None:
            folders = (self.root / "archetypes").glob("*/")
            self._names = tuple(sorted(f.name for f in folders if os.path.lexists(f / "site.yaml")))
        return self._names

    def archetype_file(self, name: str, lang: str = "zh-CN") -> Path:
        """Return the file of an archetype in a language.

        Raises:
            UnknownNameError: There is none of that name; near matches are listed.
        """
        names = self.archetype_names()
        if name not in names:
            near = get_close_matches(name, names, n=3) or [known for known in names if name in known][:3]
            hint = f"did you mean {', '.join(near)}?" if near else "give the name of a folder there."
            where = f"the {len(names)} below {self.root / 'archetypes'}"
            raise UnknownNameError(f"There is no archetype '{name}' among {where}: {hint}")
        return self.root / "archetypes" / name / _in_language("site", lang)

    def languages(self, name: str) -> tuple[Lang, ...]:
        """Return the languages an archetype can be built in, sorted.

        Raises:
            UnknownNameError: There is no archetype of that name.
        """
        derived: tuple[Lang, ...] = ("zh-CN", "mixed")
        if self._traditional_file.is_file():
            derived += ("zh-TW",)
        own: tuple[Lang, ...] = ("en",) if self.archetype_file(name, "en").is_file() else ()
        return tuple(sorted(derived + own))

    def archetype(self, name: str, lang: Lang = "zh-CN") -> ArchetypeSpec:
        """Return an archetype, its family merged in and its lines put in place.

        Args:
            name: Its name.
            lang: Language; Traditional Chinese is made from the Simplified text, ``mixed`` has the same text.

        Raises:
            UnknownNameError: There is none of that name.
            InputFileError: A file or a field is wrong, or there is none in that language.
        """
        if (name, lang) not in self._archetypes:
            if lang == "mixed":
                loaded = self.archetype(name).model_copy(update={"lang": lang})
            else:
                loaded = self._load(self.archetype_file(name, lang), lang)
            self._archetypes[name, lang] = loaded
        return self._archetypes[name, lang]

    def family_file(self, family: str, lang: str = "zh-CN") -> Path:
        """Return the file of a family in a language, whether it exists or not."""
        own = self.root / "families" / _in_language(family, lang)
        shared = content_dir("sites") / "families" / own.name
        return shared if shared.is_file() and not own.is_file() else own

    def members(self, family: str) -> tuple[str, ...]:
        """Return the names of the archetypes that extend a family, sorted; those that cannot be read are left out."""
        return self._by_family.get(family, ())

    def families(self) -> tuple[str, ...]:
        """Return the names of the families that some archetype extends, sorted."""
        return tuple(sorted(self._by_family))

    @cached_property
    def _by_family(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for name in self.archetype_names():
            with suppress(InputFileError):
                family = str(self._yaml(self.archetype_file(name)).get("extends"))
                found[family] = (*found.get(family, ()), name)
        return found

    def written(self, name: str, lang: str = "zh-CN") -> Mapping[str, Any]:
        """Return what the own file of an archetype in a written language holds, its family left out.

        Raises:
            UnknownNameError: There is no archetype of that name.
            InputFileError: The file cannot be read.
        """
        return self._yaml(self.archetype_file(name, lang))

    def line_problems(self, name: str, lang: str) -> list[InputFileError]:
        """Return what is wrong with the lines that a member gives, with its file and field.

        Raises:
            UnknownNameError: There is no archetype of that name.
            InputFileError: A file cannot be read.
        """
        file = self.archetype_file(name, lang)
        own, base, _ = self._read(file, lang)
        return [InputFileError(file, error.field, str(error)) for error in line_problems(deep_merge(base, own))]

    def _yaml(self, file: Path) -> Mapping[str, Any]:
        if file not in self._files:
            self._files[file] = read_yaml(file)
        return self._files[file]

    def _read(self, file: Path, lang: str) -> tuple[dict[str, Any], dict[str, Any], Path]:
        """Return what a member's file and its family's hold, and the family's file."""
        own = dict(self._yaml(file))
        family = own.pop("extends", None)
        if not isinstance(family, str):
            raise InputFileError(file, "extends", "name the family this archetype extends, e.g. 'extends: tasks'")
        family_file = self.family_file(family, lang)
        if not family_file.is_file():
            raise InputFileError(file, "extends", f"there is no family '{family}' ({family_file} is missing)")
        base = {"family": family, **self._yaml(family_file)}
        if own.setdefault("name", file.parent.name) != file.parent.name:
            raise InputFileError(file, "name", f"must be the folder's name '{file.parent.name}', not '{own['name']}'")
        for given, where in ((own, file), (base, family_file)):
            if "lang" in given:
                raise InputFileError(where, "lang", "the language is the file's (site.yaml, site.en.yaml); remove it")
        return own, base, family_file

    def _load(self, file: Path, lang: Lang) -> ArchetypeSpec:
        own, base, family_file = self._read(file, lang)
        try:
            merged = put_lines(deep_merge(base, own))
        except LineError as error:
            raise InputFileError(file, error.field, str(error)) from None
        if lang == "zh-TW":
            merged = self._traditional.convert(merged)
        try:
            return parse(ArchetypeSpec, {**merged, "lang": lang}, file, {file: own, family_file: base})
        except InputFileError as error:
            line = line_field(base, error.field)
            raise error if line is None else InputFileError(file, line, error.problem) from None

    @property
    def _is_shared(self) -> bool:
        return self.root.absolute() == content_dir("sites").absolute()

    def _folder(self, name: str) -> Path:
        own = self.root / name
        return own if own.is_dir() else content_dir("sites") / name

    @property
    def _traditional_file(self) -> Path:
        return self._folder("languages") / "zh-TW.tsv"

    @cached_property
    def _traditional(self) -> Traditional:
        return Traditional(self._traditional_file)

    def banks(self, lang: str = "zh-CN") -> Mapping[str, tuple[str, ...]]:
        """Return every phrase bank of every bank file, for Traditional Chinese with its Simplified texts converted.

        A bank of a private folder takes the place of the project's bank of the same name.

        Raises:
            InputFileError: A bank is not a non-empty list of texts, or two files hold the same name.
        """
        if self._banks is None:
            own: dict[str, tuple[str, ...]] = {}
            for file in sorted((self.root / "banks").glob("*.yaml")):
                for name, entries in read_yaml(file).items():
                    if name in own:
                        raise InputFileError(file, name, "another bank file has a bank of this name; rename one")
                    if not isinstance(entries, list) or not entries or not all(isinstance(e, str) for e in entries):
                        raise InputFileError(file, name, "a bank must be a non-empty list of texts")
                    own[name] = tuple(entries)
            self._banks = own if self._is_shared else {**library().banks(), **own}
        if lang != "zh-TW":
            return self._banks
        if self._traditional_banks is None:
            self._traditional_banks = {
                name: entries if name.endswith(_OTHER_LANGUAGES) else tuple(map(self._traditional.text, entries))
                for name, entries in self._banks.items()
            }
        return self._traditional_banks

    def gates(self, lang: str) -> dict[str, GateSpec]:
        """Return the gates written in a language, by kind.

        Raises:
            InputFileError: A gate file is wrong.
        """
        if self._gates is None:
            self._gates = tuple(self._fragments("gates", GateSpec))
        return {gate.kind: gate for gate in self._checked("gates", self._gates, _shared_language(lang))}

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
        return {filler.name: filler for filler in self._checked("fillers", self._fillers, _shared_language(lang))}

    def pieces(self, lang: str) -> list[tuple[Path, GateSpec | FillerSpec]]:
        """Return the gates and filler pages written in a language, each with its file.

        Raises:
            InputFileError: A file is wrong.
        """
        self.gates(lang)
        self.fillers(lang)
        pieces: list[tuple[Path, GateSpec | FillerSpec]] = [*(self._gates or ()), *(self._fillers or ())]
        return [(file, piece) for file, piece in pieces if piece.lang == lang]

    def themes(self) -> tuple[str, ...]:
        """Return the names of the visible themes, sorted: some or all of the project's, which pages are drawn with.

        Raises:
            InputFileError: There is none, or one that is not the project's.
        """
        if self._themes is None:
            drawn = {file.name: file.read_bytes() for file in (content_dir("sites") / "themes").glob("*.css")}
            files = sorted(self._folder("themes").glob("*.css"))
            for file in files:
                if file.read_bytes() != drawn.get(file.name):
                    problem = (
                        "is not one of the project's themes, and sites are drawn with those alone, so that whoever "
                        "gets a split can draw it: remove it here, or add it to the project's own sites/themes"
                    )
                    raise InputFileError(file, "", problem)
            self._themes = tuple(file.stem for file in files)
        if not self._themes:
            raise InputFileError(self._folder("themes"), "", "there is no theme; copy one of the project's")
        return self._themes

    def _fragments(self, folder: str, model: type[F]) -> Iterator[tuple[Path, F]]:
        for file in sorted(self._folder(folder).rglob("*.yaml")):
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


def _in_language(name: str, lang: str) -> str:
    return f"{name}.{lang}.yaml" if lang == "en" else f"{name}.yaml"


def _shared_language(lang: str) -> str:
    """Return the language of the filler pages and gates of a site."""
    return "en" if lang == "mixed" else lang


@cache
def library(root: Path | None = None) -> Library:
    """Return the library of a content folder; without one, of the project's own ``sites/``."""
    return Library(root or content_dir("sites"))
