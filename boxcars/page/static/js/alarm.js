/** The alarm after an illegal reroll: before and after, why, and the table's choice. */

import { carItem } from "./cars.js";
import { close, open } from "./dialogs.js";
import { byId, el, refill } from "./dom.js";

let shown = null;

/** Show the alarm of this state, or take it away; once put aside it waits in a bar. */
export function drawAlarm(state) {
  const { alarm } = state;
  byId("alarm-bar").hidden = !alarm;
  if (!alarm) {
    shown = null;
    close("alarm-dialog");
    return;
  }
  fill(alarm);
  if (shown !== alarm.id) {
    shown = alarm.id;
    open("alarm-dialog");
  }
}

function fill(alarm) {
  byId("alarm-text").textContent = alarm.text;
  byId("alarm-bar-text").textContent = alarm.text;
  byId("alarm-thrown").textContent = alarm.thrown
    ? "The dice are thrown already. Taking it back means: lay them as they were before."
    : "The dice are still in the hand. Taking it back means: put them down as they lay.";
  byId("alarm-allow").disabled = !alarm.can_allow;
  byId("alarm-take-back").disabled = !alarm.can_take_back;
  refill(byId("alarm-pictures"), figure(alarm.before, "Before"), figure(alarm.after, alarm.thrown ? "After the throw" : "After the pick-up"));
  byId("alarm-picked").hidden = !alarm.picked_up;
  refill(byId("alarm-dice"), ...(alarm.picked_up ?? []).map((face) => carItem(face, wrong(face, alarm) ? "wrong" : null)));
}

function wrong(face, alarm) {
  return face === 0 && alarm.reasons.includes("breakdown-without-way-car");
}

function figure(picture, caption) {
  if (!picture) return null;
  return el("figure", {}, el("img", { src: picture, alt: `The tray: ${caption.toLowerCase()}` }), el("figcaption", { text: caption }));
}
