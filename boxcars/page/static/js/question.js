/** A doubtful die asks on the spot: its enlarged picture, likely answers first, any allowed. */

import { byId, el, refill } from "./dom.js";
import { facesPad } from "./faces-pad.js";
import { doubtText } from "./wording.js";

/** Draw the first open question; `answer(question, face)` is called with what somebody says. */
export function drawQuestion(state, answer) {
  const [question] = state.questions;
  byId("question").hidden = !question;
  if (!question) return refill(byId("question"));
  const count = state.questions.length;
  const why = doubtText(question.doubts);
  return refill(
    byId("question"),
    el("h2", { id: "question-title", text: "Which face does this die show?" }),
    el("div", { class: "question-body" },
      question.picture ? el("img", { class: "crop", src: question.picture, alt: "The die, enlarged", width: 256, height: 256 }) : null,
      el("div", {},
        el("p", { class: "why", text: why ? `I ask because ${why}.` : "I cannot read it for certain." }),
        count > 1 ? el("p", { class: "quiet", text: `${count} dice to tell; this is the first.` }) : null,
        facesPad(question.answers, question.likely, (face) => answer(question, face)))),
  );
}
