"""What of a site's label can be guessed without looking at what decides it.

Usage: python benchmarks/leaks.py [--sites 3000] [--folds 3] [--seed 7] [--workers 2] [--json FILE] [--check]

A fresh pool is drawn from a seed of its own, and its sites are paired with sessions by the code that pairs those of a
release. Every site is served on the loopback and crawled once (links, folds, forms with the environment's values; the
same walk whatever the label). From that come four sets of features: ``markup`` (sizes, tags and their order, classes,
attributes and the lengths of their values, opaque names, answer headers; no text), ``message`` (the paired message in
all its disguises, its platform and the names of its recipes), ``landing`` (the words of the landing page) and ``site``
(all words met); the last two on sites of depth D1 and more. Logistic regression and gradient boosting are fitted on two
thirds of the host families and tested on the rest, in rotation, so that every site is tested once by a model that has
met none of its operator's sites (3,000 sites: 2,000 to fit, 1,000 to test). Printed is the balanced accuracy of
violation against no violation and of all three decisions, with a 95 % interval from 1,000 bootstrap draws of host
families; the fitted models are taken as they are, and another seed gives another draw.

``planted`` hides the label of every third site in the length of one link; a probe that misses it would be blind.
``--check`` ends with status 1 when a bound of the project is broken.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from http.client import HTTPConnection
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from riskchain_gym.benchmark.chains import pair
from riskchain_gym.benchmark.pool import BuiltSite, SiteOrder, build_order, planned_orders, pool_key
from riskchain_gym.benchmark.pool_plan import load_pool_plan
from riskchain_gym.benchmark.sessions import plan_sessions, write_order
from riskchain_gym.protocol.gold import SiteGold
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.library import library
from riskchain_gym.sites.pageview import Node, PageView
from riskchain_gym.sites.render import render_page
from riskchain_gym.sites.server import SandboxServer
from riskchain_gym.sites.session import SiteSession

MAX_REQUESTS = 60
"""Requests of one crawl."""

FEATURES = ("markup", "message", "landing", "site", "planted")
DRAWS = 1000
PLANTED = {"VIOLATION": "ab", "NON_VIOLATION": "a", "INSUFFICIENT_EVIDENCE": "abc"}
PLANTED_EVERY = 3
_NAMES = ("id", "href", "action", "name", "for", "src", "type", "role")
DECISIONS = ("VIOLATION", "NON_VIOLATION", "INSUFFICIENT_EVIDENCE")
_TAG = re.compile(r"<([a-z][a-z0-9]*)((?:\s[^>]*)?)>")
_CLASS = re.compile(r'class="([^"]*)"')
_ATTRIBUTE = re.compile(r'\s([a-z-]+)(?:="([^"]*)")?')
_HAN = re.compile("[\u4e00-\u9fff]")
_DIGITS = re.compile(r"\d+")
_BODY = re.compile(r"<body.*", re.DOTALL)


@dataclass(frozen=True)
class Probe:
    """What is known of one site."""

    host_family: str
    decision: str
    depth: str
    gates: tuple[str, ...]
    message: str
    landing: str
    words: str
    markup: dict[str, float]


def crawl(site: CompiledSite) -> Iterator[PageView]:
    """Yield every view of a fixed walk: breadth first, links and buttons in document order, each once."""
    session, done, seen = SiteSession(site), 0, set()
    waiting: list[tuple[str, str, dict[str, str]]] = [("get", site.home, {})]
    tried: set[tuple[str, str]] = {("get", site.home)}
    while waiting and done < MAX_REQUESTS:
        method, path, form = waiting.pop(0)
        done += 1
        session.tick()
        answer = session.open(path) if method == "get" else session.open(session.post(path, form).location)
        page = answer.page
        if page is None:
            continue
        view = (page.path, page.lines())
        if view not in seen:
            seen.add(view)
            yield page
        for node in page.controls():
            control = node.control
            assert control is not None
            if control.role == "link":
                step = ("get", control.href, {})
            elif control.role == "form":
                step = ("post", control.action, typed(session, page, node))
            else:
                continue
            if step[:2] not in tried:
                tried.add(step[:2])
                waiting.append(step)


def typed(session: SiteSession, page: PageView, form: Node) -> dict[str, str]:
    """Return what the environment types into a form's fields."""
    return {
        node.control.field: session.fixture(page.path, node.key)
        for node in form.walk()
        if node.control is not None and node.control.role in ("textbox", "checkbox", "combobox", "slider")
    }


def answer_headers(site: CompiledSite) -> dict[str, float]:
    """Return the lengths of the headers that a real server sends with the landing page."""
    host = "k3f9a2.test"
    with SandboxServer() as server:
        server.register(host, SiteSession(site))
        connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
        connection.request("GET", "/", headers={"Host": host})
        answer = connection.getresponse()
        answer.read()
        connection.close()
    return {f"header {name}": float(len(value)) for name, value in answer.getheaders()}


def markup(site: CompiledSite, pages: Sequence[PageView], planted: str = "") -> dict[str, float]:
    """Return features of the bytes of a site with every text taken out but its length."""
    found: Counter[str] = Counter()
    sizes = []
    for number, page in enumerate(pages):
        html = render_page(page, site.look)
        if planted and number == 0:
            marked = html.replace('href="/', f'href="/{planted}', 1)
            assert marked != html, "the planted leak has no link to stand in"
            html = marked
        sizes.append(len(html.encode()))
        where = ("home", "site") if number == 0 else ("site",)
        body = _BODY.search(html)
        before = ""
        for tag, attributes in _TAG.findall(body.group() if body else html):
            for place in where:
                found[f"{place} <{tag}>"] += 1
                found[f"{place} <{before}><{tag}>"] += 1
                for name in (_CLASS.search(attributes) or [None, ""])[1].split():
                    found[f"{place} .{name}"] += 1
                for name, value in _ATTRIBUTE.findall(attributes):
                    found[f"{place} @{name}"] += 1
                    if name in _NAMES:
                        found[f"{place} @{name} of {len(value)}"] += 1
            before = tag
        text = "".join(page.lines())
        found["site characters"] += len(text)
        found["site lines"] += len(page.lines())
        found["site digits"] += sum(c.isdigit() for c in text)
        found[f"status {page.status}"] += 1
    for character in "".join(sorted(site.pages)) + site.site_id:
        found[f"name {character}"] += 1
    sizes_known = {
        "size home": sizes[0], "size mean": float(np.mean(sizes)), "size largest": max(sizes),
        "size smallest": min(sizes), "size spread": float(np.std(sizes)), "size all": sum(sizes),
    }  # fmt: skip
    shape = {"views": len(pages), "pages": len(site.pages), "actions": len(site.actions), "state": len(site.state)}
    counts = {name: float(count) for name, count in found.items()}
    return {**counts, **sizes_known, **shape, **answer_headers(site)}


def probe(job: tuple[bytes, SiteOrder]) -> tuple[BuiltSite, Probe, dict[str, float]]:
    """Build and crawl one site; return it, what is known of it, and its markup with the label planted into it."""
    key, order = job
    built = build_order(library().root, key, order)
    site, gold = CompiledSite.model_validate_json(built.public), SiteGold.model_validate_json(built.gold)
    pages = list(crawl(site))
    known = Probe(
        host_family=gold.host_family,
        decision=str(gold.decision),
        depth=gold.depth,
        gates=gold.gates,
        message="",
        landing="\n".join(pages[0].lines()),
        words="\n".join(line for page in pages for line in page.lines()),
        markup=markup(site, pages),
    )
    planted = int(order.number[1:]) % PLANTED_EVERY == 0 and bool(site.nav or site.footer)
    return built, known, markup(site, pages, PLANTED[str(gold.decision)]) if planted else known.markup


def message_of(chain: dict[str, Any]) -> str:
    """Return all that a chain's public row says of its message, in all disguises."""
    texts = [said["content"] for variant in chain["variants"].values() for said in variant["messages"]]
    platforms = [variant["platform"] for variant in chain["variants"].values()]
    return "\n".join([*texts, *platforms, *chain["recipes"].values()])


def probes_of(seed: int, count: int, workers: int) -> tuple[list[Probe], list[Probe]]:
    """Return a fresh pool's probes, and the same with the label planted into their markup."""
    plan = load_pool_plan(library().root).model_copy(update={"sites": count, "splits": {}})
    key = key_from_seed(seed)
    orders = planned_orders(pool_key(key), library(), plan)
    sessions = [write_order(key, order) for order in plan_sessions(key, {"train": count}).splits["train"]]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        made = list(pool.map(probe, [(pool_key(key), order) for order in orders], chunksize=25))
    chains = pair(key, "train", [built for built, _, _ in made], sessions, shuffled_as="train")
    said = {chain.row.site_id: message_of(json.loads(chain.public)) for chain in chains}
    plain = [replace(known, message=said[built.row.site_id]) for built, known, _ in made]
    return plain, [replace(known, markup=planted) for known, (_, _, planted) in zip(plain, made, strict=True)]


@dataclass(frozen=True)
class Score:
    """Balanced accuracy of one model on one question, with a 95 % interval over host families."""

    features: str
    model: str
    question: str
    sites: int
    accuracy: float
    low: float
    high: float
    chance: float


def pieces(text: str) -> set[str]:
    """Return runs of two to four Chinese characters, or of one to three words, numbers masked."""
    found: set[str] = set()
    for line in text.splitlines():
        masked = _DIGITS.sub("0", line)
        if _HAN.search(masked):
            found.update(masked[i : i + n] for n in (2, 3, 4) for i in range(len(masked) - n + 1))
        else:
            words = masked.lower().split()
            found.update(" ".join(words[i : i + n]) for n in (1, 2, 3) for i in range(len(words) - n + 1))
    return found


def matrix(features: str, probes: Sequence[Probe], fit: NDArray[np.intp], dense: bool) -> Any:
    """Return the feature matrix of all probes, with vocabulary and scales taken from the rows to fit alone."""
    if features in ("markup", "planted"):
        vectors = DictVectorizer(sparse=False)
        vectors.fit([probes[i].markup for i in fit])
        rows = vectors.transform([p.markup for p in probes])
        return StandardScaler().fit(rows[fit]).transform(rows)
    texts = [getattr(p, {"site": "words"}.get(features, features)) for p in probes]
    words = CountVectorizer(analyzer=pieces, binary=True, min_df=3, max_df=0.5)
    words.fit([texts[i] for i in fit])
    rows = words.transform(texts)
    if not dense:
        return rows
    reduced = make_pipeline(TruncatedSVD(100, random_state=0), StandardScaler()).fit(rows[fit])
    return reduced.transform(rows)


def predictions(features: str, model: str, probes: Sequence[Probe], labels: NDArray[Any], folds: int) -> NDArray[Any]:
    """Return the label predicted for every probe by a model fitted on other host families."""
    hosts = sorted({p.host_family for p in probes})
    fold_of = {host: number % folds for number, host in enumerate(hosts)}  # ids are keyed random, their order too
    fold = np.array([fold_of[p.host_family] for p in probes])
    found = np.empty_like(labels)
    for number in range(folds):
        fit, test = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        rows = matrix(features, probes, fit, dense=model == "boosting")
        if model == "boosting":
            learner: Any = HistGradientBoostingClassifier(
                max_iter=100, max_bins=64, class_weight="balanced", random_state=0
            )
        else:
            learner = LogisticRegression(C=1.0, max_iter=400, class_weight="balanced")
        found[test] = learner.fit(rows[fit], labels[fit]).predict(rows[test])
    return found


def interval(probes: Sequence[Probe], labels: NDArray[Any], found: NDArray[Any]) -> tuple[float, float, float]:
    """Return balanced accuracy and its 95 % interval from bootstrap draws of host families."""
    kinds = sorted(set(labels))
    hosts = {host: number for number, host in enumerate(sorted({p.host_family for p in probes}))}
    right = np.zeros((len(hosts), len(kinds)))
    total = np.zeros((len(hosts), len(kinds)))
    for p, label, guess in zip(probes, labels, found, strict=True):
        place = hosts[p.host_family], kinds.index(label)
        total[place] += 1
        right[place] += label == guess
    draws = np.random.default_rng(0).multinomial(len(hosts), np.full(len(hosts), 1 / len(hosts)), size=DRAWS)
    sampled = np.mean((draws @ right) / np.maximum(draws @ total, 1), axis=1)
    low, high = np.percentile(sampled, [2.5, 97.5])
    return float(np.mean(right.sum(0) / total.sum(0))), float(low), float(high)


def measure(features: str, probes: Sequence[Probe], folds: int) -> Iterator[Score]:
    """Yield the scores of both models on both questions for one set of features."""
    for question, kinds in (("V-N", DECISIONS[:2]), ("V-N-U", DECISIONS)):
        chosen = [p for p in probes if p.decision in kinds and (features not in ("landing", "site") or p.depth != "D0")]
        labels = np.array([p.decision for p in chosen])
        for model in ("logistic", "boosting"):
            accuracy, low, high = interval(chosen, labels, predictions(features, model, chosen, labels, folds))
            yield Score(features, model, question, len(chosen), accuracy, low, high, 1 / len(kinds))


def gate_gap(probes: Sequence[Probe]) -> dict[str, float]:
    """Return by how many points each gate kind is more frequent on violating than on benign sites."""
    shares = []
    for decision in DECISIONS[:2]:
        own = [p for p in probes if p.decision == decision]
        found = Counter(kind for p in own for kind in p.gates)
        shares.append({kind: 100 * count / len(own) for kind, count in found.items()})
    return {
        kind: round(shares[0].get(kind, 0) - shares[1].get(kind, 0), 2) for kind in sorted({*shares[0], *shares[1]})
    }


def faults(scores: Sequence[Score], gaps: dict[str, float]) -> Iterator[str]:
    """Yield the bounds of the project that are broken."""
    best: dict[tuple[str, str], float] = {}
    for s in scores:
        best[s.features, s.question] = max(s.accuracy, best.get((s.features, s.question), 0.0))
    for s in scores:
        where = f"{s.features}, {s.model}, {s.question}"
        if s.features in ("markup", "message") and s.high > s.chance + 0.05:
            yield f"{where}: the upper bound {s.high:.3f} is above chance + 5 points"
        if s.features == "landing" and s.accuracy > s.chance + 0.15:
            yield f"{where}: {s.accuracy:.3f} is above chance + 15 points"
        if s.features == "landing" and s.accuracy > best["site", s.question] - 0.20:
            yield f"{where}: {s.accuracy:.3f} is within 20 points of the full site's {best['site', s.question]:.3f}"
        if s.features == "planted" and best["planted", s.question] < s.chance + 0.10:
            yield f"{where}: the planted leak was not found ({best['planted', s.question]:.3f})"
    yield from (f"gate {kind}: {gap:+.1f} points between V and N" for kind, gap in gaps.items() if abs(gap) > 5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sites", type=int, default=3000)
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", nargs="+", choices=FEATURES, default=list(FEATURES))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.check and set(options.only) != set(FEATURES):
        parser.error("--check needs all sets of features: leave out --only")
    start = time.perf_counter()
    plain, planted = probes_of(options.seed, options.sites, options.workers)
    print(f"{len(plain)} sites of {len({p.host_family for p in plain})} host families built and crawled "
          f"in {time.perf_counter() - start:.0f} s")  # fmt: skip
    scores: list[Score] = []
    print(f"{'features':<10}{'model':<10}{'question':<10}{'sites':>6}{'chance':>8}{'bal.acc':>9}  95 % interval")
    for features in options.only:
        for score in measure(features, planted if features == "planted" else plain, options.folds):
            scores.append(score)
            print(f"{score.features:<10}{score.model:<10}{score.question:<10}{score.sites:>6}{score.chance:>8.3f}"
                  f"{score.accuracy:>9.3f}  [{score.low:.3f}, {score.high:.3f}]", flush=True)  # fmt: skip
    gaps = gate_gap(plain)
    print("gates, V minus N in points:", ", ".join(f"{kind} {gap:+.1f}" for kind, gap in gaps.items()))
    broken = list(faults(scores, gaps))
    for fault in broken:
        print("BROKEN", fault)
    if options.json:
        options.json.write_text(json.dumps({"scores": [asdict(s) for s in scores], "gates": gaps, "broken": broken}))
    sys.exit(1 if options.check and broken else 0)


if __name__ == "__main__":
    main()
