// What the address asks for.
const overview = document.getElementById("overview");
const stage = document.getElementById("stage");
const SENTENCE = {
  missing: "Its data file is not there: the report may have been written anew since this page was opened; reload it.",
  empty: "Its data file could not be read.",
};

const listQuery = new URLSearchParams();
let listQueryNow = listQuery;
const changedList = (now) => {
  for (const [key, value] of Object.entries(now)) listQueryNow.set(key, value);
  replaceAddress(listAddress(listQueryNow));
  drawList();
};
const bar = filterBar(episodes, EPISODE_FACETS, changedList);
const list = listTable(EPISODE_COLUMNS, (e, query) => runAddress(e, 0, query), changedList);
const drawList = () => {
  const left = filtered(episodes, EPISODE_FACETS, listQueryNow);
  bar.update(listQueryNow, left.length, "episodes");
  list.update(sortedBy(left, EPISODE_COLUMNS, listQueryNow), listQueryNow);
};
document.getElementById("filters").append(bar.node);
document.getElementById("list").append(list.node);
if (labels.length > 1) document.getElementById("filters").before(
  el("p", {}, el("a", { class: "button", href: address(["compare", labels.at(-2), labels.at(-1)], listQuery) }, "Compare two runs"))
);

const notThere = (...said) => stage.replaceChildren(
  el("h2", { tabindex: "-1", id: "opened" }, "There is no such page"),
  el("p", {}, ...said),
  el("p", {}, el("a", { href: "#/", class: "button" }, "← List")),
);
const opening = async (wanted, draw) => {
  const hash = location.hash;
  stage.replaceChildren(muted("Loading …"));
  try {
    const data = await Promise.all(wanted.map(load));
    if (location.hash === hash) draw(data);
  } catch (error) {
    if (!SENTENCE[error.message]) throw error;
    stage.replaceChildren(
      el("p", {}, pill(SENTENCE[error.message], "bad")),
      el("p", {}, el("a", { href: "#/", class: "button" }, "← List")),
    );
  }
};
const VIEWS = {
  run: async ([agent, chain, step = "0"], query) => {
    const episode = find(agent, chain);
    if (!episode) return notThere(
      "This report has no episode of ",
      el("bdi", {}, agent ?? "–"),
      " on chain ",
      el("code", {}, chain ?? "–"),
      ".",
    );
    return opening([episode], ([data]) => drawEpisode(stage, episode, data, /^\d{1,6}$/.test(step) ? Number(step) : -1, query));
  },
  compare: async ([a, b], query) => {
    if (![a, b].every((name) => labels.includes(name))) return notThere(
      "This report has no run called ",
      el("bdi", {}, [a, b].find((name) => !labels.includes(name)) ?? "–"),
      ".",
    );
    return drawCompare(stage, a, b, query);
  },
  pair: async ([a, b, chain], query) => {
    const both = [find(a, chain), find(b, chain)];
    if (!both.every(Boolean)) return notThere("This report does not have chain ", el("code", {}, chain ?? "–"), " in both of these runs.");
    return opening(both, (data) => drawPair(stage, ...both, data, query));
  },
};
const pageTitle = document.title;
let searching = false;
let scrolled = 0;
const showRoute = async () => {
  const { view, parts, query } = readRoute();
  if (!overview.hidden) scrolled = scrollY;
  Object.assign(keys, { steps: null, next: null, before: null, back: null, search: null });
  const listed = view === "list";
  const was = overview.hidden;
  overview.hidden = !listed;
  stage.hidden = listed;
  if (listed) {
    stage.replaceChildren();
    listQueryNow = query;
    drawList();
    [keys.next, keys.before] = [() => list.walk(1), () => list.walk(-1)];
    document.title = pageTitle;
    keys.search = () => { bar.search.scrollIntoView({ block: "center" }); bar.search.focus(); };
    if (searching) keys.search();
    else if (was && location.hash.startsWith("#/")) scrollTo(0, scrolled);
    searching = false;
    return;
  }
  keys.back = () => goTo(listAddress(query));
  keys.search = () => { searching = true; keys.back(); };
  if (Object.hasOwn(VIEWS, view)) await VIEWS[view](parts, query);
  else notThere("The address ", el("code", {}, location.hash.slice(0, 200)), " is not one of this report.");
  scrollTo(0, 0);
  document.title = `${document.getElementById("opened")?.textContent ?? ""} · ${pageTitle}`;
  document.getElementById("opened")?.focus({ preventScroll: true });
};
addEventListener("hashchange", showRoute);
showRoute();
