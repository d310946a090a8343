// The keyboard. What a key does depends on what is open.
const keys = { steps: null, next: null, before: null, back: null, search: null };
const KEY_WORDS = [
  ["← →", "step before, next step"],
  ["j k", "next episode, episode before; in a list: next row, row before (also ↓ ↑)"],
  ["Enter", "open the row"],
  ["/", "search"],
  ["Esc", "back to the list, close"],
  ["?", "these keys"],
];
const dialog = document.getElementById("help");
dialog.append(
  el("h2", {}, "Keys"),
  el("dl", { class: "facts" }, ...KEY_WORDS.flatMap(([key, does]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, does)])),
  button("Close", () => dialog.close()),
);
const help = () => dialog.showModal();

const DOES = {
  ArrowLeft: () => keys.steps?.(-1), ArrowRight: () => keys.steps?.(1),
  j: () => keys.next?.(), k: () => keys.before?.(), ArrowDown: () => keys.next?.(), ArrowUp: () => keys.before?.(),
  "/": () => keys.search?.(), "?": () => help(), Escape: () => keys.back?.(),
};
// Arrows scroll what scrolls; up and down belong to the page but on a row of a list.
const scrolls = (key, at) => (
  (key === "ArrowUp" || key === "ArrowDown") ? !at.closest(".episodes") : key.startsWith("Arrow") && at.closest("pre, .scroll, .points")
);
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || dialog.open) return;
  const at = event.target;
  if (at.matches("input, select, textarea")) {
    if (event.key === "Escape") at.blur();
    return;
  }
  const does = DOES[event.key];
  if (!does || scrolls(event.key, at)) return;
  event.preventDefault();
  does();
});
