// The corrections so far: the last ten, undo and redo, and the file for the next run.
import { inWords, toToml } from "./decisions.js";
import { counted } from "./dom.js";
import { html } from "./html.js";
import { short } from "./pieces.js";

const RECENT = 10;

/** Whether there is room for the work list beside the page. */
export const ROOM = innerWidth > 960;

/** The corrections of a report, to download as a file. */
export function Tray({ ctx }) {
  const { store } = ctx,
    { decisions } = store,
    first = Math.max(0, decisions.length - RECENT);
  return html`<section class="tray" aria-label="Corrections" hidden=${!decisions.length && !store.canRedo}>
    <details open=${ROOM}>
      <summary><b>${counted(decisions.length, "correction")}</b></summary>
      <ol reversed aria-live="polite">
        ${decisions
          .slice(first)
          .map((each, i) => html`<li key=${first + i}><${InWords} ctx=${ctx} decision=${each} /></li>`)
          .reverse()}
        ${first > 0 && html`<li class="soft">and ${counted(first, "earlier one")}</li>`}
      </ol>
      <p class="corrections"><${UndoRedo} store=${store} /></p>
      ${decisions.length > 0 && html`<${NextRun} ctx=${ctx} />`}
    </details>
  </section>`;
}

export const UndoRedo = ({ store, off = false }) => html`
  <button onclick=${() => store.undo()} disabled=${off || !store.decisions.length}>Undo <kbd>z</kbd></button>
  <button onclick=${() => store.redo()} disabled=${off || !store.canRedo}>Redo <kbd>Z</kbd></button>`;

/** The text next to the off-topic documents: precision, and how to take one back. */
export const JunkNote = ({ ctx }) => html`
  <p>${ctx.store.summary.off_topic?.sure.replaceAll(" %", "\u00a0%")}</p>
  <p>
    To take one back, open it and press <em>Is not junk</em> <kbd>y</kbd> for its nearest group, or the number of another.
  </p>`;

/** A decision in words with names; `instead` gives the label if the number now means another group, else null. */
export function InWords({ ctx: { store }, decision, instead = (_group) => null }) {
  const [what, rest] = inWords(decision, {
    number: (group) => store.code(group),
    group: (group) => (instead(group) ? `${store.code(group)} ${instead(group)}` : short(store.called(group), 48)),
    document: (id) => {
      const i = store.rowOf(id);
      return i < 0 ? id : short(store.row(i).title, 48);
    },
  });
  return html`<bdi><b>${what}</b></bdi><bdi>${rest}</bdi>${decision.source === "model" && html`<span class="soft"> (the model)</span>`}`;
}

/** The file of the corrections, and the command that uses it. */
function NextRun({ ctx: { store, copy } }) {
  const toml = () => toToml(store.decisions),
    next = store.summary.run.next ?? "outgroup cluster DOCS --from RESULT --steer steering.toml --out NEW";
  return html`<div class="hand-over">
    <p class="corrections">
      <button class="main" onclick=${() => download(toml())}>Download steering.toml</button>
      <button onclick=${() => copy(toml(), "steering.toml")}>Copy it</button>
    </p>
    <p class="soft">
      The browser saves steering.toml in its folder for downloads. Move it beside the documents, then run
    </p>
    <pre tabindex="0"><code>${next}</code></pre>
    <button class="copy" onclick=${() => copy(next, "The command")}>Copy the command</button>
  </div>`;
}

function download(toml) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([toml], { type: "application/toml" }));
  link.download = "steering.toml";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
