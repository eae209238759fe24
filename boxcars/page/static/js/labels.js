/** Where the labels beside the dice go, so that they cover neither dice nor each other. */

/**
 * Places for labels of `size` `{width, height}` beside `boxes` `[x0, y0, x1, y1]`, within an area
 * `{width, height}`; all in the same units. Gives each label's left upper corner `{x, y}`.
 */
export function placeLabels(boxes, size, area) {
  const taken = [];
  return boxes.map((box) => {
    const free = candidates(box, size, area)
      .map((spot, order) => ({ spot, cost: cost(spot, size, boxes, taken) + order * 0.01 }))
      .reduce((best, each) => (each.cost < best.cost ? each : best)).spot;
    taken.push(rectangle(free, size));
    return free;
  });
}

function candidates([x0, y0, x1, y1], { width, height }, area) {
  const gap = 3;
  const [middleX, middleY] = [(x0 + x1 - width) / 2, (y0 + y1 - height) / 2];
  const [left, right, above, below] = [x0 - width - gap, x1 + gap, y0 - height - gap, y1 + gap];
  const spots = [
    [right, middleY], [left, middleY], [middleX, below], [middleX, above],
    [right, above], [left, above], [right, below], [left, below],
  ];
  return spots.map(([x, y]) => ({
    x: Math.min(Math.max(x, 0), area.width - width),
    y: Math.min(Math.max(y, 0), area.height - height),
  }));
}

function cost(spot, size, boxes, taken) {
  const label = rectangle(spot, size);
  const onDice = boxes.reduce((sum, box) => sum + overlap(label, box), 0);
  const onLabels = taken.reduce((sum, other) => sum + overlap(label, other), 0);
  return onDice + 2 * onLabels;
}

function rectangle({ x, y }, { width, height }) {
  return [x, y, x + width, y + height];
}

function overlap(a, b) {
  const width = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  const height = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  return width > 0 && height > 0 ? width * height : 0;
}
