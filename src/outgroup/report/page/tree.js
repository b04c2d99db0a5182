// The tree of groups: next merges, next splits, and the loss at each number of groups.
import { cut, leaves, together } from "./branches.js";
import { button, counted, el, figure, refill } from "./dom.js";
import { decider, groupLink, percent, short, tone } from "./pieces.js";
import { href } from "./route.js";

const NEXT = 6,
  LOSSES = 30,
  LEAVES = 40, // groups of a drawn tree; of more, the folded ones are drawn
  ROOMY = { line: 22, names: 250, wide: 300, letters: 38 }, // of the drawn tree: names, then branches to the root
  NARROW = { line: 44, names: 220, wide: 110, letters: 30 }; // for fingers
const SVG = "http://www.w3.org/2000/svg";
const loss = (share) =>
  share > 0 && share < 0.0005 ? "less than 0.05\u00a0%" : `${figure(100 * share, share < 0.01 ? 2 : 1)}\u00a0%`;

/** The tree of the middle column: the fitted groups, cut at the number of groups shown. */
export class TreeView {
  count = 0;

  constructor(ctx) {
    this.ctx = ctx;
    this.said = el("p", { class: "soft" });
    this.branches = el("ol", { class: "branches" });
    this.drawing = document.createElementNS(SVG, "svg");
    this.bars = el("ol", { class: "losses", "aria-label": "Loss of each merge" });
    this.element = el("div", { class: "tree scrolls", tabindex: "0", role: "region", "aria-label": "Tree of groups" });
  }

  draw() {
    const { store } = this.ctx,
      { tree, groups } = store.fitted.summary,
      k = groups.length,
      drawn = `${store.taken}|${store.decisions.length}|${store.closed}|${store.level}`;
    if (!tree.merges.length)
      return refill(
        this.element,
        el("p", { class: "soft" }, "There is only one group, so there is no tree."),
        ...(tree.splits.length ? [el("h3", {}, "It would split into"), this.splits(tree.splits)] : []),
      );
    if (this.drawn === drawn) return;
    this.drawn = drawn;
    this.count = Math.min(store.level, tree.merges.length + 1);
    this.fold(tree.merges, k);
    refill(
      this.element,
      el("h3", {}, "Folded by likeness"),
      this.said,
      this.drawing,
      this.bars,
      el("p", { class: "soft" }, "Loss of each merge, down to one group; click a bar to show that number of groups."),
      this.branches,
      el("h3", {}, "Next merges"),
      this.merges(tree.merges, k),
      el("h3", {}, "Next splits"),
      this.splits(tree.splits),
    );
  }

  fold(merges, k) {
    const nodes = leaves(merges, k),
      sizes = this.sizes(),
      there = merges.length + 1;
    const lost = merges.slice(0, there - this.count).reduce((sum, each) => sum + each.loss, 0);
    this.said.textContent =
      this.count === there
        ? `${there} groups, as they were fitted`
        : `${this.count} of ${there} groups, which loses ${loss(lost)} of the coherence`;
    const total = (members) => members.reduce((sum, number) => sum + (sizes.get(number) ?? 0), 0);
    const branches = cut(merges, k, this.count)
      .map((node) => nodes[node])
      .sort((a, b) => total(b) - total(a));
    refill(this.branches, ...branches.filter(total).map((members) => this.branch(members, total(members), sizes)));
    this.profile(merges);
    this.sketch(merges, k, sizes);
  }

  /** The documents of each fitted group. */
  sizes() {
    return new Map(this.ctx.store.fitted.summary.groups.map(({ number, size }) => [number, size]));
  }

  /** Draw the tree from left, its leaves, to right, its root; a line marks the fold. */
  sketch(merges, k, sizes) {
    const { store } = this.ctx,
      { line: high, names, wide, letters } = matchMedia("(max-width: 46rem)").matches ? NARROW : ROOMY,
      nodes = leaves(merges, k),
      tips = cut(merges, k, Math.min(LEAVES, this.count < merges.length + 1 ? Math.max(this.count, 12) : LEAVES)),
      there = new Set(tips),
      at = new Map(),
      lost = /** @type {number[]} */ ([]);
    merges.reduce((sum, each, t) => (lost[t] = sum + each.loss), 0);
    const all = Math.max(lost.at(-1) ?? 0, 1e-9),
      place = (t) => names + 8 + (wide - 16) * Math.sqrt(lost[t] / all);
    const made = (tag, values, ...inside) => {
      const one = document.createElementNS(SVG, tag);
      for (const [name, value] of Object.entries(values)) one.setAttribute(name, String(value));
      one.append(...inside);
      return one;
    };
    const parts = [];
    let line = 0;
    const tip = (node) => {
      const members = nodes[node].filter((number) => sizes.get(number)),
        one = members.length === 1 ? members[0] : null,
        name =
          one === null
            ? `${members.length} groups: ${together(
                members.map((number) => store.fitted.summary.groups[number]),
                sizes,
              )}`
            : `${one} ${store.fittedName(one)}`;
      const y = high * (line++ + 0.5),
        text = made("text", { x: names - 16, y: y + 4, "text-anchor": "end" }, short(name, letters)),
        area = made("rect", { y: y - high / 2, width: names, height: high, fill: "transparent" });
      parts.push(
        one === null ? text : made("a", { href: href({ group: one, doc: null }) }, area, text),
        made("circle", { cx: names - 6, cy: y, r: 4, class: tone(members[0] ?? -1) }),
      );
      at.set(node, [names, y]);
    };
    const walk = (node) => {
      if (there.has(node)) return tip(node);
      const { a, b } = merges[node - k];
      walk(a);
      walk(b);
      const [[xa, ya], [xb, yb]] = [at.get(a), at.get(b)],
        x = place(node - k);
      parts.push(made("path", { d: `M${xa} ${ya}H${x}V${yb}H${xb}` }));
      at.set(node, [x, (ya + yb) / 2]);
    };
    walk(k + merges.length - 1);
    const step = merges.length + 1 - this.count;
    if (step > 0) {
      const x = (place(step - 1) + (step < merges.length ? place(step) : names + wide)) / 2;
      parts.push(made("path", { d: `M${x} 0V${high * line}`, class: "cut" }));
    }
    this.drawing.setAttribute("viewBox", `0 0 ${names + wide} ${high * line}`);
    this.drawing.setAttribute("class", "drawn-tree");
    this.drawing.setAttribute("role", "group");
    this.drawing.setAttribute("aria-label", "Tree of the groups: groups that join further left are more alike");
    this.drawing.replaceChildren(...parts);
  }

  branch(members, total, sizes) {
    const { store } = this.ctx,
      named = this.named(members, sizes, 4),
      link = (number) => groupLink(this.ctx, number, {}, store.fittedName(number));
    const inside =
      members.length > 1 &&
      el(
        "ul",
        {},
        ...members
          .filter((number) => sizes.get(number))
          .map((number) =>
            el("li", {}, link(number), el("span", { class: "num soft" }, ` ${figure(sizes.get(number))}`)),
          ),
      );
    const head = members.length === 1 ? link(members[0]) : el("b", {}, el("bdi", {}, named));
    return el(
      "li",
      { class: tone(members[0]) },
      el("p", {}, head, el("span", { class: "num soft" }, ` ${figure(total)}, ${percent(total / store.n)}`)),
      inside,
    );
  }

  /** The name of a branch: that of its level, or else its words. */
  named(members, sizes, count) {
    const { store } = this.ctx;
    const name = store.levelName(store.within(members, store.fitted.home));
    return (
      name ??
      together(
        members.map((each) => store.fitted.summary.groups[each]),
        sizes,
        count,
      )
    );
  }

  /** A bar for each number of groups: the loss of the merge that leads to it. */
  profile(merges) {
    const last = merges.slice(-LOSSES),
      most = Math.max(...last.map((each) => each.loss), 1e-9),
      first = last.length + 1;
    refill(
      this.bars,
      ...last.map((each, t) => {
        const count = first - t - 1,
          label = `To ${counted(count, "group")}: loses ${loss(each.loss)}`;
        return el(
          "li",
          {},
          button(
            el("span", { style: { height: `${Math.max(2, (100 * each.loss) / most).toFixed(1)}%` } }),
            () => this.ctx.groups.levels.to(count),
            {
              "aria-label": label,
              title: label,
              "aria-pressed": String(count === this.count),
              class: count < this.count ? "over" : "",
            },
          ),
        );
      }),
    );
  }

  merges(merges, k) {
    const { store } = this.ctx,
      nodes = leaves(merges, k),
      sizes = this.sizes();
    const link = (node) => groupLink(this.ctx, node, {}, store.fittedName(node));
    const name = (node) => (node < k ? link(node) : el("bdi", {}, this.named(nodes[node], sizes)));
    return el(
      "ul",
      { class: "next" },
      ...merges.slice(0, NEXT).map(({ a, b, loss: lost }) =>
        el(
          "li",
          {},
          el("span", {}, name(a), " with ", name(b), el("span", { class: "soft" }, ` loses ${loss(lost)}`)),
          el(
            "span",
            { class: "corrections" },
            decider(this.ctx, "Merge", () => this.ctx.decideMerge([...nodes[a], ...nodes[b]])),
          ),
        ),
      ),
    );
  }

  splits(splits) {
    const { store } = this.ctx;
    return el(
      "ul",
      { class: "next" },
      ...splits.slice(0, NEXT).map(({ group, gain, sizes, words }) =>
        el(
          "li",
          {},
          el(
            "span",
            {},
            groupLink(this.ctx, group, {}, store.fittedName(group)),
            " into ",
            ...[0, 1].flatMap((i) => [
              i ? " and " : "",
              el("bdi", {}, words[i].join(", ")),
              el("span", { class: "num soft" }, ` (${figure(sizes[i])})`),
            ]),
            el("span", { class: "soft" }, `, gains ${loss(gain)}`),
          ),
          el(
            "span",
            { class: "corrections" },
            decider(this.ctx, "Split", () => this.ctx.decideSplit(group)),
          ),
        ),
      ),
    );
  }
}
