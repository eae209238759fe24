/** What has just happened, told from two states in a row: for ears and for screen readers. */

import { listed, number, trainText } from "./wording.js";

/**
 * The news in `state` since `before`, oldest first: `{kind, text, urgent}`. `kind` is roll, score,
 * alarm, question, over or note. Nothing is news to a page that was just opened.
 */
export function happenings(state, before) {
  if (!before || before.game !== state.game) return [];
  return [...fromHistory(state, before), ...fromAlarm(state, before), ...fromQuestions(state, before)];
}

function fromHistory(state, before) {
  const known = before.history.at(-1)?.seq ?? -1;
  return state.history.filter((entry) => entry.seq > known).flatMap((entry) => told(entry, state));
}

function told(entry, state) {
  const { player } = entry;
  switch (entry.event) {
    case "roll":
    case "reroll":
      return [{ kind: "roll", urgent: false, text: `${player} has ${trainText(entry.faces)}${worth(state)}.` }];
    case "score": {
      const total = state.players.find((each) => each.name === player)?.total;
      return [{ kind: "score", urgent: false, text: `${player} scores ${number(entry.points)}. Total ${number(total)}.` }];
    }
    case "game-over":
      return [{ kind: "over", urgent: false, text: `The game is over. ${ending(state)}` }];
    case "undo":
      return [{ kind: "note", urgent: false, text: "Taken back." }];
    case "correction":
      return [{ kind: "note", urgent: false, text: `Corrected${worth(state)}.` }];
    default:
      return [];
  }
}

function worth(state) {
  return state.worth ? `, worth ${number(state.worth.points)}` : "";
}

function ending(state) {
  const { winners } = state;
  if (winners.length > 1) return `A tie: ${listed(winners)}.`;
  return winners.length ? `${winners[0]} wins.` : "";
}

function fromAlarm(state, before) {
  if (!state.alarm || state.alarm.id === before.alarm?.id) return [];
  return [{ kind: "alarm", urgent: true, text: `${state.alarm.text} Allow it, or take it back?` }];
}

function fromQuestions(state, before) {
  const known = new Set(before.questions.map((question) => question.id));
  const fresh = state.questions.filter((question) => !known.has(question.id));
  if (!fresh.length) return [];
  const likely = fresh[0].answers.slice(0, Math.max(1, fresh[0].likely)).join(" or ");
  return [{ kind: "question", urgent: true, text: `Which face does a die show? Perhaps ${likely}.` }];
}
