/** Tells the news to screen readers, by voice and by sound. */

import { byId } from "./dom.js";
import { settings } from "./settings.js";
import { number } from "./wording.js";

/** Announce news as `happenings` gives it, what is urgent first. */
export function tell(news) {
  for (const urgent of [true, false]) announce(news.filter((each) => each.urgent === urgent), urgent);
  if (settings().sound) news.forEach((each) => play(each.kind));
}

// All in one text: a second one would take the place of the first before anybody heard it.
function announce(news, urgent) {
  if (!news.length) return;
  const text = news.map((each) => each.text).join(" ");
  byId(urgent ? "say-now" : "say").textContent = text;
  if (settings().speech) speak(text, urgent);
}

/** Say aloud, whatever the preferences are, how the game stands. */
export function sayScore(state) {
  const worth = state.worth ? `If ${state.turn.player} stands now: ${number(state.worth.points)}. ` : "";
  const totals = state.players.map((player) => `${player.name} ${number(player.total)}`).join(", ");
  byId("say").textContent = `${worth}${totals}.`;
  speak(`${worth}${totals}.`, true);
}

/** Speak a text, at once or after what is being said. */
export function speak(text, now) {
  if (!("speechSynthesis" in window)) return;
  if (now) speechSynthesis.cancel();
  const words = new SpeechSynthesisUtterance(text.replaceAll("−", "minus "));
  words.lang = "en";
  speechSynthesis.speak(words);
}

const TUNES = {
  // [hertz, start, seconds]; two notes at once are a whistle.
  roll: [[660, 0, 0.09]],
  score: [[523, 0, 0.16], [659, 0.14, 0.16], [784, 0.28, 0.3]],
  question: [[587, 0, 0.14], [784, 0.16, 0.2]],
  alarm: [[311, 0, 0.22], [370, 0, 0.22], [311, 0.3, 0.34], [370, 0.3, 0.34]],
  over: [[440, 0, 0.5], [554, 0, 0.5], [659, 0, 0.5], [440, 0.65, 0.9], [554, 0.65, 0.9], [659, 0.65, 0.9]],
};

let context = null;

/** Play the sound of one kind of news. */
export function play(kind) {
  if (!TUNES[kind] || !("AudioContext" in window)) return;
  context ??= new AudioContext();
  context.resume();
  for (const [hertz, start, seconds] of TUNES[kind]) note(hertz, context.currentTime + start, seconds);
}

function note(hertz, at, seconds) {
  const tone = context.createOscillator();
  const volume = context.createGain();
  tone.type = "triangle";
  tone.frequency.value = hertz;
  volume.gain.setValueAtTime(0, at);
  volume.gain.linearRampToValueAtTime(0.16, at + 0.02);
  volume.gain.exponentialRampToValueAtTime(0.001, at + seconds);
  tone.connect(volume).connect(context.destination);
  tone.start(at);
  tone.stop(at + seconds + 0.02);
}
