// The search box, the filter by a column, and the choice of colours.
import { choose } from "./dialog.js";
import { button, el, figure, settled } from "./dom.js";
import { keyOf, withValue } from "./filters.js";
import { go } from "./route.js";

/** The bar above the columns. */
export class Finder {
  constructor(ctx) {
    this.ctx = ctx;
    const typed = settled(() => go({ q: this.input.value, doc: null }, { replace: true }), 160);
    this.input = el("input", {
      type: "search",
      id: "q",
      placeholder: "Search words, or \u201cexact text\u201d",
      title: "All words; \u201cexact text\u201d; OR between words, NOT before a word",
      "aria-label": "Search documents",
      autocomplete: "off",
      spellcheck: "false",
      on: { input: typed, search: typed },
    });
    this.filter = button("Filter \u2026", () => this.choose());
    this.colour = el("select", {
      "aria-label": "Colour of the dots",
      on: { change: () => go({ colour: this.colour.value }) },
    });
    this.element = el("div", { class: "finder", role: "search" }, this.input, this.filter, this.colour);
    this.offered = new Set();
    this.fill();
  }

  /** Offer the colours; later ones are appended, the others stay. */
  fill() {
    const { fields } = this.ctx.store,
      fresh = ["group", "neighbourhood", "sureness", ...fields].filter((name) => !this.offered.has(name));
    for (const name of fresh) this.offered.add(name);
    this.colour.append(...fresh.map((name) => el("option", { value: name }, `colour by ${name}`)));
    this.filter.hidden = !fields.length;
  }

  /** Ask for a column, then for one of its values; of dates and numbers, show the histogram. */
  async choose() {
    const { store, route, brush } = this.ctx,
      { fields } = store,
      name =
        fields.length > 1
          ? await choose(
              "Filter by",
              fields.map((value) => ({ value, label: value })),
            )
          : fields[0];
    if (name === null) return;
    const { values, codes } = await store.field(name),
      counts = new Uint32Array(values.length);
    if (keyOf(values)) return brush.show(name);
    for (const code of codes) counts[code]++;
    const listed = values.map((value, code) => ({ value, label: value || "none", note: figure(counts[code]) })),
      value = await choose(
        name,
        listed.filter((_, code) => counts[code]),
      );
    if (value !== null) go({ where: withValue(route.where, name, value), doc: null });
  }

  draw() {
    const { q, colour } = this.ctx.route;
    if (document.activeElement !== this.input) this.input.value = q;
    this.fill();
    this.colour.value = colour;
  }
}
