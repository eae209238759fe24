/** The live picture: a still while nothing moves, fresh frames while something does. */

const FRAME_MS = 120;
const RETRY_MS = 1000;

/**
 * Shows the table's picture in an `<img>`. Frames are asked for one after another, each once the
 * one before is drawn, so a slow browser asks less often and no connection is held open.
 */
export class Camera {
  #image;
  #wanted = null;
  #shown = null;
  #moving = false;
  #busy = false;
  #count = 0;

  constructor(image) {
    this.#image = image;
    document.addEventListener("visibilitychange", () => this.#next());
  }

  /** Show what the state says: the settled view's own picture, or what moves. */
  show(state) {
    const { picture, view, scene } = state;
    this.#moving = !picture.still && scene !== "waiting";
    this.#wanted = view?.current ? view.picture : `/picture.jpg?rev=${state.rev}`;
    if (picture.size) this.#next();
  }

  async #next() {
    if (this.#busy || document.hidden || this.#wanted === null) return;
    const address = this.#moving ? `/picture.jpg?frame=${(this.#count += 1)}` : this.#wanted;
    if (address === this.#shown) return;
    this.#busy = true;
    const started = performance.now();
    const good = await this.#load(address);
    this.#busy = false;
    const pause = good ? FRAME_MS - (performance.now() - started) : RETRY_MS;
    setTimeout(() => this.#next(), Math.max(0, pause));
  }

  async #load(address) {
    const next = new Image();
    next.src = address;
    try {
      await next.decode();
    } catch {
      return false;
    }
    // The decoded image itself takes the place of the old one: a new `src` would load it again.
    next.id = this.#image.id;
    next.className = this.#image.className;
    next.alt = this.#image.alt;
    this.#image.replaceWith(next);
    this.#image = next;
    this.#shown = address;
    return true;
  }
}
