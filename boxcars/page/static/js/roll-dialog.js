/** Typing ten faces: of a throw that the camera cannot read, or of an earlier roll. */

import { arrange } from "./arrange.js";
import { carItem } from "./cars.js";
import { close, open } from "./dialogs.js";
import { byId, el, refill } from "./dom.js";

/** The dialog; `actions` does what is typed. */
export class RollDialog {
  #actions;
  #entry = null;
  #rev = 0;

  constructor(actions) {
    this.#actions = actions;
    byId("roll-faces").addEventListener("input", () => this.#preview());
    byId("roll-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
  }

  /** Ask for the throw that lies there now. */
  enter() {
    this.#ask(null, "What do the ten dice show?", "");
  }

  /** Ask for the faces of an earlier roll, `entry` of the history. */
  correct(entry) {
    this.#ask(entry, `Correct ${entry.player}'s roll in turn ${entry.turn}`, entry.faces.join(""));
  }

  #ask(entry, title, faces) {
    this.#entry = entry;
    this.#rev = this.#actions.rev;
    byId("roll-title").textContent = title;
    byId("roll-faces").value = faces;
    refill(byId("roll-picture"), entry?.picture ? el("img", { src: entry.picture, alt: "The dice as they lay" }) : null);
    this.#preview();
    open("roll-dialog");
    byId("roll-faces").focus();
    byId("roll-faces").select();
  }

  get #typed() {
    return [...byId("roll-faces").value].filter((sign) => sign >= "0" && sign <= "9").map(Number);
  }

  #preview() {
    const faces = this.#typed;
    const groups = arrange(faces.map((face) => ({ face })), null);
    refill(byId("roll-preview"), ...groups.flatMap((group) => group.cars).map(({ face }) => carItem(face)));
    byId("roll-count").textContent = faces.length === 10 ? "Ten dice." : `${faces.length} of ten dice.`;
    byId("roll-send").disabled = faces.length !== 10;
  }

  #send() {
    const faces = this.#typed;
    if (faces.length !== 10) return;
    close("roll-dialog");
    if (this.#entry) this.#actions.act("correct", { rev: this.#rev, seq: this.#entry.seq, faces });
    else this.#actions.act("enter", { rev: this.#rev, faces });
  }
}
