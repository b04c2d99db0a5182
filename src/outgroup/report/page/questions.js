// The most informative questions, in the panel and next to their subject.
import { belongs, merge, offTopic, regroup, split } from "./decisions.js";
import { button, counted, el, figure, once, refill } from "./dom.js";
import { ask } from "./live.js";
import { below, decider, groupLink, short, tone } from "./pieces.js";
import { go, href } from "./route.js";
import { Tray } from "./tray.js";

const STAY = "outgroup-stay";

/** A tray that asks. */
export class Questions extends Tray {
  constructor(ctx) {
    super(ctx);
    this.card = el("div", { class: "card-of" });
    this.told = el("div", { class: "last", role: "status" }); // it stays in sight, and is read out when it changes
    this.question = el("section", { class: "question", "aria-label": "Question" }, this.card, this.told);
    Object.assign(this, { asked: 0, proposals: [], worth: 0, looking: true, passed: new Set(), junk: null });
  }

  async propose() {
    const turn = ++this.asked;
    try {
      const { proposals, worth, looking, junk_seen: junk, promise } = await ask("next");
      await this.ctx.store.meet(proposals.map(({ id }) => id).filter((id) => id !== null));
      if (turn !== this.asked) return;
      Object.assign(this, { proposals, worth, looking, junk, promise });
      if (this.tab === "next") this.draw();
      else this.askHere();
    } catch {
      /* the first groups are not there yet */
    }
  }

  /** What is proposed and not answered yet, of groups that there are. */
  open() {
    const { store } = this.ctx,
      { split: halved, merged, documents } = store.effects;
    const there = new Set([null, ...store.groups.map(({ number }) => number).filter((number) => !merged.has(number))]);
    const whole = (group) => !halved.has(group),
      unread = (id) => store.rowOf(id) >= 0 && !documents.has(id);
    const unanswered = ({ id, group }) => (id === null ? whole(group) : unread(id));
    const stands = ({ group, rival }) => there.has(group) && there.has(rival);
    return this.proposals.filter((each) => !this.passed.has(nameOf(each)) && stands(each) && unanswered(each));
  }

  /** Open what is proposed first, or after what was opened last: a question may be left open. */
  first() {
    const open = this.open(),
      each = open[(open.findIndex((one) => nameOf(one) === this.opened) + 1) % open.length];
    if (!each)
      return this.ctx.tell(this.looking ? "Looking for questions; try again in a moment." : "No questions now.");
    this.opened = nameOf(each);
    if (each.kind === "again") return this.again(each);
    return go(each.id === null ? { group: each.group, doc: null } : this.placeOf(each.id));
  }

  /** Lead to a question that is about all groups, and to its first answer. */
  async again({ why }) {
    go({ group: null, doc: null });
    await this.ctx.follow();
    this.question.querySelector(".answers button")?.focus();
    this.ctx.tell(why);
  }

  /** The question about what is read, or undefined. */
  here() {
    const {
        doc,
        route: { group },
        store,
      } = this.ctx,
      id = doc < 0 ? null : store.row(doc).id;
    return this.open().find((each) => each.kind !== "again" && each.id === id && (id !== null || each.group === group));
  }

  /** The question that is shown whole: the one about what is read; where nothing is chosen, the next one. */
  current() {
    const {
        doc,
        route: { group },
      } = this.ctx,
      open = this.open();
    if (doc >= 0 || group !== null) return this.here();
    return open.find((each) => nameOf(each) === this.opened) ?? open[0];
  }

  /** Show the question, on its own, so that nothing else changes. */
  askHere() {
    const each = this.current();
    const next = button(
      ["Next question ", el("kbd", {}, "o")],
      once(() => this.first()),
      { class: "copy" },
    );
    const shown = each ? this.whole(each) : this.open().length ? [el("p", { class: "answers" }, next)] : [];
    const trouble = this.trouble();
    refill(this.card, ...(trouble ? [trouble] : [this.progress(), ...shown]));
    this.question.classList.toggle("idle", !each && !trouble);
    this.moveOn();
  }

  /** What keeps the groups from following; null where nothing does. */
  trouble() {
    return null;
  }

  /** How many questions are worth asking, when to stop, and whether an answer leads on. */
  progress() {
    const { store } = this.ctx,
      open = this.open().length,
      some = counted(this.worth, "question");
    const stop = open ? "You can stop: only border cases are left" : "You can stop: no question is left";
    const left = this.worth ? `${some} left, then stop` : this.looking ? "Looking for questions \u2026" : stop;
    const said = store.closed || left;
    const change = ({ target }) => {
      this.stay = target.checked;
    };
    const box = el("input", { type: "checkbox", checked: this.stay, on: { change } });
    return el("p", { class: "progress" }, el("span", {}, said), el("label", {}, box, " stay after an answer"));
  }

  /** Whether an answer leaves one where one is; the browser keeps it. */
  get stay() {
    return localStorage.getItem(STAY) === "yes";
  }
  set stay(yes) {
    localStorage.setItem(STAY, yes ? "yes" : "no");
  }

  /** Go on to the next question where the one about what is read was answered. */
  moveOn() {
    const { ctx, before } = this,
      {
        doc,
        route: { group },
        store,
      } = ctx,
      here = this.here();
    const count = store.decisions.length;
    this.before = here && { name: nameOf(here), place: here.id ?? here.group, count };
    const answered = before && (count > before.count || this.passed.has(before.name));
    const same = before?.place === (doc >= 0 ? store.row(doc).id : group);
    if (answered && same && !here && !this.stay && this.open().length) this.first();
  }

  /** Answer with yes where it is asked whether a group is one. */
  yes() {
    const each = this.current();
    if (each?.kind !== "mixed") return false;
    this.pass(each);
    this.ctx.tell("The group stays as it is.");
    return true;
  }

  /** Where a document is read that is asked about: not in a group that was chosen before, unless it is in that. */
  placeOf(id) {
    const {
      store,
      route: { group },
    } = this.ctx;
    return { doc: id, group: store.row(store.rowOf(id)).group === group ? group : null };
  }

  proposal(each) {
    const { id, kind, group } = each,
      { store } = this.ctx;
    if (kind === "again") return el("li", { class: "again" }, el("b", {}, "All groups"), ...this.content(each));
    if (id === null) return el("li", {}, groupLink(this.ctx, group), ...this.content(each));
    const row = store.row(store.rowOf(id)),
      title = el("bdi", { class: "title" }, short(row.title, 70));
    const opens = { href: href(this.placeOf(id)), on: { click: () => this.fold() } };
    return el(
      "li",
      {},
      el("a", opens, title, el("span", { class: "text", dir: "auto" }, below(row, 110))),
      el("p", { class: "soft" }, ...this.where(each)),
      ...this.content(each),
    );
  }

  /** A question in the card: what it is about, unless that is read below, and its answers. */
  whole(each) {
    const { id, kind, group } = each,
      { store } = this.ctx;
    if (this.here() || kind === "again") return this.content(each);
    if (id === null) return [el("p", { class: "about" }, groupLink(this.ctx, group)), ...this.content(each)];
    const row = store.row(store.rowOf(id)),
      [why, answers] = this.content(each);
    const title = el("bdi", { class: "title" }, short(row.title, 90));
    const text = el("span", { class: "text", dir: "auto" }, below(row, 420));
    return [
      el("p", { class: "about" }, el("a", { href: href(this.placeOf(id)) }, title), text),
      el("p", { class: "soft where" }, ...this.where(each)),
      why,
      answers,
    ];
  }

  /** The groups of a question about a document. */
  where({ kind, group, rival }) {
    const own = groupLink(this.ctx, group);
    if (rival === null) return [own];
    const between = { between: " or ", typical: "; the nearest group is " }[kind] ?? "; nearest to it is ";
    return [own, between, groupLink(this.ctx, rival)];
  }

  /** A question, and what can be answered at once. */
  content(each) {
    const { why, kind, id, group } = each,
      more =
        kind === "again"
          ? [" Other documents move to where they and the documents like them fit best; undo takes it back."]
          : id === null
            ? this.halves(group)
            : [];
    return [
      el("p", { class: "soft" }, why, ...more),
      el(
        "p",
        { class: "answers" },
        ...this.answers(each),
        this.later(each, kind === "mixed" ? "leave it as one" : "not now"),
      ),
    ];
  }

  /** The groups in question, or junk; to split a group, or to find all again. */
  answers({ id, kind, group, rival }) {
    const { store, actions } = this.ctx,
      plain = (said, decision) => [decider(this.ctx, said, () => store.decide(decision()), { class: "copy" })];
    if (kind === "again") return plain("find again", regroup);
    if (id === null) return plain("split it", () => split(group));
    const decide = (decision, said, title) =>
      decider(this.ctx, said, () => store.decide(decision), { class: "copy", title });
    const named = (said, number) => [`${said} `, el("span", { class: `spot ${tone(number)}` }), number];
    const to = (number, said) =>
      decide(belongs(id, number), named(said, number), `It belongs to ${number} ${store.name(number)}`);
    if (kind === "off-topic") return [decide(offTopic(id), "junk"), to(group, "keep in")];
    const same = () =>
      decide(
        merge([group, rival].sort((a, b) => a - b)),
        named("same as", rival),
        `Merge ${group} with ${rival} ${store.name(rival)}`,
      );
    const own = { part: "stays in", typical: "yes,", between: "it is" }[kind],
      other = () => (kind === "typical" ? same() : to(rival, kind === "part" ? "goes to" : "it is"));
    return [
      to(group, own),
      rival !== null && other(),
      store.groups.length > 1 && decider(this.ctx, "another \u2026", () => actions.belongs("", id), { class: "copy" }),
    ].filter(Boolean);
  }

  /** On a small screen what is opened would lie beneath the panel. */
  fold = () => {
    if (innerWidth <= 960) this.box.open = false;
  };

  /** What the parts of a group are about, where that is known. */
  halves(group) {
    const found = this.ctx.store.summary.tree.splits.find((each) => each.group === group);
    if (!found) return [];
    const half = (i) => [el("bdi", {}, found.words[i].join(", ")), ` (${figure(found.sizes[i])})`];
    return [" One is about ", ...half(0), ", the other about ", ...half(1), "."];
  }

  /** Pass over a proposal: the workbench asks no more about it until it is started again. */
  later(each, said) {
    return button(
      said,
      once(() => this.pass(each)),
      { class: "copy" },
    );
  }

  async pass(each) {
    const name = nameOf(each);
    this.passed.add(name);
    this.ctx.draw();
    try {
      await ask("put_off", { name });
    } catch (error) {
      this.ctx.tell(error.message);
    }
    this.look();
  }
}

/** What a proposal is passed over by. */
const nameOf = ({ id, kind, group } = {}) => id ?? (kind === "again" ? kind : `group:${group}`);
