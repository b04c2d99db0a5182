// Several documents at once: chosen by check box, by shift-click or on the map, or all hits of a search.
import { pair } from "./decisions.js";
import { button, counted, el, refill } from "./dom.js";
import { decider } from "./pieces.js";

/** The chosen rows, and the bar with the decisions on them. */
export class Bulk {
  constructor(ctx) {
    this.ctx = ctx;
    this.chosen = new Set();
    this.from = -1;
    this.count = ctx.store.decisions.length;
    this.element = el("div", { class: "bulk", role: "group", "aria-label": "Several documents" });
  }

  /** Choose a row of a list, or no longer; with shift, all rows from the last one to it. */
  toggle(rows, at, shift) {
    const on = !this.chosen.has(rows[at]),
      first = shift && this.from >= 0 ? this.from : at;
    for (const row of rows.slice(Math.min(first, at), Math.max(first, at) + 1)) this.put(row, on);
    this.from = at;
    this.ctx.draw();
  }

  put(row, on) {
    if (on) this.chosen.add(row);
    else this.chosen.delete(row);
  }

  take(rows) {
    for (const row of rows) this.chosen.add(row);
    this.ctx.draw();
  }

  clear() {
    this.chosen.clear();
    this.from = -1;
    this.ctx.draw();
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

  /** The decision whether two chosen documents belong together. */
  two(said, same) {
    const { store } = this.ctx,
      decide = async () => store.decide(pair(await store.idsOf(this.rows()), same));
    return decider(this.ctx, said, decide, { class: "copy", title: same ? "" : "They do not belong together" });
  }

  draw() {
    const { ctx } = this,
      { store, actions } = ctx,
      count = store.decisions.length;
    if (count !== this.count) {
      this.chosen.clear(); // they are decided
      this.from = -1;
    }
    this.count = count;
    const some = this.chosen.size,
      rows = ctx.doc >= 0 && !some ? [] : this.rows();
    this.element.hidden = rows.length < (some ? 1 : 2);
    if (this.element.hidden) return refill(this.element);
    const said = some ? `${counted(rows.length, "document")} chosen` : `All ${counted(rows.length, "hit")}`,
      key = (label, letter) => (some ? [label, " ", el("kbd", {}, letter)] : label);
    refill(
      this.element,
      el("b", {}, said),
      decider(ctx, key("Belong to \u2026", "b"), () => actions.belongs("", this.rows()), { class: "copy" }),
      decider(ctx, key("Are junk", "x"), () => actions.junk(this.rows()), { class: "copy" }),
      some
        ? decider(ctx, key("New group \u2026", "g"), () => actions.begin(), { class: "copy" })
        : rows.length > 1 && ctx.list.begins({ class: "copy" }),
      ...(some === 2 ? [this.two("Belong together", true), this.two("Do not", false)] : []),
      some > 0 && button("Clear", () => this.clear(), { class: "copy" }),
    );
  }
}
