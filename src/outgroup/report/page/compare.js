// Two groups side by side: the words that tell them apart, and the documents between them.
import { counted, el, figure, refill } from "./dom.js";
import { below, groupLink, ranked, tone } from "./pieces.js";
import { go, href } from "./route.js";

const WORDS = 14,
  SHARED = 12,
  BETWEEN = 8;

/** The middle column's comparison of the group chosen and another. */
export class Comparison {
  constructor(ctx) {
    this.ctx = ctx;
    this.element = el("div", {
      class: "compare scrolls",
      tabindex: "0",
      role: "region",
      "aria-label": "Two groups side by side",
    });
  }

  draw() {
    const { store, route } = this.ctx,
      [a, b] = this.pair();
    if (b === undefined) return refill(this.element, el("p", { class: "soft" }, "There is only one group."));
    const pick = (key, chosen, other) =>
      el(
        "select",
        {
          "aria-label": key === "group" ? "First group" : "Second group",
          on: { change: (event) => go({ [key]: Number(event.target.value), doc: null }) },
        },
        ...store.groups
          .filter(({ number }) => number !== other)
          .map(({ number }) =>
            el(
              "option",
              { value: number, selected: number === chosen },
              `${number} ${store.name(number).slice(0, 40)}`,
            ),
          ),
      );
    const between = this.between(a, b);
    store.read(between.slice(0, BETWEEN))?.then(() => this.draw());
    const parts = [
      el("div", { class: "pair" }, pick("group", a, b), pick("with", b, a)),
      el("div", { class: "pair" }, this.side(a, b), this.side(b, a)),
      this.shared(a, b),
      el("h3", {}, `Between them: ${counted(between.length, "document")} of one whose second best is the other`),
      el("ol", { class: "few" }, ...between.slice(0, BETWEEN).map((i) => this.document(i))),
      between.length > BETWEEN &&
        el("p", { class: "soft" }, `and ${figure(between.length - BETWEEN)} more, surer than these`),
    ];
    refill(this.element, ...parts);
    if (route.with === null && route.group !== null) this.element.scrollTop = 0;
  }

  /** The groups compared: those of the address, or the chosen group and its next merge. */
  pair() {
    const { store, route } = this.ctx,
      numbers = store.groups.map(({ number }) => number),
      there = (number) => numbers.includes(number);
    const { merges } = store.summary.tree;
    const a = there(route.group) ? route.group : Math.min(merges[0]?.a ?? numbers[0], merges[0]?.b ?? numbers[0]);
    const next = merges.find((each) => each.a === a || each.b === a),
      mate = next && (next.a === a ? next.b : next.a);
    const b =
      there(route.with) && route.with !== a ? route.with : there(mate) ? mate : numbers.find((number) => number !== a);
    return [a, b];
  }

  side(own, other) {
    const { store } = this.ctx,
      against = new Map(store.summary.groups[other].words);
    const words = store.summary.groups[own].words
      .map(([word, weight]) => [word, weight - (against.get(word) ?? 0), against.has(word)])
      .filter(([, weight]) => weight > 0)
      .sort((x, y) => y[1] - x[1])
      .slice(0, WORDS);
    return el(
      "div",
      { class: tone(own) },
      el(
        "p",
        {},
        groupLink(this.ctx, own, { view: "map", with: null }),
        el("span", { class: "num soft" }, ` ${figure(store.sizes().get(own) ?? 0)}`),
      ),
      ranked(this.ctx, words, own),
    );
  }

  /** The words of both groups, by their total weight. */
  shared(a, b) {
    const { groups } = this.ctx.store.summary,
      other = new Map(groups[b].words),
      both = groups[a].words.filter(([word]) => other.has(word));
    const words = both
      .map(([word, weight]) => [word, weight + other.get(word)])
      .sort((x, y) => y[1] - x[1])
      .slice(0, SHARED)
      .map(([word]) => word);
    return words.length > 0 && el("p", { class: "soft" }, "In both: ", el("bdi", {}, words.join(", ")));
  }

  between(a, b) {
    const { group, rival } = this.ctx.store.columns;
    return this.ctx.store
      .list({ sort: "uncertain" })
      .filter((i) => (group[i] === a && rival[i] === b) || (group[i] === b && rival[i] === a));
  }

  document(i) {
    const row = this.ctx.store.row(i),
      { id, title, group } = row;
    return el(
      "li",
      {},
      el(
        "a",
        { href: href({ doc: id }) },
        el(
          "span",
          { class: "line" },
          el("span", { class: `spot ${tone(group)}` }),
          el("bdi", { class: "title" }, title),
        ),
        el("span", { class: "text", dir: "auto" }, below(row, 140)),
      ),
    );
  }
}
