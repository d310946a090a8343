"""Tables as LaTeX for booktabs, one a file, everything escaped."""

from __future__ import annotations

from riskchain_gym.evaluation.leaderboard.table_value import Cell, Table
from riskchain_gym.evaluation.leaderboard.words import marked, scripts
from riskchain_gym.protocol.control_characters import show_controls

_ESCAPED = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "–": "--",
    "−": r"$-$",
    "±": r"$\pm$",
    "°": r"$^{\circ}$",
    "†": r"$^{\dagger}$",
    "*": r"$^{*}$",
    "→": r"$\rightarrow$",
    "Δ": r"$\Delta$",
    "⊥": r"$\bot$",
    "·": r"$\cdot$",
    "⟨": r"$\langle$",
    "⟩": r"$\rangle$",
    # After a line's end LaTeX takes a bracket for an option of it.
    "[": "{[}",
    "]": "{]}",
}
_SCRIPTS = {"": "{}", "^": r"\textsuperscript{{{}}}", "_": r"\textsubscript{{{}}}"}


def latex_of(table: Table) -> str:
    r"""Return a table as LaTeX; it needs ``\usepackage{booktabs}``, and stands in a ``table`` with its caption."""
    columns = "l" + "".join("r" if heading.numeric else "l" for heading in table.headings)
    lines = [
        f"% {table.slug}; needs \\usepackage{{booktabs}}",
        r"\begin{table}",
        r"\centering\small",
        rf"\caption{{{escaped(table.title)}. {escaped(table.caption)}}}",
        rf"\label{{tab:{table.slug}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        *_grouped(table),
        " & ".join((escaped(table.first), *(escaped(heading.label) for heading in table.headings))) + r" \\",
        r"\midrule",
    ]
    computed = False
    for line in table.lines:
        if line.computed and not computed:
            lines.append(r"\midrule")
            computed = True
        lines.append(" & ".join((escaped(marked(line)), *map(_cell, line.cells))) + r" \\")
        if any(cell.below for cell in line.cells):
            below = [rf"{{\tiny {escaped(cell.below)}}}" if cell.below else "" for cell in line.cells]
            lines.append(" & ".join(("", *below)) + r" \\")
    remarks = "; ".join(f"{line.name}: {', '.join(line.remarks)}" for line in table.lines if line.remarks)
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\smallskip{{\footnotesize {escaped(remarks)}.}}"] if remarks else []
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def escaped(text: str) -> str:
    """Return a text that LaTeX shows as it stands, the indices of figures raised and lowered."""
    return "".join(
        _SCRIPTS[mark].format("".join(_ESCAPED.get(c, c) for c in part)) for mark, part in scripts(show_controls(text))
    )


def _grouped(table: Table) -> list[str]:
    if not table.groups:
        return []
    cells, rules, at = [""], [], 2
    for group, span in table.groups:
        cells.append(rf"\multicolumn{{{span}}}{{c}}{{{escaped(group)}}}")
        rules += [rf"\cmidrule(lr){{{at}-{at + span - 1}}}"] if group else []
        at += span
    return [" & ".join(cells) + r" \\", "".join(rules)]


def _cell(cell: Cell) -> str:
    shown = escaped(cell.text)
    return rf"\textbf{{{shown}}}" if cell.best else shown
