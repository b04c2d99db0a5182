// The work list of the workbench: decisions with outcomes, the chat model, versions; and export.
import { Card } from "./card.js";
import { ask } from "./dialog.js";
import { counted, figure, once } from "./dom.js";
import { html } from "./html.js";
import { Outcome, Outcomes } from "./outcomes.js";
import { Decider } from "./pieces.js";
import { Questions } from "./questions.js";
import { Second } from "./second.js";
import { Decisions, Earlier, InWords, ROOM, since, UndoRedo } from "./tray.js";
import { Component } from "./vendor/preact.mjs";

/** The origin of a version, if it is not the one above. */
const cameFrom = ({ number, origin, again }) =>
  again ? `version ${origin} again` : origin && origin !== number - 1 ? `from version ${origin}` : null;

const when = (made) => new Date(made).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** Ask for the name of a version; an empty one removes it. */
async function rename({ store, actions }, { number, name }) {
  const given = await ask(`Version ${number} is called`, {
    value: name,
    wrong: (text) => (text.trim() ? actions.unfit(text) : ""),
  });
  if (given === null || given === name) return;
  if (!(await store.send("name", { version: number, name: given })))
    store.tell(given ? `Version ${number} is named.` : `The name of version ${number} was removed.`);
}

const SHOWN = 10,
  FILE = "steering.toml",
  EXPORT = "Write these groups as a result folder";

/** The panel over a store that refits after each decision. `most` lines of a tab are shown. */
class Desk extends Component {
  constructor(props) {
    super(props);
    this.state = { tab: "Decisions", most: SHOWN };
  }

  componentDidUpdate() {
    const { store } = this.props.ctx,
      { decisions, state } = store,
      { tab, most } = this.state,
      last = state.versions.map((version) => version.last),
      listed = { Decisions: decisions, Versions: last }[tab] ?? [],
      ids = listed.slice(-most).flatMap((decision) => decision?.documents?.slice(0, 2) ?? []);
    store.meet(ids)?.then(() => this.forceUpdate());
  }

  render({ ctx }, { tab, most }) {
    const { state, decisions } = ctx.store,
      answering = state.model || decisions.some(({ source }) => source === "model"),
      shown = Object.keys(TABS).filter((name) => name !== "Model" || answering),
      at = shown.includes(tab) ? tab : "Decisions",
      View = TABS[at],
      more = () => this.setState({ most: Infinity }),
      button = (name) =>
        html`<button aria-pressed=${name === at} onclick=${() => this.setState({ tab: name, most: SHOWN })}>${name}</button>`;
    return html`<section class="tray desk" aria-label="Work list">
      <details open=${ROOM}>
        <summary><b>Work list </b><span class="soft">${status(ctx.store)}</span></summary>
        <div class="desk-tabs">${shown.map(button)}</div>
        <div class="desk-part"><${View} key=${at} ctx=${ctx} most=${most} more=${more} /></div>
      </details>
      <button class="copy onward" onclick=${once(() => ctx.questions.first())}>Next question</button>
    </section>`; // the button is for screens without its key
  }
}

function status(store) {
  const { state, pending, decisions } = store,
    left = state.progress?.left,
    time = left > 0.5 ? `, ${figure(left, left < 10 ? 1 : 0)} s left` : "";
  if (store.away) return "The workbench does not answer.";
  if (state.error && !state.busy) return "The last fit failed.";
  if (store.rough) return `Preview; the full fit follows${time} \u2026`;
  if (state.busy || pending.length) return `The groups follow${time} \u2026`;
  return `version ${state.version}, ${counted(decisions.length, "decision")}`;
}

function Knobs({ ctx: { store, outcomes } }) {
  const { away, off } = store;
  return html`<p class="corrections knobs">
    <${UndoRedo} store=${store} off=${away} />
    <button class="main" disabled=${Boolean(off)} title=${off || EXPORT} onclick=${once(() => outcomes.export())}>Export</button>
    <a class="copy" href="/api/${FILE}" download=${FILE} title="Your decisions as a file">${FILE}</a>
  </p>`;
}

const seen = (share) =>
  `You have seen an estimated ${share < 0.01 ? "less than 1" : figure(100 * share)} % of the junk.`;

/** The text next to the off-topic documents: keys, guarantee of the threshold, share of junk seen. */
function JunkNote({ ctx: { store, questions } }) {
  const documents = [...store.effects.documents.values()],
    junk = documents.filter(({ groups }) => groups?.length === 0).length,
    later = "After five of each kind, this shows the estimated share of junk seen.";
  return html`<p class="by-key">
      Read on with <kbd>j</kbd>; <kbd>x</kbd> marks a document as junk, <kbd>y</kbd> moves it to its nearest group.
    </p>
    <p class="soft">
      ${counted(junk, "document")} marked as junk, ${figure(documents.length - junk)} moved to groups.${" "}
      ${questions.junk === null ? later : seen(questions.junk)} ${questions.promise}
    </p>`;
}

function Log({ ctx, most, more }) {
  const { store } = ctx,
    late = (number) => store.away || number >= store.state.decisions.length;
  if (store.decisions.length)
    return html`<${Decisions} ctx=${ctx} most=${most} more=${more} late=${late} Outcome=${Outcome} />`;
  return html`<p class="soft">
    No decisions yet.<span class="by-key"> Open a document and press the number of its group, or x for junk; ? shows all keys.</span>
  </p>`;
}

/** The history: every version with name, figures, last decision and origin; one goes back to any of them. */
function Versions({ ctx, most, more }) {
  const { store } = ctx,
    { versions, version } = store.state,
    first = Math.max(0, versions.length - most);
  const line = (each) => {
    const { number, name, made, last, notes, moved, decisions, seconds, nmi } = each,
      origin = cameFrom(each),
      decider = (label, run, to = "") =>
        html`<${Decider} ctx=${ctx} run=${run} class="copy" aria-label="${label}${to} version ${number}">${label}<//>`,
      lasting = JSON.stringify(store.decisions[decisions - 1]) === JSON.stringify(last), // else numbers may differ
      instead = lasting ? since(store.decisions, decisions) : () => "(of that time)",
      figures = [
        moved === null ? (decisions ? "as it was opened" : "first groups") : `${counted(moved, "document")} moved`,
        counted(decisions, "decision"),
        `${figure(seconds, 1)} s`,
        nmi !== null && `NMI ${figure(nmi, 3)}`,
      ];
    return html`<li key=${number}>
      <p>
        <b>Version ${number} </b>${name && html`<bdi class="called">${name}</bdi> `}${origin && html`<span class="soft">(${origin}) </span>`}
        ${made && html`<time class="soft" datetime=${made}>${when(made)}</time>`}
      </p>
      <p class="answers">
        ${number === version ? html`<b>here</b>` : decider("go back", () => store.go(number), " to")}
        ${decider(name ? "rename" : "name", () => rename(ctx, each))}
      </p>
      ${last && html`<p>up to: <${InWords} ctx=${ctx} decision=${last} instead=${instead} /></p>`}
      <p class="soft">${figures.filter(Boolean).join(", ")}</p>
      ${notes.length > 0 && html`<p class="soft" dir="auto">${notes.join("; ")}</p>`}
    </li>`;
  };
  return html`<ol reversed class="versions">${versions.slice(first).map(line).reverse()}<${Earlier} count=${first} more=${more} /></ol>`;
}

const TABS = { Decisions: Log, Model: Second, Versions };

/** The parts of the page that only the workbench has. */
export const LIVE = { Questions, Outcomes, Tray: Desk, Card, Knobs, JunkNote };
