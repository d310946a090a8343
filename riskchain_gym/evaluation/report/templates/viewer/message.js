// The message: each variant as sent, as restored and as it was meant, and how it was disguised, stage by stage.
const untried = (m) => (m.asked ? "Nothing was restored." : "Not asked: the episode began on the site.");
const stageLine = (text, stage) => {
  const characters = [...text], shown = [], after = [];
  let at = 0;
  for (const edit of stage.edits) {
    const between = characters.slice(at, edit.start).join("");
    shown.push(
      between,
      edit.before && el("del", { title: edit.rule }, edit.before),
      edit.after && el("ins", { title: edit.rule }, ...reveal(edit.after)),
    );
    after.push(between, edit.after);
    at = edit.start + [...edit.before].length;
  }
  const rest = characters.slice(at).join("");
  return { shown: [...shown, rest], after: after.join("") + rest };
};
const traceOf = (part) => {
  let text = part.canonical;
  return el("ol", { class: "trace" }, ...part.stages.map((stage) => {
    const { shown, after } = stageLine(text, stage);
    text = after;
    const rules = [...new Set(stage.edits.map((edit) => edit.rule))].filter((rule) => rule !== stage.name);
    return el("li", {},
      el("div", { class: "stage" },
        el("b", {}, words(stage.name)),
        el("span", { class: "muted" }, `${count(stage.edits.length, "edit")}${rules.length ? `: ${rules.slice(0, 4).join(", ")}` : ""}`),
      ),
      el("div", { class: "text" }, ...shown),
    );
  }));
};
const partOf = (m, part, points) => el("div", {},
  el("div", { class: "cols" },
    box(
      part.role === "sender" ? "As sent" : `As sent (${part.role})`,
      points ? codePoints(part.shown) : el("div", { class: "text" }, ...reveal(part.shown)),
    ),
    box(
      "As restored",
      part.restored === null ? muted(untried(m)) : el("div", { class: "text" }, ...restoredBeside(part.restored, part.canonical)),
    ),
    box("Original", el("div", { class: "text" }, ...reveal(part.canonical)))),
  part.stages.length > 0 && el("details", { class: "traced" },
    el("summary", {}, `How it was disguised: ${count(part.stages.length, "stage")}`),
    traceOf(part),
  ));

const entryPills = (m, v) => {
  if (!m.asked) return [pill("not asked")];
  if (!v.tried) return [pill("not restored")];
  if (!v.entries.length) return [pill(v.abstain ? "abstained" : "none ranked", "bad")];
  const right = (c, i) => (i === 0 ? (v.gate ? "good" : "bad") : c.value === m.entry ? "good" : "");
  return v.entries.flatMap((c, i) => [pill(`${c.rank}. ${c.value} (${c.confidence.toFixed(2)})`, right(c, i)), " "]);
};
const variantOf = (m, v, points) => el("div", {},
  ...v.parts.map((part) => partOf(m, part, points)),
  v.parts.some((part) => part.restored !== null && part.restored !== part.canonical) && muted(
    "As restored: ",
    el("del", {}, "struck out"),
    " is not in the original, ",
    el("ins", {}, "underlined"),
    " is missing from the restoration.",
  ),
  el("dl", { class: "facts" },
    el("dt", {}, "Entry"), el("dd", {}, ...entryPills(m, v), el("span", { class: "muted" }, " gold "), el("code", {}, m.entry)),
    el("dt", {}, "Intent"),
    el("dd", {},
      m.asked && v.tried ? pill(v.intent ?? "none", v.intent === m.intent ? "good" : "bad") : pill(m.asked ? "not restored" : "not asked"),
      el("span", { class: "muted" }, " gold "),
      el("code", {}, m.intent),
    ),
    v.unsure.length > 0 && [el("dt", {}, "Unsure"), el("dd", {}, v.unsure.join(" "))]));

const messagePanel = (m) => {
  let variant = m.variants[0], points = false;
  const place = el("div", {});
  const tabs = m.variants.map((v) => button([`${v.name} ${words(v.recipe)}`, v.tried && m.asked ? (v.gate ? " ✓" : " ✗") : ""], () => { variant = v; draw(); },
    { title: v.tried ? (m.asked ? (v.gate ? "restored, the entry is right" : "restored, the entry is wrong") : null) : "not restored in this run" }));
  const toggle = button("Code points", () => { points = !points; draw(); });
  const draw = () => {
    tabs.forEach((tab, i) => tab.setAttribute("aria-pressed", m.variants[i] === variant));
    toggle.setAttribute("aria-pressed", points);
    place.replaceChildren(variantOf(m, variant, points));
  };
  draw();
  return el("div", {},
    el("div", { class: "bar" },
      el("span", { class: "muted" }, `${m.platform} · ${words(m.surface).toLowerCase()} · topic ${words(m.topic)} · form ${words(m.form)}`),
      el("div", { class: "choices", role: "group", "aria-label": "Variant" }, ...tabs), toggle),
    place, m.decoys.length > 0 && muted(`Addresses that the message names and does not mean: ${m.decoys.join(", ")}`));
};
