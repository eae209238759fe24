/** What happened in this game, newest first, with pictures; each roll can be corrected. */

import { carItem } from "./cars.js";
import { byId, el, refillKept } from "./dom.js";
import { PHASES, pointsText, verdictText } from "./wording.js";

/** Draw the list; `correct(entry)` and `undo(entry)` are called for what somebody presses. */
export function drawHistory(state, { correct, undo }) {
  const entries = state.history.filter((entry) => entry.event !== "player").reverse();
  byId("history-empty").hidden = entries.length > 0;
  refillKept(byId("history-list"), entries, (entry) => item(entry, correct, undo));
}

/** What happened, without the faces, which are drawn. */
function words(entry) {
  if (entry.points !== null) return `scored ${pointsText(entry.points)}`;
  if (entry.event === "roll") return "rolled ten dice";
  if (entry.event === "reroll") return `rerolled up to ${PHASES.find(({ phase }) => phase === entry.phase).label}`;
  return entry.text;
}

function item(entry, correct, undo) {
  const phase = PHASES.find((each) => each.phase === entry.phase)?.label ?? "";
  return el(
    "li",
    { class: `entry ${entry.event}${entry.undone ? " undone" : ""}`, data: { seq: entry.seq } },
    entry.picture
      ? el("a", { class: "thumb", href: entry.picture, target: "_blank", rel: "noopener" },
          el("img", { src: entry.picture, alt: `The picture of this: ${entry.text}`, loading: "lazy" }))
      : el("span", { class: "thumb none", "aria-hidden": "true", text: entry.event === "score" ? "★" : phase }),
    el("div", { class: "entry-body" },
      el("p", { class: "entry-head" },
        el("b", { text: entry.player || "The table" }),
        el("span", { class: "quiet", text: ` turn ${entry.turn}` }),
        entry.verdict && entry.verdict !== "legal" ? el("span", { class: `verdict ${entry.verdict}`, text: verdictText(entry.verdict) }) : null,
        entry.undone ? el("span", { class: "badge", text: "taken back" }) : null),
      el("p", { text: words(entry) }),
      entry.faces ? el("ul", { class: "mini-train" }, ...entry.faces.map((face) => carItem(face))) : null),
    el("div", { class: "entry-tools" },
      entry.can_correct ? el("button", { type: "button", class: "small", data: { key: `correct-${entry.seq}` }, on: { click: () => correct(entry) }, text: "Correct" }) : null,
      entry.undone || ["undo", "alert", "question", "answer"].includes(entry.event) ? null
        : el("button", { type: "button", class: "small", data: { key: `undo-${entry.seq}` }, on: { click: () => undo(entry) }, text: "Back to before this" })),
  );
}
