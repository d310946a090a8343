// Says short things to whoever cannot see them happen.
import { el } from "./dom.js";

const node = el("div", { class: "unseen", role: "status", "aria-live": "polite" });
document.body.append(node);

export function announce(text) {
  node.textContent = "";
  // A change in the same turn would not be heard.
  requestAnimationFrame(() => (node.textContent = text));
}
