// Two versions side by side: figures, groups, and moved documents.
import { button, counted, el, figure, refill } from "./dom.js";
import { ask } from "./live.js";
import { groupLink, short, tone } from "./pieces.js";
import { go, href } from "./route.js";
import { called, cameFrom, when } from "./versions.js";

const TITLE = 60;

/** The middle column's comparison of two versions. */
export class Sides {
  /** @type {string} The pair of versions and what is shown of them. */
  key = "";
  /** @type {any} */
  found = null;
  wrong = "";
  /** @type {Map<string, string[]>} Ids of documents that moved, by pair of groups. */
  more = new Map();

  constructor(ctx) {
    this.ctx = ctx;
    this.element = el("div", {
      class: "compare scrolls",
      tabindex: "0",
      role: "region",
      "aria-label": "Two versions side by side",
    });
  }

  draw() {
    const { versions } = this.ctx.store.state,
      [before, after] = this.pair();
    if (before === undefined)
      return refill(
        this.element,
        el("p", { class: "soft" }, "There is only one version. The next decision creates another."),
      );
    const key = `${before}|${after}|${this.ctx.store.taken}`,
      two = [versions[before - 1], versions[after - 1]];
    if (this.key !== key) this.fetch(key, before, after);
    const found = this.key === key && this.found;
    refill(
      this.element,
      el(
        "div",
        { class: "pair" },
        this.pick("before", "First version", before, after),
        this.pick("after", "Second version", after, before),
      ),
      el("div", { class: "pair" }, ...two.map((each) => this.side(each))),
      ...(found
        ? [el("h3", {}, found.said), this.ways(found), el("h3", {}, "Groups of both"), this.groups(found, two)]
        : [el("p", { class: "soft" }, this.key === key && this.wrong ? this.wrong : "Comparing \u2026")]),
    );
  }

  /** The versions compared: those of the address, or the current version and the one before. */
  pair() {
    const {
        store: {
          state: { versions, version },
        },
        route,
      } = this.ctx,
      there = (given) => (Number(given) >= 1 && Number(given) <= versions.length ? Number(given) : undefined);
    const after = there(route.after) ?? version,
      before = there(route.before) ?? (after > 1 ? after - 1 : versions.length > 1 ? after + 1 : undefined);
    return before === after ? [after > 1 ? after - 1 : there(after + 1), after] : [before, after];
  }

  pick(key, label, chosen, other) {
    const { versions } = this.ctx.store.state,
      shown = versions.filter(({ number }) => number !== other).reverse();
    return el(
      "select",
      { "aria-label": label, on: { change: (event) => go({ [key]: Number(event.target.value) }) } },
      ...shown.map((each) =>
        el("option", { value: each.number, selected: each.number === chosen }, short(called(each), 40)),
      ),
    );
  }

  /** One version: name, time, origin and figures. */
  side(version) {
    const { name, made, groups, away, decisions, quality } = version,
      here = version.number === this.ctx.store.state.version;
    const rows = [
      ["groups", figure(groups)],
      ["decisions", figure(decisions)],
      ["in no group", figure(away)],
      ...Object.entries(quality ?? {}).map(([key, value]) => [key.toUpperCase(), figure(value, 3)]),
    ];
    return el(
      "div",
      {},
      el(
        "p",
        {},
        el("b", {}, `Version ${version.number}`),
        here && " (here)",
        name && [" ", el("bdi", { class: "called" }, name)],
      ),
      el("p", { class: "soft" }, [made && when(made), cameFrom(version)].filter(Boolean).join(", ")),
      el(
        "dl",
        { class: "facts" },
        ...rows.flatMap(([term, value]) => [el("dt", {}, term), el("dd", { class: "num" }, value)]),
      ),
    );
  }

  async fetch(key, before, after) {
    this.key = key;
    this.found = null;
    this.wrong = "";
    this.more = new Map();
    try {
      const found = await ask(`compare?before=${before}&after=${after}`);
      await this.ctx.store.meet(found.ways.flatMap(({ such }) => such));
      if (this.key === key) this.found = found;
    } catch (error) {
      if (this.key === key) this.wrong = error.message;
    }
    if (this.key === key) this.draw();
  }

  ways({ ways, n_ways: count, groups }) {
    const names = new Map(groups.map(({ number, names: two }) => [number, two]));
    if (!ways.length) return el("p", { class: "soft" }, "No document moved.");
    const listed = ways.map((way) =>
      el(
        "li",
        {},
        el(
          "p",
          {},
          `${counted(way.count, "document")} from `,
          group(way.before, names.get(way.before)?.[0]),
          " to ",
          group(way.after, names.get(way.after)?.[1]),
        ),
        this.documents(way),
      ),
    );
    return el(
      "ol",
      { class: "ways" },
      ...listed,
      count > ways.length && el("li", { class: "soft" }, `and ${counted(count - ways.length, "pair")} of groups more`),
    );
  }

  /** The first documents of a move; a click loads all. */
  documents(way) {
    const { store } = this.ctx,
      own = `${way.before}|${way.after}`,
      ids = (this.more.get(own) ?? way.such).filter((id) => store.rowOf(id) >= 0),
      left = way.count - ids.length;
    return el(
      "ul",
      { class: "such" },
      ...ids.map((id) =>
        el(
          "li",
          {},
          el("a", { href: href({ doc: id }) }, el("bdi", {}, short(store.row(store.rowOf(id)).title, TITLE))),
        ),
      ),
      left > 0 &&
        el(
          "li",
          {},
          this.more.has(own)
            ? el("span", { class: "soft" }, `and ${figure(left)} more`)
            : button(`and ${figure(left)} more`, () => this.all(way, own), {
                class: "copy",
                "aria-label": `and ${figure(left)} more from ${way.before} to ${way.after}`,
              }),
        ),
    );
  }

  async all({ before, after }, own) {
    const { key, more } = this,
      [first, second] = this.pair();
    try {
      const ids = await ask(`moved?before=${first}&after=${second}&left=${before}&joined=${after}`);
      await this.ctx.store.meet(ids);
      more.set(own, ids);
    } catch (error) {
      this.ctx.tell(error.message);
    }
    if (this.key === key) this.draw();
  }

  groups({ groups }, two) {
    const { version } = this.ctx.store.state,
      cell = ({ number, names, sizes }, i) =>
        el(
          "td",
          {},
          ...(names[i] === null
            ? [el("span", { class: "soft" }, "\u2013")]
            : [
                two[i].number === version ? groupLink(this.ctx, number, { view: "map" }) : group(number, names[i]),
                el("span", { class: "num soft" }, ` ${figure(sizes[i])}`),
              ]),
        );
    const changed = [...groups].sort((a, b) => b.joined + b.left - a.joined - a.left || a.number - b.number);
    const rows = changed.map((each) =>
      el(
        "tr",
        {},
        cell(each, 0),
        cell(each, 1),
        el(
          "td",
          { class: "r" },
          [each.joined && `+${figure(each.joined)}`, each.left && `\u2212${figure(each.left)}`]
            .filter(Boolean)
            .join(" "),
        ),
      ),
    );
    return el(
      "table",
      { class: "plain" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          ...two.map(({ number }) => el("th", { scope: "col" }, `Version ${number}`)),
          el("th", { scope: "col", class: "r" }, "came, left"),
        ),
      ),
      el("tbody", {}, ...rows),
    );
  }
}

/** A group with its name in a version. */
const group = (number, name) =>
  el(
    "span",
    { class: "group-link" },
    el("span", { class: `spot ${tone(number)}` }),
    number < 0 ? "no group" : [el("span", { class: "n" }, number), " ", el("bdi", {}, name ?? "")],
  );
