/** Calibration in words. */

export const WAYS = {
  corners: "Drag the rings onto the four inner corners of the tray's floor, or tap there. Arrow keys move a ring too. Measure the floor with a ruler.",
  board: "Lay the printed board flat into the middle of the tray, and take your hands away. The tray's size may be left out.",
  dice: "Lay ten dice flat into the tray. This is less exact: it tells how the camera is tilted, but not where the tray ends.",
};

/** What a picture brought, by the number of views there are. */
export const STEPS = {
  "no-board": (views) => (views ? `${held(views)} Now the board is not seen.` : "The board is not seen yet."),
  "hold-still": (views) => `The board is seen: keep it still.${views ? ` ${held(views)}` : ""}`,
  "known": (views) => `The board lies still and is seen well. ${held(views)}`,
  "taken": (views) => `The board lies still and is seen well. ${held(views)}`,
};

/** `from the tray's corners on 12 March 2026` */
export function madeFrom(calibration) {
  const from = {
    "corners": "from the tray's corners",
    "board": "from the board",
    "board-views": "from views of the board",
    "dice": "from the dice",
  }[calibration.made_from];
  const day = new Date(calibration.created);
  const known = !Number.isNaN(day.valueOf());
  return known ? `${from} on ${day.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" })}` : from;
}

/** What a calibration says of the camera, each with a verdict. */
export function findings({ tilt_deg: tilt, mm_per_px: scale, error_px: error, die_mm: die, made_from: from }) {
  const wide = scale ? die / scale : null;
  // The limits of the quality report (calibration/quality.py).
  return [
    { verdict: graded(-tilt, -25, -40), text: `The camera is tilted by ${tilt.toFixed(1)}° from straight down${tilt > 25 ? ": set it higher if you can, up to 25° is good." : "."}` },
    ...(wide ? [{ verdict: graded(wide, 42, 29), text: `A pixel is ${scale.toFixed(2)} mm in the middle of the tray, a die ${wide.toFixed(0)} pixels${wide < 42 ? ": move the camera closer, 42 are needed." : "."}` }] : []),
    { verdict: graded(-error, from.startsWith("board") ? -1 : -3, -6), text: `The ${{ corners: "four corners", dice: "dice" }[from] ?? "board's corners"} fit within ${error.toFixed(1)} pixels.` },
  ];
}

function graded(value, good, poor) {
  if (value >= good) return "good";
  return value >= poor ? "fair" : "poor";
}

function held(views) {
  return views === 1 ? "One view is taken." : `${views} views are taken.`;
}
