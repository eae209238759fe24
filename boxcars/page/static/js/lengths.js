/** The lengths of the calibration form: what is wrong with them, in the words of its labels. */

import { byId } from "./dom.js";

const WIDTH = { id: "tray-width", name: "tray's inner width" };
const DEPTH = { id: "tray-depth", name: "tray's inner depth" };
const DICE = { id: "die-mm", name: "dice's size from face to face" };

/**
 * What is wrong with the lengths given, as `{text, id}` with the input to mend; null if nothing.
 * `way` is how the camera is calibrated: each needs other lengths.
 */
export function wrongLength(way) {
  const used = way === "dice" ? [DICE] : [WIDTH, DEPTH, DICE];
  return used.map(unfit).find(Boolean) ?? (way === "dice" ? null : missing(way));
}

function unfit({ id, name }) {
  const { validity, min, max } = byId(id);
  return validity.valid ? null : { id, text: `The ${name} must be ${min} to ${max} millimetres.` };
}

function missing(way) {
  const left = [WIDTH, DEPTH].filter(({ id }) => !byId(id).value);
  if (!left.length || (left.length === 2 && way === "board")) return null;
  if (left.length === 2) return { id: WIDTH.id, text: "Give the tray's inner width and depth in millimetres, such as 300 by 200." };
  return { id: left[0].id, text: `Give the ${left[0].name} too${way === "board" ? ", or leave out both width and depth" : ""}.` };
}
