// The corrections so far: the last ten, undo and redo, and the file for the next run.
import { said, toToml } from "./decisions.js";
import { button, clean, counted, el, refill } from "./dom.js";
import { short } from "./pieces.js";

const SHOWN = 10;

/** The corrections of a report, to download as a file. */
export class Tray {
  constructor(ctx) {
    this.ctx = ctx;
    this.box = el("details", { open: innerWidth > 960 });
    this.element = el("section", { class: "tray", "aria-label": "Corrections" }, this.box);
  }

  draw() {
    const { store } = this.ctx,
      { decisions } = store;
    this.element.hidden = !decisions.length && !store.canRedo;
    const again = [
      button(["Undo ", el("kbd", {}, "z")], () => store.undo(), { disabled: !decisions.length }),
      button(["Redo ", el("kbd", {}, "Z")], () => store.redo(), { disabled: !store.canRedo }),
    ];
    const hidden = decisions.length - SHOWN;
    const log = el(
      "ol",
      { reversed: true, "aria-live": "polite" },
      ...decisions
        .slice(-SHOWN)
        .reverse()
        .map((each) => this.line(each)),
      hidden > 0 && el("li", { class: "soft" }, `and ${counted(hidden, "earlier one")}`),
    );
    refill(
      this.box,
      el("summary", {}, el("b", {}, counted(decisions.length, "correction"))),
      log,
      el("p", { class: "corrections" }, ...again),
      decisions.length > 0 && this.handOver(),
    );
  }

  /** The text next to the off-topic documents: precision, and how to take one back. */
  ofJunk() {
    return [
      el("p", {}, this.ctx.store.summary.off_topic?.sure.replaceAll(" %", "\u00a0%")),
      el(
        "p",
        {},
        "To take one back, open it and press ",
        el("em", {}, "Is not junk"),
        " ",
        el("kbd", {}, "y"),
        " for its nearest group, or the number of another.",
      ),
    ];
  }

  /** Whether "yes" answered a question; a report has none. */
  yes() {
    return false;
  }

  /** Whether "no" answered a question; a report has none. */
  no() {
    return false;
  }

  line(decision, instead) {
    return el("li", {}, ...this.words(decision, instead));
  }

  /** A decision in words with names; `instead` gives the label if the number now means another group, else null. */
  words(decision, instead = (_group) => null) {
    const { store } = this.ctx;
    const called = {
      group: (group) =>
        typeof group === "string" ? short(group, 40) : `${group} ${instead(group) ?? short(store.name(group), 40)}`,
      document: (id) => {
        const i = store.rowOf(id);
        return i < 0 ? id : short(store.row(i).title, 48);
      },
    };
    const [what, rest] = said(decision, called);
    const source = decision.source === "model" && el("span", { class: "soft" }, " (the model)");
    return [el("bdi", {}, el("b", {}, what)), el("bdi", {}, rest), source];
  }

  handOver() {
    const { store, copy } = this.ctx,
      toml = () => toToml(store.decisions),
      next = store.summary.run.next ?? "outgroup cluster DOCS --from RESULT --steer steering.toml --out NEW";
    return el(
      "div",
      { class: "hand-over" },
      el(
        "p",
        { class: "corrections" },
        button("Download steering.toml", () => download(toml()), { class: "main" }),
        button("Copy it", () => copy(toml(), "steering.toml")),
      ),
      el(
        "p",
        { class: "soft" },
        "The browser saves steering.toml in its folder for downloads. Move it beside the documents, then run",
      ),
      el("pre", { tabindex: "0" }, el("code", {}, clean(next))),
      button("Copy the command", () => copy(next, "The command"), { class: "copy" }),
    );
  }
}

function download(toml) {
  const link = el("a", {
    href: URL.createObjectURL(new Blob([toml], { type: "application/toml" })),
    download: "steering.toml",
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
