/** What this browser prefers: theme, size of letters, sound, speech. Kept on this computer only. */

const KEY = "boxcars";
const DEFAULTS = { theme: "auto", size: "normal", motion: "auto", sound: false, speech: false, keys: true };

const watchers = [];
let values = { ...DEFAULTS, ...stored() };

/** The preferences now. */
export function settings() {
  return values;
}

/** Change some of them. */
export function prefer(changes) {
  values = { ...values, ...changes };
  try {
    localStorage.setItem(KEY, JSON.stringify(values));
  } catch {
    // A browser that keeps nothing still plays; it forgets at the next visit.
  }
  apply();
}

/** Call `tell(values)` now and after each change. */
export function onPreference(tell) {
  watchers.push(tell);
  tell(values);
}

/** Whether the page is dark now. */
export function isDark() {
  return values.theme === "dark" || (values.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
}

function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

function apply() {
  const root = document.documentElement.dataset;
  root.theme = isDark() ? "dark" : "light";
  root.size = values.size;
  root.motion = values.motion;
  for (const tell of watchers) tell(values);
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
apply();
