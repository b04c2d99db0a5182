// The histogram of a column of dates or numbers. Drag over its bars, or move its two ends, to filter by a range.
import { clean, el, figure, refill, settled } from "./dom.js";
import { endsOf, keyOf, withRange } from "./filters.js";
import { go } from "./route.js";

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

/** A histogram over one column. */
export class Brush {
  asked = "";
  turn = 0;
  /** @type {any} The column shown: its name, codes, bars and the key of its values. */
  shown = null;
  /** @type {number[]} The first and last bar chosen. */
  ends = [0, 0];

  constructor(ctx) {
    this.ctx = ctx;
    this.title = el("summary");
    this.bars = el("ol", { class: "spark", "aria-hidden": "true" });
    this.knobs = ["First", "Last"].map((label, end) =>
      el("input", {
        type: "range",
        min: 0,
        "aria-label": label,
        on: {
          input: ({ target }) =>
            this.move(
              end
                ? [this.ends[0], Math.max(this.ends[0], +target.value)]
                : [Math.min(this.ends[1], +target.value), this.ends[1]],
            ),
        },
      }),
    );
    this.element = el(
      "details",
      { class: "brush", open: innerWidth > 960, hidden: true },
      this.title,
      this.bars,
      el("div", { class: "ends" }, ...this.knobs),
    );
    this.leave = settled(() => this.narrow(), 150);
    this.listen();
  }

  /** Show another column, and go to its first end. */
  async show(name) {
    this.asked = name;
    await this.draw();
    this.element.open = true;
    this.knobs[0].focus();
  }

  /** The column to show with its bars: the one asked for, the one of a range in the address, or the first of dates. */
  async column() {
    const { store, route } = this.ctx,
      chosen = this.asked || route.where.find(([, value]) => endsOf(value))?.[0];
    for (const name of [...(chosen ? [chosen] : []), ...store.about.fields]) {
      const field = await store.field(name);
      if (field === this.shown?.field) return this.shown;
      const key = keyOf(field.values);
      if (name === chosen ? key : key === String) return { name, field, key, ...binned(field.values, key) };
    }
    return null;
  }

  async draw() {
    const turn = ++this.turn,
      found = await this.column();
    if (turn !== this.turn) return; // an earlier drawing may end later
    this.element.hidden = !found;
    if (!found) return;
    this.shown = found;
    const { bars, key, name } = this.shown,
      value = this.ctx.route.where.find(([each]) => each === name)?.[1],
      [first, last] = endsOf(value ?? "") ?? [value, value],
      inside = [...bars.keys()].filter(
        (i) => bars[i].length && key(bars[i][1]) >= key(first) && key(bars[i][0]) <= key(last),
      );
    this.ends = value && inside.length ? [inside[0], inside[inside.length - 1]] : [0, bars.length - 1];
    this.paint();
  }

  /** Show the ends chosen, and in each bar the documents that pass all filters. */
  paint() {
    const { bars, of, name, field } = this.shown,
      { found, route, store } = this.ctx,
      all = new Uint32Array(bars.length),
      passing = new Uint32Array(bars.length),
      [first, last] = this.ends;
    for (let i = 0; i < store.n; i++) {
      const bar = of[field.codes[i]];
      if (bar < 0) continue;
      all[bar]++;
      if ((!found || found.mask[i]) && (route.group === null || store.columns.group[i] === route.group)) passing[bar]++;
    }
    const most = Math.max(...all),
      values = this.values(),
      label = (bar) => [...new Set(bars[bar])].join(" to ");
    this.title.textContent = clean(`${name}: ${values[0]} to ${values[values.length - 1]}`);
    this.knobs.forEach((knob, end) => {
      Object.assign(knob, { max: bars.length - 1, value: this.ends[end] });
      knob.setAttribute("aria-valuetext", clean(label(this.ends[end])));
    });
    const bar = (count, i) =>
      el(
        "li",
        {
          class: i < first || i > last ? "beyond" : "",
          title: `${label(i)}: ${figure(passing[i])} of ${figure(count)}`,
        },
        el("span", { style: { height: `${(100 * count) / most}%` } }),
        el("span", { style: { height: `${(100 * passing[i]) / most}%` } }),
      );
    refill(this.bars, ...Array.from(all, bar));
  }

  /** The values of the bars chosen. */
  values() {
    return this.shown.bars.slice(this.ends[0], this.ends[1] + 1).flat();
  }

  move(ends) {
    this.ends = ends;
    this.paint();
    this.leave();
  }

  /** Filter by the values of the bars chosen; all of them are no filter. */
  narrow() {
    const { bars, name } = this.shown,
      values = this.values(),
      some = values.length && this.ends[1] - this.ends[0] < bars.length - 1,
      where = withRange(this.ctx.route.where, name, some ? [values[0], values[values.length - 1]] : null);
    go({ where, doc: null }, { replace: true });
  }

  listen() {
    let from = -1;
    const at = ({ clientX }) => {
      const { left, width } = this.bars.getBoundingClientRect(),
        count = this.shown.bars.length;
      return Math.max(0, Math.min(count - 1, Math.floor(((clientX - left) / width) * count)));
    };
    this.bars.addEventListener("pointerdown", (event) => {
      this.bars.setPointerCapture(event.pointerId);
      from = at(event);
      this.move([from, from]);
    });
    this.bars.addEventListener("pointermove", (event) => {
      if (from >= 0) this.move([Math.min(from, at(event)), Math.max(from, at(event))]);
    });
    for (const name of ["pointerup", "pointercancel"])
      this.bars.addEventListener(name, () => {
        from = -1;
      });
  }
}
