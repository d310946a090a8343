"""From captures to a replay site: what the entry page leads to and loads, rewritten, and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.keyed import keyed_id
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.sites.replay.addresses import Address, Addresses, References, Spot, parse
from riskchain_gym.sites.replay.capture import MAX_BODY_BYTES, Budget, Capture, Notes
from riskchain_gym.sites.replay.charset import decode
from riskchain_gym.sites.replay.css import rewrite_css
from riskchain_gym.sites.replay.folder import NOWHERE, entry_of
from riskchain_gym.sites.replay.headers import safe_name
from riskchain_gym.sites.replay.kinds import is_plain, kind_of, media_type
from riskchain_gym.sites.replay.language import language_of
from riskchain_gym.sites.replay.markup import rewrite_html
from riskchain_gym.sites.replay.model import Lang, ReplaySite, Resource
from riskchain_gym.sites.replay.pages import own_page
from riskchain_gym.sites.replay.sources import SourceKind, find_source, hash_source
from riskchain_gym.sites.words import words


@dataclass(frozen=True)
class Options:
    """How to import.

    Attributes:
        entry: Address of the landing page (of a folder: its name), or ``None`` for the first page.
        base: Address that a folder stands for, or ``None``.
        scripts: Whether the pages' own scripts stay.
        max_body_bytes: Largest body that is kept.
    """

    entry: str | None = None
    base: str | None = None
    scripts: bool = False
    max_body_bytes: int = MAX_BODY_BYTES


@dataclass(frozen=True)
class Imported:
    """What an import made.

    Attributes:
        site: The site.
        bodies: Its bodies by their hash.
        notes: What there is to tell.
        kind: What the source is.
        sha256: Hash of the source.
        captured: Number of answers in it.
        unreached: Addresses of those that nothing on the site leads to, in order, a POST marked as such; they were left
            out.
    """

    site: ReplaySite
    bodies: dict[str, bytes]
    notes: Notes
    kind: SourceKind
    sha256: str
    captured: int
    unreached: tuple[str, ...]


def import_site(path: Path, options: Options | None = None) -> Imported:
    """Make a replay site of a capture; the same capture always gives the same site.

    Args:
        path: A mirror folder, a HAR or a WARC.
        options: How to import.

    Raises:
        InputFileError: It is no capture, is malformed, or has no page to begin with.
        ConfigError: The options do not fit it.
    """
    options, notes = options or Options(), Notes()
    source, base = find_source(path), _base(options.base)
    if options.base is not None and source.kind != "folder":
        raise ConfigError(
            f"--base says where a folder comes from; a {source.kind.upper()} says so itself: leave it out."
        )
    captures = list(source.captures(base, Budget(body=options.max_body_bytes), notes))
    sha256 = hash_source(source, captures)
    chosen = _best_of_each(captures, notes)
    wanted = options.entry
    if source.kind == "folder":
        wanted = base + wanted.lstrip("/") if wanted and parse(wanted) is None else wanted or entry_of(path, base)
    entry = _entry(path, chosen, wanted, notes)
    key = hashlib.sha256(f"{sha256}/{options.scripts}".encode()).digest()
    addresses = Addresses(entry.host, key, notes)
    spots = {(addresses.add(a, post=post, aliases=_aliases(c)), post): c for (a, post), c in chosen.items()}
    answers = {addresses.add_asked(bare): c for bare, c in _asked(chosen, addresses).items()}
    work = _Work(addresses, spots, answers, options.scripts, keyed_id(key, "field", length=6))
    home = addresses.pages[entry]
    work.run(home)
    site = ReplaySite(
        site_id=keyed_id(key, "site"),
        title=work.title,
        lang=work.lang,
        entry=home,
        outside=addresses.outside,
        missing=addresses.missing,
        scripts=options.scripts,
        resources=work.made(post=False),
        posts=work.made(post=True),
    )
    return Imported(site, work.bodies, notes, source.kind, sha256, len(captures), work.unreached())


def site_sha256(site: ReplaySite) -> str:
    """Return the hash of a site, its bodies included by their hashes."""
    return hashlib.sha256(canonical_json(site).encode()).hexdigest()


def _base(given: str | None) -> str:
    if given is None:
        return NOWHERE
    address = parse(given)
    if address is None:
        raise ConfigError(f"--base must be the web address that the folder was saved from, got '{given[:80]}'.")
    return f"http://{address.host}{address.path.rpartition('/')[0]}/"


def _aliases(capture: Capture) -> list[Address]:
    return [address for address in map(parse, capture.aliases) if address is not None]


def _best_of_each(captures: Iterable[Capture], notes: Notes) -> dict[tuple[Address, bool], Capture]:
    """Return one answer for each address: the first successful one, else the first redirect, else the first."""
    found: dict[tuple[Address, bool], Capture] = {}
    for capture in captures:
        address = parse(capture.url)
        if address is None:
            notes.skipped[capture.url[:500]] = "is no web address"
            continue
        before = found.get((address, capture.post))
        if before is not None:
            notes.repeated[capture.url[:500]] += 1
        if before is None or _rank(capture) < _rank(before):
            found[address, capture.post] = capture
    return found


def _asked(chosen: Mapping[tuple[Address, bool], Capture], addresses: Addresses) -> dict[Address, Capture]:
    """Return what answers a form that asks at an address, by the address without query.

    It is the first success that was captured there with any query, else the first redirect, else the first. An address
    that was captured without a query, too, is not among them: it answers for itself.
    """
    found: dict[Address, Capture] = {}
    for (address, post), capture in chosen.items():
        for each in (address, *_aliases(capture)) if not post else ():
            bare = each._replace(query="")
            before = found.get(bare)
            if bare not in addresses.pages and (before is None or _rank(capture) < _rank(before)):
                found[bare] = capture
    return found


def _rank(capture: Capture) -> int:
    return 0 if capture.status < 300 else 1 if capture.redirect else 2


def _entry(path: Path, chosen: dict[tuple[Address, bool], Capture], wanted: str | None, notes: Notes) -> Address:
    pages = [a for (a, post), c in chosen.items() if not post and c.status < 300 and _kind(c) == "page"]
    if wanted is None:
        if not pages:
            unused = [f"{where} {why}" for where, why in notes.skipped.items()]
            unused += [f"{where} is too large ({size:,} bytes)" for where, size in notes.too_large.items()]
            why = f" ({unused[0]})" if unused else ""
            problem = f"holds no page to begin with{why}, capture one that is answered with status 200"
            raise InputFileError(path, "", problem)
        if len(pages) > 1 and path.is_dir():
            named = ", ".join(sorted(page.path.lstrip("/") for page in pages)[:5])
            raise InputFileError(path, "", f"has no index.html, say with --entry where it begins ({named})")
        return pages[0]
    address = parse(wanted)
    for (captured, post), capture in chosen.items():
        if not post and address is not None and address in (captured, *_aliases(capture)):
            return captured
    known = ", ".join(f"{page.host}{page.full_path}" for page in pages[:5]) or "none"
    raise ConfigError(f"--entry: nothing was captured from '{wanted[:200]}'. Pages: {known}.")


def _named(capture: Capture) -> str:
    """Return what a report calls an answer."""
    return f"POST {capture.url}" if capture.post else capture.url


def _kind(capture: Capture) -> str:
    return kind_of(media_type(capture.content_type, capture.url, capture.body))


@dataclass
class _Work:
    addresses: Addresses
    spots: dict[Spot, Capture]
    asked: dict[str, Capture]
    scripts: bool
    field_prefix: str
    bodies: dict[str, bytes] = field(default_factory=dict)
    done: dict[Spot, Resource] = field(default_factory=dict)
    title: str = ""
    lang: Lang = "en"

    def run(self, home: str) -> None:
        """Make the entry and whatever it leads to; with scripts, which may ask for anything, all there is."""
        queue: list[Spot] = [(home, False), *(self.spots if self.scripts else ())]
        known: dict[str, Resource | None] = {}
        for spot in queue:
            capture = self._answer(spot)
            if spot in self.done or capture is None:
                continue
            name = _named(capture)
            if name not in known:
                references = References(self.addresses, capture.url)
                known[name] = self._resource(capture, references, is_entry=spot == (home, False))
                queue += [used for used in references.used if used not in self.done]
            if (resource := known[name]) is not None:
                self.done[spot] = resource
        for path, what in ((self.addresses.outside, "outside"), (self.addresses.missing, "missing")):
            page = self._keep(own_page(what, self.lang, home), "text/html; charset=utf-8", 200)
            self.done[path, False] = page.model_copy(update={"status": 404 if what == "missing" else 200})
        self._mend_redirects()

    def unreached(self) -> tuple[str, ...]:
        """Return the addresses of the answers that are no part of the site."""
        kept = {_named(capture) for spot in self.done if (capture := self._answer(spot)) is not None}
        return tuple(sorted({_named(capture) for capture in self.spots.values()} - kept))

    def _answer(self, spot: Spot) -> Capture | None:
        """Return what was captured for a spot, or for a form that asks there."""
        path, post = spot
        return self.spots.get(spot) or (None if post else self.asked.get(path))

    def made(self, *, post: bool) -> dict[str, Resource]:
        return {path: resource for (path, posted), resource in sorted(self.done.items()) if posted == post}

    def _resource(self, capture: Capture, references: References, *, is_entry: bool) -> Resource | None:
        if capture.redirect:
            target = references.follow(capture.redirect).partition("#")[0]
            return Resource(redirect=target or self.addresses.missing)
        media = media_type(capture.content_type, capture.url, capture.body)
        match "file" if capture.filename else kind_of(media):
            case "page":
                return self._page(capture, references, is_entry=is_entry)
            case "style":
                text = rewrite_css(decode(capture.body, capture.content_type, css=True), references.load)
                return self._keep(text.encode("utf-8", "replace"), "text/css; charset=utf-8", capture.status)
            case "script" if self.scripts:
                text = decode(capture.body, capture.content_type)
                return self._keep(text.encode("utf-8", "replace"), "text/javascript; charset=utf-8", capture.status)
            case "script":
                return None
            case "shown" if is_plain(media):
                text = decode(capture.body, capture.content_type)
                return self._keep(text.encode("utf-8", "replace"), "text/plain; charset=utf-8", capture.status)
            case "shown":
                return self._keep(capture.body, media, capture.status)
            case _:
                return self._file(capture)

    def _page(self, capture: Capture, references: References, *, is_entry: bool) -> Resource:
        text = decode(capture.body, capture.content_type)
        page = rewrite_html(text, references, scripts=self.scripts, field_prefix=self.field_prefix)
        if is_entry:
            self.title, self.lang = page.title, language_of(page.lang, page.text)
        if page.refresh:
            return Resource(redirect=page.refresh)
        return self._keep(page.html.encode("utf-8", "replace"), "text/html; charset=utf-8", capture.status)

    def _file(self, capture: Capture) -> Resource:
        """Put inert text in the place of a file to download."""
        self.addresses.notes.dropped["file to download"] += 1
        address = parse(capture.url)
        name = capture.filename or safe_name(address.path if address is not None else "") or "file"
        body = words(self.lang).inert_file.format(file=name).encode("utf-8", "replace")
        resource = self._keep(body, "text/plain; charset=utf-8", 200)
        return resource.model_copy(update={"filename": name})

    def _keep(self, body: bytes, content_type: str, status: int) -> Resource:
        sha256 = hashlib.sha256(body).hexdigest()
        self.bodies[sha256] = body
        plain = "".join(c for c in content_type if " " <= c <= "~")
        return Resource(status=max(status, 200), content_type=plain, sha256=sha256, size=len(body))

    def _mend_redirects(self) -> None:
        """Send on to the page for what is missing whatever redirects to nothing, or round in a circle."""
        for spot in sorted(self.done):
            seen, here = {spot}, self.done[spot]
            while here.redirect is not None:
                following = (here.redirect, False)
                if following in seen or following not in self.done:
                    self.done[spot] = Resource(redirect=self.addresses.missing)
                    self.addresses.notes.dropped["redirect that leads nowhere"] += 1
                    break
                seen.add(following)
                here = self.done[following]
