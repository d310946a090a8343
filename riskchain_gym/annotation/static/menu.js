// A small menu over the picture: what can be done with one element.
import { el } from "./dom.js";

/**
 * Open a menu at an element of the frame and focus its first entry.
 * @param entries pairs of words and what choosing them does
 * @param hint a sentence above the entries, or ""
 * @returns how to close it
 */
export function openMenu(frame, anchor, title, entries, hint) {
  const close = (back = true) => {
    node.remove();
    document.removeEventListener("pointerdown", outside, true);
    if (back && anchor.isConnected) anchor.focus();
  };
  const outside = (event) => node.contains(event.target) || close(false);
  const move = (event) => {
    const buttons = [...node.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (event.key === "Escape" || event.key === "Tab") close();
    else if (to === undefined) return;
    else buttons.at(to % buttons.length).focus();
    event.preventDefault();
    event.stopPropagation();
  };
  const node = el("div", { class: "menu", role: "menu", "aria-label": title, "data-testid": "menu", on: { keydown: move } },
    el("p", { class: "menu-title" }, title), hint && el("p", { class: "menu-hint" }, hint),
    ...entries.map(([label, run]) =>
      el("button", { type: "button", role: "menuitem", tabindex: "-1", on: { click: () => { close(false); run(); } } }, label)));
  frame.append(node);
  putBeside(node, anchor, frame);
  document.addEventListener("pointerdown", outside, true);
  node.querySelector("button").focus();
  return close;
}

/** Below the anchor where there is room for it, else above; never beyond the frame's sides. */
function putBeside(node, anchor, frame) {
  const [at, all] = [anchor.getBoundingClientRect(), frame.getBoundingClientRect()];
  const left = Math.max(0, Math.min(at.left - all.left, all.width - node.offsetWidth));
  const below = at.bottom - all.top + 4;
  const above = at.top - all.top - node.offsetHeight - 4;
  node.style.left = `${left}px`;
  node.style.top = `${below + node.offsetHeight <= all.height || above < 0 ? below : above}px`;
}
