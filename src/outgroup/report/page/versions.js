// The history: every version with name, figures, last decision and origin.
import { mergedAway } from "./decisions.js";
import { ask as askFor } from "./dialog.js";
import { button, counted, el, figure } from "./dom.js";
import { decider } from "./pieces.js";
import { go } from "./route.js";

/** The numbers of the versions that lead to a version. */
export function leading(versions, number) {
  const found = new Set();
  for (let at = number; at && !found.has(at); at = versions[at - 1]?.origin) found.add(at);
  return found;
}

/** The name of a version, after its number. */
export const called = ({ number, name }) => `Version ${number}${name ? `: ${name}` : ""}`;

/** The origin of a version, if it is not the one above. */
export const cameFrom = ({ number, origin, again }) =>
  again ? `version ${origin} again` : origin && origin !== number - 1 ? `from version ${origin}` : null;

/** A time; with its day unless it is today. */
export function when(made) {
  const at = new Date(made),
    today = at.toDateString() === new Date().toDateString();
  return at.toLocaleString("en-GB", {
    ...(today ? {} : { day: "numeric", month: "short", year: "numeric" }),
    hour: "2-digit",
    minute: "2-digit",
  });
}

/** The lines of the versions shown, the last first. */
export function lines(desk, shown, { versions, version }) {
  const way = leading(versions, version),
    aside = versions.some(({ number }) => !way.has(number));
  const said =
    aside &&
    el(
      "p",
      { class: "soft" },
      "A bar marks the versions that lead to the current one. The others are on another branch: go back to any of " +
        "them; nothing is lost.",
    );
  return [
    said,
    shown
      .map((each) =>
        el("li", { class: aside && (way.has(each.number) ? "way" : "aside") }, ...line(desk, each, version)),
      )
      .reverse(),
  ];
}

function line(desk, each, here) {
  const { number, name, made, last, notes, moved, decisions, seconds, quality } = each;
  const happened =
    moved === null ? (decisions ? "as it was opened" : "first groups") : `${counted(moved, "document")} moved`;
  const figures = [
    happened,
    counted(decisions, "decision"),
    `${figure(seconds, 1)} s`,
    quality?.nmi !== undefined && `NMI ${figure(quality.nmi, 3)}`,
  ];
  const instead = desk.lasting(each) ? desk.since(decisions) : () => "(of that time)";
  return [
    el(
      "p",
      {},
      el("b", {}, `Version ${number} `),
      name && el("bdi", { class: "called" }, name),
      name && " ",
      cameFrom(each) && el("span", { class: "soft" }, `(${cameFrom(each)}) `),
      made && el("time", { class: "soft", datetime: made }, when(made)),
    ),
    el("p", { class: "knobs" }, ...knobs(desk, each, here)),
    last && el("p", {}, "up to: ", ...desk.words(last, instead)),
    el("p", { class: "soft" }, figures.filter(Boolean).join(", ")),
    notes.length > 0 && el("p", { class: "soft", dir: "auto" }, notes.join("; ")),
  ];
}

function knobs({ ctx, fold }, each, here) {
  const { number, name } = each,
    of = `version ${number}`,
    [before, after] = number === here ? [number - 1, number] : [number, here];
  const compare = () => {
    fold();
    go({ view: "versions", before, after, doc: null });
  };
  return [
    number === here
      ? el("b", {}, "here")
      : decider(ctx, "go back", () => ctx.store.go(number), { class: "copy", "aria-label": `go back to ${of}` }),
    before > 0 && button("compare", compare, { class: "copy", "aria-label": `compare ${of}` }),
    decider(ctx, name ? "rename" : "name", () => rename(ctx, each), {
      class: "copy",
      "aria-label": `${name ? "rename" : "name"} ${of}`,
    }),
  ];
}

/** Ask for the name of a version; an empty one removes it. */
async function rename({ store, actions }, { number, name }) {
  const given = await askFor(`Version ${number} is called`, {
    value: name,
    wrong: (said) => (said.trim() ? actions.unfit(said) : ""),
  });
  if (given === null || given === name) return;
  if (!(await store.send("name", { version: number, name: given })))
    store.tell(given ? `Version ${number} is named.` : `The name of version ${number} was removed.`);
}

/** The label of a group in an earlier decision: its number may mean another group now. */
export function since(decisions, count) {
  const later = decisions.slice(count);
  return (group) => (mergedAway(group, later) ? "(merged away)" : null);
}

/** Quality over the versions, if labels are known. */
export function curve(versions) {
  const points = versions
    .filter(({ quality }) => quality?.nmi !== undefined)
    .map(({ number, quality }) => [number, quality.nmi]);
  if (points.length < 2) return null;
  const [first] = points[0],
    [last] = points.at(-1),
    low = Math.min(...points.map(([, y]) => y)),
    high = Math.max(...points.map(([, y]) => y)),
    span = Math.max(0.01, high - low);
  const at = points
    .map(
      ([x, y]) =>
        `${(4 + (292 * (x - first)) / (last - first)).toFixed(1)},${(56 - (50 * (y - low)) / span).toFixed(1)}`,
    )
    .join(" ");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"),
    line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
  svg.setAttribute("viewBox", "0 0 300 60");
  svg.setAttribute("role", "img");
  svg.setAttribute(
    "aria-label",
    `NMI over versions, from ${figure(points[0][1], 3)} to ${figure(points.at(-1)[1], 3)}`,
  );
  line.setAttribute("points", at);
  svg.append(line);
  return el(
    "figure",
    { class: "curve" },
    svg,
    el(
      "figcaption",
      {},
      `NMI with the labels, ${figure(low, 3)} to ${figure(high, 3)}, from version ${first} to ${last}`,
    ),
  );
}
