// Banners below the head of the page: what a person must know or choose.
import { el } from "./dom.js";

export class Notices {
  #shown = new Map();

  constructor() {
    this.node = el("div", { class: "notices", "data-testid": "notices" });
  }

  /**
   * Show a banner in place of the one of the same name.
   * @param choices pairs of a label and what it does; a choice takes the banner away
   */
  show(name, tone, text, choices = []) {
    this.hide(name);
    const buttons = choices.map(([label, run]) =>
      el("button", { type: "button", on: { click: () => { this.hide(name); run(); } } }, label));
    const banner = el("div", { class: `notice ${tone}`, role: "alert", "data-testid": `notice-${name}` }, el("p", {}, text), ...buttons);
    this.#shown.set(name, banner);
    this.node.append(banner);
  }

  hide(name) {
    this.#shown.get(name)?.remove();
    this.#shown.delete(name);
  }

  clear() {
    for (const name of [...this.#shown.keys()]) this.hide(name);
  }
}

/** Ask before something is given up; resolves to whether it may be. */
export function confirmed(text, yes, no) {
  return new Promise((resolve) => {
    const answer = (said) => () => { dialog.close(); dialog.remove(); resolve(said); };
    const dialog = el("dialog", { class: "ask", "data-testid": "ask", on: { cancel: answer(false) } },
      el("p", {}, text),
      el("div", { class: "row" },
        el("button", { type: "button", class: "primary", "data-testid": "ask-yes", on: { click: answer(true) } }, yes),
        el("button", { type: "button", autofocus: true, on: { click: answer(false) } }, no)));
    document.body.append(dialog);
    dialog.showModal();
  });
}
