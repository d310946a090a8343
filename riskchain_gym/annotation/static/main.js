// The workbench: one task after another.
import { announce } from "./announce.js";
import { Away, get, post } from "./api.js";
import { Clock } from "./clock.js";
import { Connection } from "./connection.js";
import { Desk } from "./desk.js";
import { formOf, hasSame, isPair, newPin } from "./form.js";
import { helpDialog, listen } from "./keys.js";
import { Notices, confirmed } from "./notices.js";
import { clearProblems, showProblems } from "./questions.js";
import { Saver, TAB } from "./saving.js";
import { Screen } from "./screen.js";
import { setLanguage, t } from "./words.js";

const LOOK_AGAIN_MS = 15_000;

class App {
  #state = null;
  #codebook = null;
  #isSubmitting = false;
  #isTakingBack = false;

  constructor() {
    this.notices = new Notices();
    this.connection = new Connection((isAway, refusal) => this.#connectionChanged(isAway, refusal));
    this.saver = new Saver((name, details) => this.#saveChanged(name, details));
    this.desk = new Desk(this.saver);
    this.clock = new Clock();
    this.screen = null;
    this.desk.listen((form, field) => this.#formChanged(form, field));
    addEventListener("beforeunload", (event) => this.#holdBack(event));
    setInterval(() => !this.desk.task && this.#state && document.visibilityState === "visible" && this.lookAgain(), LOOK_AGAIN_MS);
    listen(this);
  }

  get pane() {
    return this.screen.pane;
  }

  questions() {
    return this.screen?.questions ?? null;
  }

  async start() {
    this.#draw();
    try {
      this.#codebook ??= await get("codebook");
      this.#show(await get("state"));
    } catch (error) {
      this.#explain(error);
    }
  }

  /** Build the page for the task at hand; in another language, or for another task, it is built again. */
  #draw() {
    this.screen = new Screen({ app: this, state: this.#state, codebook: this.#codebook });
    document.title = t("head.title");
    document.documentElement.lang = t("lang");
    this.screen.mount();
  }

  #show(state) {
    this.#state = state;
    const { task } = state;
    this.notices.clear();
    if (this.connection.isAway) this.#connectionChanged(true);
    if (task) {
      this.clock.start(task.task_id);
      this.desk.task = task;
    } else {
      this.saver.close();
      this.desk.open(null, null);
    }
    this.#draw();
    if (!task) return;
    this.desk.open(task, this.saver.open(task.task_id, task.draft, formOf(task.kind, task.draft?.form)));
    if (!isPair(task.kind)) this.pane.open(task.task_id);
    announce(t("task.opened", { number: task.number }));
  }

  language(name) {
    setLanguage(name);
    this.#draw();
    if (this.desk.task) {
      this.#formChanged(this.desk.form, null);
      this.screen.head.save(this.saver.isDirty ? "unsaved" : "saved");
      if (!isPair(this.desk.task.kind)) this.pane.open(this.desk.task.task_id);
    }
    // Not back into the list of languages, where letters would choose and not answer.
    this.screen.focus();
  }

  async submit() {
    const { task } = this.desk;
    if (!task || this.#isSubmitting) return;
    this.#isSubmitting = true;
    this.screen.lock(true);
    clearProblems(this.questions());
    try {
      if (!(await this.#allSaved())) return;
      const sent = { task_id: task.task_id, revision: this.saver.revision, tab: TAB, form: this.desk.form, seconds: this.clock.seconds };
      const { state } = await post("submit", sent);
      this.saver.close();
      this.screen.lock(false);
      this.#show(state);
      this.screen.focus();
    } catch (error) {
      this.screen.lock(false);
      this.#explain(error);
      if (error instanceof Away) this.notices.show("note", "warn", t("submit.unsent"), [[t("ask.fine"), () => {}]]);
    } finally {
      this.#isSubmitting = false;
      this.screen.lock(false);
    }
  }

  /** Save; where that needs a choice first, go to it. */
  async #allSaved() {
    const isSaved = await this.saver.flush();
    if (!isSaved) this.notices.node.querySelector("button")?.focus();
    return isSaved;
  }

  /** Take the last answer back; it opens again as it was. */
  async undoAnswer() {
    if (this.#isTakingBack) return;
    this.#isTakingBack = true;
    try {
      if (this.desk.task && !(await this.#allSaved())) return;
      const { state } = await post("undo", { done: this.#state.done });
      this.saver.close();
      this.#show(state);
      announce(t("undo.done"));
    } catch (error) {
      this.#explain(error);
    } finally {
      this.#isTakingBack = false;
    }
  }

  async restartVisit() {
    const { pins } = this.desk.form;
    const what = pins.length ? t("restart.ask", { count: pins.length }) : t("restart.ask-bare");
    if (!(await confirmed(what, t("restart.yes"), t("ask.cancel")))) return;
    if (!(await this.pane.restart())) return;
    this.notices.hide("closed");
    this.desk.edit("pins", { pins: [] });
  }

  async lookAgain() {
    try {
      const state = await get("state");
      if (state.task || state.done !== this.#state.done) this.#show(state);
    } catch (error) {
      this.#explain(error);
    }
  }

  pinned(made) {
    const { form } = this.desk;
    if (hasSame(form, made)) {
      this.pane.say(t("pin.twice"));
      return;
    }
    const pin = newPin(form, made, this.pane.view);
    this.desk.edit("pins", { pins: [...form.pins, pin] });
    this.pane.marks.choose(pin);
    this.questions().ask.pins.reveal(pin.id);
    this.pane.say(t("pin.made", { number: form.pins.length + 1, text: made.quote || t(made.region ? "pins.region" : "pins.picture") }));
  }

  closed(view) {
    this.notices.show("closed", "warn", `${t(`closed.${view.state}`)} ${t("closed.says")}`, [[t("restart.yes"), () => this.restartVisit()]]);
  }

  /** Fill in an answer of somebody else; of their pins only those of the landing view, which everybody saw alike. */
  takeOver(form, by) {
    const pins = (form.pins ?? []).filter((pin) => pin.step === 0);
    this.desk.edit("", { ...form, ...(form.pins ? { pins: pins.map((pin, at) => ({ ...pin, id: `p${at + 1}` })) } : {}) });
    const dropped = (form.pins ?? []).length - pins.length;
    announce(t("answers.taken", { by }));
    if (dropped) this.notices.show("note", "info", t("answers.pins", { count: dropped, by }), [[t("ask.fine"), () => {}]]);
  }

  toggleRules() {
    this.screen.toggleRules();
  }

  closeRules() {
    return this.screen.closeRules();
  }

  help() {
    helpDialog();
  }

  #formChanged(form, field) {
    if (!form || !this.questions()) return;
    this.screen.sync(form, this.desk);
    if (field !== null) clearProblems(this.questions(), field || null);
  }

  #saveChanged(name, details) {
    this.screen?.head.save(name);
    this.notices.hide("conflict");
    if (name === "away") this.connection.lost();
    if (name === "conflict")
      this.notices.show("conflict", "warn", t("conflict.says"), [
        [t("conflict.theirs"), () => this.desk.replace(formOf(this.desk.task.kind, this.saver.takeTheirs()))],
        [t("conflict.mine"), () => this.saver.keepMine()],
      ]);
    if (name === "moved") this.notices.show("moved", "warn", t("moved.says"), [[t("moved.next"), () => this.start()]]);
    if (name === "failed") this.#explain(details);
  }

  #connectionChanged(isAway, refusal) {
    if (isAway) {
      this.notices.show("away", "warn", t("away.says"));
      return;
    }
    this.notices.hide("away");
    if (refusal) {
      this.#explain(refusal);
      return;
    }
    announce(t("away.back"));
    if (!this.desk.task) {
      this.start();
      return;
    }
    this.saver.flush();
    if (!isPair(this.desk.task.kind)) this.pane.refresh();
  }

  #explain(error) {
    if (error instanceof Away) {
      this.connection.lost();
      return;
    }
    const { status, body } = error;
    if (status === 422 && body.problems) showProblems(this.questions(), this.desk.form, body.problems);
    else if (status === 409 && body.form) this.saver.meet(body);
    else if (status === 410) this.#saveChanged("moved");
    else if (status === undefined) throw error;
    else this.notices.show("failed", "bad", status === 404 || status === 403 ? t("failed.address") : error.message, [[t("ask.fine"), () => {}]]);
  }

  /** The browser asks before it throws away what could not be saved yet. */
  #holdBack(event) {
    const name = this.screen?.node.querySelector(".saved").dataset.state;
    if (this.saver.isDirty && (name === "away" || name === "conflict")) event.preventDefault();
  }
}

new App().start();
