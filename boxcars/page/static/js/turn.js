/** Whose turn it is, what to do, the phases as stations, and whether a Breakdown may be touched. */

import { byId, el, refill, svg } from "./dom.js";
import { order, PHASES, verdictText } from "./wording.js";

/** Draw the turn card. */
export function drawTurn(state) {
  const { who, what } = order(state);
  byId("turn").dataset.over = state.over;
  refill(byId("turn-who"), el("span", { text: who }), round(state));
  byId("turn-what").textContent = what;
  refill(byId("turn-hand"), hand(state));
  refill(byId("steps"), ...stations(state));
  refill(byId("signal"), ...signal(state));
}

/** The stations of the line on which a turn runs, as list items. */
export function stations(state) {
  const at = state.over ? PHASES.length - 1 : PHASES.findIndex((each) => each.phase === state.turn.phase);
  return PHASES.map(({ label, title }, index) => {
    const where = index < at ? "passed" : index === at ? "here" : "ahead";
    return el(
      "li",
      { class: `station ${where}`, "aria-current": where === "here" ? "step" : null, title },
      el("span", { class: "stop", "aria-hidden": "true", text: label }),
      el("span", { class: "stop-name", text: index === 0 ? "roll" : index === 5 ? "score" : "reroll" }),
      el("span", { class: "unseen", text: where === "here" ? `${title}, now` : title }),
    );
  });
}

function round(state) {
  if (state.over) return null;
  return el("span", { class: "round", text: `turn ${state.turn.number} of 5` });
}

function hand(state) {
  const held = state.turn?.hand;
  if (!held?.picked_up.length) return null;
  return el("span", { class: `verdict ${held.verdict}`, text: `${held.picked_up.length} picked up: ${verdictText(held.verdict)}` });
}

function signal(state) {
  const turn = state.turn;
  if (!turn || turn.phase === "roll-10") return [];
  const clear = turn.breakdown.may_touch;
  return [semaphore(clear), el("p", { class: clear ? "clear" : "stop-sign", text: turn.breakdown.text })];
}

/** A railway signal: the arm is up for "go" and level for "stop". */
function semaphore(clear) {
  return svg(
    "svg",
    { class: `semaphore ${clear ? "go" : "halt"}`, viewBox: "0 -14 44 70", "aria-hidden": "true", focusable: "false" },
    svg("path", { class: "post", d: "M29 8h5v46h-5zM24 52h15v3H24z" }),
    svg("g", { class: "arm", transform: clear ? "rotate(42 31 16)" : "rotate(0)" },
      svg("path", { class: "blade", d: "M31 10H4v12h27z" }),
      svg("path", { class: "stripe", d: "M9 10h5v12H9z" })),
    svg("circle", { class: "lamp", cx: 31.5, cy: 16, r: 7 }),
  );
}
