// The top of the page: how far one is, whether all is saved, and what is not about one site.
import { el, key } from "./dom.js";
import { languageNow, t } from "./words.js";

const LANGUAGES = [["en", "English"], ["zh", "中文"]];

/** @param on `undo()`, `rules()`, `help()`, `language(name)` */
export function pageHead(on) {
  const progress = el("progress", { "aria-label": t("head.progress") });
  const count = el("span", { class: "count", "data-testid": "progress" });
  const who = el("span", { class: "muted who" });
  const saved = el("span", { class: "saved", role: "status", "data-testid": "saved" });
  const undo = el("button", { type: "button", "data-testid": "undo-answer", on: { click: on.undo } }, t("head.undo"));
  const rules = el("button", { type: "button", class: "toggle", "aria-pressed": "false", "data-testid": "rules-button", on: { click: on.rules } }, t("head.rules"), key("R"));
  const help = el("button", { type: "button", "aria-label": t("head.help"), title: t("head.help"), "data-testid": "help-button", on: { click: on.help } }, key("?"));
  const language = el("select", { "aria-label": t("head.language"), "data-testid": "language", on: { change: () => on.language(language.value) } },
    ...LANGUAGES.map(([value, name]) => el("option", { value, lang: value }, name)));
  language.value = languageNow();
  const node = el("header", { class: "top" }, el("h1", {}, t("head.title")), who, el("span", { class: "progress" }, progress, count), saved,
    el("span", { class: "tools" }, undo, rules, help, language));

  return {
    node,
    mirror(state) {
      who.textContent = `${state.worker} · ${t(`role-of.${state.role}`)}`;
      progress.hidden = state.total === null;
      progress.max = Math.max(1, state.total);
      progress.value = state.done;
      count.textContent = t(state.total === null ? "head.open" : "head.count", { done: state.done, total: state.total });
      undo.disabled = !state.can_undo;
    },
    save(name) {
      saved.textContent = t(`saved.${name}`);
      saved.dataset.state = name;
    },
    rules: (isOpen) => rules.setAttribute("aria-pressed", String(isOpen)),
  };
}
