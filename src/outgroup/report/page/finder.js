// The search box, the column filter, and the colour legend of the map.
import { el, settled } from "./dom.js";
import { go } from "./route.js";

const VALUES = 200;

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
    this.filter = el("select", { "aria-label": "Filter", on: { change: () => this.filtered() } });
    this.colour = el("select", {
      "aria-label": "Colour of the dots",
      on: { change: () => ctx.colour(this.colour.value) },
    });
    this.element = el("div", { class: "finder", role: "search" }, this.input, this.filter, this.colour);
    this.filter.append(el("option", { value: "" }, "all documents"));
    this.offer(["group", "neighbourhood", "sureness"]);
    this.fields = new Set();
    this.fill();
  }

  offer(names) {
    this.colour.append(...names.map((name) => el("option", { value: name }, `colour by ${name}`)));
  }

  /** Offer the filters and colours; later ones are appended, the others stay. */
  async fill() {
    const { store } = this.ctx,
      fresh = store.fields.filter((name) => !this.fields.has(name));
    for (const name of fresh) this.fields.add(name);
    this.offer(fresh);
    for (const name of fresh) {
      const { values } = await store.field(name),
        shown = values.filter(Boolean).slice(0, VALUES);
      if (values.length > 1 && values.length <= store.n / 2 + 2)
        this.filter.append(
          el(
            "optgroup",
            { label: name },
            ...shown.map((value) => el("option", { value: JSON.stringify([name, value]) }, value.slice(0, 60))),
          ),
        );
    }
    this.filter.hidden = this.filter.length < 2;
    if (fresh.length) this.chosen();
  }

  filtered() {
    const [field, value] = this.filter.value ? JSON.parse(this.filter.value) : ["", ""];
    go({ field, value, doc: null });
  }

  draw() {
    const { q } = this.ctx.route;
    if (document.activeElement !== this.input) this.input.value = q;
    this.fill();
    this.chosen();
  }

  /** Show the current filter. */
  chosen() {
    const { field, value } = this.ctx.route;
    const wanted = field ? JSON.stringify([field, value]) : "";
    this.lone?.remove();
    if (field && ![...this.filter.options].some((each) => each.value === wanted))
      this.filter.append((this.lone = el("option", { value: wanted }, value)));
    this.filter.value = wanted;
  }
}
