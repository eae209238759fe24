/** What the table should know now, and short messages that pass. */

import { foreground } from "./dialogs.js";
import { byId, el, refill } from "./dom.js";

const SHOWN_MS = 6000;
let timer = null;

/** Draw the notices and the troubles of the source. */
export function drawNotices(state) {
  const trouble = state.source.trouble;
  refill(
    byId("notices"),
    trouble ? el("li", { class: "notice trouble", text: trouble.text }) : null,
    ...state.notices.map((notice) => el("li", { class: `notice ${notice.kind}`, text: notice.text })));
}

/** Say something for a few seconds, such as why an action was refused. */
export function toast(text) {
  bringToast();
  byId("toast").textContent = text;
  byId("toast").hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => {
    byId("toast").hidden = true;
    byId("toast").textContent = "";
  }, SHOWN_MS);
}

// Outside an open dialog it would be neither clear to see nor told to screen readers.
function bringToast() {
  foreground().append(byId("toast"));
}

document.addEventListener("close", bringToast, { capture: true });

/** Show whether the table answers: `open`, `lost` or `locked`. */
export function drawLine(line) {
  document.documentElement.dataset.line = line;
  byId("line").hidden = line === "open";
  byId("line").textContent = {
    open: "",
    lost: "The table does not answer. Trying again …",
    locked: "Open the address that boxcars play printed: this one may not see the table.",
  }[line];
}
