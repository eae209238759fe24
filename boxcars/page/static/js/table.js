/** The table view: the picture of the tray with each die outlined and named. */

import { carName, carPicture, faceAndCar, kite } from "./cars.js";
import { byId, el, place, refill, refillKept, svg } from "./dom.js";
import { placeLabels } from "./labels.js";
import { sceneText, stateWord } from "./wording.js";

/** Draws dice over the picture; `choose(die)` is called for the die that somebody clicks. */
export class TableView {
  #choose;
  #state = null;

  constructor(choose) {
    this.#choose = choose;
    new ResizeObserver(() => this.#state && this.#labels()).observe(byId("picture"));
  }

  /** Draw the dice of this state. */
  draw(state) {
    this.#state = state;
    const size = state.picture.size ?? [16, 9];
    byId("picture").style.setProperty("--aspect", (size[0] / size[1]).toFixed(4));
    byId("picture").dataset.current = Boolean(state.view?.current);
    byId("scene").textContent = sceneText(state);
    byId("scene").dataset.scene = state.source.state === "running" ? state.scene : state.source.state;
    byId("no-picture").hidden = state.picture.size !== null;
    byId("no-picture").textContent = state.source.trouble?.text ?? "No picture yet";
    this.#marks(size);
    this.#labels();
  }

  get #dice() {
    return this.#state.dice.filter((die) => die.box);
  }

  #marks([width, height]) {
    const asked = new Set(this.#state.questions.map((question) => question.die));
    byId("marks").setAttribute("viewBox", `0 0 ${width} ${height}`);
    refill(byId("marks"), ...this.#dice.map((die) => {
      const shape = outline(die, width, height);
      return svg("g", { class: `mark is-${die.state}${asked.has(die.id) ? " asked" : ""}`, on: { click: () => this.#choose(die) } },
        svg("path", { class: "casing", d: shape }), svg("path", { class: "line", d: shape }));
    }));
  }

  #labels() {
    const frame = byId("picture").getBoundingClientRect();
    if (!frame.width) return;
    const dice = this.#dice;
    const boxes = dice.map(({ box }) => [box[0] * frame.width, box[1] * frame.height, box[2] * frame.width, box[3] * frame.height]);
    const buttons = refillKept(byId("labels"), dice, (die) => this.#label(die));
    // All labels are measured as the widest, so that none moves when a word comes or goes.
    const size = buttons.reduce(
      (most, button) => ({ width: Math.max(most.width, button.offsetWidth), height: Math.max(most.height, button.offsetHeight) }),
      { width: 0, height: 0 });
    const spots = placeLabels(boxes, size, frame);
    spots.forEach(({ x, y }, index) => place(buttons[index], { left: x / frame.width, top: y / frame.height }));
    byId("leaders").setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
    refill(byId("leaders"), ...spots.map(({ x, y }, index) => {
      const own = [x, y, x + buttons[index].offsetWidth, y + buttons[index].offsetHeight];
      return svg("path", { class: "leader", d: leader(own, boxes[index]) });
    }));
  }

  #label(die) {
    const word = stateWord(die.state);
    return el(
      "button",
      {
        type: "button",
        class: `die-label is-${die.state}`,
        data: { key: `die-${die.id}`, die: die.id },
        "aria-label": `Die: ${faceAndCar(die.face)}${word ? `, ${word}` : ""}${die.by_hand ? ", said by the table" : ""}. Correct it`,
        title: carName(die.face),
        on: { click: () => this.#choose(die) },
      },
      kite(die.face),
      carPicture(die.face),
      word ? el("span", { class: "tag", text: word }) : null,
    );
  }
}

/** The path around a die: its face's outline, or a shape that tells its state without colour. */
function outline(die, width, height) {
  const [x0, y0, x1, y1] = die.box;
  const [cx, cy] = [((x0 + x1) / 2) * width, ((y0 + y1) / 2) * height];
  const [rx, ry] = [((x1 - x0) / 2) * width * 1.12, ((y1 - y0) / 2) * height * 1.12];
  const r = Math.max(rx, ry);
  switch (die.state) {
    case "kept": {
      return rounded(cx - rx, cy - ry, rx * 2, ry * 2, r * 0.35);
    }
    case "picked-up":
      return `M${cx - r} ${cy}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
    case "doubtful":
      return `M${cx} ${cy - r * 1.4}L${cx + r * 1.4} ${cy}L${cx} ${cy + r * 1.4}L${cx - r * 1.4} ${cy}z`;
    case "cocked":
    case "stacked":
      return `M${cx} ${cy - r * 1.7}L${cx + r * 1.6} ${cy + r}L${cx - r * 1.6} ${cy + r}z`;
    default:
      if (!die.outline) return rounded(cx - rx, cy - ry, rx * 2, ry * 2, r * 0.35);
      return `M${die.outline.map(([x, y]) => `${(x * width).toFixed(1)} ${(y * height).toFixed(1)}`).join("L")}z`;
  }
}

/** A short line from a label to the middle of its die. */
function leader([left, top, right, bottom], [x0, y0, x1, y1]) {
  const [cx, cy] = [(x0 + x1) / 2, (y0 + y1) / 2];
  const [fromX, fromY] = [Math.min(Math.max(cx, left), right), Math.min(Math.max(cy, top), bottom)];
  const [dx, dy] = [fromX - cx, fromY - cy];
  const reach = Math.min(0.85, (Math.max(x1 - x0, y1 - y0) * 0.36) / Math.max(1, Math.hypot(dx, dy)));
  return `M${fromX.toFixed(1)} ${fromY.toFixed(1)}L${(cx + dx * reach).toFixed(1)} ${(cy + dy * reach).toFixed(1)}`;
}

function rounded(x, y, width, height, r) {
  return `M${x + r} ${y}h${width - 2 * r}q${r} 0 ${r} ${r}v${height - 2 * r}q0 ${r} ${-r} ${r}h${2 * r - width}` +
    `q${-r} 0 ${-r} ${-r}v${2 * r - height}q0 ${-r} ${r} ${-r}z`;
}
