// Names on the map: every one gets a place in its shortest form, as near to its group as there is room, outside of the
// dots where possible; then each grows to the longest form that fits there. A line leads from a name to its group where
// it lies beside it.

const NARROW = 480,
  BESIDE_DOTS = 140, // pixels: a longer line would cross other groups
  FARTHEST = 80; // on a small screen longer lines would only cross: there names come as one zooms in
const RINGS = [0, 13, 22, 32, 44, 58, 74, 92, 114, 140, 170, 205, 250, 300, 360, 430],
  TURNS = [0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6],
  BESIDE = [0, -1, 1];

/** Place labels [{ number, texts, x, y, must }], texts from long to short, in a width by height box, in order. Return
 *  [{ number, text, x, y, box, line, from }] with the middle x, y, outside of the boxes `taken`;
 *  `covers(box)` tells whether a box lies over dots, `strays(box, label)` whether over other groups. */
export function place(labels, { width, height, line: high, measure, covers, strays, taken }) {
  const room = new Room(width, height, high, covers, strays),
    found = [];
  for (const box of taken) room.take(box);
  for (const label of labels) {
    const half = measure(label.texts.at(-1)) / 2 + 4,
      box =
        nearest(room, label, half, true) ??
        nearest(room, label, half, false) ??
        nearest(room, label, half, false, room.farthest === Infinity) ??
        (label.must ? room.inside(label.x, label.y, half) : null);
    if (!box) continue;
    room.take(box, label);
    found.push({ label, box });
  }
  return found.map((each) => grown(room, each, measure));
}

/** The free box nearest to the place of a label, `clear` of dots if asked for, or null. Its line crosses no name, and no
 *  line crosses it, unless `crossed`. */
function nearest(room, label, half, clear, crossed = false) {
  const { x, y } = label;
  for (const far of RINGS) {
    if (far > (clear ? Math.min(BESIDE_DOTS, room.farthest) : room.farthest)) break;
    for (const turn of far ? TURNS : [0]) {
      const angle = -Math.PI / 2 + (turn * Math.PI) / 6,
        aside = Math.cos(angle);
      const box = room.box(x + aside * (far + (far ? half : 0)), y + Math.sin(angle) * far, half);
      if (room.free(box, clear, label) && (crossed || room.apart(box, x, y))) return box;
    }
  }
  return null;
}

/** The longest form of a name that fits: at the place of its shortest, around the same middle or, beside the dots, to
 *  one side, else at another place. */
function grown(room, { label, box }, measure) {
  const { number, texts, x, y } = label,
    middle = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2],
    short = (box[2] - box[0]) / 2,
    clear = !room.covers(box);
  room.taken.delete(box);
  for (const text of texts.slice(0, -1)) {
    const half = measure(text) / 2 + 4,
      here = (clear ? BESIDE : [0]).map((side) => room.box(middle[0] + side * (half - short), middle[1], half)),
      wide =
        here.find((each) => room.free(each, clear, label) && room.apart(each, x, y)) ??
        nearest(room, label, half, clear);
    if (wide) return room.take(wide, label) && named(number, text, wide, x, y);
  }
  return room.take(box, label) && named(number, texts.at(-1), box, x, y);
}

const named = (number, text, box, x, y) => ({
  number,
  text,
  box,
  x: (box[0] + box[2]) / 2,
  y: (box[1] + box[3]) / 2,
  from: [x, y],
  line: outside(box, x, y),
});

const outside = ([left, top, right, bottom], x, y) => x < left || x > right || y < top || y > bottom;

/** The line from a place to the nearest point of a box. */
export const leader = /** @returns {[number, number, number, number]} */ ([left, top, right, bottom], x, y) => [
  x,
  y,
  Math.max(left, Math.min(right, x)),
  Math.max(top, Math.min(bottom, y)),
];

/** Whether a line passes through a box (Liang and Barsky). */
function crosses([x1, y1, x2, y2], [left, top, right, bottom]) {
  let [from, to] = [0, 1];
  for (const [way, room] of [
    [x1 - x2, x1 - left],
    [x2 - x1, right - x1],
    [y1 - y2, y1 - top],
    [y2 - y1, bottom - y1],
  ]) {
    if (way === 0 && room < 0) return false;
    if (way < 0) from = Math.max(from, room / way);
    if (way > 0) to = Math.min(to, room / way);
  }
  return from < to;
}

class Room {
  constructor(width, height, high, covers, strays) {
    this.covers = covers;
    this.strays = strays;
    this.width = width;
    this.height = height;
    this.high = high;
    this.taken = new Map(); // boxes [left, top, right, bottom] of names with their lines, null without one
  }

  get farthest() {
    return this.width < NARROW ? FARTHEST : Infinity;
  }

  box(x, y, half) {
    return [x - half, y - this.high / 2, x + half, y + this.high / 2];
  }

  inside(x, y, half) {
    return this.box(
      Math.max(half, Math.min(this.width - half, x)),
      Math.max(this.high, Math.min(this.height - this.high, y)),
      half,
    );
  }

  /** Whether a box is free for a name; over other groups only where a line leads to its own. */
  free(box, clear, label) {
    const [left, top, right, bottom] = box;
    if (left < 2 || top < 2 || right > this.width - 2 || bottom > this.height - 2) return false;
    if (clear && this.covers(box)) return false;
    if (!clear && !outside(box, label.x, label.y) && this.strays(box, label)) return false;
    return [...this.taken.keys()].every(([l, t, r, b]) => left >= r || right <= l || top >= b || bottom <= t);
  }

  /** Whether the line of a name would cross no other name, and no other line this one.
   *  @returns {boolean} */
  apart(box, x, y) {
    const line = outside(box, x, y) && leader(box, x, y);
    return [...this.taken].every(
      ([other, their]) => !(line && crosses(line, other)) && !(their && crosses(their, box)),
    );
  }

  /** Take a box for a name; without its label, for what lies over the map.
   *  @param {{ x: number, y: number } | null} place */
  take(box, place = null) {
    this.taken.set(box, place && outside(box, place.x, place.y) ? leader(box, place.x, place.y) : null);
    return true;
  }
}

/** Forms of the group names, from long to short: all words, two, and one word unique among larger groups. */
export function forms(groups) {
  const used = new Set(),
    found = new Map();
  for (const { number, name, before } of groups) {
    const words = name.split(", "),
      own = words.find((word) => !used.has(word)) ?? words[0];
    used.add(own);
    const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);
    const two = words[0] === own ? words.slice(0, 2).join(", ") : `${words[0]}, ${own}`;
    found.set(number, [
      ...new Set([cut(name, 34), cut(two, 34), cut(own, 20), cut(own, 12)].map((text) => before + text)),
    ]);
  }
  return found;
}
