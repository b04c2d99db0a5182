// The histogram of a column of dates or numbers. Drag over its bars, or move its two ends, to filter by a range.
import { figure, settled } from "./dom.js";
import { endsOf, keyOf, TO } from "./filters.js";
import { html } from "./html.js";
import { go } from "./route.js";
import { ROOM } from "./tray.js";
import { Component } from "./vendor/preact.mjs";

const BARS = 40,
  FAR = 0.01; // of the values at each end that share the first and last bar: a few are far from all others

/** The values of a column in bars of equal width: the first and last value of each bar, if it has any, and the bar
 *  of each code. */
function binned(values, key) {
  const known = [...values.keys()]
      .filter((code) => values[code])
      .sort((a, b) => (key(values[a]) < key(values[b]) ? -1 : 1)),
    worth = known.map((code, rank) => (key === Number ? Number(values[code]) : rank)),
    cut = Math.floor(FAR * known.length),
    [low, high] = [worth[cut], worth[worth.length - 1 - cut]],
    bars = Array.from({ length: Math.min(BARS, known.length) }, () => /** @type {string[]} */ ([])),
    of = new Int16Array(values.length).fill(-1);
  known.forEach((code, i) => {
    const at = Math.floor(((worth[i] - low) / (high - low || 1)) * bars.length);
    of[code] = Math.max(0, Math.min(bars.length - 1, at));
    bars[of[code]].push(values[code]);
  });
  return { bars: bars.map((inside) => (inside.length ? [inside[0], inside[inside.length - 1]] : [])), of };
}

/** A histogram over one column: `asked`, the one of a range in the address, or the first of dates. `ends` are the first
 *  and the last bar chosen, while they move. */
export class Brush extends Component {
  constructor(props) {
    super(props);
    props.ctx.brush = this;
    /** @type {{ column: import("./data.d.ts").Column | null, ends: number[] | null }} */
    this.state = { column: null, ends: null };
    this.asked = "";
    this.from = -1;
    this.turn = 0;
    this.leave = settled(() => this.narrow(), 150);
  }

  componentDidMount() {
    this.fetch();
  }
  componentDidUpdate() {
    this.fetch();
  }

  async fetch() {
    const turn = ++this.turn,
      column = await this.column();
    if (turn === this.turn && column !== this.state.column) this.setState({ column, ends: null });
  }

  async show(name) {
    this.asked = name;
    await this.fetch();
    const box = document.querySelector(".brush");
    box?.setAttribute("open", "");
    box?.querySelector("input")?.focus();
  }

  /** The column to show with its bars.
   *  @returns {Promise<import("./data.d.ts").Column | null>} */
  async column() {
    const { store, route } = this.props.ctx,
      chosen = this.asked || route.where.find(([, value]) => endsOf(value))?.[0];
    for (const name of [...(chosen ? [chosen] : []), ...store.about.fields]) {
      const field = await store.field(name);
      if (field === this.state.column?.field) return this.state.column;
      const key = keyOf(field.values);
      if (key && (name === chosen || key === String)) return { name, field, key, ...binned(field.values, key) };
    }
    return null;
  }

  ends({ name, key, bars }) {
    const value = this.props.ctx.route.where.find(([each]) => each === name)?.[1],
      [first, last] = endsOf(value ?? "") ?? [value, value],
      within = (bar) => bar.length && key(bar[1]) >= key(first) && key(bar[0]) <= key(last),
      inside = [...bars.keys()].filter((i) => value && within(bars[i]));
    return inside.length ? [inside[0], inside[inside.length - 1]] : [0, bars.length - 1];
  }

  move(ends) {
    this.setState({ ends });
    this.leave();
  }

  /** Filter by the values of the bars chosen; all of them are no filter. */
  narrow() {
    const { column, ends } = this.state;
    if (!column) return;
    const { name, key, bars } = column,
      [first, last] = ends ?? this.ends(column),
      values = bars.slice(first, last + 1).flat(),
      range = [key(values[0]), key(values[values.length - 1])].join(TO),
      others = this.props.ctx.route.where.filter(([other]) => other !== name),
      where = last - first < bars.length - 1 ? [...others, [name, range]] : others;
    if (values.length) go({ where, doc: null }, { replace: true });
    this.setState({ ends: null });
  }

  /** The documents of each bar, and those of them that pass all filters. */
  counts({ bars, of, field }) {
    const { found, route, store } = this.props.ctx,
      all = new Uint32Array(bars.length),
      passing = new Uint32Array(bars.length);
    for (let i = 0; i < store.n; i++) {
      const bar = of[field.codes[i]],
        passes = (!found || found.mask[i]) && (route.group === null || store.columns.group[i] === route.group);
      if (bar >= 0) all[bar]++;
      if (bar >= 0 && passes) passing[bar]++;
    }
    return [all, passing];
  }

  render(_props, { column, ends }) {
    if (!column) return null;
    const { bars, name } = column,
      [first, last] = ends ?? this.ends(column),
      values = bars.slice(first, last + 1).flat(),
      [all, passing] = this.counts(column),
      most = Math.max(...all),
      label = (bar) => [...new Set(bars[bar])].join(" to ");
    const at = ({ clientX, currentTarget }) => {
      const { left, width } = currentTarget.getBoundingClientRect();
      return Math.max(0, Math.min(bars.length - 1, Math.floor(((clientX - left) / width) * bars.length)));
    };
    const press = (event) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      this.from = at(event);
      this.move([this.from, this.from]);
    };
    const drag = (event) => this.from >= 0 && this.move([this.from, at(event)].sort((a, b) => a - b));
    const release = () => {
      this.from = -1;
    };
    const bar = (count, i) => html`<li
      class=${i < first || i > last ? "beyond" : ""} title="${label(i)}: ${figure(passing[i])} of ${figure(count)}">
      <span style=${{ height: `${(100 * count) / most}%` }} />
      <span style=${{ height: `${(100 * passing[i]) / most}%` }} />
    </li>`;
    const knob = (title, value, ends) => html`<input
      type="range" min="0" max=${bars.length - 1} aria-label=${title} aria-valuetext=${label(value)} value=${value}
      oninput=${(event) => this.move(ends(Number(event.target.value)))} />`;
    return html`<details class="brush" open=${ROOM}>
      <summary>${name}: ${values.length ? `${values[0]} to ${values[values.length - 1]}` : "no value"}</summary>
      <ol
        class="spark" aria-hidden="true" onpointerdown=${press} onpointermove=${drag} onpointerup=${release}
        onpointercancel=${release}>${Array.from(all, bar)}</ol>
      <div class="ends">
        ${knob("First", first, (value) => [Math.min(last, value), last])}
        ${knob("Last", last, (value) => [first, Math.max(first, value)])}
      </div>
    </details>`;
  }
}
