/** The tray's four corners on a picture: dragged, tapped or moved by arrow keys. */

import { byId, el, place } from "./dom.js";

const NAMES = ["Far left", "Far right", "Near right", "Near left"];
const START = [[0.15, 0.15], [0.85, 0.15], [0.85, 0.85], [0.15, 0.85]];
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const ZOOM = 4;
const TAP_PX = 3;

/** Four corners, each a place in shares of the picture's width and height. */
export class Corners {
  #places = START.map((spot) => [...spot]);
  #handles;
  #size = [1, 1];
  #changed;
  #dragged = null;

  /** `changed()` is called when somebody has moved one. */
  constructor(changed) {
    this.#changed = changed;
    this.#handles = NAMES.map((_, index) => this.#handle(index));
    byId("corners").append(...this.#handles);
    const picture = byId("calibrate-picture");
    picture.addEventListener("pointerdown", (event) => this.#grab(event));
    picture.addEventListener("pointermove", (event) => this.#drag(event));
    for (const end of ["pointerup", "pointercancel"]) picture.addEventListener(end, (event) => this.#drop(event));
    this.#places.forEach((_, index) => this.#put(index));
  }

  /** Where they are. */
  get places() {
    return this.#places.map((spot) => [...spot]);
  }

  /** The picture's size in its own pixels, which arrow keys move by. */
  set size(size) {
    this.#size = size;
  }

  /** Show or hide them. */
  set shown(on) {
    byId("corners").hidden = !on;
    if (!on) this.#loupe(null);
  }

  #handle(index) {
    return el("button", {
      type: "button", class: "corner", data: { key: `corner-${index}` },
      on: {
        keydown: (event) => this.#key(event, index),
        focus: () => this.#loupe(index),
        blur: () => this.#loupe(null),
      },
    });
  }

  #key(event, index) {
    const way = ARROWS[event.key];
    if (!way) return;
    event.preventDefault();
    const pixels = event.shiftKey ? 20 : 1;
    this.#move(index, [0, 1].map((axis) => this.#places[index][axis] + (way[axis] * pixels) / this.#size[axis]));
  }

  #grab(event) {
    if (byId("corners").hidden || event.button > 0) return;
    const on = this.#handles.indexOf(event.target);
    const spot = this.#spot(event);
    const index = on >= 0 ? on : this.#nearest(spot);
    // A handle keeps its distance to the finger, which would hide the corner else.
    const away = on >= 0 ? [0, 1].map((axis) => this.#places[index][axis] - spot[axis]) : [0, 0];
    this.#dragged = { index, away, from: [event.clientX, event.clientY], moved: false };
    byId("calibrate-picture").setPointerCapture(event.pointerId);
    event.preventDefault();
    this.#handles[index].focus({ preventScroll: true });
  }

  #drag(event) {
    if (!this.#dragged) return;
    const { index, away, from } = this.#dragged;
    this.#dragged.moved ||= Math.hypot(event.clientX - from[0], event.clientY - from[1]) > TAP_PX;
    if (!this.#dragged.moved) return;
    this.#move(index, this.#spot(event).map((share, axis) => share + away[axis]));
  }

  #drop(event) {
    // A tap within a ring means the place that was tapped.
    if (this.#dragged && !this.#dragged.moved && event.type === "pointerup") this.#move(this.#dragged.index, this.#spot(event));
    this.#dragged = null;
  }

  #move(index, spot) {
    this.#places[index] = spot.map((share) => Math.min(1, Math.max(0, share)));
    this.#put(index);
    this.#loupe(index);
    this.#changed();
  }

  #put(index) {
    const [left, top] = this.#places[index];
    place(this.#handles[index], { left, top });
    const where = `${(left * 100).toFixed(1)} % from the left, ${(top * 100).toFixed(1)} % from the top`;
    this.#handles[index].setAttribute("aria-label", `${NAMES[index]} corner: ${where}. Arrow keys move it`);
  }

  #spot(event) {
    const box = byId("calibrate-picture").getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  }

  #nearest(spot) {
    const away = this.#places.map((it) => Math.hypot((it[0] - spot[0]) * this.#size[0], (it[1] - spot[1]) * this.#size[1]));
    return away.indexOf(Math.min(...away));
  }

  /** Show a corner's surroundings enlarged, out of the finger's way. */
  #loupe(index) {
    const loupe = byId("loupe");
    loupe.hidden = index === null;
    if (index === null) return;
    const [x, y] = this.#places[index];
    const box = byId("calibrate-picture").getBoundingClientRect();
    loupe.dataset.side = x < 0.5 ? "right" : "left";
    const frame = byId("loupe-frame");
    frame.style.width = `${box.width * ZOOM}px`;
    frame.style.left = `${loupe.clientWidth / 2 - x * box.width * ZOOM}px`;
    frame.style.top = `${loupe.clientHeight / 2 - y * box.height * ZOOM}px`;
  }
}
