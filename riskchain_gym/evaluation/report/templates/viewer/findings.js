// The report beside gold and the evidence atoms, and how judges see it.
const stepButton = (step, show, known) => (
  known ? button(`step ${step}`, () => show(step), { class: "pill", title: "Show this step" }) : pill(`step ${step}`)
);
const citation = (data, c, name, show) => {
  const v = data.views.find((other) => other.step === c.step);
  return el("div", { class: "citation" },
    v && source(data, v.image) && crop(data, v, c, show),
    v && v.image && !source(data, v.image) && absent("screenshot is missing"),
    el("div", { class: "body" },
      el("div", { class: "badges" },
        pill(name),
        stepButton(c.step, show, v),
        c.hits.length ? pill(`hits ${c.hits.join(", ")}`, c.deciding ? "good" : "") : pill("hits no atom", "warn"),
      ),
      el("blockquote", {}, c.quote || c.element_id || "(region)"),
      el("div", { class: "muted" },
        words(c.anchor_type).toLowerCase(),
        c.element_id && [" · ", el("code", {}, c.element_id)],
        c.observation ? ` · ${c.observation}` : "",
      )));
};
const numbered = (report) => [
  ...report.evidence.map((c, i) => [c, `evidence ${i + 1}`]),
  ...report.counterevidence.map((c, i) => [c, `counter-evidence ${i + 1}`]),
];

const reportBox = (data) => {
  const r = data.report;
  if (!r) return box(
    "Reported",
    muted(data.status === "infra_error" ? "The episode was lost before a report." : "There is none."),
    ...data.reported.map((act) => actBlock(data, act)),
  );
  const right = r.decision === data.gold.decision;
  const exact = right && r.primary_violation_type === data.gold.type;
  return box(
    "Reported",
    el("div", { class: "badges" },
      pill(r.decision, right ? "good" : "bad"),
      pill(r.primary_violation_type, exact ? "good" : "bad"),
      ...r.secondary_violation_types.map((type) => pill(`also ${type}`)),
    ),
    el("p", {}, r.risk_reason),
    r.note && muted(r.note),
    muted(`environment ${r.environment_status.toLowerCase()} · ${r.evidence_sufficiency.toLowerCase()} · confidence ${r.confidence} of 5`),
    ...data.reported.filter((act) => !act.valid).map((act) => actBlock(data, act)));
};
const aboutSite = (gold) => [
  `archetype ${gold.archetype}`, `depth ${gold.depth}`, words(gold.track).toLowerCase(),
  gold.gates.length ? `gates ${gold.gates.join(", ")}` : "no gate", `label ${gold.source}`,
  ...(gold.site_status ? [`site ${gold.site_status}`] : []),
].join(" · ");
const goldBox = ({ gold }) => box(
  "Gold",
  el("div", { class: "badges" }, pill(gold.decision), pill(gold.type), ...gold.secondary.map((type) => pill(`also ${type}`))),
  muted(aboutSite(gold)),
  gold.way.length > 0 && el("details", {},
    el("summary", {}, `A way to all that decides: ${count(gold.way.length, "action")}`),
    el("ol", { class: "way" },
      ...gold.way.map(
        (step) => el("li", {}, words(step.action), step.name && [" ", el("bdi", {}, step.role), " “", el("bdi", {}, step.name), "”"].flat())
      ),
    ),
  ));
const atomsBox = (data, show) => {
  const names = data.report ? numbered(data.report) : [];
  const by = (i) => names.filter(([c]) => c.atoms.includes(i)).map(([, name]) => name).join(", ");
  return box("Evidence atoms", plainTable(["Line that carries the fact", "Part", "Seen", "Cited"], data.gold.atoms.map((a, i) => row(
    [el("bdi", {}, a.text), a.picture && pill("in a picture")], [pill(a.component), a.deciding && " deciding"],
    a.seen === null ? pill("not seen", a.deciding ? "bad" : "") : stepButton(a.seen, show, true),
    a.cited ? pill(by(i) || "cited", "good") : by(i) ? pill(by(i)) : pill("no", a.deciding ? "warn" : "")))));
};
const findings = (data, show) => el("div", {},
  el("div", { class: "cols verdict" }, reportBox(data), goldBox(data), atomsBox(data, show)),
  data.report && el("div", { class: "citations" }, ...numbered(data.report).map(([c, name]) => citation(data, c, name, show))));

// Judges speak of how a report relates to what was observed, and of nothing else.
const dimensionPills = (dimensions) => Object.entries(dimensions).map(
  ([name, d]) => pill(`${name} ${unknown(d.score, number(2))} (${d.settled} of ${d.points} settled)`)
);
const verdictOn = (point) => {
  if (point.error) return pill("failed", "warn", point.error);
  if (point.answer === null || point.answer === "cannot_tell") return pill("cannot tell");
  return pill(point.answer, point.answer === point.good ? "good" : "bad");
};
const ruledPoint = (point, show, data) => el("tr", {},
  el("td", {}, point.dimension),
  el("td", {},
    point.claim,
    point.raw && el("details", { class: "sent" }, el("summary", {}, "Reply as it came"), el("pre", { tabindex: "0" }, point.raw)),
  ),
  el("td", {},
    words(point.place),
    point.step !== null && [" ", stepButton(point.step, show, data.views.some((v) => v.step === point.step))],
  ),
  el("td", {}, verdictOn(point)),
  el("td", {}, point.why || point.error));
const judgePanel = (data, show) => {
  const own = data.judge;
  const scored = own.status !== "not_run" && el("div", { class: "box wide" },
    el("h4", {}, `Scored with ${own.name}`),
    el("div", { class: "badges" }, ...dimensionPills(own.dimensions)),
    own.adverse.length > 0 && [
      muted("Points settled against the report; they say nothing of right and wrong:"),
      el("ul", {}, ...own.adverse.map((point) => el("li", {}, point))),
    ]);
  const asked = data.judges.map(
    (judge) => el("div", { class: "box wide" },
      el("h4", {}, `${judge.judge} · ${judge.file}`),
      judge.error && el("p", {}, pill(judge.error, "bad")),
      el("div", { class: "badges" }, ...dimensionPills(judge.dimensions)),
    judge.points.length > 0 && plainTable(
      ["Dimension", "Claim", "About", "Answer", "Why"],
      judge.points.map((point) => ruledPoint(point, show, data)),
    )));
  return scored || asked.length ? el("div", { class: "cols" }, scored, ...asked) : muted("No judge has seen this report.");
};
