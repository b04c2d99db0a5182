// The data source of the page: the file itself. `live.js` has that of the workbench.
import { cut, firstOf, leaves, level, wordsOf } from "./branches.js";
import { effects } from "./decisions.js";
import { counted, keep, kept } from "./dom.js";
import { filter } from "./filters.js";
import { Haystack, search } from "./find.js";
import { bytes, json, numbers } from "./parts.js";
import { MATCH } from "./route.js";

/** @typedef {import("./data.d.ts").Decision} Decision @typedef {import("./data.d.ts").Field} Field
 *  @typedef {import("./data.d.ts").Found} Found @typedef {import("./data.d.ts").Group} Group
 *  @typedef {import("./data.d.ts").Numbers} Numbers @typedef {import("./data.d.ts").Summary} Summary */

export const TRUST = "group trust";
export const WORDS_OF_TRUST = ["tight", "loose", "mixed", "leftovers"];
const LEVELLED = ["group", "part", "rival"]; // columns that follow the number of groups
const UNFITTED = { code: NaN, trust: null, sentences: [], figures: null, gone: false },
  RISING = new Set(["uncertain", "group"]),
  SHORT = 300, // letters added to the length of a document, so that very short ones do not come first
  NEAR = 20, // hits by meaning
  WORDS = 36, // of a branch
  FIRST = ["place", "group", "part", "rival", "margin"],
  LISTED = ["flagged", "typical", "score"],
  REASONS = ["why", "share", "most", "near"],
  BETWEEN = "\u001e",
  decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Texts joined by a separator that none of them contains: decode one on access, all for a search. */
class Texts {
  constructor(raw, n) {
    this.raw = raw;
    this.starts = new Uint32Array(n + 1);
    for (let i = 1, at = 0; i < n; i++) this.starts[i] = at = raw.indexOf(BETWEEN.charCodeAt(0), at) + 1;
    this.starts[n] = raw.length + 1;
  }
  at(i) {
    return decoder.decode(this.raw.subarray(this.starts[i], this.starts[i + 1] - 1));
  }
  get whole() {
    return decoder.decode(this.raw);
  }
}

/** The store of a report: all data is in the file, decisions stay in the browser. */
export class FileStore {
  /** @type {import("./data.d.ts").About} */
  about;
  /** @type {Summary} The groups of the level shown. */
  summary;
  /** @type {Record<string, Numbers>} */
  columns = {};
  /** @type {{ summary: Summary, home: number[], columns: Record<string, Numbers> }} The groups as they were fitted. */
  fitted;
  /** The number of groups shown, and the group of each fitted group and part. */
  level = 0;
  /** @type {number[]} */
  home = [];
  /** What is read or counted on the first use, for good, for a version, and for a level of it. */
  lasting = new Map();
  ofVersion = new Map();
  ofLevel = new Map();
  /** @type {Numbers} Lengths of the texts. */
  length;
  /** @type {Numbers} The first row with the text of each document plus 1, 0 for a text that occurs once. */
  first;
  /** @type {string[]} */
  ids;
  /** @type {Texts} */
  titles;
  /** @type {Texts} The first letters of the texts. */
  heads;
  /** @type {import("./data.d.ts").State} The last answer of the workbench to `state`; of a report, its decisions. */
  state = Object.assign(Object.create(null), { versions: [], decisions: [], trust_follows: false });
  /** @type {Decision[]} Decisions sent and not answered yet. */
  pending = [];
  shown = 0; // number of the version
  /** @type {Decision[][]} The decisions before each undo since the last one. */
  undone = [];
  /** @type {ReturnType<typeof effects>} */
  effects;
  /** @type {(() => void)[]} */
  listeners = [];
  /** @type {((id: string) => Promise<{ title: string, text: string }>) | null} Open a document that was left out; only the workbench has its text. */
  leftOut = null;

  static async open() {
    const store = new FileStore();
    await store.load();
    store.state.decisions = kept(store.place, []);
    store.effects = store.stands();
    store.cutTo(null);
    return store;
  }

  /** Load the data of the map and the group list; the documents follow (`full`). */
  async load() {
    this.about = await json("about");
    const [summary] = await Promise.all([json("summary"), this.take(FIRST)]);
    this.fit(summary);
  }

  /** Take the summary and the columns of fitted groups. */
  fit(summary) {
    const { home } = level(summary.tree, summary.groups.length, summary.tree.merges.length + 1);
    this.fitted = { summary, home, columns: Object.fromEntries(LEVELLED.map((name) => [name, this.columns[name]])) };
    this.summary = summary;
    this.level = 0;
  }

  /** The value of a name, made on the first use, and again after a failure.
   *  @template T @param {Map<string, any>} kept @param {string} name @param {() => T} make @returns {T} */
  once(kept, name, make) {
    if (!kept.has(name)) {
      const made = make();
      kept.set(name, made);
      if (made instanceof Promise) made.catch(() => kept.delete(name));
    }
    return kept.get(name);
  }

  get n() {
    return this.about.n;
  }
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
  /** The decisions that the groups do not follow yet. */
  get recent() {
    return this.decisions.slice(this.state.versions[this.shown - 1]?.decisions ?? 0);
  }

  /** Show so many groups, null for the usual number; return whether others are shown now. */
  cutTo(count) {
    const wanted = Math.max(1, Math.min(count ?? this.usual, this.finest)),
      { summary, columns } = this.fitted;
    if (wanted === this.level) return false;
    const { home, ...tree } = level(summary.tree, summary.groups.length, wanted),
      own = wanted > this.count ? columns.part : columns.group;
    Object.assign(this, { level: wanted, home, summary, ofLevel: new Map() });
    this.columns.group = own.map((number) => (number < 0 ? number : home[number]));
    this.columns.rival = columns.rival.map((number, i) =>
      number < 0 || (own[i] >= 0 && home[number] === home[own[i]]) ? -1 : home[number],
    );
    if (wanted !== this.count)
      this.summary = { ...summary, tree: { ...summary.tree, ...tree }, groups: this.branches() };
    return true;
  }

  /** The groups of the level, by number: the fitted ones, and in place of some their parts or what they join.
   *  @returns {Group[]} */
  branches() {
    const { groups, tree } = this.fitted.summary,
      found = groups.map((group) => ({ ...group, gone: group.gone || this.home[group.number] !== group.number }));
    const set = (number, size, words, share = /** @type {number | null} */ (null)) => {
      const inside = this.within([number]),
        name =
          inside.map((number) => this.effects.names.get(number)).find(Boolean) ??
          this.levelName(inside) ??
          firstOf(words);
      found[number] = { ...UNFITTED, number, name, size, share, words };
    };
    tree.parts.slice(0, Math.max(0, this.level - this.count)).forEach(({ group, words, sizes }, t) => {
      for (const [half, number] of [group, groups.length + t].entries())
        set(
          number,
          sizes[half],
          words[half].map((word) => [word, 1]),
        );
    });
    for (const { number, gone } of this.level < this.count ? [...found] : []) {
      const inside = groups.filter((group) => !group.gone && this.home[group.number] === number);
      if (!gone && inside.length > 1)
        set(
          number,
          inside.reduce((sum, { size }) => sum + size, 0),
          wordsOf(inside).slice(0, WORDS),
          inside.reduce((sum, { share }) => sum + (share ?? 0), 0),
        );
    }
    return found;
  }

  /** The fitted groups and parts with documents in some groups, by the group of each. */
  within(numbers, home = this.home) {
    const { groups, tree } = this.fitted.summary,
      size = (number) => groups[number]?.size ?? tree.parts[number - groups.length].sizes[1];
    return [...home.keys()].filter((number) => numbers.includes(home[number]) && size(number));
  }

  /** The groups with documents of each branch, of `count` branches of the tree. */
  branchesOf(count) {
    const { groups, tree } = this.summary,
      nodes = leaves(tree.merges, groups.length),
      left = cut(tree.merges, groups.length, count);
    return left.map((node) => nodes[node].filter((number) => this.sizes().get(number))).filter(({ length }) => length);
  }

  /** The name of some groups, shown or `fitted`: of the group, of a level with the same ones, or else their words. */
  branchName(members, { fitted = false } = {}) {
    const { summary, home } = fitted ? this.fitted : this;
    if (members.length === 1 && !fitted) return this.name(members[0]);
    if (members.length === 1) return this.effects.names.get(members[0]) ?? summary.groups[members[0]].name;
    const words = wordsOf(members.map((number) => summary.groups[number]));
    return this.levelName(this.within(members, home)) ?? firstOf(words);
  }

  /** The name of the branch of a level with these fitted groups and parts, if it has one. */
  levelName(members) {
    const key = members.join();
    return this.fitted.summary.levels.flat().find(([, each]) => each.join() === key)?.[0];
  }

  async take(names) {
    const load = async (name) => {
      this.columns[name] = await numbers(name, this.about.columns[name][0]);
    };
    await Promise.all(names.filter((name) => !this.columns[name]).map(load));
  }

  /** A text that tells one collection from another. */
  get key() {
    const { run } = this.fitted.summary;
    return [run.title, run.source, run.date, this.n].join("|");
  }

  /** Settled when every document can be listed; before, only places and groups are loaded. */
  get full() {
    return this.once(this.lasting, "full", () => this.fill());
  }
  async fill() {
    const [length, first] = await Promise.all([
      numbers("length", "uint32"),
      numbers("same", "uint32"),
      this.take(LISTED),
      this.entries(),
    ]);
    Object.assign(this, { length, first });
  }
  async entries() {
    const [ids, titles, heads] = await Promise.all([json("ids"), this.unpack("titles"), this.unpack("heads")]);
    Object.assign(this, { ids, titles, heads });
  }
  async unpack(part) {
    return new Texts(await bytes(part), this.n);
  }

  /** The rest of the texts, their words, and the groups of texts about several things, by row. */
  get more() {
    const load = () => Promise.all([this.unpack("tails"), json("words"), json("several"), this.full]);
    return this.once(this.lasting, "more", load);
  }

  get cells() {
    const load = async (name) => /** @type {const} */ ([name, await this.cell(name)]);
    return this.once(this.lasting, "cells", () => Promise.all(this.about.others.map(load)));
  }
  cell(name) {
    return this.unpack(`other-${this.about.others.indexOf(name)}`);
  }

  /** A column of numbers like one to filter by. */
  async range(name) {
    const all = (await this.cell(name)).whole.split(BETWEEN).map((value) => value.trim()),
      values = [...new Set(all)],
      at = new Map(values.map((value, i) => [value, i]));
    return { values, codes: all.map((value) => at.get(value) ?? -1) };
  }

  points() {
    const { place, group } = this.columns,
      axis = (from) => Float32Array.from({ length: this.n }, (_, i) => place[2 * i + from] / 8000);
    return { x: axis(0), y: axis(1), group };
  }

  /** Names of the columns to filter and colour by: those of the file, and trust if known. */
  get fields() {
    const trust = this.summary.groups.some(({ figures }) => figures?.word) ? [TRUST] : [];
    return [...this.about.fields, ...this.about.ranges, ...trust];
  }

  /** The trust of each document's group.
   *  @returns {Field} */
  trusted() {
    const values = ["", ...WORDS_OF_TRUST],
      of = this.summary.groups.map(({ figures }) => Math.max(0, values.indexOf(figures?.word ?? "")));
    return { values, codes: Uint8Array.from(this.columns.group, (group) => of[group] ?? 0) };
  }

  /** @returns {Promise<Field>} */
  async field(name) {
    if (name === TRUST) return this.trusted();
    const at = this.about.fields.indexOf(name);
    return this.once(this.lasting, `field ${name}`, () => (at < 0 ? this.range(name) : json(`field-${at}`)));
  }

  /** The groups, without those that were merged away. */
  get groups() {
    return this.summary.groups.filter(({ gone }) => !gone);
  }

  /** Documents of each group, -1 for off-topic ones. */
  sizes() {
    const none = this.summary.groups.map(({ number }) => /** @type {const} */ ([number, 0])),
      all = () => this.tally(new Uint8Array(this.n).fill(1)).groups;
    return this.once(this.ofLevel, "sizes", () => new Map([...none, ...all()]));
  }

  get weighed() {
    return Number.isFinite(this.fitted.summary.groups[0].share);
  }

  /**
   * The share of a group among documents that are in groups, by weight if documents have weights; null if the weight is
   * unknown, as of a part.
   */
  share(number) {
    if (this.weighed) return this.summary.groups[number]?.share ?? null;
    const sizes = this.sizes();
    return (sizes.get(number) ?? 0) / (this.n - (number < 0 ? 0 : (sizes.get(-1) ?? 0)));
  }

  /** Groups, the largest first: a merge keeps the number and the name of the first. */
  bySize(groups) {
    const size = (number) => this.sizes().get(number) ?? 0;
    return [...groups].sort((a, b) => size(b) - size(a) || a - b);
  }

  /** The documents that match a search and pass filters; null without any.
   *  @returns {Promise<Found | null>} */
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

  /** The hits of a query in each document, up to 255. */
  async searched(q) {
    const [tails] = await this.more,
      ids = () => this.ids.map((id) => id.replaceAll(BETWEEN, " ")).join(BETWEEN);
    const hays = this.once(this.lasting, "hays", () =>
      [this.titles.whole, this.heads.whole, ids(), tails.whole].map((texts) => new Haystack(texts, BETWEEN)),
    );
    return search(q, this.n, (term, hits) => {
      for (const hay of hays) hay.mark(term, hits);
    });
  }

  /** Hits with their number, in all and in each group. */
  tally(hits) {
    const counts = new Uint32Array(this.summary.groups.length + 1), // off-topic ones first
      { group } = this.columns;
    for (let i = 0; i < this.n; i++) if (hits[i]) counts[group[i] + 1]++;
    const groups = new Map(
      Array.from(counts, (count, i) => /** @type {const} */ ([i - 1, count])).filter(([, count]) => count),
    );
    return { hits, total: counts.reduce((sum, count) => sum + count, 0), groups };
  }

  /** Rows in an order: all, those of a group, or those of a search.
   *  @returns {number[]} */
  list({ group = /** @type {number | null} */ (null), sort = "typical", found = /** @type {Found | null} */ (null) }) {
    const rows = /** @type {number[]} */ ([]),
      inside = (i) => group === null || this.columns.group[i] === group;
    for (const i of sort === MATCH && found ? this.matching(found) : this.ordered(sort))
      if (inside(i) && (!found || found.hits[i])) rows.push(i);
    return found ? [...rows, ...found.near.filter(inside)] : rows;
  }

  /** The hits of a search by the share of the matches in the document. */
  matching(found) {
    const rows = Uint32Array.from(this.length.keys()).filter((i) => found.hits[i]),
      worth = Float64Array.from(rows, (i) => -found.hits[i] / (this.length[i] + SHORT));
    return (found.matching ??= ranked(worth).map((at) => rows[at]));
  }

  get scored() {
    return this.columns.score?.some(Number.isFinite) || this.sizes().has(-1);
  }

  ordered(sort) {
    const { margin, typical, score, group } = this.columns,
      off = score.some(Number.isFinite) ? score : margin.map((value) => -value),
      by = { typical, group, uncertain: margin, longest: this.length, "off-topic": off }[sort],
      sign = RISING.has(sort) ? 1 : -1,
      rank = () => ranked(Float64Array.from(by, (value) => sign * value));
    return this.once(sort === "group" ? this.ofLevel : this.ofVersion, sort, rank);
  }

  row(i) {
    const { group, rival, margin, score, flagged } = this.columns;
    return {
      ...this.entry(i),
      i,
      group: group[i],
      rival: rival[i],
      margin: margin[i],
      score: score?.[i],
      flagged: flagged?.[i] > 0,
    };
  }
  entry(i) {
    return { id: this.ids[i], title: this.titles.at(i) || this.ids[i], text: this.heads.at(i), length: this.length[i] };
  }

  /** A document with its text, reasons, neighbours and columns. */
  async document(i) {
    const [tails, words, several] = await this.more,
      found = await Promise.all([
        this.cells,
        Promise.all(this.about.fields.map((name) => this.field(name))),
        this.take(REASONS),
      ]),
      [cells, fields] = found,
      { why, share, most, near } = this.columns,
      text = this.heads.at(i) + tails.at(i),
      width = why.length / this.n,
      count = near.length / this.n;
    return {
      ...this.row(i),
      text,
      complete: text.length >= this.length[i],
      several: several[i] ?? null,
      reasons: Array.from(why.subarray(i * width, (i + 1) * width), (word, w) => [
        words[word - 1],
        (share[i * width + w] / 255) * most[i],
      ]).filter(([word]) => word !== undefined),
      near: Array.from(near.subarray(i * count, (i + 1) * count))
        .filter(Boolean)
        .map((row) => this.row(row - 1)),
      fields: fields
        .map(({ values, codes }, f) => [this.about.fields[f], values[codes[i]]])
        .filter(([, value]) => value),
      others: cells.map(([name, texts]) => [name, texts.at(i)]).filter(([, value]) => value),
    };
  }

  /** The rows with the text of row `i`, also in other groups. */
  same(i) {
    if (!this.first[i]) return [i];
    const twins = this.once(this.lasting, "twins", () => Map.groupBy(this.first.keys(), (row) => this.first[row]));
    return twins.get(this.first[i]) ?? [i];
  }

  /** Rows without those whose text an earlier one has. */
  folded(rows) {
    const seen = new Set();
    return rows.filter((i) => !this.first[i] || (!seen.has(this.first[i]) && seen.add(this.first[i])));
  }

  async idsOf(rows) {
    return rows.map((i) => this.ids[i]);
  }
  /** The row of an id, or -1. */
  rowOf(id) {
    const rows = () => new Map(this.ids.map((id, i) => [id, i]));
    return this.ids ? (this.once(this.lasting, "rows", rows).get(id) ?? -1) : -1;
  }
  /** The row of an id, also of one that was not read yet. */
  async locate(id) {
    await this.full;
    return this.rowOf(id);
  }

  /** The reason that decisions are off, or "". */
  get closed() {
    const view = `This is a view of ${counted(this.level, "group")}: keep it before you correct groups.`;
    return this.off || (this.level === this.usual ? "" : view);
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
  /** Whether the trust in the groups is still to be measured. */
  get trustFollows() {
    return this.state.trust_follows && this.groups.length > 1;
  }
  /** Whether the groups differ from those that the map was laid out by, and it can be laid out again. */
  get untidy() {
    return Boolean(this.state.run) && !this.off && this.decisions.some(({ kind }) => ["merge", "level"].includes(kind));
  }
  get notes() {
    return this.state.versions[0]?.notes ?? [];
  }

  get decisions() {
    return [...this.state.decisions, ...this.pending];
  }
  /** Decide; the workbench may show what would move first. */
  decide(decision) {
    this.keep(decision);
  }
  keep(decision) {
    this.undone = [];
    this.write([...this.decisions, decision]);
  }
  /** Take back a decision, by default the last one. */
  undo(number = this.decisions.length - 1) {
    if (!this.decisions.length) return;
    this.undone.push(this.decisions);
    this.write(this.decisions.filter((_, i) => i !== number));
  }
  redo() {
    const log = this.undone.pop();
    if (log) this.write(log);
  }
  /** Replace the decisions; the browser's storage has them where it allows. */
  write(decisions) {
    Object.assign(this.state, { decisions, can_redo: this.undone.length > 0 });
    keep(this.place, decisions);
    this.changed();
  }
  get place() {
    return `outgroup-decisions-${this.key}|${this.fitted.summary.groups.length}`;
  }

  /** Call a function after each change of decisions or data. */
  listen(listener) {
    this.listeners.push(listener);
  }
  changed() {
    this.effects = this.stands();
    for (const listener of this.listeners) listener();
  }
  /** The effect of the decisions: pending changes of groups, and all decisions on documents and words. */
  stands() {
    const { names, merged, split, begun } = effects(this.recent);
    return { ...effects(this.decisions), names, merged, split, begun };
  }

  /** The number of a group that people see: of its code, if a codebook gave one. Parts of groups follow the last. */
  code(group) {
    const { groups } = this.fitted.summary;
    if (typeof group === "string" || group < 0) return group;
    return groups[group]?.code ?? group - groups.length + 1 + Math.max(...groups.map(({ code }) => code));
  }
  called(group) {
    return typeof group === "string" || group < 0 ? this.name(group) : `${this.code(group)} ${this.name(group)}`;
  }
  /** The current name of a group; earlier decisions may refer to a group that was merged away. */
  name(group) {
    if (typeof group === "string") return group; // one that is new has no number yet
    if (group === -1) return "Off-topic";
    const found = this.summary.groups[group];
    return this.effects.names.get(group) ?? (found && !found.gone ? found.name : "(merged away)");
  }
}

const STEPS = 2 ** 28,
  MOST = 2 ** 24; // rows: more than the ten million of one input

/** Sort row numbers by worth, ascending and stable, unknown ones last. A single number encodes both, which sorts fast. */
function ranked(worth) {
  const known = worth.filter(Number.isFinite),
    low = known.reduce((least, value) => Math.min(least, value), Infinity),
    span = known.reduce((most, value) => Math.max(most, value), -Infinity) - low || 1,
    step = (value) => (Number.isFinite(value) ? Math.round(((value - low) / span) * (STEPS - 1)) : STEPS);
  return Uint32Array.from(worth.map((value, i) => step(value) * MOST + i).sort(), (key) => key % MOST);
}
