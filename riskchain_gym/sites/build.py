"""Build one site: its public bundle and its gold."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from riskchain_gym.protocol.codebook import CODEBOOK_VERSION
from riskchain_gym.protocol.errors import InfrastructureError, InputFileError
from riskchain_gym.protocol.gold import SiteGold
from riskchain_gym.protocol.keyed import keyed_id
from riskchain_gym.sites.archetypes import load_archetype
from riskchain_gym.sites.certificate import Certificate, sealed
from riskchain_gym.sites.certify import CertificateError, find_way, judge
from riskchain_gym.sites.compile import Compilation, compile_site
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.expressions import ExpressionError
from riskchain_gym.sites.grade import grades_of
from riskchain_gym.sites.library import Library, library
from riskchain_gym.sites.pageview import PageView
from riskchain_gym.sites.spec import ArchetypeSpec, Lang


def build_site(
    archetype: str,
    key: bytes,
    label: str,
    *,
    host: str | None = None,
    lang: Lang = "zh-CN",
    content: Library | None = None,
    gates: Mapping[str, str] | None = None,
    gate_kinds: Collection[str] | None = None,
    look: Mapping[str, str] | None = None,
) -> tuple[CompiledSite, SiteGold]:
    """Return a site of an archetype and its gold.

    Args:
        archetype: Name of the archetype.
        key: The split's key.
        label: What the site is called in its split, e.g. the chain's number; never shown.
        host: What its host family is called; see :func:`~riskchain_gym.sites.compile.compile_site`.
        lang: Language of the site.
        content: Content folder to draw from; the project's own by default.
        gates: Gate kind by page name, instead of drawing it (``none`` for no gate).
        gate_kinds: The gate kinds that may be drawn, all by default.
        look: ``presentation`` and ``theme``, instead of drawing them.

    Raises:
        UnknownNameError: There is no such archetype or gate.
        InputFileError: Its files are wrong.
        CertificateError: The site drawn cannot be certified; the message names the archetype's file.
    """
    site, gold, _ = _build(archetype, key, label, host, lang, content or library(), gates, gate_kinds, look)
    return site, gold


def build_certified_site(
    archetype: str,
    key: bytes,
    label: str,
    *,
    host: str | None = None,
    lang: Lang = "zh-CN",
    content: Library | None = None,
    gate_kinds: Collection[str] | None = None,
    look: Mapping[str, str] | None = None,
) -> tuple[CompiledSite, SiteGold, Certificate]:
    """Return a site of an archetype, its gold and its certificate; arguments and errors as for :func:`build_site`."""
    site, gold, pages = _build(archetype, key, label, host, lang, content or library(), None, gate_kinds, look)
    return site, gold, sealed(site, gold, pages)


def _build(
    archetype: str,
    key: bytes,
    label: str,
    host: str | None,
    lang: Lang,
    content: Library,
    gates: Mapping[str, str] | None,
    gate_kinds: Collection[str] | None,
    look: Mapping[str, str] | None,
) -> tuple[CompiledSite, SiteGold, tuple[PageView, ...]]:
    spec = load_archetype(archetype, content, lang)
    compiled = compile_site(
        spec,
        key,
        label,
        keyed_id(key, "site", label),
        host=host,
        content=content,
        gates=gates,
        gate_kinds=gate_kinds,
        look=look,
    )
    try:
        gold, pages = _certified(compiled, spec, keyed_id(key, "host", label if host is None else host))
    except CertificateError as error:
        raise CertificateError(f"{content.archetype_file(spec.name, lang)}: {error}") from error
    except (ExpressionError, InfrastructureError) as error:
        file = content.archetype_file(spec.name, lang)
        raise InputFileError(file, "", f"a page or an action of the site drawn fails: {error}") from error
    return compiled.site, gold, pages


def _certified(compiled: Compilation, spec: ArchetypeSpec, host_id: str) -> tuple[SiteGold, tuple[PageView, ...]]:
    # Path and grades are put in below, when the way is known.
    gold = SiteGold(
        site_id=compiled.site.site_id,
        archetype=spec.name,
        family=spec.family,
        decision=spec.label.decision,
        violation_type=spec.label.type,
        secondary_types=spec.label.secondary,
        codebook_version=CODEBOOK_VERSION,
        atoms=compiled.atoms,
        path=(),
        gates=compiled.gates,
        gate_pages=compiled.gated,
        gate_entries=compiled.entries,
        depth="D0",
        track=spec.track,
        host_family=host_id,
        lang=spec.lang,
    )
    path, pages = find_way(compiled.site, gold.deciding_atoms())
    gold = gold.model_copy(update={"path": path})
    judge(compiled.site, gold, pages)
    return gold.model_copy(update=vars(grades_of(compiled.site, gold, pages))), pages
