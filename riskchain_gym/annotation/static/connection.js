// Whether the server is there. Once it was missed it is asked until it answers.
import { Away, get } from "./api.js";

const ASK_MS = [500, 1000, 2000, 4000];

export class Connection {
  #timer = 0;
  #tries = 0;
  #onChange;

  /** @param onChange called with whether the server is away, and with its refusal where it answers with one */
  constructor(onChange) {
    this.#onChange = onChange;
    this.isAway = false;
    addEventListener("online", () => this.isAway && this.#ask());
  }

  lost() {
    if (this.isAway) return;
    this.isAway = true;
    this.#tries = 0;
    this.#onChange(true);
    this.#wait();
  }

  #wait() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), ASK_MS[Math.min(this.#tries++, ASK_MS.length - 1)]);
  }

  async #ask() {
    let refusal = null;
    try {
      await get("state");
    } catch (error) {
      if (error instanceof Away || error.status >= 500) {
        this.#wait();
        return;
      }
      refusal = error;
    }
    clearTimeout(this.#timer);
    this.isAway = false;
    this.#onChange(false, refusal);
  }
}
