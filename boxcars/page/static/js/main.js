/** Starts the page: the state flows in, each part draws what it shows, people's acts go out. */

import { drawAlarm } from "./alarm.js";
import { Actions, enter } from "./api.js";
import { Calibrate, drawCalibrated } from "./calibrate.js";
import { Camera } from "./camera.js";
import { drawCoach } from "./coach.js";
import { close, letClose, open } from "./dialogs.js";
import { DieDialog } from "./die-dialog.js";
import { byId, el, refill } from "./dom.js";
import { sayScore, tell } from "./ears.js";
import { happenings } from "./happenings.js";
import { drawHistory } from "./history.js";
import { KEYS, listen } from "./keys.js";
import { follow } from "./live.js";
import { drawLine, drawNotices, toast } from "./notices.js";
import { bindOptions, nextSize, setSound, setSpeech, switchTheme } from "./options.js";
import { drawQuestion } from "./question.js";
import { RollDialog } from "./roll-dialog.js";
import { drawQuality, Setup } from "./setup.js";
import { drawSheet } from "./sheet.js";
import { Sources } from "./sources.js";
import { Store } from "./store.js";
import { TableView } from "./table.js";
import { drawTrain, trainOrder } from "./train.js";
import { drawTurn } from "./turn.js";
import { drawWinner } from "./winner.js";
import { number } from "./wording.js";

const store = new Store();
const actions = new Actions(store, toast);
const dieDialog = new DieDialog(actions);
const rollDialog = new RollDialog(actions);
const sources = new Sources(actions, store);
const setup = new Setup(actions, store, sources);
const calibrate = new Calibrate(store);
const correct = (die) => dieDialog.correct(die);

function draw() {
  const table = new TableView(correct);
  const camera = new Camera(byId("frame"));
  store.watch((s) => [s.turn, s.over, s.winners, s.players, s.alarm, s.questions.length], drawTurn);
  store.watch((s) => [s.dice, s.roll, s.worth, s.last_score, s.coach.advice], (state) => drawTrain(state, correct));
  store.watch((s) => [s.players, s.turn?.number, s.over, s.winners], drawSheet);
  store.watch((s) => [s.over, s.winners, s.players], drawWinner);
  store.watch((s) => [s.dice, s.questions, s.picture.size, s.view?.current, s.scene, s.source.state, s.source.trouble], (state) => table.draw(state));
  store.watch((s) => [s.picture, s.view, s.scene, s.picture.still ? s.rev : 0], (state) => camera.show(state));
  store.watch((s) => [s.notices, s.source.trouble], drawNotices);
  store.watch((s) => s.questions, (state) => drawQuestion(state, answer));
  store.watch((s) => s.alarm, drawAlarm);
  store.watch((s) => (historyShown() ? s.history : null), () => historyShown() && history());
  store.watch((s) => s.coach, drawCoach);
  store.watch((s) => [s.source, s.sources], (state) => sources.draw(state));
  store.watch((s) => [s.calibration, s.source.state], drawCalibrated);
  store.watch((s) => s.quality, drawQuality);
  store.watch((s) => [s.can_undo, s.can_redo, s.undo_text, s.redo_text, s.turn?.can_stand, s.roll, s.over], drawTools);
  store.watch((s) => [s.turn, s.worth], drawPageTitle);
  store.watch((s) => s.rev, (state, before) => tell(happenings(state, before)));
}

function drawTools(state) {
  byId("undo").disabled = !state.can_undo;
  byId("undo").title = state.undo_text ? `Undo ${state.undo_text}` : "";
  byId("redo").disabled = !state.can_redo;
  byId("redo").title = state.redo_text ? `Redo ${state.redo_text}` : "";
  byId("stand").disabled = !state.turn?.can_stand;
  byId("stand").hidden = state.over;
}

function drawPageTitle(state) {
  const now = state.turn ? `${state.turn.player}${state.worth ? ` ${number(state.worth.points)}` : ""}` : "Game over";
  document.title = `${now} · Box Cars`;
}

const answer = (question, face) => actions.act("answer", { question: question.id, face });
const undoEntry = (entry) => actions.act("undo", { seq: entry.seq });

/** The list grows long, so it is drawn for those who look at it only. */
function history() {
  drawHistory(store.state, { correct: correctEntry, undo: undoEntry });
}

function historyShown() {
  return byId("history-dialog").open;
}

function openHistory() {
  history();
  open("history-dialog");
}

function correctEntry(entry) {
  close("history-dialog");
  rollDialog.correct(entry);
}

function stand() {
  if (store.state?.turn?.can_stand) return actions.act("stand");
  return false;
}

function digit(face) {
  const [question] = store.state.questions;
  const choosing = hinting();
  hints(false);
  if (question && !choosing) return answer(question, face);
  const die = trainOrder(store.state)[face === 0 ? 9 : face - 1];
  return die?.id === undefined ? false : correct(die);
}

/** Show the numbers of the cars, so that the next digit chooses one even if a die asks. */
function hints(on) {
  document.documentElement.dataset.hints = on;
}

function hinting() {
  return document.documentElement.dataset.hints === "true";
}

function newGame() {
  return store.state.over ? setup.again() : setup.open();
}

function alarm(action) {
  const { alarm: open } = store.state;
  if (!open) return false;
  return actions.act(action, { alarm: open.id });
}

function coach() {
  return actions.act("coach", { on: !store.state.coach.on });
}

const COMMANDS = {
  "+": () => dieDialog.add(),
  "c": () => hints(true),
  "e": () => rollDialog.enter(),
  " ": stand,
  "u": () => actions.act("undo"),
  "r": () => actions.act("redo"),
  "ctrl+z": () => actions.act("undo"),
  "ctrl+y": () => actions.act("redo"),
  "ctrl+shift+z": () => actions.act("redo"),
  "a": () => alarm("allow"),
  "t": () => alarm("take-back"),
  "n": newGame,
  "h": openHistory,
  "s": () => setup.open(),
  "k": coach,
  "w": () => sayScore(store.state),
  "o": () => open("options-dialog"),
  "d": switchTheme,
  "l": () => toast(`Letters: ${{ normal: "normal", large: "large", room: "for across the room" }[nextSize()]}`),
  "m": () => toast(setSound() ? "Sound is on." : "Sound is off."),
  "v": () => toast(setSpeech() ? "Speech is on." : "Speech is off."),
  "?": () => open("help-dialog"),
  "escape": () => hints(false),
};

const IN_DIALOG = {
  "a": () => byId("alarm-dialog").open && alarm("allow"),
  "t": () => byId("alarm-dialog").open && alarm("take-back"),
  "delete": () => dieDialog.corrects && dieDialog.remove(),
};

for (let face = 0; face < 10; face += 1) {
  COMMANDS[face] = () => digit(face);
  IN_DIALOG[face] = () => dieDialog.asks && dieDialog.choose(face);
}

function bind() {
  const press = (id, act) => byId(id).addEventListener("click", act);
  press("stand", stand);
  press("undo", () => actions.act("undo"));
  press("undo-end", () => actions.act("undo"));
  press("redo", () => actions.act("redo"));
  press("add-die", () => dieDialog.add());
  press("enter-roll", () => rollDialog.enter());
  press("die-remove", () => dieDialog.remove());
  press("alarm-allow", () => alarm("allow"));
  press("alarm-take-back", () => alarm("take-back"));
  press("alarm-again", () => open("alarm-dialog"));
  press("new-game", () => setup.again());
  press("say-score", () => sayScore(store.state));
  press("coach-button", coach);
  press("history-button", openHistory);
  press("setup-button", () => setup.open());
  press("calibrate-button", () => calibrate.open());
  press("options-button", () => open("options-dialog"));
  press("help-button", () => open("help-dialog"));
  refill(byId("keys"), ...KEYS.flatMap(({ keys, text }) => [
    el("dt", {}, ...keys.map((key) => (key === "…" ? " … " : el("kbd", { text: key })))), el("dd", { text })]));
}

// Nothing can be pressed before there is a state to act on.
const whenKnown = (commands) => Object.fromEntries(
  Object.entries(commands).map(([key, command]) => [key, () => (store.state ? command() : false)]));

bind();
bindOptions();
letClose();
listen(whenKnown(COMMANDS), whenKnown(IN_DIALOG));
draw();
await enter();
follow({
  onState: (state) => {
    document.documentElement.dataset.ready = "true";
    store.set(state);
  },
  onLine: drawLine,
});
