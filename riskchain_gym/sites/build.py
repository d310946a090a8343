"""Build one site: its public bundle and its gold."""

from __future__ import annotations

from collections.abc import Mapping

from riskchain_gym.protocol.errors import InfrastructureError, InputFileError
from riskchain_gym.protocol.gold import SiteGold
from riskchain_gym.protocol.keyed import keyed_id
from riskchain_gym.sites.archetypes import load_archetype
from riskchain_gym.sites.certify import CertificateError, certify
from riskchain_gym.sites.compile import compile_site
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.expressions import ExpressionError
from riskchain_gym.sites.library import Library, library


def build_site(
    archetype: str,
    key: bytes,
    label: str,
    *,
    content: Library | None = None,
    gates: Mapping[str, str] | None = None,
) -> tuple[CompiledSite, SiteGold]:
    """Return a site of an archetype and its gold, certificate included.

    Args:
        archetype: Name of the archetype.
        key: The split's key.
        label: What the site is called in its split, e.g. the chain's number; never shown.
        content: Content folder to draw from; the project's own by default.
        gates: Gate kind by page name, instead of drawing it (``none`` for no gate).

    Raises:
        UnknownNameError: There is no such archetype.
        InputFileError: Its files are wrong.
        CertificateError: The site drawn cannot be certified; the message names the archetype's file.
    """
    content = content or library()
    spec = load_archetype(archetype, content)
    compiled = compile_site(spec, key, label, keyed_id(key, "site", label), content=content, gates=gates)
    gold = SiteGold(
        site_id=compiled.site.site_id,
        archetype=spec.name,
        family=spec.family,
        decision=spec.label.decision,
        violation_type=spec.label.type,
        secondary_types=spec.label.secondary,
        atoms=compiled.atoms,
        path=(),
        gates=compiled.gates,
        depth=spec.depth,
        track=spec.track,
    )
    file = content.archetype_file(spec.name)
    try:
        path = certify(compiled.site, spec.label, compiled.atoms, gold.deciding_atoms())
    except CertificateError as error:
        raise CertificateError(f"{file}: {error}") from error
    except (ExpressionError, InfrastructureError) as error:
        raise InputFileError(file, "", f"a page or an action of the site drawn fails: {error}") from error
    return compiled.site, gold.model_copy(update={"path": path})
