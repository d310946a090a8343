// Sorts a table by the column whose heading is pressed; rows that were computed stay below, what is unknown stays last.
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.querySelectorAll("thead .cols th")];
  heads.forEach((head, column) => {
    const label = head.querySelector("button");
    if (!label) return;
    label.addEventListener("click", () => {
      const first = head.dataset.better ? (head.dataset.better === "less" ? "ascending" : "descending") : "ascending";
      const next = head.getAttribute("aria-sort") === first ? (first === "ascending" ? "descending" : "ascending") : first;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", next);
      for (const body of table.tBodies) {
        const rows = [...body.rows].map((row, place) => ({ row, place, key: keyOf(row.cells[column]) }));
        rows.sort((a, b) => compare(a.key, b.key, next === "ascending" ? 1 : -1) || a.place - b.place);
        body.append(...rows.map((each) => each.row));
      }
    });
  });
}

function keyOf(cell) {
  if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
  const text = cell.textContent.trim();
  return text === "–" || text === "" ? null : text;
}

function compare(a, b, way) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === "number" && typeof b === "number") return way * (a - b);
  return way * String(a).localeCompare(String(b), "en", { numeric: true });
}
