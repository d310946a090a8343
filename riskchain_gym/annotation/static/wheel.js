// Turns of a wheel, swipes and page keys become scroll actions: in order, one at a time, never a flood.

const STEP_PX = 700;
const START_PX = 24;
const PAUSE_MS = 220;
const MOST_WAITING = 2;
const SWIPE_PX = 40;
const LINE_PX = 30;

export class Scroller {
  #run;
  #can;
  #waiting = 0;
  #isBusy = false;
  #sum = 0;
  #started = false;
  #lastAt = 0;

  /**
   * @param run does one scroll action: 1 is down, -1 is up; resolves when the page has moved
   * @param can whether the page goes on in a direction
   */
  constructor(run, can) {
    this.#run = run;
    this.#can = can;
  }

  listen(node, isDrawing) {
    node.addEventListener("wheel", (event) => event.target.closest(".menu") || this.#turn(event), { passive: false });
    let from = null;
    node.addEventListener("touchstart", (event) => (from = event.touches.length === 1 && !isDrawing() && !event.target.closest(".menu") ? event.touches[0].clientY : null), { passive: true });
    node.addEventListener("touchmove", (event) => from !== null && event.cancelable && event.preventDefault(), { passive: false });
    node.addEventListener("touchend", (event) => {
      if (from === null) return;
      const moved = from - event.changedTouches[0].clientY;
      from = null;
      if (Math.abs(moved) > SWIPE_PX) this.go(Math.sign(moved));
    }, { passive: true });
  }

  /** Scroll once; what was asked for in the other direction is dropped. */
  go(direction) {
    if (Math.sign(this.#waiting) === -direction) this.#waiting = 0;
    if (Math.abs(this.#waiting) < MOST_WAITING) this.#waiting += direction;
    this.#drain();
  }

  stop() {
    this.#waiting = 0;
  }

  #turn(event) {
    if (event.ctrlKey) return;
    event.preventDefault();
    const turned = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1);
    const isNew = event.timeStamp - this.#lastAt > PAUSE_MS || Math.sign(turned) === -Math.sign(this.#sum);
    this.#lastAt = event.timeStamp;
    if (isNew) [this.#sum, this.#started] = [0, false];
    this.#sum += turned;
    // The first notch of a gesture moves the page at once; what follows moves it as far as the wheel was turned.
    if (Math.abs(this.#sum) < (this.#started ? STEP_PX : START_PX)) return;
    const direction = Math.sign(this.#sum);
    this.#sum = this.#started ? this.#sum - direction * STEP_PX : this.#sum;
    this.#started = true;
    this.go(direction);
  }

  async #drain() {
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (this.#waiting !== 0) {
      const direction = Math.sign(this.#waiting);
      this.#waiting -= direction;
      if (!this.#can(direction) || !(await this.#run(direction))) this.#waiting = 0;
    }
    this.#isBusy = false;
  }
}
