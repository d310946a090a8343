// The keyboard. What a key does depends on what is open.
const keys = { steps: null, next: null, before: null, back: null, search: null };
const KEY_WORDS = [["← →", "step before, next step"], ["j k, ↓ ↑", "next episode, episode before (arrows scroll while something is read)"], ["/", "search"], ["Esc", "back to the list, close"], ["?", "these keys"]];
const dialog = document.getElementById("help");
dialog.append(el("h2", {}, "Keys"), el("dl", { class: "facts" }, ...KEY_WORDS.flatMap(([key, does]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, does)])), button("Close", () => dialog.close()));
const help = () => dialog.showModal();

const DOES = {
  ArrowLeft: () => keys.steps?.(-1), ArrowRight: () => keys.steps?.(1),
  j: () => keys.next?.(), k: () => keys.before?.(), ArrowDown: () => keys.next?.(), ArrowUp: () => keys.before?.(),
  "/": () => (keys.search ? keys.search() : (keys.back?.(), keys.search?.())), "?": () => help(), Escape: () => keys.back?.(),
};
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || dialog.open) return;
  const at = event.target;
  if (at.matches("input, select, textarea")) {
    if (event.key === "Escape") at.blur();
    return;
  }
  const does = DOES[event.key];
  const scrolls = event.key.startsWith("Arrow") && (at.closest("pre, .scroll, .points") || (event.key === "ArrowUp" || event.key === "ArrowDown") && !event.shiftKey && at !== document.body && !at.closest(".stage-bar, .strip, h2"));
  if (!does || scrolls) return;
  if (event.key.startsWith("Arrow") && !keys.steps) return;
  event.preventDefault();
  does();
});
