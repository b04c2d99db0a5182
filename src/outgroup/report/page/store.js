// The data source of the page. Every store has these members (this one reads the file itself):
//
//   summary, about, n               plain data: groups, tree, colours, fields ...
//   points()                        columns for the map: { x, y, group, margin }
//   field(name)                     { values, codes } of a further column
//   fields                          names of the columns to filter and colour by
//   key                             a text that tells one collection from another
//   groups                          groups, without those that were merged away
//   cutTo(count)                    show so many groups, null for the usual number; whether others are shown now
//   level, usual, finest            the number of groups shown, the usual and the highest one
//   sizes()                         documents of each group; Map with -1 for off-topic ones
//   find({ q, where })              null for all, else { hits: counts (n bytes), total, groups: Map of counts, near:
//                                   rows without a hit that are near by meaning, nearest first; mask: both (n bytes) }
//   full                            a promise: settled when the members below are ready
//   list({ group, sort, found })    row numbers in order
//   same(i), idsOf(rows)            the rows with the text of row i; the ids of rows (a promise)
//   row(i), document(i)             a list entry; a document with its text (a promise)
//   rowOf(id), locate(id)           the row number of an id, or -1; the same after a fetch (a promise)
//   read(rows), meet(ids)           null if the rows are loaded, else a promise
//   trustFollows                    whether the trust in the groups is still to be measured
//   notes                           notes on the first groups, a sentence each
//   follows, amount                 sentences: the effect of a correction, the amount of text in the page
//   decisions, effects, decide(d), undo(), redo(), clear(), canRedo
//   listen(f)                       call f() after each change of decisions or data
import { cut, leaves, level, together, wordsOf } from "./branches.js";
import { effects } from "./decisions.js";
import { counted, figure } from "./dom.js";
import { filter } from "./filters.js";
import { Haystack, search } from "./find.js";
import { Log } from "./log.js";
import { bytes, json, numbers } from "./parts.js";
import { MATCH } from "./route.js";
import { Texts } from "./texts.js";

export const TRUST = "group trust";
export const WORDS_OF_TRUST = ["tight", "loose", "mixed", "leftovers"];
const RISING = new Set(["uncertain", "group"]);
const SHORT = 300; // letters added to the length of a document, so that very short ones do not come first
const NEAR = 20; // hits by meaning
export const LEVELLED = ["group", "part", "rival"]; // columns that follow the number of groups
const WORDS = 36, // of a branch
  FIRST = ["place", "group", "part", "rival", "margin"],
  REASONS = ["why", "share", "most", "near"];

/** The store of a report: all data is in the file, decisions stay in the browser. */
export class FileStore {
  /** @type {any} Numbers, colours, column types and field names. */
  about = null;
  /** @type {any} Groups, tree and run as plain data. */
  summary = null;
  n = 0;
  /** @type {Record<string, any>} Typed arrays by name. */
  columns = {};
  /** @type {Record<string, any>} The summary and the columns of the groups as they were fitted. */
  fitted = {};
  level = 0;
  /** @type {number[]} The group of each fitted group and part. */
  home = [];
  /** @type {Map<string, Promise<{ values: string[], codes: number[] }>>} */
  kept = new Map();
  /** @type {any} Lengths of the texts. */
  length = [];
  /** @type {any} The first row with the text of each document plus 1, 0 for a text that occurs once. */
  first = [];
  /** @type {Map<number, number[]> | null} */
  twins = null;
  /** @type {string[]} */
  ids = [];
  /** @type {string[]} */
  words = [];
  /** @type {any} */
  titles = null;
  /** @type {any} */
  heads = null;
  /** @type {any} */
  tails = null;
  /** @type {any} The cells of further columns, a promise. */
  beside = null;
  /** @type {any} The groups of texts about several things, by row. */
  several = {};
  /** @type {any} */
  log = null;
  /** @type {any} */
  effects = null;
  /** @type {(() => void)[]} */
  listeners = [];
  /** @type {Map<string, Uint32Array>} */
  orders = new Map();
  /** @type {any} */
  hays = null;
  /** @type {Promise<void> | null} */
  loading = null;
  /** @type {Promise<void> | null} */
  filling = null;
  /** @type {Map<string, number> | null} */
  rows = null;
  /** @type {Map<number, number> | null} */
  held = null;

  static async open() {
    const store = new FileStore();
    await store.load();
    store.prepare();
    return store;
  }

  /** Load the data of the map and the group list; the documents follow (`full`). */
  async load() {
    this.about = await json("about");
    const [summary] = await Promise.all([json("summary"), this.take(FIRST)]);
    this.n = this.about.n;
    this.kept = new Map();
    this.fit(summary);
  }

  /** Take the summary and the columns of fitted groups. */
  fit(summary) {
    this.fitted = { summary };
    for (const name of LEVELLED) this.fitted[name] = this.columns[name];
    this.fitted.home = level(summary.tree, summary.groups.length, this.count).home;
    this.summary = summary;
    this.level = 0;
  }

  /** The number of fitted groups. */
  get count() {
    return this.fitted.summary.tree.merges.length + 1;
  }
  get finest() {
    return this.count + this.fitted.summary.tree.parts.length;
  }
  /** The number of groups that the decisions since the fit want. */
  get usual() {
    return this.recent.findLast(({ kind }) => kind === "level")?.count ?? this.count;
  }
  get recent() {
    return this.decisions;
  }

  cutTo(count) {
    const wanted = Math.max(1, Math.min(count ?? this.usual, this.finest)),
      { summary, group, part, rival } = this.fitted;
    if (wanted === this.level) return false;
    const { home, ...tree } = level(summary.tree, summary.groups.length, wanted),
      own = wanted > this.count ? part : group;
    Object.assign(this, { level: wanted, home, summary, held: null });
    this.columns.group = own.map((number) => (number < 0 ? number : home[number]));
    this.columns.rival = rival.map((number, i) =>
      number < 0 || (own[i] >= 0 && home[number] === home[own[i]]) ? -1 : home[number],
    );
    if (wanted !== this.count) this.summary = { ...summary, tree, groups: this.branches(), by: null };
    this.orders.delete("group");
    return true;
  }

  /** The groups of the level, by number. */
  branches() {
    const { groups, tree } = this.fitted.summary,
      sizes = new Map(groups.map(({ number, size }) => [number, size])),
      found = groups.map((group) => ({ ...group, gone: group.gone || this.home[group.number] !== group.number }));
    const set = (number, size, words) => {
      const inside = this.within([number]),
        given = inside.map((each) => this.effects.names.get(each)).find(Boolean);
      found[number] = {
        number,
        name: given ?? this.levelName(inside) ?? firstOf(words),
        size,
        words,
        trust: null,
        sentences: [],
        figures: null,
      };
    };
    tree.parts.slice(0, Math.max(0, this.level - this.count)).forEach(({ group, words, sizes: [most, few] }, t) => {
      set(
        group,
        most,
        words[0].map((word) => [word, 1]),
      );
      set(
        groups.length + t,
        few,
        words[1].map((word) => [word, 1]),
      );
    });
    for (const { number, gone } of this.level < this.count ? found : []) {
      const inside = groups.filter((each) => !each.gone && this.home[each.number] === number),
        words = wordsOf(inside, sizes).slice(0, WORDS);
      const total = inside.reduce((sum, { size }) => sum + size, 0);
      if (!gone && inside.length > 1)
        set(
          number,
          total,
          words.map(([word, weight]) => [word, weight / words[0][1]]),
        );
    }
    return found;
  }

  /** The fitted groups and parts with documents in some groups, by the group of each. */
  within(numbers, home = this.home) {
    const { groups, tree } = this.fitted.summary;
    const size = (each) => groups[each]?.size ?? tree.parts[each - groups.length].sizes[1];
    return [...home.keys()].filter((each) => numbers.includes(home[each]) && size(each));
  }

  /** The groups with documents of each branch, of `count` branches of the tree. */
  branchesOf(count) {
    const { groups, tree } = this.summary,
      nodes = leaves(tree.merges, groups.length),
      sizes = this.sizes(),
      left = cut(tree.merges, groups.length, count);
    return left.map((node) => nodes[node].filter((number) => sizes.get(number))).filter(({ length }) => length);
  }

  /** The name of some groups: of the group, of a level with the same ones, or else their words. */
  branchName(members) {
    if (members.length === 1) return this.name(members[0]);
    const groups = members.map((number) => this.summary.groups[number]);
    return this.levelName(this.within(members)) ?? together(groups, this.sizes());
  }

  /** The name of the branch of a level with these fitted groups and parts, if it has one. */
  levelName(members) {
    const key = members.join();
    return this.fitted.summary.levels.flat().find(([, each]) => each.join() === key)?.[0];
  }

  /** The name of a fitted group. */
  fittedName(number) {
    return this.effects.names.get(number) ?? this.fitted.summary.groups[number].name;
  }

  /** Load missing columns. */
  async take(names) {
    const missing = names.filter((name) => !this.columns[name]);
    const found = await Promise.all(missing.map((name) => numbers(name, this.about.columns[name][0])));
    missing.forEach((name, i) => {
      this.columns[name] = found[i];
    });
  }

  prepare() {
    this.index();
    this.log = new Log(`${this.key}|${this.summary.groups.length}`, () => this.changed());
    this.effects = effects(this.log.decisions);
    this.cutTo(null);
  }

  get key() {
    const { run } = this.fitted.summary;
    return [run.title, run.source, run.date, this.n].join("|");
  }

  index() {
    this.listeners = [];
    this.orders = new Map();
    this.hays = this.loading = this.filling = this.rows = this.held = null;
  }

  /** Settled when every document can be listed; before, only places and groups are loaded. */
  get full() {
    return (this.filling ??= this.fill());
  }

  async fill() {
    const [ids, titles, heads, length, first] = await Promise.all([
      json("ids"),
      bytes("titles"),
      bytes("heads"),
      numbers("length", "uint32"),
      numbers("same", "uint32"),
      this.take(["flagged", "typical", "score"]),
    ]);
    this.titles = new Texts(titles, this.n);
    this.heads = new Texts(heads, this.n);
    this.length = length;
    this.first = first;
    this.ids = ids;
  }

  /** The rest of the texts, read on the first use. */
  get more() {
    return (this.loading ??= this.loadTails());
  }

  async loadTails() {
    const [words, tails, several] = await Promise.all([json("words"), bytes("tails"), json("several"), this.full]);
    this.words = words;
    this.several = several;
    this.tails = new Texts(tails, this.n);
  }

  /** The columns of an open document, read on the first use. */
  get cells() {
    return (this.beside ??= Promise.all(this.about.others.map(async (name) => [name, await this.cell(name)])));
  }

  async cell(name) {
    return new Texts(await bytes(`other-${this.about.others.indexOf(name)}`), this.n);
  }

  /** A column of numbers like one to filter by. */
  async range(name) {
    const all = (await this.cell(name)).whole.split("\u001e").map((each) => each.trim()),
      values = [...new Set(all)],
      at = new Map(values.map((value, i) => [value, i]));
    return { values, codes: all.map((value) => /** @type {number} */ (at.get(value))) };
  }

  /** The searchable texts, built on the first search. */
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

  /** Columns to filter and colour by: those of the file, and trust if known. */
  get fields() {
    return [
      ...this.about.fields,
      ...this.about.ranges,
      ...(this.summary.groups.some(({ figures }) => figures?.word) ? [TRUST] : []),
    ];
  }

  trusted() {
    const values = ["", ...WORDS_OF_TRUST],
      of = this.summary.groups.map(({ figures }) => Math.max(0, values.indexOf(figures?.word ?? "")));
    return { values, codes: Uint8Array.from(this.columns.group, (group) => of[group] ?? 0) };
  }

  /** @returns {Promise<{ values: string[], codes: ArrayLike<number> }>} */
  async field(name) {
    if (name === TRUST) return this.trusted();
    const at = this.about.fields.indexOf(name),
      known = this.kept.get(name) ?? (at < 0 ? this.range(name) : json(`field-${at}`));
    this.kept.set(name, known);
    return known;
  }

  /** The groups, without those that were merged away. */
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

  /** Groups, the largest first: a merge keeps the number and the name of the first. */
  bySize(groups) {
    const sizes = this.sizes();
    return [...groups].sort((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0) || a - b);
  }

  async find({ q = "", where = /** @type {string[][]} */ ([]) }) {
    if (!q.trim() && !where.length) return null;
    const passing = await filter(this, where, new Uint8Array(this.n).fill(1)),
      [hits, alike] = q.trim() ? await Promise.all([this.searched(q), this.alike(q)]) : [passing, []],
      near = alike.filter((i) => !hits[i] && passing[i]).slice(0, NEAR);
    for (let i = 0; i < this.n; i++) if (!passing[i]) hits[i] = 0;
    const mask = hits.slice();
    for (const i of near) mask[i] = 1;
    return { ...this.tally(hits), near, mask };
  }

  /** Rows near to a query by meaning, nearest first; only the workbench has the encoder.
   *  @returns {Promise<number[]>} */
  async alike(_q) {
    return [];
  }

  async searched(q) {
    await this.more;
    return search(this.haystacks, q, this.n);
  }

  tally(hits) {
    const counts = new Uint32Array(this.summary.groups.length + 1),
      { group } = this.columns; // off-topic ones first
    for (let i = 0; i < this.n; i++) if (hits[i]) counts[group[i] + 1]++;
    const groups = new Map();
    counts.forEach((count, i) => {
      if (count) groups.set(i - 1, count);
    });
    return { hits, total: counts.reduce((sum, count) => sum + count, 0), groups };
  }

  list({ group = null, sort = "typical", found = /** @type {any} */ (null) }) {
    const rows = [],
      inside = (i) => group === null || this.columns.group[i] === group;
    for (const i of sort === MATCH ? this.matching(found) : this.ordered(sort))
      if (inside(i) && (!found || found.hits[i])) rows.push(i);
    return found ? [...rows, ...found.near.filter(inside)] : rows;
  }

  /** The hits of a search by the share of the matches in the document. */
  matching(found) {
    const rows = Uint32Array.from(this.length.keys()).filter((i) => found.hits[i]);
    return (found.matching ??= ranked(Float64Array.from(rows, (i) => -found.hits[i] / (this.length[i] + SHORT))).map(
      (at) => rows[at],
    ));
  }

  /** Whether documents can be sorted by off-topic score. */
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
      several: this.several[i] ?? null,
      reasons: reasons.filter(([word]) => word !== undefined),
      near: nearest,
      fields: fields.filter(([, value]) => value),
      others: others.filter(([, value]) => value),
    };
  }

  /** The rows with the text of row `i`, also in other groups. */
  same(i) {
    if (!this.first[i]) return [i];
    if (!this.twins) {
      this.twins = new Map();
      for (let row = 0; row < this.n; row++)
        if (this.first[row]) this.twins.set(this.first[row], [...(this.twins.get(this.first[row]) ?? []), row]);
    }
    return this.twins.get(this.first[i]) ?? [i];
  }

  /** Rows without those whose text an earlier one has. */
  folded(rows) {
    const seen = new Set();
    return rows.filter((i) => !this.first[i] || (!seen.has(this.first[i]) && seen.add(this.first[i])));
  }

  /** Open a document that was left out; only the workbench has its text. */
  /** @type {((id: string) => Promise<any>) | null} */
  leftOut = null;

  async idsOf(rows) {
    return rows.map((i) => this.ids[i]);
  }

  rowOf(id) {
    this.rows ??= this.ids && new Map(this.ids.map((each, i) => [each, i]));
    return this.rows?.get(id) ?? -1;
  }

  /** @returns {Promise<void> | null} */
  read(_rows) {
    return null;
  }
  /** @returns {Promise<void> | null} */
  meet(_ids) {
    return null;
  }
  async locate(id) {
    await this.full;
    return this.rowOf(id);
  }

  /** The reason that decisions are off, or "". */
  get closed() {
    return (
      this.off ||
      (this.level === this.usual
        ? ""
        : `This is a view of ${counted(this.level, "group")}: keep it before you correct groups.`)
    );
  }
  /** The reason that no decision is possible at any level, or "". */
  get off() {
    return "";
  }
  /** The reason that another number of groups cannot be kept, or "". It would cut the groups of the one before. */
  get fixed() {
    return this.off || (this.numbered ? "Undo the number of groups that you kept first." : "");
  }
  /** Whether the decisions since the fit want a number of groups. */
  get numbered() {
    return this.recent.some(({ kind }) => kind === "level");
  }
  get trustFollows() {
    return false;
  }
  /** Whether the groups differ from those that the map was laid out by, and it can be laid out again. */
  get untidy() {
    return false;
  }
  tidy() {}
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
      return (
        `A sample: ${figure(n)} documents drawn at random from ${figure(all)}. Sizes on this page are those of the ` +
        "sample; the figures of groups refer to all documents."
      );
    const there = left
        ? `${figure(n - left)} in full; of the other ${figure(left)} the first ${head} letters.`
        : "in full.",
      without = others.length
        ? ` Of their columns ${others.join(", ")} ${others.length === 1 ? "is" : "are"} not.`
        : "";
    return `This file has all ${figure(n)} documents, ${there}${without}`;
  }

  get decisions() {
    return this.log.decisions;
  }
  get canRedo() {
    return this.log.undone.length > 0;
  }
  decide(decision) {
    this.keep(decision);
  }
  keep(decision) {
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

  /** The number of a group that people see: of its code, if a codebook gave one. Parts of groups follow the last. */
  code(group) {
    const { groups } = this.fitted.summary;
    if (typeof group === "string" || group < 0) return group;
    return groups[group]?.code ?? group - groups.length + 1 + Math.max(...groups.map(({ code }) => code));
  }
  /** The number and the name of a group. */
  called(group) {
    return typeof group === "string" || group < 0 ? this.name(group) : `${this.code(group)} ${this.name(group)}`;
  }

  /** The current name of a group; earlier decisions may refer to a group that was merged away. */
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

const firstOf = (words) =>
  words
    .slice(0, 3)
    .map(([word]) => word)
    .join(", ");

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
