// The questions about a site, in the codebook's order.
import { choices, noteBox, setProblem } from "./choices.js";
import { el } from "./dom.js";
import { OTHER, VIOLATION, isLeftOut, withDecision, withMainType, withSecondType } from "./form.js";
import { pinList } from "./pins.js";
import { said, t } from "./words.js";

export const NOTE_LIMIT = 1000;
const CONFIDENCES = ["1", "2", "3", "4", "5"];

/** @param letter the key that leads to it */
export const confidenceQuestion = (desk, letter) => choices({
  field: "confidence", legend: t("ask.confidence"), look: "scale", letter,
  options: CONFIDENCES.map((name) => ({ name, label: name, digit: name, means: { 1: t("confidence.low"), 5: t("confidence.high") }[name] })),
  onChoose: (name) => desk.edit("confidence", { confidence: Number(name) }),
});

export const note = (desk) => noteBox("note", (required) => t(required ? "ask.note-required" : "ask.note"), (value) => desk.edit("note", { note: value }), NOTE_LIMIT);

const numbered = (entries) => entries.map((entry, at) => ({ name: entry.name, label: said(entry), digit: String(at + 1) }));

/** @param show called with a pin whose card was clicked */
export function siteQuestions(desk, codebook, show) {
  const types = codebook.types.map((entry) => entry.name);
  const minimum = el("p", { class: "minimum", "data-testid": "minimum", "aria-live": "polite" });
  const ask = {
    environment_status: choices({
      field: "environment_status", legend: t("ask.environment"), letter: "E",
      options: codebook.statuses.map((entry, at) => ({ name: entry.name, label: said(entry), means: said(entry, "means"), digit: String(at + 1) })),
      onChoose: (name) => desk.edit("environment_status", { environment_status: name }),
    }),
    decision: choices({
      field: "decision", legend: t("ask.decision"), look: "buttons", options: numbered(codebook.decisions),
      onChoose: (name) => desk.edit("decision", withDecision(desk.form, name)),
    }),
    primary_violation_type: choices({
      field: "primary_violation_type", legend: t("ask.type"), letter: "T", options: numbered(codebook.types), hint: minimum,
      onChoose: (name) => desk.edit("primary_violation_type", withMainType(desk.form, name)),
    }),
    secondary_violation_types: choices({
      field: "secondary_violation_types", legend: t("ask.secondary"), letter: "S", several: true, look: "rows second", options: numbered(codebook.types),
      onChoose: (name) => desk.edit("secondary_violation_types", withSecondType(desk.form, name, types)),
    }),
    confidence: confidenceQuestion(desk, "C"),
    note: note(desk),
    pins: pinList(desk, codebook, show),
  };
  const further = el("details", { class: "further", "data-testid": "further" }, el("summary", {}), ask.secondary_violation_types.node);
  ask.secondary_violation_types.unfold = () => (further.open = true);
  const general = el("p", { class: "problem", hidden: true, "data-testid": "problem" });
  const node = el("div", { class: "questions" }, ...Object.entries(ask).map(([field, each]) => (field === "secondary_violation_types" ? further : each.node)), general);

  return {
    node,
    ask,
    general,
    sync(form) {
      const isViolation = form.decision === VIOLATION;
      for (const [field, each] of Object.entries(ask)) if (each.inputs) each.set(field === "confidence" ? String(form[field]) : form[field]);
      ask.primary_violation_type.node.hidden = further.hidden = !isViolation;
      for (const name of types) ask.secondary_violation_types.hide(name, name === form.primary_violation_type);
      further.firstChild.textContent = t("ask.secondary-count", { count: form.secondary_violation_types.length });
      const chosen = codebook.types.find((entry) => entry.name === form.primary_violation_type);
      minimum.textContent = chosen ? t("ask.minimum", { text: said(chosen, "minimum") }) : t("ask.minimum-none");
      ask.note.set(form.note, { required: form.primary_violation_type === OTHER, least: codebook.min_other_note });
      ask.pins.set(form.pins);
    },
  };
}

/** Show the server's problems beside their questions and go to the first; problems of fields without one come last. */
export function showProblems(questions, form, problems) {
  clearProblems(questions);
  const rest = [];
  const found = new Map();
  for (const { field, message } of problems) {
    const [name, at, part] = field.split(".");
    const question = questions.ask[name];
    if (!question) rest.push(message);
    else if (name === "pins" && at !== undefined) found.set(question, question.setProblem(Number(at), part, message));
    else {
      setProblem(question.node, isLeftOut(form, name) ? t(`missing.${name}`) : message);
      found.set(question, null);
    }
  }
  questions.general.textContent = rest.join(" ");
  questions.general.hidden = rest.length === 0;
  const first = Object.values(questions.ask).find((question) => found.has(question));
  first?.unfold?.();
  if (first) (found.get(first) ?? first).focus();
  else questions.general.scrollIntoView({ block: "nearest" });
}

export function clearProblems(questions, field = null) {
  for (const [name, question] of Object.entries(questions.ask)) {
    if (field !== null && name !== field) continue;
    setProblem(question.node, "");
    question.clearProblems?.();
  }
  questions.general.hidden = true;
}
