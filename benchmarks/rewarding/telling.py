"""What the arms came to: a table with the spread over seeds, and curves with bands."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rewarding.plan import LAMBDAS, Arm
from rewarding.running import curves_of, results_of
from riskchain_gym.protocol.files import write_atomically

PANELS = (("acc_e", "Acc^e"), ("gate_rate", "gate rate"), ("acc_w", "Acc^w"))
FIGURES = ("acc_e", "gate_rate", "acc_w", "delta_gate", "acc_joint")
COLOURS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#a463f2", "#97bbf5", "#9c6b4e")


def figures(outcomes: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the figures of one run on one split; ``acc_joint`` counts the revision where there is one."""
    joint = [each.get("revised_end_to_end_correct", each["end_to_end_correct"]) for each in outcomes]
    return {
        "acc_e": fmean(each["end_to_end_correct"] for each in outcomes),
        "gate_rate": fmean(each["gate.passed"] for each in outcomes),
        "acc_w": fmean(each["web_correct"] for each in outcomes),
        "delta_gate": fmean(each["gate_loss"] for each in outcomes),
        "acc_joint": fmean(joint),
    }


def rows_of(arms: Sequence[Arm], seeds: Sequence[int], splits: Sequence[str], out: Path) -> list[dict[str, Any]]:
    """Return one row an arm and split: mean, least and most over the seeds of every figure."""
    rows = []
    for split in splits:
        for arm in arms:
            found = [figures(results_of(arm, seed, out)[split]) for seed in seeds]
            spread = {
                name: {
                    "mean": fmean(each[name] for each in found),
                    "least": min(each[name] for each in found),
                    "most": max(each[name] for each in found),
                }
                for name in FIGURES
            }
            rows.append({"split": split, "arm": arm.label, "lambda": arm.lambda_, "seeds": len(found), **spread})
    return rows


def markdown(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the rows as a table, in per cent: mean (least–most)."""
    head = ["split", "reward", "λ", "Acc^e", "gate rate", "Acc^w", "Δ_gate", "Acc^joint"]
    lines = [" | ".join(["", *head, ""]).strip(), "|" + "---|" * len(head)]
    for row in rows:
        cells = [
            f"{100 * row[name]['mean']:.1f} ({100 * row[name]['least']:.1f}–{100 * row[name]['most']:.1f})"
            for name in FIGURES
        ]
        if "joint" not in row["arm"]:
            cells[-1] = "–"
        lines.append(f"| {row['split']} | `{row['arm']}` | {row['lambda']:g} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def draw(arms: Sequence[Arm], seeds: Sequence[int], out: Path) -> list[Path]:
    """Draw what was learned in training: a column for each λ, a band from the worst seed to the best."""
    labels = list(dict.fromkeys(arm.label for arm in arms))
    colours = dict(zip(labels, COLOURS, strict=False))
    figure = Figure(figsize=(11, 9), layout="constrained")
    grid = figure.subplots(len(PANELS), len(LAMBDAS), sharex=True, sharey=True)
    for column, lambda_ in enumerate(LAMBDAS):
        for row, (key, name) in enumerate(PANELS):
            axes: Axes = grid[row][column]
            axes.set_title(f"{name}, λ = {lambda_:g}", fontsize=10)
            axes.grid(alpha=0.3)
            for arm in arms:
                if arm.lambda_ == lambda_:
                    _band(axes, arm, seeds, key, out, colours[arm.label])
    for axes in grid[-1]:
        axes.set_xlabel("environment steps")
    handles, names = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    paths = []
    for kind in ("png", "svg"):
        held = io.BytesIO()
        figure.savefig(held, format=kind, dpi=110, metadata={"Date": None} if kind == "svg" else None)
        paths.append(out / f"rewards.{kind}")
        write_atomically(paths[-1], held.getvalue())
    return paths


def _band(axes: Axes, arm: Arm, seeds: Sequence[int], key: str, out: Path, colour: str) -> None:
    curves = [[row for row in curves_of(arm, seed, out) if row.get(key) is not None] for seed in seeds]
    shared = min(len(curve) for curve in curves)
    steps = [row["env_steps"] for row in curves[0][:shared]]
    values = [_smooth([row[key] for row in curve[:shared]]) for curve in curves]
    by_step = list(zip(*values, strict=True))
    axes.plot(steps, [fmean(each) for each in by_step], color=colour, label=arm.label, linewidth=1.6)
    axes.fill_between(steps, [min(each) for each in by_step], [max(each) for each in by_step], color=colour, alpha=0.15)


def _smooth(values: Sequence[float], window: int = 5) -> list[float]:
    return [fmean(values[max(0, i - window + 1) : i + 1]) for i in range(len(values))]
