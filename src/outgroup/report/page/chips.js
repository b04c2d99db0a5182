// What the page is narrowed down to, as chips; a click removes one. Links to it, to copy or to keep under a name.
import { ask, choose } from "./dialog.js";
import { button, el, refill } from "./dom.js";
import { endsOf } from "./filters.js";
import { short } from "./pieces.js";
import { go } from "./route.js";

const KEYED = 9;

/** The chips, and the buttons of the link and of the saved views. */
export class Chips {
  constructor(ctx) {
    this.ctx = ctx;
    this.key = `outgroup-views-${ctx.store.key}`;
    this.chips = el("div", { class: "chips", role: "group", "aria-label": "Filters" });
    const copy = () => ctx.copy(location.href, "The link to this view");
    this.links = el(
      "div",
      { class: "links" },
      button("Copy link", copy, { class: "copy" }),
      button("Views \u2026", () => this.menu(), { class: "copy" }),
    );
  }

  draw() {
    const { store, route } = this.ctx,
      { group, where } = route;
    const all = where.map(([name, value], at) => [
      `${name}: ${endsOf(value)?.join(" to ") ?? (value || "none")}`,
      { where: where.filter((_, i) => i !== at) },
    ]);
    if (group !== null) all.push([`${group < 0 ? "" : `${group} `}${store.name(group)}`, { group: null }]);
    const chip = ([text, changes]) =>
      button([el("bdi", {}, short(text, 40)), " \u00d7"], () => go({ ...changes, doc: null }), {
        class: "copy",
        title: text,
        "aria-label": `Remove filter ${text}`,
      });
    refill(this.chips, ...all.map(chip));
  }

  /** The saved views, [name, address] each. */
  get saved() {
    try {
      return JSON.parse(localStorage.getItem(this.key) ?? "[]");
    } catch {
      return [];
    }
  }
  set saved(views) {
    try {
      localStorage.setItem(this.key, JSON.stringify(views));
    } catch {
      this.ctx.tell("This browser keeps no views; copy the link.");
    }
  }

  /** Open a saved view, save this one, or delete one. */
  async menu() {
    const { saved } = this,
      listed = saved.map(([label], i) => ({ value: i, label, key: i < KEYED ? String(i + 1) : null }));
    const picked = await choose("Views", [
      ...listed,
      { value: "save", label: "Save this view \u2026", key: "s" },
      ...(saved.length ? [{ value: "delete", label: "Delete a view \u2026", key: "d" }] : []),
    ]);
    if (picked === "save") {
      const name = await ask("Save this view", { label: "Name", wrong: (text) => (text.trim() ? "" : "Type a name.") });
      if (name) this.saved = [...saved.filter(([each]) => each !== name), [name, location.hash]];
    } else if (picked === "delete") {
      const gone = await choose("Delete a view", listed);
      if (gone !== null) this.saved = saved.filter((_, i) => i !== gone);
    } else if (picked !== null) location.hash = saved[picked][1];
  }
}
