// The left half: the site as the picture of its viewport, what can be done with it, and what was pinned on it.
import { Away, Refused, get, pictureAddress, post } from "./api.js";
import { announce } from "./announce.js";
import { el } from "./dom.js";
import { Drawing } from "./drawing.js";
import { outcome } from "./feedback.js";
import { Marks } from "./marks.js";
import { openMenu } from "./menu.js";
import { siteBar } from "./sitebar.js";
import { Scroller } from "./wheel.js";
import { t } from "./words.js";
import { actionsOf, elementName, plainAction, zonesOf } from "./zones.js";

const GONE_FOR_NOW = 503;
const SLOW_MS = 4000;
const TAUGHT = "riskchain.fill-explained";

export class SitePane {
  #on;
  #taskId = "";
  #isBusy = false;
  #isPinning = false;
  #isShifted = false;
  #closeMenu = null;
  #scroller = new Scroller((direction) => this.act({ action: direction > 0 ? "scroll_down" : "scroll_up" }), (direction) => this.#goesOn(direction));

  /** @param on `pin(made)`: something was pinned; `away()`: the server does not answer; `closed(view)`: browsing is closed;
   *   `restart()`: the person wants to begin anew */
  constructor(on) {
    this.#on = on;
    this.view = null;
    this.bar = siteBar(this);
    this.picture = el("img", { alt: "", draggable: "false", "data-testid": "picture" });
    this.zones = el("div", { class: "zones" });
    this.marks = new Marks(this);
    this.thumb = el("i", {});
    this.frame = el("div", { class: "frame", tabindex: "-1", "data-testid": "frame" }, this.picture, this.zones, this.marks.node, el("div", { class: "track", "aria-hidden": "true" }, this.thumb));
    this.feedback = el("p", { class: "feedback", role: "status", "data-testid": "feedback" });
    this.empty = el("div", { class: "blank", hidden: true });
    this.node = el("section", { class: "site", "aria-label": t("site.label"), "data-testid": "site" },
      this.bar.node, el("div", { class: "stage" }, this.frame, this.empty, this.feedback));
    new Drawing(this, (region) => this.#pin({ region }));
    this.#scroller.listen(this.frame, () => this.isPinning);
    this.frame.addEventListener("pointermove", (event) => this.#shift(event.shiftKey));
    this.frame.addEventListener("pointerleave", () => this.#shift(false));
  }

  get taskId() {
    return this.#taskId;
  }

  get isPinning() {
    return (this.#isPinning || this.#isShifted) && this.view !== null;
  }

  /** Show the visit of a task, going on where it stood. */
  async open(taskId) {
    this.#taskId = taskId;
    this.view = null;
    this.marks.forget();
    this.#closeMenu?.(false);
    this.frame.hidden = true;
    this.say(t("site.opening"));
    await this.refresh();
  }

  async refresh() {
    await this.#asking(async () => {
      const view = await get("visit");
      if (view.task_id === this.#taskId) await this.#show(view);
    });
  }

  /** Begin the visit anew; resolves to whether it was. */
  restart() {
    return this.#asking(async () => {
      this.marks.forget();
      await this.#show(await post("visit/restart", { task_id: this.#taskId }));
    });
  }

  /** Take one action; resolves to whether the site took it. */
  act(action) {
    if (this.#isBusy || this.view?.state !== "open") return Promise.resolve(false);
    this.marks.stopLookingBack();
    return this.#asking(async () => this.#show(await post("visit/act", { task_id: this.#taskId, step: this.view.step, action })));
  }

  scroll(direction) {
    this.#scroller.go(direction);
  }

  togglePinning(isOn = !this.#isPinning) {
    if (isOn === this.#isPinning) return;
    this.#isPinning = isOn;
    announce(t(isOn ? "pin.on" : "pin.off"));
    this.#mirror();
  }

  askRestart() {
    this.#on.restart();
  }

  /** Go to the first thing on the picture that can be used now. */
  focus() {
    [...this.zones.children].find((zone) => zone.checkVisibility())?.focus();
  }

  /** Close what lies over the picture; returns whether anything did. */
  escape() {
    if (this.marks.stopLookingBack()) return true;
    const was = this.#isPinning;
    this.togglePinning(false);
    return was;
  }

  #shift(isHeld) {
    if (isHeld === this.#isShifted) return;
    this.#isShifted = isHeld;
    this.#mirror();
  }

  #goesOn(direction) {
    if (!this.view) return false;
    return direction < 0 ? this.view.scroll_y > 0 : this.view.scroll_y + this.view.viewport[1] < this.view.height;
  }

  /** Do something with the server, and say what came of it. */
  async #asking(run) {
    this.#isBusy = true;
    this.#mirror();
    const slow = setTimeout(() => this.say(t("site.slow")), SLOW_MS);
    try {
      await run();
      return true;
    } catch (error) {
      await this.#explain(error);
      return false;
    } finally {
      clearTimeout(slow);
      this.#isBusy = false;
      this.#mirror();
    }
  }

  async #explain(error) {
    this.#scroller.stop();
    if (error instanceof Away) {
      this.#on.away();
      this.say(t("site.away"));
    } else if (error instanceof Refused && error.status === 409 && error.body.view) {
      await this.#show(error.body.view);
      this.say(t("site.went-on"));
    } else if (error instanceof Refused) {
      // The page's own words first: the server's are in English only.
      const text = t(error.status === GONE_FOR_NOW ? "site.failed" : "site.refused", { why: error.body.message ?? `HTTP ${error.status}` });
      const now = this.view && error.status === GONE_FOR_NOW ? await get("visit").catch(() => null) : null;
      if (now) await this.#show(now);
      this.say(error.body.cause === "hung" ? t("site.hung") : text);
      if (!this.view) this.#showNothing(text);
    } else {
      throw error;
    }
  }

  async #show(view) {
    this.#closeMenu?.(false);
    const next = el("img", { draggable: "false", "data-testid": "picture", src: pictureAddress(view.task_id, view.step) });
    // Without its picture a page can still be acted on by the names of its zones.
    await next.decode().catch(() => {});
    const held = this.zones.contains(document.activeElement) ? document.activeElement.dataset.element : null;
    const moved = this.view && (this.view.path !== view.path || this.view.title !== view.title);
    this.view = view;
    this.frame.hidden = false;
    this.empty.hidden = true;
    this.frame.style.setProperty("--wide", view.viewport[0]);
    this.frame.style.setProperty("--high", view.viewport[1]);
    this.picture.replaceWith(next);
    this.picture = next;
    next.alt = t("site.picture", { title: view.title, step: view.step });
    this.zones.replaceChildren(...zonesOf(view, (target, event, node) => this.#use(target, event, node), (element, node) => this.#choose(element, node)));
    if (held) (this.zones.querySelector(`[data-element="${CSS.escape(held)}"]`) ?? this.zones.querySelector("button"))?.focus();
    this.marks.see(view);
    this.say(view.state === "open" ? outcome(view) : t(`closed.${view.state}`));
    if (moved) announce(t("site.arrived", { title: view.title || view.path }));
    if (view.state !== "open") this.#on.closed(view);
  }

  #showNothing(text) {
    this.empty.replaceChildren(el("p", {}, text),
      el("button", { type: "button", "data-testid": "retry-visit", on: { click: () => this.refresh() } }, t("site.retry")),
      el("button", { type: "button", on: { click: () => this.#on.restart() } }, t("site.restart")));
    this.empty.hidden = false;
  }

  #use(target, event, node) {
    if (this.isPinning || event.shiftKey) {
      const { element, picture, index } = target;
      this.#pin(element ? { element_id: element.element_id } : picture ? { element_id: picture.key } : { line: index });
      return;
    }
    const { element } = target;
    if (!element) return;
    if (element.disabled) {
      this.say(t("site.disabled", { name: elementName(element) }));
      return;
    }
    const action = plainAction(element);
    if (action) this.act(action);
    else this.#choose(element, node);
  }

  #choose(element, node) {
    this.#closeMenu?.(false);
    const entries = actionsOf(element).map(([label, action]) => [label, () => {
      if (action.action === "fill") localStorage.setItem(TAUGHT, "yes");
      this.act(action);
    }]);
    const hint = element.can.includes("fill") && !localStorage.getItem(TAUGHT) ? t("site.fill-hint") : "";
    this.#closeMenu = openMenu(this.frame, node, elementName(element), entries, hint);
  }

  async #pin(where) {
    const step = this.view.step;
    await this.#asking(async () => {
      const { pin } = await post("pin", { task_id: this.#taskId, step, ...where });
      this.#on.pin(pin);
    });
  }

  /** Say something below the picture; it is read out, too. */
  say(text) {
    this.feedback.textContent = text;
    this.feedback.title = text;
  }

  #mirror() {
    this.node.classList.toggle("busy", this.#isBusy);
    this.node.classList.toggle("pinning", this.isPinning);
    this.frame.setAttribute("aria-busy", String(this.#isBusy));
    const { view } = this;
    if (view) {
      const whole = Math.max(view.height, view.viewport[1]);
      this.thumb.style.top = `${(view.scroll_y / whole) * 100}%`;
      this.thumb.style.height = `${Math.min(1, view.viewport[1] / whole) * 100}%`;
    }
    this.bar.mirror({ view, isBusy: this.#isBusy, isPinning: this.#isPinning, up: this.#goesOn(-1), down: this.#goesOn(1) });
  }
}
