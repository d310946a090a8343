// Keyboard shortcuts, and the overlay that lists them.
import { el, isTyping, key } from "./dom.js";
import { isPair } from "./form.js";
import { t } from "./words.js";

const FIELDS = { e: "environment_status", d: "decision", t: "primary_violation_type", s: "secondary_violation_types", c: "confidence", n: "note", i: "pins" };
const PAIR_FIELDS = { d: "answer", s: "confidence", t: "note" };
const PAIR_ANSWERS = { y: "Y", n: "N", c: "C" };
const PAGE = 0.9;
const SCROLLS = { PageUp: -1, PageDown: 1, ArrowUp: -1, ArrowDown: 1 };

export const SHORTCUTS = [
  ["keys.answer", [
    [["1", "2", "3"], "keys.decision"], [["E", "1–4"], "keys.environment"], [["D"], "keys.to-decision"], [["T", "1–9"], "keys.type"], [["S", "1–9"], "keys.secondary"],
    [["C", "1–5"], "keys.confidence"], [["N"], "keys.note"], [["I"], "keys.pins"], [["Ctrl", "Enter"], "keys.submit"],
    [["Ctrl", "Z"], "keys.undo"], [["Ctrl", "Shift", "Z"], "keys.redo"],
  ]],
  ["keys.site", [
    [["G"], "keys.to-site"], [["Alt", "←"], "keys.back"], [["PgUp"], "keys.up"], [["PgDn"], "keys.down"], [["P"], "keys.pin"], [["Shift"], "keys.shift"], [["Esc"], "keys.escape"],
  ]],
  ["keys.pair", [[["Y"], "keys.yes"], [["N"], "keys.no"], [["C"], "keys.cannot"], [["S", "1–5"], "keys.confidence"], [["T"], "keys.note"]]],
  ["keys.page", [[["R"], "keys.rules"], [["?"], "keys.help"]]],
];

/**
 * Listen for shortcuts.
 * @param app `desk`, `pane`, `questions()`, `submit()`, `toggleRules()`, `closeRules()`, `help()`
 */
export function listen(app) {
  let armed = null;
  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]") || event.isComposing) return;
    const typing = isTyping(event.target);
    if (command(app, event) || turnsPage(app, event)) {
      event.preventDefault();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || typing || event.target instanceof HTMLSelectElement) return;
    const was = armed;
    armed = null;
    const done = plain(app, event.key, was, (field) => (armed = field));
    if (done) event.preventDefault();
  });
  document.addEventListener("pointerdown", () => (armed = null));
}

/** Keys that work in texts too. */
function command(app, event) {
  const { key: pressed, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (ctrlKey || metaKey) {
    if (pressed === "Enter") app.submit();
    else if (pressed.toLowerCase() === "z") shiftKey ? app.desk.redo() : app.desk.undo();
    else if (pressed.toLowerCase() === "y") app.desk.redo();
    else return false;
    return true;
  }
  if (altKey) {
    if (pressed === "ArrowLeft") app.pane.act({ action: "back" });
    else if (pressed in SCROLLS) app.pane.scroll(SCROLLS[pressed]);
    else return false;
    return true;
  }
  return pressed === "Escape" && (app.closeRules() || app.pane.escape());
}

/** Page Up and Down move what is looked at, wherever the focus is but in a text or in what lies over the page. */
function turnsPage(app, { key: pressed, target, ctrlKey, metaKey, altKey, shiftKey }) {
  if ((pressed !== "PageUp" && pressed !== "PageDown") || ctrlKey || metaKey || altKey || shiftKey) return false;
  if (!app.desk.task || isTyping(target) || target.closest(".rules, .menu")) return false;
  if (isPair(app.desk.task.kind)) scrollPage(document.querySelector(".pair-view"), SCROLLS[pressed]);
  else app.pane.scroll(SCROLLS[pressed]);
  return true;
}

const scrollPage = (node, direction) => node.scrollBy({ top: direction * PAGE * node.clientHeight });

function plain(app, pressed, armed, arm) {
  const letter = pressed.toLowerCase();
  if (pressed === "?") return app.help() ?? true;
  if (letter === "r") return app.toggleRules() ?? true;
  const questions = app.questions();
  if (!questions) return false;
  const pair = isPair(app.desk.task.kind);
  if (pair && letter in PAIR_ANSWERS) return questions.ask.answer.press(PAIR_ANSWERS[letter]);
  if (/^[1-9]$/.test(pressed)) return (questions.ask[armed ?? (pair ? "" : "decision")]?.press(pressed) ?? false);
  if (!pair && letter === "p") return app.pane.togglePinning() ?? true;
  if (!pair && letter === "g") return app.pane.focus() ?? true;
  const field = (pair ? PAIR_FIELDS : FIELDS)[letter];
  const question = questions.ask[field];
  if (!question || question.node.hidden) return false;
  question.unfold?.();
  question.focus();
  arm(field);
  return true;
}

export function helpDialog() {
  const parts = SHORTCUTS.map(([title, rows]) => el("section", {}, el("h3", {}, t(title)),
    el("dl", { class: "shortcuts" }, ...rows.flatMap(([keys, says]) => [el("dt", {}, ...keys.map((each) => key(each, { isRead: true }))), el("dd", {}, t(says))]))));
  const close = el("button", { type: "button", on: { click: () => dialog.close() } }, t("help.close"), key("Esc"));
  const dialog = el("dialog", { class: "help", "aria-label": t("help.title"), "data-testid": "help", on: { close: () => dialog.remove() } },
    el("div", { class: "help-head" }, el("h2", {}, t("help.title")), close), el("div", { class: "help-parts" }, ...parts),
    el("h3", {}, t("help.site")), el("p", {}, t("help.typing")), el("p", {}, t("help.pins")));
  document.body.append(dialog);
  dialog.showModal();
}
