// The most informative questions, in the panel and next to their subject.
import { merge, notAGroup, split } from "./decisions.js";
import { choose } from "./dialog.js";
import { button, counted, el, figure, once, refill } from "./dom.js";
import { ask } from "./live.js";
import { below, decider, groupLink, short, tone } from "./pieces.js";
import { go, href } from "./route.js";
import { Tray } from "./tray.js";

const STAY = "outgroup-stay",
  SHOWN = 3, // documents of a group
  WORDS = 4, // of a group
  LAST = 10; // answers of which the mean effect is shown

/** Whether a question is about several documents. */
const apart = ({ documents }) => Boolean(documents);

/** What questions about several documents are about, and their two answers. */
const SEVERAL = {
  new: ["Proposed group", "a new group ", "not a group "],
  pocket: ["Perhaps junk", "junk ", "not junk "],
};

/** A tray with questions. */
export class Questions extends Tray {
  /** @type {any[]} */
  proposals = [];
  /** @type {number | null} The estimated share of junk seen. */
  junk = null;
  promise = "";
  tab = "next";
  /** Look for questions again. */
  look = () => {};
  /** @type {any} */
  before = null;
  opened = "";
  led = ""; // the question that led to the selection
  /** @type {Record<string, string>} Answers of the person to questions that the model answered, too. */
  given = {};

  constructor(ctx) {
    super(ctx);
    this.card = el("div", { class: "card-of" });
    this.told = el("div", { class: "last", role: "status" }); // it stays in sight, and is read out when it changes
    this.question = el("section", { class: "question", "aria-label": "Question" }, this.card, this.told);
    this.asked = 0;
    this.looking = true;
    this.passed = new Set();
  }

  async propose() {
    const turn = ++this.asked;
    try {
      const { proposals, looking, junk_seen: junk, promise } = await ask("next");
      const { store } = this.ctx;
      await store.meet(proposals.flatMap(({ id, documents = [id] }) => documents.slice(0, SHOWN)).filter(Boolean));
      const pairs = proposals.filter(({ kind }) => kind === "typical");
      await store.read(pairs.flatMap(({ group, rival }) => [...this.typical(group), ...this.typical(rival)]));
      if (turn !== this.asked) return;
      this.looking = looking;
      if (!looking) {
        // until then, those of the version before stay
        this.proposals = proposals;
        this.junk = junk;
        this.promise = promise;
      }
      if (this.tab === "next") this.draw();
      else this.askHere();
    } catch {
      /* the first groups are not there yet */
    }
  }

  /** The open questions about existing groups. */
  open() {
    const { store } = this.ctx,
      { split: halved, merged, documents, refused } = store.effects;
    const there = new Set([null, ...store.groups.map(({ number }) => number).filter((number) => !merged.has(number))]);
    const whole = (group) => !halved.has(group),
      unread = (id) => store.rowOf(id) >= 0 && !documents.has(id);
    const asked = ([id]) => !documents.has(id) && !refused.has(id);
    const unanswered = ({ id, group, documents: some }) =>
      some ? asked(some) : id === null ? whole(group) : unread(id);
    const stands = ({ group, rival }) => there.has(group) && there.has(rival);
    return this.proposals.filter((each) => !this.passed.has(nameOf(each)) && stands(each) && unanswered(each));
  }

  /** Open the next question after the last one opened. */
  first() {
    const open = this.open(),
      each = open[(open.findIndex((one) => nameOf(one) === this.opened) + 1) % open.length];
    if (!each)
      return this.ctx.tell(this.looking ? "Looking for questions; try again in a moment." : "No questions now.");
    this.opened = this.led = nameOf(each);
    if (apart(each)) return this.several(each);
    return go(each.id === null ? { group: each.group, doc: null } : this.placeOf(each.id));
  }

  /** Go to the question about several documents and focus its first answer. */
  async several({ why }) {
    go({ group: null, doc: null });
    await this.ctx.follow();
    const first = this.question.querySelector(".answers button");
    first?.setAttribute("aria-description", why); // read out with the button
    first?.focus();
  }

  /** The question about the open document or group, or undefined. */
  here() {
    const {
        doc,
        route: { group },
        store,
      } = this.ctx,
      id = doc < 0 ? null : store.row(doc).id;
    return this.open().find((each) => !apart(each) && each.id === id && (id !== null || each.group === group));
  }

  /** The question shown in full: about the selection, else the next one. */
  current() {
    const {
        doc,
        route: { group },
      } = this.ctx,
      open = this.open();
    if (doc >= 0 || group !== null) return this.here();
    return open.find((each) => nameOf(each) === this.opened) ?? open[0];
  }

  /** Draw the question alone. */
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

  /** An alert that explains why the groups do not follow, or null. */
  trouble() {
    return null;
  }

  /** What the last answers brought, when to stop, and the choice to stay after an answer. */
  progress() {
    const { store } = this.ctx,
      none = this.looking ? "Looking for questions \u2026" : "You can stop: no question is left";
    const said = store.closed || (this.open().length ? this.brought() : none);
    const change = ({ target }) => {
      this.stay = target.checked;
    };
    const box = el("input", { type: "checkbox", checked: this.stay, on: { change } });
    return el("p", { class: "progress" }, el("span", {}, said), el("label", {}, box, " stay after an answer"));
  }

  /** The mean number of documents that the last answers moved, as measured; ten of them with less than one each end
   *  the questions. */
  brought() {
    const { versions } = this.ctx.store.state;
    let answers = 0,
      moved = 0;
    for (let number = versions.length; number && answers < LAST; number = versions[number - 1].origin) {
      const { decisions, origin, moved: count } = versions[number - 1];
      if (origin !== number - 1) continue; // after an undo, `moved` is not from the origin
      answers += decisions - versions[origin - 1].decisions;
      moved += count;
    }
    if (!answers) return "The answers that move most documents come first";
    const mean = moved / answers,
      last = answers === 1 ? "The last answer" : `The last ${figure(answers)} answers`,
      stop = answers >= LAST && mean < 1 ? ": answers bring little now, you can stop" : "";
    return `${last} moved ${figure(mean, answers > 1 && mean < 10 ? 1 : 0)} ${mean === 1 ? "document" : "documents"}${answers === 1 ? "" : " each"}${stop}`;
  }

  /** Whether to stay after an answer; saved by the browser. */
  get stay() {
    return localStorage.getItem(STAY) === "yes";
  }
  set stay(yes) {
    localStorage.setItem(STAY, yes ? "yes" : "no");
  }

  /** Open the next question after an answer about the selection, if a question led there: a list keeps its place. */
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
    if (!before || before.name !== this.led) return;
    if (!same) this.led = "";
    else if (answered && !here && !this.stay && this.open().length) this.first();
  }

  /** Answer no to a question about several documents; return whether this was the question. */
  no() {
    const each = this.current();
    if (!each?.documents) return false;
    this.ctx.store.decide(notAGroup(each.documents));
    return true;
  }

  /** Answer yes to a question about several documents or a mixed group; return whether this was the question. */
  yes() {
    const each = this.current();
    if (each?.documents) {
      this.ctx.store.decide(each.decision);
      return true;
    }
    if (each?.kind !== "mixed") return false;
    this.pass(each);
    this.ctx.tell("The group stays as it is.");
    return true;
  }

  /** The place to read a document: keep the chosen group only if it contains the document. */
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
    if (apart(each)) {
      return el("li", { class: "again" }, el("b", {}, SEVERAL[kind][0]), ...this.content(each));
    }
    if (id === null) return el("li", {}, groupLink(this.ctx, group), ...this.content(each));
    const row = store.row(store.rowOf(id)),
      title = el("bdi", { class: "title" }, short(row.title, 70));
    const opens = this.opens(each);
    return el(
      "li",
      {},
      el("a", opens, title, el("span", { class: "text", dir: "auto" }, below(row, 110))),
      el("p", { class: "soft" }, ...this.where(each)),
      ...this.content(each),
    );
  }

  /** A question in the card: its subject, unless it is open below, and its answers. */
  whole(each) {
    const { id, group, kind } = each,
      { store } = this.ctx;
    if (kind === "typical") return [...this.sides(each), ...this.content(each)];
    if (this.here() || apart(each)) return this.content(each);
    if (id === null) return [el("p", { class: "about" }, groupLink(this.ctx, group)), ...this.content(each)];
    const row = store.row(store.rowOf(id)),
      [why, answers] = this.content(each);
    const title = el("bdi", { class: "title" }, short(row.title, 90));
    const text = el("span", { class: "text", dir: "auto" }, below(row, 420));
    return [
      el("p", { class: "about" }, el("a", this.opens(each), title), text),
      el("p", { class: "soft where" }, ...this.where(each)),
      why,
      answers,
    ];
  }

  /** The properties of a link to the document of a question. */
  opens(each) {
    const click = () => {
      this.led = nameOf(each);
      this.fold();
    };
    return { href: href(this.placeOf(each.id)), on: { click } };
  }

  /** The groups of a question about a document. */
  where({ group, rival }) {
    const own = groupLink(this.ctx, group);
    return rival === null ? [own] : [own, "; the nearest group is ", groupLink(this.ctx, rival)];
  }

  /** The rows of the most typical documents of a group. */
  typical(group) {
    return this.ctx.store.list({ group }).slice(0, SHOWN);
  }

  /** Both groups of a question: their words and most typical documents. */
  sides({ group, rival }) {
    const { store } = this.ctx;
    return [group, rival].map((number) => {
      const words = store.groups.find((each) => each.number === number)?.words ?? [];
      const titles = this.typical(number).flatMap((row) => [
        " \u00b7 ",
        el("bdi", {}, short(store.row(row).title, 45)),
      ]);
      const about = words.slice(0, WORDS).map(([word]) => word);
      return el("p", { class: "soft" }, groupLink(this.ctx, number), ": ", el("bdi", {}, about.join(", ")), ...titles);
    });
  }

  /** How many documents an answer moves. */
  moves({ kind, moves }) {
    if (!moves) return "";
    if (kind === "document") return ` About ${counted(moves, "document")} would move to the second group with it.`;
    return ` ${counted(moves, "document")} would move if so.`;
  }

  /** A question and its answers. */
  content(each) {
    const { why, kind, id, group } = each,
      more = each.documents
        ? each.documents.slice(0, SHOWN).flatMap((one, i) => [i ? " \u00b7 " : " ", this.example(one)])
        : id === null
          ? this.halves(group)
          : [];
    return [
      el("p", { class: "soft" }, why, ...more, this.moves(each)),
      el(
        "p",
        { class: "answers" },
        ...this.answers(each),
        this.later(each, kind === "mixed" ? "leave it as one" : "not now"),
      ),
    ];
  }

  /** The title of a document of a proposed group. */
  example(id) {
    const { store } = this.ctx,
      row = store.rowOf(id),
      opens = { href: href(this.placeOf(id)), on: { click: () => this.fold() } };
    return row < 0 ? "" : el("a", opens, el("bdi", {}, short(store.row(row).title, 90)));
  }

  /** The answers: groups, junk, or a split. */
  answers(each) {
    const { id, kind, group, rival } = each,
      { store, actions } = this.ctx,
      plain = (said, run) => [decider(this.ctx, said, run, { class: "copy" })];
    if (each.documents)
      return [
        ...plain([SEVERAL[kind][1], el("kbd", {}, "y")], () => store.decide(each.decision)),
        ...plain([SEVERAL[kind][2], el("kbd", {}, "n")], () => store.decide(notAGroup(each.documents))),
      ];
    if (id === null) return plain("split it", () => store.decide(split(group)));
    const row = store.rowOf(id),
      decide = (run, said, title) => decider(this.ctx, said, run, { class: "copy", title }),
      put = async (number) => actions.place(await actions.documents([row]), number);
    const named = (said, number) => [`${said} `, el("span", { class: `spot ${tone(number)}` }), number];
    const to = (number, said) =>
      decide(() => put(number), named(said, number), `It belongs to ${number} ${store.name(number)}`);
    if (kind === "off-topic") return [decide(() => put(-1), "junk"), to(group, "keep in")];
    if (kind === "typical") {
      const both = named("yes, same as", rival),
        title = `Merge ${group} with ${rival} ${store.name(rival)}`;
      return [
        decide(() => put(group), "no, two groups", `${group} and ${rival} stay apart`),
        decide(() => store.decide(merge(store.bySize([group, rival]))), both, title),
      ];
    }
    return [
      to(group, "stays in"),
      to(rival, "goes to"),
      store.groups.length > 1 &&
        decider(this.ctx, "another \u2026", () => actions.belongs("", [row]), { class: "copy" }),
    ].filter(Boolean);
  }

  /** The chat model as a second person: ask it, check some of its answers, take its decisions back. */
  second() {
    const { store } = this.ctx,
      { model } = store.state,
      press = (said, run) => button(said, once(run), { class: "copy" }),
      own = store.decisions.filter(({ source }) => source === "model").length,
      given = Object.keys(this.given).length;
    const undo =
      own > 0 &&
      press(`Undo the ${counted(own, "answer")} of the model`, () => store.send("undo", { source: "model" }));
    if (!model) return undo ? [el("p", { class: "answers" }, undo)] : [];
    const { asking, answered, questions, cannot_tell: none, tokens, error, proved } = model,
      told = `${model.model} answered ${figure(answered)} of ${counted(questions, "question")}`,
      price = `, ${figure(none)} with \u201ccannot tell\u201d (${counted(tokens, "token")})`,
      rest = ". Answer some of them yourself: its other answers count where they prove better than the groups.";
    const said = [
      error,
      asking && !questions ? "Looking for questions \u2026" : questions > 0 && told + price + (asking ? "" : rest),
      ...proved,
    ];
    const runs = asking
      ? [press("Stop", () => store.send("stop_model", {}))]
      : [
          answered > 0 && press(given ? "Go on with the check" : "Check them \u2026", () => this.check()),
          given > 0 && press(`Use ${counted(given, "checked answer")}`, () => this.use()),
          press("Let the model answer \u2026", () => this.askModel(model)),
        ];
    return [
      el(
        "div",
        { role: "status" },
        ...said.filter(Boolean).map((line) => el("p", { class: "soft", dir: "auto" }, line)),
      ),
      el("p", { class: "answers" }, ...runs, undo),
    ];
  }

  /** Let the model answer, after a yes: texts leave the machine. */
  async askModel({ sent }) {
    const options = [
      { value: "yes", label: "Send them", key: "y" },
      { value: null, label: "Send nothing", key: "n" },
    ];
    if (!(await choose("Let the model answer", options, { about: [el("p", {}, sent)] }))) return;
    this.given = {};
    this.ctx.store.send("ask_model", {});
  }

  /** Ask the person some of the questions that the model answered, without its answers. */
  async check() {
    const { store } = this.ctx,
      keys = { one: "y", two: "n", "off-topic": "x", "cannot tell": "c" };
    for (const { key, shown, answers } of await ask("checks")) {
      if (this.given[key]) continue;
      const options = answers.map((each) => ({
        value: each,
        label: /^\d+$/.test(each) ? `${each} ${store.name(Number(each))}` : each,
        key: keys[each] ?? (each.length === 1 ? each : null),
      }));
      const lines = shown.split("\n"),
        about = [el("div", { class: "text left-out", dir: "auto" }, lines.slice(0, -1).join("\n"))],
        answer = await choose(lines.at(-1), options, { about });
      if (answer === null) return this.ctx.draw();
      this.given[key] = answer;
    }
    this.use();
  }

  /** Compare the answers of the person with those of the model, and decide. */
  use() {
    const answers = this.given;
    this.given = {};
    this.ctx.store.send("use_answers", { answers });
  }

  /** Close the panel on a small screen, where it would cover the document. */
  fold = () => {
    if (innerWidth <= 960) this.box.open = false;
  };

  /** The words of the two halves of a group, if known. */
  halves(group) {
    const found = this.ctx.store.summary.tree.splits.find((each) => each.group === group);
    if (!found) return [];
    const half = (i) => [el("bdi", {}, found.words[i].join(", ")), ` (${figure(found.sizes[i])})`];
    return [" One is about ", ...half(0), ", the other about ", ...half(1), "."];
  }

  /** Skip a question until the workbench is restarted. */
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

/** The name of a question, used to skip it. */
const nameOf = ({ id, group, name } = /** @type {any} */ ({})) => id ?? name ?? `group:${group}`;
