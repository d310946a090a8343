"""Import of human-written pairs: every format, every fault by line and column, one reader that scoring can use."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from riskchain_gym.cli import Commands
from riskchain_gym.cli_audit import mean_cer, messages_app
from riskchain_gym.messages.audit.run import audit
from riskchain_gym.messages.pair_files import read_pairs
from riskchain_gym.messages.pairs import TransferManifest, import_pairs, load_transfer
from riskchain_gym.messages.rows import GOLD, INPUTS, MANIFEST, GoldRow
from riskchain_gym.protocol.commit import Commit, EntryCandidate, RestoredMessage
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.scoring.restoration import score_restoration

PAIRS = [
    ("伽V聊聊", "加微聊聊"),
    ("看 κab.cd点test", "看 kab.cd.test"),
    ("第一行\n弟二行", "第一行\n第二行"),
    ("明天见", "明天见"),
]


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def table(delimiter: str) -> str:
    lines = [delimiter.join(("id", "hidden", "plain"))]
    lines += [delimiter.join((str(n), *(f'"{cell}"' for cell in pair))) for n, pair in enumerate(PAIRS)]
    return "\r\n".join(lines) + "\r\n"


FILES = {
    "a.csv": table(","),
    "bom.csv": "\ufeff" + table(","),
    "semicolon.csv": table(";"),
    "tab.csv": table("\t"),
    "bar.csv": table("|"),
    "a.tsv": table("\t"),
    "a.jsonl": "\n".join(json.dumps({"hidden": a, "plain": b, "more": [1]}) for a, b in PAIRS),
}


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_pairs(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, FILES[name])
    pairs = list(read_pairs(path, obfuscated="hidden", plain="plain"))
    assert [(pair.obfuscated, pair.plain) for pair in pairs] == PAIRS
    assert [pair.line for pair in pairs] == ([1, 2, 3, 4] if name.endswith("jsonl") else [2, 3, 4, 7])


@pytest.mark.parametrize(
    ("name", "text", "field", "problem"),
    [
        ("a.csv", "hidden,plain\na,b\n ,c\n", "line 3: hidden", "is empty"),
        ("a.csv", 'hidden,plain\n"a\nb",c\nd,\n', "line 4: plain", "is empty"),
        ("a.csv", "hidden,plain\na\n", "line 2", "has 1 cells where the header has 2"),
        ("a.csv", "hidden,plain\nhello, world,hello world\n", "line 2", "has 3 cells where the header has 2"),
        ("a.csv", 'hidden,plain\n"a"x,b\n', "line 2", "is no table row"),
        (
            "a.csv",
            "text,plain\na,b\n",
            "line 1",
            "has not the columns 'hidden' and 'plain' once each, it is: text,plain",
        ),
        ("a.csv", "hidden,plain,plain\na,b,c\n", "line 1", "once each"),
        ("a.csv", "", "line 1", "has not the columns"),
        ("a.csv", "hidden,plain\n\n", "", "holds no rows below its header"),
        ("a.csv", b"hidden,plain\n\xff,b\n", "", "is not UTF-8"),
        ("a.csv", f"hidden,plain\na,{'b' * 8001}\n", "line 2: plain", "has 8001 characters"),
        ("a.jsonl", '{"hidden": "a"}\n', "line 1: plain", "is missing, the keys are hidden"),
        ("a.jsonl", '{"hidden": "a", "plain": 3}\n', "line 1: plain", "holds a int, write a text"),
        ("a.jsonl", '\n{"hidden": "\\ud83d", "plain": "b"}\n', "line 2: hidden", "half a surrogate pair"),
        ("a.jsonl", "{\n", "line 1", "is not JSON"),
        ("a.jsonl", "", "", "holds no rows"),
        ("a.xlsx", "", "", "give a file that ends in one of .csv, .tsv, .jsonl, .ndjson"),
    ],
)
def test_a_fault_is_named_by_line_and_column(
    tmp_path: Path, name: str, text: str | bytes, field: str, problem: str
) -> None:
    path = write(tmp_path / name, text)
    with pytest.raises(InputFileError) as caught:
        import_pairs(path, tmp_path / "set", obfuscated="hidden", plain="plain", licence="CC0")
    assert (caught.value.path, caught.value.field) == (path, field)
    assert problem in caught.value.problem
    assert not (tmp_path / "set").exists()


def imported(tmp_path: Path, text: str | None = None, name: str = "a.csv") -> tuple[Path, TransferManifest]:
    path = write(tmp_path / name, text or FILES[name])
    folder = tmp_path / "set"
    manifest = import_pairs(path, folder, obfuscated="hidden", plain="plain", licence="CC BY 4.0, by somebody")
    return folder, manifest


def test_an_imported_set_reads_back_and_can_be_scored(tmp_path: Path) -> None:
    folder, manifest = imported(tmp_path)
    assert (manifest.source, manifest.licence) == ("a", "CC BY 4.0, by somebody")
    assert (manifest.rows, manifest.messages, manifest.with_entry, manifest.unchanged) == (4, 4, 1, 1)
    tasks = list(load_transfer(folder))
    assert {(t.message.messages[0].content, t.gold.messages[0].text) for t in tasks} == set(PAIRS)
    assert [task.sample_id for task in tasks] == sorted(task.sample_id for task in tasks)
    assert [t.gold.entry for t in tasks if t.gold.entry] == ["kab.cd.test"]
    for _, message, gold in tasks:
        entries = (EntryCandidate(rank=1, value=gold.entry),) if gold.entry else ()
        right = Commit(
            reconstructed_messages=gold.messages, intent=gold.intent, platform=gold.platform, entry_candidates=entries
        )
        assert score_restoration(right, gold).full
        shown = RestoredMessage(message_id="m001", text=message.messages[0].content)
        assert score_restoration(Commit(reconstructed_messages=(shown,)), gold).message_exact == (
            message.messages[0].content == gold.messages[0].text
        )


def test_rows_without_a_trace_say_so(tmp_path: Path) -> None:
    folder, _ = imported(tmp_path)
    for line in (folder / GOLD).read_text(encoding="utf-8").splitlines():
        row = GoldRow.model_validate_json(line)
        assert (row.recipe, row.form, row.trace.stages, row.severity) == ("imported", "imported", {}, None)
        assert row.intent == "UNKNOWN"


def test_ids_depend_on_the_texts_and_not_on_their_place(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    folder, _ = imported(tmp_path)
    lines = table(",").rstrip().rsplit("\r\n", 1)
    header, rest = lines[0].split("\r\n", 1)
    moved, _ = imported(tmp_path / "b", f"{header}\r\n{lines[1]}\r\n{rest}\r\n")
    assert (folder / INPUTS).read_bytes() == (moved / INPUTS).read_bytes()
    assert (folder / GOLD).read_bytes() == (moved / GOLD).read_bytes()


def test_repeats_are_left_out_and_named(tmp_path: Path) -> None:
    _, manifest = imported(tmp_path, "hidden,plain\na,b\nc,d\na,b\na,x\n")
    assert [(r.line, r.first, r.agrees) for r in manifest.repeats] == [(4, 2, True), (5, 2, False)]
    assert (manifest.rows, manifest.messages) == (4, 2)


def test_a_licence_and_a_free_folder_are_required(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", FILES["a.csv"])
    with pytest.raises(ConfigError, match="licence: is empty"):
        import_pairs(path, tmp_path / "set", obfuscated="hidden", plain="plain", licence=" ")
    with pytest.raises(ConfigError, match="Both columns are 'plain'"):
        import_pairs(path, tmp_path / "set", obfuscated="plain", plain="plain", licence="CC0")
    with pytest.raises(InputFileError, match="give a new or an empty folder"):
        import_pairs(path, tmp_path, obfuscated="hidden", plain="plain", licence="CC0")


def test_a_changed_or_foreign_folder_is_refused(tmp_path: Path) -> None:
    folder, _ = imported(tmp_path)
    with (folder / INPUTS).open("a", encoding="utf-8") as file:
        file.write("\n")
    with pytest.raises(InputFileError, match=r"is not the file that manifest\.json names"):
        list(load_transfer(folder))
    (folder / MANIFEST).write_text("{}", encoding="utf-8")
    with pytest.raises(InputFileError, match="Field required"):
        list(load_transfer(folder))
    with pytest.raises(InputFileError, match="give the folder of an import"):
        list(load_transfer(tmp_path))


def repinned(folder: Path, name: str, data: bytes) -> None:
    """Change a file of a set and the hash that its manifest has of it."""
    (folder / name).write_bytes(data)
    manifest = json.loads((folder / MANIFEST).read_bytes())
    manifest["sha256"][name] = hashlib.sha256(data).hexdigest()
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


@pytest.mark.parametrize("name", [INPUTS, GOLD])
def test_a_set_that_lacks_a_file_is_refused_by_its_name(tmp_path: Path, name: str) -> None:
    folder, _ = imported(tmp_path)
    (folder / name).unlink()
    with pytest.raises(InputFileError, match="cannot be read") as caught:
        list(load_transfer(folder))
    assert caught.value.path == folder / name


def test_gold_that_does_not_belong_to_the_inputs_is_refused(tmp_path: Path) -> None:
    folder, _ = imported(tmp_path)
    lines = (folder / GOLD).read_bytes().splitlines(keepends=True)
    for gold in (lines[:-1], [*lines, lines[0]]):
        repinned(folder, GOLD, b"".join(gold))
        with pytest.raises(InputFileError, match=r"has not as many rows as inputs\.jsonl"):
            list(load_transfer(folder))
    repinned(folder, GOLD, b"".join(reversed(lines)))
    with pytest.raises(InputFileError, match="' where inputs") as caught:
        next(load_transfer(folder))
    assert caught.value.field == "line 1: sample_id"


@pytest.mark.parametrize("names", [[], [INPUTS], [INPUTS, GOLD, "../../secret"], ["../../secret"]])
def test_a_manifest_names_the_two_files_and_no_other(tmp_path: Path, names: list[str]) -> None:
    folder, _ = imported(tmp_path)
    manifest = json.loads((folder / MANIFEST).read_bytes())
    manifest["sha256"] = {name: manifest["sha256"].get(name, "0" * 64) for name in names}
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    for read in (lambda: list(load_transfer(folder)), lambda: audit(folder)):
        with pytest.raises(InputFileError, match=r"must name inputs\.jsonl and gold\.jsonl, nothing else") as caught:
            read()
        assert caught.value.field == "sha256"


@pytest.mark.parametrize(
    ("plain", "entry"),
    [
        ("看kab.cd.test。", "kab.cd.test"),
        ("看 KAB.Cd.TEST", "kab.cd.test"),
        ("Go to https://kab.cd.test/x.", "kab.cd.test"),
        ("It is kab.cd.test. Go", "kab.cd.test"),
        ("看...kab.cd.test...", "kab.cd.test"),
        ("看 sub.kab.cd.test", None),
        ("看 SUB.kab.cd.test", None),
        ("看 sub-kab.cd.test", None),
        ("看 κkab.cd.test", None),
        ("看 kab.cd.testｓ", None),
        ("看 kab.cd.test.com", None),
        ("看 kab.cd.test.COM", None),
        ("看 kab.cd.testing", None),
        ("看 kab.cd.test-x.com", None),
        ("看 \u212aab.cd.test", None),
        ("看 kab.cd.test 和 kab.ce.test", None),
    ],
)
def test_an_entry_is_a_whole_address_in_any_case(tmp_path: Path, plain: str, entry: str | None) -> None:
    folder, manifest = imported(tmp_path, f'hidden,plain\n某,"{plain}"\n')
    ((_, _, gold),) = load_transfer(folder)
    assert (gold.entry, manifest.with_entry) == (entry, int(entry is not None))
    results = {result.name: result.status for result in audit(folder)}
    assert (results["entries"], results["canonical texts"]) == ("PASS", "PASS")


def test_a_ceiling_that_nobody_computed_is_not_claimed(tmp_path: Path) -> None:
    folder, _ = imported(tmp_path)
    assert {value for _, _, gold in load_transfer(folder) for value in gold.ceilings.values()} == {None}


def test_texts_that_differ_by_where_a_separator_stands_have_ids_of_their_own(tmp_path: Path) -> None:
    texts = [("a\x1fb", "c"), ("a", "b\x1fc"), ("a\x1e1b", "c"), ("a\x1eb", "c")]
    folder, _ = imported(tmp_path, "".join(json.dumps({"hidden": a, "plain": b}) + "\n" for a, b in texts), "a.jsonl")
    tasks = list(load_transfer(folder))
    assert len({task.sample_id for task in tasks}) == len(tasks) == len(texts)


def test_the_audit_knows_imported_sets(tmp_path: Path) -> None:
    folder, _ = imported(tmp_path)
    results = {result.name: result for result in audit(folder)}
    assert {name for name, r in results.items() if r.status == "SKIPPED"} == {
        "traces", "platform codes", "unlinkable ids", "disjoint pools", "parity",
    }  # fmt: skip
    assert {r.status for r in results.values()} == {"PASS", "SKIPPED"}
    (tmp_path / "live").mkdir()
    live, _ = imported(tmp_path / "live", "hidden,plain\n上abc。com,上abc.com\n")
    assert [r.name for r in audit(live) if r.status == "FAIL"] == ["live domains"]


@given(
    st.lists(
        st.tuples(*[st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)] * 2),
        min_size=1,
        max_size=4,
        unique_by=lambda pair: pair[0],
    ).filter(lambda pairs: all(a.strip() and b.strip() for a, b in pairs))
)
@settings(deadline=None)
def test_any_text_survives_the_import(tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]) -> None:
    folder = tmp_path_factory.mktemp("any")
    path = write(folder / "a.jsonl", "".join(json.dumps({"o": a, "p": b}) + "\n" for a, b in pairs))
    import_pairs(path, folder / "set", obfuscated="o", plain="p", licence="CC0")
    read = {(m.messages[0].content, g.messages[0].text) for _, m, g in load_transfer(folder / "set")}
    assert read == set(pairs)


def run(*arguments: str | Path) -> Result:
    app = typer.Typer(cls=Commands)
    app.add_typer(messages_app, name="messages")
    return CliRunner().invoke(app, ["messages", "import", *map(str, arguments)])


def test_the_command_imports_and_reports(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "hidden,plain\nabcd,abcx\nabcd,abcd\n同,同\n")
    columns = ("--obfuscated", "hidden", "--plain", "plain", "--licence", "CC0", "--out", tmp_path / "set")
    done = run(path, *columns, "--source", "mine", "--platform", "qq", "--surface", "LIVE_CHAT", "--check")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["source"] == "mine"
    assert "Line 3 was left out: it repeats line 2, with another plain text." in done.stderr
    assert "Mean CER between the two columns: 12.5%" in done.stderr
    assert mean_cer(tmp_path / "set") == 0.125
    assert {(t.message.platform, t.message.surface) for t in load_transfer(tmp_path / "set")} == {("qq", "LIVE_CHAT")}
    again = run(path, *columns)
    assert (again.exit_code, again.stdout) == (2, "")
    assert "give a new or an empty folder" in again.stderr
    assert run(path, *columns[:4], "--out", tmp_path / "other").exit_code == 2
