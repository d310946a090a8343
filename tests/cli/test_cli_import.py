"""``riskchain sites import`` and ``riskchain build imported``: from a capture to a split that can be played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_runner import refused, run

from riskchain_gym.benchmark.splits import load_gold, load_manifest, load_public
from riskchain_gym.protocol.codebook import DEPTHS, ENVIRONMENT_STATUSES, Decision, ViolationType
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.sites.replay.label import TEMPLATE, read_label
from riskchain_gym.sites.replay.store import load_import


@pytest.fixture
def mirror(here: Path) -> Path:
    folder = here / "mirror"
    folder.mkdir()
    (folder / "index.html").write_text(
        "<html lang=en><title>Shop</title><p>welcome<a href='http://evil.example/'>out</a><img src=//evil.example/i>"
        "<a href=gone.html>more</a><img src=gone.png>",
        encoding="utf-8",
    )
    return folder


def fill(folder: Path, **values: str) -> None:
    lines = (folder / "label.toml").read_text(encoding="utf-8").split("\n")
    for name, value in values.items():
        place = next(i for i, line in enumerate(lines) if line.startswith(f"{name} ="))
        lines[place] = f"{name} = {value}"
    (folder / "label.toml").write_text("\n".join(lines), encoding="utf-8")


LABEL = {
    "decision": '"NON_VIOLATION"',
    "annotator": '"a1"',
    "environment_status": '"COMPLETE"',
    "depth": '"D0"',
}


def test_an_import_says_what_it_has_done(mirror: Path, here: Path) -> None:
    result = run("sites", "import", mirror, "--out", here / "site")
    assert result.exit_code == 0
    told = result.stdout.partition("\nMissing:\n")[2].split("\n\n")
    assert told[:2] == [
        "  gone.html (1×)\n  gone.png (1×)",
        "Outside:\n  http://evil.example/ (1×)\n  http://evil.example/i (1×)",
    ]
    assert "label.toml" in result.stdout
    report = json.loads((here / "site" / "import.json").read_text(encoding="utf-8"))
    assert report["outside"] == {"http://evil.example/": 1, "http://evil.example/i": 1}
    assert report["missing"] == {"http://mirror.invalid/gone.html": 1, "http://mirror.invalid/gone.png": 1}
    assert report["kind"] == "folder"
    again = run("sites", "import", mirror, "--out", here / "other", "--json")
    assert json.loads(again.stdout) == report
    assert {p.name: p.read_bytes() for p in (here / "site").rglob("*") if p.is_file()} == {
        p.name: p.read_bytes() for p in (here / "other").rglob("*") if p.is_file()
    }


def test_a_second_import_needs_force_and_keeps_the_label(mirror: Path, here: Path) -> None:
    site = here / "site"
    run("sites", "import", mirror, "--out", site)
    fill(site, **LABEL)
    assert "--force" in refused(2, "sites", "import", mirror, "--out", site)
    (mirror / "index.html").write_text("<p>changed", encoding="utf-8")
    assert run("sites", "import", mirror, "--out", site, "--force").exit_code == 0
    assert read_label(site).annotator == "a1"
    assert b"<p>changed" in load_import(site).content.values()
    assert len(list((site / "bodies").iterdir())) == 3


@pytest.mark.parametrize("name", ["notes.txt", "bodies/notes.txt", "site.json/x"])
def test_a_foreign_folder_is_refused(mirror: Path, here: Path, name: str) -> None:
    path = here / "site" / name
    path.parent.mkdir(parents=True)
    path.write_text("mine", encoding="utf-8")
    assert "which is no finished import" in refused(2, "sites", "import", mirror, "--out", here / "site", "--force")
    assert path.read_text(encoding="utf-8") == "mine"


def test_a_split_of_imported_sites(mirror: Path, here: Path) -> None:
    run("sites", "import", mirror, "--out", here / "site")
    said = refused(2, "build", "imported", here / "site", "--out", here / "split")
    assert "decision: is not filled in, give one of" in said
    assert said.endswith("still empty too: annotator, environment_status, depth")
    fill(here / "site", **LABEL)
    built = run("build", "imported", here / "site", "--out", here / "split")
    assert built.exit_code == 0
    assert "1 chain (1 NON_VIOLATION): play with split=" in " ".join(built.stdout.split())
    (public,), split = load_public(str(here / "split")), str(here / "split")
    gold = load_gold(split)[public.chain_id]
    assert public.site == load_import(here / "site")
    assert (gold.site.decision, gold.site.violation_type) == (Decision.NON_VIOLATION, ViolationType.NONE)
    assert (gold.site.label_source, gold.site.atoms, gold.site.lang) == ("human", (), "en")
    assert load_manifest(split).archetypes == {"imported": 1}
    assert "evil.example" not in (here / "split" / "public.jsonl").read_text(encoding="utf-8")
    before = (here / "split" / "public.jsonl").read_bytes()
    assert run("build", "imported", here / "site", "--out", here / "split").exit_code == 0
    assert (here / "split" / "public.jsonl").read_bytes() == before
    assert "more than once" in refused(2, "build", "imported", here / "site", here / "site", "--out", here / "split")
    assert "only 'imported' takes folders" in refused(2, "build", "mini", here / "site", "--out", here / "x")
    assert "nothing to build from" in refused(2, "build", "imported", "--out", here / "x")


def test_a_body_that_was_changed_is_noticed(mirror: Path, here: Path) -> None:
    run("sites", "import", mirror, "--out", here / "site")
    body = next((here / "site" / "bodies").iterdir())
    body.write_bytes(b"changed")
    with pytest.raises(InputFileError, match=r"is not the body that site\.json pins"):
        load_import(here / "site")


def test_without_a_browser_an_imported_site_is_refused_at_once(mirror: Path, here: Path) -> None:
    import gymnasium as gym

    run("sites", "import", mirror, "--out", here / "site")
    fill(here / "site", **LABEL)
    run("build", "imported", here / "site", "--out", here / "split")
    for env_id in ("RiskChain-v0", "RiskChainBrowse-v0"):
        with pytest.raises(ConfigError, match='use backend="chromium"'):
            gym.make(f"riskchain_gym:{env_id}", split=str(here / "split"), backend="text")
    env = gym.make("riskchain_gym:RiskChainRestore-v0", split=str(here / "split"), backend="text")
    env.reset(seed=1)
    env.close()


@pytest.mark.browser
def test_a_run_over_imported_sites_has_decisions_and_no_citation_score(mirror: Path, here: Path) -> None:
    pytest.importorskip("playwright")
    run("sites", "import", mirror, "--out", here / "site")
    fill(here / "site", **LABEL)
    run("build", "imported", here / "site", "--out", here / "split")
    arguments = ("--split", here / "split", "--agent", "oracle", "--out", here / "runs", "--workers", "1", "--json")
    result = run("demo", *arguments)
    row, *controls = json.loads(result.stdout)
    assert {control["agent"].partition(" ")[0] for control in controls} == {"always"}, "text shows no imported site"
    summary: dict[str, Any] = row["summary"]
    assert (summary["end_to_end_accuracy"], summary["web_accuracy"]) == (1.0, 1.0)
    assert [summary[name] for name in ("citation_precision", "citation_recall", "citation_f1")] == [None] * 3


BAD_LABELS = [
    ({"decision": '"MAYBE"'}, "decision: cannot be 'MAYBE', give one of VIOLATION, NON_VIOLATION"),
    ({"decision": '["VIOLATION"]'}, "decision: cannot be"),
    ({"decision": '"VIOLATION"'}, "type: a VIOLATION needs one of the nine"),
    ({"decision": '"NON_VIOLATION"', "type": '"OTHER_PROHIBITED_ACTIVITY"'}, "type: NON_VIOLATION goes with NONE only"),
    ({"decision": '"VIOLATION"', "type": '"OTHER_PROHIBITED_ACTIVITY"', "note": '"short"'}, "note: "),
    ({"decision": '"VIOLATION"', "type": '"NONE"'}, "type: VIOLATION needs one of the nine"),
    ({"decision": '"NON_VIOLATION"', "secondary_types": '["FRAUD_DECEPTIVE_INDUCEMENT"]'}, "secondary_types: concrete"),
    ({"decision": '"VIOLATION"', "type": '"FRAUD"'}, "type: cannot be 'FRAUD', give one of the nine"),
    ({"secondary_types": '"FRAUD"'}, "secondary_types: cannot be 'FRAUD', give a list"),
    ({"annotator": '""'}, "annotator: is not filled in, say who decided: a name"),
    ({"annotator": '"  "'}, "annotator: is not filled in, say who decided: a name"),
    ({"annotator": "7"}, 'annotator: is no text, put it in quotes: annotator = "7"'),
    ({"environment_status": '""'}, "environment_status: is not filled in, give one of COMPLETE, PARTIAL"),
    ({"depth": '""'}, "depth: is not filled in, give one of D0, D1, D2, D3"),
    ({"depth": '"D9"'}, "depth: cannot be 'D9', give one of D0, D1, D2, D3"),
    ({"note": '""\nwho = "a"'}, "who: is not known, take it out"),
    ({"decision": '"NON_VIOLATION'}, "is no TOML"),
]


@pytest.mark.parametrize(("values", "said"), BAD_LABELS)
def test_a_label_against_the_codebook_is_refused(mirror: Path, here: Path, values: dict[str, str], said: str) -> None:
    run("sites", "import", mirror, "--out", here / "site")
    fill(here / "site", **{**LABEL, **values})
    with pytest.raises(InputFileError) as caught:
        read_label(here / "site")
    assert said in str(caught.value)


def test_label_file_and_docs_use_the_words_of_the_codebook() -> None:
    docs = Path(__file__).parents[2] / "docs"
    imports, sites = ((docs / name).read_text(encoding="utf-8") for name in ("import.md", "sites.md"))
    for depth, words in DEPTHS.items():
        assert f"#   {depth}  {words}\n" in TEMPLATE
        assert f"| {depth} | {words} |" in imports
        assert f"| {depth} | {words} |" in sites
    for status, words in ENVIRONMENT_STATUSES.items():
        assert f"#   {status}  {words}\n" in TEMPLATE
        assert f"| `{status}` | {words} |" in imports
