// For the coordinator: the answers that were given, side by side, with what they differ in set apart.
import { thumbnailAddress } from "./api.js";
import { canonical, el } from "./dom.js";
import { isPair } from "./form.js";
import { WIDE } from "./pins.js";
import { said, t } from "./words.js";

const SITE_ROWS = ["environment_status", "decision", "primary_violation_type", "secondary_violation_types", "confidence", "note", "pins"];
const PAIR_ROWS = ["answer", "confidence", "note"];
const PSEUDO = new Set(["NONE", "UNKNOWN"]);
const LABELS = {
  environment_status: "answers.environment", decision: "ask.decision", primary_violation_type: "ask.type", secondary_violation_types: "ask.secondary",
  confidence: "answers.confidence", note: "ask.note", pins: "ask.pins", answer: "answers.answer",
};

/** @param onTake called with the form of the answer to take over */
export function answerColumns(task, codebook, onTake) {
  const { answers, kind } = task;
  const rows = isPair(kind) ? PAIR_ROWS : SITE_ROWS;
  const head = el("tr", {}, el("td", {}), ...answers.map(({ by, form }) => el("th", { scope: "col" }, el("b", {}, by),
    el("button", { type: "button", class: "small", "aria-label": t("answers.take-from", { by }), "data-testid": `take-${by}`, on: { click: () => onTake(form, by) } }, t("answers.take")))));
  const body = rows.map((field) => {
    const isApart = field !== "pins" && new Set(answers.map(({ form }) => canonical(form[field] ?? null))).size > 1;
    return el("tr", { class: isApart ? "apart" : null, "data-field": field },
      el("th", { scope: "row" }, t(LABELS[field]), isApart && el("span", { class: "unseen" }, ` (${t("answers.apart")})`)),
      ...answers.map(({ form }) => el("td", {}, ...cell(field, form, codebook))));
  });
  return el("section", { class: "answers", "aria-label": t("answers.label"), "data-testid": "answers" },
    el("h3", { class: "legend" }, t("answers.label")),
    el("div", { class: "answers-scroll", tabindex: "0", role: "group", "aria-label": t("answers.label") }, el("table", {}, el("thead", {}, head), el("tbody", {}, ...body))));
}

function cell(field, form, codebook) {
  const value = form[field];
  const named = (entries) => (name) => {
    const entry = entries.find((each) => each.name === name);
    return entry ? said(entry) : name;
  };
  switch (field) {
    case "environment_status": return [named(codebook.statuses)(value)];
    case "decision": return [named(codebook.decisions)(value)];
    case "primary_violation_type": return [PSEUDO.has(value) ? "–" : named(codebook.types)(value)];
    case "secondary_violation_types": return value?.length ? value.map((each) => el("div", {}, named(codebook.types)(each))) : ["–"];
    case "confidence": return [value === null ? "–" : `${value} / 5`];
    case "answer": return [t(`pair.${value}`)];
    case "pins": return value?.length ? value.map((pin) => pinned(pin, codebook)) : ["–"];
    default: return [value || "–"];
  }
}

const pinned = (pin, codebook) => {
  const kind = codebook.anchors.find((entry) => entry.name === pin.anchor_type);
  return el("figure", { class: `answer-pin ${pin.side === "counterevidence" ? "against" : ""}`, title: [pin.quote, pin.observation].filter(Boolean).join("\n") },
    pin.thumbnail && el("img", {
      src: thumbnailAddress(pin.thumbnail), alt: "",
      on: { load: ({ target }) => target.classList.toggle("wide", target.naturalWidth > WIDE * target.naturalHeight) },
    }),
    el("figcaption", {}, pin.quote && el("span", { class: "answer-quote" }, pin.quote),
      el("small", { class: "muted" }, [t("site.step", { step: pin.step }), kind ? said(kind) : pin.anchor_type, pin.side === "counterevidence" && t("pins.counterevidence")].filter(Boolean).join(" · "))));
};
