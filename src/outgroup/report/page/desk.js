// The panel of the workbench: questions, decisions with outcomes, versions, export.
import { button, counted, el, figure, once, refill, settled } from "./dom.js";
import { ask } from "./live.js";
import { short } from "./pieces.js";
import { Questions } from "./questions.js";
import { href } from "./route.js";
import { curve, lines, since } from "./versions.js";

const TABS = [
  ["said", "Decisions"],
  ["next", "Look at next"],
  ["versions", "Versions"],
];
const SHOWN = 10,
  NAMED = 3,
  FILE = "steering.toml",
  EXPORT = "Write these groups as a result folder";

/** The panel over a store that refits after each decision. */
export class Desk extends Questions {
  constructor(ctx) {
    super(ctx);
    this.receipts = new Map();
    this.most = SHOWN;
    this.known = ctx.store.decisions.length;
    this.part = el("div", { class: "desk-part" });
    this.knobs = el("p", { class: "corrections knobs" });
    this.box.open = innerWidth > 960;
    this.tab = "said";
    this.element.className = "tray desk";
    this.element.setAttribute("aria-label", "Work list");
    this.element.append(
      button(
        "Next question",
        once(() => this.first()),
        { class: "copy onward" },
      ),
    ); // where there is no key for it
    this.look = settled(() => this.propose(), 300);
    ctx.store.tell = (message) => ctx.tell(message);
    ctx.store.answered = () => this.look();
    ctx.store.progressed = () => this.draw();
  }

  draw() {
    const { store } = this.ctx,
      { state } = store;
    const seen = `${store.taken}|${store.decisions.length}`;
    if (this.seen !== seen) {
      this.seen = seen;
      this.receipts.clear();
      this.look();
      this.followed();
    }
    const tabs = el(
      "div",
      { class: "desk-tabs" },
      ...TABS.map(([tab, said]) =>
        button(
          said,
          () => {
            this.tab = tab;
            this.most = SHOWN;
            this.draw();
          },
          { "aria-pressed": String(tab === this.tab) },
        ),
      ),
    );
    refill(this.told, ...this.last(), this.message && el("p", { class: "soft", dir: "auto" }, this.message));
    refill(
      this.part,
      { next: () => this.next(), said: () => this.said(), versions: () => this.versions(state) }[this.tab](),
    );
    const { away, off } = store;
    refill(
      this.knobs,
      button(["Undo ", el("kbd", {}, "z")], () => store.undo(), { disabled: away || !store.decisions.length }),
      button(["Redo ", el("kbd", {}, "Z")], () => store.redo(), { disabled: away || !store.canRedo }),
      button(
        "Export",
        once(() => this.out()),
        { class: "main", disabled: Boolean(off), title: off || EXPORT },
      ),
      el("a", { class: "copy", href: `/api/${FILE}`, download: FILE, title: "Your decisions as a file" }, FILE),
    );
    const summary = el("summary", {}, el("b", {}, "Work list "), el("span", { class: "soft" }, this.status()));
    refill(this.box, summary, tabs, this.part);
    this.askHere();
  }

  /** Fetch the outcome of the last decision after the fit; show it as a message if the panel is hidden. */
  async followed() {
    const { decisions, state, pending } = this.ctx.store,
      last = decisions.length - 1,
      fresh = decisions.length > this.known;
    if (!decisions.length || state.busy || pending.length) return;
    this.known = decisions.length;
    await this.tellReceipt(last);
    const found = this.receipts.get(last);
    const inSight = innerWidth > 960 && this.told.querySelector(".came")?.checkVisibility();
    if (fresh && found && !found.waiting && !inSight) this.ctx.mention(receipt(this.ctx, found).textContent);
  }

  /** The last decision, with its outcome after the fit. */
  last() {
    const { store } = this.ctx,
      { decisions } = store,
      found = this.receipts.get(decisions.length - 1);
    if (!decisions.length) return [];
    return [
      el("p", {}, ...this.words(decisions.at(-1))),
      found && !found.waiting
        ? receipt(this.ctx, found)
        : el(
            "p",
            { class: "soft" },
            store.away || (store.state.error && !store.state.busy)
              ? "The groups do not include it."
              : "The groups follow \u2026",
          ),
    ];
  }

  trouble() {
    const { store } = this.ctx,
      { error, busy } = store.state;
    if (store.away) return gone(store);
    return error && !busy ? el("p", { class: "gone", role: "alert", dir: "auto" }, error) : null;
  }

  status() {
    const { store } = this.ctx,
      { state } = store;
    if (store.away) return "The workbench does not answer.";
    const left = state.progress?.left,
      doing = left > 0.5 ? `, ${figure(left, left < 10 ? 1 : 0)} s left` : "";
    if (state.error && !state.busy) return "The last fit failed.";
    if (store.rough) return `Preview; the full fit follows${doing} \u2026`;
    if (state.busy || store.pending.length) return `The groups follow${doing} \u2026`;
    return `version ${state.version}, ${counted(store.decisions.length, "decision")}`;
  }

  /** The estimated share of junk seen, as a sentence. */
  found(share = this.junk ?? 0) {
    return `You have seen an estimated ${share < 0.01 ? "less than 1" : figure(100 * share)} % of the junk.`;
  }

  /** The text next to the off-topic documents: keys, guarantee of the threshold, share of junk seen. */
  ofJunk() {
    const documents = [...this.ctx.store.effects.documents.values()],
      junk = documents.filter(({ groups }) => groups?.length === 0).length;
    const seen =
      this.junk === null ? "After five of each kind, this shows the estimated share of junk seen." : this.found();
    const key = (letter) => el("kbd", {}, letter),
      throws = [key("x"), " throws a document away, "];
    const keys = [
      "Read on with ",
      key("j"),
      "; ",
      ...throws,
      key("y"),
      " keeps it in the group that it is nearest to.",
    ];
    const count = `${counted(junk, "document")} thrown away, ${figure(documents.length - junk)} put to groups.`;
    const soft = el("p", { class: "soft" }, `${count} ${seen} ${this.promise ?? ""}`);
    return [el("p", { class: "by-key" }, ...keys), soft];
  }

  next() {
    if (this.ctx.store.stuck)
      return [
        el(
          "p",
          { class: "soft" },
          "This is a preview from a part of the documents. The full fit failed (see above), so decisions are off: " +
            "end the workbench, fix the error, and start it again.",
        ),
      ];
    if (this.ctx.store.rough)
      return [
        el(
          "p",
          { class: "soft" },
          "This preview shows a sample of the documents. You can decide once the full fit is ready.",
        ),
      ];
    const shown = this.open().slice(0, SHOWN);
    const seen = this.junk === null ? null : el("p", { class: "soft" }, this.found());
    if (!shown.length)
      return [
        el(
          "p",
          { class: "soft" },
          this.looking ? "Looking for the most informative questions \u2026" : "No questions now.",
        ),
        seen,
      ];
    return [el("ol", { class: "proposals" }, ...shown.map((each) => this.proposal(each))), seen];
  }

  /** The number of earlier lines; a click shows them. */
  earlier(count) {
    return (
      count > this.most &&
      el(
        "li",
        {},
        button(
          `and ${counted(count - this.most, "earlier one")}`,
          () => {
            this.most = Infinity;
            this.draw();
          },
          { class: "copy" },
        ),
      )
    );
  }

  said() {
    const { decisions } = this.ctx.store,
      first = Math.max(0, decisions.length - this.most);
    const keys = " Open a document and press the number of its group, or x for junk; ? shows all keys.";
    const none = el("p", { class: "soft" }, "No decisions yet.", el("span", { class: "by-key" }, keys));
    if (!decisions.length) return [none];
    this.meet(decisions.slice(first));
    return [
      el(
        "ol",
        { reversed: true, "aria-live": "polite" },
        ...decisions
          .slice(first)
          .map((each, i) => this.decision(each, first + i))
          .reverse(),
        this.earlier(decisions.length),
      ),
    ];
  }

  /** Fetch the documents of decisions, and draw again after a fetch. */
  meet(decisions) {
    this.ctx.store
      .meet(
        decisions
          .filter(Boolean)
          .map(({ documents }) => documents?.[0])
          .filter(Boolean),
      )
      ?.then(() => this.draw());
  }

  /** A line of the log, with its outcome; a click takes it back. */
  decision(each, number) {
    const { store } = this.ctx,
      found = this.receipts.get(number);
    const undo = button(
      "undo",
      once(() => store.undo(number)),
      { class: "copy", disabled: store.away || number >= store.state.decisions.length },
    );
    return el(
      "li",
      { class: "decided" },
      el("span", {}, ...this.words(each, this.since(number + 1))),
      undo,
      found ? receipt(this.ctx, found) : button("what came of it?", () => this.tellReceipt(number), { class: "copy" }),
    );
  }

  /** @returns {any} */
  since(count) {
    return since(this.ctx.store.decisions, count);
  }

  /** Whether the decisions of a version are still in force; otherwise its group numbers may differ. */
  lasting({ last, decisions }) {
    return JSON.stringify(this.ctx.store.decisions[decisions - 1]) === JSON.stringify(last);
  }

  async tellReceipt(number) {
    try {
      const { store } = this.ctx,
        [document] = store.decisions[number].documents ?? [],
        found = await ask(`receipt?decision=${number}`);
      await store.meet([
        ...(document === undefined ? [] : [document]),
        ...(found.moved ?? []).slice(0, NAMED).map(({ id }) => id),
      ]);
      this.receipts.set(number, found);
    } catch (error) {
      this.ctx.tell(error.message);
    }
    this.draw();
  }

  versions(state) {
    const { versions } = state,
      shown = versions.slice(Math.max(0, versions.length - this.most)),
      [said, rows] = lines(this, shown, state);
    this.meet(shown.map(({ last }) => last));
    return [
      said,
      curve(versions),
      el("ol", { reversed: true, class: "versions" }, ...rows, this.earlier(versions.length)),
    ];
  }

  /** Show a lasting message below the question. */
  note(message) {
    this.message = message;
    this.draw();
  }

  async out() {
    this.note("Writing the result \u2026");
    try {
      this.note(`Written to ${(await ask("export", {})).folder}`);
    } catch (error) {
      this.note(error.message);
    }
  }
}

/** Instructions for an unreachable server. */
const gone = ({ stranger }) =>
  el(
    "p",
    { class: "gone", role: "alert" },
    stranger
      ? "The workbench was restarted and does not know this page: open the address that it printed in this browser; " +
          "this page then continues."
      : "The workbench ended or cannot be reached. Run its command again and open the address that it prints: " +
          "--project keeps every saved decision.",
  );

function receipt(ctx, { waiting, said, contradicts, n_moved: count, moved, shared }) {
  if (waiting) return el("span", { class: "soft" }, "the groups do not include it yet");
  const first = moved.slice(0, NAMED).filter(({ id }) => ctx.store.rowOf(id) >= 0);
  return el(
    "p",
    { class: "soft came" },
    said,
    count !== null && `; ${count ? counted(count, "document") : "no document"} moved`,
    first.length > 0 && " (",
    ...first.flatMap(({ id }, i) => [
      i ? ", " : "",
      el("a", { href: href({ doc: id }) }, el("bdi", {}, short(ctx.store.row(ctx.store.rowOf(id)).title, 30))),
    ]),
    first.length > 0 && ")",
    count > 0 && shared > 0 && ` (shared with ${counted(shared, "other decision")})`,
    contradicts.length > 0 && `; against it: ${listed(contradicts)}`,
  );
}

/** List the first entries and the number of others. */
const listed = (all) =>
  [...all.slice(0, NAMED), ...(all.length > NAMED ? [`and ${figure(all.length - NAMED)} more`] : [])].join(", ");
