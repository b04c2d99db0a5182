// The versions of the workbench: names, times, origins, and their quality.
import { ask as askFor } from "./dialog.js";
import { counted, figure } from "./dom.js";
import { html } from "./html.js";
import { Decider } from "./pieces.js";

/** The numbers of the versions that lead to a version. */
export function wayTo(versions, number) {
  const found = new Set();
  for (let at = number; at && !found.has(at); at = versions[at - 1]?.origin) found.add(at);
  return found;
}

/** The origin of a version, if it is not the one above. */
const cameFrom = ({ number, origin, again }) =>
  again ? `version ${origin} again` : origin && origin !== number - 1 ? `from version ${origin}` : null;

/** A time; with its day unless it is today. */
function when(made) {
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
    here = number === version;
  const decider = (label, run, to = "") =>
    html`<${Decider} ctx=${ctx} run=${run} class="copy" aria-label="${label}${to} version ${number}">${label}<//>`;
  return html`<p class="knobs">
    ${here ? html`<b>here</b>` : decider("go back", () => ctx.store.go(number), " to")}
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
