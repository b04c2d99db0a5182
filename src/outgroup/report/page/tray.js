// The corrections so far: each with undo, redo, and the file for the next run.
import { inWords, mergedAway, toToml } from "./decisions.js";
import { counted, once } from "./dom.js";
import { html } from "./html.js";
import { short } from "./pieces.js";

/** Whether there is room for the work list beside the page. */
export const ROOM = innerWidth > 960;

const RECENT = 10;

export function Tray({ ctx }) {
  const { store } = ctx,
    count = store.decisions.length;
  return html`<section class="tray" aria-label="Corrections" hidden=${!count && !store.state.can_redo}>
    <details open=${ROOM}>
      <summary><b>${counted(count, "correction")}</b></summary>
      <${Decisions} ctx=${ctx} most=${RECENT} />
      <p class="corrections"><${UndoRedo} store=${store} /></p>
      ${count > 0 && html`<${NextRun} ctx=${ctx} />`}
    </details>
  </section>`;
}

/** The last decisions, the last first; a click takes one back. `Outcome` draws what came of one, `more` shows all. */
export function Decisions({ ctx, most, more = undefined, late = (_number) => false, Outcome = null }) {
  const { store } = ctx,
    { decisions } = store,
    first = Math.max(0, decisions.length - most);
  const line = (decision, number) => html`<li key=${number} class="decided">
    <span><${InWords} ctx=${ctx} decision=${decision} instead=${since(decisions, number + 1)} /></span>
    <button class="copy" disabled=${late(number)} onclick=${once(() => store.undo(number))}>undo</button>
    ${Outcome && html`<${Outcome} ctx=${ctx} number=${number} />`}
  </li>`;
  return html`<ol reversed aria-live="polite">
    ${decisions
      .slice(first)
      .map((each, i) => line(each, first + i))
      .reverse()}<${Earlier} count=${first} more=${more} />
  </ol>`;
}

/** The number of earlier lines; a click shows them. */
export function Earlier({ count, more }) {
  const text = `and ${counted(count, "earlier one")}`;
  return (
    count > 0 &&
    html`<li class="soft">${more ? html`<button class="copy" onclick=${more}>${text}</button>` : text}</li>`
  );
}

/** The label of a group in an earlier decision: its number may mean another group now. */
export function since(decisions, count) {
  const later = decisions.slice(count);
  return (group) => (mergedAway(group, later) ? "(merged away)" : null);
}

export const UndoRedo = ({ store, off = false }) => html`
  <button onclick=${() => store.undo()} disabled=${off || !store.decisions.length}>Undo <kbd>z</kbd></button>
  <button onclick=${() => store.redo()} disabled=${off || !store.state.can_redo}>Redo <kbd>Z</kbd></button>`;

/** The text next to the off-topic documents: precision, and how to take one back. */
export const JunkNote = ({ ctx }) => html`
  <p>${ctx.store.summary.off_topic?.sure.replaceAll(" %", "\u00a0%")}</p>
  <p>
    To take one back, open it and press <em>Is not junk</em> <kbd>y</kbd> for its nearest group, or the number of another.
  </p>`;

/** A decision in words with names; `instead` gives the label if the number now means another group, else null. */
export function InWords({ ctx: { store }, decision, instead }) {
  const [what, rest] = inWords(decision, {
    number: (group) => store.code(group),
    group: (group) => {
      const label = instead?.(group);
      return label ? `${store.code(group)} ${label}` : short(store.called(group), 48);
    },
    document: (id) => {
      const i = store.rowOf(id);
      return i < 0 ? id : short(store.row(i).title, 48);
    },
  });
  return html`<bdi><b>${what}</b></bdi><bdi>${rest}</bdi>${decision.source === "model" && html`<span class="soft"> (the model)</span>`}`;
}

function NextRun({ ctx: { store, copy } }) {
  const toml = toToml(store.decisions),
    file = `data:application/toml;charset=utf-8,${encodeURIComponent(toml)}`,
    next = store.summary.run.next ?? "outgroup cluster DOCS --from RESULT --steer steering.toml --out NEW";
  return html`<div class="hand-over">
    <p class="corrections">
      <a class="main" href=${file} download="steering.toml">Download steering.toml</a>
      <button onclick=${() => copy(toml, "steering.toml")}>Copy it</button>
    </p>
    <p class="soft">
      The browser saves steering.toml in its folder for downloads. Move it beside the documents, then run
    </p>
    <pre tabindex="0"><code>${next}</code></pre>
    <button class="copy" onclick=${() => copy(next, "The command")}>Copy the command</button>
  </div>`;
}
