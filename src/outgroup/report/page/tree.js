// The tree of groups: next merges, next splits, and the loss at each number of groups.
import { cut, leaves, together } from "./branches.js";
import { button, counted, el, figure, refill } from "./dom.js";
import { decider, groupLink, percent, tone } from "./pieces.js";
import { href } from "./route.js";

const NEXT = 6,
  LOSSES = 30;
const loss = (share) =>
  share > 0 && share < 0.0005 ? "less than 0.05\u00a0%" : `${figure(100 * share, share < 0.01 ? 2 : 1)}\u00a0%`;

/** The tree of the middle column, folded to a chosen number of groups. */
export class TreeView {
  constructor(ctx) {
    this.ctx = ctx;
    const { groups, summary } = ctx.store;
    this.count = Math.min(groups.length, summary.levels?.at(-1)?.length ?? 12);
    this.slider = el("input", {
      type: "range",
      min: 1,
      max: ctx.store.groups.length,
      value: this.count,
      id: "folds",
      on: {
        input: () => {
          this.count = Number(this.slider.value);
          this.draw();
        },
      },
    });
    this.said = el("output", { for: "folds" });
    this.folds = el("p", { class: "fold" }, el("label", { for: "folds" }, "Groups "), this.slider, this.said);
    this.branches = el("ol", { class: "branches" });
    this.bars = el("ol", { class: "losses", "aria-label": "Loss of each merge" });
    this.element = el("div", { class: "tree scrolls", tabindex: "0", role: "region", "aria-label": "Tree of groups" });
  }

  draw() {
    const { store } = this.ctx,
      { tree, groups } = store.summary,
      k = groups.length,
      drawn = `${store.taken}|${store.decisions.length}|${store.closed}`;
    if (!tree.merges.length)
      return refill(
        this.element,
        el("p", { class: "soft" }, "There is only one group, so there is no tree."),
        ...(tree.splits.length ? [el("h3", {}, "It would split into"), this.splits(tree.splits)] : []),
      );
    this.fold(tree.merges, k);
    if (this.drawn === drawn) return;
    this.drawn = drawn;
    refill(
      this.element,
      el("h3", {}, "Folded by likeness"),
      this.folds,
      this.bars,
      el("p", { class: "soft" }, "Loss of each merge, down to one group; click a bar to fold to that number."),
      this.branches,
      el("h3", {}, "Next merges"),
      this.merges(tree.merges, k),
      el("h3", {}, "Next splits"),
      this.splits(tree.splits),
    );
  }

  fold(merges, k) {
    const { store } = this.ctx,
      nodes = leaves(merges, k),
      sizes = store.sizes(),
      there = merges.length + 1;
    const whole = this.count === Number(this.slider.max); // all groups stay all of them when there are others
    this.slider.max = there;
    this.slider.value = this.count = whole ? there : Math.min(this.count, there);
    const lost = merges.slice(0, there - this.count).reduce((sum, each) => sum + each.loss, 0);
    this.said.textContent =
      this.count === there ? ` ${there}, as they are` : ` ${this.count}, which loses ${loss(lost)} of the coherence`;
    const total = (members) => members.reduce((sum, number) => sum + (sizes.get(number) ?? 0), 0);
    const branches = cut(merges, k, this.count)
      .map((node) => nodes[node])
      .sort((a, b) => total(b) - total(a));
    refill(this.branches, ...branches.filter(total).map((members) => this.branch(members, total(members), sizes)));
    this.profile(merges);
  }

  branch(members, total, sizes) {
    const { store } = this.ctx,
      named = members.length === 1 ? store.name(members[0]) : this.named(members, sizes, 4);
    const inside =
      members.length > 1 &&
      el(
        "ul",
        {},
        ...members
          .filter((number) => sizes.get(number))
          .map((number) =>
            el(
              "li",
              {},
              groupLink(this.ctx, number),
              el("span", { class: "num soft" }, ` ${figure(sizes.get(number))}`),
            ),
          ),
      );
    const head = members.length === 1 ? groupLink(this.ctx, members[0]) : el("b", {}, el("bdi", {}, named));
    return el(
      "li",
      { class: tone(members[0]) },
      el("p", {}, head, el("span", { class: "num soft" }, ` ${figure(total)}, ${percent(total / store.n)}`)),
      inside,
    );
  }

  /** The name of a branch: that of its level, or else its words. */
  named(members, sizes, count) {
    const groups = members.map((number) => this.ctx.store.summary.groups[number]),
      full = members.filter((number) => sizes.get(number)).sort((a, b) => a - b),
      named = (this.ctx.store.summary.levels ?? []).flat().find(([, each]) => each.join() === full.join());
    return named?.[0] ?? together(groups, sizes, count);
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
            () => {
              this.slider.value = this.count = count;
              this.draw();
            },
            {
              "aria-label": label,
              title: label,
              "aria-pressed": count === this.count,
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
      sizes = store.sizes();
    const name = (node) => (node < k ? groupLink(this.ctx, node) : el("bdi", {}, this.named(nodes[node], sizes)));
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
            a < k && b < k && el("a", { href: href({ view: "compare", group: a, with: b, doc: null }) }, "compare"),
            decider(this.ctx, "Merge", () => this.ctx.decideMerge([...nodes[a], ...nodes[b]])),
          ),
        ),
      ),
    );
  }

  splits(splits) {
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
            groupLink(this.ctx, group),
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
