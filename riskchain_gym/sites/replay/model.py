"""A replay site as a value: what was captured, by local path, and the bodies by their hash."""

from __future__ import annotations

import base64
import binascii
import hashlib
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.compiled import CompiledSite

LocalPath = Annotated[str, Field(pattern=r"^/([!-.0-~][!-~]*)?$")]
"""A path of the replay site, perhaps with a query: one slash, then printable ASCII."""

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]

Lang = Literal["zh-CN", "zh-TW", "en", "mixed"]


class Resource(Frozen):
    """What is answered on one path: a body, or a redirect.

    Attributes:
        status: HTTP status of a body; a redirect is always answered with 302 (303 to a form).
        content_type: Content type of the body, with its charset.
        sha256: Hash of the body, ``None`` for a redirect.
        size: Length of the body in bytes.
        redirect: Path to go on to, or ``None``.
        filename: Name of the file that the body is offered as, ``""`` for what a browser shows.
    """

    status: Annotated[int, Field(ge=200, le=599)] = 200
    content_type: Annotated[str, Field(pattern=r"^[ -~]*$")] = ""
    sha256: Sha256 | None = None
    size: Annotated[int, Field(ge=0)] = 0
    redirect: LocalPath | None = None
    filename: str = ""

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        if (self.sha256 is None) == (self.redirect is None):
            raise ValueError("redirect: give a body's sha256 or a redirect, and not both")
        return self


class ReplaySite(Frozen):
    """A captured site, without the bodies.

    Attributes:
        site_id: Opaque id.
        title: Title of the entry page.
        lang: Language of the entry page.
        entry: Path of the landing page.
        outside: Path of the page that stands for everything outside the capture.
        missing: Path of the page that stands for what the capture lacks; it answers unknown paths too.
        scripts: Whether the pages' own scripts were kept.
        resources: What a GET is answered with, by path.
        posts: What a form is answered with where the capture has an answer to a POST, by path.
    """

    schema_version: Literal["riskchain-replay/v1"] = "riskchain-replay/v1"
    site_id: str
    title: str
    lang: Lang
    entry: LocalPath
    outside: LocalPath
    missing: LocalPath
    scripts: bool = False
    resources: dict[LocalPath, Resource]
    posts: dict[LocalPath, Resource] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        for name in ("entry", "outside", "missing"):
            if getattr(self, name) not in self.resources:
                raise ValueError(f"{name}: there is no resource '{getattr(self, name)}'")
        for path, resource in (*self.resources.items(), *self.posts.items()):
            seen, here = {path}, resource
            while here.redirect is not None:
                if here.redirect not in self.resources:
                    raise ValueError(f"resources.{path}.redirect: there is no resource '{here.redirect}'")
                if here.redirect in seen and self.resources[here.redirect].redirect is not None:
                    raise ValueError(f"resources.{path}.redirect: leads round in a circle")
                seen.add(here.redirect)
                here = self.resources[here.redirect]
        return self

    def hashes(self) -> dict[str, int]:
        """Return the size of every body by its hash."""
        every = (*self.resources.values(), *self.posts.values())
        return {each.sha256: each.size for each in every if each.sha256 is not None}


class ImportedSite(Frozen):
    """A replay site with its bodies inline, so that a split's public file holds all of it.

    Attributes:
        replay: The site.
        bodies: Every body in base64, by its hash.
    """

    schema_version: Literal["riskchain-imported/v1"] = "riskchain-imported/v1"
    replay: ReplaySite
    bodies: dict[Sha256, str]

    @model_validator(mode="after")
    def _has_its_bodies(self) -> Self:
        wanted = self.replay.hashes()
        if wanted.keys() != self.bodies.keys():
            raise ValueError("bodies: must be those that the site's resources name, no more and no fewer")
        for sha256, body in self.content.items():
            if hashlib.sha256(body).hexdigest() != sha256 or len(body) != wanted[sha256]:
                raise ValueError(f"bodies.{sha256}: is not the body of that hash and size")
        return self

    @classmethod
    def of(cls, replay: ReplaySite, bodies: dict[str, bytes]) -> Self:
        """Return a site with its bodies."""
        inline = {sha256: base64.b64encode(bodies[sha256]).decode() for sha256 in sorted(replay.hashes())}
        return cls(replay=replay, bodies=inline)

    @cached_property
    def content(self) -> dict[str, bytes]:
        """Every body by its hash."""
        try:
            return {sha256: base64.b64decode(text, validate=True) for sha256, text in self.bodies.items()}
        except binascii.Error as error:
            raise ValueError(f"bodies: is no base64 ({error})") from error

    @property
    def site_id(self) -> str:
        """Opaque id."""
        return self.replay.site_id

    @property
    def home(self) -> str:
        """Path of the landing page."""
        return self.replay.entry


AnySite = CompiledSite | ImportedSite
"""A site that a chain may lead to."""
