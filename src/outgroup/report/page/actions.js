// Corrections by key or button, for the selected document, word or group.
import { label, lock, meaning, merge, newGroup, rename, split } from "./decisions.js";
import { ask, choose } from "./dialog.js";
import { figure } from "./dom.js";
import { html } from "./html.js";

const LONGEST = 200,
  MOST = 5000, // documents of one decision
  UNSEEN = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u; // what a decision's name cannot have

export class Actions {
  constructor(ctx) {
    this.ctx = ctx;
    this.store = ctx.store;
  }

  chosen() {
    return [...this.ctx.bulk.chosen];
  }

  /** Whether the number of every group has one digit. */
  get byDigit() {
    return this.store.groups.every(({ number }) => this.store.code(number) < 10);
  }

  /** The group of a digit; undefined, with a message, if there is none. */
  ofDigit(key) {
    const found = this.store.groups.find(({ number }) => String(this.store.code(number)) === key);
    return found ? found.number : this.ctx.tell(`There is no group ${key}.`);
  }

  groups(except = []) {
    const sizes = this.store.sizes(),
      few = this.byDigit;
    return this.store.groups
      .map(({ number }) => number)
      .filter((number) => !except.includes(number))
      .map((number) => ({
        value: number,
        key: few ? String(this.store.code(number)) : null,
        label: this.store.called(number),
        note: figure(sizes.get(number) ?? 0),
        tone: `g${number}`,
      }));
  }

  /** New groups before the next fit: they have a name but no number. */
  begun() {
    return [...this.store.effects.begun].map((name) => ({ value: name, label: name, note: "new" }));
  }

  /** The group at hand; undefined, with a message, if there is none or decisions are off. */
  group() {
    const { group } = this.ctx.at(),
      chosen = group !== null && group >= 0;
    if (this.may(chosen, "Choose a group first.")) return group;
  }
  word() {
    const { word } = this.ctx.at();
    if (this.may(word !== null, "Choose a word first: tab to it or point at it.")) return word;
  }

  /** Whether something is selected and decisions are on; if not, tell why. */
  may(selected, missing) {
    const why = this.store.closed || (selected ? "" : missing);
    if (why) this.ctx.tell(why);
    return !why;
  }

  /** The ids of the documents at hand: rows chosen, else the open document, each with all documents of the same text;
   *  undefined, with a message, if there are none. */
  async documents(rows = this.chosen()) {
    const { doc } = this.ctx.at(),
      own = rows.length || doc === null ? rows : [doc];
    if (!this.may(own.length, "Open a document first.")) return undefined;
    const all = [...new Set(own.flatMap((row) => this.store.same(row)))];
    if (all.length <= MOST) return this.store.idsOf(all);
    return this.ctx.tell(`${figure(all.length)} documents are too many at once: choose at most ${figure(MOST)}.`);
  }

  /** Place documents by one decision; -1 is junk. */
  place(ids, group) {
    return this.store.decide(label(ids, group));
  }

  async belongs(typed = "", rows = this.chosen()) {
    const ids = await this.documents(rows);
    if (!ids) return;
    const { rival } = this.store.row(this.store.rowOf(ids[0])),
      first = (option) => Number(rows.length < 2 && option.value === rival),
      groups = this.groups().sort((a, b) => first(b) - first(a)),
      title = ids.length > 1 ? `These ${figure(ids.length)} documents belong to` : "This document belongs to";
    const group = await choose(title, [...groups, ...this.begun()], { typed, find: true });
    if (group !== null) this.place(ids, group);
  }

  /** Handle a digit: a group if all numbers have one digit, else the first digit of a number. */
  async digit(key) {
    if (!this.byDigit) return this.belongs(key);
    const ids = await this.documents(),
      group = ids && this.ofDigit(key);
    if (group !== undefined) this.place(ids, group);
  }

  async further(key) {
    const { doc } = this.ctx.at(),
      ids = doc === null ? undefined : await this.documents([doc]);
    if (!ids) return;
    const there = new Set(this.store.groups.map(({ number }) => number)),
      title = "This document belongs also to",
      group = this.byDigit ? this.ofDigit(key) : await choose(title, this.groups(), { typed: key, find: true });
    if (group === null || group === undefined) return;
    const { id, group: own, several } = await this.store.document(doc),
      last = this.store.effects.documents.get(id)?.groups,
      shown = new Set([own, ...(several?.groups.map(([each]) => each) ?? [])]),
      held = last?.length && last.every((each) => there.has(each)) ? last : [...shown],
      kept = held.filter((each) => each >= 0 && each !== group),
      after = held.includes(group) ? kept : [...kept, group];
    if (after.length) this.store.decide(label(ids, ...after));
    else this.ctx.tell("A document has at least one group; press x for junk.");
  }

  /** Confirm the group of the document; an off-topic document gets its nearest group. */
  async stays() {
    const { doc } = this.ctx.at(),
      ids = await this.documents(doc === null ? [] : [doc]);
    if (!ids) return;
    const { group, rival } = this.store.row(doc);
    this.place(ids, group < 0 ? rival : group);
  }

  async junk(rows = this.chosen()) {
    const ids = await this.documents(rows);
    if (ids) this.place(ids, -1);
  }

  /** Start a group with these documents, or add them to a new group of the same name. */
  async begin(rows = this.chosen()) {
    const ids = await this.documents(rows);
    if (!ids) return;
    const many = `These ${ids.length} documents are a new group, called`,
      title = ids.length > 1 ? many : "This document begins a new group, called",
      name = await ask(title, { button: "Begin it", wrong: (text) => this.unfit(text, null) });
    if (name === null) return;
    if (!this.store.effects.begun.has(name)) this.store.decide(newGroup(ids, name));
    else this.place(ids, name);
  }

  /** Return the reason that a name is not valid, or "". Of the group `own`, or of a new one, which may have an empty name
   *  (null), no other group may have it.
   *  @param {number | null} [own] */
  unfit(name, own) {
    const text = name.trim(),
      same = ({ number }) => number !== own && this.store.name(number) === text,
      owner = own !== undefined && this.store.groups.find(same);
    if (own === null && !text) return "";
    if (!text || name.length > LONGEST) return `The name is not valid: give 1 to ${LONGEST} characters.`;
    if (UNSEEN.test(text))
      return "Write it again: it contains an invisible character, such as a change of text direction.";
    if (/^\p{Nd}+$/u.test(text)) return "A name must not be a number, because groups have numbers.";
    const use = own === null ? "b moves documents there" : "m merges both groups";
    return owner ? `Group ${this.store.code(owner.number)} has this name: give another name; ${use}.` : "";
  }

  noise(word = this.word()) {
    if (word) this.store.decide(meaning([word]));
  }

  async means(word = this.word(), group = null) {
    if (!word) return;
    const title = `\u201c${word}\u201d means`,
      meant = group ?? (await choose(title, [...this.groups(), ...this.begun()], { find: true }));
    if (meant !== null) this.store.decide(meaning([word], meant));
  }

  async merge() {
    const group = this.group();
    if (group === undefined) return;
    const others = this.near(group);
    if (!others.length) return this.ctx.tell("There is only one group.");
    const other = await choose(`Merge group ${this.store.code(group)} with`, others, { find: true });
    if (other !== null) this.store.decide(merge(this.store.bySize([group, other])));
  }

  /** Other groups, the next to merge first. */
  near(group) {
    const options = this.groups([group]),
      next = this.store.summary.tree.merges.find(({ a, b }) => a === group || b === group);
    const first = next && (next.a === group ? next.b : next.a);
    return options.sort((a, b) => Number(b.value === first) - Number(a.value === first));
  }

  split() {
    const group = this.group();
    if (group !== undefined) this.store.decide(split(group));
  }

  async leftOut(id) {
    const { title, text } = await this.store.leftOut(id),
      about = html`<div class="text left-out" dir="auto">${text}</div>`;
    const group = await choose(`\u201c${title}\u201d belongs to`, this.groups(), { find: true, about });
    if (group !== null) this.store.decide(label([id], group));
  }

  done() {
    const group = this.group();
    if (group !== undefined) this.store.decide(lock(group, this.store.effects.done.has(group)));
  }

  async rename() {
    const group = this.group();
    if (group === undefined) return;
    const value = this.store.name(group),
      wrong = (text) => this.unfit(text, group),
      name = await ask(`Group ${this.store.code(group)} is called`, { value, wrong });
    if (name !== null) this.store.decide(rename(group, name));
  }

  async ofWord(word, find) {
    const { group } = this.ctx.at(),
      own = group !== null &&
        group >= 0 && {
          value: "own",
          label: `means ${this.store.called(group)}`,
          key: "g",
          tone: `g${group}`,
        },
      other = { value: "other", label: "means another group \u2026", key: "w" },
      noise = { value: "noise", label: "is noise: tells no groups apart", key: "n" },
      search = { value: "find", label: "find its documents", key: "f" },
      options = [...(this.store.closed ? [] : [own, other, noise]), search].filter(Boolean);
    const chosen = await choose(`\u201c${word}\u201d`, options);
    if (chosen === "own") this.means(word, group);
    if (chosen === "other") this.means(word);
    if (chosen === "noise") this.noise(word);
    if (chosen === "find") find(word);
  }
}
