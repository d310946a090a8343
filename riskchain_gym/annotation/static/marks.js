// The pins on the picture, and a look back at the picture of an earlier step.
import { pictureAddress } from "./api.js";
import { canonical, el } from "./dom.js";
import { clipped, pinBox, place, viewportOf } from "./geometry.js";
import { t } from "./words.js";

const ROOM_PX = 30;

export class Marks {
  #pane;
  #pins = [];
  #chosen = "";
  #views = new Map();
  #back = null;

  constructor(pane) {
    this.#pane = pane;
    this.node = el("div", { class: "marks" });
  }

  get isLookingBack() {
    return this.#back !== null;
  }

  forget() {
    this.#views.clear();
    this.#chosen = "";
    this.stopLookingBack();
  }

  see(view) {
    this.#views.set(view.step, view);
    this.#draw();
  }

  show(pins) {
    this.#pins = pins;
    this.#draw();
  }

  /** Make one pin stand out; where its page is not the one shown, show the picture of its step. */
  choose(pin) {
    this.#chosen = pin.id;
    if (this.#isHere(pin)) this.stopLookingBack();
    else this.#lookBack(pin);
    this.#draw();
  }

  stopLookingBack() {
    if (!this.#back) return false;
    this.#back.remove();
    this.#back = null;
    return true;
  }

  /** Whether a pin was made on the page as it is now: at this step, or at one that showed the same. */
  #isHere(pin) {
    const [now, then] = [this.#pane.view, this.#views.get(pin.step)];
    if (!now) return false;
    if (pin.step !== now.step && !(then && sameContent(then, now))) return false;
    const box = pinBox(pin, pin.step === now.step ? now : then);
    return pin.step === now.step || (box !== null && clipped(box, viewportOf(now)) !== null);
  }

  #draw() {
    const now = this.#pane.view;
    if (!now) return;
    this.node.replaceChildren(...this.#pins.flatMap((pin, at) => (this.#isHere(pin) ? this.#mark(pin, at, this.#views.get(pin.step) ?? now, now) : [])));
  }

  #mark(pin, at, then, now) {
    const box = pinBox(pin, then);
    const seen = box && clipped(box, viewportOf(now));
    if (!seen) return [];
    const isAtEdge = seen.x + seen.width > now.viewport[0] - ROOM_PX;
    const looks = ["mark", pin.side, pin.id === this.#chosen && "chosen", isAtEdge && "at-edge"].filter(Boolean);
    const node = el("div", { class: looks.join(" "), "data-testid": "mark", "data-pin": pin.id }, el("span", {}, String(at + 1)));
    place(node, seen, now);
    return [node];
  }

  #lookBack(pin) {
    this.stopLookingBack();
    const then = this.#views.get(pin.step);
    const close = el("button", { type: "button", on: { click: () => { this.stopLookingBack(); this.#pane.frame.querySelector("button")?.focus(); } } }, t("back.close"));
    this.#back = el("div", { class: "lookback", "data-testid": "lookback" },
      el("img", { src: pictureAddress(this.#pane.taskId, pin.step), alt: t("back.picture", { step: pin.step }) }),
      then && this.#mark(pin, this.#pins.indexOf(pin), then, then),
      el("p", {}, t("back.says", { step: pin.step }), close));
    this.#pane.frame.append(this.#back);
    close.focus({ preventScroll: true });
  }
}

const sameContent = (one, other) =>
  one.path === other.path && one.title === other.title && canonical([one.elements, one.lines]) === canonical([other.elements, other.lines]);
