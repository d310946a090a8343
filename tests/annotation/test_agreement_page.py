"""The agreement report as a page: what it says, that nothing in it can run or be fetched, the same bytes each time."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from label_projects import Written

from riskchain_gym.annotation.agreement_page import agreement_page
from riskchain_gym.annotation.agreement_views import Axis, axis_of, heat_map
from riskchain_gym.scoring.label_agreement import label_agreement

SITES = {
    "s01": {"ann": "gambling", "bob": "gambling"},
    "s02": {"ann": "fraud", "bob": "investment"},
    "s03": {"ann": "fraud", "bob": "investment"},
    "s04": {"ann": "none", "bob": "unknown"},
    "s05": {"ann": "none", "bob": "none"},
}
HALF_DONE = Written(SITES, reviews={"s02": {"cyd": "fraud"}}, adjudications={"s02": "fraud"})


class Text(HTMLParser):
    """The visible text of a page, and the tags and attributes that it is made of."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._in_style = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in_style = tag == "style"

    def handle_endtag(self, tag: str) -> None:
        self._in_style = False

    def handle_data(self, data: str) -> None:
        if not self._in_style:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def page_of(written: Written) -> str:
    return agreement_page(label_agreement(written.plan, written.events), written.plan, written.events)


def test_the_headline_and_the_cautions_are_there() -> None:
    text = Text(page_of(HALF_DONE)).text
    assert "Two independent passes of 5 sites agree on the decision in 80.0 %" in text
    assert "agree on the decision and main type in 40.0 %" in text
    assert "do not give it to annotators who have passes left" in text
    assert "Only 5 items have two passes" in text
    assert "2 of 3 disagreements are not adjudicated" in text
    assert "SIMULATED" not in text


def test_the_command_that_opens_an_item_is_named() -> None:
    def said(**changes: object) -> str:
        written = Written(SITES)
        plan = written.plan.model_copy(update=changes)
        return Text(agreement_page(label_agreement(written.plan, written.events), plan, written.events)).text

    assert "A site opens in your browser with riskchain sites show ID --split 'my split' ." in said(source="my split")
    assert "riskchain labels items --sites FOLDER and the workbench opens it with" in said(source="import")
    assert "the line that bears it in the project's items.jsonl" in said(subject="pairs")


def test_disagreements_are_listed_by_the_labels_that_met_with_the_open_ones_marked() -> None:
    page = page_of(HALF_DONE)
    text = Text(page).text
    common = text.index("Fraud, deceptive inducement – Investment and financial fraud · 2 items")
    assert text.index("No violation – Not enough evidence · 1 item ") > common
    assert "settled as Fraud, deceptive inducement 1 · 1 open" in text
    assert '<code class="warn">s03</code>' in page
    assert "<code>s02</code>" in page
    assert "s01</code>" not in page, "people agree on it"


def test_simulated_answers_are_called_so_at_the_very_top() -> None:
    everyone = Text(page_of(Written(SITES, simulated=("ann", "bob", "boss")))).text
    assert everyone.index("SIMULATED") < everyone.index("Two independent passes")
    assert "no person has looked at any of these sites" in everyone
    some = Text(page_of(Written(SITES, simulated=("bob",)))).text
    assert "Programs answered in place of bob." in some


def test_pairs_are_reported_on_their_answer() -> None:
    text = Text(page_of(Written({"p1": {"ann": "yes", "bob": "no"}, "p2": {"ann": "no", "bob": "no"}}))).text
    assert "Two independent passes of 2 pairs agree on the answer in 50.0 %" in text
    assert "Cannot tell" in text
    assert "main type" not in text


def test_a_project_that_nobody_has_begun_is_a_page_too() -> None:
    begun = Written(SITES)
    text = Text(agreement_page(label_agreement(begun.plan, ()), begun.plan, ())).text
    assert "Nothing can be said of agreement on the decision yet: no item has two passes." in text
    assert "10 of 10 passes are missing" in text
    assert "No two annotators have passed the same item yet." in text


def test_nothing_in_the_page_runs_or_is_fetched() -> None:
    page = page_of(HALF_DONE)
    parsed = Text(page)
    assert not [tag for tag, _ in parsed.tags if tag in ("script", "link", "img", "iframe", "form", "a")]
    for _, attributes in parsed.tags:
        assert not [name for name in attributes if name.startswith("on") or name in ("href", "src", "style")]
    assert "default-src 'none'" in page
    assert not re.search(r"url\(|@import|https?://", page)


def test_what_others_named_stays_text() -> None:
    written = Written(SITES, clusters=dict.fromkeys(SITES, "<b>"))
    plan = written.plan.model_copy(update={"source": "<script>alert(1)</script>"})
    page = agreement_page(label_agreement(plan, written.events), plan, written.events)
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_the_same_answers_give_the_same_page() -> None:
    again = Written(SITES, reviews={"s02": {"cyd": "fraud"}}, adjudications={"s02": "fraud"})
    assert page_of(again) == page_of(HALF_DONE)


def test_the_axis_goes_below_zero_only_where_a_figure_does() -> None:
    chance = Written({"p1": {"ann": "yes", "bob": "no"}, "p2": {"ann": "no", "bob": "yes"}})
    found = label_agreement(chance.plan, chance.events)
    alpha = found.question("answer").alpha
    assert alpha.value == -0.5
    axis = axis_of(found)
    assert axis.low <= -0.5
    assert axis.place(axis.low) == "0.00%"
    assert axis.place(1) == "100.00%"
    assert Axis(0.0).place(0.25) == "25.00%"
    uniform = Written({"p1": {"ann": "yes", "bob": "yes"}})
    assert axis_of(label_agreement(uniform.plan, uniform.events)).low == 0


def test_the_heat_map_counts_each_pair_once_and_shades_what_is_frequent() -> None:
    found = label_agreement(HALF_DONE.plan, HALF_DONE.events)
    rows = heat_map(found.question("joint"))["rows"]
    assert sum(cell["n"] for row in rows for cell in row["cells"]) == 5
    assert [row["short"] for row in rows] == ["Fraud", "Investment", "Gambling", "No violation", "Insufficient"]
    confused = rows[1]["cells"][0]
    assert (confused["n"], confused["same"], confused["shade"]) == (2, False, 5)
    assert [len(row["cells"]) for row in rows] == [1, 2, 3, 4, 5]
