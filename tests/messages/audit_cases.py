"""Small folders of messages to audit, and ways to plant breaches in them that leave every hash right."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from riskchain_gym.messages.alignment import AlignmentRow
from riskchain_gym.messages.bank import MessageBank, load_bank
from riskchain_gym.messages.build import BuiltSplit, write_messages
from riskchain_gym.messages.compose import plain_session
from riskchain_gym.messages.entries import EntryStyle
from riskchain_gym.messages.pools import Pool
from riskchain_gym.messages.rows import ALIGNMENT, GOLD, INPUTS, MANIFEST, GoldRow, InputRow, row_sha256
from riskchain_gym.messages.session import Session, write_session
from riskchain_gym.messages.skeletons import Skeleton
from riskchain_gym.messages.trace import alignment
from riskchain_gym.protocol.keyed import derive_key, key_from_seed, keyed_id
from riskchain_gym.protocol.message import Platform, Surface

KEY = key_from_seed(77)
HASHES = {INPUTS: "task_sha256", GOLD: "record_sha256", ALIGNMENT: "record_sha256"}

Row = dict[str, Any]


def case(
    key: bytes,
    number: int,
    skeleton: Skeleton,
    bank: MessageBank,
    *,
    entry: str | None = None,
    recipes: Sequence[str] = ("primary",),
    platform: Platform | None = None,
) -> Session:
    """A session; its entry is that of another label where one is given."""
    style = EntryStyle.PAPER
    plain = plain_session(
        key,
        entry or str(number),
        skeleton=skeleton,
        platform=platform or list(Platform)[number % len(Platform)],
        surface=list(Surface)[number % len(Surface)],
        style=style,
    )
    return write_session(plain, key, str(number), recipes=recipes, bank=bank)


def rows(key: bytes, number: int, session: Session) -> list[tuple[InputRow, GoldRow, tuple[AlignmentRow, ...]]]:
    session_id = keyed_id(key, "session", str(number))
    found = []
    for variant, message in session.variants.items():
        gold = GoldRow.of(session_id, variant, session.gold, severity=None, pair="", attribute="")
        stages = session.gold.traces[variant].stages
        aligned = tuple(
            AlignmentRow.of(gold.sample_id, m.message_id, alignment(m.text, stages[m.message_id]))
            for m in session.gold.messages
        )
        found.append((InputRow.of(gold.sample_id, message), gold, aligned))
    return found


def built(name: str, pool: Pool, sessions: Sequence[Session]) -> BuiltSplit:
    key = derive_key(KEY, name)
    found = [row for number, session in enumerate(sessions) for row in rows(key, number, session)]
    found.sort(key=lambda row: row[0].sample_id)
    return BuiltSplit(
        name=name,
        pool=pool,
        sessions=len(sessions),
        inputs=tuple(row for row, _, _ in found),
        gold=tuple(row for _, row, _ in found),
        alignment=tuple(each for _, _, aligned in found for each in aligned),
    )


def train_sessions() -> list[Session]:
    """Sessions of one message, enough of them to weigh links."""
    bank, key = load_bank(pool=Pool.TRAIN), derive_key(KEY, "train sessions")
    skeletons = [s for s in bank.skeletons if s.is_parity]
    return [case(key, number, skeletons[number % len(skeletons)], bank) for number in range(84)]


def dev_sessions(word_pairs: MessageBank | None = None) -> list[Session]:
    """Sessions of every kind that ``dev`` has, each clean and disguised."""
    bank, key = load_bank(pool=Pool.DEV), derive_key(KEY, "dev sessions")
    chinese = [skeleton for skeleton in bank.skeletons if skeleton.language == "zh"]
    skeletons = sorted(chinese, key=lambda skeleton: (-len(skeleton.messages), skeleton.name))[:24]
    recipes = ("clean", "homophones@3+split_characters@3+platform_codes@1")
    return [case(key, n, skeleton, word_pairs or bank, recipes=recipes) for n, skeleton in enumerate(skeletons)]


def write_clean(folder: Path, dev: Sequence[Session] | None = None, train: Sequence[Session] | None = None) -> None:
    """A folder of the two splits."""
    splits = (
        built("train", Pool.TRAIN, train or train_sessions()),
        built("dev", Pool.DEV, dev or dev_sessions()),
    )
    write_messages(folder, splits, seed=77)


def rewrite(
    folder: Path, split: str, change: Callable[[Mapping[str, list[Row]]], None], *, rehash: bool = True
) -> None:
    """Change the rows of a split, by file, then put every hash right again, in rows and manifest."""
    found = {name: [json.loads(line) for line in (folder / split / name).open(encoding="utf-8")] for name in HASHES}
    change(found)
    manifest = json.loads((folder / MANIFEST).read_bytes())
    for name, changed in found.items():
        if rehash:
            for row in changed:
                row[HASHES[name]] = row_sha256(row, HASHES[name])
        data = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in changed).encode()
        (folder / split / name).write_bytes(data)
        manifest["splits"][split]["sha256"][name] = hashlib.sha256(data).hexdigest()
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


def rename(found: Mapping[str, list[Row]], new: Mapping[str, str]) -> None:
    """Give sessions new ids and put the rows in their order."""
    for changed in found.values():
        for row in changed:
            session, _, variant = row["sample_id"].rpartition("--")
            row["sample_id"] = f"{new.get(session, session)}--{variant}"
            if "session_id" in row:
                row["session_id"] = new.get(session, session)
        changed.sort(key=lambda row: row["sample_id"])


def append(found: Mapping[str, list[Row]], place: int, text: str, *, rule: str = "") -> None:
    """Put a text at the end of a row's first message: said in plain too, or by an edit of a rule."""
    row, gold = found[INPUTS][place], found[GOLD][place]
    message = row["messages"][0]
    stages = gold["trace"]["stages"][message["message_id"]]
    if rule:
        edit = {"start": len(message["content"]), "before": "", "after": text, "rule": rule}
        stages.append({"name": "planted", "edits": [edit]})
    else:
        gold["messages"][0]["text"] += text
    message["content"] += text
    aligned = next(r for r in found[ALIGNMENT] if (r["sample_id"], r["message_id"]) == (row["sample_id"], "m001"))
    aligned["operations"] += ("D" if rule else "K") * len(text)
