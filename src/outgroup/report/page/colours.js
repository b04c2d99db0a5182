// Colours of the dots: group, margin, trust of the group, or a column (a scale if its values are dates or numbers).
import { keyOf } from "./filters.js";
import { html } from "./html.js";
import { rgb } from "./paint.js";
import { TRUST } from "./store.js";

const RAMP = [
  ["#c4452f", "#f0795f"],
  ["#d9902f", "#e5ac55"],
  ["#7d9d54", "#a5c06f"],
  ["#1f7a6d", "#58c2ae"],
];
const SCALE = [
  ["#5b3f95", "#a98ff0"],
  ["#3f63b5", "#7fa4f5"],
  ["#2a8a9d", "#57bfd0"],
  ["#4ba06a", "#7fd39a"],
  ["#a8a832", "#dcd860"],
  ["#e0842b", "#f6b061"],
];
const TONES = [RAMP[3], RAMP[1], ["#8a5bb5", "#b58be0"], RAMP[0]]; // tight, loose, mixed, leftovers
const UNKNOWN = ["#9a9fa6", "#70757d"],
  KINDS = 20; // the page has so many colours at least

/** Kinds for the map, the most frequent one of each group (`lead`), and a legend of [colour, words]; null for the
 *  colours of the groups. */
export async function colouring(store, by) {
  if (by === "group") return null;
  const found = await kinds(store, by);
  return { ...found, lead: leading(found.kind, store.columns.group) };
}

function leading(kind, group) {
  const counts = new Map();
  group.forEach((number, i) => {
    if (!counts.has(number)) counts.set(number, new Map());
    const own = counts.get(number);
    own.set(kind[i], (own.get(kind[i]) ?? 0) + 1);
  });
  return new Map([...counts].map(([number, own]) => [number, [...own].sort((a, b) => b[1] - a[1])[0][0]]));
}

async function kinds(store, by) {
  if (by === "neighbourhood") return neighbourhood(store);
  if (by === "sureness") return sureness(store);
  const { values, codes } = await store.field(by),
    key = keyOf(values);
  if (by === TRUST)
    return {
      kind: Uint16Array.from(codes, (code) => (code ? code - 1 : TONES.length)),
      colours: [...TONES, UNKNOWN],
      legend: TONES.map((tone, i) => [tone, values[i + 1]]),
    };
  return key ? scale(values, codes, key) : labels(store, values, codes);
}

const hue = ([light]) => {
  const [red, green, blue] = rgb(light);
  return Math.atan2(Math.sqrt(3) * (green - blue), 2 * red - green - blue);
};

/** The colours of the groups, assigned so that groups in the same direction on the map have related hues. */
function neighbourhood(store) {
  const { x, y, group } = store.points(),
    numbers = store.groups.map(({ number }) => number);
  const sums = new Map(numbers.map((number) => [number, { x: 0, y: 0 }]));
  group.forEach((number, i) => {
    const sum = sums.get(number);
    if (sum) Object.assign(sum, { x: sum.x + x[i], y: sum.y + y[i] });
  });
  const direction = new Map([...sums].map(([number, sum]) => [number, Math.atan2(sum.y, sum.x)])),
    inOrder = numbers.sort((a, b) => (direction.get(a) ?? 0) - (direction.get(b) ?? 0)),
    hues = store.about.colours.slice(0, inOrder.length).sort((a, b) => hue(a) - hue(b)),
    rank = new Map(inOrder.map((number, i) => [number, i]));
  return {
    kind: Uint16Array.from(group, (number) => rank.get(number) ?? hues.length),
    colours: [...hues, UNKNOWN],
    legend: [],
  };
}

function sureness(store) {
  const { margin, group } = store.columns,
    inside = margin.filter((_, i) => group[i] >= 0).sort(),
    quarters = [0.25, 0.5, 0.75].map((share) => inside[Math.floor(share * inside.length)]),
    quarter = (value) => quarters.filter((edge) => value >= edge).length;
  return {
    kind: Uint16Array.from(margin, (value, i) => (group[i] < 0 ? RAMP.length : quarter(value))),
    colours: [...RAMP, UNKNOWN],
    legend: RAMP.map((colour, i) => [colour, ["least sure quarter", "", "", "surest quarter"][i]]),
  };
}

function scale(values, codes, key) {
  const known = values.filter(Boolean).sort((a, b) => (key(a) < key(b) ? -1 : 1)),
    place = new Map(known.map((value, i) => [value, Math.floor((i / known.length) * SCALE.length)])),
    ends = new Map([[SCALE[0], known[0]]]).set(SCALE[SCALE.length - 1], known[known.length - 1]);
  return {
    kind: Uint16Array.from(codes, (code) => place.get(values[code]) ?? SCALE.length),
    colours: [...SCALE, UNKNOWN],
    legend: SCALE.map((colour) => [colour, ends.get(colour) ?? ""]),
  };
}

function labels(store, values, codes) {
  const counts = new Uint32Array(values.length);
  for (const code of codes) counts[code]++;
  const palette = store.about.colours.slice(0, KINDS),
    known = [...counts.keys()].filter((code) => counts[code]),
    frequent = known
      .filter((code) => values[code])
      .sort((a, b) => counts[b] - counts[a])
      .slice(0, KINDS),
    place = new Map(frequent.map((code, i) => [code, i])),
    others = known.length > frequent.length ? [[UNKNOWN, "others"]] : [];
  return {
    kind: Uint16Array.from(codes, (code) => place.get(code) ?? palette.length),
    colours: [...palette, UNKNOWN],
    legend: [...frequent.map((code, i) => [palette[i], values[code]]), ...others],
  };
}

export function Legend({ of }) {
  const line = ([[light, dark], label]) => {
    const spot = html`<span class="spot" style=${{ "--c": `light-dark(${light}, ${dark})` }} />`;
    return html`<li>${spot}${label && html`<bdi>${label}</bdi>`}</li>`;
  };
  return html`<ul class="legend">${of?.legend.map(line)}</ul>`;
}
