// Two runs beside each other: which chains flip, by how much they differ, and one chain in both.
const pairQuery = (query) => new URLSearchParams(
  [...query].filter(([key]) => CHAIN_FACETS.some((facet) => facet.key === key) || ["flip", "find", "sort", "order"].includes(key))
);
const flipOf = (a, b) => {
  if (a.result === "not scored" || b.result === "not scored") return "open";
  const [was, is] = [a, b].map((e) => e.result === "right");
  return was === is ? (was ? "right" : "wrong") : was ? "worse" : "better";
};
const FLIP_TONES = { better: "good", worse: "bad" };
const pairsOf = (a, b) => chains.flatMap((chain) => {
  const [first, second] = [find(a, chain.chain), find(b, chain.chain)];
  if (!first || !second) return [];
  return [{ ...chain, label: first.label, first, second, flip: flipOf(first, second) }];
});
const ended = (e) => [verdictPill(e.result), " ", el("small", {}, unknown(e.wrote, clipped))];
const citedMore = ({ first, second }) => {
  const known = first.citation_f1 !== null && second.citation_f1 !== null;
  return known ? first.citation_f1 - second.citation_f1 : null;
};
const pairColumns = (a, b) => [
  { key: "chain", label: "Chain", value: (p) => p.chain, link: true },
  { key: "flip", label: "Flip", value: (p) => Object.keys(FLIPS).indexOf(p.flip), cell: (p) => pill(FLIPS[p.flip], FLIP_TONES[p.flip] ?? "") },
  { key: "first", label: `A: ${a}`, value: (p) => p.first.result, cell: (p) => ended(p.first) },
  { key: "second", label: `B: ${b}`, value: (p) => p.second.result, cell: (p) => ended(p.second) },
  { key: "type", label: "Gold", value: (p) => p.label, cell: (p) => clipped(p.label) },
  { key: "recipe", label: "Recipe", value: (p) => p.recipe, cell: (p) => words(p.recipe) },
  { key: "archetype", label: "Archetype", value: (p) => p.archetype },
  { key: "depth", label: "Depth", value: (p) => p.depth },
  { key: "steps", label: "Steps A, B", value: (p) => p.first.steps - p.second.steps, cell: (p) => `${p.first.steps}, ${p.second.steps}`, numeric: true },
  { key: "f1", label: "Cite F1 A − B", value: citedMore, cell: (p) => unknown(citedMore(p), number(2)), numeric: true },
];

const raised = (label) => {
  const [, name, mark, index] = /^(\S+?)([\^_])(\S+)(?= |$)/.exec(label) ?? [];
  return name ? [name, el(mark === "^" ? "sup" : "sub", {}, index), label.slice(name.length + 1 + index.length)] : label;
};
// The report holds each pair once, as B − A where the page was asked for the other order.
const negated = (shown) => (/^[+-]/.test(shown) ? `${shown.startsWith("-") || !/[1-9]/.test(shown) ? "+" : "-"}${shown.slice(1)}` : shown);
const negatedInterval = (shown) => {
  const [, low, high] = /^\[(.+), (.+)\]$/.exec(shown) ?? [];
  return low ? `[${negated(high)}, ${negated(low)}]` : shown;
};
const swapped = ([label, first, second, difference, interval, mark]) => [
  label, second, first, negated(difference), negatedInterval(interval), mark,
];
const differencesTable = (a, b) => {
  const [i, j] = [labels.indexOf(a), labels.indexOf(b)];
  const pair = index.pairs.find((each) => each.a === Math.min(i, j) && each.b === Math.max(i, j));
  if (!pair) return "";
  const figures = (rows) => plainTable(
    ["Figure", `A: ${a}`, `B: ${b}`, "Difference", "95 % interval", ""],
    rows.map((row) => (i > j ? swapped(row) : row)).map(
      ([label, ...cells]) => el("tr", { class: cells.at(-1) ? "apart" : "" },
        el("th", { scope: "row" }, raised(label)),
        ...cells.map((cell) => el("td", { class: "numeric" }, cell)),
      )
    ),
    "differences",
  );
  return el("div", {},
    pair.rows.length > 0 && figures(pair.rows),
    muted(pair.legend),
    pair.further.length > 0 && el("details", {}, el("summary", {}, "Further figures"), figures(pair.further)));
};
const choosers = (a, b, query) => {
  const select = (label, now, chosen) => {
    const node = el("select", { on: { change: () => chosen(node.value) } }, ...labels.map((name) => el("option", { value: name }, name)));
    node.value = now;
    return el("label", {}, label, node);
  };
  return el("div", { class: "filters" },
    select("A", a, (to) => goTo(address(["compare", to, b], query))),
    select("B", b, (to) => goTo(address(["compare", a, to], query))),
    button("Swap", () => goTo(address(["compare", b, a], query)), { class: "plain" }),
  );
};
const drawCompare = (stage, a, b, query) => {
  const pairs = pairsOf(a, b);
  const changed = (now) => {
    for (const [key, value] of Object.entries(now)) query.set(key, value);
    replaceAddress(address(["compare", a, b], query));
    update();
  };
  const columns = pairColumns(a, b);
  const bar = filterBar(pairs, PAIR_FACETS, changed);
  const list = listTable(columns, (p, now) => address(["pair", a, b, p.chain], now), changed);
  const update = () => {
    const left = filtered(pairs, PAIR_FACETS, query);
    bar.update(query, left.length, "chains");
    list.update(sortedBy(left, columns, query), query);
  };
  const tally = Object.keys(FLIPS).map((flip) => [flip, pairs.filter((p) => p.flip === flip).length]).filter(([, n]) => n);
  stage.replaceChildren(
    el("div", { class: "bar stage-bar" },
      el("a", { href: "#/", class: "button", id: "back" }, "← List"),
      el("span", { class: "grow" }),
      button("?", help, { "aria-label": "Keys" }),
    ),
    el("h2", { tabindex: "-1", id: "opened" }, "A ", el("bdi", {}, a), " beside B ", el("bdi", {}, b)), choosers(a, b, query),
    el("div", { class: "badges flips" },
      ...tally.map(
        ([flip, n]) => button(
          `${FLIPS[flip]} ${n}`,
          () => changed({ flip: query.get("flip") === flip ? "" : flip }),
          { class: `pill ${FLIP_TONES[flip] ?? ""}` },
        )
      ),
    ),
    heading("Differences"), differencesTable(a, b),
    heading("Chains"), pairs.length ? bar.node : muted("The two runs have no chain in common."), list.node);
  update();
  keys.back = () => goTo("#/");
  [keys.next, keys.before] = [() => list.walk(1), () => list.walk(-1)];
  keys.search = () => bar.search.focus();
};

const drawPair = (stage, first, second, data, query) => {
  const sides = [[first, data[0]], [second, data[1]]].map(([episode, each]) => ({ episode, data: each, steps: stepViewer(each) }));
  const columns = pairColumns(first.agent, second.agent);
  const left = sortedBy(filtered(pairsOf(first.agent, second.agent), PAIR_FACETS, query), columns, query);
  const at = left.findIndex((p) => p.chain === first.chain);
  const to = (p) => (p ? address(["pair", first.agent, second.agent, p.chain], query) : null);
  const [before, after] = [to(left[at - 1]), to(left[at + 1])];
  const back = address(["compare", first.agent, second.agent], query);
  const flip = flipOf(first, second);
  stage.replaceChildren(
    topBar(
      back,
      at < 0 ? "not among the filtered" : `${at + 1} of ${left.length}`,
      before,
      after,
      [button("?", help, { "aria-label": "Keys" })],
    ),
    el("h2", { tabindex: "-1", id: "opened" }, el("code", {}, first.chain), " ", pill(FLIPS[flip], FLIP_TONES[flip] ?? "")),
    el("div", { class: "sides" }, ...sides.map(({ episode, data: each, steps }, i) => el("section", { "aria-label": episode.agent },
      el("h3", {}, `${"AB"[i]} `, el("bdi", {}, episode.agent), " ", el("a", { href: runAddress(episode) }, "open")),
      outcomePills(episode, each), ...notes(each).flat().filter(kept),
      heading("Message"),
      messagePanel(each.message),
      heading("Investigation"),
      steps.node,
      heading("Report and gold"),
      findings(each, steps.showStep)))));
  sides.forEach(({ steps }) => steps.draw?.());
  keys.steps = (by) => sides.forEach(({ steps }) => steps.move(by));
  keys.next = () => after && goTo(after);
  keys.before = () => before && goTo(before);
  keys.back = () => goTo(back);
};
