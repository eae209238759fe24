/** Ten buttons, one for each face with its car. */

import { carName, carPicture, kite } from "./cars.js";
import { el } from "./dom.js";

/**
 * The buttons for `faces` in that order, the first `likely` of them large; `choose(face)` is
 * called for the one pressed.
 */
export function facesPad(faces, likely, choose) {
  const buttons = faces.map((face, index) => el(
    "button",
    {
      type: "button",
      class: index < likely ? "face likely" : "face",
      data: { key: `face-${face}`, face },
      on: { click: () => choose(face) },
    },
    kite(face),
    carPicture(face),
    el("span", { class: "face-name", text: carName(face) }),
  ));
  return el("div", { class: "pads" },
    likely ? el("div", { class: "pad likely-pad" }, ...buttons.slice(0, likely)) : null,
    el("div", { class: "pad" }, ...buttons.slice(likely)));
}
