// The questions about a claim.
import { choices } from "./choices.js";
import { el } from "./dom.js";
import { confidenceQuestion, note } from "./questions.js";
import { t } from "./words.js";

const ANSWERS = [["yes", "Y"], ["no", "N"], ["cannot_tell", "C"]];

export function pairQuestions(desk, pair) {
  const answer = choices({
    field: "answer", legend: t("pair.ask"), look: "buttons big",
    options: ANSWERS.map(([name, letter]) => ({ name, label: t(`pair.${name}`), digit: letter })),
    onChoose: (name) => desk.edit("answer", { answer: name }),
  });
  const ask = { answer, confidence: confidenceQuestion(desk, "S"), note: note(desk) };
  const general = el("p", { class: "problem", hidden: true, "data-testid": "problem" });
  const node = el("div", { class: "questions" },
    el("section", { class: "question wide" }, el("h3", { class: "legend" }, t("pair.claim")),
      el("blockquote", { class: "claim", "data-testid": "claim" }, pair.claim),
      el("p", { class: "minimum" }, pair.guidance), el("p", { class: "muted" }, t("pair.only"))),
    ...Object.values(ask).map((each) => each.node), general);
  return {
    node,
    ask,
    general,
    sync(form) {
      answer.set(form.answer);
      ask.confidence.set(String(form.confidence));
      ask.note.set(form.note, { required: false, least: 0 });
    },
  };
}
