/** The score sheet: players × five turns with running totals, who leads and who has won. */

import { byId, el, refill } from "./dom.js";
import { carPicture } from "./cars.js";
import { number } from "./wording.js";

const TURNS = 5;

/** Draw the sheet. */
export function drawSheet(state) {
  const at = state.turn?.number ?? null;
  refill(
    byId("sheet"),
    el("caption", { class: "unseen", text: "Score sheet: points and running total of each turn" }),
    el("thead", {}, el("tr", {},
      el("th", { scope: "col", text: "Player" }),
      ...turns().map((turn) => el("th", { scope: "col", class: turn === at ? "now" : null, text: String(turn) })),
      el("th", { scope: "col", text: "Total" }))),
    el("tbody", {}, ...state.players.map((player) => row(player, state))),
  );
}

function turns() {
  return Array.from({ length: TURNS }, (_, index) => index + 1);
}

function row(player, state) {
  const wins = state.over && state.winners.includes(player.name);
  return el(
    "tr",
    { class: [player.current && !state.over && "current", player.leads && "leads", wins && "wins"].filter(Boolean).join(" ") },
    el("th", { scope: "row" }, el("span", { class: "player" },
      player.current && !state.over ? carPicture(1, "marker") : null,
      el("span", { class: "player-name", text: player.name }),
      player.current && !state.over ? el("span", { class: "unseen", text: ", whose turn it is" }) : null,
    )),
    ...player.scores.map((points, index) => cell(points, player.running[index], player.current && state.turn?.number === index + 1)),
    el("td", { class: "total" }, number(player.total), badge(player, wins, state)),
  );
}

function badge(player, wins, state) {
  if (wins) return el("span", { class: "badge won", text: `★ ${state.winners.length > 1 ? "ties" : state.players.length > 1 ? "wins" : "home"}` });
  return player.leads && !state.over ? el("span", { class: "badge", text: "▲ leads" }) : null;
}

function cell(points, running, now) {
  if (points === null) {
    return el("td", { class: now ? "now open" : "open" }, el("span", { text: now ? "…" : "·", "aria-hidden": "true" }),
      el("span", { class: "unseen", text: now ? "being played" : "not played yet" }));
  }
  return el("td", {}, el("b", { text: number(points) }), el("small", {}, el("span", { class: "unseen", text: "running total " }), number(running)));
}
