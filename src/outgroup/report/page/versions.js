// The versions of the workbench: names, times, origins, and their quality.
import { ask as askFor } from "./dialog.js";
import { counted, figure } from "./dom.js";
import { html } from "./html.js";
import { Decider } from "./pieces.js";
import { go } from "./route.js";

/** The numbers of the versions that lead to a version. */
export function wayTo(versions, number) {
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

/** A version in the work list. */
export function Version({ ctx, each, children }) {
  const { number, name, made, notes, moved, decisions, seconds, quality } = each,
    origin = cameFrom(each),
    first = decisions ? "as it was opened" : "first groups";
  const figures = [
    moved === null ? first : `${counted(moved, "document")} moved`,
    counted(decisions, "decision"),
    `${figure(seconds, 1)} s`,
    quality?.nmi !== undefined && `NMI ${figure(quality.nmi, 3)}`,
  ];
  return html`<p>
      <b>Version ${number} </b>${name && html`<bdi class="called">${name}</bdi> `}${origin && html`<span class="soft">(${origin}) </span>`}
      ${made && html`<time class="soft" datetime=${made}>${when(made)}</time>`}
    </p>
    <${Knobs} ctx=${ctx} each=${each} />
    ${children}
    <p class="soft">${figures.filter(Boolean).join(", ")}</p>
    ${notes.length > 0 && html`<p class="soft" dir="auto">${notes.join("; ")}</p>`}`;
}

function Knobs({ ctx, each }) {
  const { number, name } = each,
    { version } = ctx.store.state,
    here = number === version,
    [before, after] = here ? [number - 1, number] : [number, version];
  const decider = (label, run, to = "") =>
    html`<${Decider} ctx=${ctx} run=${run} class="copy" aria-label="${label}${to} version ${number}">${label}<//>`;
  const compare = () => {
    ctx.fold();
    go({ view: "versions", before, after, doc: null });
  };
  return html`<p class="knobs">
    ${here ? html`<b>here</b>` : decider("go back", () => ctx.store.go(number), " to")}
    ${before > 0 && html`<button class="copy" aria-label="compare version ${number}" onclick=${compare}>compare</button>`}
    ${decider(name ? "rename" : "name", () => rename(ctx, each))}
  </p>`;
}

/** Ask for the name of a version; an empty one removes it. */
async function rename({ store, actions }, { number, name }) {
  const given = await askFor(`Version ${number} is called`, {
    value: name,
    wrong: (text) => (text.trim() ? actions.unfit(text) : ""),
  });
  if (given === null || given === name) return;
  if (!(await store.send("name", { version: number, name: given })))
    store.tell(given ? `Version ${number} is named.` : `The name of version ${number} was removed.`);
}

/** Quality over the versions, if labels are known. */
export function Curve({ versions }) {
  const points = versions
    .filter(({ quality }) => quality?.nmi !== undefined)
    .map(({ number, quality }) => [number, quality.nmi]);
  if (points.length < 2) return null;
  const [first, start] = points[0],
    [last, end] = points[points.length - 1],
    all = points.map(([, y]) => y),
    low = Math.min(...all),
    high = Math.max(...all),
    across = (x) => (4 + (292 * (x - first)) / (last - first)).toFixed(1),
    down = (y) => (56 - (50 * (y - low)) / Math.max(0.01, high - low)).toFixed(1),
    line = points.map(([x, y]) => `${across(x)},${down(y)}`).join(" ");
  return html`<figure class="curve">
    <svg viewBox="0 0 300 60" role="img" aria-label="NMI over versions, from ${figure(start, 3)} to ${figure(end, 3)}">
      <polyline points=${line} />
    </svg>
    <figcaption>NMI with the labels, ${figure(low, 3)} to ${figure(high, 3)}, from version ${first} to ${last}</figcaption>
  </figure>`;
}
