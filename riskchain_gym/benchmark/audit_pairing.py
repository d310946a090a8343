"""The audit's checks of messages: what they say, and which of them stands before which site."""

from __future__ import annotations

from riskchain_gym.benchmark.audited import AuditedRelease
from riskchain_gym.benchmark.chain import PublicChain
from riskchain_gym.benchmark.chains import places
from riskchain_gym.benchmark.pool_plan import DEMO, SELECTED
from riskchain_gym.benchmark.sessions import HARD, plan_sessions
from riskchain_gym.messages.audit.result import Findings
from riskchain_gym.messages.audit.texts import address_problem, trace_problem
from riskchain_gym.messages.bank import load_bank
from riskchain_gym.messages.rows import GoldRow
from riskchain_gym.messages.skeletons import Skeleton
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.keyed import key_from_seed


def check_messages(release: AuditedRelease) -> Findings:
    """Check every message against its skeleton, its canonical text and entry, and its disguises against those."""
    findings = Findings("disguised messages")
    skeletons = {skeleton.name: skeleton for skeleton in load_bank().skeletons}
    for name, chains in release.chains.items():
        for public, gold in chains:
            findings.count += len(public.variants)
            problem = _wording(gold, skeletons.get(gold.message.skeleton)) or _disguises(public, gold)
            if problem:
                findings.add(f"{name} {public.chain_id}", problem)
    return findings


def _wording(gold: GoldChain, skeleton: Skeleton | None) -> str:
    message = gold.message
    if skeleton is None:
        return f"there is no skeleton '{message.skeleton}'"
    for field in ("intent", "topic", "language", "form"):
        if (is_ := getattr(message, field)) != (wanted := getattr(skeleton, field)):
            return f"its {field} is '{is_}', that of its skeleton is '{wanted}'"
    return ""


def _disguises(public: PublicChain, gold: GoldChain) -> str:
    if (
        not public.variants.keys()
        == public.recipes.keys()
        == gold.message.traces.keys()
        == gold.message.ceilings.keys()
    ):
        return "its disguises, recipes, traces and ceilings are not of the same variants"
    for variant, message in public.variants.items():
        row = GoldRow.of(public.chain_id, variant, gold.message, severity=None, pair="", attribute="")
        if row.recipe != public.recipes[variant] or row.platform != message.platform:
            return f"{variant} has another recipe or platform than its gold says"
        if [shown.message_id for shown in message.messages] != [plain.message_id for plain in row.messages]:
            return f"{variant} has other messages than its gold"
        if problem := address_problem(row):
            return problem
        for shown, plain in zip(message.messages, row.messages, strict=True):
            if problem := trace_problem(row, shown.message_id, shown.content, plain.text):
                return f"{variant} {shown.message_id}: {problem}"
    return ""


def why_not_drawn(release: AuditedRelease) -> str:
    """Return why the pairing of a release cannot be drawn again and what to do to have it checked, or ``""``."""
    if release.manifest.seed is None:
        return (
            "a sealed release names no seed to draw the pairing from; whoever holds its secret builds it again with "
            "`riskchain build sites --key-file` and compares content_sha256"
        )
    if not release.pool:
        return (
            "without the pool nothing says in which order the sites were drawn; build it too and audit that, "
            f"`riskchain build sites --seed {release.manifest.seed}` without --only or with another split than '{DEMO}'"
        )
    return ""


def check_pairing(release: AuditedRelease) -> Findings:
    """Check which session stands before which site, by drawing ids, shuffles and sessions from the seed again.

    What needs the secret of a sealed release is not drawn: of it, only ``hard`` is held against ``test``. The sessions
    of the demonstration split depend on all others and are not drawn either.
    """
    findings = Findings("chains")
    _same_sites(release, findings)
    seed = release.manifest.seed
    if seed is None or why_not_drawn(release):
        return findings
    key = key_from_seed(seed)
    sizes = {name: split.chains for name, split in release.manifest.splits.items()}
    planned = plan_sessions(key, {name: size for name, size in sizes.items() if name != DEMO}).splits
    order = {row.site_id: place for place, row in enumerate(release.pool_rows)}
    for name, chains in release.chains.items():
        ordered = sorted(chains, key=lambda chain: order.get(chain[0].site.site_id, -1))
        drawn = places(key, name, sizes[name], shuffled_as=SELECTED if name == HARD else name)
        for (public, gold), (chain_id, place) in zip(ordered, drawn, strict=False):
            findings.count += 1
            where = f"{name} {public.chain_id}"
            if public.chain_id != chain_id:
                findings.add(where, f"stands before the site of chain {chain_id}")
            elif name in planned and (entry := planned[name][place].draft.plain.entry) != gold.entry:
                findings.add(where, f"its entry is '{gold.entry}', the seed gives '{entry}'")
    return findings


def _same_sites(release: AuditedRelease, findings: Findings) -> None:
    if not {SELECTED, HARD} <= release.chains.keys():
        return
    known = {
        public.site.site_id: (release.site_hashes[public.chain_id], gold.site)
        for public, gold in release.chains[SELECTED]
    }
    for public, gold in release.chains[HARD]:
        findings.count += 1
        same = known.pop(public.site.site_id, None)
        if same != (release.site_hashes[public.chain_id], gold.site):
            findings.add(f"{HARD} {public.chain_id}", f"its site is not one of '{SELECTED}', or not the same there")
    for site_id in known:
        findings.add(HARD, f"lacks the site {site_id} of '{SELECTED}'")
