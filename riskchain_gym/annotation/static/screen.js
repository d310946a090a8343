// What is on the page for one task: head, site or pair, questions, rules.
import { answerColumns } from "./answers.js";
import { el, key } from "./dom.js";
import { isPair } from "./form.js";
import { pageHead } from "./head.js";
import { pairQuestions } from "./pair.js";
import { pairView, showCited } from "./pairview.js";
import { siteQuestions } from "./questions.js";
import { rulesPanel } from "./rules.js";
import { SitePane } from "./site.js";
import { t } from "./words.js";

export class Screen {
  constructor({ app, state, codebook }) {
    this.head = pageHead({ undo: () => app.undoAnswer(), rules: () => app.toggleRules(), help: () => app.help(), language: (name) => app.language(name) });
    this.pane = new SitePane({ pin: (made) => app.pinned(made), away: () => app.connection.lost(), closed: (view) => app.closed(view), restart: () => app.restartVisit() });
    this.questions = null;
    this.rules = codebook && rulesPanel(codebook);
    const body = !state ? el("p", { class: "blank" }, t("page.opening")) : state.task ? this.#task(app, state.task, codebook) : finished(app, state);
    this.node = el("div", { class: "page" }, this.head.node, app.notices.node, this.rules, body);
    if (state) this.head.mirror(state);
  }

  mount() {
    document.body.querySelector(".page")?.remove();
    document.body.prepend(this.node);
    showCited(this.node);
  }

  #task(app, task, codebook) {
    const pair = isPair(task.kind);
    this.questions = pair ? pairQuestions(app.desk, task.pair, codebook) : siteQuestions(app.desk, codebook, (pin) => this.pane.marks.choose(pin));
    const answers = task.answers && answerColumns(task, codebook, (form, by) => app.takeOver(form, by));
    this.undo = el("button", { type: "button", disabled: true, "data-testid": "undo", on: { click: () => app.desk.undo() } }, t("form.undo"), key("Ctrl Z"));
    this.send = el("button", { type: "button", class: "primary", "data-testid": "submit", on: { click: () => app.submit() } }, t("form.submit"), key("Ctrl ⏎"));
    this.answer = el("section", { class: "answer", id: "answer", "aria-label": t("form.label"), "data-testid": "task", "data-task": task.task_id, "data-kind": task.kind },
      el("div", { class: "answer-body", tabindex: "-1" }, el("h2", {}, t(`task.${task.kind}`, { number: task.number })), answers, this.questions.node),
      el("div", { class: "answer-foot" }, this.undo, this.send));
    return el("main", { class: pair ? "desk pair" : "desk" }, pair ? pairView(task.pair, codebook) : this.pane.node, this.answer);
  }

  sync(form, desk) {
    this.questions.sync(form);
    this.undo.disabled = !desk.canUndo;
    if (form.pins) this.pane.marks.show(form.pins);
  }

  /** While an answer is sent nothing of it can change. */
  lock(isLocked) {
    if (!this.answer || this.answer.inert === isLocked) return;
    if (isLocked) this.held = document.activeElement;
    this.answer.inert = isLocked;
    if (!isLocked && this.answer.contains(this.held)) this.held.focus();
  }

  focus() {
    this.node.querySelector(".answer-body, [data-testid=finished]")?.focus({ preventScroll: true });
  }

  toggleRules() {
    if (!this.rules) return;
    this.rules.hidden = !this.rules.hidden;
    this.head.rules(!this.rules.hidden);
    if (!this.rules.hidden) this.rules.focus();
  }

  /** Fold the rules in; returns whether they were there. */
  closeRules() {
    if (!this.rules || this.rules.hidden) return false;
    this.toggleRules();
    return true;
  }
}

function finished(app, state) {
  const isAll = state.complete;
  return el("main", { class: "finished", tabindex: "-1", "data-testid": "finished" },
    el("h2", {}, t(isAll ? "finished.all" : "finished.now")),
    el("p", {}, t(isAll ? "finished.thanks" : "finished.wait")),
    !isAll && el("button", { type: "button", "data-testid": "look-again", on: { click: () => app.lookAgain() } }, t("finished.look")));
}
