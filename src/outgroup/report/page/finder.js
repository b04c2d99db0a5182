// The search box, the filter by a column, the choice of colours, and the filters as chips.
import { choose } from "./dialog.js";
import { figure, settled } from "./dom.js";
import { endsOf, keyOf } from "./filters.js";
import { html } from "./html.js";
import { short } from "./pieces.js";
import { go } from "./route.js";

export const coloursOf = ({ fields }) => ["group", "neighbourhood", "sureness", ...fields];

const search = settled((q) => go({ q, doc: null }, { replace: true }), 160);

export function Finder({ ctx }) {
  const { store, route } = ctx,
    typed = (event) => search(event.target.value),
    typing = document.activeElement?.id === "q"; // what is typed stays
  return html`<div class="finder" role="search">
    <input
      type="search" id="q" placeholder="Search words, or \u201cexact text\u201d" aria-label="Search documents"
      title="All words; \u201cexact text\u201d; OR between words, NOT before a word" autocomplete="off"
      spellcheck=${false} oninput=${typed} onsearch=${typed} value=${typing ? undefined : route.q} />
    ${store.fields.length > 0 && html`<button onclick=${() => filter(ctx)}>Filter \u2026</button>`}
    <select aria-label="Colour of the dots" onchange=${(event) => go({ colour: event.target.value })}>
      ${coloursOf(store).map(
        (name) => html`<option value=${name} selected=${name === route.colour}>colour by ${name}</option>`,
      )}
    </select>
  </div>`;
}

/** Ask for a column, then for one of its values; of dates and numbers, show the histogram. */
async function filter(ctx) {
  const { store, route } = ctx,
    { fields } = store,
    columns = fields.map((value) => ({ value, label: value })),
    name = fields.length > 1 ? await choose("Filter by", columns) : fields[0];
  if (name === null) return;
  const { values, codes } = await store.field(name),
    counts = new Uint32Array(values.length);
  if (keyOf(values)) return ctx.brush.show(name);
  for (const code of codes) counts[code]++;
  const option = (value, code) => ({ value, label: value || "none", note: figure(counts[code]) }),
    value = await choose(
      name,
      values.map(option).filter((_, code) => counts[code]),
    );
  const others = route.where.filter(([other, old]) => other !== name || old !== value);
  if (value !== null) go({ where: [...others, [name, value]], doc: null });
}

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
