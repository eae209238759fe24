/** Correcting one die: what it shows, or that it is none; and adding one the camera misses. */

import { carPicture } from "./cars.js";
import { close, open } from "./dialogs.js";
import { byId, el, refill } from "./dom.js";
import { facesPad } from "./faces-pad.js";
import { doubtText } from "./wording.js";

const ALL = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0];

/** The dialog; `actions` does what is chosen. */
export class DieDialog {
  #actions;
  #die = null;
  #rev = 0;

  constructor(actions) {
    this.#actions = actions;
  }

  /** Ask what this die shows. */
  correct(die) {
    this.#die = die;
    const known = die.face !== null;
    byId("die-title").textContent = known ? "What does this die show?" : "Which face does this die show?";
    this.#fill(die.crop ? el("img", { class: "crop", src: die.crop, alt: "The die, enlarged", width: 256, height: 256 }) : carPicture(die.face, "crop"));
    byId("die-why").textContent = known ? `Read as ${die.face}, ${die.car}${die.by_hand ? ", as the table said" : ""}.` : `Not certain: ${doubtText(die.doubts)}.`;
    byId("die-remove").hidden = false;
    open("die-dialog");
  }

  /** Ask which face a die shows that the camera does not see. */
  add() {
    this.#die = null;
    byId("die-title").textContent = "Add a die the camera does not show";
    this.#fill(null);
    byId("die-why").textContent = "Which face does it show?";
    byId("die-remove").hidden = true;
    open("die-dialog");
  }

  /** Choose a face, as its button does. */
  choose(face) {
    close("die-dialog");
    if (this.#die) this.#actions.act("set-face", { rev: this.#rev, die: this.#die.id, face });
    else this.#actions.act("add-die", { rev: this.#rev, face });
  }

  /** Say that this is no die of the game. */
  remove() {
    close("die-dialog");
    this.#actions.act("remove-die", { rev: this.#rev, die: this.#die.id });
  }

  /** Whether it asks now. */
  get asks() {
    return byId("die-dialog").open;
  }

  /** Whether it asks about a die that was seen. */
  get corrects() {
    return this.asks && this.#die !== null;
  }

  #fill(picture) {
    this.#rev = this.#actions.rev;
    const candidates = (this.#die?.candidates ?? []).map((each) => each.face);
    const likely = this.#die?.face === null ? candidates.slice(0, 2) : [];
    refill(byId("die-crop"), picture);
    const order = [...likely, ...ALL.filter((face) => !likely.includes(face))];
    refill(byId("die-pad"), facesPad(order, likely.length, (face) => this.choose(face)));
    byId("die-pad").querySelector(`[data-face="${this.#die?.face ?? -1}"]`)?.setAttribute("aria-pressed", "true");
  }
}
