"""A blind reading: packets that show a whole site and nothing of its gold, and figures that can be checked by hand."""

from __future__ import annotations

import json
import sys
from collections import Counter
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from riskchain_gym.benchmark.splits import load_gold, load_public
from riskchain_gym.protocol.codebook import CONCRETE_TYPES, MINIMUM_EVIDENCE, AnchorType, Decision, ViolationType
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.sites.build import build_site

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import blind_reading
from blind.packet import packet_text
from blind.rows import KeyRow, read_key
from blind.walking import walked

Row = dict[str, Any]


def called(*arguments: object) -> int:
    """Run the command in this process and return its exit code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["blind_reading.py", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            blind_reading.main()
    return int(ended.value.code or 0)


@pytest.fixture(scope="module")
def drawn(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A draw of 12 sites of the small release: ``out`` and ``key``."""
    place = tmp_path_factory.mktemp("blind")
    assert draw(folder, place) == 0
    return place


def draw(release: Path, place: Path, *more: object) -> int:
    return called("draw", "--release", release, "--out", place / "out", "--key", place / "key", "--sites", 12, *more)


def files(place: Path) -> dict[str, bytes]:
    return {str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(drawn: Path, folder: Path, tmp_path: Path) -> None:
    assert draw(folder, tmp_path / "again") == 0
    assert files(tmp_path / "again") == files(drawn)
    assert draw(folder, tmp_path / "other", "--seed", 1) == 0
    assert files(tmp_path / "other")["key/key.jsonl"] != files(drawn)["key/key.jsonl"]


def test_a_reader_is_given_packets_and_the_codebook_and_nothing_else(drawn: Path) -> None:
    found = [f"packets/{i:02}.txt" for i in range(1, 13)]
    assert sorted(files(drawn / "out")) == ["instructions.txt", *found]
    told = (drawn / "out" / "instructions.txt").read_text(encoding="utf-8")
    assert all(f"- {kind}: {MINIMUM_EVIDENCE[kind]}" in told for kind in CONCRETE_TYPES)
    assert all(f"- {decision} (type: " in told for decision in Decision)


def test_packets_hold_no_word_of_the_gold_and_nothing_of_the_message(drawn: Path, folder: Path) -> None:
    codes = {*map(str, (*Decision, *ViolationType, *AnchorType)), "atom"} - {"NONE", "UNKNOWN"}
    for packet, row in read_key(drawn / "key" / "key.jsonl").items():
        text = (drawn / "out" / "packets" / f"{packet}.txt").read_text(encoding="utf-8")
        split = f"{folder / row.split}/"
        gold = load_gold(split)[row.chain_id]
        public = next(chain for chain in load_public(split) if chain.chain_id == row.chain_id)
        names = {path.strip("/") for path in (*public.compiled_site.pages, *public.compiled_site.actions)} - {""}
        secret = {
            *codes, *names, row.chain_id, row.split, row.family, row.archetype, gold.site.site_id,
            gold.site.host_family, gold.message.entry, *(said.text for said in gold.message.messages),
        }  # fmt: skip
        assert [word for word in secret if word and word in text] == []


def test_the_names_of_real_families_and_archetypes_are_in_no_packet() -> None:
    golds = load_gold("mini")
    for chain in load_public("mini")[:10]:
        gold, text = golds[chain.chain_id].site, packet_text(chain.compiled_site, "01")
        assert gold.archetype not in text
        assert gold.lang == "en" or gold.family not in text
        assert [atom.text for atom in gold.atoms if atom.text not in text] == []


@pytest.mark.slow
def test_the_walk_passes_every_kind_of_gate() -> None:
    left = {path.stem for path in (Path(__file__).parents[2] / "sites" / "gates" / "zh-CN").glob("*.yaml")}
    assert len(left) == 17
    for number in count():
        site, gold = build_site("order-rebate", key_from_seed(1), f"site {number}", lang="zh-CN")
        if left.isdisjoint(gold.gates):
            continue
        left -= set(gold.gates)
        views = walked(site).views
        assert all(any(view.page.shows(a.text, a.picture) for view in views[a.path]) for a in gold.atoms), gold.gates
        if not left:
            break


def test_a_picture_a_table_and_a_control_are_written_down_as_a_person_sees_them() -> None:
    chains = {chain.chain_id: chain.compiled_site for chain in load_public("mini")}
    gold = next(g for g in load_gold("mini").values() if "picture" in g.site.gates)
    text = packet_text(chains[gold.chain_id], "07")
    assert text.startswith("SITE 07: ")
    for mark in ("\n[picture] ", "\n[button] ", "\n[text box] ", " → page 1", "\n=== Page 2: ", "what is new on it:\n"):
        assert mark in text
    said = [line for line in text.splitlines() if line.startswith("[link]")]
    assert all(" → page " in line for line in said)


def test_the_draw_has_its_shares_and_no_operator_twice_without_need(drawn: Path, folder: Path) -> None:
    key = read_key(drawn / "key" / "key.jsonl")
    assert Counter(row.split for row in key.values()) == {"ood": 4, "dev": 4, "test": 4}
    decisions = Counter((row.split, row.decision) for row in key.values())
    assert set(decisions.values()) <= {1, 2}
    assert len(decisions) == 9
    assert len({row.type for row in key.values()} - {"NONE", "UNKNOWN"}) == 3
    golds = {split: load_gold(f"{folder / split}/") for split in ("ood", "dev", "test")}
    hosts = {packet: golds[row.split][row.chain_id].site.host_family for packet, row in key.items()}
    for host in [host for host, times in Counter(hosts.values()).items() if times > 1]:
        choices = [
            {gold.site.host_family for gold in golds[row.split].values() if gold.site.decision is row.decision}
            for packet, row in key.items()
            if hosts[packet] == host
        ]
        assert any(choice <= {*hosts.values()} for choice in choices), "there was another operator to draw"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--sites", 8), "takes 9 sites"),
        (("--sites", 90), "draw fewer sites"),
        (("--split", "tset"), "There is no split"),
        (("--key", "out/key"), "lie in each other"),
        (("--out", "full"), "holds something already"),
    ],
)
def test_a_draw_that_cannot_be_made_leaves_nothing(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: tuple[object, object], said: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes").write_text("mine")
    option, value = more
    given = tmp_path / str(value) if option in ("--key", "--out") else value
    assert draw(folder, tmp_path, option, given) == 2
    assert said in capsys.readouterr().err
    assert list(files(tmp_path)) == ["full/notes"]


V, N, U = Decision
PHISHING, FRAUD = ViolationType.PHISHING_CREDENTIAL_THEFT, ViolationType.FRAUD_DECEPTIVE_INDUCEMENT
LABELS = {"01": (V, PHISHING), "02": (V, FRAUD), "03": (N, ViolationType.NONE), "04": (U, ViolationType.UNKNOWN)}
READ = {"01": (V, PHISHING), "02": (V, PHISHING), "03": (V, FRAUD), "04": (U, ViolationType.NONE)}
"""Decisions agree on 01, 02 and 04, types on 01 and 04; NONE is another way to write UNKNOWN."""


@pytest.fixture
def reading(tmp_path: Path) -> Path:
    """A folder with ``key.jsonl`` and ``answers.jsonl`` of four packets."""
    for packet, (decision, kind) in LABELS.items():
        atoms = ({"component": "claim", "type": str(FRAUD), "text": f"line of {packet}"},)
        row = KeyRow.model_validate(
            {
                "packet": packet,
                "sha256": "0" * 64,
                "split": "dev",
                "chain_id": f"chain{packet}",
                "lang": "en" if packet == "01" else "zh-CN",
                "family": "bank",
                "archetype": "bank-a",
                "decision": decision,
                "type": kind,
                "atoms": atoms,
            }
        )
        add(tmp_path / "key.jsonl", row.model_dump(mode="json"))
    for packet, (decision, kind) in READ.items():
        add(tmp_path / "answers.jsonl", answer(packet, decision, kind))
    return tmp_path


def answer(packet: str, decision: str, kind: str, **more: object) -> Row:
    said = {"quotes": [f"quote of {packet}"], "why": f"because of {packet}", "confidence": 4}
    return {"packet": packet, "decision": decision, "type": kind, **said, **more}


def add(path: Path, row: Row) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def compare(reading: Path, *more: object) -> int:
    given = ("--answers", reading / "answers.jsonl", "--key", reading / "key.jsonl", "--source", "model")
    return called("compare", *given, *more)


def test_figures_are_those_worked_out_by_hand(reading: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(reading, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    overall = found["overall"]
    assert (overall["decision"]["hits"], overall["label"]["hits"], overall["label"]["of"]) == (3, 2, 4)
    # Wilson, 2 of 4: (0.5 + z²/8 ± z sqrt(1/16 + z²/64)) / (1 + z²/4) with z = 1.96.
    assert (overall["label"]["low"], overall["label"]["high"]) == (
        pytest.approx(0.1500, abs=1e-4),
        pytest.approx(0.85, abs=1e-4),
    )
    # Decisions: 3 of 4 agree; by chance 2/4·3/4 (V) + 1/4·0 (N) + 1/4·1/4 (U) = 7/16; (12/16 - 7/16) / (9/16).
    assert overall["kappa_decision"] == pytest.approx(5 / 9)
    # Labels: 2 of 4; by chance 1/4·2/4 (phishing) + 1/4·1/4 (fraud) + 1/4·1/4 (U) = 4/16; (8/16 - 4/16) / (12/16).
    assert overall["kappa_label"] == pytest.approx(1 / 3)
    assert found["confusion"][N] == {V: 1, N: 0, U: 0}
    assert found["by"]["lang"]["en"]["label"]["hits"] == found["by"]["lang"]["en"]["label"]["of"] == 1
    assert [each["key"]["packet"] for each in found["disagreements"]] == ["02", "03"]
    assert found["verdicts"] == {"open": 2}


def test_every_disagreement_is_listed_with_both_sides_and_what_it_came_to(
    reading: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add(reading / "settled.jsonl", {"packet": "02", "verdict": "label right", "reason": "it asks for a transfer"})
    assert compare(reading, "--settled", reading / "settled.jsonl", "--out", reading / "found.md", "--markdown") == 0
    said = capsys.readouterr().out
    assert (reading / "found.md").read_text(encoding="utf-8") == said
    listed = said.partition("Disagreements: 2, 1 label right, 1 open.")[2]
    assert f"**02** (dev chain02, bank-a, zh-CN): label {FRAUD}, reader {PHISHING}, confidence 4." in listed
    assert f"label {N}, reader {FRAUD}" in listed
    for line in (f"- claim of {FRAUD}: line of 02", "- reader quotes: quote of 03", "- reader: because of 03",
                 "- settled, label right: it asks for a transfer", "- not settled"):  # fmt: skip
        assert line in listed
    assert "**01**" not in said
    assert "Read by a model: 4 of 4 packets." in said


def test_the_check_needs_agreement_every_answer_and_every_settlement(
    reading: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(reading, "--check") == 1
    said = capsys.readouterr().err
    assert "agree on 2 of 4 packets, less than 90%" in said
    assert "2 of 2 disagreements are not settled" in said
    (reading / "answers.jsonl").unlink()
    for packet in ("01", "02", "04"):
        add(reading / "answers.jsonl", answer(packet, *LABELS[packet]))
    assert compare(reading, "--check") == 1
    assert "1 of 4 packets have no answer: 03" in capsys.readouterr().err
    add(reading / "answers.jsonl", answer("03", *LABELS["03"]))
    assert compare(reading, "--check") == 0
    assert "kappa" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (answer("05", V, FRAUD), "'05' is not in the key"),
        (answer("01", V, FRAUD), "more than once"),
        (answer("04", V, ViolationType.NONE), "type: VIOLATION needs one of the nine"),
        (answer("04", V, ViolationType.OTHER_PROHIBITED_ACTIVITY, why="bad"), "why: OTHER_PROHIBITED_ACTIVITY needs"),
        (answer("04", N, ViolationType.NONE, quotes=["a"] * 5), "quotes"),
        (answer("04", N, ViolationType.NONE, confidence=6), "confidence"),
    ],
)
def test_an_answer_that_is_none_is_named(
    reading: Path, capsys: pytest.CaptureFixture[str], row: Row, said: str
) -> None:
    lines = (reading / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    (reading / "answers.jsonl").write_text("\n".join(lines[:3]) + "\n", encoding="utf-8")
    add(reading / "answers.jsonl", row)
    assert compare(reading) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "answers.jsonl: line 4" in err
    assert said in err


def test_what_nobody_disputes_is_not_settled(reading: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add(reading / "settled.jsonl", {"packet": "01", "verdict": "reader right", "reason": "none"})
    assert compare(reading, "--settled", reading / "settled.jsonl") == 2
    assert "Packet 01 is settled, but reader and label agree" in capsys.readouterr().err


def test_quotes_are_looked_up_in_the_packets_of_the_key(
    drawn: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = drawn / "key" / "key.jsonl"
    for packet, row in read_key(key).items():
        quotes = [row.atoms[0].text, "words that no site shows"]
        add(tmp_path / "answers.jsonl", answer(packet, row.decision, row.type, quotes=quotes, why="a policy named"))
    given = ("--answers", tmp_path / "answers.jsonl", "--key", key, "--source", "human", "--check")
    assert called("compare", *given, "--packets", drawn / "out" / "packets") == 0
    assert "word for word: 12 of 24." in capsys.readouterr().out
    (tmp_path / "packets").mkdir()
    for path in (drawn / "out" / "packets").iterdir():
        (tmp_path / "packets" / path.name).write_text(path.read_text(encoding="utf-8") + "more", encoding="utf-8")
    assert called("compare", *given, "--packets", tmp_path / "packets") == 2
    assert "is not the packet of the key" in capsys.readouterr().err
