/** The keyboard: every action has a key, and the keys can be turned off. */

import { anyOpen } from "./dialogs.js";
import { settings } from "./settings.js";

/** `Key: what it does`, as the help sheet lists them. */
export const KEYS = [
  { keys: ["1", "…", "9", "0"], text: "Answer an open question; else correct the first … tenth car of the train" },
  { keys: ["C"], text: "Show the numbers of the cars, then press one to correct it" },
  { keys: ["+"], text: "Add a die that the camera does not show" },
  { keys: ["Delete"], text: "While correcting: this is no die, remove it" },
  { keys: ["E"], text: "Enter the whole roll by hand" },
  { keys: ["Space"], text: "Stand: end the turn with these dice" },
  { keys: ["U"], text: "Undo" },
  { keys: ["R"], text: "Redo" },
  { keys: ["A"], text: "Allow an illegal reroll" },
  { keys: ["T"], text: "Take the reroll back" },
  { keys: ["N"], text: "New game" },
  { keys: ["H"], text: "History with pictures" },
  { keys: ["S"], text: "Set-up: camera, players, house rules" },
  { keys: ["K"], text: "Coach on or off (the record says so)" },
  { keys: ["W"], text: "Say the score aloud" },
  { keys: ["O"], text: "Options: theme, size, sound, speech" },
  { keys: ["D"], text: "Dark or light" },
  { keys: ["L"], text: "Size of the letters" },
  { keys: ["M"], text: "Sound on or off" },
  { keys: ["V"], text: "Speech on or off" },
  { keys: ["?"], text: "This help" },
  { keys: ["Esc"], text: "Close what is open" },
];

/**
 * Listen to keys. `commands` maps a key (lower case) to what it does on the page, `inDialog` one
 * that works while a dialog is open; a command that returns false leaves the key to the browser.
 */
export function listen(commands, inDialog) {
  document.addEventListener("keydown", (event) => {
    const chord = event.ctrlKey || event.metaKey;
    if (event.altKey || event.isComposing || typing(event.target)) return;
    const key = name(event);
    if (!chord && !settings().keys) return;
    if (chord && !["ctrl+z", "ctrl+y", "ctrl+shift+z"].includes(key)) return;
    // A button that has the focus is pressed by the space bar itself.
    if (key === " " && event.target.closest("button, a, summary")) return;
    const command = (anyOpen() ? inDialog : commands)[key];
    if (command && command() !== false) event.preventDefault();
  });
}

function name(event) {
  const key = event.key.toLowerCase();
  if (!(event.ctrlKey || event.metaKey)) return key;
  return `ctrl+${event.shiftKey ? "shift+" : ""}${key}`;
}

function typing(target) {
  // For a moment after a dialog closed the focus may still be within it.
  if (target.closest("dialog:not([open])")) return false;
  return target.closest("input:not([type=checkbox], [type=radio]), textarea, select") !== null;
}
