// The investigation, step by step: what was seen, and what was done on it next.
const PANES = { text: "Page text", changes: "Changes", elements: "Controls" };
let pane = "text";

const thumb = (data, v, i, cites, show) => {
  const page = data.pages[v.page];
  const strikes = v.acts.filter((act) => !act.valid).length;
  const acted = v.acts.at(-1);
  const marks = [
    cites.length > 0 && el("i", { class: "cite", title: count(cites.length, "citation") }),
    strikes > 0 && el("i", { class: "bad", title: count(strikes, "invalid action") }),
    v.acts.some(
      (act) => data.events.some((event) => event.step === act.index)
    ) && !strikes && el("i", { class: "warn", title: "something went wrong here" })];
  return button(
    [
      source(data, v.image) && picture(data, v, { alt: "", loading: "lazy" }),
      el("b", {}, `${v.step}`),
      el("span", {}, acted ? words(acted.action) : "end"),
      el("span", { class: "marks" }, ...marks),
    ],
    () => show(i), { title: `step ${v.step}: ${page.title}`, "aria-label": `Step ${v.step}` });
};

const stepViewer = (data, { step = 0, moved = () => {} } = {}) => {
  const { views } = data;
  if (!views.length) return { node: muted("The site was never opened."), move: () => {}, showStep: () => {}, known: step === 0 };
  const cites = (v) => (data.report ? [...data.report.evidence, ...data.report.counterevidence].filter((c) => c.step === v.step) : []);
  const found = views.findIndex((v) => v.step === step);
  let at = Math.max(0, found);
  const strip = el("div", { class: "strip", role: "group", "aria-label": "Steps" },
    ...views.map((v, i) => thumb(data, v, i, cites(v), (to) => show(to))),
  );
  const place = el("div", {});
  const node = el("div", { class: "investigation" }, strip, place);
  const pictured = views.some((v) => v.image);
  const read = (name) => { pane = name; draw(); place.querySelector(".tabs [aria-pressed=true]").focus(); };
  const tabs = () => Object.entries(PANES).map(([name, label]) => button(label, () => read(name), { "aria-pressed": String(pane === name) }));
  const body = (v) => (
    { text: () => textPane(data, data.pages[v.page], cites(v)), changes: () => changesPane(data, at), elements: () => elementsPane(data, at, v.acts) }
  )[pane]();
  const reading = (v) => [
    el("div", { class: "tabs choices", role: "group", "aria-label": "What to read of the step" }, ...tabs()),
    body(v),
  ];
  const beyond = (v, act) => act?.target && source(data, v.image) && !overlay(data, act.box, v.scroll, "") && muted(
    "The element lies outside the screenshot, further along the page."
  );
  const draw = () => {
    const v = views[at], page = data.pages[v.page];
    const act = v.acts.find((each) => each.valid) ?? v.acts.at(-1);
    [...strip.children].forEach((each, i) => each.setAttribute("aria-current", i === at));
    place.replaceChildren(
      el("div", { class: "where" },
        button("←", () => move(-1), { "aria-label": "Step before", disabled: at === 0 }),
        button("→", () => move(1), { "aria-label": "Next step", disabled: at === views.length - 1 }),
        el("b", {}, `Step ${v.step} of ${views.at(-1).step}`),
        el("bdi", {}, page.title),
        el("code", {}, page.path),
        page.status !== 200 && pill(`HTTP ${page.status}`, "warn")),
      el("div", { class: `viewer ${pictured ? "" : "wordy"}` },
        pictured && el("div", {},
          screenshot(
            data,
            v,
            page.title,
            ...cites(v).map((c) => overlay(data, c.box, v.scroll, null, "cite")),
            act && overlay(data, act.box, v.scroll, words(act.action)),
          ),
          beyond(v, act),
        ),
        el("div", { class: "side" }, actsPane(data, v), pictured && reading(v)),
        !pictured && el("div", { class: "side" }, reading(v))));
    const current = strip.children[at];
    strip.scrollLeft = current.offsetLeft - strip.clientWidth / 2 + current.clientWidth / 2;
    const mark = place.querySelector("pre mark");
    if (mark) mark.parentNode.scrollTop = mark.offsetTop - mark.parentNode.offsetTop - 40;
  };
  const show = (to) => { at = clamp(to, 0, views.length - 1); draw(); moved(views[at].step); announce(`Step ${views[at].step}`); };
  const move = (by) => { if (views[at + by]) show(at + by); };
  const showStep = (number) => {
    const to = views.findIndex((v) => v.step === number);
    if (to < 0) return;
    show(to);
    node.scrollIntoView({ block: "start" });
  };
  node.append(
    muted(
      "← and → move between steps. ",
      pictured ? "Orange is the element acted on, violet is cited." : "This run took no screenshots; cited lines are violet.",
    )
  );
  draw();
  return { node, move, showStep, draw, known: found >= 0 };
};
