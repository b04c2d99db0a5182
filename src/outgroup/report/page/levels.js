// The slider from few groups to many: names, colours, map and lists follow it, and a button makes it a decision.
import { level } from "./decisions.js";
import { button, counted, el, figure, refill, settled } from "./dom.js";
import { go } from "./route.js";

/** The number of groups, with the suggested numbers and their reasons. */
export class Levels {
  constructor(ctx) {
    this.ctx = ctx;
    this.slider = el("input", {
      type: "range",
      id: "level",
      min: 1,
      "aria-describedby": "level-reason",
      on: { input: () => this.to(Number(this.slider.value)) },
    });
    this.shown = el("output", { for: "level" });
    this.suggested = el("p", { class: "suggested", role: "group", "aria-label": "Suggested numbers of groups" });
    this.reason = el("p", { id: "level-reason", class: "soft" });
    this.keep = el("p", { class: "corrections" });
    /** @type {number | null} The number that the slider asks for, until it rests. */
    this.asked = null;
    this.go = settled(() => this.leave(this.asked), 40);
    this.element = el(
      "div",
      { class: "levels" },
      el("label", { for: "level" }, "Number of groups ", this.shown),
      el("span", { class: "ends" }, el("span", {}, "few"), this.slider, el("span", {}, "many")),
      this.suggested,
      this.reason,
      this.keep,
    );
  }

  /** Show a number at once, and its groups as soon as the slider rests. */
  to(count) {
    this.asked = this.slider.value = count;
    this.shown.textContent = figure(count);
    this.go();
  }

  leave(count) {
    this.asked = null;
    go({ level: count === this.ctx.store.usual ? null : count }, { replace: true });
  }

  draw() {
    const { store } = this.ctx,
      { level: shown, usual, finest } = store,
      suggested = store.summary.suggested.filter(([count]) => count <= finest);
    this.element.hidden = finest < 2;
    this.slider.max = finest;
    if (this.asked === null) this.slider.value = this.shown.textContent = shown;
    refill(
      this.suggested,
      suggested.length > 0 && el("span", {}, "suggested"),
      ...suggested.map(([count, why]) =>
        button(figure(count), () => this.to(count), { title: why, "aria-pressed": String(count === shown) }),
      ),
    );
    refill(this.reason, ...suggested.filter(([count]) => count === shown).map(([, why]) => el("bdi", {}, why)));
    refill(
      this.keep,
      shown !== usual &&
        button(`Keep ${counted(shown, "group")}`, () => store.decide(level(shown)), {
          disabled: Boolean(store.fixed),
          title: store.fixed || "One decision; undo takes it back",
        }),
      shown !== usual && button(`Back to ${usual}`, () => this.leave(usual)),
    );
  }
}
