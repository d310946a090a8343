"""The audit: green on a clean folder; each planted breach turns its own check red and no other."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import typer
from audit_cases import (
    KEY,
    Row,
    append,
    case,
    dev_sessions,
    rename,
    rewrite,
    train_sessions,
    write_clean,
)
from typer.testing import CliRunner, Result

from riskchain_gym.cli import Commands
from riskchain_gym.cli_audit import audit_app
from riskchain_gym.messages.audit.result import CheckResult
from riskchain_gym.messages.audit.run import CHECKS, audit
from riskchain_gym.messages.bank import load_bank
from riskchain_gym.messages.plans import PAPER_PLATFORMS
from riskchain_gym.messages.pools import Pool
from riskchain_gym.messages.rows import ALIGNMENT, GOLD, INPUTS, MANIFEST, InputRow
from riskchain_gym.messages.session import SURFACES
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.keyed import keyed_id
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface

Found = Mapping[str, list[Row]]


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("messages") / "clean"
    write_clean(folder)
    return folder


@pytest.fixture
def folder(clean: Path, tmp_path: Path) -> Path:
    """A copy of the clean folder, to plant something in."""
    return shutil.copytree(clean, tmp_path / "planted")


def red(folder: Path) -> dict[str, CheckResult]:
    return {result.name: result for result in audit(folder) if result.status == "FAIL"}


def only(folder: Path, name: str) -> CheckResult:
    """The result of the one check that is red."""
    found = red(folder)
    assert set(found) == {name}, {other: result.offenders for other, result in found.items()}
    return found[name]


def test_a_clean_folder_is_green_and_says_what_was_looked_at(clean: Path) -> None:
    results = {result.name: result for result in audit(clean)}
    assert list(results) == [check.name for check in CHECKS]
    assert {name: r.status for name, r in results.items() if r.status != "PASS"} == {"parity": "SKIPPED"}
    assert all(result.count > 50 for name, result in results.items() if name not in ("files", "parity"))
    assert (results["files"].count, results["entries"].looked_at) == (6, "addresses")
    assert "no split 'test'" in results["parity"].looked_at


def entries_in_the_order_of_ids(found: Found) -> None:
    ids = sorted(row["session_id"] for row in found[GOLD])
    by_entry = sorted(found[GOLD], key=lambda row: row["entry"])
    rename(found, {row["session_id"]: new for row, new in zip(by_entry, ids, strict=True)})


def label_in_the_id(found: Found) -> None:
    row = found[GOLD][3]
    rename(found, {row["session_id"]: row["entry"].partition(".")[0] + row["session_id"][-6:]})


def id_opens_with_the_labels_first_letter_moved(found: Found) -> None:
    moved = {c: "mzqfhbcdegijlnoprstuvwxy0123456789ka"[ord(c) % 36] for c in "akw"}
    rename(found, {r["session_id"]: moved[r["entry"][0]] + r["session_id"][1:] for r in found[GOLD]})


def foreign_code(found: Found) -> None:
    place = next(place for place, row in enumerate(found[INPUTS]) if row["platform"] != Platform.BAIDU_TIEBA)
    append(found, place, "#(滑稽)", rule="token:baidu_tieba")


def foreign_code_in_plain_words(found: Found) -> None:
    place = next(place for place, row in enumerate(found[INPUTS]) if row["platform"] == Platform.QQ)
    append(found, place, "[tv_流泪]")


def broken_trace(found: Found) -> None:
    edit = found[GOLD][5]["trace"]["stages"]["m001"][0]["edits"][0]
    edit["before"] = "错" * len(edit["before"])


def broken_alignment(found: Found) -> None:
    row = found[ALIGNMENT][5]
    row["operations"] = row["operations"].replace("D", "K", 1)


def gold_field(found: Found) -> None:
    found[INPUTS][4]["gold"] = {"entry": "?"}


def gold_field_within(found: Found) -> None:
    found[INPUTS][4]["messages"][0]["Gold-Reconstruction"] = []


def credential(found: Found) -> None:
    append(found, 2, "，密钥 sk-test-0123456789abcdefghij")


def private_path(found: Found) -> None:
    append(found, 2, "，见 /home/ming/notes")


def rows_out_of_order(found: Found) -> None:
    found[INPUTS].reverse()


def gold_row_missing(found: Found) -> None:
    dropped = found[GOLD].pop(0)
    found[ALIGNMENT][:] = [row for row in found[ALIGNMENT] if row["sample_id"] != dropped["sample_id"]]


def row_twice(found: Found) -> None:
    again = json.loads(json.dumps(found[INPUTS][0]))
    again["messages"][0]["content"] += "？"
    found[INPUTS].insert(1, again)


def entry_named_twice(found: Found) -> None:
    append(found, 6, f"，{found[GOLD][6]['entry']}")


@pytest.mark.parametrize(
    ("plant", "name", "offender"),
    [
        (entries_in_the_order_of_ids, "unlinkable ids", "the order of ids and the order of first labels go together"),
        (label_in_the_id, "unlinkable ids", "holds the label"),
        (id_opens_with_the_labels_first_letter_moved, "unlinkable ids", "character 1 of the id and character 1 of"),
        (foreign_code, "platform codes", "'#(滑稽)' is no code of"),
        (foreign_code_in_plain_words, "platform codes", "'[tv_流泪]' is no code of qq"),
        (broken_trace, "traces", "m001 the trace leads back to"),
        (broken_alignment, "traces", "m001 the alignment does not lead to the canonical text"),
        (gold_field, "gold separation", "holds the gold field 'gold'"),
        (gold_field_within, "gold separation", "holds the gold field 'messages.0.Gold-Reconstruction'"),
        (credential, "credentials", "holds a service key"),
        (private_path, "credentials", "holds a private path"),
        (rows_out_of_order, "ids", "stands after a higher id"),
        (gold_row_missing, "ids", "is only in the inputs"),
        (row_twice, "ids", "comes again"),
        (entry_named_twice, "canonical texts", "names {"),
    ],
)
def test_a_planted_breach_turns_its_own_check_red(
    folder: Path, plant: Callable[[Found], None], name: str, offender: str
) -> None:
    rewrite(folder, "train", plant)
    result = only(folder, name)
    assert any(offender in line and line.startswith("train") for line in result.offenders), result.offenders


@pytest.mark.parametrize(("host", "rule"), [("abc.com", ""), ("http://1.2.3.4/", ""), ("ａｂｃ．ｃｏｍ", "noise")])
def test_a_live_domain_is_found(folder: Path, host: str, rule: str) -> None:
    rewrite(folder, "train", lambda found: append(found, 7, f"，{host}", rule=rule))
    assert all("names '" in line for line in only(folder, "live domains").offenders)


def test_what_no_build_wrote_is_found(folder: Path) -> None:
    (folder / "train" / ".gold.jsonl.abc").write_text("{}")
    (folder / "answers.json").write_text("{}")
    (folder / "extra").symlink_to(folder / "train")
    assert [line.partition(":")[0] for line in only(folder, "files").offenders] == [
        "answers.json",
        "extra",
        "train/.gold.jsonl.abc",
    ]


def test_a_public_part_with_alignments_holds_answers(folder: Path) -> None:
    for gold in folder.glob(f"*/{GOLD}"):
        gold.unlink()
    assert any("holds the answers" in line for line in only(folder, "files").offenders)


def test_nothing_hides_in_the_ids_of_messages(folder: Path) -> None:
    def hide(found: Found) -> None:
        found[INPUTS][0]["messages"][0]["message_id"] = "kab-cd"

    rewrite(folder, "dev", hide)
    failed = {r.name: r for r in audit(folder) if r.status == "FAIL"}
    assert any("has the message id 'kab-cd', not m001" in line for line in failed["ids"].offenders)


def test_a_line_nested_without_end_is_a_wrong_row(folder: Path) -> None:
    with (folder / "dev" / INPUTS).open("a", encoding="utf-8") as file:
        file.write('{"a":' * 900 + "1" + "}" * 900 + "\n")
    failed = {r.name: r for r in audit(folder) if r.status == "FAIL"}
    assert any("is nested over 60 deep" in line for line in failed["rows"].offenders)


def test_wrong_hashes_are_told_apart(folder: Path) -> None:
    def flip(found: Found) -> None:
        found[INPUTS][0]["task_sha256"] = "0" * 64

    rewrite(folder, "dev", flip, rehash=False)
    assert "task_sha256 is 000000000000…, the row hashes to" in only(folder, "rows").offenders[0]
    write_clean(folder)
    with (folder / "dev" / GOLD).open("ab") as file:
        file.write(b"\n")
    assert only(folder, "files").offenders[0].startswith("dev/gold.jsonl: hashes to")


def test_a_row_that_is_none_is_a_finding(folder: Path) -> None:
    path = folder / "dev" / INPUTS
    lines = path.read_text(encoding="utf-8").splitlines()
    twice = lines[1].replace('{"', '{"platform":"qq","', 1)
    path.write_text("\n".join(["{", twice, *lines[2:]]) + "\n", encoding="utf-8")
    problems = red(folder)["rows"].offenders
    assert "is not JSON" in problems[0]
    assert "has the key 'platform' twice" in problems[1]


def test_an_address_belongs_to_one_session(tmp_path: Path) -> None:
    train, bank = train_sessions(), load_bank(pool=Pool.TRAIN)
    skeletons = [s for s in bank.skeletons if s.is_parity]
    train[1:2] = [case(KEY, 900, skeletons[0], bank, entry="one"), case(KEY, 901, skeletons[1], bank, entry="one")]
    write_clean(tmp_path, train=train)
    assert "belongs to train" in only(tmp_path, "entries").offenders[0]


def test_a_disguised_variant_may_not_repeat_another(folder: Path) -> None:
    def repeat(found: Found) -> None:
        gold = {row["sample_id"]: row for row in found[GOLD]}
        inputs = {row["sample_id"]: row for row in found[INPUTS]}
        other = next(name for name in gold if name.endswith("v001") and gold[name]["trace"]["stages"]["m001"])
        one = other.replace("v001", "v000")
        inputs[one]["messages"] = inputs[other]["messages"]
        gold[one]["trace"]["stages"] = gold[other]["trace"]["stages"]
        aligned = {(row["sample_id"], row["message_id"]): row for row in found[ALIGNMENT]}
        for message in inputs[one]["messages"]:
            source = aligned[other, message["message_id"]]
            aligned[one, message["message_id"]].update(operations=source["operations"], targets=source["targets"])

    rewrite(folder, "dev", repeat)
    assert "has the contents of" in only(folder, "duplicates").offenders[0]


def test_pools_share_no_skeleton_and_no_word_pair(folder: Path, tmp_path: Path) -> None:
    taken = json.loads((folder / "train" / GOLD).open(encoding="utf-8").readline())["skeleton"]

    def share(found: Found) -> None:
        first = found[GOLD][0]["session_id"]
        for row in found[GOLD]:
            if row["session_id"] == first:
                row["skeleton"] = taken

    rewrite(folder, "dev", share)
    assert f"skeleton {taken} of pool 'dev' is in pool 'train' too" in only(folder, "disjoint pools").offenders[0]
    bank = load_bank(pool=Pool.TRAIN)
    write_clean(tmp_path / "pairs", dev=dev_sessions(word_pairs=bank))
    offenders = only(tmp_path / "pairs", "disjoint pools").offenders
    assert any("pair " in line and " → " in line for line in offenders)


def test_a_word_pair_from_another_table_is_the_same_pair(folder: Path) -> None:
    def first(found: Found) -> Row:
        return next(e for row in found[GOLD] for e in word_pairs_of(row))

    def word_pairs_of(row: Row) -> list[Row]:
        stages = [stage for each in row["trace"]["stages"].values() for stage in each]
        return [edit for stage in stages for edit in stage["edits"] if edit["rule"] in ("homophone", "glyph", "split")]

    taken: list[Row] = []
    rewrite(folder, "train", lambda found: taken.append(dict(first(found))))
    rewrite(folder, "dev", lambda found: first(found).update(taken[0], rule="variant"))
    pair = f"pair {taken[0]['before']} → {taken[0]['after']} of pool"
    assert any(pair in line for line in red(folder)["disjoint pools"].offenders)


def test_held_out_codes_stay_out_of_training(tmp_path: Path) -> None:
    train, key = train_sessions(), KEY
    bank = load_bank(pool=Pool.TRAIN)
    held_out = load_bank(pool=Pool.OOD).profiles
    mixed = type(bank)(skeletons=bank.skeletons, lexicon=bank.lexicon, profiles=held_out)
    train[0] = case(key, 700, next(s for s in bank.skeletons if s.is_parity), mixed, platform=Platform.WEIBO)
    write_clean(tmp_path, train=train)
    assert "is held out, but in pool 'train'" in only(tmp_path, "disjoint pools").offenders[0]


def test_wording_may_not_go_with_the_entry(tmp_path: Path) -> None:
    bank, key = load_bank(pool=Pool.TRAIN), KEY
    skeletons = sorted((s for s in bank.skeletons if s.is_parity), key=lambda s: len(s.messages[0].text))[:100]
    labels = sorted(
        map(str, range(len(skeletons))), key=lambda label: case(key, 0, skeletons[0], bank, entry=label).gold.entry
    )
    train = [case(key, n, s, bank, entry=label) for n, (s, label) in enumerate(zip(skeletons, labels, strict=True))]
    write_clean(tmp_path, train=train)
    assert "the length of the wording and the order of first labels" in "".join(
        only(tmp_path, "unlinkable ids").offenders
    )


def test_what_others_say_is_not_changed(folder: Path) -> None:
    def change(found: Found) -> None:
        row = next(r for r in found[INPUTS] if any(m["role"] != "sender" for m in r["messages"]))
        next(m for m in row["messages"] if m["role"] != "sender")["content"] += "哦"

    rewrite(folder, "dev", change)
    only(folder, "traces")


def test_a_public_part_is_checked_as_far_as_it_goes(folder: Path) -> None:
    for split in ("train", "dev"):
        (folder / split / GOLD).unlink()
        (folder / split / ALIGNMENT).unlink()
    results = {result.name: result for result in audit(folder)}
    assert {name for name, r in results.items() if r.status == "SKIPPED"} == {
        "traces", "entries", "canonical texts", "unlinkable ids", "disjoint pools", "parity",
    }  # fmt: skip
    assert {r.status for r in results.values()} == {"PASS", "SKIPPED"}
    assert results["traces"].looked_at == "the folder holds no gold"
    (folder / "train" / GOLD).write_bytes(b"")
    assert "dev/gold.jsonl: is missing, manifest.json pins it" in red(folder)["files"].offenders


def parity_rows() -> list[InputRow]:
    """Public rows of the shape of the published set."""
    rows = []
    for number in range(600):
        session = keyed_id(KEY, "parity", str(number))
        for variant in range(6):
            message = Message(
                platform=PAPER_PLATFORMS[number % 6],
                surface=SURFACES[number % 4],
                messages=(ChatMessage(message_id="m001", content=f"第 {number} 条，第 {variant} 种"),),
            )
            rows.append(InputRow.of(f"{session}--v{variant:03d}", message))
    return sorted(rows, key=lambda row: row.sample_id)


def write_public(folder: Path, rows: list[InputRow]) -> None:
    (folder / "test").mkdir(parents=True, exist_ok=True)
    (folder / "test" / INPUTS).write_text("".join(f"{row.model_dump_json()}\n" for row in rows), encoding="utf-8")
    pins = {"pool": "test", "sessions": 600, "messages": 3600, "sha256": {}}
    manifest = {"schema_version": "riskchain-messages/v1", "origin": "open", "seed": 1, "versions": {}}
    (folder / MANIFEST).write_text(json.dumps({**manifest, "splits": {"test": pins}}), encoding="utf-8")


def test_the_test_split_has_the_published_shape(tmp_path: Path) -> None:
    rows = parity_rows()
    write_public(tmp_path, rows)
    assert {r.name: r.status for r in audit(tmp_path)}["parity"] == "PASS"
    live = rows[7].message().model_copy(update={"surface": Surface.LIVE_CHAT})
    write_public(tmp_path, [*rows[:7], InputRow.of(rows[7].sample_id, live), *rows[8:-1]])
    offenders = red(tmp_path)["parity"].offenders
    assert any("LIVE_CHAT" in line for line in offenders)
    assert any("has not the variants v000 to v005 once each" in line for line in offenders)


def run(*arguments: str | Path) -> Result:
    app = typer.Typer(cls=Commands)
    app.add_typer(audit_app, name="audit")
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_the_command_prints_a_table_and_says_by_its_exit_code_what_came_of_it(folder: Path, tmp_path: Path) -> None:
    fine = run("audit", "messages", folder)
    assert fine.exit_code == 0
    assert "✓" in fine.stdout
    assert "✗ " not in fine.stdout.replace("✗ breached", "")
    rewrite(folder, "train", gold_field)
    broken = run("audit", "messages", folder)
    assert broken.exit_code == 1
    assert "gold separation: train" in broken.stdout
    as_json = run("audit", "messages", folder, "--json")
    assert as_json.exit_code == 1
    found = {check["name"]: check for check in json.loads(as_json.stdout)}
    assert (found["gold separation"]["status"], found["gold separation"]["breaches"]) == ("FAIL", 1)
    for unreadable in (tmp_path / "nowhere", tmp_path):
        refused = run("audit", "messages", unreadable)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert "manifest.json: cannot be read" in refused.stderr


def test_a_file_that_is_no_text_cannot_be_audited(folder: Path) -> None:
    (folder / "dev" / INPUTS).write_bytes(b'{"sample_id": "\xff"}\n')
    with pytest.raises(InputFileError, match="is not UTF-8"):
        audit(folder)
