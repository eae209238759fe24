/** The coach, for those who ask: the best dice to keep, and what the last choice cost. */

import { carItem } from "./cars.js";
import { byId, el, refill } from "./dom.js";
import { number } from "./wording.js";

/** Draw what the coach says; nothing while it is off. */
export function drawCoach(state) {
  const { coach } = state;
  byId("coach").hidden = !coach.on;
  byId("coach-button").setAttribute("aria-pressed", String(coach.on));
  if (!coach.on) return;
  refill(byId("coach-body"), ...advice(coach.advice), choice(coach.last_choice));
}

function advice(best) {
  if (!best) return [el("p", { class: "quiet", text: "The coach speaks when dice may be rerolled." })];
  const stand = best.reroll.length === 0;
  return [
    el("p", { text: stand ? "Best: stand with what you have." : "Best: keep" }),
    stand ? null : dice(best.keep),
    stand ? null : el("p", {}, `and reroll ${best.reroll.length === 1 ? "the other die" : `the other ${best.reroll.length}`}.`),
    el("p", {}, "Worth ", el("b", { text: best.worth.toFixed(1) }), ` on average; ${number(best.standing)} if you stand.`),
  ];
}

function choice(last) {
  if (!last) return null;
  if (last.cost < 0.05) return el("p", { class: "quiet", text: "Your last choice was as good as any." });
  return el("p", { class: "quiet" }, "Your last choice cost ", el("b", { text: last.cost.toFixed(1) }), " points on average.");
}

function dice(faces) {
  return el("ul", { class: "mini-train" }, ...faces.map((face) => carItem(face)));
}
