/** Arranges ten dice as a train, so that what scores stands together with its points. */

import { carName } from "./cars.js";

const OF_A_KIND = /^(.+) of a Kind: (.+)$/;

/** From the engine to the caboose. Bonus signs stand behind the cars that they reward. */
const ORDER = [
  { key: "locomotive", face: 1, lines: ["One Locomotive", "No Locomotive"] },
  { key: "mail-car", face: 3, lines: ["One Mail Car"] },
  { key: "sleeper", face: 4, kind: "Sleeper" },
  { key: "coach", face: 5, kind: "Coach" },
  { key: "passenger-bonus", face: null, lines: ["Passenger Car Bonus"] },
  { key: "box-car", face: 6, kind: "Box Car" },
  { key: "tank", face: 7, kind: "Tank" },
  { key: "hopper", face: 8, kind: "Hopper" },
  { key: "freight-bonus", face: null, lines: ["Freight Car Bonus"] },
  { key: "way-car", face: 9, lines: [] },
  { key: "breakdown", face: 0, lines: [] },
  { key: "unknown", face: null, lines: [] },
  { key: "caboose", face: 2, lines: ["One Caboose", "No Caboose"] },
];

/** Only the first car of these brings points. */
const SINGLE = new Set(["locomotive", "mail-car", "caboose"]);

/**
 * The groups of the train, first to last.
 *
 * `cars` are `{face, …}` in any order, `face` null where it is not known; `lines` are the score
 * lines `{name, points}`, null while nothing is scored. A group is `{key, face, cars, label,
 * kind, points, tone, idle}`: `kind` names the car where the label does not; `tone` is plus, minus, zero, void (counts nothing without a Locomotive),
 * missing (an empty place that matters) or bonus (a sign beside the track); from car number `idle` on its cars
 * bring nothing more, null: all count.
 */
export function arrange(cars, lines) {
  const stranded = (lines ?? []).some((line) => line.name === "No Locomotive");
  return ORDER.map((place) => group(place, cars, lines, stranded)).filter(Boolean);
}

function group(place, cars, lines, stranded) {
  const mine = cars.filter((car) =>
    place.key === "unknown" ? car.face === null : place.face !== null && car.face === place.face);
  const line = lines?.find((each) => belongs(each.name, place)) ?? null;
  if (!mine.length && !line) return null;
  return {
    key: place.key,
    face: place.face,
    cars: mine,
    label: label(place, mine, line),
    kind: place.kind && line ? place.kind : null,
    points: points(place, line, lines),
    tone: tone(place, mine, line, lines, stranded),
    idle: SINGLE.has(place.key) ? 1 : null,
  };
}

function belongs(name, place) {
  if (place.kind) return OF_A_KIND.exec(name)?.[2] === place.kind;
  if (place.key === "breakdown") return /Breakdowns?$/.test(name);
  return place.lines.includes(name);
}

function label(place, cars, line) {
  if (line) return OF_A_KIND.exec(line.name)?.[1].concat(" of a Kind") ?? line.name.replace(" Car Bonus", " Bonus");
  if (place.key === "unknown") return "Not known yet";
  const name = carName(place.face);
  return cars.length > 1 ? `${cars.length} × ${name}` : name;
}

function points(place, line, lines) {
  if (line) return line.points;
  return lines && place.key !== "unknown" ? 0 : null;
}

function tone(place, cars, line, lines, stranded) {
  if (!cars.length && line && place.face !== null) return "missing";
  if (!cars.length) return "bonus";
  if (!lines || place.key === "unknown") return "open";
  if (!line) return stranded ? "void" : "zero";
  if (line.points < 0) return "minus";
  return line.points > 0 ? "plus" : "zero";
}
