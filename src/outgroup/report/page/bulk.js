// Several documents at once: chosen by check box, by shift-click or on the map, or all hits of a search.

import { pair } from "./decisions.js";
import { Begin } from "./documents.js";
import { counted } from "./dom.js";
import { html } from "./html.js";
import { Decider } from "./pieces.js";

/** The chosen rows. */
export class Bulk {
  chosen = new Set();
  from = -1; // the row that was chosen last

  constructor(ctx) {
    this.ctx = ctx;
    this.count = ctx.store.decisions.length;
  }

  /** Choose a row of a list, or no longer; with shift, all rows from the last one to it. */
  toggle(rows, at, shift) {
    const on = !this.chosen.has(rows[at]),
      before = shift && this.chosen.size ? rows.indexOf(this.from) : -1, // -1 where another list shows the row no longer
      first = before < 0 ? at : before;
    for (const row of rows.slice(Math.min(first, at), Math.max(first, at) + 1))
      if (on) this.chosen.add(row);
      else this.chosen.delete(row);
    this.from = rows[at];
    this.ctx.draw();
  }

  take(rows) {
    for (const row of rows) this.chosen.add(row);
    this.ctx.draw();
  }

  clear() {
    this.chosen.clear();
    this.ctx.draw();
  }

  /** After a decision nothing is chosen. */
  follow() {
    const count = this.ctx.store.decisions.length;
    if (count !== this.count) this.chosen.clear();
    this.count = count;
  }

  /** The chosen rows as a mask for the map, or null. */
  mask() {
    if (!this.chosen.size) return null;
    const found = new Uint8Array(this.ctx.store.n);
    for (const row of this.chosen) found[row] = 1;
    return found;
  }

  /** The rows to decide on: the chosen ones, else all hits by words. */
  rows() {
    const { store, found, route } = this.ctx;
    if (this.chosen.size) return [...this.chosen];
    return found ? store.list({ group: route.group, found: { ...found, near: [] } }) : [];
  }
}

/** The bar with the decisions on several documents. */
export function BulkBar({ ctx }) {
  const { bulk, actions, doc } = ctx,
    some = bulk.chosen.size,
    rows = doc >= 0 && !some ? [] : bulk.rows();
  if (rows.length < (some ? 1 : 2)) return null;
  const key = (label, letter, run) =>
    html`<${Decider} ctx=${ctx} run=${run} sign=${some > 0 && letter} class="copy">${label}<//>`;
  const together = (label, same, title) => {
    const decide = async () => ctx.store.decide(pair(await ctx.store.idsOf(bulk.rows()), same));
    return html`<${Decider} ctx=${ctx} run=${decide} title=${title} class="copy">${label}<//>`;
  };
  return html`<div class="bulk" role="group" aria-label="Several documents">
    <b>${some ? `${counted(rows.length, "document")} chosen` : `All ${counted(rows.length, "hit")}`}</b>
    ${key("Belong to \u2026", "b", () => actions.belongs("", bulk.rows()))}
    ${key("Are junk", "x", () => actions.junk(bulk.rows()))}
    ${some ? key("New group \u2026", "g", () => actions.begin()) : html`<${Begin} ctx=${ctx} class="copy" />`}
    ${some === 2 && [together("Belong together", true), together("Do not", false, "They do not belong together")]}
    ${some > 0 && html`<button class="copy" onclick=${() => bulk.clear()}>Clear</button>`}
  </div>`;
}
