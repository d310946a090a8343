// What lists can be filtered by. A count says how many would be left by a choice, all other choices kept.
const given = (value) => (value === null || value === undefined ? [] : [value]);
const CHAIN_FACETS = [
  { key: "type", label: "Gold", of: (x) => given(x.label) },
  { key: "recipe", label: "Recipe", of: (x) => given(x.recipe) },
  { key: "severity", label: "Severity", of: (x) => given(x.severity).map(String) },
  { key: "depth", label: "Depth", of: (x) => given(x.depth) },
  { key: "sitegate", label: "Site gate", of: (x) => x.gates },
];
const EPISODE_FACETS = [
  { key: "agent", label: "Agent", of: (x) => [x.agent] },
  { key: "result", label: "Result", of: (x) => [x.result] },
  { key: "failure", label: "First failure", of: (x) => given(x.first_failure) },
  { key: "cause", label: "Cause", of: (x) => given(x.cause) },
  { key: "event", label: "Any event", of: (x) => x.kinds },
  ...CHAIN_FACETS,
];
const FLIPS = { better: "A wrong → B right", worse: "A right → B wrong", right: "both right", wrong: "both wrong", open: "not scored" };
const PAIR_FACETS = [
  { key: "flip", label: "Flip", of: (x) => [x.flip], order: Object.keys(FLIPS), show: (v) => FLIPS[v] },
  ...CHAIN_FACETS,
];

const searched = (x) => [x.chain, x.archetype, x.label, x.recipe, x.text, x.agent ?? ""].join("\n").toLowerCase();
const chosen = (facets, query) => {
  const wanted = facets.filter((facet) => query.get(facet.key)).map((facet) => [facet, query.get(facet.key)]);
  const find = (query.get("find") ?? "").trim().toLowerCase();
  return { find, wanted };
};
const filtered = (items, facets, query, but = null) => {
  const { find, wanted } = chosen(facets, query);
  const tests = wanted.filter(([facet]) => facet !== but);
  return items.filter((x) => tests.every(([facet, value]) => facet.of(x).includes(value)) && (!find || searched(x).includes(find)));
};
const facetCounts = (items, facet) => {
  const counts = new Map();
  for (const x of items) for (const value of facet.of(x)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
};
const facetValues = (items, facet) => {
  const present = facetCounts(items, facet);
  return facet.order ? facet.order.filter((value) => present.has(value)) : [...present.keys()].sort();
};
