/** What the page says in words. */

import { countedCars } from "./cars.js";

export const PHASES = [
  { phase: "roll-10", label: "10", title: "Roll all ten dice" },
  { phase: "reroll-8", label: "8", title: "Reroll up to eight" },
  { phase: "reroll-6", label: "6", title: "Reroll up to six" },
  { phase: "reroll-4", label: "4", title: "Reroll up to four" },
  { phase: "reroll-2", label: "2", title: "Reroll up to two" },
  { phase: "scoring", label: "★", title: "Score" },
];

const DOUBTS = {
  "unsure": "its digit is hard to read",
  "six-or-nine": "it may be a 6 or a 9",
  "neighbours-disagree": "its sides do not fit its face",
  "cocked": "it leans",
  "stacked": "it lies on another die",
  "covered": "something covers it",
  "glare": "light glares on it",
  "blurred": "it is blurred",
  "too-small": "it is too small in the picture",
  "not-a-d10": "it may be no ten-sided die",
  "contradiction": "it was kept, yet looks changed",
};

const STATES = {
  "certain": "",
  "kept": "kept",
  "picked-up": "in hand",
  "doubtful": "which?",
  "cocked": "leans",
  "stacked": "stacked",
};

/** `+40`, `−10`, `0`: with a real minus sign. */
export function signed(points) {
  if (points > 0) return `+${points}`;
  return points < 0 ? `−${-points}` : "0";
}

/** `−10`, `85` */
export function number(points) {
  return points < 0 ? `−${-points}` : String(points);
}

/** `1 point`, `85 points` */
export function pointsText(points) {
  return `${number(points)} ${Math.abs(points) === 1 ? "point" : "points"}`;
}

/** `Ann`, `Ann and Bob`, `Ann, Bob and Cem` */
export function listed(names) {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** A die's state in a word or two; empty where there is nothing to say. */
export function stateWord(state) {
  return STATES[state] ?? state;
}

/** Why the page asks about a die, as the end of a sentence. */
export function doubtText(doubts) {
  return doubts.length ? listed(doubts.map((doubt) => DOUBTS[doubt] ?? doubt)) : "";
}

/** Two Locomotives, one Caboose, three Tanks: the roll as a train. */
export function trainText(faces) {
  const parts = [1, 3, 4, 5, 6, 7, 8, 9, 0, 2].flatMap((face) => {
    const count = faces.filter((each) => each === face).length;
    return count ? [countedCars(face, count)] : [];
  });
  return listed(parts);
}

/** What the table should do now: a short order and whom it is for. */
export function order(state) {
  if (state.over) {
    const tie = state.winners.length > 1;
    const best = number(Math.max(...state.players.map((player) => player.total)));
    return { who: listed(state.winners), what: tie ? `tie with ${best}` : `wins with ${best}` };
  }
  const turn = state.turn;
  const asked = state.questions.length;
  if (asked) return { who: turn.player, what: asked === 1 ? "Say what one die shows" : `Say what ${asked} dice show` };
  if (turn.phase === "roll-10") return { who: turn.player, what: "Roll all ten dice" };
  if (state.alarm) return { who: turn.player, what: "Allow it, or take it back?" };
  if (turn.hand?.picked_up.length) {
    const count = turn.hand.picked_up.length;
    return { who: turn.player, what: `Throw the ${count === 1 ? "die" : `${count} dice`} in your hand` };
  }
  return { who: turn.player, what: `Reroll up to ${turn.limit} dice` };
}

/** What the camera is busy with, in a few words. */
export function sceneText(state) {
  const { source, scene } = state;
  if (source.state === "opening") return "Opening the camera …";
  if (source.state === "trouble") return source.trouble?.text ?? "The camera shows nothing.";
  if (source.state === "ended") return "The pictures have ended.";
  return {
    moving: "Something moves …",
    looking: "Reading the dice …",
    hand: "A hand is in the picture",
    settled: "The dice lie still",
    waiting: "Waiting for the first picture …",
  }[scene] ?? scene;
}

/** How a verdict is called at the table. */
export function verdictText(verdict) {
  return { "legal": "legal", "illegal": "illegal", "cannot-tell": "cannot tell" }[verdict] ?? "";
}
