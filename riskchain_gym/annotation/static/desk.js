// The task at hand: its form, what it was before, and who wants to hear of changes.
import { canonical } from "./dom.js";
import { History } from "./history.js";

export class Desk {
  #history = new History();
  #listeners = new Set();
  #saver;

  constructor(saver) {
    this.#saver = saver;
    this.task = null;
    this.form = null;
  }

  get canUndo() {
    return this.#history.canUndo;
  }

  open(task, form) {
    this.task = task;
    this.#history.clear();
    this.#set(form);
  }

  /** Hear of every change of the form; returns how to stop. */
  listen(run) {
    this.#listeners.add(run);
    return () => this.#listeners.delete(run);
  }

  /** Change some fields; `field` names what changes, for undo and for its problem. */
  edit(field, patch) {
    const form = { ...this.form, ...patch };
    if (canonical(form) === canonical(this.form)) return;
    this.#history.push(this.form, field);
    this.#saver.change(form);
    this.#set(form, field);
  }

  undo() {
    this.#travel(this.#history.undo(this.form));
  }

  redo() {
    this.#travel(this.#history.redo(this.form));
  }

  /** Show what was saved elsewhere; what was here can be had again by undo. */
  replace(form) {
    this.#history.push(this.form, "");
    this.#set(form);
  }

  #travel(form) {
    if (form === this.form) return;
    this.#saver.change(form);
    this.#set(form, "");
  }

  #set(form, field = null) {
    this.form = form;
    for (const run of this.#listeners) run(form, field);
  }
}
