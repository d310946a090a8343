"""``riskchain audit sites`` holds messages, pairing, ids and names of chains against what they must be."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from forging import Row, first, offenders, replant, statuses


@pytest.fixture
def forged(folder: Path, tmp_path: Path) -> Path:
    """A copy of the small release, to be changed."""
    shutil.copytree(folder, tmp_path / "r")
    return tmp_path / "r"


def _intent(row: Row) -> None:
    row["message"]["intent"] = "UNKNOWN"


def _entry(row: Row) -> None:
    row["message"]["entry"] = f"x{row['message']['entry']}"


def _entry_everywhere(row: Row) -> None:
    message = row["message"]
    old, message["entry"] = message["entry"], f"x{message['entry']}"
    for said in message["messages"]:
        said["text"] = said["text"].replace(old, message["entry"])


def _trace(row: Row) -> None:
    row["message"]["traces"].pop("v000")


def _recipe(row: Row) -> None:
    row["message"]["traces"]["v000"]["recipe"] = "another"


def _skeleton(row: Row) -> None:
    row["message"]["skeleton"] = "another"


def _content(row: Row) -> None:
    row["variants"]["v000"]["messages"][0]["content"] += "呀"


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("gold", _intent),
        ("gold", _entry),
        ("gold", _entry_everywhere),
        ("gold", _trace),
        ("gold", _recipe),
        ("gold", _skeleton),
        ("public", _content),
    ],
)
@pytest.mark.parametrize("split", ["dev", "mini"])
def test_a_message_that_says_something_else_is_found(
    forged: Path, split: str, file: str, change: Callable[[Row], None]
) -> None:
    replant(forged, f"{split}/{file}.jsonl", first(change))
    assert offenders(forged, "messages")


def _rotated(part: str) -> Callable[[list[Row]], None]:
    def rotate(rows: list[Row]) -> None:
        moved = [row[part] for row in rows]
        for row, value in zip(rows, [*moved[1:], moved[0]], strict=True):
            row[part] = value

    return rotate


@pytest.mark.parametrize("split", ["hard", "dev", "mini"])
def test_sites_behind_other_messages_are_found(forged: Path, split: str) -> None:
    for file in ("public", "gold"):
        replant(forged, f"{split}/{file}.jsonl", _rotated("site"))
    found = statuses(forged)
    assert found["pairing"] == "FAIL"
    assert found["numbers"] == found["pool"] == found["messages"] == "PASS"


def test_messages_before_other_sites_are_found(forged: Path) -> None:
    for part in ("variants", "recipes"):
        replant(forged, "dev/public.jsonl", _rotated(part))
    replant(forged, "dev/gold.jsonl", _rotated("message"))
    assert offenders(forged, "messages") == ()
    assert any("the seed gives" in offender for offender in offenders(forged, "pairing"))


def test_hard_has_the_sites_of_test(forged: Path) -> None:
    replant(forged, "hard/gold.jsonl", first(lambda row: row["site"].update(label_source="human")))
    assert any("not one of 'test', or not the same" in offender for offender in offenders(forged, "pairing"))


@pytest.mark.parametrize(
    ("file", "said"), [("gold.jsonl", "has no gold"), ("public.jsonl", "has gold and no public chain")]
)
def test_chains_without_their_other_half_are_named(forged: Path, file: str, said: str) -> None:
    replant(forged, f"dev/{file}", lambda rows: rows.pop(3))
    found = offenders(forged, "ids")
    assert any(said in offender for offender in found)
    assert any("the manifest says 15" in offender for offender in found)


def test_gold_that_comes_twice_and_chains_out_of_order_are_found(forged: Path) -> None:
    replant(forged, "dev/public.jsonl", lambda rows: rows.reverse())
    assert "dev/public.jsonl: chains are not in order of their ids" in offenders(forged, "ids")
    replant(forged, "train/gold.jsonl", lambda rows: rows.insert(0, rows[0]))
    assert offenders(forged, "ids")


def _state(name: str) -> Callable[[Row], None]:
    return lambda row: row["site"]["state"].update({name: 0})


def _page(row: Row) -> None:
    pages = row["site"]["pages"]
    pages["/core0v"] = next(iter(pages.values()))


def _id(row: Row) -> None:
    row["site"]["site_id"] = "violation123"


@pytest.mark.parametrize(
    "change",
    [
        lambda row: row["site"].update(slogan="VIOLATION"),
        lambda row: row["site"].update(slogan="Violation"),
        lambda row: row["site"].update(slogan="core0-V"),
        _state("isViolationSite"),
        _state("Core1-N"),
        _state("beyond"),
        _state("x_away_2"),
        lambda row: row["site"]["footer"].append({"text": "更多", "to": "/insufficientevidence"}),
        _id,
    ],
)
def test_names_and_words_that_tell_are_found(forged: Path, change: Callable[[Row], None]) -> None:
    replant(forged, "train/public.jsonl", first(change))
    assert offenders(forged, "public")


def test_words_of_a_page_are_no_names(forged: Path) -> None:
    replant(forged, "train/public.jsonl", first(lambda row: row["site"].update(slogan="A look beyond, far away")))
    assert offenders(forged, "public") == ()
