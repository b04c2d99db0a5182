// What to look at next: the questions whose answers teach the groups most, in the panel and beside what they are about.
import { belongs, merge, offTopic, regroup, split } from "./decisions.js";
import { button, el, figure, once, refill } from "./dom.js";
import { ask } from "./live.js";
import { below, decider, groupLink, short, tone } from "./pieces.js";
import { go, href } from "./route.js";
import { Tray } from "./tray.js";

/** A tray that asks. */
export class Questions extends Tray {
  constructor(ctx) {
    super(ctx);
    this.question = el("section", { class: "question", "aria-label": "Asked about it", hidden: true });
    Object.assign(this, { asked: 0, proposals: [], looking: true, passed: new Set(), junk: null });
  }

  async propose() {
    const turn = ++this.asked;
    try {
      const { proposals, looking, junk_seen: junk, promise } = await ask("next");
      await this.ctx.store.meet(proposals.map(({ id }) => id).filter((id) => id !== null));
      if (turn !== this.asked) return;
      Object.assign(this, { proposals, looking, junk, promise });
      if (this.tab === "next") this.draw(); else this.askHere();
    } catch { /* the first groups are not there yet */ }
  }

  /** What is proposed and not answered yet, of groups that there are. */
  open() {
    const { store } = this.ctx, there = new Set([null, ...store.groups.map(({ number }) => number)]);
    return this.proposals.filter((each) => !this.passed.has(nameOf(each))).filter(({ id, group, rival }) => there.has(group) && there.has(rival) && (id === null ? group === null || !store.effects.split.has(group) : store.rowOf(id) >= 0 && !store.effects.documents.has(id)));
  }

  /** Open what is proposed first, or after what was opened last: a question may be left open. */
  first() {
    const open = this.open(), each = open[(open.findIndex((one) => nameOf(one) === this.opened) + 1) % open.length];
    if (!each) return this.ctx.tell(this.looking ? "It is still being looked for what to ask; a moment." : "Nothing is proposed now.");
    this.opened = nameOf(each);
    if (each.kind === "again") return this.again(each);
    return go(each.id === null ? { group: each.group, doc: null } : this.placeOf(each.id));
  }

  /** Lead to a question that is about all groups, and to its first answer. */
  again({ why }) {
    this.tab = "next";
    this.box.open = true;
    this.draw();
    this.part.querySelector(".again button")?.focus();
    this.ctx.tell(why);
  }

  /** The question about what is read, or undefined. */
  here() {
    const { doc, route: { group }, store } = this.ctx, id = doc < 0 ? null : store.row(doc).id;
    return this.open().find((each) => each.kind !== "again" && each.id === id && (id !== null || each.group === group));
  }

  /** Show what is asked about what is read beside it, where it can be answered; of its own, so that nothing else changes. */
  askHere() {
    const each = this.here();
    this.question.hidden = !each;
    refill(this.question, ...(each ? this.content(each) : []));
  }

  /** Answer with yes where it is asked whether the group that is read is one. */
  yes() {
    const each = this.ctx.doc < 0 && this.here();
    if (!each) return false;
    this.pass(each);
    this.ctx.tell("It is left as one.");
    return true;
  }

  /** Where a document is read that is asked about: not in a group that was chosen before, unless it is in that. */
  placeOf(id) {
    const { store, route: { group } } = this.ctx;
    return { doc: id, group: store.row(store.rowOf(id)).group === group ? group : null };
  }

  proposal(each) {
    const { id, kind, group, rival } = each, { store } = this.ctx;
    if (kind === "again") return el("li", { class: "again" }, el("b", {}, "All groups"), ...this.content(each));
    if (id === null) return el("li", {}, groupLink(this.ctx, group), ...this.content(each));
    const row = store.row(store.rowOf(id)), other = rival !== null && groupLink(this.ctx, rival);
    const where = kind === "between" && other ? [groupLink(this.ctx, group), " or ", other] : other ? [groupLink(this.ctx, group), "; nearest to it is ", other] : [groupLink(this.ctx, group)];
    return el("li", {}, el("a", { href: href(this.placeOf(id)), on: { click: () => this.fold() } }, el("bdi", { class: "title" }, short(row.title, 70)), el("span", { class: "text", dir: "auto" }, below(row, 110))), el("p", { class: "soft" }, ...where), ...this.content(each));
  }

  /** A question, and what can be answered at once. */
  content(each) {
    const { why, kind, id, group } = each, more = kind === "again" ? [" Other documents move to where they and the documents like them fit best; undo takes it back."] : id === null ? this.halves(group) : [];
    return [el("p", { class: "soft" }, why, ...more), el("p", { class: "answers" }, ...this.answers(each), this.later(each, kind === "mixed" ? "leave it as one" : "not now"))];
  }

  /** The groups in question, or junk; to split a group, or to find all again. */
  answers({ id, kind, group, rival }) {
    const { store, actions } = this.ctx, plain = (said, decision) => [decider(this.ctx, said, () => store.decide(decision()), { class: "copy" })];
    if (kind === "again") return plain("find again", regroup);
    if (id === null) return plain("split it", () => split(group));
    const decide = (decision, said, title) => decider(this.ctx, said, () => store.decide(decision), { class: "copy", title });
    const named = (said, number) => [`${said} `, el("span", { class: `spot ${tone(number)}` }), number];
    const to = (number, said) => decide(belongs(id, number), named(said, number), `It belongs to ${number} ${store.name(number)}`);
    if (kind === "off-topic") return [decide(offTopic(id), "junk"), to(group, "keep in")];
    const same = () => decide(merge([group, rival].sort((a, b) => a - b)), named("same as", rival), `Merge ${group} with ${rival} ${store.name(rival)}`);
    const own = { part: "stays in", typical: "yes,", between: "it is" }[kind], other = () => (kind === "typical" ? same() : to(rival, kind === "part" ? "goes to" : "it is"));
    return [to(group, own), rival !== null && other(), store.groups.length > 1 && decider(this.ctx, "another \u2026", () => actions.belongs("", id), { class: "copy" })].filter(Boolean);
  }

  /** On a small screen what is opened would lie beneath the panel. */
  fold = () => { if (innerWidth <= 960) this.box.open = false; };

  /** What the parts of a group are about, where that is known. */
  halves(group) {
    const found = this.ctx.store.summary.tree.splits.find((each) => each.group === group);
    if (!found) return [];
    const half = (i) => [el("bdi", {}, found.words[i].join(", ")), ` (${figure(found.sizes[i])})`];
    return [" One is about ", ...half(0), ", the other about ", ...half(1), "."];
  }

  /** Pass over a proposal: the workbench asks no more about it until it is started again. */
  later(each, said) { return button(said, once(() => this.pass(each)), { class: "copy" }); }

  async pass(each) {
    const name = nameOf(each);
    this.passed.add(name);
    this.ctx.draw();
    try { await ask("put_off", { name }); } catch (error) { this.ctx.tell(error.message); }
    this.look();
  }
}

/** What a proposal is passed over by. */
const nameOf = ({ id, kind, group } = {}) => id ?? (kind === "again" ? kind : `group:${group}`);
