/** The train: the ten dice as cars, each group with its points underneath, and their sum. */

import { arrange } from "./arrange.js";
import { carName, carPicture, kite } from "./cars.js";
import { byId, el, refill, refillKept } from "./dom.js";
import { number, signed, stateWord } from "./wording.js";

/**
 * The cars that are drawn, in no order: the dice as they lie, or the latest roll while fewer than
 * ten of them are seen.
 */
function carsOf(state) {
  const keep = new Set(state.coach.advice?.keep_dice ?? []);
  const dice = state.dice.map((die) => ({ ...die, keep: keep.has(die.id) }));
  if (state.roll && dice.length !== state.roll.faces.length) return state.roll.faces.map((face) => ({ face, state: "certain" }));
  return dice;
}

/** The score lines that belong to the cars drawn: of this turn, or of the one just scored. */
function scoreOf(state) {
  if (state.worth) return { title: "If you stand now", points: state.worth.points, lines: state.worth.lines };
  const last = state.last_score;
  if (!last || !sameFaces(last.faces, state.dice)) return null;
  return { title: `${last.player} scored`, points: last.points, lines: last.lines };
}

/** Draw train and sum; `choose(die)` is called for the car that somebody clicks, null: for none. */
export function drawTrain(state, choose) {
  const cars = carsOf(state);
  const score = scoreOf(state);
  const groups = arrange(cars, score?.lines ?? null);
  byId("train-empty").hidden = groups.length > 0;
  byId("train-empty").textContent = state.over ? "The game is over." : "The track is clear.";
  byId("train").style.setProperty("--places", Math.max(10, sum(groups.map(places))));
  const items = groups.map((group, index) => ({
    group,
    before: sum(groups.slice(0, index).map(places)),
    first: sum(groups.slice(0, index).map(({ cars }) => cars.length)) + 1,
  }));
  refillKept(byId("train"), items, (item) => draw(item, choose));
  drawSum(state, score);
}

/** The dice in the order of the train, as the number keys count them. */
export function trainOrder(state) {
  return arrange(carsOf(state), scoreOf(state)?.lines ?? null).flatMap((group) => group.cars);
}

// Before the first roll of a turn the dice of the turn before may still lie there.
function sameFaces(faces, dice) {
  const lying = dice.map((die) => die.face).sort();
  return faces?.length === lying.length && faces.every((face, index) => face === lying[index]);
}

const SIGN_PLACES = 0.7;

/** How many cars wide a group is. */
function places({ tone, cars }) {
  return tone === "bonus" ? SIGN_PLACES : Math.max(1, cars.length);
}

function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}

function draw({ group, before, first }, choose) {
  const item = el(
    "li",
    { class: `group ${group.tone}`, data: { group: group.key } },
    el("div", { class: "cars" },
      ...group.cars.map((car, index) => drawCar(car, (group.idle !== null && index >= group.idle) || group.tone === "void", choose, first + index)),
      group.tone === "missing" ? el("div", { class: "car ghost" }, carPicture(group.face)) : null,
      group.tone === "bonus" ? el("div", { class: "car sign", "aria-hidden": "true" }, el("span", { class: "board", text: signed(group.points) })) : null),
    el("div", { class: "ticket" },
      el("span", { class: "ticket-name" }, group.kind ? el("span", { class: "ticket-kind", text: group.kind }) : null, group.label),
      group.points === null ? null : el("b", { text: group.tone === "void" ? "–" : signed(group.points) })),
  );
  item.style.setProperty("--wide", places(group));
  item.style.setProperty("--before", before);
  return item;
}

function drawCar(car, idle, choose, place) {
  const word = stateWord(car.state);
  const classes = ["car", `is-${car.state}`, idle && "idle", car.keep && "keep"].filter(Boolean).join(" ");
  const parts = [
    el("span", { class: "hint", "aria-hidden": "true", text: String(place % 10) }),
    carPicture(car.face),
    kite(car.face),
    word ? el("span", { class: "tag", text: word }) : null,
    car.keep ? el("span", { class: "tag coach-tag", text: "keep" }) : null,
  ];
  if (car.id === undefined || !choose) return el("div", { class: classes }, ...parts, el("span", { class: "unseen", text: carName(car.face) }));
  return el(
    "button",
    { type: "button", class: classes, data: { key: `car-${car.id}`, die: car.id }, on: { click: () => choose(car) } },
    ...parts,
    el("span", { class: "unseen", text: `${carName(car.face)}, car ${place}. Correct it` }),
  );
}

function drawSum(state, score) {
  byId("sum").hidden = !score;
  byId("sum-lines").hidden = !score;
  if (!score) return;
  byId("sum-title").textContent = score.title;
  refill(byId("sum-points"), el("span", { class: "unseen", text: number(score.points) }),
    ...[...number(score.points)].map((digit) => el("span", { class: "flap", "aria-hidden": "true", text: digit })));
  refill(byId("sum-lines"), addition(score.lines), el("b", { text: number(score.points) }),
    state.worth ? " if you stand now" : ` for ${state.last_score.player}`);
}

/** The score lines as one addition: `10 + 40 − 10 = `. */
function addition(lines) {
  if (lines.some((line) => line.name === "No Locomotive")) return "Without a Locomotive nothing counts: ";
  return `${lines.map((line) => signed(line.points).replace(/^[+−]/, "$& ")).join(" ").replace(/^\+ /, "")} = `;
}
