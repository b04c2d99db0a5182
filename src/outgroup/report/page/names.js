// Names on the map: the largest groups first, each where there is room, on its region or beside it with a line.

const HEIGHT = 17, RING = [0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6];

/** Place labels [{ number, texts, x, y, must }] in a width by height box: [{ number, text, x, y, line }], y the middle. */
export function place(labels, width, height, measure) {
  const taken = [], found = [];
  for (const label of labels) {
    const spot = candidate(label, width, height, measure, taken);
    if (!spot) continue;
    taken.push(spot.box);
    found.push({ number: label.number, ...spot, from: [label.x, label.y] });
  }
  return found;
}

function candidate(label, width, height, measure, taken) {
  const inside = label.x > -20 && label.y > -20 && label.x < width + 20 && label.y < height + 20;
  if (!inside) return null;
  for (const far of [0, 22, 44]) for (const text of label.texts) {
    const half = measure(text) / 2 + 5;
    for (const turn of far ? RING : [0]) {
      const angle = -Math.PI / 2 + (turn * Math.PI) / 6, x = label.x + Math.cos(angle) * (far + (far ? half * Math.abs(Math.cos(angle)) : 0)), y = label.y + Math.sin(angle) * far;
      const box = [x - half, y - HEIGHT / 2, x + half, y + HEIGHT / 2];
      if (fits(box, width, height, taken)) return { text, x, y, box, line: far > 0 };
    }
  }
  if (!label.must) return null;
  const text = label.texts[0], half = measure(text) / 2 + 5, x = Math.min(width - half, Math.max(half, label.x));
  return { text, x, y: label.y, box: [x - half, label.y - HEIGHT / 2, x + half, label.y + HEIGHT / 2], line: false };
}

function fits([left, top, right, bottom], width, height, taken) {
  if (left < 2 || top < 2 || right > width - 2 || bottom > height - 2) return false;
  return !taken.some(([l, t, r, b]) => left < r && right > l && top < b && bottom > t);
}
