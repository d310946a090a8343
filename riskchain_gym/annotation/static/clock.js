// How long a task has been worked on: only time in which the page was seen and used.

const IDLE_AFTER_MS = 60_000;
const TICK_MS = 1000;
const KEPT = "riskchain.seconds";

export class Clock {
  #taskId = "";
  #seconds = 0;
  #lastUse = performance.now();
  #lastTick = performance.now();

  constructor() {
    for (const event of ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"])
      document.addEventListener(event, () => (this.#lastUse = performance.now()), { passive: true, capture: true });
    setInterval(() => this.#tick(), TICK_MS);
  }

  /** Begin a task, or go on with the one that was open before the page was loaded again. */
  start(taskId) {
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
    this.#taskId = taskId;
    this.#seconds = kept.taskId === taskId ? kept.seconds : 0;
    this.#lastTick = performance.now();
  }

  get seconds() {
    this.#tick();
    return Math.round(this.#seconds * 10) / 10;
  }

  #tick() {
    const now = performance.now();
    // A laptop that slept makes one long tick; nobody worked in it.
    const passed = Math.min(now - this.#lastTick, 2 * TICK_MS);
    this.#lastTick = now;
    if (document.visibilityState !== "visible" || now - this.#lastUse > IDLE_AFTER_MS) return;
    this.#seconds += passed / 1000;
    sessionStorage.setItem(KEPT, JSON.stringify({ taskId: this.#taskId, seconds: this.#seconds }));
  }
}
