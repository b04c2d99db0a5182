// The list of groups, always in view: by size, by number, or folded by likeness.
import { el, figure, refill } from "./dom.js";
import { Levels } from "./levels.js";
import { meter, tone, trustSign } from "./pieces.js";
import { href } from "./route.js";
import { TRUST } from "./store.js";

const FOLDED = 12,
  MANY = 24,
  ORDERS = ["largest first", "by number", "by likeness"],
  BY_TRUST = "by trust";

/** A list with sizes, or with hits of a search. */
export class GroupList {
  constructor(ctx) {
    this.ctx = ctx;
    const many = ctx.store.summary.groups.length > MANY;
    this.order = el(
      "select",
      { "aria-label": "Order of the groups", on: { change: () => this.draw() } },
      ...ORDERS.map((said, i) => el("option", { selected: many ? i === 2 : i === 0 }, said)),
    );
    this.levels = new Levels(ctx);
    this.entries = el("ol");
    this.list = el("div", { class: "group-list" }, this.entries);
    this.element = el(
      "nav",
      { class: "groups", "aria-label": "Groups" },
      el("div", { class: "head" }, el("h2", {}, "Groups"), this.order),
      this.levels.element,
      this.list,
    );
    this.open = new Set();
  }

  draw() {
    const { store, found } = this.ctx,
      known = store.fields.includes(TRUST);
    if (known && this.order.options.length === ORDERS.length) this.order.append(el("option", {}, BY_TRUST));
    if (known) this.trusted = new Map(store.summary.groups.map(({ number, figures }) => [number, figures]));
    this.levels.draw();
    this.sizes = store.sizes();
    this.counts = found ? found.groups : this.sizes;
    this.most = Math.max(1, ...store.summary.groups.map(({ number }) => this.count(number)));
    const parts = this.order.selectedIndex === 2 ? this.folded() : this.flat();
    const all = el(
      "li",
      {},
      el(
        "a",
        { class: "entry all", href: href({ group: null, doc: null }), "aria-current": this.ctx.route.group === null },
        el("span", { class: "what" }, found ? "All hits" : "All documents"),
        el("span", { class: "num" }, figure(found ? found.total : store.n)),
      ),
    );
    const out = this.sizes.get(-1) ? [this.entry(-1)] : [];
    refill(this.entries, all, ...parts, ...out);
  }

  /** The sort order; new groups keep their place until trust is known. */
  trust(number) {
    return this.trusted?.get(number)?.score ?? -1;
  }

  /** The cell after a group: its merge target or its trust; a placeholder until then keeps the layout stable. */
  sign(number) {
    const { store } = this.ctx,
      merged = store.effects.merged.get(number),
      group = store.summary.groups[number];
    if (merged !== undefined) return el("span", { class: "sign" }, `\u2192 ${merged}`);
    if (store.effects.done.has(number))
      return el("span", { class: "sign", title: "No fit moves its documents" }, "done");
    if (store.effects.split.has(number)) return el("span", { class: "sign" }, "split");
    if (!group) return null;
    if (store.trustFollows) return el("span", { class: "sign", title: "Trust is still being measured" }, "\u2026");
    return trustSign(this.ctx, { trust: this.trusted?.get(number)?.word });
  }

  count(number) {
    return this.counts.get(number) ?? 0;
  }

  numbers() {
    const numbers = this.ctx.store.summary.groups
      .map(({ number }) => number)
      .filter((number) => this.sizes.get(number));
    if (this.order.value === BY_TRUST) return numbers.sort((a, b) => this.trust(b) - this.trust(a) || a - b);
    return this.order.selectedIndex === 1 ? numbers : numbers.sort((a, b) => this.count(b) - this.count(a) || a - b);
  }

  flat() {
    const empty = this.ctx.store.groups.filter(({ number }) => !this.sizes.get(number)).map(({ number }) => number);
    const said = empty.length
      ? [
          el(
            "li",
            { class: "soft empty" },
            empty.length === 1
              ? `Group ${empty[0]} is empty.`
              : `Groups ${empty.slice(0, -1).join(", ")} and ${empty.at(-1)} are empty.`,
          ),
        ]
      : [];
    return [...this.numbers().map((number) => this.entry(number)), ...said];
  }

  folded() {
    const total = (members) => members.reduce((sum, number) => sum + this.count(number), 0);
    return this.ctx.store
      .branchesOf(FOLDED)
      .sort((a, b) => total(b) - total(a))
      .map((members) => (members.length === 1 ? this.entry(members[0]) : this.branch(members, total(members))));
  }

  branch(members, total) {
    const { store, route } = this.ctx,
      key = members.join(),
      name = store.branchName(members);
    const inside = members.includes(route.group);
    const part = el(
      "details",
      {
        open: inside || this.open.has(key),
        on: { toggle: (event) => (event.target.open ? this.open.add(key) : this.open.delete(key)) },
      },
      el(
        "summary",
        {},
        el("span", { class: "what" }, el("b", {}, `${members.length} groups: `), el("bdi", {}, name)),
        el("span", { class: "num" }, figure(total)),
      ),
      el("ol", {}, ...members.map((number) => this.entry(number))),
    );
    return el("li", { class: "branch" }, part);
  }

  entry(number) {
    const { store, route, found } = this.ctx,
      count = this.count(number),
      sign = this.sign(number);
    const number_ = number < 0 ? null : el("span", { class: "n" }, number);
    return el(
      "li",
      {},
      el(
        "a",
        {
          style: this.ctx.tint(-1, number),
          class: `entry ${tone(number)}${found && !count ? " none" : ""}`,
          href: href({ group: number, doc: null }),
          "aria-current": route.group === number,
          "data-group": number,
        },
        el(
          "span",
          { class: "what" },
          el("span", { class: `spot ${number < 0 ? "out" : ""}` }),
          number_,
          number_ && " ",
          el("bdi", {}, store.name(number)),
        ),
        el("span", { class: "num" }, figure(count)),
        meter(count / (this.most ?? 1)),
        sign,
      ),
    );
  }
}
