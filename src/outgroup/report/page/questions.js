// The most informative questions of the workbench: their order, and the effect of answers.
import { notAGroup } from "./decisions.js";
import { figure, kept, settled } from "./dom.js";
import { ask } from "./live.js";
import { go } from "./route.js";

const LAST = 10; // answers of which the mean effect is shown

export const STAY = "outgroup-stay",
  EXAMPLES = 3; // documents of a group

export const apart = (question) => Boolean(question.documents);

export const nameOf = (question) => question.id ?? question.name ?? `group:${question.group}`;

/** The questions of the server, and the place where a person stands among them. */
export class Questions {
  /** @type {import("./data.d.ts").Question[]} */
  proposals = [];
  /** @type {number | null} The estimated share of junk seen. */
  junk = null;
  promise = "";
  looking = true;
  stay = kept(STAY, false); // after an answer
  passed = new Set();
  opened = "";
  /** The question that led to the selection. */
  led = "";
  /** @type {{ name: string, place: string | number, count: number } | undefined} The question of the last drawing. */
  before = undefined;
  turn = 0;
  /** @type {Record<string, string>} Answers of the person to questions that the model answered, too. */
  given = {};

  constructor(ctx) {
    this.ctx = ctx;
    this.look = settled(() => this.propose(), 300);
    ctx.store.answered = () => this.look();
  }

  async propose() {
    const turn = ++this.turn;
    try {
      const { proposals, looking, junk_seen: junk, promise } = await ask("next"),
        { store } = this.ctx;
      await store.meet(proposals.flatMap(({ id, documents = [id] }) => documents.slice(0, EXAMPLES)).filter(Boolean));
      const pairs = proposals.filter(({ kind }) => kind === "typical");
      await store.read(pairs.flatMap(({ group, rival }) => [...this.typical(group), ...this.typical(rival)]));
      if (turn !== this.turn) return;
      this.looking = looking;
      if (!looking) Object.assign(this, { proposals, junk, promise }); // until then, those of the version before stay
      this.ctx.draw();
    } catch {
      /* the first groups are not there yet */
    }
  }

  typical(group) {
    return this.ctx.store.list({ group }).slice(0, EXAMPLES);
  }

  /** The open questions about existing groups. */
  open() {
    const { store } = this.ctx,
      { split, merged, documents, refused } = store.effects,
      there = new Set([null, ...store.groups.map(({ number }) => number).filter((number) => !merged.has(number))]);
    const answered = (/** @type {import("./data.d.ts").Question} */ { id, group, documents: some }) => {
      if (some) return documents.has(some[0]) || refused.has(some[0]);
      return id === null ? split.has(group) : store.rowOf(id) < 0 || documents.has(id);
    };
    return this.proposals.filter(
      (question) =>
        !this.passed.has(nameOf(question)) &&
        there.has(question.group) &&
        there.has(question.rival) &&
        !answered(question),
    );
  }

  /** Open the next question after the last one opened. */
  first() {
    const open = this.open(),
      question = open[(open.findIndex((one) => nameOf(one) === this.opened) + 1) % open.length];
    if (!question)
      return this.ctx.tell(this.looking ? "Looking for questions; try again in a moment." : "No questions now.");
    this.opened = this.led = nameOf(question);
    if (apart(question)) return this.several(question);
    return go(question.id === null ? { group: question.group, doc: null } : this.placeOf(question.id));
  }

  /** Go to the question about several documents and focus its first answer. */
  async several(/** @type {import("./data.d.ts").Question} */ { why }) {
    go({ group: null, doc: null });
    await this.ctx.follow();
    const first = this.ctx.part(".question .answers button");
    first?.setAttribute("aria-description", why); // read out with the button
    first?.focus();
  }

  /** The place to read a document: keep the chosen group only if it contains the document. */
  placeOf(id) {
    const { store, route } = this.ctx;
    return { doc: id, group: store.row(store.rowOf(id)).group === route.group ? route.group : null };
  }

  /** The question about the open document or group, or undefined. */
  here() {
    const { doc, route, store } = this.ctx,
      id = doc < 0 ? null : store.row(doc).id;
    return this.open().find(
      (question) => !apart(question) && question.id === id && (id !== null || question.group === route.group),
    );
  }

  /** The question shown in full: about the selection, else the next one. */
  current() {
    const { doc, route } = this.ctx,
      open = this.open();
    if (doc >= 0 || route.group !== null) return this.here();
    return open.find((question) => nameOf(question) === this.opened) ?? open[0];
  }

  /** What the last answers brought, or when to stop. */
  progress() {
    if (this.ctx.store.closed) return this.ctx.store.closed;
    if (this.open().length) return this.brought();
    return this.looking ? "Looking for questions \u2026" : "You can stop: no question is left";
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
      stop = answers >= LAST && mean < 1 ? ": answers bring little now, you can stop" : "",
      count = `${figure(mean, answers > 1 && mean < 10 ? 1 : 0)} ${mean === 1 ? "document" : "documents"}`;
    return `${last} moved ${count}${answers === 1 ? "" : " each"}${stop}`;
  }

  /** Open the next question after an answer about the selection, if a question led there: a list keeps its place. */
  moveOn() {
    const { before } = this,
      { doc, route, store } = this.ctx,
      here = this.here(),
      count = store.decisions.length;
    this.before = here && { name: nameOf(here), place: here.id ?? here.group, count };
    if (!before || before.name !== this.led) return;
    const answered = count > before.count || this.passed.has(before.name);
    if (before.place !== (doc >= 0 ? store.row(doc).id : route.group)) this.led = "";
    else if (answered && !here && !this.stay && this.open().length) this.first();
  }

  /** Answer no to a question about several documents; return whether this was the question. */
  no() {
    const documents = this.current()?.documents;
    if (documents) this.ctx.store.decide(notAGroup(documents));
    return Boolean(documents);
  }

  /** Answer yes to a question about several documents or a mixed group; return whether this was the question. */
  yes() {
    const question = this.current();
    if (question?.documents) this.ctx.store.decide(question.decision);
    else if (question?.kind === "mixed") {
      this.pass(question);
      this.ctx.tell("The group stays as it is.");
    } else return false;
    return true;
  }

  /** Skip a question until the workbench is restarted. */
  async pass(question) {
    const name = nameOf(question);
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
