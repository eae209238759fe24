/** Opening and closing the page's dialogs; focus goes back to where it was. */

import { byId } from "./dom.js";

/** The dialogs that have been opened, the latest last. */
let opened = [];

/** Open a dialog over the page, if it is not open. */
export function open(id) {
  const dialog = byId(id);
  if (dialog.open) return;
  const goBack = wayBackTo(document.activeElement);
  opened = [...opened.filter((each) => each !== dialog), dialog];
  dialog.showModal();
  if (!dialog.querySelector("[autofocus]")) dialog.querySelector("h2").focus();
  dialog.addEventListener("close", goBack, { once: true });
}

/** What gives an element the focus again, or the one with its `data-key` if it was made anew. */
function wayBackTo(element) {
  const key = element?.dataset.key;
  const holder = element?.parentElement?.closest("[id]")?.id;
  return () => {
    if (element?.isConnected) element.focus();
    else if (key && holder) byId(holder)?.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
  };
}

/** Close it, if it is open. */
export function close(id) {
  if (byId(id).open) byId(id).close();
}

/** What people can see and hear now: the topmost dialog, else the page. */
export function foreground() {
  return opened.findLast((dialog) => dialog.open) ?? document.body;
}

/** Whether any dialog is open. */
export function anyOpen() {
  return document.querySelector("dialog[open]") !== null;
}

/** Let every `data-close` button close its dialog, and a click beside a dialog too. */
export function letClose() {
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => {
      const closes = event.target === dialog || event.target.closest("[data-close]");
      if (closes) dialog.close();
    });
  }
}
