// The forms that were, so that a change can be undone; quick changes of one field are one change.

const ONE_CHANGE_MS = 900;
const DEPTH = 200;

export class History {
  #past = [];
  #future = [];
  #last = { field: "", at: 0 };

  clear() {
    this.#past = [];
    this.#future = [];
    this.#last = { field: "", at: 0 };
  }

  /** Remember the form as it was before a change of a field. */
  push(before, field) {
    const now = performance.now();
    const same = field === "note" && field === this.#last.field && now - this.#last.at < ONE_CHANGE_MS;
    if (!same) this.#past = [...this.#past, before].slice(-DEPTH);
    this.#future = [];
    this.#last = { field, at: now };
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  undo(now) {
    if (!this.#past.length) return now;
    this.#future.push(now);
    this.#last = { field: "", at: 0 };
    return this.#past.pop();
  }

  redo(now) {
    if (!this.#future.length) return now;
    this.#past.push(now);
    return this.#future.pop();
  }
}
