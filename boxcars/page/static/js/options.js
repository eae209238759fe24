/** The options dialog: theme, size, motion, sound, speech, keys. */

import { byId } from "./dom.js";
import { isDark, onPreference, prefer, settings } from "./settings.js";
import { play, speak } from "./ears.js";

const SIZES = ["normal", "large", "room"];

/** Let the dialog's controls show and change the preferences. */
export function bindOptions() {
  for (const name of ["theme", "size", "motion"]) {
    byId(`option-${name}`).addEventListener("change", (event) => prefer({ [name]: event.target.value }));
  }
  byId("option-sound").addEventListener("change", (event) => setSound(event.target.checked));
  byId("option-speech").addEventListener("change", (event) => setSpeech(event.target.checked));
  byId("option-keys").addEventListener("change", (event) => prefer({ keys: event.target.checked }));
  onPreference((values) => {
    for (const name of ["theme", "size", "motion"]) byId(`option-${name}`).value = values[name];
    for (const name of ["sound", "speech", "keys"]) byId(`option-${name}`).checked = values[name];
  });
}

/** Turn sound on or off, and let it be heard. */
export function setSound(on = !settings().sound) {
  prefer({ sound: on });
  if (on) play("roll");
  return on;
}

/** Turn speech on or off, and let it be heard. */
export function setSpeech(on = !settings().speech) {
  prefer({ speech: on });
  if (on) speak("Speech is on.", true);
  return on;
}

/** Dark becomes light, light dark. */
export function switchTheme() {
  prefer({ theme: isDark() ? "light" : "dark" });
}

/** The next size of letters. */
export function nextSize() {
  const size = SIZES[(SIZES.indexOf(settings().size) + 1) % SIZES.length];
  prefer({ size });
  return size;
}
