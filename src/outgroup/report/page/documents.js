// The list of documents: all, a group, or hits, in a chosen order.
import { button, counted, el, figure, refill } from "./dom.js";
import { VirtualList } from "./list.js";
import { below, decidedSign, decider, tone } from "./pieces.js";
import { go, href, MATCH, order, SORTS } from "./route.js";

const HEIGHT = matchMedia("(max-width: 46rem), (pointer: coarse)").matches ? 44 : 32,
  BEGINNERS = 20,
  LOOKED_AT = 200;

/** Whether a row is near to the query by meaning and lacks its words. */
const byMeaning = (found, i) => Boolean(found && !found.hits[i]);

/** The list of the middle column; `rows` are the row numbers shown. */
export class DocumentList {
  constructor(ctx) {
    this.ctx = ctx;
    this.rows = [];
    this.list = new VirtualList(
      "Documents",
      HEIGHT,
      (i, position) => this.item(i, position),
      (rows) => ctx.store.read(rows),
    );
    const said = (sort) => (sort === MATCH ? "best match" : sort);
    const by = (sort) => button(said(sort), () => go({ sort }, { replace: true }), { "data-sort": sort });
    const sorts = SORTS.map(by);
    this.sorts = el("div", { class: "sorts", role: "group", "aria-label": "Order" }, ...sorts);
    this.list.box.style.setProperty("--row", `${HEIGHT}px`);
    this.column = el("select", { "aria-label": "Column", on: { change: () => this.showColumn() } });
    /** @type {{ name: string, values: string[], codes: ArrayLike<number>, rank: number[] } | null} */
    this.shown = null;
    this.count = el("p", { class: "soft count", role: "status" });
    this.element = el(
      "div",
      { class: "documents-list" },
      el("div", { class: "head" }, this.count, this.sorts, this.column),
      this.list.box,
    );
  }

  /** Show a further column, and sort by it: unknown values are last. */
  async showColumn() {
    const name = this.column.value,
      { values, codes } = name ? await this.ctx.store.field(name) : { values: [], codes: [] };
    const inOrder = [...values.keys()].sort(
        (a, b) =>
          Number(!values[a]) - Number(!values[b]) || values[a].localeCompare(values[b], "en", { numeric: true }),
      ),
      rank = /** @type {number[]} */ ([]);
    inOrder.forEach((code, place) => {
      rank[code] = place;
    });
    this.shown = name ? { name, values, codes, rank } : null;
    this.draw();
  }

  draw() {
    const { store, route, found } = this.ctx,
      sort = order(route),
      { fields } = store.about;
    this.column.hidden = !fields.length;
    if (fields.length && !this.column.length)
      this.column.append(
        el("option", { value: "" }, "column \u2026"),
        ...fields.map((name) => el("option", { value: name }, name)),
      );
    const key = JSON.stringify([route.group, sort, this.shown?.name, store.level]) + (found ? found.key : "");
    for (const each of this.sorts.children) each.setAttribute("aria-pressed", each.dataset.sort === sort);
    const other = key !== this.key,
      later = store.taken !== this.taken && this.ctx.doc < 0; // what one reads in stays as it is
    if (other || later) {
      this.key = key;
      this.taken = store.taken;
      const all = store.list({ group: route.group, sort, found });
      this.rows = store.folded(all);
      if (this.shown) {
        const { codes, rank } = this.shown;
        const last = (i) => Number(byMeaning(found, i));
        this.rows = [...this.rows].sort((a, b) => last(a) - last(b) || rank[codes[a]] - rank[codes[b]]);
      }
      const where = route.group === null ? "" : route.group < 0 ? " off-topic" : ` in group ${route.group}`;
      const useless = { "off-topic": !store.scored, [MATCH]: !route.q, group: route.group !== null };
      for (const each of this.sorts.children) each.hidden = useless[each.dataset.sort] ?? false;
      const near = all.filter((i) => byMeaning(found, i)).length,
        meant = near ? `, ${figure(near)} by meaning` : "";
      const texts = this.rows.length < all.length ? `, ${counted(this.rows.length, "text")}` : "";
      refill(
        this.count,
        el("span", {}, counted(all.length - near, found ? "hit" : "document") + where + texts + meant),
        this.others(all),
      );
      this.list.show(this.rows, { top: other });
    } else this.list.redraw();
    const at = this.rows.indexOf(this.ctx.doc);
    if (at >= 0) this.list.reveal(at);
  }

  /** A link to the hits in other groups where the chosen group has none. */
  others(rows) {
    const { found, route } = this.ctx;
    if (rows.length || route.group === null || !found?.total) return null;
    return el("a", { href: href({ group: null, doc: null }) }, ` Show ${counted(found.total, "hit")} in other groups.`);
  }

  begins(props = {}) {
    return decider(this.ctx, "New group \u2026", () => this.beginWithHits(), {
      ...props,
      title: `Start a group from the first hits (${BEGINNERS} at most); similar documents join`,
    });
  }

  /** Start a group with the first hits shown that have no decision. */
  async beginWithHits() {
    if (this.ctx.doc < 0) this.draw(); // the map may be what one sees
    const { store, actions } = this.ctx,
      first = this.rows.filter((i) => !byMeaning(this.ctx.found, i)).slice(0, LOOKED_AT);
    await store.read(first);
    const open = first.filter((i) => !store.effects.documents.has(store.row(i).id));
    if (open.length) actions.begin(open.slice(0, BEGINNERS));
    else this.ctx.tell("All of these documents already have a decision.");
  }

  item(i, position) {
    const { store, route, found } = this.ctx,
      row = store.row(i);
    const side = route.sort === "longest" ? `${figure(row.length)} letters` : row.flagged ? "off-topic" : null;
    const { bulk } = this.ctx,
      same = store.same(i).length;
    const line = {
      class: `doc ${tone(row.group)}`,
      href: href({ doc: row.id }),
      "data-at": position,
      on: {
        click: (event) => {
          if (!event.shiftKey) return;
          event.preventDefault();
          bulk.toggle(this.rows, position, true);
        },
      },
    };
    const choose = (event) => bulk.toggle(this.rows, position, event.shiftKey);
    const box = {
      type: "checkbox",
      checked: bulk.chosen.has(i),
      "aria-label": `Choose ${row.title}`,
      on: { click: choose },
    };
    const margin = row.group < 0 ? "" : figure(row.margin, 2),
      group = row.group < 0 ? "out" : row.group;
    const cell = (said, title) => el("span", { class: "num soft cell", title }, said);
    return el(
      "li",
      { class: "choosable" },
      el("label", { class: "choose" }, el("input", box)),
      el(
        "a",
        { ...line, "aria-current": i === this.ctx.doc },
        el("span", { class: `spot ${tone(row.group)}`, style: this.ctx.tint(i) }),
        el("bdi", { class: "title" }, row.title),
        el("span", { class: "text", dir: "auto" }, below(row, 160)),
        decidedSign(this.ctx, row.id),
        byMeaning(found, i) && el("span", { class: "sign" }, "by meaning"),
        same > 1 && el("span", { class: "num soft", title: `${same} documents share this text` }, `${same}\u00d7`),
        side && el("span", { class: "num soft" }, side),
        this.shown &&
          el(
            "bdi",
            { class: "num soft cell column", title: this.shown.name },
            this.shown.values[this.shown.codes[i]].slice(0, 60),
          ),
        cell(group, "Group"),
        cell(margin, "Margin before the second-best group"),
      ),
    );
  }

  /** The row before or after the open document. */
  next(step) {
    const at = this.rows.indexOf(this.ctx.doc);
    return this.rows[at < 0 ? (step > 0 ? 0 : this.rows.length - 1) : at + step];
  }
}
