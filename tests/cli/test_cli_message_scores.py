"""The commands that score predictions for messages and compare two sets of them, as a shell sees them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runner import refused, run

from riskchain_gym import cli_message_scores
from riskchain_gym.console import make_console


def line_of(printed: str, start: str) -> str:
    """Return the first printed line that starts so."""
    return next(line for line in printed.splitlines() if line.startswith(start))


def test_what_restore_made_of_a_built_split_is_scored_by_group(here: Path, built: Path) -> None:
    assert run("restore", built / "train" / "inputs.jsonl", "--out", "p.jsonl").exit_code == 0
    gold = built / "train" / "gold.jsonl"
    result = run("messages", "score", "p.jsonl", "--gold", gold, "--by", "form")
    assert (result.exit_code, result.stderr) == (0, "")
    first = line_of(result.stdout, "all").split()
    scores = json.loads(run("messages", "score", "p.jsonl", "--gold", gold, "--by", "form", "--json").stdout)
    assert first[1:3] == [str(scores["all"]["messages"]), f"{100 * scores['all']['entry_top1']:.1f}"]
    assert (scores["by"], scores["missing"], scores["all"]["missing"]) == ("form", [], 0)
    assert sum(group["messages"] for group in scores["groups"].values()) == scores["all"]["messages"] == 12
    whole = line_of(result.stdout, "Entry Top-1")
    low, high = scores["intervals"]["ends"]["entry_top1"]
    assert f"{100 * scores['all']['entry_top1']:.1f} [{100 * low:.1f}, {100 * high:.1f}] of 11" in " ".join(
        whole.split()
    )
    named = ("unit", "seed", "replicates")
    assert [scores["intervals"][name] for name in named] == ["skeleton", 20260726, 2000]
    assert scores["group_intervals"].keys() == scores["groups"].keys()
    by_technique = json.loads(run("messages", "score", "p.jsonl", "--gold", gold, "--json").stdout)
    assert by_technique["by"] == "technique"


def test_missing_predictions_are_reported_and_what_is_unknown_is_not_printed(here: Path, imported: Path) -> None:
    assert run("restore", imported / "inputs.jsonl", "--agent", "copy", "--out", "p.jsonl").exit_code == 0
    gold = imported / "gold.jsonl"
    whole = run("messages", "score", "p.jsonl", "--gold", gold).stdout
    assert "Intent" not in whole
    assert "Full" not in whole
    kept = (here / "p.jsonl").read_text(encoding="utf-8").splitlines()[0]
    (here / "p.jsonl").write_text(f"{kept}\n", encoding="utf-8")
    result = run("messages", "score", "p.jsonl", "--gold", gold, "--json")
    assert result.exit_code == 0
    scores = json.loads(result.stdout)
    assert (scores["all"]["missing"], scores["all"]["intent_accuracy"]) == (1, None)
    assert scores["missing"][0] in result.stderr
    assert "1 of 2 samples have no prediction and count as wrong" in result.stderr


def test_wrong_files_and_groupings_are_one_sentence(here: Path, built: Path, imported: Path) -> None:
    run("restore", imported / "inputs.jsonl", "--out", "p.jsonl")
    assert "choose one of technique, family, recipe" in refused(
        2, "messages", "score", "p.jsonl", "--gold", imported / "gold.jsonl", "--by", "colour"
    )
    assert "give the gold of its inputs" in refused(
        2, "messages", "score", "p.jsonl", "--gold", built / "clean" / "gold.jsonl"
    )
    assert "choose skeleton, session or none" in refused(
        2, "messages", "score", "p.jsonl", "--gold", imported / "gold.jsonl", "--intervals", "site"
    )
    assert "schema_version" in refused(2, "messages", "score", "p.jsonl", "--gold", imported / "inputs.jsonl")


def test_intervals_depend_on_unit_and_seed_and_can_be_left_out(here: Path, built: Path) -> None:
    run("restore", built / "clean" / "inputs.jsonl", "--out", "p.jsonl")
    command = ("messages", "score", "p.jsonl", "--gold", built / "clean" / "gold.jsonl")
    found = {
        options: json.loads(run(*command, *options, "--json").stdout)
        for options in ((), ("--seed", "7"), ("--intervals", "session"), ("--intervals", "none"))
    }
    ends = [scores["intervals"] and scores["intervals"]["ends"]["full"] for scores in found.values()]
    assert ends[-1] is None
    assert len({tuple(each) for each in ends[:-1]}) == 3
    assert found["--seed", "7"]["intervals"]["seed"] == 7
    assert found["--intervals", "session"]["intervals"]["clusters"] == 120
    assert len({json.dumps(scores["all"]) for scores in found.values()}) == 1
    assert json.loads(run(*command, "--json").stdout) == found[()]
    assert "interval" not in run(*command, "--intervals", "none").stdout.lower()


@pytest.mark.parametrize("by", ["technique", pytest.param("family", marks=pytest.mark.slow)])
def test_scores_are_no_wider_than_a_terminal_of_eighty_columns(
    here: Path, built: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(cli_message_scores, "out", make_console())
    run("restore", built / "train" / "inputs.jsonl", "--out", "p.jsonl")
    command = ("messages", "score", "p.jsonl", "--gold", built / "train" / "gold.jsonl", "--by", by, "--json")
    printed = run(*command[:-1]).stdout
    assert max(len(line) for line in printed.splitlines()) <= 80
    assert all(line_of(printed, name) for name in json.loads(run(*command).stdout)["groups"])


def test_entries_that_the_policies_disagree_over_are_listed(here: Path, built: Path) -> None:
    run("restore", built / "clean" / "inputs.jsonl", "--out", "p.jsonl")
    rows = [json.loads(line) for line in (here / "p.jsonl").read_text(encoding="utf-8").splitlines()]
    changed = [row for row in rows if row["entry_candidates"]][:5]
    for row in changed:
        row["entry_candidates"][0]["value"] = f"https://{row['entry_candidates'][0]['value']}"
    (here / "p.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    command = ("messages", "score", "p.jsonl", "--gold", built / "clean" / "gold.jsonl")
    ids = [row["sample_id"] for row in changed]
    said = line_of(run(*command).stdout, "The entry policies")
    assert said == f"The entry policies disagree over 5 of them: {', '.join(ids[:3])} … (all with --json)"
    scores = json.loads(run(*command, "--json").stdout)
    assert [each["sample_id"] for each in scores["policies_differ"]] == ids
    assert scores["all"]["entry_top1"] - scores["all"]["entry_top1_strict"] == pytest.approx(0.05)


def test_compare_prints_both_models_and_the_paired_difference(here: Path, built: Path) -> None:
    inputs, gold = built / "clean" / "inputs.jsonl", built / "clean" / "gold.jsonl"
    run("restore", inputs, "--agent", "rules", "--out", "a.jsonl")
    run("restore", inputs, "--agent", "copy", "--out", "b.jsonl")
    (here / "b.jsonl").write_text("\n".join((here / "b.jsonl").read_text(encoding="utf-8").splitlines()[:100]), "utf-8")
    result = run("messages", "compare", "a.jsonl", "b.jsonl", "--gold", gold)
    assert result.exit_code == 0
    assert "b.jsonl: 20 of 120 samples have no prediction and count as wrong" in result.stderr
    found = json.loads(run("messages", "compare", "a.jsonl", "b.jsonl", "--gold", gold, "--json").stdout)
    without = ("--intervals", "none", "--json")
    apart = [run("messages", "score", f"{name}.jsonl", "--gold", gold, *without).stdout for name in "ab"]
    exact = found["differences"]["message_exact"]
    assert [exact["first"], exact["second"]] == [json.loads(each)["all"]["message_exact"] for each in apart]
    assert exact["low"] < exact["difference"] == exact["first"] - exact["second"] < exact["high"]
    printed = line_of(result.stdout, "Message exact")
    assert printed.split()[2:] == [
        f"{100 * exact['first']:.1f}", f"{100 * exact['second']:.1f}", f"{100 * exact['difference']:+.1f}",
        f"[{100 * exact['low']:+.1f},", f"{100 * exact['high']:+.1f}]",
    ]  # fmt: skip
    assert "choose skeleton or session" in refused(
        2, "messages", "compare", "a.jsonl", "b.jsonl", "--gold", gold, "--intervals", "none"
    )
    assert "give the gold of its inputs" in refused(
        2, "messages", "compare", "a.jsonl", "b.jsonl", "--gold", built / "train" / "gold.jsonl"
    )


def test_samples_messages_and_the_names_of_groups_are_told_apart(here: Path, built: Path) -> None:
    for split, said in (
        ("train", "Published recipes, which mix techniques"),
        ("clean", "clean: nothing is disguised."),
    ):
        gold = built / split / "gold.jsonl"
        run("restore", built / split / "inputs.jsonl", "--agent", "copy", "--out", "p.jsonl")
        shown = run("messages", "score", "p.jsonl", "--gold", gold).stdout
        rows = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines()]
        assert f"of {len(rows)} samples" in line_of(shown, "Message exact")
        assert f"these have {sum(len(row['messages']) for row in rows)} messages in all" in shown
        assert said in shown
    gold = built / "train" / "gold.jsonl"
    run("restore", built / "train" / "inputs.jsonl", "--agent", "copy", "--out", "p.jsonl")
    by_severity = run("messages", "score", "p.jsonl", "--gold", gold, "--by", "severity").stdout
    assert ("none: published recipes" in by_severity) == any(
        line.startswith("none") for line in by_severity.splitlines()
    )


def test_a_folder_is_refused_with_the_file_that_is_meant(here: Path, built: Path) -> None:
    run("restore", built / "clean" / "inputs.jsonl", "--agent", "copy", "--out", "p.jsonl")
    assert refused(2, "restore", built / "clean", "--out", "x.jsonl").endswith("give a file in it: inputs.jsonl")
    assert "clean/inputs.jsonl, no_entry/inputs.jsonl" in refused(2, "restore", built, "--out", "x.jsonl")
    for_gold = refused(2, "messages", "score", "p.jsonl", "--gold", built / "clean")
    assert for_gold.endswith("give a file in it: gold.jsonl")
    (here / "empty").mkdir()
    assert "inputs.jsonl of a built split" in refused(2, "restore", "empty", "--out", "x.jsonl")
    assert not (here / "x.jsonl").exists()
