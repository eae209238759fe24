/** Which camera: each can be looked through before it is watched. */

import { byId, el, refill } from "./dom.js";

const EVERY_MS = 250;
const RETRY_MS = 2000;

/** The cameras in the set-up dialog; `actions` does what is chosen. */
export class Sources {
  #actions;
  #store;
  #looked = null;
  #busy = false;
  #timer = null;
  #count = 0;

  constructor(actions, store) {
    this.#actions = actions;
    this.#store = store;
    byId("watch-source").addEventListener("click", () => this.#watch());
    byId("preview").addEventListener("load", () => this.#came());
    byId("preview").addEventListener("error", () => this.#failed());
  }

  /** Show what is watched, until another one is looked through. */
  open() {
    this.#look(null);
  }

  /** Look through nothing any more. */
  close() {
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Draw what there is to choose from. */
  draw(state) {
    if (this.#looked === state.source.id) this.#looked = null;
    refill(byId("sources"), ...state.sources.map((source) => this.#item(source, state)));
    byId("no-sources").hidden = state.sources.length > 0;
    this.#caption();
  }

  #item(source, state) {
    const here = source.id === state.source.id;
    return el("li", {}, el(
      "button",
      {
        type: "button", class: "source", "aria-pressed": String(source.id === this.#shown),
        data: { key: `source-${source.id}` }, on: { click: () => this.#look(source.id) },
      },
      el("b", { text: source.title }),
      here ? el("span", { class: "badge", text: "watching" }) : null));
  }

  get #shown() {
    return this.#looked ?? this.#store.state?.source.id;
  }

  #look(id) {
    const { state } = this.#store;
    this.#looked = id === state.source.id ? null : id;
    byId("preview").dataset.waiting = this.#looked !== null;
    byId("preview").dataset.failed = false;
    this.draw(state);
    this.#next(0);
  }

  #caption(trouble = null) {
    const { state } = this.#store;
    const chosen = state.sources.find((source) => source.id === this.#looked);
    byId("watch-source").hidden = !chosen;
    // What is said of the picture and the calibration is said of what is watched.
    byId("setup-dialog").dataset.looking = Boolean(chosen);
    byId("preview-caption").textContent = chosen
      ? `What ${chosen.title} sees. Still watching: ${state.source.title}.`
      : `Watching: ${state.source.title}.`;
    byId("source-trouble").textContent = chosen ? trouble ?? "" : state.source.trouble?.text ?? "";
  }

  #next(after) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), after);
  }

  // One picture after the other, so that a slow camera is asked less often.
  #ask() {
    if (this.#busy) return this.#next(EVERY_MS);
    const { state } = this.#store;
    const address = this.#address(state);
    const image = byId("preview");
    if (image.getAttribute("src") === address || (!this.#looked && !state.picture.size)) return this.#next(EVERY_MS);
    this.#busy = true;
    image.src = address;
    return null;
  }

  #address(state) {
    if (this.#looked) return `/sources/${this.#looked}.jpg?look=${(this.#count += 1)}`;
    const moving = !state.picture.still && state.scene !== "waiting";
    return moving ? `/picture.jpg?preview=${(this.#count += 1)}` : `/picture.jpg?rev=${state.rev}`;
  }

  #came() {
    this.#busy = false;
    byId("preview").dataset.waiting = byId("preview").dataset.failed = false;
    this.#caption();
    if (this.#timer !== null) this.#next(EVERY_MS);
  }

  async #failed() {
    const looked = this.#looked;
    const trouble = await why(byId("preview").src);
    this.#busy = false;
    if (looked === this.#looked) {
      byId("preview").dataset.failed = true;
      this.#caption(trouble);
    }
    if (this.#timer !== null) this.#next(RETRY_MS);
  }

  #watch() {
    this.#actions.act("source", { id: this.#looked });
  }
}

async function why(address) {
  try {
    return (await (await fetch(address)).json()).error;
  } catch {
    return null;
  }
}
