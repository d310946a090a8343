"""What a board is written as: the same bytes each time, and nothing in it that a name could smuggle in."""

from __future__ import annotations

import base64
import csv
import errno
import hashlib
import io
import json
import os
import re
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from board_cases import mini_of, sealed
from hypothesis import given
from hypothesis import strategies as st
from run_cases import misjudged, trajectories

from riskchain_gym.evaluation.leaderboard import writing
from riskchain_gym.evaluation.leaderboard.board import Board
from riskchain_gym.evaluation.leaderboard.board_tables import PUBLISHED, all_tables
from riskchain_gym.evaluation.leaderboard.building import build_board
from riskchain_gym.evaluation.leaderboard.csv_files import csv_of
from riskchain_gym.evaluation.leaderboard.latex import escaped, latex_of
from riskchain_gym.evaluation.leaderboard.markdown import markdown_of
from riskchain_gym.evaluation.leaderboard.published import published_aggregates
from riskchain_gym.evaluation.leaderboard.table_value import Cell, Heading, Line, Table
from riskchain_gym.evaluation.leaderboard.writing import write_board
from riskchain_gym.evaluation.naming import run_names
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.errors import ConfigError

ACTING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029"
HOSTILE = '<img src=x onerror="document.title=1">|\\{}$_^&%#~`*[x](y)\n=1+1 "</script>'


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory, frozen: dict[str, RunFolder]) -> Board:
    """An open section, and names that no writer may trust."""
    out = tmp_path_factory.mktemp("hostile")
    good = frozen["rules+explorer"]
    wrong = [misjudged(t) for t in trajectories(good)]
    runs = [*frozen.values(), sealed(out / "h", good, wrong, agent=HOSTILE, **mini_of(good))]
    return build_board(runs, published=published_aggregates(), baseline="rules+explorer", left_out=[HOSTILE])


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, board: Board) -> Path:
    pytest.importorskip("matplotlib")
    return write_board(board, tmp_path_factory.mktemp("boards") / "board").parent


def _bytes(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_board_gives_the_same_bytes(tmp_path: Path, board: Board, written: Path) -> None:
    write_board(board, tmp_path / "again")
    first, again = _bytes(written), _bytes(tmp_path / "again")
    assert first == again
    assert {"index.html", "leaderboard.md", "leaderboard.json", "tables/overview.csv", "tables/overview.tex"} <= set(
        first
    )
    assert any(name.startswith("figures/") for name in first)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures take their time."""
    monkeypatch.setattr(writing, "draw", lambda _: ())


@pytest.mark.usefixtures("quick")
def test_of_an_earlier_board_all_goes_that_it_wrote_and_nothing_else(tmp_path: Path, board: Board) -> None:
    folder = tmp_path / "board"
    write_board(board, folder)
    mine = {folder / "tables" / name for name in ("mine.csv", "mine.tex", "notes.txt")} | {folder / "letter.txt"}
    for path in mine:
        path.write_text("mine", encoding="utf-8")
    write_board(board.model_copy(update={"published": None}), folder)
    there = {path for path in folder.rglob("*") if path.is_file()}
    assert not [path for path in there if path.name.startswith("published-")]
    assert mine < there
    write_board(board, folder)
    write_board(board, tmp_path / "fresh")
    assert _bytes(folder) == _bytes(tmp_path / "fresh") | {str(p.relative_to(folder)): b"mine" for p in mine}


def _foreign_data(folder: Path) -> None:
    (folder / "leaderboard.json").write_text("{}", encoding="utf-8")


def _linked_tables(folder: Path) -> None:
    (folder / ".riskchain-leaderboard").write_text("", encoding="utf-8")
    (folder / "tables").symlink_to(folder.parent)


def _run(folder: Path) -> None:
    (folder / "run.json").write_text("{}", encoding="utf-8")


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("make", "said"), [(_foreign_data, "something else"), (_linked_tables, "is a link"), (_run, "is a run folder")]
)
def test_a_folder_that_is_no_board_is_left_alone(
    tmp_path: Path, board: Board, make: Callable[[Path], None], said: str
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "index.html").write_text("mine", encoding="utf-8")
    make(folder)
    with pytest.raises(ConfigError, match=said):
        write_board(board, folder)
    assert (folder / "index.html").read_text(encoding="utf-8") == "mine"


@pytest.mark.usefixtures("quick")
def test_what_a_crash_left_of_the_first_write_does_no_harm(tmp_path: Path, board: Board) -> None:
    folder = tmp_path / "board"
    folder.mkdir()
    (folder / "..riskchain-leaderboard.0123456789ab").write_text("half", encoding="utf-8")
    assert write_board(board, folder).is_file()


@pytest.mark.usefixtures("quick")
def test_on_a_full_disk_the_earlier_board_is_whole(
    tmp_path: Path, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "board"
    write_board(board, folder)
    before = {name: data for name, data in _bytes(folder).items() if not name.startswith(".")}
    other = board.model_copy(update={"published": None, "left_out": ("something",)})

    synced = iter(range(100))

    def fills_up(_: int) -> None:
        if next(synced) == 12:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fills_up)
    with pytest.raises(OSError, match=r"No space left on device: '.*board/tables/.*'"):
        write_board(other, folder)
    assert {name: data for name, data in _bytes(folder).items() if not name.startswith(".")} == before
    monkeypatch.undo()
    monkeypatch.setattr(writing, "draw", lambda _: ())
    write_board(other, folder)
    write_board(other, tmp_path / "fresh")
    assert _bytes(folder) == _bytes(tmp_path / "fresh")


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_the_page_runs_nothing_but_its_own_script(written: Path) -> None:
    page = (written / "index.html").read_text(encoding="utf-8")
    tags = _Tags()
    tags.feed(page)
    assert not [name for _, attributes in tags.found for name in attributes if name.startswith("on") or name == "style"]
    assert all(
        (attributes["src"] or "").startswith("data:image/svg+xml") for tag, attributes in tags.found if tag == "img"
    )
    script = page.rpartition("<script>")[2].partition("</script>")[0]
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = [a["content"] for tag, a in tags.found if tag == "meta" and "http-equiv" in a]
    assert policy is not None
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{allowed}'" in policy
    assert "unsafe" not in policy
    assert sum(tag == "script" for tag, _ in tags.found) == 1
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_figures_are_whole_xml_without_dates_or_scripts(written: Path) -> None:
    for path in sorted((written / "figures").glob("*.svg")):
        text = path.read_text(encoding="utf-8")
        tree = ET.fromstring(text)
        assert not [each for each in tree.iter() if each.tag.endswith(("script", "foreignObject", "date"))]
        assert "rules+explorer" in text
    assert any("onerror" in path.read_text(encoding="utf-8") for path in (written / "figures").glob("*.svg"))


def test_every_table_is_csv_that_reads_back(board: Board) -> None:
    for table in all_tables(board):
        rows = list(csv.DictReader(io.StringIO(csv_of(table))))
        assert len(rows) == len(table.lines)
        assert all(None not in row and None not in row.values() for row in rows), table.slug
    decisions = next(table for table in all_tables(board) if table.slug == "mini-decisions")
    (row,) = [r for r in csv.DictReader(io.StringIO(csv_of(decisions))) if r["agent"] == "rules+explorer"]
    entry = next(e for e in board.sections[0].entries if e.name == "rules+explorer")
    assert float(row["end_to_end_accuracy"]) == entry.figures["end_to_end_accuracy"].value
    assert float(row["end_to_end_accuracy_low"]) == entry.figures["end_to_end_accuracy"].low


def _table(text: str) -> Table:
    heading = Heading("k", text, text, group=text)
    return Table("slug", text, text, (heading,), (Line(text, (Cell(text, 0.5, below=text),), remarks=(text,)),))


@given(st.text(alphabet=st.sampled_from("\\{}$_^&%#~<>|*\"'`–Δ°\n=+-@ab ")))
def test_no_text_breaks_a_csv_or_a_latex_table(text: str) -> None:
    (head, row) = list(csv.reader(io.StringIO(csv_of(_table(text)), newline="")))
    assert len(head) == len(row)
    assert not row[0].startswith(("=", "+", "-", "@"))
    shown = escaped(text)
    assert not re.search(r"(?<!\\)[&%#_]", shown)
    bare = re.sub(r"\\[a-z]+|\\[{}$&#%_]", "", shown)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert latex_of(_table(text)).count(r" \\") >= 2


@given(st.text())
def test_nothing_that_acts_on_a_terminal_or_an_editor_gets_into_a_file(text: str) -> None:
    for written in (csv_of(_table(text)), latex_of(_table(text))):
        assert not [c for c in written if c != "\n" and (c in ACTING or unicodedata.category(c) in ("Cc", "Cs"))]


def test_names_are_shown_as_they_are_whatever_is_in_them(tmp_path: Path, frozen: dict[str, RunFolder]) -> None:
    acting = "a\x1b[31m\x00\u202e\u2066b"
    agents = {"red": acting, "blank": " ", "\x1b]0;own\x07": "folder", "again": "folder"}
    runs = [
        sealed(tmp_path / folder, frozen["noop"], agent=agent, **mini_of(frozen["noop"]))
        for folder, agent in agents.items()
    ]
    names = [entry.name for entry in build_board(runs).sections[0].entries]
    assert (
        sorted(names)
        == [
            "(blank)",
            "a⟨001B⟩[31m⟨0000⟩⟨202E⟩⟨2066⟩b",
            "folder · again",
            "folder · ⟨001B⟩]0;own⟨0007⟩",
        ]
        == sorted(run_names(runs))
    )


def test_a_row_of_latex_never_begins_with_a_bracket() -> None:
    rows = [line for line in latex_of(_table("[draft] agent")).splitlines() if r" & " in line]
    assert rows
    assert not [row for row in rows if row.startswith("[")]


def test_hostile_names_stay_cells_in_markdown(board: Board) -> None:
    lines = markdown_of(board, []).splitlines()
    tables = [line for line in lines if line.startswith("|")]
    assert any("onerror" in line for line in tables)
    assert not [line for line in lines if re.search(r"(?<!\\)<(?!br>)", line)]
    width: int | None = None
    for line in lines:
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else None
        assert width is None or cells is None or cells == width
        width = cells


def test_published_figures_stand_apart_and_say_so(board: Board, written: Path) -> None:
    published = [table for table in all_tables(board) if table.slug.startswith("published-")]
    assert {line.kind for table in published for line in table.lines} == {"published"}
    assert all(PUBLISHED in table.caption for table in published)
    names = {line.name for table in published for line in table.lines}
    assert len(names) == 10
    assert not names & {line.name for table in all_tables(board) if table not in published for line in table.lines}
    page = (written / "index.html").read_text(encoding="utf-8")
    assert page.index(f'<p class="notice">{PUBLISHED}') < page.index("GPT-5.6 SOL")


def test_published_aggregates_agree_with_themselves() -> None:
    for model in published_aggregates().models:
        loss = model.figures["web_accuracy"] - model.figures["end_to_end_accuracy"]
        assert model.figures["gate_loss"] == pytest.approx(loss, abs=1e-8)
        assert (model.figures["web_accuracy"] * 600) == pytest.approx(
            round(model.figures["web_accuracy"] * 600), abs=1e-5
        )
        for points, ends in ((model.figures, model.ends), (model.restored, model.restored_ends)):
            assert points.keys() == ends.keys()
            assert all(low - 1e-9 <= points[name] <= high + 1e-9 for name, (low, high) in ends.items())


def test_control_rows_stand_under_the_tables_and_are_marked(board: Board) -> None:
    decisions = next(table for table in all_tables(board) if table.slug == "mini-decisions")
    computed = [line.name for line in decisions.lines if line.computed]
    assert computed == [line.name for line in decisions.lines][-len(computed) :]
    assert "landing_only" in computed
    assert "always NON_VIOLATION" in computed
    assert "always NON\\_VIOLATION°†" in markdown_of(board, [])


def test_the_json_holds_the_whole_board(board: Board, written: Path) -> None:
    data = json.loads((written / "leaderboard.json").read_text(encoding="utf-8"))
    assert Board.model_validate(data) == board
    assert str(written.parent) not in (written / "leaderboard.json").read_text(encoding="utf-8")


def test_what_is_unknown_is_a_dash_and_never_a_zero(board: Board) -> None:
    decisions = next(table for table in all_tables(board) if table.slug == "mini-decisions")
    (constant,) = [line for line in decisions.lines if line.name == "always NON_VIOLATION"]
    gated = [cell for heading, cell in zip(decisions.headings, constant.cells, strict=True) if heading.group == "gated"]
    assert {cell.text for cell in gated} == {"–"}
    assert {cell.value for cell in gated} == {None}
