// What the page is narrowed down to, as chips; a click removes one. Links to it, to copy or to keep under a name.
import { ask, choose } from "./dialog.js";
import { keep, kept } from "./dom.js";
import { endsOf } from "./filters.js";
import { html } from "./html.js";
import { short } from "./pieces.js";
import { go } from "./route.js";

const KEYED = 9;

/** The filters and the chosen group. */
export function Chips({ ctx: { store, route } }) {
  const { group, where } = route,
    filters = where.map(([name, value], at) => [
      `${name}: ${endsOf(value)?.join(" to ") ?? (value || "none")}`,
      { where: where.filter((_, i) => i !== at) },
    ]),
    own = group === null ? [] : [[store.called(group), { group: null }]];
  return html`<div class="chips" role="group" aria-label="Filters">
    ${[...filters, ...own].map(
      ([text, changes]) =>
        html`<button
          key=${text} class="copy" title=${text} aria-label="Remove filter ${text}"
          onclick=${() => go({ ...changes, doc: null })}><bdi>${short(text, 40)}</bdi> \u00d7</button>`,
    )}
  </div>`;
}

/** The buttons of the link and of the saved views. */
export const Links = ({ ctx }) =>
  html`<div class="links">
    <button class="copy" onclick=${() => ctx.copy(location.href, "The link to this view")}>Copy link</button>
    <button class="copy" onclick=${() => menu(ctx)}>Views \u2026</button>
  </div>`;

/** Open a saved view, save this one, or delete one: [name, address] each. */
async function menu(ctx) {
  const place = `outgroup-views-${ctx.store.key}`,
    views = /** @type {string[][]} */ (kept(place, [])),
    keyed = views.length <= KEYED, // else letters are a search
    listed = views.map(([label], i) => ({ value: i, label, key: keyed ? String(i + 1) : null })),
    more = [
      { value: "save", label: "Save this view \u2026", key: keyed ? "s" : null },
      { value: "delete", label: "Delete a view \u2026", key: keyed ? "d" : null },
    ],
    picked = await choose("Views", [...listed, ...more.slice(0, views.length ? 2 : 1)]),
    save = (changed) => keep(place, changed) || ctx.tell("This browser keeps no views; copy the link.");
  if (picked === "save") {
    const name = await ask("Save this view", { wrong: (text) => (text.trim() ? "" : "Type a name.") });
    if (name) save([...views.filter(([each]) => each !== name), [name, location.hash]]);
  } else if (picked === "delete") {
    const gone = await choose("Delete a view", listed);
    if (gone !== null) save(views.toSpliced(gone, 1));
  } else if (picked !== null) location.hash = views[picked][1];
}
