// Keeps the form of the current task on the server. Nothing that was typed is given up without being asked for.
import { Away, Refused, post } from "./api.js";
import { canonical } from "./dom.js";

const PAUSE_MS = 400;
const RETRY_MS = [1000, 2000, 4000, 8000];
const KEPT = "riskchain.unsaved";

/** A name for this page as it is open now; another tab, and this one loaded again, have others. */
export const TAB = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * Tells through `onState(name, details)`: "saved", "saving", "unsaved", "away", "conflict" (details: what the other tab
 * saved), "moved" (the task is no longer current) or "failed" (details: the refusal).
 */
export class Saver {
  #onState;
  #form = null;
  #wanted = "";
  #stored = "";
  #sent = new Set();
  #generation = 0;
  #timer = 0;
  #running = null;
  #tries = 0;
  #stopped = false;
  #theirs = null;

  constructor(onState) {
    this.#onState = onState;
    this.taskId = "";
    this.revision = 0;
    addEventListener("online", () => this.flush());
    addEventListener("pagehide", () => this.#leave());
    addEventListener("visibilitychange", () => document.visibilityState === "hidden" && this.flush());
  }

  /**
   * Begin with a task; return the form to show. That is the server's, or what this tab could not send before it was
   * loaded again. Where both have moved on, the person chooses.
   */
  open(taskId, draft, form) {
    clearTimeout(this.#timer);
    this.#generation++;
    this.taskId = taskId;
    this.revision = draft?.revision ?? 0;
    this.#form = form;
    this.#stored = this.#wanted = canonical(form);
    this.#sent = new Set();
    this.#stopped = false;
    this.#tries = 0;
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
    if (kept?.taskId !== taskId || canonical(kept.form) === this.#stored) {
      this.#forget();
      this.#onState("saved");
      return form;
    }
    const isBehind = kept.revision !== this.revision && !kept.sent.includes(this.#stored);
    this.change(kept.form);
    if (isBehind) this.#stop({ revision: this.revision, form });
    return kept.form;
  }

  /** Whether the server has not got everything yet. */
  get isDirty() {
    return this.#wanted !== this.#stored;
  }

  /** Stop keeping the task: it was submitted, or given up by choice. */
  close() {
    clearTimeout(this.#timer);
    this.#generation++;
    this.#form = null;
    this.#stopped = true;
    this.#forget();
  }

  change(form) {
    this.#form = form;
    this.#wanted = canonical(form);
    this.#remember();
    if (this.#stopped) return;
    if (this.#tries === 0) this.#onState(this.isDirty ? "unsaved" : "saved");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), PAUSE_MS);
  }

  /** Save now; resolves to whether the server has everything. */
  async flush() {
    clearTimeout(this.#timer);
    while (this.#running) await this.#running;
    if (this.#stopped || !this.#form) return false;
    if (!this.isDirty) return true;
    this.#running = this.#send().finally(() => (this.#running = null));
    await this.#running;
    return !this.isDirty && !this.#stopped;
  }

  /** After a conflict: go on with what is here. */
  keepMine() {
    this.revision = this.#theirs.revision;
    this.#stopped = false;
    this.#stored = "";
    return this.flush();
  }

  /** After a conflict: return what the other tab saved, and go on with that. */
  takeTheirs() {
    const { revision, form } = this.#theirs;
    this.#forget();
    return this.open(this.taskId, { revision }, form);
  }

  async #send() {
    const [text, form, generation] = [this.#wanted, this.#form, this.#generation];
    this.#sent.add(text);
    this.#remember();
    if (this.#tries === 0) this.#onState("saving");
    try {
      const answer = await post("draft", { task_id: this.taskId, revision: this.revision, tab: TAB, form });
      if (generation === this.#generation) this.#accept(answer.revision, text);
    } catch (error) {
      if (generation === this.#generation) this.#refuse(error);
    }
  }

  #accept(revision, text) {
    this.revision = revision;
    this.#stored = text;
    this.#sent.clear();
    this.#tries = 0;
    this.#remember();
    if (this.isDirty) this.#timer = setTimeout(() => this.flush(), PAUSE_MS);
    this.#onState(this.isDirty ? "unsaved" : "saved");
  }

  #refuse(error) {
    if (error instanceof Away || error.status >= 500) {
      const wait = RETRY_MS[Math.min(this.#tries++, RETRY_MS.length - 1)];
      this.#onState("away");
      this.#timer = setTimeout(() => this.flush(), wait);
    } else if (error.status === 409) {
      this.meet(error.body);
    } else if (error instanceof Refused) {
      this.#stopped = true;
      this.#onState(error.status === 410 ? "moved" : "failed", error);
    } else {
      throw error;
    }
  }

  /** Another save came first; it may be one of this tab whose answer was lost. */
  meet(theirs) {
    const text = canonical(theirs.form);
    if (text === this.#wanted || this.#sent.has(text)) this.#accept(theirs.revision, text);
    else this.#stop(theirs);
  }

  #stop(theirs) {
    clearTimeout(this.#timer);
    this.#theirs = theirs;
    this.#stopped = true;
    this.#tries = 0;
    this.#onState("conflict", theirs);
  }

  #leave() {
    if (this.#stopped || !this.#form || !this.isDirty) return;
    const body = { task_id: this.taskId, revision: this.revision, tab: TAB, form: this.#form };
    // Nobody is there to hear the answer; what was not kept is still in this tab's own store.
    post("draft", body, { last: true }).catch(() => {});
  }

  /** Keep in this tab what the server has not got, so that it outlives a reload. */
  #remember() {
    const { taskId, revision } = this;
    const kept = { taskId, revision, form: this.#form, sent: [...this.#sent] };
    if (this.isDirty) sessionStorage.setItem(KEPT, JSON.stringify(kept));
    else this.#forget();
  }

  #forget() {
    sessionStorage.removeItem(KEPT);
  }
}
