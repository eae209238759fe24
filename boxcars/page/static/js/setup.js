/** Setting up: whether the picture is good enough, who plays, by which rules. */

import { close, open } from "./dialogs.js";
import { byId, el, refill } from "./dom.js";

const MOST_PLAYERS = 12;
const LONGEST_NAME = 40;
const RULES = ["way_car_must_stay", "first_breakdown_only", "penalties_without_locomotive"];

const CHECKS = {
  "digit-height": "Size of the digits",
  "tilt": "Tilt",
  "mm-per-px": "Detail",
  "focus": "Focus",
  "exposure": "Light",
  "clipped": "Highlights",
  "glare": "Glare",
  "noise": "Noise",
  "frame-rate": "Pictures a second",
};

/** What is to be done about comes first. */
const WORST_FIRST = ["poor", "fair", "good"];

const SUMS = {
  good: "The picture is good enough.",
  fair: "The picture will do, but it could be better.",
  poor: "The picture is not good enough yet.",
};

const MARKS = { good: "✓", fair: "~", poor: "!" };

/** The set-up dialog; `actions` does what is chosen. */
export class Setup {
  #actions;
  #store;
  #sources;

  constructor(actions, store, sources) {
    this.#actions = actions;
    this.#store = store;
    this.#sources = sources;
    byId("setup-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#begin();
    });
    byId("add-player").addEventListener("click", () => this.#add("").querySelector("input").focus());
    byId("setup-dialog").addEventListener("close", () => sources.close());
  }

  /** Open it, filled with the game as it is. */
  open() {
    const { players, rules } = this.#store.state;
    refill(byId("players"));
    for (const player of players) this.#add(player.name);
    for (const rule of RULES) byId(rule).checked = rules[rule];
    byId("setup-error").textContent = "";
    this.#sources.open();
    open("setup-dialog");
  }

  /** Begin a game with the same players and rules. */
  again() {
    const { players, rules } = this.#store.state;
    return this.#actions.act("new-game", { players: players.map((player) => player.name), rules });
  }

  #add(name) {
    const list = byId("players");
    const row = el("li", {},
      el("input", { type: "text", name: "player", value: name, maxlength: LONGEST_NAME, autocomplete: "off", spellcheck: "false" }),
      el("button", { type: "button", class: "small", on: { click: () => this.#drop(row) }, text: "Remove" }));
    list.append(row);
    this.#number();
    return row;
  }

  #drop(row) {
    row.remove();
    this.#number();
    byId("add-player").focus();
  }

  #number() {
    const rows = [...byId("players").children];
    rows.forEach((row, index) => {
      row.querySelector("input").setAttribute("aria-label", `Name of player ${index + 1}`);
      row.querySelector("button").setAttribute("aria-label", `Remove player ${index + 1}`);
      row.querySelector("button").disabled = rows.length === 1;
    });
    byId("add-player").disabled = rows.length >= MOST_PLAYERS;
  }

  async #begin() {
    const players = [...byId("players").querySelectorAll("input")].map((input) => input.value.trim()).filter(Boolean);
    const error = problem(players);
    byId("setup-error").textContent = error;
    if (error) return;
    const rules = Object.fromEntries(RULES.map((rule) => [rule, byId(rule).checked]));
    if (await this.#actions.act("new-game", { players, rules })) close("setup-dialog");
  }
}

/** Draw whether the picture is good enough. */
export function drawQuality({ quality }) {
  byId("quality").hidden = !quality;
  if (!quality) return;
  const checks = WORST_FIRST.flatMap((verdict) => quality.checks.filter((check) => check.verdict === verdict));
  const worst = checks[0]?.verdict ?? "good";
  byId("quality-sum").textContent = SUMS[worst];
  byId("quality-sum").className = worst;
  refill(byId("checks"), ...checks.map((check) => el(
    "li", { class: check.verdict },
    el("span", { class: "check-mark", "aria-hidden": "true", text: MARKS[check.verdict] ?? "?" }),
    el("div", {},
      el("b", { text: CHECKS[check.name] ?? check.name }),
      el("span", { class: "unseen", text: `: ${check.verdict}` }),
      check.text ? el("p", { text: check.text }) : null))));
}

function problem(players) {
  if (!players.length) return "Name at least one player.";
  const names = new Set(players.map((name) => name.toLowerCase()));
  if (names.size < players.length) return "Two players have the same name: tell them apart.";
  return "";
}
