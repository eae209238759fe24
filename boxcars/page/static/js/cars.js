/** The ten faces as train cars: their names and drawings. */

import { el, svg } from "./dom.js";

export const CARS = [
  { face: 0, name: "Breakdown", plural: "Breakdowns", file: "breakdown" },
  { face: 1, name: "Locomotive", plural: "Locomotives", file: "locomotive" },
  { face: 2, name: "Caboose", plural: "Cabooses", file: "caboose" },
  { face: 3, name: "Mail Car", plural: "Mail Cars", file: "mail-car" },
  { face: 4, name: "Sleeper", plural: "Sleepers", file: "sleeper" },
  { face: 5, name: "Coach", plural: "Coaches", file: "coach" },
  { face: 6, name: "Box Car", plural: "Box Cars", file: "box-car" },
  { face: 7, name: "Tank", plural: "Tanks", file: "tank" },
  { face: 8, name: "Hopper", plural: "Hoppers", file: "hopper" },
  { face: 9, name: "Way Car", plural: "Way Cars", file: "way-car" },
];

/** The name of a face's car; `null` is a die nobody has read yet. */
export function carName(face) {
  return face === null ? "Not known yet" : CARS[face].name;
}

/** `5 Coach` */
export function faceAndCar(face) {
  return face === null ? "not known yet" : `${face} ${CARS[face].name}`;
}

/** `2 Coaches`, `1 Tank` */
export function countedCars(face, count) {
  return `${count} ${count === 1 ? CARS[face].name : CARS[face].plural}`;
}

/** The drawing of a car. It is decoration: whatever holds it says in words what it is. */
export function carPicture(face, className = "") {
  const file = face === null ? "unknown" : CARS[face].file;
  return el("img", {
    class: `car-picture ${className}`.trim(),
    src: `/static/cars/${file}.svg`,
    alt: "",
    width: 160,
    height: 100,
    draggable: "false",
  });
}

/** A face's number on the kite of a ten-sided die. */
export function kite(face) {
  return el(
    "span",
    { class: "kite" },
    svg("svg", { viewBox: "0 0 40 44", "aria-hidden": "true", focusable: "false" },
      svg("path", { d: "M20 2 37 25 20 42 3 25z" })),
    el("b", { text: face === null ? "?" : String(face) }),
  );
}

/** A car with its number in a short row, as a list item. */
export function carItem(face, className = null) {
  return el("li", { class: className }, carPicture(face), kite(face), el("span", { class: "unseen", text: carName(face) }));
}
