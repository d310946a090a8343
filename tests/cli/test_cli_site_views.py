"""Commands that show sites: what they refuse before they begin, and how they find what is asked for."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from urllib.request import urlopen

import pytest
from typer.testing import CliRunner

from riskchain_gym import cli_site_views
from riskchain_gym.benchmark.splits import load_public, split_dir
from riskchain_gym.cli_site_views import sites_app
from riskchain_gym.envs.browser import site_sheet
from riskchain_gym.protocol.errors import ConfigError, InputFileError, RiskChainError, UnknownNameError
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.sites.build import build_site
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.find import find_site, first_sites
from riskchain_gym.sites.show import ShownPage, Visit


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    """Return a pool of two sites."""
    made = [build_site(name, key_from_seed(3), name) for name in ("order-rebate", "parcel-lookup")]
    for name, column in (("public.jsonl", 0), ("gold.jsonl", 1)):
        (tmp_path / name).write_text("".join(f"{canonical_json(pair[column])}\n" for pair in made), encoding="utf-8")
    return tmp_path


def refusal(*arguments: str | Path) -> Exception:
    result = CliRunner().invoke(sites_app, [str(argument) for argument in arguments])
    assert isinstance(result.exception, RiskChainError), result.output
    return result.exception


def test_a_site_of_a_pool_is_found_by_id_and_by_archetype(pool: Path) -> None:
    site, gold = find_site(pool, "parcel-lookup")
    assert (gold.archetype, gold.site_id) == ("parcel-lookup", site.site_id)
    assert find_site(pool, site.site_id) == (site, gold)
    assert first_sites(pool, 5)[1] == site
    with pytest.raises(UnknownNameError, match="no site and no archetype 'nothing'"):
        find_site(pool, "nothing")
    (pool / "public.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(InputFileError, match="lacks the site"):
        find_site(pool, "parcel-lookup")
    with pytest.raises(InputFileError, match="line 1: site_id"):
        first_sites(pool, 1)
    (pool / "gold.jsonl").write_bytes(b'{}\n{"x": "parcel-lookup", "y": "\xff"}\n')
    with pytest.raises(InputFileError, match="line 2: is not UTF-8 text"):
        find_site(pool, "parcel-lookup")


def test_sites_are_found_in_the_splits_of_a_release(pool: Path) -> None:
    (bare, gold), (other, _) = find_site(pool, "parcel-lookup"), find_site(pool, "order-rebate")
    for split, held in (("dev", [other]), ("hard", [bare]), ("test", [bare])):
        (pool / "built" / split).mkdir(parents=True)
        for name, parts in (("public.jsonl", held), ("gold.jsonl", [gold])):
            lines = [f'{{"chain_id": "c", "site": {canonical_json(part)}}}\n' for part in parts]
            (pool / "built" / split / name).write_text("".join(lines), encoding="utf-8")
    assert find_site(pool / "built", "parcel-lookup") == (bare, gold)
    assert find_site(pool / "built" / "test", bare.site_id) == (bare, gold)
    assert first_sites(pool / "built", 5) == [other, bare]
    (pool / "built" / "dev" / "public.jsonl").write_text('{"chain_id": "c"}\n', encoding="utf-8")
    with pytest.raises(InputFileError, match="line 1: is no chain with a site"):
        first_sites(pool / "built", 1)


def test_bad_requests_are_refused_before_a_browser_starts(pool: Path, tmp_path: Path) -> None:
    assert isinstance(refusal("show", "no-such-thing"), RiskChainError)
    assert isinstance(refusal("show", "order-rebate", "--lang", "fr"), UnknownNameError)
    assert isinstance(refusal("show", "order-rebate", "--pool", pool, "--lang", "en"), ConfigError)
    assert isinstance(refusal("show", "order-rebate", "--out", pool / "gold.jsonl"), InputFileError)
    assert isinstance(refusal("sheet", "--out", tmp_path), InputFileError)
    assert isinstance(refusal("show", "order-rebate", "--pool", tmp_path / "nowhere"), InputFileError)


def test_a_folder_with_foreign_files_is_not_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_sheet, "drawing", lambda: nullcontext(SimpleNamespace(draw=lambda *_, **__: b"png")))
    folder = tmp_path / "pages"
    for files in (("index.html", "01.png"), ("notes.txt",)):
        folder.mkdir(exist_ok=True)
        for name in files:
            (folder / name).write_text("mine", encoding="utf-8")
        assert "was not written here" in str(refusal("show", "order-rebate", "--out", folder))
        assert {file.read_text(encoding="utf-8") for file in folder.iterdir()} == {"mine"}
        for file in folder.iterdir():
            file.unlink()
    site_sheet.write_pages([ShownPage("/", "<p>")], folder)
    site_sheet.check_pages_folder(folder)
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    assert "'notes.txt'" in str(refusal("show", "order-rebate", "--out", folder))


def test_a_served_site_opens_at_the_address_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def read(address: str) -> bool:
        with urlopen(address) as answer:
            opened.append(answer.read().decode())
        return True

    monkeypatch.setattr("webbrowser.open", read)
    monkeypatch.setattr(cli_site_views, "_until_interrupted", lambda: None)
    result = CliRunner().invoke(sites_app, ["show", "order-rebate", "--seed", "5"])
    assert result.exit_code == 0, result.output
    site, _ = build_site("order-rebate", key_from_seed(5), "shown")
    assert site.operator in opened[0]
    assert f"{site.operator} · order-rebate" in result.stderr
    assert result.stdout.startswith("http://127.0.0.1:")
    assert len(result.stdout.split()) == 1


def test_a_site_of_a_split_is_shown_by_its_id_without_its_gold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chain = load_public("mini")[0]
    for name in ("public.jsonl", "manifest.json"):
        (tmp_path / name).write_bytes((split_dir("mini") / name).read_bytes())
    monkeypatch.setattr(cli_site_views, "_until_interrupted", lambda: None)
    for name in (chain.site.site_id, chain.chain_id):
        result = CliRunner().invoke(sites_app, ["show", name, "--split", str(tmp_path), "--serve"])
        assert result.exit_code == 0, result.output
        assert isinstance(chain.site, CompiledSite)
        assert result.stderr.splitlines()[0] == f"{chain.site.operator} · {chain.site.lang}"
        assert result.stdout.startswith("http://127.0.0.1:")
    assert "`riskchain labels items --sites mini` lists them" in str(refusal("show", "nothing", "--split", "mini"))
    for more in (("--pool", tmp_path), ("--lang", "en"), ("--out", tmp_path / "pages")):
        assert isinstance(refusal("show", chain.site.site_id, "--split", "mini", *more), ConfigError)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Return a private content folder with a family of three members."""
    folder = tmp_path / "own"
    made = CliRunner().invoke(
        sites_app, ["new", "desk-fee", "--family", "desk", "--new-family", "--content", str(folder)]
    )
    assert made.exit_code == 0, made.output
    return folder


def test_a_site_of_a_content_folder_of_ones_own_is_shown(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_site_views, "_until_interrupted", lambda: None)
    result = CliRunner().invoke(sites_app, ["show", "desk-fee", "--serve", "--content", str(own)])
    assert result.exit_code == 0, result.output
    assert " · desk-fee · zh-CN · " in result.stderr
    assert isinstance(refusal("show", "desk-fee"), UnknownNameError)
    assert isinstance(refusal("show", "desk-fee", "--content", own / "nowhere"), InputFileError)


def test_a_sheet_of_a_content_folder_of_ones_own(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[list[str]] = []

    def drawn(sites: object, out_path: Path, viewport: str, captions: list[str]) -> Path:
        told.append(captions)
        return out_path.with_suffix(".html")

    monkeypatch.setattr(site_sheet, "contact_sheet", drawn)
    arguments = ["sheet", "--content", str(own), "-n", "3", "--out", str(own / "sheet.png")]
    result = CliRunner().invoke(sites_app, arguments)
    assert result.exit_code == 0, result.output
    assert {caption.splitlines()[0] for caption in told[0]} == {"desk-fee", "desk-fee-plain", "desk-fee-closed"}


def test_a_pool_is_shown_as_it_is(pool: Path, own: Path) -> None:
    for command in (("show", "order-rebate"), ("sheet", "--out", own / "sheet.png")):
        for option in (("--lang", "en"), ("--content", own)):
            error = refusal(*command, "--pool", pool, *option)
            assert str(error) == f"--pool shows what the pool holds: leave out {option[0]}."


def test_a_language_an_archetype_lacks_is_answered_with_those_it_has() -> None:
    error = refusal("show", "notary", "--lang", "en")
    assert isinstance(error, UnknownNameError)
    assert str(error).endswith("give one of mixed, zh-CN, zh-TW.")


def test_redirects_are_part_of_the_step_that_leads_to_them() -> None:
    site, _ = build_site("order-rebate", key_from_seed(5), "shown", gates={"rules": "redirect"})
    visit = Visit(site)
    hidden = next(page for page, held in site.pages.items() if held.detours)
    assert visit.open(hidden).page is not None
    assert visit.state.steps == 1
    visit.open(visit.post(next(iter(site.actions)), {}).location)
    assert visit.state.steps == 2
    visit.open("/")
    assert visit.state.steps == 3


def test_requests_of_a_served_site_count_as_steps() -> None:
    site, _ = build_site("order-rebate", key_from_seed(5), "shown")
    visit = Visit(site)
    for _ in range(3):
        visit.open("/")
    assert visit.state.steps == 3
