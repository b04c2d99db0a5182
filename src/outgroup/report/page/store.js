// The data source of the page. Every store has these members (this one reads the file itself):
//
//   summary, about, n               plain data: groups, tree, colours, fields ...
//   points()                        columns for the map: { x, y, group, margin }
//   field(name)                     { values, codes } of a further column
//   fields                          names of those that can be filtered and coloured by
//   groups                          those that there are, without those that were merged away
//   sizes()                         documents of each group; Map with -1 for off-topic ones
//   find({ q, field, value })       null for everything, else { hits: counts (n bytes), total, groups: Map of counts }
//   full                            a promise: settled once all that follows can be asked for
//   list({ group, sort, found })    row numbers in order
//   row(i), document(i)             what a list shows; all that is known, text included (a promise)
//   rowOf(id), locate(id)           a document's row number, or -1; the same, looked for (a promise)
//   read(rows), meet(ids)           null where rows can be shown, else a promise of that
//   trustFollows                    whether the trust in the groups is still to be measured
//   notes                           notes on the first groups, a sentence each
//   follows, amount                 sentences: the effect of a correction, the amount of text in the page
//   decisions, effects, decide(d), undo(), redo(), clear(), canRedo
//   listen(f)                       f() is called whenever decisions or data changed
import { effects } from "./decisions.js";
import { figure } from "./dom.js";
import { Haystack, search } from "./find.js";
import { Log } from "./log.js";
import { bytes, json, numbers } from "./parts.js";
import { MATCH } from "./route.js";
import { Texts } from "./texts.js";

export const TRUST = "group trust";
export const WORDS_OF_TRUST = ["tight", "loose", "mixed", "leftovers"];
const RISING = new Set(["uncertain", "group"]);
const SHORT = 300; // letters that are added to a document's: what is very short is not most of all about its words
const FIRST = ["place", "group", "rival", "margin"],
  REASONS = ["why", "share", "most", "near"];

/** The store of a report: everything is in the file, decisions stay in the page until they are taken along. */
export class FileStore {
  static async open() {
    const store = new FileStore();
    await store.load();
    store.prepare();
    return store;
  }

  /** What the map and the list of groups need; the documents follow (`full`). */
  async load() {
    const first = json("about"),
      all = [
        json("summary"),
        ...FIRST.map((name) =>
          numbers(
            name,
            first.then(({ columns }) => columns[name][0]),
          ),
        ),
      ];
    const [about, summary, ...found] = await Promise.all([first, ...all]);
    Object.assign(this, {
      about,
      summary,
      n: about.n,
      columns: Object.fromEntries(FIRST.map((name, i) => [name, found[i]])),
      kept: new Map(),
    });
  }

  /** Take columns in that are not there yet. */
  async take(names) {
    const missing = names.filter((name) => !this.columns[name]);
    const found = await Promise.all(missing.map((name) => numbers(name, this.about.columns[name][0])));
    missing.forEach((name, i) => {
      this.columns[name] = found[i];
    });
  }

  prepare() {
    this.index();
    const { run } = this.summary;
    this.log = new Log([run.title, run.source, run.date, this.n, this.summary.groups.length].join("|"), () =>
      this.changed(),
    );
    this.effects = effects(this.log.decisions);
  }

  index() {
    this.listeners = [];
    this.orders = new Map();
    this.hays = this.loading = this.filling = this.rows = this.held = null;
  }

  /** Settled once every document can be listed; until then there are places and groups alone. */
  get full() {
    return (this.filling ??= this.fill());
  }

  async fill() {
    const [ids, titles, heads, length] = await Promise.all([
      json("ids"),
      bytes("titles"),
      bytes("heads"),
      numbers("length", "uint32"),
      this.take(["flagged", "typical", "score"]),
    ]);
    Object.assign(this, { titles: new Texts(titles, this.n), heads: new Texts(heads, this.n), length, ids });
  }

  /** The rest of the texts: read when the first document or search asks for it. */
  get more() {
    return (this.loading ??= this.loadTails());
  }

  async loadTails() {
    const [words, tails] = await Promise.all([json("words"), bytes("tails"), this.full]);
    Object.assign(this, { words, tails: new Texts(tails, this.n) });
  }

  /** The columns that an opened document shows: read when the first one is opened. */
  get cells() {
    return (this.beside ??= Promise.all(
      this.about.others.map(async (name, i) => [name, new Texts(await bytes(`other-${i}`), this.n)]),
    ));
  }

  /** What is searched: made when the first search asks for it. */
  get haystacks() {
    return (this.hays ??= [
      this.titles.whole,
      this.heads.whole,
      this.ids.map((id) => id.replaceAll("\u001e", " ")).join("\u001e"),
      this.tails.whole,
    ].map((each) => new Haystack(each)));
  }

  points() {
    const { place, group, margin } = this.columns,
      x = new Float32Array(this.n),
      y = new Float32Array(this.n);
    for (let i = 0; i < this.n; i++) {
      x[i] = place[2 * i] / 8000;
      y[i] = place[2 * i + 1] / 8000;
    }
    return { x, y, group, margin };
  }

  /** Columns to filter and colour by: those of the file, and how far the groups can be trusted where that is known. */
  get fields() {
    return [...this.about.fields, ...(this.summary.groups.some(({ figures }) => figures?.word) ? [TRUST] : [])];
  }

  trusted() {
    const values = ["", ...WORDS_OF_TRUST],
      of = this.summary.groups.map(({ figures }) => Math.max(0, values.indexOf(figures?.word ?? "")));
    return { values, codes: Uint8Array.from(this.columns.group, (group) => of[group] ?? 0) };
  }

  async field(name) {
    if (name === TRUST) return this.trusted();
    if (!this.kept.has(name)) this.kept.set(name, json(`field-${this.about.fields.indexOf(name)}`));
    return this.kept.get(name);
  }

  /** The groups that there are: the numbers of those that were merged away are free. */
  get groups() {
    return this.summary.groups.filter(({ gone }) => !gone);
  }

  sizes() {
    this.held ??= new Map([
      ...this.summary.groups.map(({ number }) => [number, 0]),
      ...this.tally(new Uint8Array(this.n).fill(1)).groups,
    ]);
    return this.held;
  }

  async find({ q = "", field = "", value = "" }) {
    if (!q.trim() && !field) return null;
    const hits = q.trim() ? await this.searched(q) : new Uint8Array(this.n).fill(1);
    if (field) {
      const { values, codes } = await this.field(field),
        code = values.indexOf(value);
      for (let i = 0; i < this.n; i++) if (codes[i] !== code) hits[i] = 0;
    }
    return this.tally(hits);
  }

  async searched(q) {
    await this.more;
    return search(this.haystacks, q, this.n);
  }

  tally(hits) {
    const counts = new Uint32Array(this.summary.groups.length + 1),
      { group } = this.columns; // off-topic ones first
    for (let i = 0; i < this.n; i++) if (hits[i]) counts[group[i] + 1]++;
    const groups = new Map([...counts].map((count, i) => [i - 1, count]).filter(([, count]) => count));
    return { hits, total: counts.reduce((sum, count) => sum + count, 0), groups };
  }

  list({ group = null, sort = "typical", found = null }) {
    const rows = [];
    for (const i of sort === MATCH ? this.matching(found) : this.ordered(sort))
      if ((group === null || this.columns.group[i] === group) && (!found || found.hits[i])) rows.push(i);
    return rows;
  }

  /** The hits of a search, those first that are most about it: what is looked for is a larger part of them. */
  matching(found) {
    const rows = Uint32Array.from(this.length.keys()).filter((i) => found.hits[i]);
    return (found.matching ??= ranked(Float64Array.from(rows, (i) => -found.hits[i] / (this.length[i] + SHORT))).map(
      (at) => rows[at],
    ));
  }

  /** Whether documents can be told by how off-topic they are: some have a score, or are in no group. */
  get scored() {
    return this.columns.score?.some(Number.isFinite) || this.sizes().has(-1);
  }

  ordered(sort) {
    if (!this.orders.has(sort)) {
      const { margin, typical, score, group } = this.columns;
      const by = {
        typical,
        group,
        uncertain: margin,
        longest: this.length,
        "off-topic": score.some(Number.isFinite) ? score : margin.map((m) => -m),
      }[sort];
      const sign = RISING.has(sort) ? 1 : -1,
        worth = Float64Array.from(by, (value) => (Number.isFinite(value) ? sign * value : Infinity));
      this.orders.set(sort, ranked(worth));
    }
    return this.orders.get(sort);
  }

  row(i) {
    const { group, rival, margin, score, flagged } = this.columns;
    return {
      i,
      id: this.ids[i],
      title: this.titles.at(i) || this.ids[i],
      text: this.heads.at(i),
      group: group[i],
      rival: rival[i],
      margin: margin[i],
      score: score[i],
      flagged: flagged[i] > 0,
      length: this.length[i],
    };
  }

  async document(i) {
    await Promise.all([this.more, this.take(REASONS)]);
    const text = this.heads.at(i) + this.tails.at(i),
      { why, share, most, near } = this.columns;
    const width = why.length / this.n,
      found = near.length / this.n;
    const reasons = Array.from({ length: width }, (_, w) => [
      this.words[why[i * width + w] - 1],
      (share[i * width + w] / 255) * most[i],
    ]);
    const nearest = Array.from(near.subarray(i * found, (i + 1) * found))
      .filter((row) => row > 0)
      .map((row) => this.row(row - 1));
    const others = (await this.cells).map(([name, cells]) => [name, cells.at(i)]);
    const fields = await Promise.all(
      this.about.fields.map(async (name) => {
        const { values, codes } = await this.field(name);
        return [name, values[codes[i]]];
      }),
    );
    return {
      ...this.row(i),
      text,
      complete: text.length >= this.length[i],
      reasons: reasons.filter(([word]) => word !== undefined),
      near: nearest,
      fields: fields.filter(([, value]) => value),
      others: others.filter(([, value]) => value),
    };
  }

  rowOf(id) {
    this.rows ??= this.ids && new Map(this.ids.map((each, i) => [each, i]));
    return this.rows?.get(id) ?? -1;
  }

  read() {
    return null;
  }
  meet() {
    return null;
  }
  async locate(id) {
    await this.full;
    return this.rowOf(id);
  }

  get closed() {
    return "";
  }
  get trustFollows() {
    return false;
  }
  get notes() {
    return [];
  }
  get follows() {
    return "This page keeps your corrections. Download them as one file for the next run.";
  }

  get amount() {
    const {
      n,
      about: { left_out: left, others_left_out: others, head },
      summary: {
        run: { sample_of: all },
      },
    } = this;
    if (all > n)
      return `A sample: ${figure(n)} documents drawn at random from ${figure(all)}. Sizes on this page are those of the sample; figures of groups are of all documents.`;
    const there = left
        ? `${figure(n - left)} in full; of the other ${figure(left)} the first ${head} letters.`
        : "in full.",
      without = others.length
        ? ` Of their columns ${others.join(", ")} ${others.length === 1 ? "is" : "are"} not.`
        : "";
    return `This file has all ${figure(n)} documents, ${there}${without}${left || without ? " Raise --report-size to include more." : ""}`;
  }

  get decisions() {
    return this.log.decisions;
  }
  get canRedo() {
    return this.log.undone.length > 0;
  }
  decide(decision) {
    this.log.decide(decision);
  }
  undo() {
    this.log.undo();
  }
  redo() {
    this.log.redo();
  }
  clear() {
    this.log.clear();
  }

  listen(listener) {
    this.listeners.push(listener);
  }
  changed() {
    this.effects = effects(this.log.decisions);
    for (const listener of this.listeners) listener();
  }

  /** Name of a group as it stands now, renamed or not; earlier decisions may name one that was merged away. */
  name(group) {
    if (typeof group === "string") return group; // one that is new has no number yet
    const found = this.summary.groups[group];
    return group === -1
      ? "Off-topic"
      : (this.effects.names.get(group) ?? (found && !found.gone ? found.name : "(merged away)"));
  }
}

const STEPS = 2 ** 31,
  MOST = 2 ** 21;

/** Sort row numbers by worth, ascending and stable. A single number encodes both, which sorts fast. */
function ranked(worth) {
  let low = Infinity,
    high = -Infinity;
  for (const value of worth)
    if (Number.isFinite(value)) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  if (worth.length > MOST)
    return Uint32Array.from(worth.keys()).sort((a, b) => (worth[a] === worth[b] ? a - b : worth[a] - worth[b]));
  const span = high > low ? high - low : 1,
    keys = Float64Array.from(
      worth,
      (value, i) => (Number.isFinite(value) ? Math.round(((value - low) / span) * (STEPS - 1)) : STEPS) * MOST + i,
    );
  return Uint32Array.from(keys.sort(), (key) => key % MOST);
}
