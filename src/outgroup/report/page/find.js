// Search: words in any form, and exact text.

const LETTER = /[\p{L}\p{N}_]/u;

const MOST = 255; // of one term in a document that are counted

/** Parse a query into words and quoted exact texts: all clauses must hold, of each clause one term (OR), and a term
 *  after NOT must be missing. */
export function clauses(query) {
  const found = [];
  let [or, not] = [false, false];
  for (const [, exact, word] of query.matchAll(/"([^"]+)"?|(\S+)/g)) {
    if (word === "OR") or = true;
    else if (word === "NOT") not = true;
    else if (word !== "AND" && word !== '"') {
      const term = { text: (exact ?? word).toLowerCase(), exact: Boolean(exact), not };
      if (or && found.length) found.at(-1).push(term);
      else found.push([term]);
      [or, not] = [false, false];
    }
  }
  return found;
}

/** The terms that a hit may contain. */
export const terms = (query) =>
  clauses(query)
    .flat()
    .filter(({ not }) => !not);

/** The stem of a word and the number of letters that may follow. */
export const root = (word) => (word.length < 5 ? [word, 1] : [word.slice(0, Math.max(4, word.length - 2)), 4]);

/** Joined texts of documents with their offsets, for searches. */
export class Haystack {
  constructor(text, between) {
    this.text = text.toLowerCase();
    this.starts = [0];
    for (let at = this.text.indexOf(between); at >= 0; at = this.text.indexOf(between, at + 1))
      this.starts.push(at + 1);
    this.starts.push(this.text.length + 1);
  }

  /** Count in `hits[document]` how often each document holds the term. */
  mark(term, hits) {
    const [start, more] = term.exact ? [term.text, -1] : root(term.text);
    let document = 0;
    for (let at = this.text.indexOf(start); at >= 0; at = this.text.indexOf(start, at + 1)) {
      if (more >= 0 && !this.isWord(at, start.length, more)) continue;
      while (this.starts[document + 1] <= at) document++;
      if (hits[document] < MOST) hits[document]++;
      else at = this.starts[document + 1] - 2;
    }
  }

  isWord(at, length, more) {
    if (at > 0 && LETTER.test(this.text[at - 1])) return false;
    let end = at + length;
    while (end < at + length + more && LETTER.test(this.text[end] ?? " ")) end++;
    return !LETTER.test(this.text[end] ?? " ");
  }
}

/** The hits of a query per document, up to 255, as bytes: `mark(term, hits)` counts those of a term. A word without a match
 *  is searched as a substring. */
export async function search(query, n, mark) {
  const all = new Uint8Array(n).fill(MOST);
  for (const clause of clauses(query)) {
    const counts = /** @type {Uint8Array[]} */ ([]);
    for (const term of clause) {
      const hits = new Uint8Array(n);
      await mark(term, hits);
      if (!term.exact && !hits.some(Boolean)) await mark({ ...term, exact: true }, hits);
      counts.push(term.not ? hits.map((count) => (count ? 0 : MOST)) : hits);
    }
    for (let i = 0; i < n; i++) all[i] = Math.min(all[i], Math.max(...counts.map((hits) => hits[i])));
  }
  return all;
}

const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** Cut a text into pieces [piece, whether it is a form of one of the words]. */
export function marked(text, words, exact = []) {
  const forms = words.map((word) => {
    const [start, more] = root(word.toLowerCase());
    return `${escaped(start)}[\\p{L}\\p{N}_]{0,${more}}`;
  });
  const parts = [...forms.map((form) => `(?<![\\p{L}\\p{N}_])${form}(?![\\p{L}\\p{N}_])`), ...exact.map(escaped)];
  if (!parts.length) return [[text, false]];
  const pieces = [];
  let end = 0;
  for (const found of text.matchAll(new RegExp(parts.join("|"), "giu"))) {
    if (!found[0]) continue;
    pieces.push([text.slice(end, found.index), false], [found[0], true]);
    end = found.index + found[0].length;
  }
  return [...pieces, [text.slice(end), false]].filter(([piece]) => piece);
}
