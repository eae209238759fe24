/** Opening and closing the page's dialogs; focus goes back to where it was. */

import { byId } from "./dom.js";

/** Open a dialog over the page, if it is not open. */
export function open(id) {
  const dialog = byId(id);
  if (dialog.open) return;
  const from = document.activeElement;
  dialog.showModal();
  if (!dialog.querySelector("[autofocus]")) dialog.querySelector("h2").focus();
  dialog.addEventListener("close", () => from?.isConnected && from.focus(), { once: true });
}

/** Close it, if it is open. */
export function close(id) {
  if (byId(id).open) byId(id).close();
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
