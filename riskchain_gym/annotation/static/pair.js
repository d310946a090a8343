// The questions about a claim.
import { choices } from "./choices.js";
import { el } from "./dom.js";
import { glossary } from "./names.js";
import { confidenceQuestion, note } from "./questions.js";
import { said, t } from "./words.js";

const ANSWERS = [["yes", "Y"], ["no", "N"], ["cannot_tell", "C"]];

export function pairQuestions(desk, pair, codebook) {
  const kind = codebook.claims.find((entry) => entry.name === pair.kind);
  const names = glossary(pair.claim, codebook);
  const answer = choices({
    field: "answer", legend: t("pair.ask"), look: "buttons big",
    options: ANSWERS.map(([name, letter]) => ({ name, label: t(`pair.${name}`), digit: letter })),
    onChoose: (name) => desk.edit("answer", { answer: name }),
  });
  const ask = { answer, confidence: confidenceQuestion(desk, "S"), note: note(desk) };
  const general = el("p", { class: "problem", hidden: true, "data-testid": "problem" });
  const node = el("div", { class: "questions" },
    el("section", { class: "question wide" }, el("h3", { class: "plain-question", "data-testid": "plain-question" }, said(kind)),
      el("p", { class: "muted" }, t("pair.as-judged")),
      el("blockquote", { class: "claim", lang: "en", "data-testid": "claim" }, pair.claim),
      names.length > 0 && el("dl", { class: "facts glossary" }, ...names.flatMap(([name, words]) => [el("dt", {}, el("code", {}, name)), el("dd", {}, words)])),
      el("p", { class: "minimum" }, said(kind, "guidance")), el("p", { class: "muted" }, t("pair.only"))),
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
