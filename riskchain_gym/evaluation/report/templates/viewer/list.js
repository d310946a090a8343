// Lists of thousands of rows: a few are drawn at once, more when they come into sight.
const VERDICTS = { right: "good", "gate closed": "warn", wrong: "bad", "no report": "bad", "ended as ⊥": "bad", "not scored": "warn" };
const verdictPill = (result) => pill(result, VERDICTS[result] ?? "");
const clipped = (name, kind = "") => el("span", { class: `clip ${kind}`, title: words(name) }, words(name));
const number = (digits) => (value) => value.toFixed(digits);

const wentWrong = (e) => (e.first_failure === "success" ? null : e.first_failure);
const failure = (stage, cause) => [words(stage), cause && el("small", {}, ` ${words(cause)}`)];
const EPISODE_COLUMNS = [
  { key: "agent", label: "Agent", value: (e) => e.agent, if: () => labels.length > 1 },
  { key: "chain", label: "Chain", value: (e) => e.chain, link: true },
  { key: "result", label: "Result", value: (e) => Object.keys(VERDICTS).indexOf(e.result), cell: (e) => verdictPill(e.result) },
  { key: "gate", label: "Gate", value: (e) => e.gate, cell: (e) => unknown(e.gate, (g) => (g ? "open" : "closed")) },
  { key: "said", label: "Reported", value: (e) => e.wrote, cell: (e) => unknown(e.wrote, (said) => clipped(said, said === e.label ? "ok" : "off")) },
  { key: "type", label: "Gold", value: (e) => e.label, cell: (e) => clipped(e.label) },
  { key: "failure", label: "First failure", value: wentWrong, cell: (e) => unknown(wentWrong(e), (stage) => failure(stage, e.cause)) },
  { key: "recipe", label: "Recipe", value: (e) => e.recipe, cell: (e) => words(e.recipe) },
  { key: "severity", label: "Sev.", value: (e) => e.severity, numeric: true, if: () => chains.some((c) => c.severity !== null) },
  { key: "archetype", label: "Archetype", value: (e) => e.archetype },
  { key: "depth", label: "Depth", value: (e) => e.depth },
  { key: "steps", label: "Steps", value: (e) => e.steps, numeric: true },
  { key: "f1", label: "Cite F1", value: (e) => e.citation_f1, cell: (e) => unknown(e.citation_f1, number(2)), numeric: true },
  { key: "seconds", label: "Seconds", value: (e) => e.seconds, cell: (e) => unknown(e.seconds, number(1)), numeric: true },
  { key: "cost", label: "USD", value: (e) => e.cost, cell: (e) => unknown(e.cost, dollars), numeric: true, if: () => episodes.some((e) => e.cost !== null) },
];

const sortedBy = (items, columns, query) => {
  const column = columns.find((each) => each.key === query.get("sort"));
  if (!column) return items;
  const sign = query.get("order") === "desc" ? -1 : 1;
  const compare = (a, b) => (
    typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0
  );
  return [...items].sort((x, y) => {
    const [a, b] = [column.value(x), column.value(y)];
    const [lacksA, lacksB] = [a === null || a === undefined || a === "", b === null || b === undefined || b === ""];
    return lacksA || lacksB ? lacksA - lacksB : sign * compare(a, b);
  });
};

const CHUNK = 120;
const listTable = (columns, href, changed) => {
  const used = columns.filter((column) => !column.if || column.if());
  const heads = used.map(
    (column) => el("th", { scope: "col", class: column.numeric ? "numeric" : "" },
      button(column.label, () => sort(column), { class: "sort" }),
    )
  );
  const body = el("tbody", {});
  const more = el("div", { class: "more" });
  const node = el("div", {},
    el("div", { class: "scroll listed" }, el("table", { class: "episodes" }, el("thead", {}, el("tr", {}, ...heads)), body)),
    more,
  );
  let items = [], drawn = 0, query = new URLSearchParams();
  const sort = (column) => {
    const same = query.get("sort") === column.key;
    const first = column.numeric ? "desc" : "asc";
    const order = same ? (query.get("order") === "desc" ? "asc" : "desc") : first;
    changed({ sort: column.key, order });
  };
  const line = (item) => el("tr", { on: { click: (event) => { if (!event.target.closest("a")) goTo(href(item, query)); } } },
    ...used.map((column) => el("td", { class: column.numeric ? "numeric" : "" }, column.link
      ? el("a", { href: href(item, query) }, column.value(item)) : column.cell ? column.cell(item) : unknown(column.value(item)))));
  const extend = () => {
    body.append(...items.slice(drawn, drawn + CHUNK).map(line));
    drawn = Math.min(items.length, drawn + CHUNK);
    more.replaceChildren(...(drawn < items.length ? [button(`Show more (${items.length - drawn} left)`, extend, { class: "plain" })] : []));
  };
  const near = (seen) => { if (seen.some((each) => each.isIntersecting) && drawn < items.length) extend(); };
  new IntersectionObserver(near, { rootMargin: "600px" }).observe(more);
  const update = (left, now) => {
    [items, query, drawn] = [left, now, 0];
    body.replaceChildren();
    used.forEach((column, i) => {
      const on = query.get("sort") === column.key;
      heads[i].setAttribute("aria-sort", on ? (query.get("order") === "desc" ? "descending" : "ascending") : "none");
    });
    extend();
    if (!items.length) body.append(el("tr", {}, el("td", { class: "none", colspan: used.length }, "Nothing matches these filters.")));
  };
  const walk = (by) => {
    const links = [...body.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (at + by >= links.length && drawn < items.length) return extend(), walk(by);
    links[clamp(at + by, 0, links.length - 1)]?.focus();
  };
  return { node, update, walk };
};
