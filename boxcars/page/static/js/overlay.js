/** The overlay for streams: looks on, and never asks or acts. */

import { enter } from "./api.js";
import { carPicture } from "./cars.js";
import { byId, el, refill } from "./dom.js";
import { follow } from "./live.js";
import { Store } from "./store.js";
import { drawTrain } from "./train.js";
import { stations } from "./turn.js";
import { drawLine } from "./notices.js";
import { number, order } from "./wording.js";

const store = new Store();

function drawTotals(state) {
  refill(byId("totals"), ...state.players.map((player) => el(
    "li", { class: player.leads ? "leads" : null },
    player.current && !state.over ? carPicture(1, "marker") : el("span"),
    el("span", { class: "name", text: player.name }),
    el("b", { text: number(player.total) }))));
}

function drawBand(state) {
  const { who, what } = order(state);
  byId("who").textContent = state.over ? who : `${who} · turn ${state.turn.number}`;
  byId("what").textContent = what;
  refill(byId("steps"), ...stations(state));
}

/** One thing at a time: an alarm before a question before a notice. */
function drawNews(state) {
  const news = state.alarm
    ? { kind: "alarm", text: state.alarm.text }
    : state.questions.length
      ? { kind: "question", text: "The table is asked about a die …" }
      : state.notices.at(-1) ?? null;
  byId("news").hidden = !news;
  byId("news").textContent = news?.text ?? "";
  byId("news").dataset.kind = news?.kind ?? "";
}

store.watch((s) => [s.players, s.over], drawTotals);
store.watch((s) => [s.turn, s.over, s.winners, s.players, s.alarm, s.questions.length], drawBand);
store.watch((s) => [s.alarm, s.questions, s.notices], drawNews);
store.watch((s) => [s.dice, s.roll, s.worth, s.last_score, s.coach.advice], (state) => drawTrain(state, null));

await enter();
follow({ onState: (state) => store.set(state), onLine: drawLine });
