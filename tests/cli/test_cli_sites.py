"""``riskchain sites``: a new archetype lints clean and builds, faults are named, proofs are counted."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from riskchain_gym.cli_sites import sites_app
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.errors import InputFileError, RiskChainError
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.sites import scaffold
from riskchain_gym.sites.build import build_certified_site
from riskchain_gym.sites.find import GOLD, SITES
from riskchain_gym.sites.library import Library, library
from riskchain_gym.sites.line_places import line_places
from riskchain_gym.sites.lines import line_names
from riskchain_gym.sites.placeholders import SUMMARY
from riskchain_gym.sites.proofs import CERTIFICATES
from riskchain_gym.sites.yamlfile import read_yaml


def run(*arguments: str | Path) -> Result:
    """Run ``riskchain sites ARGUMENTS``; what the command line would turn into a sentence is raised here."""
    result = CliRunner().invoke(sites_app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def content(tmp_path: Path) -> Path:
    """A private content folder with a new family."""
    assert run("new", "desk-fee", "--family", "desk", "--new-family", "--content", tmp_path / "own").exit_code == 0
    return tmp_path / "own"


def write_out(folder: Path) -> None:
    """Put a sentence in the place of every placeholder of a new archetype."""
    for file in folder.iterdir():
        text = file.read_text(encoding="utf-8").replace(SUMMARY, "A site for a test.")
        text = text.replace("：这里写这一句", "：一句话").replace(": write this sentence", ": a sentence")
        file.write_text(text, encoding="utf-8")


def test_a_new_family_lints_clean_and_is_certified(content: Path) -> None:
    assert run("lint", "--content", content).exit_code == 0
    result = run("certify", "--content", content, "--count", "4", "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert len(found) == 12
    assert {row["archetype"] for row in found} == {"desk-fee", "desk-fee-plain", "desk-fee-closed"}
    assert all(row["steps"] >= 2 and not row["problem"] for row in found)


def test_a_comment_above_each_line_says_where_it_stands(content: Path) -> None:
    told = {
        "rule": "page rules (办理说明): an item of a list",
        "bring": "page rules (办理说明), fold 需要带什么: a text",
        "ask": "page register (登记): a text",
    }
    lengths = {"rule": "13 to 15", "bring": "12 to 17", "ask": "14 to 16"}
    run("new", "desk-new", "--family", "desk", "--content", content)
    for name in ("desk-fee", "desk-fee-plain", "desk-fee-closed", "desk-new"):
        rows = (content / "archetypes" / name / "site.yaml").read_text(encoding="utf-8").splitlines()
        for line, place in told.items():
            length = f"; {lengths[line]} characters in other members" if name == "desk-new" else ""
            above = rows[next(i for i, row in enumerate(rows) if row.startswith(f"  {line}:")) - 1]
            assert above == f"  # {place}{length}"


def test_the_comments_of_every_family_tell_page_block_and_label(tmp_path: Path) -> None:
    run("new", "own-tasks", "--family", "tasks", "--content", tmp_path)
    text = (tmp_path / "archetypes" / "own-tasks" / "site.yaml").read_text(encoding="utf-8")
    assert "  # page rules (结算规则), tab 任务说明: a text;" in text
    assert (
        "  # page mine (我的记录), shown when joined: the value beside the label 下一步 (details)\n  next_step:" in text
    )
    assert "after 报名后的安排是怎样的？, shown when asked_pay: said by the site in a chat;" in text
    for family in (content_dir("sites") / "families").glob("*.yaml"):
        pages = read_yaml(family)["pages"]
        assert set(line_places(pages)) == set(line_names(pages)), family
        for place in (each for places in line_places(pages).values() for each in places):
            assert "\n" not in place
            assert re.match(r"page \w+( \(.+\))?[,:] ", place), place


def test_a_new_archetype_ends_with_what_it_changes(
    content: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = run("new", "desk-new", "--family", "desk", "--content", content).stderr
    assert f"`riskchain build sites --content {content}` makes their new version" in told
    assert told.count("\n") == 1
    monkeypatch.setattr("riskchain_gym.sites.library.library", lambda: Library(content))
    told = run("new", "desk-more", "--family", "desk").stderr
    assert "`mini` and every other split change with it, and `riskchain build sites` makes their new version" in told


@pytest.mark.parametrize("decision", ["VIOLATION", "NON_VIOLATION", "INSUFFICIENT_EVIDENCE"])
def test_a_new_member_lints_clean_once_it_is_written_and_is_certified(content: Path, decision: str) -> None:
    result = run("new", "desk-new", "--family", "desk", "--decision", decision, "--content", content)
    assert result.stdout.splitlines() == [str(content / "archetypes" / "desk-new" / "site.yaml")]
    told = run("lint", "desk-new", "--content", content)
    assert told.exit_code == 1
    fields = [line.split(": ")[1] for line in told.stdout.splitlines()]
    assert fields == ["summary", "lines.rule", "lines.bring", "lines.ask"]
    write_out(content / "archetypes" / "desk-new")
    assert run("lint", "desk-new", "--content", content).exit_code == 0
    assert run("certify", "desk-new", "--content", content).exit_code == 0


def test_a_member_of_a_translated_family_is_written_in_both_languages(tmp_path: Path) -> None:
    assert (
        run("new", "own-course", "--family", "course", "--decision", "NON_VIOLATION", "--content", tmp_path).exit_code
        == 0
    )
    assert {p.name for p in (tmp_path / "archetypes" / "own-course").iterdir()} == {"site.yaml", "site.en.yaml"}
    assert run("lint", "--content", tmp_path).exit_code == 1
    write_out(tmp_path / "archetypes" / "own-course")
    assert run("lint", "--content", tmp_path).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("desk-fee", "--family", "desk"), "never overwritten"),
        (("x", "--family", "desk", "--new-family"), "another name"),
        (("x", "--family", "nobody"), "known are desk"),
        (("x", "--family", "nobody"), "(?s)known are.*tasks"),
        (("X!", "--family", "desk"), "lower-case letters"),
        (("--family", "desk", "--", "-x"), "lower-case letters"),
        (("_", "--family", "desk"), "lower-case letters"),
        (("x", "--family", "../desk"), "A family cannot be called"),
        (("x", "--family", "_", "--new-family"), "A family cannot be called"),
        (("x" * 61, "--family", "desk"), "60 at most"),
        (("x" * 60, "--family", "other", "--new-family"), "60 at most"),
        (
            ("x", "--family", "desk", "--decision", "NON_VIOLATION", "--type", "GAMBLING_BETTING_PROMOTION"),
            "leave it out",
        ),
        (("x", "--family", "other", "--new-family", "--decision", "NON_VIOLATION"), "leave out --decision"),
    ],
)
def test_what_cannot_be_written_is_refused_and_nothing_changes(
    content: Path, arguments: tuple[str, ...], said: str
) -> None:
    before = {path: path.read_bytes() for path in content.rglob("*.yaml")}
    with pytest.raises(RiskChainError, match=said):
        run("new", "--content", content, *arguments)
    assert {path: path.read_bytes() for path in content.rglob("*.yaml")} == before


def test_a_new_archetype_is_written_whole_or_not_at_all(content: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sorted(content.rglob("*"))
    written: list[Path] = []

    def full_disk(path: Path, data: bytes) -> None:
        if len(written) == 3:
            raise OSError(28, "No space left on device")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        written.append(path)

    monkeypatch.setattr(scaffold, "write_atomically", full_disk)
    with pytest.raises(InputFileError, match="No space left on device"):
        run("new", "other-fee", "--family", "other", "--new-family", "--content", content)
    assert len(written) == 3
    assert sorted(content.rglob("*")) == before


def test_a_folder_without_archetypes_is_told(tmp_path: Path) -> None:
    for command in ("lint", "certify"):
        with pytest.raises(InputFileError, match="archetypes: holds no archetype"):
            run(command, "--content", tmp_path)


def test_lint_names_file_field_and_fault_and_exits_with_one(content: Path) -> None:
    file = content / "archetypes" / "desk-fee" / "site.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("  bring:", "  brings:"), encoding="utf-8")
    result = run("lint", "--content", content)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        f"{file}: lines.bring: a page of the family uses this line and the member does not give it",
        f"{file}: lines.brings: no page of the family uses this line; remove it or fix the name",
    ]
    assert run("lint", "desk-fee-plain", "--content", content).exit_code == 0


def test_certify_counts_what_fails(content: Path) -> None:
    family = content / "families" / "desk.yaml"
    text = family.read_text(encoding="utf-8").replace(
        "{kind: text, line: ask}", "{kind: text, line: ask, when: sent and not sent}"
    )
    family.write_text(text, encoding="utf-8")
    result = run("certify", "desk-fee", "desk-fee-plain", "--content", content, "--count", "2")
    assert result.exit_code == 1
    rows = {line.split()[0]: line.split() for line in result.stdout.splitlines() if line.startswith((" ", "d"))}
    assert rows["desk-fee"][-1] == "2"
    assert rows["all"][-1] == "4"
    assert "cannot be seen" in result.stdout


def test_a_pool_is_proved_from_its_files(content: Path, tmp_path: Path) -> None:
    pool, own = tmp_path / "pool", Library(content)
    pool.mkdir()
    made = [build_certified_site("desk-fee", key_from_seed(1), label, content=own) for label in ("a", "b")]
    for i, name in enumerate((SITES, GOLD, CERTIFICATES)):
        (pool / name).write_text("".join(f"{canonical_json(parts[i])}\n" for parts in made), encoding="utf-8")
    assert run("certify", "--pool", pool).exit_code == 0
    changed = made[1][2].model_copy(update={"site_sha256": "0" * 64})
    (pool / CERTIFICATES).write_text(f"{canonical_json(made[0][2])}\n{canonical_json(changed)}\n", encoding="utf-8")
    result = run("certify", "--pool", pool)
    assert result.exit_code == 1
    assert "site_sha256 is '0000" in result.stdout
    with pytest.raises(RiskChainError, match="leave out the names"):
        run("certify", "desk-fee", "--pool", pool)
    sound = (pool / SITES).read_bytes()
    (pool / SITES).write_bytes(b'{"site_id": "\xff"}\n')
    with pytest.raises(RiskChainError, match="line 1: is not UTF-8 text"):
        run("certify", "--pool", pool)
    (pool / SITES).write_bytes(sound)
    (pool / CERTIFICATES).unlink()
    with pytest.raises(RiskChainError, match="is missing"):
        run("certify", "--pool", pool)


def test_a_name_that_is_not_there_is_told(content: Path) -> None:
    for command in ("lint", "certify"):
        with pytest.raises(RiskChainError, match="did you mean desk-fee"):
            run(command, "desk-fe", "--content", content)
        with pytest.raises(RiskChainError, match="is no folder"):
            run(command, "--content", content / "nowhere")


def test_an_unknown_name_is_answered_with_near_ones_and_a_count_not_with_every_name() -> None:
    count = len(library().archetype_names())
    for name, hint in (
        ("order-rebaet", "did you mean order-rebate"),
        ("parcel", "did you mean parcel-"),
        ("zq", "give"),
    ):
        with pytest.raises(RiskChainError, match=rf"'{name}' among the {count} below .*: {hint}") as caught:
            run("lint", name)
        assert len(str(caught.value)) < 300


def test_what_was_done_is_said_on_stderr_and_what_was_asked_for_on_stdout(content: Path) -> None:
    result = run("lint", "--content", content)
    assert (result.stdout, result.stderr.splitlines()[-1]) == ("", "3 archetypes, 0 problems.")
