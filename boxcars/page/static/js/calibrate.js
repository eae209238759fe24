/** Calibrating the camera: corners, board or dice; what comes of it in words; keeping it. */

import { ask, NO_ANSWER } from "./api.js";
import { Corners } from "./corners.js";
import { close, open } from "./dialogs.js";
import { byId, el, refill } from "./dom.js";
import { wrongLength } from "./lengths.js";
import { toast } from "./notices.js";
import { findings, madeFrom, STEPS, WAYS } from "./calibration-words.js";

const PICTURE_MS = 400;
const LOOK_MS = 300;

/** The calibration dialog. */
export class Calibrate {
  #store;
  #corners;
  #picture = null;
  #look = null;
  #count = 0;
  #views = 0;

  constructor(store) {
    this.#store = store;
    this.#corners = new Corners(() => this.#show(null));
    const form = byId("calibrate-form");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#try();
    });
    byId("ways").addEventListener("change", () => this.#choose());
    byId("calibrate-keep").addEventListener("click", () => this.#keep());
    byId("calibrate-again").addEventListener("click", () => this.#again());
    byId("calibrate-forget").addEventListener("click", () => this.#forget());
    byId("calibrate-frame").addEventListener("load", () => this.#came());
    byId("calibrate-frame").addEventListener("error", () => this.#came());
    byId("calibrate-dialog").addEventListener("close", () => this.#close());
  }

  /** Open it, with the picture as it is now. */
  open() {
    this.#size();
    this.#nextPicture(0);
    open("calibrate-dialog");
    this.#choose();
    this.#send("again");
  }

  get #way() {
    return byId("calibrate-form").elements.way.value;
  }

  #close() {
    clearTimeout(this.#picture);
    clearTimeout(this.#look);
    this.#picture = this.#look = null;
  }

  #size() {
    const { size } = this.#store.state.picture;
    if (!size) return;
    this.#corners.size = size;
    byId("calibrate-picture").style.setProperty("--aspect", size[0] / size[1]);
  }

  #nextPicture(after) {
    clearTimeout(this.#picture);
    this.#picture = setTimeout(() => {
      byId("calibrate-frame").src = `/picture.jpg?calibrate=${(this.#count += 1)}`;
    }, after);
  }

  #came() {
    byId("loupe-frame").src = byId("calibrate-frame").src;
    if (this.#picture !== null) this.#nextPicture(PICTURE_MS);
  }

  #choose() {
    const way = this.#way;
    byId("way-text").textContent = WAYS[way];
    byId("board-links").hidden = way !== "board";
    byId("board-step").hidden = way !== "board";
    for (const id of ["tray-width-label", "tray-depth-label"]) byId(id).hidden = way === "dice";
    byId("calibrate-error").textContent = "";
    this.#corners.shown = way === "corners";
    this.#show(null);
    clearTimeout(this.#look);
    if (way === "board") this.#lookForBoard();
  }

  async #lookForBoard() {
    const { body } = await ask("/api/calibration");
    if (this.#way !== "board" || !byId("calibrate-dialog").open) return;
    if (body?.step) {
      byId("board-step").dataset.step = body.step;
      byId("board-step").textContent = STEPS[body.step](body.views);
      this.#views = body.views;
      this.#allowTrying();
    }
    this.#look = setTimeout(() => this.#lookForBoard(), LOOK_MS);
  }

  #allowTrying() {
    byId("calibrate-try").disabled = this.#way === "board" && this.#views === 0;
  }

  async #try() {
    const way = this.#way;
    const wrong = wrongLength(way);
    if (wrong) {
      this.#show(null);
      byId("calibrate-error").textContent = wrong.text;
      byId(wrong.id).focus();
      return;
    }
    const tray = [byId("tray-width"), byId("tray-depth")].map((input) => input.valueAsNumber);
    const values = {};
    if (byId("die-mm").value) values.die_mm = byId("die-mm").valueAsNumber;
    if (way === "corners") values.corners = this.#corners.places;
    if (way !== "dice" && !tray.some(Number.isNaN)) values.tray_mm = tray;
    const body = await this.#send(way, values);
    if (body) this.#show(body.proposal, body.notes);
  }

  async #again() {
    const body = await this.#send("again");
    if (body) this.#show(null);
  }

  async #keep() {
    const way = this.#way;
    if (!await this.#send("keep")) return;
    close("calibrate-dialog");
    toast(`Kept: it is used from now on, and whenever this camera is watched.${way === "board" ? " Now take the board out of the tray." : ""}`);
  }

  async #forget() {
    if (await this.#send("forget")) toast("Nothing is kept for this camera any more.");
  }

  async #send(what, values = {}) {
    byId("calibrate-error").textContent = "";
    const { status, body } = await ask(`/api/calibration/${what}`, values);
    if (status === 200) {
      this.#views = body.views;
      return body;
    }
    byId("calibrate-error").textContent = body?.error ?? NO_ANSWER;
    this.#show(null);
    return null;
  }

  /** Show what was worked out, or the corners as they are marked. */
  #show(proposal, notes = []) {
    byId("calibrate-keep").hidden = byId("calibrate-again").hidden = !proposal;
    byId("calibrate-try").hidden = Boolean(proposal);
    this.#allowTrying();
    const marked = this.#way === "corners" ? this.#corners.places : [];
    const outline = proposal?.outline.length ? proposal.outline : marked;
    for (const id of ["tray-casing", "tray-line"]) byId(id).setAttribute("d", path(outline));
    refill(byId("outcome"), ...(proposal ? [el("ul", { class: "checks" }, ...findings(proposal).map(drawFinding)), ...notes.map((text) => el("p", { class: "quiet", text }))] : []));
    if (proposal) byId("calibrate-keep").focus();
  }
}

/** Say in the set-up dialog whether the camera is calibrated. */
export function drawCalibrated({ calibration }) {
  const { possible, in_use: used } = calibration;
  byId("calibrate-button").hidden = !possible;
  byId("calibrate-forget").hidden = !used;
  byId("calibrated").className = used ? "good" : "quiet";
  byId("calibrated").textContent = used
    ? `Calibrated ${madeFrom(used)}. Tilt ${used.tilt_deg.toFixed(0)}°.`
    : possible ? "Not calibrated yet: calibrating helps most where the camera looks from the side." : "";
}

function drawFinding({ verdict, text }) {
  return el("li", { class: verdict }, el("span", { class: "check-mark", "aria-hidden": "true", text: { good: "✓", fair: "~", poor: "!" }[verdict] }),
    el("div", {}, el("span", { class: "unseen", text: `${verdict}: ` }), text));
}

function path(outline) {
  return outline.length ? `M${outline.map((spot) => spot.join(" ")).join("L")}Z` : "";
}
