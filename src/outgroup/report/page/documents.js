// The list of documents: all, a group, or hits, in a chosen order, and decisions on several of them.
import { pair } from "./decisions.js";
import { counted, figure } from "./dom.js";
import { keyOf } from "./filters.js";
import { html } from "./html.js";
import { below, Decider, Decision, tone } from "./pieces.js";
import { go, href, MATCH, order, SORTS } from "./route.js";
import { Component } from "./vendor/preact.mjs";

const HEIGHT = matchMedia("(max-width: 46rem), (pointer: coarse)").matches ? 44 : 32,
  BEGINNERS = 20,
  LOOKED_AT = 200;

/** Whether a row is near to the query by meaning and lacks its words. */
const byMeaning = (found, i) => Boolean(found && !found.hits[i]);

export class DocumentList {
  /** @type {number[]} Row numbers, one for each text. */
  rows = [];
  /** @type {number[]} Row numbers of all documents. */
  all = [];
  key = "";
  taken = "";
  /** @type {{ name: string, values: string[], codes: ArrayLike<number>, rank: Uint32Array } | null} A further column. */
  column = null;

  constructor(ctx) {
    this.ctx = ctx;
  }

  /** Order the documents of the route. A list of new groups waits while a document is open. */
  take() {
    const { store, route, found, doc } = this.ctx,
      sort = order(route),
      key = JSON.stringify([route.group, sort, this.column?.name, store.level, found?.key]);
    if (key === this.key && (store.taken === this.taken || doc >= 0)) return;
    Object.assign(this, { key, taken: store.taken });
    this.all = store.list({ group: route.group, sort, found });
    this.rows = store.folded(this.all);
    if (!this.column) return;
    const { codes, rank } = this.column,
      last = (i) => Number(byMeaning(found, i));
    this.rows = [...this.rows].sort((a, b) => last(a) - last(b) || rank[codes[a]] - rank[codes[b]]);
  }

  /** Show a further column, and sort by it: unknown values are last. */
  async show(name) {
    const { values, codes } = name ? await this.ctx.store.field(name) : { values: [], codes: [] },
      unknown = (code) => Number(!values[code]),
      key = keyOf(values) === Number ? Number : String,
      less = (a, b) => (key === Number ? a - b : a.localeCompare(b, "en", { numeric: true })),
      order = [...values.keys()].sort((a, b) => unknown(a) - unknown(b) || less(key(values[a]), key(values[b]))),
      rank = new Uint32Array(values.length);
    for (const [place, code] of order.entries()) rank[code] = place;
    this.column = name ? { name, values, codes, rank } : null;
    this.ctx.draw();
  }

  /** Start a group with the first hits of the list that have no decision. */
  async begin() {
    const { store, actions, found } = this.ctx;
    if (this.ctx.doc < 0) this.take(); // the map may be in view
    const first = this.rows.filter((i) => !byMeaning(found, i)).slice(0, LOOKED_AT);
    await store.read?.(first);
    const open = first.filter((i) => !store.effects.documents.has(store.row(i).id));
    if (open.length) actions.begin(open.slice(0, BEGINNERS));
    else this.ctx.tell("All of these documents already have a decision.");
  }

  next(step) {
    const at = this.rows.indexOf(this.ctx.doc);
    return this.rows[at < 0 ? (step > 0 ? 0 : this.rows.length - 1) : at + step];
  }
}

export const Begin = ({ ctx, ...props }) =>
  html`<${Decider}
    ...${props} ctx=${ctx} run=${() => ctx.list.begin()}
    title="Start a group from the first hits (${BEGINNERS} at most); similar documents join">
    New group \u2026
  <//>`;

export function Documents({ ctx }) {
  const { store, list } = ctx;
  return html`<div class="documents-list">
    <${Head} ctx=${ctx} />
    <${VirtualList}
      label="Documents" height=${HEIGHT} list=${list.key} rows=${list.rows} at=${list.rows.indexOf(ctx.doc)}
      item=${(i, at) => html`<${Line} ctx=${ctx} i=${i} at=${at} />`} read=${(rows) => store.read?.(rows)} />
  </div>`;
}

function Head({ ctx }) {
  const { store, route, found, list } = ctx,
    fields = [...store.about.fields, ...store.about.ranges],
    near = found ? list.all.filter((i) => byMeaning(found, i)).length : 0,
    where = route.group === null ? "" : route.group < 0 ? " off-topic" : ` in group ${store.code(route.group)}`,
    texts = list.rows.length < list.all.length ? `, ${counted(list.rows.length, "text")}` : "",
    useless = { "off-topic": !store.scored, [MATCH]: !route.q, group: route.group !== null },
    elsewhere = !list.all.length && route.group !== null && found?.total;
  const button = (sort) => html`<button
    key=${sort} aria-pressed=${sort === order(route)}
    onclick=${() => go({ sort }, { replace: true })}>${sort === MATCH ? "best match" : sort}</button>`;
  const option = (name) => html`<option value=${name} selected=${name === list.column?.name}>${name}</option>`;
  return html`<div class="head">
    <p class="soft count" role="status">
      ${counted(list.all.length - near, found ? "hit" : "document")}${where}${texts}${near > 0 && `, ${figure(near)} by meaning`}
      ${elsewhere && html`<a href=${href({ group: null, doc: null })}> Show ${counted(elsewhere, "hit")} in other groups.</a>`}
    </p>
    <div class="sorts" role="group" aria-label="Order">${SORTS.filter((sort) => !useless[sort]).map(button)}</div>
    ${
      fields.length > 0 &&
      html`<select aria-label="Column" onchange=${(event) => list.show(event.target.value)}>
      <option value="">column \u2026</option>${fields.map(option)}
    </select>`
    }
  </div>`;
}

function Line({ ctx, i, at }) {
  const { store, route, found, bulk, list } = ctx,
    row = store.row(i),
    { group } = row,
    same = store.same(i).length,
    side = route.sort === "longest" ? `${figure(row.length)} letters` : row.flagged && "off-topic",
    column = list.column?.values[list.column.codes[i]];
  const choose = (event) => {
    if (!event.shiftKey) return;
    event.preventDefault();
    bulk.toggle(list.rows, at, true);
  };
  return html`<label class="choose">
      <input
        type="checkbox" checked=${bulk.chosen.has(i)} aria-label="Choose ${row.title}"
        onclick=${(event) => bulk.toggle(list.rows, at, event.shiftKey)} />
    </label>
    <a
      class="doc ${tone(group)}" href=${href({ doc: row.id })} data-at=${at} onclick=${choose}
      aria-current=${i === ctx.doc || null}>
      <span class="spot ${tone(group)}" style=${ctx.tint(i)} />
      <bdi class="title">${row.title}</bdi>
      <span class="text" dir="auto">${below(row, 160)}</span>
      <${Decision} ctx=${ctx} id=${row.id} />
      ${byMeaning(found, i) && html`<span class="sign">by meaning</span>`}
      ${same > 1 && html`<span class="num soft" title="${same} documents share this text">${same}\u00d7</span>`}
      ${side && html`<span class="num soft">${side}</span>`}
      ${column !== undefined && html`<bdi class="num soft cell column" title=${list.column.name}>${column.slice(0, 60)}</bdi>`}
      <span class="num soft cell" title="Group">${group < 0 ? "out" : store.code(group)}</span>
      <span class="num soft cell" title="Margin before the second-best group">${group < 0 ? "" : figure(row.margin, 2)}</span>
    </a>`;
}

/** Rows of one height in a scrolling box; `item(row, position)` draws one. `read(rows)` returns a promise for rows that
 *  must be fetched, else null. The box begins at its top for another `list`; position `at` is kept in sight. */
class VirtualList extends Component {
  constructor(props) {
    super(props);
    this.range = [0, 0];
    this.box = { current: /** @type {HTMLElement | null} */ (null) };
    this.observer = new ResizeObserver(() => this.forceUpdate());
  }

  componentDidMount() {
    if (this.box.current) this.observer.observe(this.box.current);
    this.reveal();
    this.fetch();
  }

  componentDidUpdate({ list, at }) {
    if (list !== this.props.list && this.box.current) this.box.current.scrollTop = 0;
    if (list !== this.props.list || at !== this.props.at) this.reveal();
    this.fetch();
  }

  componentWillUnmount() {
    this.observer.disconnect();
  }

  fetch() {
    const { read, rows } = this.props;
    read(rows.slice(...this.range))?.then(() => this.forceUpdate());
  }

  reveal() {
    const { current: box } = this.box,
      { at, height } = this.props;
    if (box && at >= 0)
      box.scrollTop = Math.max((at + 1) * height - box.clientHeight, Math.min(at * height, box.scrollTop));
  }

  /** The first position in sight and the one after the last, with some rows around. */
  sight() {
    const { rows, height } = this.props,
      { scrollTop = 0, clientHeight = 0 } = this.box.current ?? {},
      first = Math.max(0, Math.floor(scrollTop / height) - 4);
    return [first, Math.min(rows.length, first + Math.ceil((clientHeight || 600) / height) + 9)];
  }

  render({ label, rows, height, item }) {
    this.range = this.sight();
    const [first, last] = this.range,
      scrolled = () => String(this.sight()) !== String(this.range) && this.forceUpdate();
    const line = (row, i) => html`<li
      key=${row} class="choosable" style=${{ top: `${(first + i) * height}px` }}
      aria-setsize=${rows.length} aria-posinset=${first + i + 1}>${item(row, first + i)}</li>`;
    return html`<div class="rows" tabindex="-1" style=${{ "--row": `${height}px` }} onscroll=${scrolled} ref=${this.box}>
      <ol class="virtual" aria-label=${label} style=${{ height: `${rows.length * height}px` }}>
        ${rows.slice(first, last).map(line)}
      </ol>
    </div>`;
  }
}

export class Bulk {
  chosen = new Set();
  from = -1; // the row that was chosen last

  constructor(ctx) {
    this.ctx = ctx;
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
