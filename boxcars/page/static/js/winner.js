/** The end of a game: who has won, by how much, and the next one in one click. */

import { byId, el, refill } from "./dom.js";
import { listed, number, pointsText } from "./wording.js";

/** Draw the end; nothing while the game goes on. */
export function drawWinner(state) {
  byId("winner").hidden = !state.over;
  if (!state.over) return;
  const ranks = [...state.players].sort((one, other) => other.total - one.total);
  const tie = state.winners.length > 1;
  const margin = ranks.length > 1 && !tie ? ranks[0].total - ranks.find((player) => !state.winners.includes(player.name)).total : null;
  byId("winner-title").textContent = `${listed(state.winners)} ${tie ? "tie" : state.players.length > 1 ? "wins" : "is home"}`;
  byId("winner-text").textContent = margin === null ? pointsText(ranks[0].total) : `${pointsText(ranks[0].total)}, ${margin} ahead`;
  byId("ranks").hidden = ranks.length < 2;
  refill(byId("ranks"), ...ranks.map((player) => el("li", {}, el("span", { text: player.name }), el("b", { text: number(player.total) }))));
}
