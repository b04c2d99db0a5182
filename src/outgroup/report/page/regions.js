// Groups as regions: density contours by marching squares, in map units.

const CELLS = 140,
  EDGE = 11;

/** Return { path: Path2D, x, y } per group, with the place of its name, in map units of `box`. */
export function regions(points, numbers, box) {
  const cell = box.size / CELLS,
    width = CELLS + 2 * EDGE + 1,
    reach = Math.max(3, Math.min(EDGE - 1, Math.round((1.1 * CELLS) / Math.sqrt(points.x.length)) + 1));
  const grid = { cell, width, reach, x: box.x / cell - EDGE, y: box.y / cell - EDGE };
  const members = new Map(numbers.map((number) => [number, []]));
  points.group.forEach((group, i) => {
    members.get(group)?.push(i);
  });
  const fields = new Map();
  const best = new Float32Array(width * width),
    second = new Float32Array(width * width),
    owner = new Int16Array(width * width).fill(-2);
  for (const [number, rows] of members) {
    if (!rows.length) continue;
    const field = density(rows, points, grid),
      { values, from, to } = field;
    fields.set(number, field);
    for (let c = from; c < to; c++)
      if (values[c] > best[c]) {
        second[c] = best[c];
        best[c] = values[c];
        owner[c] = number;
      } else if (values[c] > second[c]) second[c] = values[c];
  }
  const found = new Map();
  for (const [number, field] of fields) found.set(number, outlined(field, number, { best, second, owner, grid }));
  return found;
}

/** Return the density of documents at each grid corner, and the first and the last corner of the lines around them. */
function density(rows, points, { cell, width, reach, x, y }) {
  const values = new Float32Array(width * width),
    wide = reach * reach;
  let [top, bottom] = [width, 0];
  for (const i of rows) {
    const px = points.x[i] / cell - x,
      py = points.y[i] / cell - y;
    top = Math.min(top, py);
    bottom = Math.max(bottom, py);
    for (let cy = Math.ceil(py - reach); cy <= py + reach; cy++)
      for (let cx = Math.ceil(px - reach), dy = cy - py; cx <= px + reach; cx++) {
        const dx = cx - px,
          near = 1 - (dx * dx + dy * dy) / wide;
        if (near > 0) values[cy * width + cx] += near * near;
      }
  }
  return { values, from: Math.floor(top - reach) * width, to: Math.ceil(bottom + reach + 1) * width };
}

function outlined({ values, from, to }, number, { best, second, owner, grid: { cell, width, x, y } }) {
  const over = new Float32Array(to);
  let peak = 0,
    sum = 0,
    sx = 0,
    sy = 0;
  for (let c = from; c < to; c++) if (values[c] > values[peak]) peak = c;
  const least = Math.min(Math.max(0.08 * values[peak], 0.35), 1.4); // a level that leaves out lone documents
  for (let c = from; c < to; c++) {
    const above = values[c] - Math.max(least, owner[c] === number ? second[c] : best[c]);
    over[c] = Math.abs(above) < 1e-3 ? -1e-3 : above; // an outline through a corner would have no direction
    if (above > 0) {
      sum += values[c];
      sx += values[c] * (c % width);
      sy += values[c] * Math.floor(c / width);
    }
  }
  const path = new Path2D();
  path.addPath(joined(over, width, from), new DOMMatrix([cell, 0, 0, cell, x * cell, y * cell]));
  const middle = sum ? Math.round(sy / sum) * width + Math.round(sx / sum) : peak,
    at = over[middle] > 0 ? [sx / sum, sy / sum] : [peak % width, Math.floor(peak / width)];
  return { path, x: (at[0] + x) * cell, y: (at[1] + y) * cell };
}

/** Return the outlines as links between cell sides; side = 2 * first corner, + 1 if vertical. Around a cell clockwise, a line
 *  leads from a side behind which the inside begins to the next one behind which it ends: the inside is on its right. */
function march(values, columns, start) {
  const next = new Map(),
    last = values.length - columns,
    within = (corner) => values[corner] > 0;
  for (let c = start; c < last; c++) {
    if (c % columns === columns - 1) continue;
    const some = within(c);
    if (some === within(c + 1) && some === within(c + columns) && some === within(c + columns + 1)) continue;
    const inside = [c, c + 1, c + columns + 1, c + columns].map(within);
    const sides = [2 * c, 2 * (c + 1) + 1, 2 * (c + columns), 2 * c + 1];
    for (let from = 0; from < 4; from++) {
      if (inside[from] || !inside[(from + 1) % 4]) continue;
      let to = from + 1;
      while (inside[(to + 1) % 4]) to++;
      next.set(sides[from], sides[to % 4]);
    }
  }
  return next;
}

/** Join the links into closed outlines with rounded corners. */
function joined(values, columns, from) {
  const next = march(values, columns, from),
    path = new Path2D();
  const place = (side) => {
    const c = side >> 1,
      down = side & 1,
      cut = values[c] / (values[c] - values[c + (down ? columns : 1)]);
    return [(c % columns) + (down ? 0 : cut), Math.floor(c / columns) + (down ? cut : 0)];
  };
  for (const [start] of next) {
    const ring = [];
    for (let at = start; next.has(at); ) {
      ring.push(place(at));
      const then = next.get(at);
      next.delete(at);
      at = then;
    }
    if (ring.length > 2) round(path, ring);
  }
  return path;
}

function round(path, ring) {
  const middle = ([x1, y1], [x2, y2]) => [(x1 + x2) / 2, (y1 + y2) / 2];
  path.moveTo(...middle(ring.at(-1), ring[0]));
  ring.forEach((point, i) => {
    path.quadraticCurveTo(...point, ...middle(point, ring[(i + 1) % ring.length]));
  });
  path.closePath();
}
