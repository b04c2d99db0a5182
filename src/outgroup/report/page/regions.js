// Groups as regions: where the documents of one lie densest, outlined by marching squares. In the map's own units.

const CELLS = 140, EDGE = 11;

/** Per group: { path: Path2D, x, y } with where its name goes; the map's units go from `box.x` to `box.x + box.size`. */
export function regions(points, numbers, box) {
  const cell = box.size / CELLS, width = CELLS + 2 * EDGE + 1, reach = Math.max(3, Math.min(EDGE - 1, Math.round((1.1 * CELLS) / Math.sqrt(points.x.length)) + 1));
  const grid = { cell, width, reach, x: box.x / cell - EDGE, y: box.y / cell - EDGE };
  const members = new Map(numbers.map((number) => [number, []]));
  points.group.forEach((group, i) => members.get(group)?.push(i));
  const fields = new Map();
  const best = new Float32Array(width * width), second = new Float32Array(width * width), owner = new Int16Array(width * width).fill(-2);
  for (const [number, rows] of members) {
    if (!rows.length) continue;
    const field = density(rows, points, grid);
    fields.set(number, field);
    for (let c = 0; c < field.length; c++) {
      if (field[c] > best[c]) { second[c] = best[c]; best[c] = field[c]; owner[c] = number; } else if (field[c] > second[c]) second[c] = field[c];
    }
  }
  const found = new Map();
  for (const [number, field] of fields) found.set(number, outlined(field, number, { best, second, owner, grid, least: level(field) }));
  return found;
}

/** How many documents lie around each corner of the grid, near ones counting more. */
function density(rows, points, { cell, width, reach, x, y }) {
  const field = new Float32Array(width * width);
  for (const i of rows) {
    const px = points.x[i] / cell - x, py = points.y[i] / cell - y, left = Math.max(0, Math.ceil(px - reach)), top = Math.max(0, Math.ceil(py - reach));
    for (let cy = top; cy <= py + reach && cy < width; cy++) for (let cx = left; cx <= px + reach && cx < width; cx++) {
      const far = ((cx - px) ** 2 + (cy - py) ** 2) / (reach * reach);
      if (far < 1) field[cy * width + cx] += (1 - far) ** 2;
    }
  }
  return field;
}

/** A level that leaves out lone documents: a share of the group's highest density, within bounds. */
const level = (field) => Math.min(Math.max(0.08 * field.reduce((a, b) => Math.max(a, b), 0), 0.35), 1.4);

function outlined(field, number, { best, second, owner, grid: { cell, width, x, y }, least }) {
  const values = new Float32Array(field.length);
  let top = 0, sum = 0, sx = 0, sy = 0;
  for (let c = 0; c < field.length; c++) {
    const over = field[c] - Math.max(least, owner[c] === number ? second[c] : best[c]);
    values[c] = Math.abs(over) < 1e-3 ? -1e-3 : over;  // an outline through a corner would have no direction
    if (field[c] > field[top]) top = c;
    if (over > 0) { sum += field[c]; sx += field[c] * (c % width); sy += field[c] * Math.floor(c / width); }
  }
  const path = new Path2D(), unit = (at, low) => (at + low) * cell;
  path.addPath(joined(values, width), new DOMMatrix([cell, 0, 0, cell, x * cell, y * cell]));
  const middle = sum ? Math.round(sy / sum) * width + Math.round(sx / sum) : top, at = values[middle] > 0 ? [sx / sum, sy / sum] : [top % width, Math.floor(top / width)];
  return { path, x: unit(at[0], x), y: unit(at[1], y) };
}

/** Call `line` for each piece of the outline where `values` cross zero. */
function march(values, width, line) {
  const cut = (a, b) => a / (a - b);
  for (let y = 0; y < width - 1; y++) for (let x = 0; x < width - 1; x++) {
    const c = y * width + x, a = values[c], b = values[c + 1], d = values[c + width], e = values[c + width + 1];
    const kind = (a > 0) | ((b > 0) << 1) | ((e > 0) << 2) | ((d > 0) << 3);
    if (kind === 0 || kind === 15) continue;
    const top = [x + cut(a, b), y], right = [x + 1, y + cut(b, e)], bottom = [x + cut(d, e), y + 1], left = [x, y + cut(a, d)];
    for (const [from, to] of EDGES[kind]) { const sides = { top, right, bottom, left }; line(...sides[from], ...sides[to]); }
  }
}

// For each of the 16 ways in which a cell's corners can lie inside: lines with the inside on their right.
const EDGES = {
  1: [["left", "top"]], 2: [["top", "right"]], 3: [["left", "right"]], 4: [["right", "bottom"]],
  5: [["left", "top"], ["right", "bottom"]], 6: [["top", "bottom"]], 7: [["left", "bottom"]], 8: [["bottom", "left"]],
  9: [["bottom", "top"]], 10: [["top", "right"], ["bottom", "left"]], 11: [["bottom", "right"]], 12: [["right", "left"]],
  13: [["right", "top"]], 14: [["top", "left"]],
};

/** The pieces joined end to end into closed outlines, their corners rounded. */
function joined(values, width) {
  const next = new Map(), key = (x, y) => `${Math.round(x * 1e6)},${Math.round(y * 1e6)}`;
  march(values, width, (x1, y1, x2, y2) => { next.set(key(x1, y1), [x1, y1, x2, y2]); });
  const path = new Path2D();
  while (next.size) {
    const ring = [];
    let [at] = next.keys();
    while (next.has(at)) { const [x1, y1, x2, y2] = next.get(at); next.delete(at); ring.push([x1, y1]); at = key(x2, y2); }
    if (ring.length > 2) round(path, ring);
  }
  return path;
}

function round(path, ring) {
  const middle = ([x1, y1], [x2, y2]) => [(x1 + x2) / 2, (y1 + y2) / 2];
  path.moveTo(...middle(ring.at(-1), ring[0]));
  ring.forEach((point, i) => path.quadraticCurveTo(...point, ...middle(point, ring[(i + 1) % ring.length])));
  path.closePath();
}
